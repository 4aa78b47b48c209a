"""The facade of the kernels: its promises for either backend, its refusals, and its choice of a
backend."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import slp.kernels as kernels
from slp.errors import SlpWarning, UsageError


@pytest.fixture(autouse=True)
def _choose_afresh() -> Iterator[None]:
    kernels._choose_kernels.cache_clear()
    yield
    kernels._choose_kernels.cache_clear()


@pytest.fixture(params=["reference", "compiled"])
def chosen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test on both backends, through the facade."""
    if request.param == "compiled":
        request.getfixturevalue("compiled_kernels")
        monkeypatch.delenv("SLP_KERNELS", raising=False)
    else:
        monkeypatch.setenv("SLP_KERNELS", "reference")
    assert kernels.backend() == request.param
    return str(request.param)


def test_code_values(chosen: str) -> None:
    values, codes = kernels.code_values([2.5, -np.inf, 2.5, np.inf, -1.0])
    assert values.tolist() == [-np.inf, -1.0, 2.5, np.inf]
    assert codes.tolist() == [2, 0, 2, 3, 1]
    assert values.dtype == np.float64 and codes.dtype == np.int32


def test_minus_zero_is_zero(chosen: str) -> None:
    values, codes = kernels.code_values([-0.0, 0.0])
    assert values.tolist() == [0.0] and not np.signbit(values[0])
    assert codes.tolist() == [0, 0]


def test_code_by_cuts_counts_the_cuts_not_above_the_value(chosen: str) -> None:
    codes = kernels.code_by_cuts([0.5, 1.0, 1.5, 2.0, np.inf], [1.0, 2.0])
    assert codes.tolist() == [0, 1, 1, 2, 2]
    assert codes.dtype == np.int32
    assert kernels.code_by_cuts([0.5, 7.0], []).tolist() == [0, 0]


@pytest.mark.parametrize("kind", ["uint8", "uint16", "int32"])
def test_merge_rows_in_order_of_appearance(chosen: str, kind: str) -> None:
    table = np.array([[3, 1], [0, 0], [3, 1], [0, 2], [3, 1]], kind)
    distinct, row_of, counts = kernels.merge_rows(table)
    assert distinct.tolist() == [[3, 1], [0, 0], [0, 2]]
    assert row_of.tolist() == [0, 1, 0, 2, 0]
    assert counts.tolist() == [3, 1, 1]
    assert [a.dtype.name for a in (distinct, row_of, counts)] == [kind, "int64", "int64"]


@pytest.mark.parametrize(("n", "d", "m"), [(4, 0, 1), (0, 3, 0), (0, 0, 0)])
def test_merge_rows_of_tables_without_rows_or_features(chosen: str, n: int, d: int, m: int) -> None:
    distinct, row_of, counts = kernels.merge_rows(np.zeros((n, d), np.int32))
    assert distinct.shape == (m, d)
    assert row_of.tolist() == [0] * n
    assert counts.tolist() == [n] * m


def test_any_layout_is_taken(chosen: str) -> None:
    table = np.arange(12, dtype=np.int32).reshape(3, 4)
    distinct, _, _ = kernels.merge_rows(table.T[::2])
    assert distinct.tolist() == table.T[::2].tolist()
    values, codes = kernels.code_values(np.array([3, 0, 1, 0])[::2])
    assert (values.tolist(), codes.tolist()) == ([1.0, 3.0], [1, 0])


def laid_out(
    trees: list[list[tuple[int, float, float]]], levels: list[bool]
) -> kernels.EnsembleKernel:
    """Trees by their nodes: feature, operand and other."""
    nodes = np.array([node for tree in trees for node in tree], np.float64).reshape(-1, 3)
    features, operands, others = map(np.ascontiguousarray, nodes.T)
    starts = np.cumsum([0, *map(len, trees)])
    return kernels.lay_out_ensemble(features.astype(np.int32), operands, others, starts, levels)


def test_rows_go_down_a_forest(chosen: str) -> None:
    """A leaf; then `x0 < 2` and, right of it, `x1 = 1`, a level."""
    leaf = -1, 0.0, np.nan
    trees = [[leaf], [(0, 2.0, np.nan), leaf, (1, 1.0, np.nan), leaf, leaf]]
    ensemble = laid_out(trees, [False, True])
    leaves, depth, splits = ensemble.shapes()
    assert (leaves.tolist(), depth.tolist()) == ([1, 3], [0, 2])
    assert splits.tolist() == [[0, 0], [1, 1]]
    rows = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 0.0], [2.0, -1.0]])
    assert ensemble.leaves(rows, 2).tolist() == [[0, 0, 0, 0], [1, 2, 3, 3]]
    statistics = np.array([[1.0], [2.0], [4.0], [8.0]])
    assert ensemble.sums(statistics, rows, 2).tolist() == [[15.0], [1.0], [2.0], [12.0]]
    values = np.array([[4.0, 0.0], [0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
    have = ensemble.average(values, np.array([0.25, 0.75]), rows, 2)
    assert have.tolist() == [[1.0, 0.75], [1.0, 1.5], [1.0, 2.25], [1.0, 2.25]]


@pytest.mark.parametrize(
    "trees",
    [
        [[(0, 1.0)]],
        [[(0, 1.0), (-1, 0.0)]],
        [[(-1, 0.0), (-1, 0.0)]],
        [[]],
        [[(-1, 0.0)], []],
        [[(-1, 0.0), (0, 1.0)], [(-1, 0.0)]],
        [[(1, 1.0), (-1, 0.0), (-1, 0.0)]],
        [[(-2, 1.0)]],
    ],
)
def test_what_is_no_tree_is_refused(trees: list[list[tuple[int, float]]]) -> None:
    with pytest.raises(ValueError, match=r"^(trees|features) must be"):
        laid_out([[(*node, np.nan) for node in tree] for tree in trees], [False])


def test_a_third_level_has_no_leaf(chosen: str) -> None:
    """`x0 = 1`, else 0."""
    leaf = -1, 0.0, np.nan
    ensemble = laid_out([[(0, 1.0, 0.0), leaf, leaf], [leaf]], [True])
    rows = np.array([[1.0], [0.0], [2.0], [-1.0]])
    assert ensemble.leaves(rows, 1).tolist() == [[0, 1, -1, -1], [2, 2, 2, 2]]
    values = np.array([[4.0], [8.0], [2.0]])
    have = ensemble.average(values, np.array([0.5, 0.5]), rows, 1)
    assert have[:2].tolist() == [[3.0], [5.0]]
    assert np.isnan(have[2:]).all()


def test_what_kernels_rely_on_is_checked() -> None:
    with pytest.raises(ValueError, match="without NaN"):
        kernels.code_values([1.0, np.nan])
    with pytest.raises(ValueError, match="shape"):
        kernels.code_values([[1.0]])
    with pytest.raises(ValueError, match="strictly increasing"):
        kernels.code_by_cuts([1.0], [2.0, 2.0])
    with pytest.raises(ValueError, match="int32"):
        kernels.merge_rows(np.zeros((2, 2)))  # type: ignore[arg-type]


def test_an_unknown_wish_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLP_KERNELS", "refrence")
    with pytest.raises(UsageError) as caught:
        kernels.backend()
    assert str(caught.value) == (
        "error[E590]: the environment variable SLP_KERNELS is 'refrence', which is not known\n"
        "  help: set SLP_KERNELS=reference for the NumPy kernels, or leave it unset"
    )


def test_missing_kernels_are_said_once_at_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLP_KERNELS", raising=False)
    monkeypatch.setitem(sys.modules, "slp._core", None)  # makes its import fail
    with pytest.warns(SlpWarning) as caught:
        assert kernels.code_values([2.0, 1.0])[1].tolist() == [1, 0]
    assert str(caught[0].message) == (
        "warning[W590]: the compiled kernels are missing, so slower ones in NumPy run"
        " (import of slp._core halted; None in sys.modules)\n"
        "  help: install a C++20 compiler, then slp again:"
        " pip install --force-reinstall --no-cache-dir ."
    )
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kernels.backend() == "reference"


def test_importing_the_toolkit_warns_of_nothing() -> None:
    program = "import sys; sys.modules['slp._core'] = None; import slp, slp.kernels"
    run = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
