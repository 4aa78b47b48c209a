"""The names that packages import late stand in three places: for type checkers under
`TYPE_CHECKING` and in `__all__`, and for programs in `late_names`, which says why. They are the
same."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import slp

PACKAGE = Path(slp.__file__).parent
PACKAGES = [
    path for path in sorted(PACKAGE.rglob("__init__.py")) if "late_names(" in path.read_text()
]
#: Names that other programs look for (IPython), and that are no part of ours.
OF_OTHERS = {"load_ipython_extension"}


def _package(path: Path) -> str:
    return ".".join(path.parent.relative_to(PACKAGE.parent).parts)


def _for_type_checkers(path: Path) -> dict[str, str]:
    """The modules of the names that are imported under TYPE_CHECKING."""
    blocks = (
        node.body
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    imports = [node for body in blocks for node in body if isinstance(node, ast.ImportFrom)]
    return {name.name: node.module or "" for node in imports for name in node.names}


def _for_programs(path: Path) -> dict[str, str]:
    """The modules of the names that `late_names` imports."""
    getattr_ = import_module(_package(path)).__getattr__
    (homes,) = (
        cell.cell_contents for cell in getattr_.__closure__ if isinstance(cell.cell_contents, dict)
    )
    return dict(homes)


@pytest.mark.parametrize("path", PACKAGES, ids=_package)
def test_late_names_are_those_that_type_checkers_see(path: Path) -> None:
    package = import_module(_package(path))
    late = _for_programs(path)
    for name in OF_OTHERS & late.keys():
        assert name not in package.__all__ and late.pop(name)
    assert late == _for_type_checkers(path)
    assert late.keys() <= set(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None
