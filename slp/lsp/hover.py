"""What is told of the place under the mouse, in Markdown: the page of a finding's code, what a name
stands for, and what the rule or the declaration around it means."""

from __future__ import annotations

from collections.abc import Iterator

from slp.analysis import CONSTRAINTS, DIRECTIVES
from slp.lsp.checks import Checked
from slp.lsp.names import NameIndex, Occurrence
from slp.messages import entries
from slp.messages.names import plural
from slp.source import SourceFile
from slp.syntax import parse_recovering

#: Part of a page that stands below another one.
_RULE = "\n\n---\n\n"


def hover_text(
    source: SourceFile, names: NameIndex, checked: Checked | None, offset: int
) -> str | None:
    """What is told of a place in a program's own text; None if nothing is. Without `checked` that
    is what the text alone says."""
    parts: list[str] = []
    if checked is not None:
        parts += _pages(checked, offset)
    here = names.at(source, offset)
    if here is not None:
        parts += _of_name(here, names, checked)
    if checked is not None:
        parts += _meanings(source, checked, offset)
    return _RULE.join(dict.fromkeys(parts)) or None


def _pages(checked: Checked, offset: int) -> Iterator[str]:
    """The pages of the codes found at a place."""
    for finding in checked.found:
        span = finding.span
        if span is not None and span.start <= offset <= span.end:
            yield _literally(entries()[finding.code].to_text())


def _of_name(here: Occurrence, names: NameIndex, checked: Checked | None) -> Iterator[str]:
    kind, name = str(here.meant[0]), str(here.meant[1])
    if kind == "directive" and name in DIRECTIVES:
        yield f"A directive: {DIRECTIVES[name]}"
    elif kind == "constraint" and name in CONSTRAINTS:
        yield f"A constraint: {CONSTRAINTS[name]}"
    elif kind == "file":
        yield from _of_file(names.files.get((str(here.meant[1]), str(here.meant[2]))))
    elif kind in ("nonterminal", "predicate"):
        number = len(names.places(here.meant, declared=True))
        slashes = "//" if kind == "nonterminal" else "/"
        yield f"The {kind} `{name}{slashes}{here.meant[2]}`: {plural(number, 'clause')}"
    elif kind == "group":
        number = len(names.places(here.meant, declared=True))
        yield f"The group `{name}` of {plural(number, 'feature')}"
    elif checked is not None and kind in ("parameter", "box"):
        yield from (_code(m.words) for m in checked.meanings if m.name == name)
    elif checked is not None and name in checked.columns:
        yield f"The column {_code(name)} of the table: {_plainly(checked.columns[name])}"


def _of_file(file: SourceFile | None) -> Iterator[str]:
    """The name of a file, and the comments above its first clause."""
    if file is None:
        return
    program, _ = parse_recovering(file)
    first = min((item.span.start for item in program.items), default=len(file.text))
    lines = [c.text.lstrip("% ") for c in program.comments if c.span.end <= first]
    yield _code(file.name)
    if lines:
        yield _plainly(" ".join(lines))


def _meanings(source: SourceFile, checked: Checked, offset: int) -> Iterator[str]:
    """What the parts of the text around a place mean."""
    for meaning in checked.meanings:
        span = meaning.span
        if span.file.name == source.name and span.start <= offset <= span.end:
            yield "\n\n".join(map(_plainly, meaning.words.splitlines()))


def _literally(text: str) -> str:
    return f"```text\n{text.replace('```', '` ` `')}\n```"


def _code(text: str) -> str:
    return f"`{text.strip('`')}`"


def _plainly(text: str) -> str:
    """Text of the user, in which an editor shall find neither marks nor addresses. What stands
    between backquotes stays code."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = "".join(f"\\{c}" if c in _MARKS else c for c in parts[i])
    return "`".join(parts)


_MARKS = "\\*_{}[]<>#!|~&"
