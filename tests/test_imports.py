"""Imports of rooms point one way. A walk over the syntax trees of `slp/` fails on an arrow the
other way, whether the import stands at the top of a file or inside a function."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

import slp
from slp.engines import registry
from tests.arrows import PACKAGE, all_imports, ends_of, trees_of_files_with

# Which rooms a room may import. A room is a package or module right below `slp`.
_BASE = {"errors", "messages", "late", "source", "budgets"}
_TABLES = {"ir", "kernels", "columns", "leaves", "constraints", "data", "trees"}
ALLOWED: dict[str, set[str]] = {
    "version": set(),
    "late": set(),
    "errors": {"late"},
    "messages": {"errors", "late"},
    "folders": {"errors", "messages"},
    "source": {"errors", "messages", "folders"},
    "whole_files": {"errors", "messages", "folders"},
    "budgets": {"errors", "messages", "late"},
    "resources": {"errors", "messages", "source"},
    "terms": {"source"},
    "kernels": {"errors", "messages", "late", "_core"},
    "syntax": _BASE | {"whole_files", "resources", "terms"},
    "ir": _BASE | {"terms"},
    "columns": _BASE | {"terms", "syntax", "ir"},
    "leaves": _BASE | {"ir"},
    "constraints": _BASE | {"terms", "ir", "leaves"},
    "data": _BASE | {"resources", "ir", "kernels", "columns", "leaves"},
    "trees": _BASE | {"folders", "terms", "ir", "columns", "leaves", "constraints", "data"},
    "cluster": {"errors", "messages", "late"},
    "runner": _BASE | {"cluster", "folders", "whole_files"},
    "resolution": _BASE | {"terms", "syntax", "ir", "columns", "runner", "kernels", "_core"},
    "analysis": _BASE
    | {"folders", "resources", "terms", "syntax", "ir", "columns", "leaves", "constraints"}
    | {"resolution"}
    | {"data", "trees"},
    "lower": _BASE | {"terms", "ir", "resolution"},
    "problem": _BASE | _TABLES,
}
ALLOWED["results"] = _BASE | _TABLES | {"terms", "resolution", "problem", "runner"}
ALLOWED["results"] |= {"folders", "version", "whole_files"}
ALLOWED["engines"] = ALLOWED["results"] | {"syntax", "results", "cluster"}
ALLOWED["learn"] = ALLOWED["engines"] | {"analysis", "lower", "engines"}
ALLOWED["sensitivity"] = ALLOWED["learn"] | {"learn"}
# Rooms that stand on what need not be installed, and are asked for by name
# (`slp.late.optional_module`): nobody imports them.
OPTIONAL = {"swipl", "estimators", "plot", "report", "lsp", "highlight"}
# The specifications see what engines see, and how programs are expanded; the registry of engines
# imports them late, and no other room does.
SPECIFICATIONS = {"reference"}
ALLOWED["reference"] = ALLOWED["learn"]
ALLOWED["swipl"] = ALLOWED["learn"] | {"resources"}
# The pipeline and the public face see every room; the commands, pictures and reports see the public
# names of all of them.
_ALL_ROOMS = set(ALLOWED) - OPTIONAL - SPECIFICATIONS
ALLOWED["compile"] = _ALL_ROOMS
ALLOWED["program"] = _ALL_ROOMS | {"compile"}
ALLOWED["estimators"] = _ALL_ROOMS | {"program"}
ALLOWED["plot"] = _ALL_ROOMS | {"program"}
ALLOWED["report"] = _ALL_ROOMS | {"compile", "program"}
ALLOWED["__init__"] = _ALL_ROOMS | {"compile", "program"}
ALLOWED["highlight"] = set()
ALLOWED["lsp"] = _ALL_ROOMS | {"compile", "program", "__init__"}
ALLOWED["cli"] = _ALL_ROOMS | {"compile", "program", "__init__"}

# `str()` of an error draws it with `slp.source`, which itself needs errors: a late import, and the
# only one against the current.
AGAINST_THE_CURRENT = {("errors", "source")}


def _wrong_arrows(package: Path) -> list[str]:
    wrong = []
    for arrow in all_imports(package):
        ends = ends_of(arrow, package)
        if ends is None or ends[0] == ends[1] or ends in AGAINST_THE_CURRENT:
            continue
        if ends[1] not in ALLOWED.get(ends[0], set()):
            wrong.append(f"{arrow} ({ends[0]} must not import {ends[1]})")
    return wrong


def _reachable(room: str) -> set[str]:
    """Rooms that a room can see through others."""
    seen: set[str] = set()
    todo = [room]
    while todo:
        for below in ALLOWED.get(todo.pop(), set()) - seen:
            seen.add(below)
            todo.append(below)
    return seen


def test_no_import_goes_the_other_way() -> None:
    assert _wrong_arrows(PACKAGE) == []


def test_every_room_is_in_the_table() -> None:
    rooms = {
        path.stem
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path.is_dir() and list(path.glob("*.py")))
    }
    assert rooms == set(ALLOWED)


def test_rooms_in_the_table_stand_below_those_that_import_them() -> None:
    rooms = [*ALLOWED]
    wrong = {
        room: late
        for i, room in enumerate(rooms)
        if (late := ALLOWED[room] - {"_core", *rooms[:i]})
    }
    assert wrong == {}


def test_the_package_docstring_lists_all_rooms_in_their_order() -> None:
    lines = re.findall(r"^    ([a-z_]+(?:, [a-z_]+)*)  +\S", slp.__doc__ or "", re.MULTILINE)
    listed = [room for line in lines for room in line.split(", ")]
    assert listed == [room for room in ALLOWED if room != "__init__"]
    against = {name for arrow in AGAINST_THE_CURRENT for name in arrow}
    assert [name for name in against | OPTIONAL if f"`{name}`" not in (slp.__doc__ or "")] == []


#: The rooms of results, each of which imports those before it; their files beside stand on top.
RESULTS = ["trust", "averages", "record", "saved", "tree_goals"]
ROOMS_WITH_A_MAP = ["engines", "engines/mcmc", "runner", "results"]
ROOMS_WITH_A_MAP += [
    str(file.parent.relative_to(PACKAGE))
    for room in ("resolution", "analysis")
    for file in sorted((PACKAGE / room).rglob("__init__.py"))
]
ROOMS_WITH_A_MAP += [f"results/{room}" for room in RESULTS]


def test_the_rooms_of_results_stand_on_each_other() -> None:
    wrong = []
    for arrow in all_imports(PACKAGE):
        if arrow.file.parts[0] != "results" or len(arrow.file.parts) < 3:
            continue
        target = [*arrow.module.split("."), arrow.name or ""]
        own = RESULTS.index(arrow.file.parts[1])
        if target[:2] == ["slp", "results"] and target[2] not in [*RESULTS[: own + 1], "estimate"]:
            wrong.append(str(arrow))
    assert wrong == []


@pytest.mark.parametrize("folder", ROOMS_WITH_A_MAP)
def test_docstrings_of_packages_name_all_their_modules(folder: str) -> None:
    told = ast.get_docstring(ast.parse((PACKAGE / folder / "__init__.py").read_text("utf-8"))) or ""
    modules = {path.stem for path in (PACKAGE / folder).glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in (PACKAGE / folder).glob("*/__init__.py")}
    assert [name for name in sorted(modules | folders) if f"`{name}`" not in told] == []


def test_the_table_has_no_cycle() -> None:
    assert [room for room in ALLOWED if room in _reachable(room)] == []


def test_engines_never_see_how_a_program_is_checked_or_lowered() -> None:
    assert _reachable("engines").isdisjoint({"analysis", "lower", "swipl"})


#: The files that name modules of `slp.reference`, to import them late.
NAMES_SPECIFICATIONS = {"engines/registry.py", "resolution/tables/solved.py"}


def _uses_of_specifications(package: Path) -> list[str]:
    """Imports of `slp.reference` outside it, and files that name its modules in a string."""
    found = [
        str(arrow)
        for arrow in all_imports(package)
        if arrow.file.parts[0] != "reference"
        and ".".join([arrow.module, *([arrow.name] if arrow.name else [])]).startswith(
            "slp.reference"
        )
    ]
    for file, tree in trees_of_files_with(r"reference\.", package):
        if file.startswith("reference/") or file in NAMES_SPECIFICATIONS:
            continue
        strings = [n for n in ast.walk(tree) if _is_module_name(n)]
        found += [f"slp/{file}:{node.lineno}: {node.value}" for node in strings]  # type: ignore[attr-defined]
    return found


def _is_module_name(node: ast.AST) -> bool:
    value = getattr(node, "value", None)
    return isinstance(value, str) and re.fullmatch(r"(slp\.)?reference(\.\w+)+", value) is not None


def test_specifications_are_imported_late_by_two_files_alone() -> None:
    assert _uses_of_specifications(PACKAGE) == []


def test_the_registry_names_specifications_that_are_there() -> None:
    named = set(registry.PLAIN.values()) | set(registry.ENGINES.values())
    assert [name for name in sorted(named) if importlib.util.find_spec(name) is None] == []
    assert set(registry.PLAIN) <= set(registry.ENGINES)


def _arrows_between_engines(package: Path) -> list[str]:
    """Imports of an engine by another engine, or by what engines share."""
    engines = {path.parent.name for path in (package / "engines").glob("*/engine.py")}
    found = []
    for arrow in all_imports(package):
        ours = arrow.file.parts[1] if arrow.file.parts[0] == "engines" else None
        parts = [*arrow.module.split("."), *([arrow.name] if arrow.name else [])]
        if ours not in engines | {"shared"} or parts[:2] != ["slp", "engines"]:
            continue
        if len(parts) > 2 and parts[2] != ours and parts[2] in engines | {"choose", "run"}:
            found.append(str(arrow))
    return found


def test_no_engine_imports_another_engine() -> None:
    assert len(list((PACKAGE / "engines").glob("*/engine.py"))) > 5
    assert _arrows_between_engines(PACKAGE) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("engines/smc/run.py", "from slp.engines.mcmc.options import TreeChainOptions"),
        ("engines/smc/run.py", "from slp.engines import mcmc"),
        ("engines/shared/sums.py", "def f():\n    late_import('slp.engines.mcmc.sample')"),
        ("engines/shared/sums.py", "from slp.engines.choose import choose"),
    ],
)
def test_the_walk_finds_arrows_between_engines(tmp_path: Path, file: str, text: str) -> None:
    for engine in ("mcmc", "smc"):
        (tmp_path / "engines" / engine).mkdir(parents=True)
        (tmp_path / "engines" / engine / "engine.py").touch()
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    assert len(_arrows_between_engines(tmp_path)) == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("problem/run.py", "from slp.reference.boxes import Geometry"),
        ("engines/smc/run.py", "from slp import reference"),
        ("engines/smc/run.py", "def f():\n    return late_import('slp.reference.search')"),
        ("learn/run.py", "NAME = 'reference.chart'"),
    ],
)
def test_the_walk_finds_uses_of_specifications(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    assert _uses_of_specifications(tmp_path)


def test_nobody_imports_the_commands_or_the_estimators() -> None:
    users = {
        ends[0]
        for arrow in all_imports(PACKAGE)
        if (ends := ends_of(arrow, PACKAGE)) and ends[1] in ("cli", "estimators")
    }
    assert users <= {"cli", "estimators"}


def test_every_public_name_is_there() -> None:
    for file in PACKAGE.rglob("__init__.py"):
        module = importlib.import_module(".".join(("slp", *file.parent.relative_to(PACKAGE).parts)))
        for name in getattr(module, "__all__", ()):
            assert hasattr(module, name), f"{module.__name__}.{name}"


@pytest.mark.parametrize("room", ["cli", "lsp", "plot", "report"])
def test_rooms_at_the_top_use_public_names_only(room: str) -> None:
    private = []
    for arrow in all_imports(PACKAGE):
        parts = arrow.module.split(".")
        if arrow.file.parts[0] != room or parts[0] != "slp" or parts[1:2] in ([room], ["messages"]):
            continue
        public = getattr(importlib.import_module(arrow.module), "__all__", ())
        if len(parts) > 2 or (arrow.name is not None and arrow.name not in public):
            private.append(str(arrow))
    assert private == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("engines/exact/engine.py", "from slp.analysis import check_program"),
        ("engines/exact/engine.py", "def f():\n    import slp.lower.depth_limit"),
        ("engines/exact/engine.py", "def f():\n    late_import('slp.lower.product')"),
        ("results/run.py", "from slp import syntax"),
        ("problem/run.py", "from ..resolution import solve"),
        ("ir/program.py", "from slp.resolution.evaluate import evaluate"),
        ("kernels/__init__.py", "from slp.source import SourceFile"),
        ("errors.py", "import slp.kernels"),
        ("data/table.py", "import slp"),
        ("trees/tree.py", "from slp.cli.check import check"),
        ("new_room/file.py", "import slp.errors"),
    ],
)
def test_the_walk_finds_wrong_arrows(tmp_path: Path, file: str, text: str) -> None:
    for room in ("syntax", "lower", "resolution", "analysis", "kernels", "cli", "errors", "source"):
        (tmp_path / room).mkdir()
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    assert len(_wrong_arrows(tmp_path)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "import numpy",
        "from slp.ir.program import CheckedProgram",
        "from slp.terms import Term",
        "from . import chart",
        "if TYPE_CHECKING:\n    from slp.syntax.ast import Clause",
    ],
)
def test_the_walk_lets_right_arrows_pass(tmp_path: Path, text: str) -> None:
    for room in ("results", "ir", "terms", "syntax"):
        (tmp_path / room).mkdir()
    (tmp_path / "results" / "run.py").write_text(text)
    assert _wrong_arrows(tmp_path) == []
