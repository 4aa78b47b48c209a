"""The compiled numerical routines, behind one facade.

Entry points: `code_values`, `code_by_cuts`, `merge_rows`, `lay_out_ensemble`, and `backend()`,
which names what runs them: the C++ core (`slp._core`, from `native/`) or, where that is missing,
the NumPy reference (`slp.kernels.reference`), with one `SlpWarning` at the first use. Both give the
same results. The environment variable `SLP_KERNELS=reference` asks for the reference, without a
warning.

The facade brings arrays into the one layout that kernels take and checks what they rely on. It sees
NumPy and `slp.errors` only. Dimension letters: n rows, d features, m distinct rows, c cuts; of
ensembles U trees, N nodes and K leaves of all trees together, m rows, q numbers of each leaf.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slp.errors import UsageError, warn
from slp.kernels import reference
from slp.late import late_import
from slp.messages.inference import NO_COMPILED_KERNELS, UNKNOWN_KERNELS

__all__ = [
    "EnsembleKernel",
    "backend",
    "code_by_cuts",
    "code_values",
    "lay_out_ensemble",
    "merge_rows",
]

Backend = Literal["compiled", "reference"]
Code = TypeVar("Code", bound=np.integer[Any])

_VARIABLE = "SLP_KERNELS"
_MOST_ROWS = 2**31 - 1  # codes are int32, and a column may have one code for each row
_CODES = (np.uint8, np.uint16, np.int32)


class EnsembleKernel(Protocol):
    """Trees that many rows are sent down at once: see `lay_out_ensemble`. Rows, shape (m, d), and
    all that goes with them are float64 and C-contiguous; leaves are numbered from 0, one tree after
    the other. The number of threads does not change the results.
    """

    def shapes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The number of leaves and the depth of each tree, int64, shape (U,), and how often it
        splits on each feature, int64, shape (U, d)."""
        ...

    def leaves(self, rows: NDArray[np.float64], threads: int, /) -> NDArray[np.int64]:
        """The leaf that each row ends in under each tree, int64, shape (U, m); -1 where a split
        does not say the row's side."""
        ...

    def sums(
        self, statistics: NDArray[np.float64], rows: NDArray[np.float64], threads: int, /
    ) -> NDArray[np.float64]:
        """Sum of the statistics, shape (m, k), of the rows that end in each leaf, shape (K, k)."""
        ...

    def average(
        self,
        values: NDArray[np.float64],
        weights: NDArray[np.float64],
        rows: NDArray[np.float64],
        threads: int,
        /,
    ) -> NDArray[np.float64]:
        """Sum over the trees of weight, shape (U,), times the values of the leaf that a row
        ends in, shape (K, q): shape (m, q); NaN of a row whose side some split does not say."""
        ...


class _Kernels(Protocol):
    """What both backends offer: C-contiguous arrays of exactly these types in and out."""

    def code_values(
        self, column: NDArray[np.float64], /
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...

    def code_by_cuts(
        self, column: NDArray[np.float64], cuts: NDArray[np.float64], /
    ) -> NDArray[np.int32]: ...

    def merge_rows(
        self, rows: NDArray[np.uint8], /
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...

    def Ensemble(  # noqa: N802 (a class)
        self,
        features: NDArray[np.int32],
        operands: NDArray[np.float64],
        others: NDArray[np.float64],
        starts: NDArray[np.int64],
        levels: NDArray[np.bool_],
        /,
    ) -> EnsembleKernel: ...


def backend() -> Backend:
    """Which kernels run in this process: `"compiled"` or `"reference"`.

    Warns
    -----
    SlpWarning
        W590, once in a process, if the compiled kernels are missing and `SLP_KERNELS` is not set.

    Raises
    ------
    UsageError
        The environment variable `SLP_KERNELS` says something that is not known (E590).
    """
    return _choose_kernels()[0]


def code_values(x: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Code a numeric column by its distinct values.

    Parameters
    ----------
    x : float64, shape (n,). No NaN; infinities are values like others, minus zero is zero.

    Returns
    -------
    values : float64, shape (m,), strictly increasing.
    codes : int32, shape (n,), with `values[codes] == x`.
    """
    return _choose_kernels()[1].code_values(_column(x))


def code_by_cuts(x: ArrayLike, cuts: ArrayLike) -> NDArray[np.int32]:
    """Code a numeric column by declared cuts.

    Parameters
    ----------
    x : float64, shape (n,). No NaN.
    cuts : float64, shape (c,), strictly increasing. No NaN.

    Returns
    -------
    codes : int32, shape (n,), each the number of cuts <= the value, in 0..c; so code i says
        `cuts[i-1] <= value < cuts[i]`.
    """
    cuts = _column(cuts)
    if not np.all(cuts[:-1] < cuts[1:]):
        raise ValueError("cuts must be strictly increasing")
    return _choose_kernels()[1].code_by_cuts(_column(x), cuts)


def merge_rows(
    codes: NDArray[Code],
) -> tuple[NDArray[Code], NDArray[np.int64], NDArray[np.int64]]:
    """Merge rows that are equal in every feature.

    Parameters
    ----------
    codes : uint8, uint16 or int32, shape (n, d). Without features (d = 0) all rows are equal.

    Returns
    -------
    distinct : of the same type, shape (m, d), the distinct rows in the order in which they first
        appear; `codes` itself where all rows are distinct.
    row_of : int64, shape (n,), with `distinct[row_of] == codes`.
    counts : int64, shape (m,), how many rows each distinct row stands for; they sum to n.
    """
    if codes.ndim != 2 or codes.dtype not in _CODES:
        raise ValueError(
            f"codes must be uint8, uint16 or int32 (n, d), not {codes.dtype} {codes.shape}"
        )
    n, d = codes.shape
    octets = np.ascontiguousarray(codes).view(np.uint8).reshape(n, d * codes.dtype.itemsize)
    first, row_of, counts = _choose_kernels()[1].merge_rows(octets)
    return codes if len(first) == n else codes[first], row_of, counts


def lay_out_ensemble(
    features: NDArray[np.int32],
    operands: NDArray[np.float64],
    others: NDArray[np.float64],
    starts: NDArray[np.int64],
    levels: Sequence[bool],
) -> EnsembleKernel:
    """Lay finished trees out flat.

    Parameters
    ----------
    features : int32, shape (N,). Of each node in preorder, tree after tree, its feature; -1 of a
        leaf.
    operands : float64, shape (N,). The threshold below which a row goes left, or, of a feature with
        levels, the code that equals it; of a leaf anything.
    others : float64, shape (N,). The code that goes right where this test says no side of any third
        one, else NaN.
    starts : int64, shape (U + 1,). Where each tree starts, and N.
    levels : of each of the d features whether it has levels.
    """
    if len(features) and not -1 <= features.min() <= features.max() < len(levels):
        raise ValueError(f"features must be -1 to {len(levels) - 1}")
    # Subtrees that still follow each node: none at the end of a tree, otherwise at least one.
    owed = np.cumsum(np.where(features < 0, -1, 1)) + np.repeat(
        np.arange(1, len(starts)), np.diff(starts)
    )
    ends = starts[1:] - 1
    if (np.diff(starts) < 1).any() or not np.array_equal(np.flatnonzero(owed < 1), ends):
        raise ValueError("trees must be nodes in preorder")
    flags = np.array(levels, np.bool_)
    return _choose_kernels()[1].Ensemble(features, operands, others, starts, flags)


def _column(x: ArrayLike) -> NDArray[np.float64]:
    """A column (n,) in the layout and with the properties that kernels rely on."""
    column = np.ascontiguousarray(x, dtype=np.float64)
    if column.ndim != 1 or len(column) > _MOST_ROWS or np.isnan(column).any():
        raise ValueError(f"a column must be of shape (n,), n < 2**31, without NaN: {column.shape}")
    return column


@cache
def _choose_kernels() -> tuple[Backend, _Kernels]:
    """The kernels of this process, chosen at the first use."""
    wish = os.environ.get(_VARIABLE, "")
    if wish == "reference":
        return "reference", reference
    if wish:
        raise UsageError(UNKNOWN_KERNELS(variable=_VARIABLE, value=wish))
    try:
        core: _Kernels = late_import("slp._core")
    except ImportError as reason:
        warn(NO_COMPILED_KERNELS(reason=reason))
        return "reference", reference
    return "compiled", core
