"""What may stand at the cursor: directives, constraints, library priors and their parameters,
columns of the table, boxes, nonterminals.

It is decided by the brackets that are open before the cursor, as the clause is not finished.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from slp.analysis import CONSTRAINTS, DIRECTIVES, SUPPORT
from slp.leaves import SIGNATURES
from slp.lsp.names import NameIndex
from slp.lsp.tables import ENDINGS
from slp.resources import prior_names
from slp.source import SourceFile
from slp.syntax import term_to_text
from slp.terms import Atom

_TOKEN = re.compile(
    r"%[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|''|\\.)*(?:'|\Z)|\"(?:[^\"\\]|\\.)*(?:\"|\Z)"
    r"|0'.|\d+\.\d+|(?P<name>[^\W\d]\w*)|(?P<end>\.(?=[\s%]|\Z))|(?P<sign>[(\[{)\]},])|:-|-->|::|\S",
    re.DOTALL,
)
_DATA = re.compile(r"%+\s*data:\s*(?P<begun>\S*)\Z")

#: Most files of a folder that are looked through.
_MOST_FILES = 2000


@dataclass(frozen=True)
class Completion:
    """A word that may stand at the cursor: its kind, and what is told of it."""

    text: str
    kind: str
    told: str = ""


@dataclass(frozen=True)
class AtCursor:
    """What stands before the cursor in its clause.

    Attributes
    ----------
    begun : the beginning of the word at the cursor.
    calls : the names of the open brackets, outermost first, each with the number of arguments
        before; lists have the name "[".
    directive : whether the clause is one.
    body : whether the cursor stands behind the arrow of a clause.
    """

    begun: str
    calls: tuple[tuple[str, int], ...]
    directive: bool
    body: bool


def before_cursor(text: str, offset: int) -> AtCursor | None:
    """What stands before a place; None inside a comment or a quoted text."""
    calls: list[tuple[str, int]] = []
    words: list[str] = []  # of the clause, without comments
    name, name_ends = "", -1
    for token in _TOKEN.finditer(text, 0, offset):
        word = token[0]
        if word.startswith(("%", "/*")):
            if token.end() == offset and not word.endswith("*/"):
                return None
            continue
        if word[0] in "'\"" and token.end() == offset and (len(word) == 1 or word[-1] != word[0]):
            return None
        if token["end"] and token.end() < offset:
            calls, words = [], []
            continue
        if token["sign"]:
            _bracket(word, name if token.start() == name_ends else "", calls)
        words.append(word)
        if token["name"]:
            name, name_ends = word, token.end()
    begun = name if name_ends == offset else ""
    return AtCursor(begun, tuple(calls), words[:1] == [":-"], bool({":-", "-->"} & {*words[1:]}))


def _bracket(sign: str, name: str, calls: list[tuple[str, int]]) -> None:
    if sign in "([{":
        calls.append((name if sign == "(" else sign, 0))
    elif sign in ")]}":
        if calls:
            calls.pop()
    elif calls:
        outer, number = calls[-1]
        calls[-1] = outer, number + 1


def completions(
    source: SourceFile, names: NameIndex, columns: Iterable[str], offset: int
) -> list[Completion]:
    """The words that may stand at a place, without regard to what is begun there."""
    line = source.text[source.text.rfind("\n", 0, offset) + 1 : offset]
    if _DATA.search(line):
        return [Completion(name, "file", "a table") for name in _files(source, ENDINGS)]
    before = before_cursor(source.text, offset)
    if before is None:
        return []
    return list(_words(source, names, list(columns), before))


def _words(
    source: SourceFile, names: NameIndex, columns: list[str], before: AtCursor
) -> Iterator[Completion]:
    calls = [name for name, _ in before.calls]
    if before.directive:
        if not calls:
            yield from (Completion(n, "directive", form) for n, form in DIRECTIVES.items())
        elif calls[0] == "use":
            yield from _of_use(source, names, before)
        elif calls[0] in ("constraint", "prefer") and calls[1:] in ([], ["["]):
            if before.calls[0][1] == 0:
                yield from (Completion(n, "constraint", form) for n, form in CONSTRAINTS.items())
        elif calls == ["leaf"]:
            told = ((name, s.written) for name, s in SIGNATURES.items())
            yield from (Completion(name, "leaf", form) for name, form in told)
        elif calls[0] == "support" and calls[1:] in ([], ["["]):
            yield from (Completion(name, "limit") for name in SUPPORT)
        elif calls[0] == "start":
            yield from _declared(names, "nonterminal")
        else:
            yield from _declared(names, "box")
            yield from _declared(names, "group")
            yield from _of_columns(columns)
        return
    if calls and calls[0] == "box":
        if before.calls[0][1] == 1:
            yield from _of_columns(columns)
        return
    if before.body:
        yield from _declared(names, "nonterminal")
        yield from _declared(names, "predicate")
        yield from _of_columns(columns)
        yield from (Completion(word, "word") for word in ("split", "leaf"))
    yield from _declared(names, "parameter")


def _of_use(source: SourceFile, names: NameIndex, before: AtCursor) -> Iterator[Completion]:
    """The priors and files to use, or behind them their parameters."""
    if before.calls[0][1] == 0:
        for name in (*prior_names(), "edittree"):
            yield Completion(name, "prior", f"priors/{name}.slp")
        for name in _files(source, (".slp",)):
            if name != Path(source.name).name:
                yield Completion(term_to_text(Atom(name)), "file", "a program")
    elif len(before.calls) > 1:
        for user, target in names.files:
            if target and user == source.name:
                own = NameIndex(names.files[user, target])
                yield from _declared(own, "parameter")


def _declared(names: NameIndex, kind: str) -> Iterator[Completion]:
    for name in names.declared(kind):
        if name != "box" or kind == "box":
            yield Completion(term_to_text(Atom(name)), kind)


def _of_columns(columns: Iterable[str]) -> Iterator[Completion]:
    for name in columns:
        yield Completion(term_to_text(Atom(name)), "column", "a column of the table")


def _files(source: SourceFile, endings: tuple[str, ...]) -> list[str]:
    """The files of the program's folder with these endings, by name."""
    folder = source.folders.own
    if folder is None:
        return []
    try:
        names = sorted(path.name for path in islice(folder.iterdir(), _MOST_FILES))
    except OSError:
        return []
    return [name for name in names if name.endswith(endings)]
