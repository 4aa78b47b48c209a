"""The imports of the package, read from the syntax trees of its files; and which files have words,
as a search costs less than a tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

PACKAGE = Path(__file__).resolve().parent.parent / "slp"


#: When an import runs: with its file, in a function, by `late_import`, or for type checkers alone.
When = Literal["file", "function", "late", "types"]


@dataclass(frozen=True)
class Arrow:
    """One import: the file (relative to slp/) and line, what it imports, as dotted names, and when
    it runs."""

    file: Path
    line: int
    module: str
    name: str | None = None
    when: When = "file"

    def __str__(self) -> str:
        what = f"import {self.module}" if self.name is None else f"{self.module}.{self.name}"
        return f"slp/{self.file}:{self.line}: {what}"


def is_for_types_only(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def imports_of(file: Path, node: ast.AST, when: When = "file") -> Iterator[Arrow]:
    """Every import, at any depth."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Arrow(file, node.lineno, alias.name, None, when)
    elif isinstance(node, ast.ImportFrom):
        package = ["slp", *file.parent.parts]
        above = package[: len(package) - node.level + 1] if node.level else []
        module = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            yield Arrow(file, node.lineno, module, alias.name, when)
    else:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            when = "function"
        elif is_for_types_only(node) and when == "file":
            when = "types"
        if (late := imported_late(node)) is not None:
            yield Arrow(file, node.lineno, late, None, "late")  # type: ignore[attr-defined]  # a call has a line
        for child in ast.iter_child_nodes(node):
            yield from imports_of(file, child, when)


def imported_late(node: ast.AST) -> str | None:
    """The module that `late_import(NAME)` imports."""
    match node:
        case ast.Call(func=ast.Name(id="late_import"), args=[ast.Constant(value=str(name))]):
            return name
    return None


@cache
def all_arrows(package: Path) -> list[Arrow]:
    return [
        arrow
        for path in sorted(package.rglob("*.py"))
        for arrow in imports_of(path.relative_to(package), ast.parse(path.read_text("utf-8")))
    ]


def all_imports(package: Path) -> list[Arrow]:
    """Those that can run."""
    return [arrow for arrow in all_arrows(package) if arrow.when != "types"]


def trees_of_files_with(words: str, package: Path = PACKAGE) -> Iterator[tuple[str, ast.AST]]:
    """The files, relative to the package, whose text has a match of `words`, with their trees."""
    for path in sorted(package.rglob("*.py")):
        if re.search(words, text := path.read_text("utf-8")):
            yield path.relative_to(package).as_posix(), ast.parse(text)


def room_of(parts: list[str], package: Path) -> str:
    """The room of a dotted name below `slp` (parts without `slp`), which may name an object."""
    is_module = parts and (
        parts[0] == "_core"  # made by the build, so it is not in each checkout
        or any((package / name).exists() for name in (parts[0], f"{parts[0]}.py"))
    )
    return parts[0] if is_module else "__init__"


def ends_of(arrow: Arrow, package: Path) -> tuple[str, str] | None:
    """The room that imports and the room imported, or None for a foreign library."""
    target = [*arrow.module.split("."), *([arrow.name] if arrow.name else [])]
    if target[0] != "slp":
        return None
    return (
        room_of(list(arrow.file.with_suffix("").parts), package),
        room_of(target[1:], package),
    )
