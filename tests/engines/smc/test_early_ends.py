"""Runs of the engine `smc` that end early keep the islands that are done; what can be resumed."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.compile import compile_problem
from slp.engines.smc.compiled import CompiledParticleFilter
from slp.engines.smc.options import FilterLimits
from slp.engines.smc.sample import filter_sampler
from slp.errors import BudgetError, SlpWarning, UsageError
from slp.messages.inference import OR_MODAL
from slp.reference.smc.filter import ParticleFilter
from slp.runner.chain import Chain
from tests.results.filled import filler_of

GROWTREE = ":- use(growtree)."
#: The sum of its weights is not 1, so islands are run without likelihood too.
DENISON = ":- use(denison, [phi = 3])."
ISLANDS = 12


def frame() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 4, 12), rng.integers(0, 3, 12)
    return pl.DataFrame({"a": a, "b": b, "y": np.where(a + rng.normal(size=12) > 1.5, "q", "p")})


def filtered(text: str, **options: Any) -> slp.Posterior:
    """With one thread, islands are run one after the other, and each is told."""
    how = {"seed": 1, "particles": 100, "islands": ISLANDS, "draws": 120, "threads": 1, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(text).posterior(frame(), engine="smc", **how)


def control_c_after(islands: int) -> Callable[[int, str], None]:
    """Progress that hits Ctrl-C when so many islands are done."""
    told: list[int] = []

    def progress(done: int, phase: str) -> None:
        told.append(done)
        if len(told) == islands:
            raise KeyboardInterrupt

    return progress


def test_after_control_c_the_islands_that_are_done_give_evidence_and_draws() -> None:
    whole, have = filtered(GROWTREE), filtered(GROWTREE, progress=control_c_after(7))
    assert have.interrupted and not have.out_of_time
    logs = [np.logaddexp.reduce(own) for own in filler_of(whole).run.log_weights[:7]]
    want = np.logaddexp.reduce(logs) - np.log(7)
    error = np.std(np.exp(logs - want), ddof=1) / np.sqrt(7)
    assert have.log_evidence == pytest.approx(want, rel=1e-12)
    assert have.log_evidence_error == pytest.approx(error, rel=1e-9)
    assert "7 of 12 islands were done" in (have.evidence_note or "")
    assert [d.tree for d in have.draws] == [d.tree for d in whole.draws if d.chain < 7]
    assert have.expected_leaves_error() > 0
    assert "ended early" not in (whole.evidence_note or "")


def test_fewer_than_four_islands_tell_no_evidence_but_give_draws() -> None:
    have = filtered(GROWTREE, progress=control_c_after(3))
    assert have.log_evidence is None and "4 islands" in have.no_evidence
    assert {d.chain for d in have.draws} == {0, 1, 2}


@pytest.mark.parametrize(("made", "known"), [(2, False), (5, True)])
def test_control_c_while_islands_run_without_likelihood(made: int, known: bool) -> None:
    whole, have = filtered(DENISON), filtered(DENISON, progress=control_c_after(ISLANDS + made))
    assert have.interrupted
    assert list(have.draws) == list(whole.draws)
    assert (have.log_evidence is not None) == known
    note = "5 of 12 islands without likelihood were done"
    assert (note in (have.evidence_note or "")) == known
    assert whole.log_evidence is not None and not whole.interrupted


def test_control_c_before_any_of_them_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    advance = ParticleFilter.advance

    def interrupted(self: ParticleFilter, *rest: Any) -> Any:
        if not self.base.target.power:
            raise KeyboardInterrupt
        return advance(self, *rest)

    monkeypatch.setattr("slp.engines.smc.sample.why_not_of_one_prior", lambda _: "is not asked")
    monkeypatch.setattr(ParticleFilter, "advance", interrupted)
    have = filtered(DENISON, particles=10)
    assert have.interrupted and not have.out_of_time
    assert have.log_evidence is None and len(have.draws) > 0


def time_over_after(steps: int, monkeypatch: pytest.MonkeyPatch) -> BudgetError:
    """The error of a run whose time is over when its first island has made so many steps."""
    advance = Chain.advance

    def stopped(self: Chain[Any], n: int, stop: threading.Event) -> None:
        advance(self, steps, stop)
        stop.set()

    monkeypatch.setattr(Chain, "advance", stopped)
    monkeypatch.setattr("slp.engines.smc.compiled._DECISIONS", 1)  # a step a block
    with pytest.raises(BudgetError) as caught:
        filtered(GROWTREE, time="1h")
    return caught.value


@pytest.mark.parametrize("kernels", ["compiled", "reference"])
def test_where_no_island_is_done_the_best_whole_particle_is_told(
    kernels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kernels == "reference":
        monkeypatch.setattr("slp.engines.smc.sample.why_not_of_one_prior", lambda _: "is not asked")
    error = time_over_after(3, monkeypatch)
    (found,) = error.diagnostics
    assert found.code == "E540" and found.help is not None and found.help.endswith(OR_MODAL)
    said = r"the furthest island made 3 steps and is not done, and (\d+) particles of those begun"
    told = re.search(said, found.message)
    assert told is not None and 0 < int(told[1]) < 100
    known = error.known
    assert known.sooner == "modal" and not known.best.certified
    exact = slp.parse(GROWTREE).posterior(frame(), engine="exact", draws=0)
    tree = known.best.tree
    want = exact.log_prior(tree) + exact.log_likelihood(tree)
    assert tree.n_leaves <= 2 and known.best.log_joint == pytest.approx(want, rel=1e-12)


def test_where_no_particle_is_whole_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CompiledParticleFilter, "draws", lambda self, state: [])
    error = time_over_after(1, monkeypatch)
    assert "made 1 steps and is not done, and no particle is a whole tree" in str(error)
    assert error.known.best is None and error.known.sooner == "modal"


@pytest.mark.parametrize(
    ("what", "options"),
    [
        ("number of draws of each island", {"draws": 240}),
        ("number of islands", {"islands": 24, "draws": 240}),
        ("number of particles", {"particles": 101}),
        ("proposal", {"proposal": "optimal"}),
        ("order", {"order": "layer"}),
        ("resampling", {"resampling": "residual"}),
        ("ess", {"ess": 0.25}),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(
    what: str, options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    filtered(GROWTREE, checkpoint=path, progress=control_c_after(2))
    with pytest.raises(UsageError, match=re.escape(f"another {what}")):
        filtered(GROWTREE, checkpoint=path, resume=True, **options)


def test_as_many_draws_of_each_island_can_be_resumed(tmp_path: Path) -> None:
    """109 draws of 12 islands are 10 of each, as 120 are."""
    path = tmp_path / "run.json"
    filtered(GROWTREE, checkpoint=path, progress=control_c_after(2))
    have = filtered(GROWTREE, checkpoint=path, resume=True, draws=109)
    assert list(have.draws) == list(filtered(GROWTREE).draws)


@pytest.mark.usefixtures("compiled_kernels")
def test_the_core_has_one_copy_of_the_table_under_max_leaves() -> None:
    problem = compile_problem(slp.parse(f"{GROWTREE} :- constraint(max_leaves(3)).").ir, frame())
    limits = FilterLimits(kept=1, room=1 << 30)
    both = [filter_sampler(problem, limits, likelihood) for likelihood in (True, False)]
    assert both[0].base.engine is both[1].base.engine is problem.sampling_core
    assert "core" not in vars(problem)
