"""The compiled engines, if they are installed.

Entry points: `compiled_core()`, the extension module (`slp/_core.pyi`), or None; `N_CORES`, how
many threads use all cores.

The engines have no NumPy version here. Their specifications are in `slp.reference`.
"""

from __future__ import annotations

import os
from typing import Any

from slp.kernels import backend
from slp.late import late_import

#: Cores that this process may use.
N_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compiled_core() -> Any | None:
    """The extension; None where the reference kernels run. Python has no type for a module and the
    names in it; the stub of the extension types what is made of it (`slp._core.ExactEngine`)."""
    return late_import("slp._core") if backend() == "compiled" else None
