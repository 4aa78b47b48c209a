"""The compiled exact engine: a chart over (box, state) in C++ that keeps one number for each item.

Entry points: `CompiledChart` (a `TreeDistribution`; its `outside` gives an `Outside`),
`estimate_size` (how large a problem is before it is run), and `compiled_is_there()`.
The plain chart, `slp.engines.chart`, is its specification.
"""

from __future__ import annotations

from slp.engines.exact.distribution import CompiledChart
from slp.engines.exact.size import estimate_size, size_for
from slp.kernels.compiled import compiled_core

__all__ = [
    "CompiledChart",
    "compiled_is_there",
    "estimate_size",
    "size_for",
]


def compiled_is_there() -> bool:
    """Whether this installation has the compiled engine (and the reference was not chosen)."""
    return compiled_core() is not None
