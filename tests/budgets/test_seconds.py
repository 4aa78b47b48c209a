"""Durations as text, and runs with a time limit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

import slp
from slp.budgets.seconds import Deadline, check_time, format_seconds, held, parse_seconds
from slp.errors import BudgetError, SlpWarning, UsageError
from slp.source import draw_diagnostic
from tests.clock import Clock


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(90, 90), (0.5, 0.5), ("90", 90), ("90s", 90), ("5m", 300), ("1.5 h", 5400), ("2min", 120)],
)
def test_lengths_of_time(text: float | str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "3x", "-1s", "1e400", True])
def test_what_is_no_length_of_time(text: float | str) -> None:
    with pytest.raises(UsageError) as error:
        parse_seconds(text)
    assert str(error.value) == (
        f"error[E542]: {text!r} is not a length of time\n"
        "  help: write a number of seconds, or a time such as 90s, 5m or 2h"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (3, "3 s"),
        (12.34, "12.3 s"),
        (60, "1 min"),
        (200, "3 min 20 s"),
        (7500, "2 h 5 min"),
    ],
)
def test_times_in_words(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return rng.random((n, 6)), rng.integers(0, 2, n)


def test_the_chart_ends_with_its_time() -> None:
    with pytest.raises(BudgetError) as error:
        slp.parse(":- use(denison).").posterior(*table(60), engine="chart", time=0.5)
    (found,) = error.value.diagnostics
    assert found.code == "E540" and found.help == "give it more time, or take the compiled kernels"
    assert found.message.startswith("the engine chart used up its time of 0.5 s ")
    assert found.message.endswith(" boxes are done")


def test_exact_ends_with_its_time(compiled_kernels: object) -> None:
    with pytest.raises(BudgetError) as error:
        slp.parse(":- use(denison).").posterior(*table(150), engine="exact", time=0.5, threads=2)
    (found,) = error.value.diagnostics
    assert found.code == "E540" and found.help is not None
    start = "the exact engine used up its time of 0.5 s summing over all trees: "
    assert found.message.startswith(start) and "; the log evidence is certainly" in found.message
    assert re.fullmatch(
        r"give it more time(: a whole summary takes .* \(estimate\))?; "
        "(it would fit with `:- .*|no change of cuts, depth or leaves alone was found that makes "
        "it fit)",
        found.help,
    )
    low, high = error.value.log_evidence_bounds or (0.0, 0.0)
    assert low < high


@pytest.mark.slow
def test_chains_keep_what_they_drew_when_their_time_is_over() -> None:
    with pytest.warns(SlpWarning) as caught:
        posterior = slp.parse(":- use(growtree).").posterior(
            *table(30), engine="mh", draws=10_000_000, warmup=10, thin=1, seed=1, time=4
        )
    n = len(posterior.draws)
    assert posterior.interrupted and posterior.out_of_time and 0 < n < 10_000_000
    (found,) = [w.message.diagnostic for w in caught if isinstance(w.message, SlpWarning)]
    more = 16  # four times the time
    told, _, remedy = draw_diagnostic(found).partition("\n")
    start = f"warning[W541]: the time of 4 s is over: {n} of 10000000 draws are there"
    wrong = "; ".join(posterior.diagnostics.warnings)
    assert told == start + (f"; not converged, do not use the numbers: {wrong}" if wrong else "")
    assert remedy == (
        f"  help: run again with --time {more}s (in Python: time={more}), or go on from a "
        "checkpoint"
    )
    assert all(draw.log_likelihood < 0 for draw in posterior.draws[:5])


# --- one deadline from the beginning to the end --------------------------------------------------


def test_a_deadline_runs_rests_and_keeps_some_seconds() -> None:
    clock = Clock()
    deadline = Deadline(100, clock)
    early = deadline.before(30)
    clock.seconds = 50
    assert (deadline.left(), early.left(), deadline.over()) == (50, 20, False)
    early.keep(60)
    assert (deadline.left(), early.left(), early.over()) == (50, 0, True)
    deadline.pause()
    clock.seconds = 500
    assert deadline.left() == 50
    with early.working(), deadline.working():
        clock.seconds = 520
    clock.seconds = 900
    assert deadline.left() == 30
    assert Deadline(None, clock).left() == math.inf and not Deadline(None, clock).over()


def test_what_works_far_below_asks_for_the_deadline_that_is_held() -> None:
    clock = Clock()
    with held(Deadline(5, clock)):
        check_time("lowering the program")
        clock.seconds = 6
        with pytest.raises(BudgetError) as error:
            check_time("lowering the program")
    check_time("lowering the program")  # none is held
    (found,) = error.value.diagnostics
    assert (found.code, found.message) == (
        "E540",
        "the time of 5 s is over lowering the program",
    )


def test_reading_and_lowering_take_of_the_time() -> None:
    clock = Clock()
    deadline = Deadline(5, clock)
    clock.seconds = 6
    with pytest.raises(BudgetError, match="the time of 5 s is over reading the table"):
        slp.parse(":- use(growtree).").posterior(*table(10), time=deadline)


def until_summing(clock: Clock, seconds: float) -> Callable[[int, str], None]:
    """Progress that makes so much time pass while the engine sums."""

    def progress(_: int, phase: str) -> None:
        if phase.startswith("summing over all trees") and not phase.endswith("done"):
            clock.seconds = max(clock.seconds, seconds)

    return progress


def grid(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two features of n values: some n^4 / 4 boxes."""
    rng = np.random.default_rng(2)
    return rng.integers(0, n, (300, 2)), rng.integers(0, 2, 300)


@pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")
def test_auto_goes_on_with_draws_when_exact_does_not_end(compiled_kernels: object) -> None:
    clock = Clock()
    posterior = slp.parse(":- use(growtree).").posterior(
        *grid(40),
        time=Deadline(900, clock),
        progress=until_summing(clock, 700),
        draws=40,
        warmup=100,
        thin=5,
        seed=1,
    )
    assert posterior.engine == "mh" and len(posterior.draws) == 40
    assert posterior.reason.startswith(
        "exact sums did not end in their share of the time of 15 min, so the rest of it went into "
        "draws: the answer depends on the clock"
    )
    assert posterior.choice.by_clock
    low, high = posterior.choice.log_evidence_bounds
    assert low < high < 0


def test_an_exact_engine_that_was_asked_for_gives_what_it_knows(compiled_kernels: object) -> None:
    clock = Clock()
    with pytest.raises(BudgetError) as caught:
        slp.parse(":- use(growtree).").posterior(
            *grid(40),
            engine="exact",
            time=Deadline(900, clock),
            progress=until_summing(clock, 890),
        )
    known = caught.value.known
    assert known.choice.engine == "exact"
    assert known.log_evidence_bounds == caught.value.log_evidence_bounds
    assert known.best is not None and not known.best.certified
    assert known.best.tree.n_leaves >= 1 and known.best.log_joint < 0


@pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")
def test_chains_whose_warm_up_the_time_ended_say_so() -> None:
    clock = Clock()

    def progress(_: int, phase: str) -> None:
        clock.seconds = 500.0

    posterior = slp.parse(":- use(growtree).").posterior(
        *table(12),
        engine="mh",
        draws=8,
        warmup=10**9,
        thin=10**6,
        seed=1,
        time=Deadline(900, clock),
        progress=progress,
    )
    assert len(posterior.draws) == 8 and not posterior.out_of_time
    assert posterior.choice.by_clock
    assert re.fullmatch(
        "asked for; warm-up ended after [0-9,]+ steps, as half of the time was over: the answer "
        "depends on the clock",
        posterior.reason,
    )


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["following the trees down", "following the features"])
def test_uses_of_features_say_what_is_missing(compiled_kernels: object, phase: str) -> None:
    """Boxes that were all summed are not set against an estimate of them."""
    clock = Clock()

    def progress(boxes: int, now: str) -> None:
        if now.startswith(phase):
            clock.seconds = 800.0

    posterior = slp.parse(":- use(growtree).").posterior(
        *grid(40), engine="exact", time=Deadline(900, clock), progress=progress, draws=0
    )
    n = posterior._result.averages.distribution.passes._n_items  # type: ignore[attr-defined]
    with pytest.raises(BudgetError) as caught:
        posterior.split_probabilities()
    (found,) = caught.value.diagnostics
    start = f"the exact engine used up its time of 15 min {phase}"
    assert found.message.startswith(start) and found.help is not None
    if phase == "following the features":
        how_far = f": all {n:,} boxes were summed, how features are used is missing"
        assert found.message.startswith(start + how_far)
        assert found.help.startswith("give it more time: a whole summary ")


def test_chains_that_drew_nothing_yet_give_the_tree_they_are_at() -> None:
    with pytest.raises(BudgetError) as caught:
        slp.parse(":- use(growtree).").posterior(
            *table(12), engine="mh", draws=10, warmup=0, thin=10**15, seed=1, time=1
        )
    known = caught.value.known
    assert known.choice.engine == "mh" and known.log_evidence_bounds is None
    assert known.best is not None and known.best.log_joint < 0
