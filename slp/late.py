"""Names of a package that are imported when they are first used (PEP 562): a command waits for the
modules that it needs, and for no others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["late_names"]


def late_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package; `modules` says where each of its late names is."""

    def getattr_(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    def dir_() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return getattr_, dir_
