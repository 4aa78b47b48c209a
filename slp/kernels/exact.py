"""The compiled exact engine, if it is installed.

Entry points: `exact_kernels()`, the extension module with `ExactProblem`, `ExactEngine` and
`ExactPass` (`slp/_core.pyi`), or None; `N_CORES`, how many threads use all cores.

This engine has no NumPy version here: its reference is the plain chart, `slp.engines.chart`.
"""

from __future__ import annotations

import os
from typing import Any

from slp.kernels import backend
from slp.late import late_import

__all__ = ["N_CORES", "exact_kernels"]

#: Cores that this process may use.
N_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def exact_kernels() -> Any | None:
    """The extension with the exact engine; None where the reference kernels run."""
    if backend() != "compiled":
        return None
    core = late_import("slp._core")

    return core if hasattr(core, "ExactEngine") else None
