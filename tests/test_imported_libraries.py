"""Where libraries and the core are imported, and what is imported late or by name."""

from __future__ import annotations

import ast
import importlib
import importlib.util

import pytest

from slp import late
from tests.arrows import PACKAGE, all_arrows, all_imports, room_of, trees_of_files_with

# Libraries that one room alone knows, so that it alone changes if they do.
HOMES = {"click": "cli", "joblib": "cluster", "lark": "syntax", "sklearn": "estimators"}
HOMES["matplotlib"] = "plot"


#: Runs as a program of its own, which learns only then where libraries are.
A_PROGRAM = "data/to_arrow.py"


def test_imports_inside_functions_go_through_one_function() -> None:
    """`slp.late.late_import`, which this file knows too."""
    found = [
        str(arrow)
        for arrow in all_arrows(PACKAGE)
        if arrow.when == "function" and arrow.file.as_posix() != A_PROGRAM
    ]
    assert found == []


def _named_late(node: ast.AST) -> str | None:
    """The module that a call imports by a constant name."""
    match node:
        case ast.Call(
            func=ast.Name(id="late_import" | "import_alone"), args=[ast.Constant(value=name)]
        ):
            return str(name)
        case ast.Call(func=ast.Name(id="optional_module"), args=[ast.Constant(value=name)]):
            return f"slp.{name}"
    return None


def test_late_names_are_listed_once_and_are_there() -> None:
    used = {
        name
        for _, tree in trees_of_files_with("late_import|import_alone|optional_module")
        for node in ast.walk(tree)
        if (name := _named_late(node)) is not None
    }
    assert used == set(late.MODULES)
    assert list(late.MODULES) == sorted(late.MODULES)
    own = [name for name in late.MODULES if name.startswith("slp.") and name != "slp._core"]
    assert [name for name in own if importlib.util.find_spec(name) is None] == []


#: Files that import what a user names, and the mechanism itself.
IMPORT_BY_NAME = {"late.py", "trees/predicates.py", "engines/mcmc/proofs/likelihood.py"}


def test_modules_are_imported_by_name_through_one_function() -> None:
    users = {
        file
        for file, tree in trees_of_files_with("import_module|__import__")
        if {"import_module", "__import__"} & _names(tree)
    }
    assert users == IMPORT_BY_NAME


def _names(tree: ast.AST) -> set[str]:
    """All names, attributes and imported names in a file."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                found.add(name)
    return found


def test_the_core_is_imported_by_the_kernels_alone() -> None:
    users = {
        arrow.file.parts[0]
        for arrow in all_imports(PACKAGE)
        if "_core" in (*arrow.module.split("."), arrow.name)
    }
    assert users == {"kernels"}


@pytest.mark.parametrize("library", sorted(HOMES))
def test_a_library_stays_in_its_room(library: str) -> None:
    users = {
        room_of(list(arrow.file.with_suffix("").parts), PACKAGE)
        for arrow in all_imports(PACKAGE)
        if arrow.module.split(".")[0] == library
    }
    assert users <= {HOMES[library]}


def test_only_one_file_knows_prolog() -> None:
    users = {
        arrow.file.as_posix()
        for arrow in all_imports(PACKAGE)
        if arrow.module.split(".")[0].startswith("janus")
    }
    assert users == {"swipl/bridge.py"}


def test_kernels_see_numpy_only() -> None:
    foreign = {
        arrow.module.split(".")[0]
        for arrow in all_imports(PACKAGE)
        if arrow.file.parts[0] == "kernels"
    }
    standard = {"__future__", "collections", "functools", "os", "typing", "warnings"}
    assert foreign - standard <= {"numpy", "slp"}


def test_two_files_know_polars() -> None:
    users = {
        arrow.file.as_posix()
        for arrow in all_imports(PACKAGE)
        if arrow.module.split(".")[0] == "polars" and arrow.file.parts[0] == "data"
    }
    assert users == {"data/to_arrow.py", "data/polars_frames.py"}


def test_one_file_knows_arviz_base() -> None:
    users = {
        arrow.file.as_posix()
        for arrow in all_imports(PACKAGE)
        if arrow.module.split(".")[0].startswith("arviz")
    }
    assert users == {"results/arviz.py"}
