"""The compiled kernels are held to the NumPy reference: equal arrays, types and shapes."""

from __future__ import annotations

import sys
import threading
import time
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from slp.kernels import reference

_SETTINGS = settings(max_examples=100, deadline=None, derandomize=True)
# Ties, both zeros, neighbours in floating point, and infinities are drawn often.
_NUMBERS = st.one_of(
    st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 5e-324, 0.1, np.nextafter(0.1, 1), 1e308, np.inf]),
    st.floats(allow_nan=False),
)
_COLUMNS = arrays(np.float64, st.integers(0, 30), elements=_NUMBERS)
_TABLES = arrays(
    np.int32,
    array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=8),
    elements=st.integers(0, 2),
)


def _assert_same(have: NDArray[np.generic], want: NDArray[np.generic]) -> None:
    assert have.dtype == want.dtype
    np.testing.assert_array_equal(have, want, strict=True)


def _assert_all_same(
    have: tuple[NDArray[np.generic], ...], want: tuple[NDArray[np.generic], ...]
) -> None:
    assert len(have) == len(want)
    for a, b in zip(have, want, strict=True):
        _assert_same(a, b)


@_SETTINGS
@given(column=_COLUMNS)
def test_code_values(compiled_kernels: ModuleType, column: NDArray[np.float64]) -> None:
    have = compiled_kernels.code_values(column)
    _assert_all_same(have, reference.code_values(column))
    _assert_same(np.signbit(have[0]), have[0] < 0)  # no minus zero


@_SETTINGS
@given(column=_COLUMNS, cuts=_COLUMNS)
def test_code_by_cuts(
    compiled_kernels: ModuleType, column: NDArray[np.float64], cuts: NDArray[np.float64]
) -> None:
    cuts = np.unique(cuts)
    _assert_same(compiled_kernels.code_by_cuts(column, cuts), reference.code_by_cuts(column, cuts))


@_SETTINGS
@given(table=_TABLES)
def test_merge_rows(compiled_kernels: ModuleType, table: NDArray[np.int32]) -> None:
    _assert_rows_merge_alike(compiled_kernels, table)


@pytest.mark.parametrize("decimals", [0, 2, 16])
def test_large_random_columns(compiled_kernels: ModuleType, decimals: int) -> None:
    column = np.random.default_rng(1).normal(size=50_000).round(decimals)
    cuts = np.unique(column[:100])
    _assert_all_same(compiled_kernels.code_values(column), reference.code_values(column))
    _assert_same(compiled_kernels.code_by_cuts(column, cuts), reference.code_by_cuts(column, cuts))


@pytest.mark.parametrize(("d", "levels"), [(1, 3), (4, 8), (20, 2), (6, 100_000)])
def test_large_random_tables(compiled_kernels: ModuleType, d: int, levels: int) -> None:
    table = np.random.default_rng(2).integers(levels, size=(20_000, d), dtype=np.int32)
    _assert_rows_merge_alike(compiled_kernels, table)


def _assert_rows_merge_alike(compiled_kernels: ModuleType, table: NDArray[np.int32]) -> None:
    for kind in (np.uint8, np.uint16, np.int32):
        if table.size and table.max() > np.iinfo(kind).max:
            continue
        rows = table.astype(kind).view(np.uint8).reshape(len(table), -1 if table.size else 0)
        have, want = compiled_kernels.merge_rows(rows), reference.merge_rows(rows)
        _assert_all_same(have, want)


def random_nodes(rng: np.random.Generator, splits: int) -> list[tuple[int, float, float]]:
    """A tree in preorder on two numeric features and one of three levels, some of whose tests have
    two."""
    if splits == 0:
        return [(-1, 0.0, np.nan)]
    left = int(rng.integers(splits))
    feature = int(rng.integers(3))
    operand = float(rng.integers(3)) if feature == 2 else round(rng.normal(), 1)
    sides = random_nodes(rng, left) + random_nodes(rng, splits - 1 - left)
    pair = feature == 2 and rng.random() < 0.1
    return [(feature, operand, (operand + 1) % 3 if pair else np.nan), *sides]


@pytest.mark.parametrize("threads", [1, 3])
def test_random_forests(compiled_kernels: ModuleType, threads: int) -> None:
    rng = np.random.default_rng(4)
    trees = [random_nodes(rng, int(n)) for n in rng.integers(0, 30, 300)]
    nodes = [node for tree in trees for node in tree]
    laid_out = (
        np.array([f for f, _, _ in nodes], np.int32),
        np.array([x for _, x, _ in nodes]),
        np.array([y for _, _, y in nodes]),
        np.cumsum([0, *map(len, trees)]),
        np.array([False, False, True]),
    )
    have, want = compiled_kernels.Ensemble(*laid_out), reference.Ensemble(*laid_out)
    rows = rng.normal(size=(1000, 3)).round(1)
    rows[:, 2] = rng.integers(-1, 3, 1000)
    _assert_all_same(have.shapes(), want.shapes())
    _assert_same(have.leaves(rows, threads), want.leaves(rows, threads))
    statistics = rng.integers(0, 9, (1000, 2)).astype(np.float64)
    sums = want.sums(statistics, rows, threads)
    _assert_same(have.sums(statistics, rows, threads), sums)
    shares = rng.dirichlet(np.ones(len(trees)))
    averages = (ensemble.average(sums, shares, rows, threads) for ensemble in (have, want))
    np.testing.assert_allclose(*averages, rtol=1e-12)


def test_results_own_their_memory(compiled_kernels: ModuleType) -> None:
    column = np.array([2.0, 1.0, 2.0])
    values, codes = compiled_kernels.code_values(column)
    column[:] = 7.0
    values[0] = 9.0
    assert (values.tolist(), codes.tolist()) == ([9.0, 2.0], [1, 0, 1])


def test_the_interpreter_lock_is_released(compiled_kernels: ModuleType) -> None:
    """Another thread goes on while a kernel runs. The switch interval is so long that the
    interpreter would not let it in by itself."""
    column = np.random.default_rng(3).normal(size=1_500_000)
    turns: list[float] = []
    done = threading.Event()

    def count_turns() -> None:
        while not done.is_set():
            turns.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=count_turns)
    interval = sys.getswitchinterval()
    try:
        sys.setswitchinterval(60.0)
        other.start()
        start = time.perf_counter()
        compiled_kernels.code_values(column)
        end = time.perf_counter()
    finally:
        sys.setswitchinterval(interval)
        done.set()
        other.join()
    assert any(start + 0.005 < t < end for t in turns), (start, end, turns)
