"""Files and names that pages, docstrings and comments point to are there."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

from tests.docs.pages import ROOT

_PATH = re.compile(r"(?<![\w/.<-])(?:slp|native|tests|benchmarks|docs|grammars)/[\w./*-]+\w")
_NAME = re.compile(r"`(slp(?:\.\w+)+)[`(]")

#: What a build makes, the file that a page tells the reader to write, and no paths.
NOT_THERE = {"slp/_core.pyi", "slp/_data", "slp/_data/grammars", "slp/_data/priors"}
NOT_THERE |= {"slp/_data/demo", "slp/constraints/at_most.py", "native/3"}
#: Names with a place in capitals, a file that is no module, and what objects alone have.
NO_NAMES = {"slp.NAME", "slp.cli.NAME.NAME_command", "slp.pl", "slp.BudgetError.known"}


def _texts() -> Iterator[tuple[str, str]]:
    """Pages, and files of code, each by its path."""
    for pattern in ("*.md", "docs/**/*.md", "slp/**/*.p[yl]", "native/**/*.[hc]pp"):
        for file in sorted({*ROOT.glob(pattern)} - {ROOT / "CHANGELOG.md"}):  # which is history
            yield file.relative_to(ROOT).as_posix(), file.read_text("utf-8")


def _stands_for_others(path: str) -> bool:
    """Whether a part of a path is in capitals, such as `format_N`."""
    return any(re.fullmatch(r"(?:.*_)?[A-Z]+", part) for part in Path(path).parts)


def test_paths_that_texts_name_are_there() -> None:
    wrong = [
        f"{file}: {path}"
        for file, text in _texts()
        for path in _PATH.findall(text)
        if path not in NOT_THERE and not _stands_for_others(path) and not _is_there(path)
    ]
    assert wrong == []


def _is_there(path: str) -> bool:
    return any(ROOT.glob(path)) if "*" in path else (ROOT / path).exists()


def test_names_of_slp_that_texts_name_are_there() -> None:
    named = {name: file for file, text in _texts() for name in _NAME.findall(text)}
    assert {n: f for n, f in named.items() if n not in NO_NAMES and not _is_found(n)} == {}


def _is_found(name: str) -> bool:
    """Whether a dotted name is a module, or what a module has."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        *inner, last = parts[length:] or [""]
        for part in inner:
            found = getattr(found, part, None)
        fields = getattr(found, "__annotations__", {})
        return not last or last in fields or getattr(found, last, None) is not None
    return False
