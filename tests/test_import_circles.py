"""No files import each other in a circle, and rooms inside rooms stand in an order."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.arrows import PACKAGE, all_arrows

#: Rooms inside a room, each of which imports only those before it.
INNER = {
    "resolution": ["machine", "boxes", "proofs", "tables", "answers"],
    "analysis": ["sources", "declarations", "clauses", "derivations", "consistency", "on_table"],
}
INNER["analysis"] += ["expansion"]

#: Arrows of the circles that stay. `Tree` is a page whose methods lead to the room's functions,
#: which take trees: it asks for their late names.
NAMED = {("slp.trees.tree", "slp.trees")}

#: Arrows for types alone of circles that stay, where each type is rightly made of the other.
NAMED_TYPES = {
    ("slp.errors", "slp.source"),  # a diagnostic has a place, and a place draws diagnostics
    ("slp.messages.entry", "slp.source"),
    ("slp.ir.program", "slp.trees.tree"),  # a prior of edits has a tree, which a program checks
    ("slp.ir.program", "slp.trees.reading"),  # or the text of one
    ("slp.trees.tree", "slp.trees.check"),  # what its methods return
    ("slp.trees.tree", "slp.trees.differences"),
    ("slp.resolution.machine.loop", "slp.resolution.machine.clauses"),  # each calls the other
    ("slp.program.program", "slp.program.learning"),  # a program learns a program
}


def _module(file: Path) -> str:
    """The dotted name of a file of the package."""
    parts = ("slp", *file.with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(*, types: bool = False) -> dict[str, set[str]]:
    """The modules that each module imports when it is imported; with those for `types` alone, which
    of a package are its late names."""
    modules = {_module(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")}
    found: dict[str, set[str]] = {module: set() for module in modules}
    for arrow in all_arrows(PACKAGE):
        own = types and arrow.file.name != "__init__.py"
        if arrow.when == "file" or (own and arrow.when == "types"):
            inner = f"{arrow.module}.{arrow.name}"
            found[_module(arrow.file)].add(inner if inner in modules else arrow.module)
    return {module: (targets & modules) - {module} for module, targets in found.items()}


@pytest.mark.parametrize("types", [False, True])
def test_no_files_import_each_other_in_a_circle(types: bool) -> None:
    arrows, named = _imported(types=types), NAMED | NAMED_TYPES if types else NAMED
    assert [(file, target) for file, target in named if target not in arrows[file]] == []
    for file, target in named:
        arrows[file].remove(target)
    try:
        list(TopologicalSorter(arrows).static_order())
    except CycleError as e:
        pytest.fail(" -> ".join(e.args[1]))


@pytest.mark.parametrize("room", INNER)
def test_rooms_inside_a_room_import_those_before_them(room: str) -> None:
    order = {f"slp.{room}.{name}": i for i, name in enumerate(INNER[room])}
    folders = {path.parent.name for path in (PACKAGE / room).glob("*/__init__.py")}
    assert folders == {*INNER[room]}

    def place(module: str) -> int | None:
        return order.get(".".join(module.split(".")[:3]))

    wrong = [
        f"{module} -> {target}"
        for module, targets in _imported().items()
        if (own := place(module)) is not None
        for target in targets
        if (other := place(target)) is not None and other > own
    ]
    assert wrong == []
