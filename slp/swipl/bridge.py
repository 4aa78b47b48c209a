"""The bridge to SWI-Prolog: janus, and calls of predicates of `slp/swipl/engine.pl`. No other file
uses janus.

Importing janus starts SWI-Prolog, so janus is imported when a program is first loaded. Python and
Prolog exchange terms as flat lists of atoms and numbers (`slp.swipl.flat_terms`), never as text.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import get_ident
from typing import Any, TypeAlias

from slp.errors import UnsupportedError
from slp.late import late_import
from slp.messages.proofs import JANUS_DOES_NOT_START, NO_JANUS
from slp.resources import prolog_library

#: The data types of janus: numbers, strings (atoms) and lists of them.
Data: TypeAlias = Any


@cache
def _janus() -> Any:
    """The module janus_swi, with the Prolog code of this package loaded.

    Raises
    ------
    UnsupportedError
        E260 if it cannot be imported, E261 if SWI-Prolog does not start.
    """
    if "janus_swi" not in sys.modules:  # already there if SWI-Prolog started this Python
        _check_installed()
    janus_swi = late_import("janus_swi")

    janus_swi.consult(str(prolog_library() / "engine.pl"))
    _home.append(get_ident())
    return janus_swi


#: The thread in which SWI-Prolog was started. Each other thread needs a Prolog engine of its own.
_home: list[int] = []


def _check_installed() -> None:
    """Try to start janus in another process. With a wrong SWI-Prolog, janus would end this
    process."""
    if find_spec("janus_swi") is None:
        raise UnsupportedError(NO_JANUS())
    # Not in the current folder: Python looks there first, and a foreign file could be there.
    trial = subprocess.run([sys.executable, "-P", "-c", "import janus_swi"], capture_output=True)
    if trial.returncode != 0:
        raise UnsupportedError(JANUS_DOES_NOT_START(system=_prolog_on_path()))


def _prolog_on_path() -> str:
    swipl = shutil.which("swipl")
    if swipl is None:
        return "SWI-Prolog, as there is no `swipl` on the PATH"
    said = subprocess.run([swipl, "--version"], capture_output=True, text=True).stdout
    return said.partition(" for ")[0].strip() or "the `swipl` on the PATH"


def call(predicate: str, *args: Data) -> Data:
    """The last argument of a predicate of the engine, given the arguments before it."""
    janus = _janus()
    if get_ident() in _home:
        return janus.apply_once("slp_engine", predicate, *args)
    janus.attach_engine()
    try:
        return janus.apply_once("slp_engine", predicate, *args)
    finally:
        janus.detach_engine()


def consult(path: Path) -> str | None:
    """Load a Prolog file into the module `user`, again if it has changed. Returns the error
    message, or None."""
    said = call("slp_consult", str(path.resolve()))
    return None if said == "done" else " ".join(said.split())
