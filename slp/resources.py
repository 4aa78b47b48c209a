"""Finds the files that the package contains besides its code: grammars and library priors.

Entry points: `grammar_text`, `grammar_tables`, `prior_names`, `prior_file`, `prior_path`,
`prolog_library`, `table_clauses`, `demo_folder`. In a checkout (also an editable install) grammars
and priors are in `grammars/` and `priors/` next to `slp/`. A wheel has the same folders as
`slp/_data/grammars` and `slp/_data/priors`, and the first example as `slp/_data/demo`.
"""

from __future__ import annotations

from pathlib import Path

from slp.errors import ProgramError
from slp.messages.names import name_help
from slp.messages.sources import NO_LIBRARY_PRIOR
from slp.source import SourceFile

__all__ = [
    "demo_folder",
    "grammar_tables",
    "grammar_text",
    "prior_file",
    "prior_names",
    "prior_path",
    "prolog_library",
    "table_clauses",
]

_PACKAGE = Path(__file__).resolve().parent
_IN_WHEEL = _PACKAGE / "_data"
_ROOT = _IN_WHEEL if _IN_WHEEL.is_dir() else _PACKAGE.parent


def grammar_text(name: str) -> str:
    """Text of the Lark grammar `name`, as in `grammars/<name>.lark`."""
    return (_ROOT / "grammars" / f"{name}.lark").read_text(encoding="utf-8")


def grammar_tables(name: str) -> bytes | None:
    """The parser's tables for a grammar, made when slp was built. A checkout and an installation
    without a compiler have none."""
    path = _ROOT / "grammars" / f"{name}.tables"
    return path.read_bytes() if path.exists() else None


def prolog_library() -> Path:
    """The folder of Prolog files. Its file `slp.pl` is `library(slp)` of SWI-Prolog."""
    return _PACKAGE / "swipl"


def demo_folder() -> Path:
    """The folder of the first example: a program and its table."""
    return _IN_WHEEL / "demo" if _ROOT == _IN_WHEEL else _ROOT / "examples" / "demo"


def table_clauses() -> str:
    """The clauses about boxes and splits that are added to a program expanded on a table."""
    return (_PACKAGE / "analysis" / "expansion" / "table.slp").read_text(encoding="utf-8")


def prior_names() -> list[str]:
    """Names of the library priors, sorted."""
    return sorted(path.stem for path in (_ROOT / "priors").glob("*.slp"))


def prior_file(name: str) -> SourceFile:
    """The program of the library prior `name`. Messages call it `priors/<name>.slp` wherever it is.

    Raises
    ------
    ProgramError
        There is no such prior (E003); the help names the nearest one, or all.
    """
    known = prior_names()
    if name not in known:
        raise ProgramError(NO_LIBRARY_PRIOR(name=name, help=name_help(name, known, "prior")))
    text = _prior(name).read_text(encoding="utf-8")
    return SourceFile(f"priors/{name}.slp", text)


def prior_path(file: SourceFile) -> Path | None:
    """Where a library prior is, of a file that `prior_file` gave; None for other files."""
    path = _prior(Path(file.name).stem)
    return path if file.folders.own is None and file.name == f"priors/{path.name}" else None


def _prior(name: str) -> Path:
    return _ROOT / "priors" / f"{name}.slp"
