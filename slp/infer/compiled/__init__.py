"""The compiled exact engine: a chart over (box, state) in C++ that keeps one number for each item.

Entry points: `CompiledChart` (a `slp.infer.distribution.TreeDistribution`; its `outside` gives an
`Outside`), `estimate_size` (how large a problem is before it is run), and `compiled_is_there()`.
The plain chart, `slp.infer.exact`, is its specification.
"""

from __future__ import annotations

from slp.infer.compiled.distribution import CompiledChart
from slp.infer.compiled.outside import Outside
from slp.infer.compiled.size import MOST_SPLITS, Size, estimate_size, size_for
from slp.kernels.exact import exact_kernels

__all__ = [
    "MOST_SPLITS",
    "CompiledChart",
    "Outside",
    "Size",
    "compiled_is_there",
    "estimate_size",
    "size_for",
]


def compiled_is_there() -> bool:
    """Whether this installation has the compiled engine (and nobody asked for the reference)."""
    return exact_kernels() is not None
