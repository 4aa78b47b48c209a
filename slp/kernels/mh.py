"""The compiled Metropolis-Hastings sampler, if it is installed.

Entry point: `mh_kernels()`, the extension module with `MHSampler` and `MHState` (`slp/_core.pyi`),
or None.

It has no NumPy version here: its specification is the plain engine, `slp.engines.mcmc.trees`.
"""

from __future__ import annotations

from typing import Any

from slp.kernels import backend
from slp.late import late_import

__all__ = ["mh_kernels"]


def mh_kernels() -> Any | None:
    """The extension with the sampler; None where the reference kernels run."""
    if backend() != "compiled":
        return None
    core = late_import("slp._core")

    return core if hasattr(core, "MHSampler") else None
