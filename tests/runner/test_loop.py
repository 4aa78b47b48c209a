"""The loop with a toy engine: schedules, streams, threads, progress, Ctrl-C."""

from __future__ import annotations

import re
import sys
import threading
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slp.budgets.seconds import Deadline
from slp.errors import BudgetError, Diagnostic, SlpWarning, UsageError
from slp.runner import Checkpoint, Json, Phase, RunProgress, RunResult, Schedule, acceptance, run
from slp.source import draw_diagnostic
from tests.clock import Clock
from tests.runner.toy import BlockWalk, Walk, Walker


def test_one_chain_by_hand() -> None:
    """Every second state behind five of warm-up, from the first child of the seed's sequence."""
    have = run(Walk(), Schedule(draws=4, chains=1, warm_up=5, thin=2), seed=3).draws[0]
    engine = Walk()
    rng = np.random.default_rng(np.random.SeedSequence(3).spawn(1)[0])
    state = engine.init(rng)
    places = []
    for i in range(13):
        state, _ = engine.step(rng, state, Phase(i < 5, i + 1))
        places.append(state.place)
    assert have == [[places[i], 5] for i in (6, 8, 10, 12)]


class Long(Walk):
    """A walk with records of a thousand numbers."""

    def record(self, state: Walker) -> Json:
        return list(range(1000, 2000))


def test_draws_are_kept_as_text() -> None:
    """As lists they would take some 36 kB each, as text 5 kB."""
    held: list[int] = []
    tracemalloc.start()
    try:
        schedule = Schedule(draws=300, chains=1, warm_up=0)
        run(
            Long(),
            schedule,
            seed=1,
            progress=lambda now: held.append(tracemalloc.get_traced_memory()[0]),
        )
    finally:
        tracemalloc.stop()
    assert held[-1] - held[0] < 200 * 8_000  # a report comes every 100 draws


def test_adaptation_ends_with_warm_up() -> None:
    result = run(Walk(), Schedule(draws=9, chains=3, warm_up=7), seed=1)
    assert {tuned for draws in result.draws for _, tuned in draws} == {7}
    assert all(sum(tally.values()) == 3 for tally in result.tallies)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_do_not_change_draws(threads: int) -> None:
    schedule = Schedule(draws=1000, chains=3, warm_up=50)
    one = run(Walk(), schedule, seed=5)
    many = run(Walk(), schedule, seed=5, threads=threads)
    assert many.draws == one.draws
    assert many.tallies == one.tallies


def test_chains_have_streams_of_their_own() -> None:
    schedule = Schedule(draws=300, chains=3, warm_up=0)
    a, b, c = run(Walk(), schedule, seed=5).draws
    assert a != b != c != a
    other = run(Walk(), schedule, seed=6).draws
    assert other[0] != a
    fewer = run(Walk(), Schedule(draws=200, chains=2, warm_up=0), seed=5).draws
    assert fewer == [a, b]  # a chain is the same however many there are


@pytest.mark.parametrize("warm_up", [0, 7, 500, 1234])
@pytest.mark.parametrize("thin", [1, 3, 700])
def test_blocks_of_steps_are_steps(warm_up: int, thin: int) -> None:
    schedule = Schedule(draws=5, chains=2, warm_up=warm_up, thin=thin)
    want = run(Walk(), schedule, seed=4)
    engine = BlockWalk()
    have = run(engine, schedule, seed=4, threads=2)
    assert (have.draws, have.tallies) == (want.draws, want.tallies)
    assert max(engine.blocks) <= 500  # Ctrl-C comes between two
    assert sum(engine.blocks) == schedule.steps_of(0) + schedule.steps_of(1)


def test_draws_are_dealt_to_chains() -> None:
    result = run(Walk(), Schedule(draws=5, chains=3, warm_up=1), seed=0)
    assert [len(draws) for draws in result.draws] == [2, 2, 1]
    assert run(Walk(), Schedule(draws=0, chains=2), seed=0).draws == [[], []]


def test_progress() -> None:
    told: list[RunProgress] = []
    result = run(Walk(), Schedule(draws=500, chains=2, warm_up=100), seed=0, progress=told.append)
    assert [p.done for p in told] == [200, 400, 600, 700]
    assert {p.total for p in told} == {700}
    assert told[-1].seconds_left == 0
    assert all(p.seconds_left > 0 for p in told[:-1])
    assert told[-1].acceptance["stroll"] == pytest.approx(2 / 3, abs=0.07)
    assert acceptance(result.tallies[0]).keys() == {"stroll"}


def test_moves_that_proposed_nothing_are_neither_accepted_nor_refused() -> None:
    tally = Counter({("a", "accepted"): 1, ("a", "rejected"): 2, ("a", "failed"): 1})
    tally += Counter({("a", "stayed"): 96, ("b", "stayed"): 5})
    assert acceptance(tally) == {"a": 0.25}


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_what_was_drawn(threads: int) -> None:
    schedule = Schedule(draws=2000, chains=2, warm_up=10)
    want = run(Walk(), schedule, seed=2).draws
    with pytest.warns(SlpWarning) as caught:
        have = run(Walk(interrupt_at=700), schedule, seed=2, threads=threads)
    assert have.interrupted
    n = sum(len(draws) for draws in have.draws)
    assert 600 <= n < 2000
    assert all(a == b[: len(a)] for a, b in zip(have.draws, want, strict=True))
    assert str(caught[0].message) == (
        f"warning[W510]: interrupted: {n} of 2000 draws are there and kept\n"
        "  help: a run with --checkpoint FILE goes on with --resume"
    )


def test_ctrl_c_goes_on_where_there_is_nothing_to_keep() -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Walk(interrupt_at=50), Schedule(draws=3, chains=1, warm_up=100), seed=0)


def test_more_time_than_a_timer_can_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    found = run(
        Walk(), Schedule(draws=5000, chains=2, warm_up=10), seed=4, deadline=Deadline(1e300)
    )
    assert sum(len(draws) for draws in found.draws) == 5000
    assert not faults


@pytest.mark.parametrize("walk", [Walk, BlockWalk])
def test_time_that_is_over_before_the_first_draw(walk: type[Walk]) -> None:
    with pytest.raises(BudgetError) as caught:
        run(
            walk(),
            Schedule(draws=3, chains=1, warm_up=0, thin=10**9),
            seed=0,
            deadline=Deadline(0.1),
        )
    assert re.fullmatch(
        r"error\[E540\]: the time of 0.1 s is over, and nothing was drawn: a chain made [\d,]+ "
        "steps, and its first draw comes after 1,000,000,000\n"
        "  help: give it more time, or smaller `warmup` and `thin` \\(of trees: by effort quick\\)",
        str(caught.value),
    )


def test_time_that_is_over_before_a_chain_begins() -> None:
    with pytest.raises(BudgetError) as caught:
        run(Walk(), Schedule(draws=3, chains=2), seed=0, deadline=Deadline(0))
    assert str(caught.value) == (
        "error[E540]: the time of 0 s was over before the first draw could begin\n"
        "  help: give it more time"
    )


@pytest.mark.slow
@pytest.mark.parametrize("walk", [Walk, BlockWalk])
def test_warm_up_ends_where_half_of_the_time_is_over(walk: type[Walk], tmp_path: Path) -> None:
    """Steps made in it are s of W, and draws come after every s / W of the steps planned: the run
    is one of a schedule that says so. A run with a checkpoint can go on, so there it does not
    end."""
    said: list[Diagnostic] = []

    def with_half_spent(**options: Any) -> RunResult:
        clock = Clock()

        def progress(_: RunProgress) -> None:
            clock.seconds = 500.0

        deadline, told = Deadline(1000, clock), said.append
        planned = Schedule(draws=7, chains=1, warm_up=100_000, thin=5000)
        return run(walk(), planned, 1, deadline=deadline, progress=progress, say=told, **options)

    have = with_half_spent()
    made = have.warm_up_cut
    assert made is not None and 0 < made < 100_000
    assert not have.interrupted and not have.out_of_time
    want = run(walk(), Schedule(draws=7, chains=1, warm_up=made, thin=5000 * made // 100_000), 1)
    assert (have.draws, have.tallies) == (want.draws, want.tallies)
    (found,) = said
    assert draw_diagnostic(found) == (
        f"warning[W543]: half of the time was over in warm-up, which ended after {made:,} steps in "
        "place of 100,000: the draws depend on the clock\n"
        f"  help: run again with --warmup {made} (in Python: warmup={made}), or with more time"
    )
    said.clear()
    kept = with_half_spent(checkpoint=Checkpoint(tmp_path / "run.json"))
    assert kept.warm_up_cut is None and not said


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_time_that_is_over_in_the_search_for_a_start(threads: int, tmp_path: Path) -> None:
    """The search is begun again by a run that goes on: it draws what an uninterrupted one draws."""
    file, schedule = tmp_path / "run.json", Schedule(draws=30, chains=3, warm_up=10)
    with pytest.raises(BudgetError) as caught:
        run(
            Walk(lost=True),
            schedule,
            seed=4,
            threads=threads,
            deadline=Deadline(1),
            checkpoint=Checkpoint(file),
        )
    assert str(caught.value) == (
        "error[E540]: the time of 1 s is over, and nothing was drawn: nowhere to start from was "
        "found\n  help: give it more time, or looser constraints, or go on from the checkpoint"
    )
    found = run(Walk(), schedule, seed=4, checkpoint=Checkpoint(file, resume=True))
    assert found.draws == run(Walk(), schedule, seed=4).draws


def test_an_uninterrupted_run_says_so() -> None:
    assert not run(Walk(), Schedule(draws=3, chains=1, warm_up=0), seed=0).interrupted


@pytest.mark.parametrize(
    ("option", "value", "least", "said"),
    [
        ("draws", -1, 0, "draws is -1"),
        ("draws", True, 0, "draws is True"),
        ("chains", 0, 1, "chains is 0"),
        ("chains", "4", 1, "chains is '4'"),
        ("warm_up", -3, 0, "warmup is -3"),
        ("thin", 0, 1, "thin is 0"),
        ("thin", 1.5, 1, "thin is 1.5"),
    ],
)
def test_impossible_schedules(option: str, value: Any, least: int, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Schedule(**{"draws": 1, option: value})
    want = f"error[E505]: {said}\n  help: take a whole number from {least} up"
    assert str(caught.value) == want


@pytest.mark.parametrize(
    ("option", "most"),
    [("chains", 10_000), ("draws", sys.maxsize), ("warm_up", sys.maxsize), ("thin", sys.maxsize)],
)
def test_schedules_that_cannot_fit(option: str, most: int) -> None:
    Schedule(**{"draws": 1, option: most})
    with pytest.raises(UsageError) as caught:
        Schedule(**{"draws": 1, option: most + 1})
    assert "error[E505]" in str(caught.value) and f"to {most:,}" in str(caught.value)


# --- draws that do not fit ------------------------------------------------------------------------


@pytest.mark.parametrize("engine", [Walk, BlockWalk])
def test_of_draws_that_do_not_fit_one_in_so_many_is_kept(engine: type[Walk]) -> None:
    """Of all chains alike, those at the same places, whatever the number of threads."""
    schedule = Schedule(draws=2000, chains=2, warm_up=10)
    all_draws = run(engine(), schedule, seed=2).draws
    said: list[Diagnostic] = []
    room: dict[str, Any] = {"room": 600.0, "size_of": lambda record: 1, "say": said.append}
    for threads in (1, 2):
        have = run(engine(), schedule, seed=2, threads=threads, **room)
        assert have.draws == [draws[::4] for draws in all_draws]
        assert not have.interrupted
    assert said[0].code == "W544" and said[0].message == (
        "the draws did not fit in the memory, so one in 4 is kept: 500 of 2,000"
    )


def test_chains_of_large_draws_set_the_pace() -> None:
    """The second chain's draws come to twice as much: both keep as few."""
    schedule = Schedule(draws=2000, chains=2, warm_up=10)
    all_draws = run(Walk(), schedule, seed=2).draws
    heavy = {str(record) for record in all_draws[1]} - {str(record) for record in all_draws[0]}
    size_of = lambda record: 2 if str(record) in heavy else 1  # noqa: E731
    have = run(Walk(), schedule, seed=2, room=2100.0, size_of=size_of, say=lambda _: None)
    assert have.draws == [draws[::2] for draws in all_draws]


def test_a_few_draws_are_kept_in_any_case() -> None:
    have = run(
        Walk(), Schedule(300, 2, 0), 2, room=0.0, size_of=lambda record: 1, say=lambda _: None
    )
    assert [len(draws) for draws in have.draws] == [75, 75]


def test_a_run_whose_draws_do_not_fit_goes_on_bit_for_bit(tmp_path: Path) -> None:
    schedule = Schedule(draws=2000, chains=2, warm_up=10)
    room: dict[str, Any] = {"room": 600.0, "size_of": lambda record: 1, "say": lambda _: None}
    want = run(Walk(), schedule, seed=2, **room)
    file = tmp_path / "run.json"
    stopped = run(Walk(interrupt_at=1500), schedule, 2, checkpoint=Checkpoint(file), **room)
    assert stopped.interrupted
    have = run(Walk(), schedule, 2, checkpoint=Checkpoint(file, resume=True), **room)
    assert have.draws == want.draws
