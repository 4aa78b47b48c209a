"""Predictions of many rows at once: against the plain chart, by blocks, threads, memory and
interrupts."""

from __future__ import annotations

import re

import numpy as np
import pytest

import slp
from slp.budgets.seconds import Deadline
from slp.data.table import Table
from slp.engines.exact import CompiledChart
from slp.errors import BudgetError
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.new_rows import distinct_rows, rows_as_numbers
from slp.reference.boxes import Geometry
from slp.reference.chart import Chart, build_forest
from tests.engines.cases import denison, growtree, make_table, numeric

pytestmark = pytest.mark.usefixtures("compiled_kernels")

GIB = 2**30


def medium() -> Table:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 25, (28, 3)).tolist()
    return make_table([numeric(c, 25) for c in "abc"], rows, rng.integers(0, 3, 28).tolist())


def chart(grammar: TreeGrammar, table: Table, memory: int = GIB, threads: int = 1) -> CompiledChart:
    return CompiledChart.of(grammar, table, True, memory, threads=threads)


def numbers(m: int) -> np.ndarray:
    return np.random.default_rng(7).uniform(-1, 26, (m, 3)).astype(np.object_)


PRIORS = (
    ":- use(denison).",
    ":- use(bcart_pcfg).",
    ":- use(growtree).",
    ":- use(growtree_gap).",
    ":- use(gmt).",
    ":- use(pinball).\n:- support(min_leaf(9)).",
    ":- use(growtree).\n:- constraint(max_leaves(4)).",
    ":- use(denison).\n:- support(min_leaf(4)).",
    ":- use(growtree).\n:- failure(condition).\nbox(b, x0, 0.2, 0.6).\n:- constraint(constant(b)).",
)


@pytest.mark.thinned(7)
@pytest.mark.parametrize("text", PRIORS)
@pytest.mark.parametrize("response", ["classes", "numbers"])
def test_many_rows_under_every_prior(text: str, response: str) -> None:
    """More rows than one block holds, some of them equal, some outside the table."""
    rng = np.random.default_rng(3)
    X = rng.random((50, 3))
    y = X[:, 0] + rng.random(50)
    if response == "classes":
        y = np.floor(2 * y).astype(np.int64)
    program = slp.parse(text + "\n:- feature(x1, [bins(quantile, 4)]).\n:- support(max_depth(4)).")
    model = program.compile(np.round(X, 1), y)
    new = np.round(np.random.default_rng(4).uniform(-0.2, 1.2, (70, 3)), 2).astype(np.object_)
    geometry = Geometry(model.grammar, model.table)
    want = Chart(build_forest(model.grammar, geometry, GIB), True).predictions(new)
    for threads in (1, 3):
        have = chart(model.grammar, model.table, threads=threads).predictions(new)
        np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-12)


def test_what_a_row_gets_depends_on_nothing_else() -> None:
    """The same bits alone and among others, by one thread and by several, in blocks of any size."""
    table = medium()
    grammar, rows = denison(table, np.e**2), numbers(45)
    want = chart(grammar, table).predictions(rows)
    assert np.array_equal(chart(grammar, table, threads=4).predictions(rows), want)
    assert np.array_equal(chart(grammar, table).predictions(rows[40:41]), want[40:41])
    total = chart(grammar, table)
    _ = total.log_total
    total.passes._room = total.passes._kept_bytes() + 2**20  # blocks of 32 rows do not fit
    assert np.array_equal(total.predictions(rows), want)


def test_no_rows() -> None:
    table = medium()
    assert chart(growtree(table, 0.9, 1.0, 3), table).predictions(numbers(0)).shape == (0, 3)
    assert list(chart(growtree(table, 0.9, 1.0, 3), table).leaf_mixtures(numbers(0))) == []


@pytest.mark.parametrize("what", ["predictions", "leaf_mixtures", "outside"])
def test_memory_runs_out(what: str) -> None:
    table = medium()
    grammar = denison(table, np.e**2)
    tight = CompiledChart.of(grammar, table, True, GIB, items_wanted=False)
    _ = tight.log_total
    tight.passes._memory = tight.passes._room = tight.passes._kept_bytes() + 1000
    words = {
        "predictions": ("predicting", lambda: tight.predictions(numbers(5))),
        "leaf_mixtures": (
            "following new rows into leaves",
            lambda: list(tight.leaf_mixtures(numbers(5))),
        ),
        "outside": ("following the trees down", lambda: tight.outside()),
    }
    said, run = words[what]
    with pytest.raises(BudgetError) as error:
        run()
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E501"
    assert re.fullmatch(
        rf"the exact engine used up its memory of [0-9.]+ KiB {said}"
        r"; [0-9.]+ KiB hold what was computed before",
        diagnostic.message,
    )
    assert diagnostic.help is not None
    assert diagnostic.help == (
        "give it more memory; fewer cuts, shallower trees or larger leaves make it smaller"
    )


def test_progress_and_interrupts_reach_python() -> None:
    table = medium()
    grammar = denison(table, 2.0)
    phases: list[str] = []

    def stop(boxes: int, phase: str) -> None:
        phases.append(phase)
        if phase.startswith("predicting"):
            raise KeyboardInterrupt

    watched = CompiledChart.of(grammar, table, True, GIB, progress=stop, threads=2)
    with pytest.raises(KeyboardInterrupt):
        watched.predictions(numbers(30))
    assert re.fullmatch(r"predicting, [0-9.]+ [KM]?i?B", phases[-1])


def test_rows_that_no_cut_tells_apart_are_done_once() -> None:
    """Between the values 0, 1, 2 the thresholds are 0.5, 1 and 1.5."""
    table = make_table([numeric("x", 3)], [[0], [1], [2]], [0, 1, 0])
    rows = np.array([[-9.0], [0.4], [0.5], [0.9], [1.0], [1.4], [1.5], [9.0]], np.object_)
    first, which = distinct_rows(table, rows_as_numbers(table, rows))
    assert len(first) == 4
    assert which.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_time_runs_out() -> None:
    table = medium()
    late = chart(denison(table, np.e**2), table)
    _ = late.log_total
    late.passes._deadline = Deadline(0.0)
    with pytest.raises(BudgetError) as error:
        late.predictions(numbers(5))
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E540"
    assert diagnostic.message == "the exact engine used up its time of 0 s predicting"


def test_no_descent_begins_where_the_time_is_over() -> None:
    """Each took a fifth of a second on a program of many states before it looked at the clock."""
    table = medium()
    late = chart(denison(table, np.e**2), table)
    _ = late.log_total
    late.passes._deadline = Deadline(0.0)

    def descent(*_: object) -> tuple[int]:
        raise AssertionError("it began")

    with pytest.raises(BudgetError):
        late.passes.descend("predicting", True, descent)
