"""Chains over proofs that SWI-Prolog makes: invariance, the same draws as in Python, and safety."""

from __future__ import annotations

import gc
import math
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import chisquare

import slp
from slp.budgets.seconds import Deadline
from slp.engines import ProofChainOptions
from slp.engines.mcmc import proposals
from slp.engines.mcmc.proofs import sample_proofs
from slp.engines.mcmc.proposals import CutAtEach, CutAtRoot, CutUniformly
from slp.errors import SlpError, UnsupportedError
from slp.messages.proofs import NO_JANUS
from slp.resolution import DEFAULT_LIMITS, Limits, Query
from slp.swipl import bridge, prolog
from slp.swipl.prolog import PrologProgram
from slp.swipl.runs import PrologRuns
from tests.engines.mcmc.proofs.tiny import CASES, Case, Space, space_of
from tests.swipl.resolution.test_safety import GOALS

TOLERANCE = 1e-12
COIN = "0.6 :: coin(h).\n0.4 :: coin(t).\n"

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.fixture(autouse=True)
def _needs_janus(janus: ModuleType) -> None:
    """Skip or fail where SWI-Prolog is missing."""


def _in_prolog(query: Query) -> PrologRuns:
    return PrologRuns(PrologProgram(query.program), query, DEFAULT_LIMITS)


@cache
def prolog_space(case: Case) -> Space:
    return Space(case, _in_prolog)


def sampled(text: str, goal: str, *args: object, **options: object) -> slp.SampledProofs:
    told = {"seed": 3, "engine": "prolog", "draws": 40, "warmup": 10, **options}
    return slp.parse(text).sample_proofs(goal, *args, **told)  # type: ignore[arg-type]


# --- what is drawn from -------------------------------------------------------------------------


@every_case
def test_every_proposal_leaves_the_target_invariant(case: Case) -> None:
    """By the transition matrices of the code that runs, all outcomes of chance tried."""
    space = prolog_space(case)
    for proposal, turns in ((CutUniformly(), 1), (CutAtRoot(), 1), (CutAtEach(4), 4)):
        assert all(space.drift(proposal, turn) < TOLERANCE for turn in range(turns))


@every_case
def test_proofs_and_their_probabilities_are_those_of_python(case: Case) -> None:
    have, want = prolog_space(case), space_of(case)
    assert [have.answer(d) for d in have.proofs] == [want.answer(d) for d in want.proofs]
    assert [d.choices for d in have.proofs] == [d.choices for d in want.proofs]
    np.testing.assert_allclose(have.probability, want.probability, rtol=1e-12)


def test_numbers_of_choice_points_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "log_count_ratio", lambda new, old: 0.0)
    assert max(prolog_space(case).drift(CutUniformly()) for case in CASES) > 1e-3


def test_draws_have_the_probabilities_of_the_query_times_the_likelihood() -> None:
    """Far apart, so that they are all but independent. It errs once in 10,000; the seed is
    fixed."""
    text = COIN + "two(X, Y) :- coin(X), coin(Y), \\+ (X = t, Y = t).\nfit(h, 0).\nfit(t, 1.5).\n"
    found = sampled(text, "two(X, Y)", "fit(Y, LogLikelihood)", draws=800, thin=12)
    weights = {("h", "h"): 0.36, ("h", "t"): 0.24 * math.exp(1.5), ("t", "h"): 0.24}
    have = Counter(tuple(d.values()) for d in found.draws)
    want = [800 * w / math.fsum(weights.values()) for w in weights.values()]
    assert have.keys() == weights.keys()
    assert chisquare([have[k] for k in weights], want).pvalue > 1e-4


def test_a_seed_draws_what_it_draws_in_python() -> None:
    """A likelihood that is a function, one that is a goal, and none."""
    text = "0.5 :: n(0).\n0.5 :: n(N) :- n(M), N is M + 1.\nfit(N, F) :- F is 2 * log(N + 1).\n"
    for likelihood in (None, "fit(N, LogLikelihood)", lambda answer: math.sqrt(answer["N"])):
        both = [
            sampled(text, "n(N)", likelihood, engine=engine, proposal="q_uc:0.5,q_n(3),q_ind")
            for engine in ("python", "prolog")
        ]
        assert [f.engine for f in both] == ["python", "prolog"]
        assert both[0].draws == both[1].draws
        assert len({d["N"] for d in both[1].draws}) > 3


def test_runs_that_are_laid_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that uses up its budget begins anew, and tells nothing twice."""
    text = COIN + "p(X, I) :- between(1, 30, I), coin(X), I mod 10 =:= 0.\n"
    whole = sampled(text, "p(X, I)").draws
    monkeypatch.setattr(prolog, "_FIRST_BUDGET", 100)
    assert sampled(text, "p(X, I)").draws == whole


def test_a_run_that_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    text = COIN + "many(L) :- coin(A), coin(B), coin(C), L = [A, B, C].\n"
    whole = sampled(text, "many(L)", draws=48)
    sampled(text, "many(L)", draws=16, checkpoint=file)
    assert sampled(text, "many(L)", draws=48, checkpoint=file, resume=True).draws == whole.draws
    with pytest.raises(SlpError, match="engine"):
        sampled(text, "many(L)", draws=48, checkpoint=file, resume=True, engine="python")


def test_the_libraries_of_prolog_with_leave() -> None:
    text = "0.5 :: word(ab).\n0.5 :: word(abcd).\n"
    text += "long(W) :- word(W), prolog(sub_atom(W, 2, _, _, c)).\n"
    assert {d["W"] for d in sampled(text, "long(W)", allow_code=True).draws} == {"abcd"}
    goal = "prolog((atom_length(W, N), LogLikelihood is 100 * N))"
    assert {d["W"] for d in sampled(text, "word(W)", goal, allow_code=True).draws} == {"abcd"}


# --- limits and leave ---------------------------------------------------------------------------


def test_endless_proofs_are_left_out() -> None:
    text = "0.5 :: p(a).\n0.5 :: p(b) :- endless.\nendless :- endless.\n"
    with pytest.warns(slp.SlpWarning, match="W250.*after 10000 inferences"):
        found = sampled(text, "p(X)", limits=Limits(inferences=10_000))
    assert {d["X"] for d in found.draws} == {"a"}


def test_an_endless_likelihood_ends() -> None:
    text = "p(a).\nendless(X) :- endless(X).\n"
    with pytest.raises(SlpError, match="E214.*after 10000 inferences"):
        sampled(text, "p(X)", "endless(LogLikelihood)", limits=Limits(inferences=10_000))


@pytest.mark.parametrize("goal", GOALS)
def test_goals_that_break_out_are_refused(goal: str, tmp_path: Path) -> None:
    """In the goal, in the program, and as a likelihood, which is proved for each answer."""
    seen, file = tmp_path / "seen", tmp_path / "file.pl"
    file.write_text(f":- initialization(shell('touch {seen}')).\n")
    goal = goal.format(seen=seen, file=file)
    likelihood = f"({goal}), LogLikelihood = 0"
    limits = Limits(inferences=10_000)
    for text, asked, fits in (
        (COIN, f"coin(X), {goal}", None),
        (COIN + f"p(X) :- coin(X), {goal}.\n", "p(X)", None),
        (COIN + f"p(X) :- coin(X), G = ({goal}), call(G).\n", "p(X)", None),
        (COIN, "coin(X)", likelihood),
        (COIN, "coin(X)", f"G = ({goal}), call(G), LogLikelihood = 0"),
        (COIN + f"fit(0) :- {goal}.\n", "coin(X)", "fit(LogLikelihood)"),
    ):
        with pytest.raises(SlpError):
            sampled(text, asked, fits, limits=limits, draws=4)
    assert not seen.exists()


def test_a_likelihood_draws_nothing() -> None:
    with pytest.raises(SlpError, match=r"E240.*coin/1"):
        sampled(COIN, "coin(X)", "coin(_), LogLikelihood = 0")


def test_without_janus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "_janus", bridge._janus.__wrapped__)
    monkeypatch.delitem(sys.modules, "janus_swi")
    monkeypatch.setattr(bridge, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError) as caught:
        sampled(COIN, "coin(X)")
    assert str(caught.value) == (
        "error[E260]: SWI-Prolog cannot be reached, as janus-swi is not installed\n"
        f"  help: {NO_JANUS.help}"
    )


def test_no_such_engine() -> None:
    with pytest.raises(slp.UsageError, match="E722.*there is no engine `swi` for queries"):
        sampled(COIN, "coin(X)", engine="swi")


def test_prolog_forgets_what_nobody_holds(janus: ModuleType) -> None:
    def known() -> int:
        gc.collect()
        return int(
            janus.query_once("aggregate_all(count, (slp_engine:source(_,_,_,_,_)), N)")["N"]
            + janus.query_once("aggregate_all(count, (slp_engine:kept(_,_,_)), N)")["N"]
        )

    before = known()
    found = sample_proofs(
        slp.parse(COIN).ir, "coin(X)", None, given=None, draws=4, seed=1,
        sampling=ProofChainOptions(), limits=DEFAULT_LIMITS, progress=None, engine="prolog",
        allow_code=False, deadline=Deadline(None),
    )  # fmt: skip
    assert len(found.draws) == 4 and known() > before
    del found
    assert known() == before
