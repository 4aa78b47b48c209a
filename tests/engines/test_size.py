"""The estimated number of boxes and items, against what a pass goes through."""

from __future__ import annotations

import contextlib
import signal
import time

import numpy as np
import pytest

import slp
from slp.budgets.seconds import Deadline
from slp.engines.exact.passes import Passes
from slp.engines.shared.size import ROUGH, estimate_size, size_for, size_of
from slp.errors import BudgetError
from slp.results.record.size import Size

pytestmark = pytest.mark.usefixtures("compiled_kernels")

GIB = 2**30
TOTAL = 0  # in the core's enumeration of quantities

PROGRAMS = (
    (":- use(denison).", 0.15),
    (":- use(growtree).", 0.5),
    (":- use(denison).\n:- support(min_leaf(5)).", 0.4),
    (":- use(denison).\n:- support(max_depth(3)).", 0.6),
    (":- use(denison).\n:- constraint(forbid(x1)).", 0.15),
    (":- use(growtree).\n:- constraint(max_leaves(6)).", 0.6),
    (":- use(denison).\n:- constraint(first(x2)).", 0.4),
)


def data(levels: bool = False) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.random((70, 3)).astype(object)
    if levels:
        X[:, 2] = rng.choice(list("pqrst"), 70)
    return X, rng.integers(0, 2, 70)


def passes_of(text: str, levels: bool = False, **options: float) -> tuple[Passes, Size]:
    categorical = ":- feature(x2, [categorical]).\n" * levels
    program = slp.parse(f"{text}\n{categorical}:- feature(_, [bins(quantile, 7)]).")
    model = program.compile(*data(levels))
    size = estimate_size(model)
    assert size is not None
    return Passes(model.grammar, model.table, GIB, **options), size


@pytest.mark.thinned(4)
@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize(("text", "error"), PROGRAMS)
def test_the_estimate_is_near_the_number(text: str, error: float, levels: bool) -> None:
    passes, size = passes_of(text, levels)
    # With scaled numbers, as those passes go item by item whatever the grammar.
    run = passes.engine.make_pass(TOTAL, False, True, 0, 2, GIB, 1)
    run.run(None)
    items = run.statistics()["items"]
    assert items * (1 - error) < size.items < items * (1 + error)
    assert size.boxes <= passes.engine.most_boxes()
    assert not size.at_least


def test_the_same_each_time() -> None:
    assert passes_of(":- use(growtree).")[1] == passes_of(":- use(growtree).")[1]


def test_a_full_grid_is_counted_exactly() -> None:
    X = np.array([(a, b) for a in range(5) for b in range(4)])
    model = slp.parse(":- use(denison).").compile(X, X[:, 0] % 2)
    passes = Passes(model.grammar, model.table, GIB)
    assert passes.engine.most_boxes() == 15 * 10
    size = estimate_size(model)
    assert size is not None and 140 < size.boxes <= 150


@pytest.mark.slow
def test_the_features_of_a_wide_table_are_not_counted_to_the_end() -> None:
    X = np.random.default_rng(1).integers(0, 2, (60, 4000))
    model = slp.load("growtree_all").compile(X, X[:, 0])
    size = size_for(model, 1e12, 1e12)
    assert size is not None and size.at_least and size.in_boxes.startswith("more than ")
    posterior = slp.load("growtree_all").posterior(X, X[:, 0], engine="best", time=4, seed=1)
    assert posterior.engine == "search" and "how many more is not known" in posterior.reason


def test_words() -> None:
    assert str(Size(88123.0, 88123.0, 1e6, 3_701_166, 0.02)) == "about 88,000 boxes, 3.5 MiB"
    words = "about 300 boxes, 9,000 pairs of box and state, 457.0 KiB"
    assert str(Size(300.0, 9000.0, 1e5, 468_000, 0.02)) == words
    large = Size(2.5e18, 2.5e18, 1e20, 10**20, 0.1, at_least=True)
    assert str(large) == "far too large (10^18 boxes)"


def test_explain_says_the_size() -> None:
    text = slp.parse(":- use(denison). :- feature(_, [bins(quantile, 7)]).").explain(*data())
    *_, line, algorithm = text.splitlines()
    assert line.startswith("One exact pass: about ") and line.endswith("iB (estimate).")
    assert algorithm.startswith("It goes by interval blocks: ")


TWO_RULES = ":- start(t). 0.5 :: t --> leaf. "


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TWO_RULES + "0.5 :: t --> { rows(N), N > 3 }, split(_, _), t, t.", "rows of the box"),
        (
            TWO_RULES + "0.3 :: t --> split(x0, _), t, t. 0.2 :: t --> split(x1, _), t, t.",
            "allow different splits",
        ),
        (
            TWO_RULES + "0.3 :: t --> split(_, _, all), t, t. 0.2 :: t --> split(_, _, gap), t, t.",
            "different measures",
        ),
        (
            "box(b, x0, -inf, 1). :- constraint(majority(b, '1')). :- start(s). 1 :: s --> t. "
            "0.5 :: t --> leaf. 0.5 :: t --> split(_, _), s, s.",
            "needs a majority",
        ),
    ],
)
def test_explain_says_why_a_pass_goes_item_by_item(text: str, reason: str) -> None:
    found = slp.parse(text).explain(*data()).replace("\n", " ")
    assert "It goes item by item" in found and reason in found
    assert reason not in slp.parse(":- use(growtree).").explain(*data())


@pytest.mark.parametrize(("n", "reason"), [(5, "reached in few"), (6, "the measure `partition`")])
def test_interval_blocks_take_partition_up_to_32_share_classes(n: int, reason: str) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (40, n)).astype(float), rng.integers(0, 2, 40)
    once = " ".join(f":- constraint(once(x{j}))." for j in range(n))
    found = slp.parse(f":- use(bcart_pcfg). {once}").explain(X, y).replace("\n", " ")
    assert "It goes item by item" in found and reason in found


def test_explain_says_binary_feature_blocks() -> None:
    X = np.random.default_rng(0).integers(0, 2, (40, 5)).astype(float)
    assert "It goes by binary-feature blocks" in slp.parse(":- use(denison).").explain(
        X, X[:, 0] > 0
    )


def test_time_runs_out() -> None:
    """The size is estimated roughly, as nothing may take long any more."""
    passes, _ = passes_of(":- use(denison).", deadline=Deadline(0.0))
    grammar, table, *_ = passes._made_of
    size = size_of(passes.engine, grammar, table, ROUGH)
    with pytest.raises(BudgetError) as error:
        passes.get("total", True, "items")
    (found,) = error.value.diagnostics
    assert found.code == "E540"
    start = "the exact engine used up its time of 0 s summing over all trees: "
    assert found.message.startswith(start)
    assert f" boxes are done of {size} (estimate); the log evidence is certainly " in found.message
    assert error.value.log_evidence_bounds is not None


def test_an_estimate_can_be_interrupted() -> None:
    """On a wide table the least that tells anything takes a while: a signal is answered within."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (1500, 2000)).astype(float), rng.integers(0, 2, 1500)
    model = slp.parse(":- use(denison).").compile(X, y)
    engine = Passes(model.grammar, model.table, GIB).engine

    class AlarmError(Exception):
        pass

    def ring(*_: object) -> None:
        raise AlarmError

    def seconds() -> float:
        started = time.process_time()
        with contextlib.suppress(AlarmError):
            engine.estimate_boxes(2e5, 1)
        return time.process_time() - started

    whole = seconds()
    before = signal.signal(signal.SIGVTALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, whole / 8)
        assert seconds() < 0.75 * whole
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
