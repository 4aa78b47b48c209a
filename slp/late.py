"""Late imports: names of a package (PEP 562), slow modules, and modules of optional rooms. A
command then imports only the modules that it needs.

No other import stands inside a function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

__all__ = ["MODULES", "import_alone", "late_import", "late_names", "optional_module"]

#: All modules that are imported late by name, beside those of the registry of engines
#: (`slp.engines.registry`) and of the commands (`slp.cli`), which have lists of their own.
MODULES = (
    "arviz_base",
    "arviz_stats.base.array",
    "distributed",
    "janus_swi",
    "joblib",
    "matplotlib.pyplot",
    "onnx",
    "onnx.helper",
    "polars",
    "resource",
    "scipy.interpolate",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.sparse.csgraph",
    "scipy.sparse.linalg",
    "scipy.special",
    "slp._core",
    "slp.data.polars_frames",
    "slp.engines.shared.drawing",
    "slp.estimators.export",
    "slp.estimators.onnx",
    "slp.learn.text",
    "slp.lsp",
    "slp.plot",
    "slp.plot.canvas",
    "slp.program.dead_weight",
    "slp.program.learning",
    "slp.program.pricing",
    "slp.program.sensitivity",
    "slp.report",
    "slp.resolution.answers.drawing",
    "slp.results.averages.drawn_trees",
    "slp.results.saved",
    "slp.results.tree_goals.ask",
    "slp.source",
    "slp.swipl.predicates",
    "slp.swipl.prolog",
    "slp.swipl.runs",
    "slp.syntax",
    "slp.syntax.lark_parser",
    "slp.syntax.tokens",
    "slp.whole_files",
)


def late_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package. `modules` has the late names of each module,
    separated by blanks.

    Type checkers do not run this. They need imports under `TYPE_CHECKING` and a literal `__all__`
    beside it, and what runs cannot see the modules in these imports. So the names of a package with
    several modules stand three times; a test compares them.
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def getattr_(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    def dir_() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return getattr_, dir_


def late_import(name: str) -> Any:
    """The module of this name, imported now. For slow modules that few runs need, for modules that
    import their importer, and for those that are named in a list.

    Raises
    ------
    ImportError
        There is no such module.
    """
    return import_module(name)


def import_alone(name: str) -> Any:
    """A copy of a module, without the imports of the packages around it. For a small module in a
    large package. Other importers of these packages are not affected."""
    top = name.partition(".")[0]
    before = {n: module for n, module in sys.modules.items() if n.partition(".")[0] == top}
    for n in before:
        del sys.modules[n]
    try:
        for package in (name[:i] for i, sign in enumerate(name) if sign == "."):
            spec = find_spec(package)
            if spec is None:
                raise ModuleNotFoundError(f"No module named {package!r}", name=package)
            sys.modules[package] = module_from_spec(spec)
        return import_module(name)
    finally:
        for n in [n for n in sys.modules if n.partition(".")[0] == top]:
            del sys.modules[n]
        sys.modules.update(before)


def optional_module(name: str) -> Any:
    """The module `slp.NAME` of a room that needs an optional library, such as `swipl.prolog`. No
    other room depends on it."""
    return import_module(f"slp.{name}")
