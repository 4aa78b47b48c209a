"""Chains over proofs, as users run them. Chi-square tests err once in 10,000, with fixed seeds."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

import slp
from tests.engines.mcmc.proofs.tiny import CASES, Case

SAME = "0.6 :: coin(h).\n0.4 :: coin(t).\nsame(X) :- coin(X), coin(X).\n"
#: Proofs of n letters weigh Catalan(n - 1) 0.6^n 0.4^(n - 1).
GRAMMAR = "0.6 :: s([a | T], T).\n0.4 :: s(A, C) :- s(A, B), s(B, C).\n"
PROPOSALS = ("q_uc", "q_ind", "q_n(3)", "q_uc:0.5,q_ind:0.2,q_n(2):0.3")


def sampled(text: str, goal: str, *args: object, **options: object) -> slp.SampledProofs:
    return slp.parse(text).sample_proofs(goal, *args, **{"seed": 3, **options})  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in CASES if len(c.text) > 2], ids=str)
def test_draws_have_the_probabilities_of_the_query_times_the_likelihood(case: Case) -> None:
    """Far apart, so that they are all but independent."""

    def log_likelihood(answer: dict[str, object]) -> float:
        return case.fits(" ".join(_as_text(v) for v in answer.values()))

    found = slp.parse(case.text).query(case.goal, given=case.given).answers
    mass = {tuple(a.values()): a.mass for a in found}
    weight = {k: m * math.exp(case.fits(" ".join(map(str, k)))) for k, m in mass.items()}
    options = {"draws": 800, "chains": 2, "warmup": 50, "thin": 12, "given": case.given}
    draws = sampled(case.text, case.goal, log_likelihood, proposal=PROPOSALS[3], **options).draws
    have = Counter(tuple(d.values()) for d in draws)
    want = {k: 800 * w / math.fsum(weight.values()) for k, w in weight.items() if w > 0}
    assert have.keys() <= want.keys()
    if len(want) > 1:
        assert chisquare([have[k] for k in want], list(want.values())).pvalue > 1e-4


def _as_text(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


@pytest.mark.slow
@pytest.mark.parametrize("proposal", PROPOSALS)
def test_endlessly_many_proofs(proposal: str) -> None:
    """Lengths of strings of a grammar, given that they are above 1; longer ones are pooled."""
    found = sampled(
        GRAMMAR, "s(L, [])", lambda answer: 0.0 if len(answer["L"]) > 1 else -math.inf,  # type: ignore[arg-type]
        proposal=proposal, draws=600, thin=12, warmup=50, chains=2,
    )  # fmt: skip
    have = Counter(min(len(d["L"].split(",")), 6) for d in found.draws)  # type: ignore[union-attr]
    mass = {n: math.comb(2 * n - 2, n - 1) / n * 0.6**n * 0.4 ** (n - 1) for n in range(2, 6)}
    mass[6] = 0.4 - math.fsum(mass.values())  # derivations end with probability 1
    want = [600 * mass[n] / 0.4 for n in range(2, 7)]
    assert chisquare([have[n] for n in range(2, 7)], want).pvalue > 1e-4


def test_a_goal_as_likelihood_is_the_function_of_the_same_values() -> None:
    text = SAME + "fit(h, 0.5 * 3).\nfit(t, -1).\n"
    goal = sampled(text, "coin(X)", "fit(X, LogLikelihood)", draws=100)
    function = sampled(text, "coin(X)", lambda a: 1.5 if a["X"] == "h" else -1, draws=100)
    assert goal.draws == function.draws
    assert {d.log_likelihood for d in goal.draws} == {1.5, -1.0}


def test_a_likelihood_goal_that_fails_takes_the_answer_out() -> None:
    found = sampled(SAME, "coin(X)", "X = t, LogLikelihood = 0", draws=40)
    assert {d["X"] for d in found.draws} == {"t"}


def test_what_a_function_is_given() -> None:
    seen = []
    text = "p([1, [a, 'B c'], 2.5], f([x]), \"s\", [], Y)."
    sampled(text, "p(L, F, S, E, Y)", lambda answer: seen.append(dict(answer)) or 0.0, draws=4)
    want = {"L": [1, ["a", "'B c'"], 2.5], "F": "f([x])", "S": '"s"', "E": [], "Y": "_A"}
    assert seen == [want]


def test_draws_and_answers() -> None:
    found = sampled(SAME, "same(X)", lambda answer: 2.0, draws=1001, chains=2)
    assert [d.chain for d in found.draws] == [0] * 501 + [1] * 500
    first, second = found.answers
    assert (dict(first), dict(second)) == ({"X": "h"}, {"X": "t"})
    assert first.probability + second.probability == pytest.approx(1)
    assert abs(first.probability - 0.36 / 0.52) < 4 * first.error < 0.2
    draw = next(d for d in found.draws if d["X"] == "h")
    assert draw.log_weight == pytest.approx(math.log(0.36)) and draw.log_likelihood == 2.0
    assert [(c.text, c.label) for c in draw.clauses] == [("0.6 :: coin(h).", 0.6)] * 2
    assert found.seed == 3 and not found.interrupted


def test_k_best() -> None:
    found = sampled(GRAMMAR, "s(L, [])", lambda answer: -abs(len(answer["L"]) - 3.0), draws=400)  # type: ignore[arg-type]
    best = found.k_best(3)
    scores = [p.log_weight + p.log_likelihood for p in best]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == max(d.log_weight + d.log_likelihood for d in found.draws)
    assert len({p.clauses for p in best}) == 3


def test_the_same_seed_gives_the_same_draws() -> None:
    first, second, other = (sampled(SAME, "same(X)", draws=60, seed=s) for s in (7, 7, 8))
    assert first.draws == second.draws != other.draws
    fresh = sampled(SAME, "same(X)", draws=60, seed=None)
    assert sampled(SAME, "same(X)", draws=60, seed=fresh.seed).draws == fresh.draws


def test_a_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    options = {"chains": 2, "warmup": 10, "thin": 3, "proposal": "q_uc:0.5,q_n(2):0.5"}
    want = sampled(GRAMMAR, "s(L, [])", draws=90, **options)
    file = tmp_path / "run.json"
    sampled(GRAMMAR, "s(L, [])", draws=40, checkpoint=file, **options)
    again = sampled(
        GRAMMAR, "s(L, [])", draws=90, seed=None, checkpoint=file, resume=True, **options
    )
    assert again.draws == want.draws and again.seed == 3


@pytest.mark.parametrize(
    ("text", "goal", "likelihood", "what"),
    [
        (GRAMMAR + " ", "s(L, T)", None, "goal"),
        (GRAMMAR.replace("0.6", "0.7").replace("0.4", "0.3"), "s(L, [])", None, "program"),
        (GRAMMAR, "s(L, [])", "LogLikelihood = 1", "log-likelihood"),
    ],
)
def test_another_run_does_not_go_on(
    tmp_path: Path, text: str, goal: str, likelihood: str | None, what: str
) -> None:
    file = tmp_path / "run.json"
    sampled(GRAMMAR, "s(L, [])", draws=4, warmup=1, checkpoint=file)
    with pytest.raises(slp.UsageError, match=f"E515.*with another {what}"):
        sampled(text, goal, likelihood, draws=4, warmup=1, checkpoint=file, resume=True)


def test_diagnostics() -> None:
    kept = sampled(GRAMMAR, "s(L, [])", draws=400, thin=8, warmup=20).diagnostics
    assert set(kept.convergence) == {"log_posterior", "answers"}
    assert all(c.r_hat is not None and c.r_hat < 1.1 for c in kept.convergence.values())
    assert kept.draws == (100,) * 4
    assert sum(kept.moves["q_uc"].values()) == 400 * 8


def test_chains_that_disagree_are_said_to() -> None:
    text = "0.5 :: p(1, X) :- q(X). 0.5 :: p(2, X) :- q(X). 0.5 :: q(1). 0.5 :: q(2)."
    narrow = "(A =:= B -> LogLikelihood = 0 ; LogLikelihood = -9)"
    with pytest.warns(slp.SlpWarning, match="W530.*the chains disagree") as caught:
        sampled(text, "p(A, B)", narrow, draws=80, warmup=0, thin=1, proposal="q_n(2)")
    assert "or with another proposal\n" in f"{caught[0].message}\n"


def test_arviz() -> None:
    text = SAME + "count(h, 1.5).\ncount(t, 2)."
    data = sampled(text, "coin(X), count(X, N)", lambda a: -1.0, draws=40, chains=2).to_arviz()
    assert set(data.posterior) == {"answer", "N"}
    assert data.posterior["N"].shape == (2, 20)
    assert set(np.unique(data.posterior["N"])) == {1.5, 2.0}
    assert set(data.sample_stats) == {"lp", "log_weight", "log_marginal_likelihood"}
    lp = sum(data.sample_stats[name] for name in ("log_weight", "log_marginal_likelihood"))
    assert np.array_equal(data.sample_stats["lp"], lp)


def test_progress() -> None:
    told: list[tuple[int, str]] = []
    sampled(SAME, "same(X)", draws=10, progress=lambda done, words: told.append((done, words)))
    assert told[-1][0] == 4 * 1000 + 10 * 10 and told[-1][1].startswith("sampling, ")


def test_a_start_where_nearly_everything_fails() -> None:
    """One of a million sequences of ten digits."""
    digits = "".join(f"0.1 :: digit({i}).\n" for i in range(10))
    text = digits + "all([]).\nall([7 | L]) :- digit(D), D =:= 7, all(L).\n"
    found = sampled(text, "length(L, 6), all(L)", draws=20, warmup=0)
    assert {d["L"] for d in found.draws} == {"[7, 7, 7, 7, 7, 7]"}
    assert found.diagnostics.failure_rate > 0.9
