"""Gathers the pages of the site, for `zensical build`, which `mkdocs.yml` configures.

    python docs/book/gather.py && zensical build --strict

The pages of `docs/` are written to be read as they are, in a checkout too. This copies them to
`build/book`, with what a site needs beside them:

- the README, the changes, the licence, the library priors and the examples, which stand outside
  `docs/`; links to them lead to their pages
- formulas, `$...$` and `$$...$$`, as MathML, so that browsers typeset them without a script
- titles of pages in place of the names of their files, where these are the words of a link
- names of files, `<!-- file: NAME -->`, as titles of the blocks below them
"""

from __future__ import annotations

import html
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "book"

#: Pages of the site that are files of the checkout elsewhere.
_MOVED = {
    "README.md": "overview.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "editors/vscode/README.md": "vscode.md",
}
_LICENSE, _LIBRARY = "license.md", "library.md"

#: The languages of the files that examples show in full.
_SHOWN = {".slp": "prolog", ".py": "python", ".tree": "text"}

_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()([^)\s:#]+)(#[^)\s]*)?(?=\))")
_NAMED = re.compile(r"\[[\w./-]+\.md\](?=\(([^)\s:#]+\.md)\))")
_FILE = re.compile(r"^<!-- file: (\S+) -->\s*\n```(\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
_DISPLAY = re.compile(r"^\$\$\n(.+?)\n\$\$$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<![\\$\w])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\w$])")
_LIST_ITEM = re.compile(r"^(?!(?:- |\d+\. |  |\n|#))(.+\n)(?=(?:- |1\. ))", re.MULTILINE)

#: LaTeX and whether it stands alone, to MathML.
Typeset = Callable[[str, bool], str]


def gather(folder: Path, typeset: Typeset) -> None:
    """Write all pages of the site to a folder, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("*.md", "*.py"))
    for page in [*(ROOT / "docs").rglob("*.md"), *map(ROOT.joinpath, _MOVED)]:
        path = page.relative_to(ROOT).as_posix()
        _write(folder / place(path)[0], page_text(page.read_text("utf-8"), path, typeset))
    _write(folder / _LICENSE, f"# Licence\n\n```text\n{(ROOT / 'LICENSE').read_text('utf-8')}```\n")
    _write(folder / _LIBRARY, _library())
    for example in examples():
        _write_example(example, folder / "examples" / example.name, typeset)


def examples() -> list[Path]:
    """The folders of the gallery, sorted."""
    return sorted(p.parent for p in (ROOT / "examples").glob("*/README.md"))


def place(path: str) -> tuple[str, str]:
    """Where the site has a file of the checkout: the page, and its anchor if it is a part of one.

    Raises ValueError for a file that the site does not have.
    """
    if path in _MOVED:
        return _MOVED[path], ""
    match PurePosixPath(path).parts:
        case ("docs", *rest):
            return "/".join(rest), ""
        case ("LICENSE",):
            return _LICENSE, ""
        case ("priors",):
            return _LIBRARY, ""
        case ("priors", name):
            return _LIBRARY, "#" + anchor(name)
        case ("examples", example):
            return f"examples/{example}/README.md", ""
        case ("examples", example, name) if PurePosixPath(name).suffix in _SHOWN:
            return f"examples/{example}/README.md", "#" + anchor(name)
        case ("examples", _, _):
            return path, ""
    raise ValueError(f"the site has no {path}")


def anchor(heading: str) -> str:
    """The anchor of a heading, as on the pages of the site."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def page_text(text: str, path: str, typeset: Typeset) -> str:
    """A page of the checkout as a page of the site."""
    text = _FILE.sub(r'```\2 title="\1"\n', text)
    pieces = [
        piece if code else _prose(piece, path, typeset) for piece, code in _split_at_code(text)
    ]
    return "".join(pieces)


def _split_at_code(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a page, each with whether it is code."""
    end = 0
    for match in _CODE.finditer(text):
        yield text[end : match.start()], False
        yield _cell(match[0]), True
        end = match.end()
    yield text[end:], False


def _cell(code: str) -> str:
    """Code in a cell of a table has `\\|` for a bar on GitHub; the site takes the bar alone."""
    return code if code.startswith("```") else code.replace(r"\|", "|")


def _prose(text: str, path: str, typeset: Typeset) -> str:
    text = _COMMENT.sub("", text)
    text = _LIST_ITEM.sub(r"\1\n", text)  # the site wants an empty line before a list
    text = _DISPLAY.sub(
        lambda m: f'<div class="formula" tabindex="0">{_one_line(typeset(m[1], True))}</div>', text
    )
    text = _INLINE.sub(lambda m: _one_line(typeset(m[1], False)), text)
    text = _NAMED.sub(lambda m: f"[{_title(m[1], path)}]", text)
    return _LINK.sub(lambda m: _link(m[1], m[2] or "", path), text)


def _one_line(mathml: str) -> str:
    """MathML without characters that Markdown knows."""
    return re.sub(r"[*_`\\\[\]|]", lambda m: f"&#{ord(m[0])};", mathml.replace("\n", " "))


def _link(target: str, fragment: str, path: str) -> str:
    """A link of a page of the checkout, as the site has it."""
    start = PurePosixPath(path).parent
    page, part = place(os.path.normpath(start / target))
    here = PurePosixPath(place(path)[0]).parent
    return os.path.relpath(page, here) + (fragment or part)


def _title(target: str, path: str) -> str:
    """The title of a page that a link leads to."""
    page = ROOT / os.path.normpath(PurePosixPath(path).parent / target)
    return page.read_text("utf-8").partition("\n")[0].removeprefix("# ")


def _library() -> str:
    parts = ["# The library of priors\n\nThe programs of `priors/`, in full. "]
    parts.append("[Priors and split measures](priors.md) has what they mean.\n")
    for prior in sorted((ROOT / "priors").glob("*.slp")):
        parts.append(_section(prior))
    return "".join(parts)


def _write_example(example: Path, folder: Path, typeset: Typeset) -> None:
    """The page of an example: its README, then its files in full. Tables are files of the site."""
    path = f"examples/{example.name}/README.md"
    parts = [page_text((example / "README.md").read_text("utf-8"), path, typeset)]
    for file in sorted(example.iterdir()):
        if file.suffix in _SHOWN:
            parts.append(_section(file))
        elif file.name != "README.md" and not file.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder)
    _write(folder / "README.md", "".join(parts))


def _section(file: Path) -> str:
    return f"\n## {file.name}\n\n```{_SHOWN[file.suffix]}\n{file.read_text('utf-8')}```\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def _mathml(latex: str, alone: bool) -> str:
    from latex2mathml.converter import convert

    made: str = convert(latex, display="block" if alone else "inline")
    # A screen reader reads the MathML; who copies a formula gets LaTeX.
    return made.replace("<math ", f'<math alttext="{html.escape(latex)}" ', 1)


if __name__ == "__main__":
    gather(FOLDER, _mathml)
