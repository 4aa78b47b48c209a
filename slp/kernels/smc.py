"""The compiled particle filter, if it is installed.

Entry point: `smc_kernels()`, the extension module with `SMCSampler` and `SMCIsland`
(`slp/_core.pyi`), or None.

It has no NumPy version here: its specification is the plain filter, `slp.engines.smc.filter`.
"""

from __future__ import annotations

from typing import Any

from slp.kernels import backend
from slp.late import late_import

__all__ = ["smc_kernels"]


def smc_kernels() -> Any | None:
    """The extension with the filter; None where the reference kernels run."""
    if backend() != "compiled":
        return None
    core = late_import("slp._core")

    return core if hasattr(core, "SMCSampler") else None
