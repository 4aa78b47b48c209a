"""Entry points of the commands `slp` and `slp-sample`.

This module is outside the package `slp`, because an import inside it imports `slp` first: half a
second in which Ctrl-C would show a traceback.
"""

import sys
from importlib import import_module

__all__ = ["main", "sample_main"]

_INTERRUPTED = 130


def main() -> None:
    """Entry point of `slp`."""
    _enter("main")


def sample_main() -> None:
    """Entry point of `slp-sample`."""
    _enter("sample_main")


def _enter(name: str) -> None:
    try:
        getattr(import_module("slp.cli"), name)()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(_INTERRUPTED)
