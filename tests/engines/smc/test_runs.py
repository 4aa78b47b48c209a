"""Runs of the engine `smc`: the evidence, refusals, and interruptions."""

from __future__ import annotations

import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.engines.smc.compiled import CompiledParticleFilter
from slp.errors import BudgetError, NoTreeError, SlpWarning, UnsupportedError, UsageError
from slp.reference.smc.filter import BYTES_OF_PARTICLE, ParticleFilter
from slp.results.averages.drawn_trees import DrawnTrees
from slp.runner import Phase
from tests.engines.smc.expectations import WAYS, core_sampler_of, of_program, plain_filter, plan
from tests.reference.mh.matrices import random_examples

GROWTREE = ":- use(growtree)."
#: The sum of the weights is not 1.
UNNORMALISED = [
    ":- use(growtree). :- constraint(max_leaves(2)).",
    ":- use(growtree). :- constraint(forbid(a)). :- failure(condition).",
    ":- use(gmt).",
    ":- weights. :- start(t). 1 :: t --> leaf. 0.3 :: t --> split(F, V, each), t, t.",
]


def frame(n: int = 12) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 4, n), rng.integers(0, 3, n)
    return pl.DataFrame({"a": a, "b": b, "y": np.where(a + rng.normal(size=n) > 1.5, "q", "p")})


def filtered(text: str, data: pl.DataFrame | None = None, **options: Any) -> slp.Posterior:
    how = {"engine": "smc", "seed": 1, "particles": 200, "islands": 30, "draws": 300, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(text).posterior(frame() if data is None else data, **how)


# --- the evidence ---------------------------------------------------------------------------------


@pytest.mark.thinned(5)
@pytest.mark.parametrize("proposal", ["prior", "empirical", "optimal"])
@pytest.mark.parametrize("text", [GROWTREE, ":- use(growtree_gap).", *UNNORMALISED])
def test_the_evidence_is_that_of_exact_sums(text: str, proposal: str) -> None:
    """Within 4.5 errors: of 30 islands, 18 times, off by chance once in 500."""
    have = filtered(text, proposal=proposal)
    want = slp.parse(text).posterior(frame(), engine="exact", draws=0)
    assert have.log_evidence is not None and want.log_evidence is not None
    assert have.log_evidence_error is not None and have.log_evidence_error < 0.3
    assert abs(have.log_evidence - want.log_evidence) < 4.5 * have.log_evidence_error
    kind = "the ratio of two" if text in UNNORMALISED else "an estimate without bias"
    assert have.evidence_note is not None and have.evidence_note.startswith(kind)


@pytest.mark.slow
def test_tests_on_finished_trees_divide_the_evidence() -> None:
    """By enumeration: the sum of weight times likelihood over the trees of at most one feature,
    over the sum of their weights."""
    have = filtered(":- use(growtree). :- constraint(max_features(1)).")
    every = slp.parse(GROWTREE).posterior(frame(), engine="enumerate")
    top, below = -math.inf, -math.inf
    for tree, log_prior, log_likelihood in _all_trees(every):
        if len(_features(tree)) <= 1:
            top = np.logaddexp(top, log_prior + log_likelihood)
            below = np.logaddexp(below, log_prior)
    assert have.log_evidence is not None and have.log_evidence_error is not None
    assert abs(have.log_evidence - (top - below)) < 4.5 * have.log_evidence_error < 0.5


def _all_trees(posterior: slp.Posterior) -> list[tuple[slp.Tree, float, float]]:
    found = posterior.k_best(int(posterior.tree_count() or 0))
    return [
        (c.tree, posterior.log_prior(c.tree) or 0.0, posterior.log_likelihood(c.tree))
        for c in found
    ]


def _features(tree: slp.Tree) -> set[str]:
    words = json.dumps(tree.to_dict()).split('"feature": "')
    return {word.split('"')[0] for word in words[1:]}


def test_few_islands_tell_no_evidence() -> None:
    assert filtered(GROWTREE, islands=3).log_evidence is None
    assert filtered(GROWTREE, islands=4).log_evidence is not None


def test_few_effective_islands_are_told() -> None:
    """Islands of two particles differ by several nats; where one has nearly all of the weight, no
    error tells that."""
    have = filtered(GROWTREE, frame(300), particles=2, islands=6)
    drawn = have._result.averages
    assert isinstance(drawn, DrawnTrees)
    shares = [np.exp(own).sum() for own in drawn.log_weights or ()]
    effective = drawn.effective_islands()
    assert effective == pytest.approx(sum(shares) ** 2 / sum(s**2 for s in shares))
    assert effective is not None and effective < 4
    assert have.diagnostics is not None
    told = f"{effective:.1f} of 6 islands are effective, and errors are only known of 4 or more"
    assert told in have.diagnostics.warnings
    enough = filtered(GROWTREE).diagnostics
    assert enough is not None and not any("islands" in words for words in enough.warnings)


@pytest.mark.slow
def test_dead_islands_count_zero() -> None:
    """With one particle an island dies often, and its zero belongs to the mean."""
    text = ":- use(growtree, [alpha = 0.7]). :- constraint(max_leaves(2))."
    have = filtered(text, islands=4000, particles=1, draws=4000)
    want = slp.parse(text).posterior(frame(), engine="exact", draws=0)
    averages = have._result.averages
    dead = sum(len(own) == 0 for own in averages.log_weights or ())
    assert dead > 400
    assert have.log_evidence_error is not None and want.log_evidence is not None
    assert abs((have.log_evidence or 0) - want.log_evidence) < 4.5 * have.log_evidence_error < 0.3


def test_the_prior_of_a_posterior_has_its_sum_of_weights() -> None:
    have = filtered(UNNORMALISED[0])
    prior = have.prior()
    assert not prior.likelihood and prior.log_evidence is None
    assert prior.expected_leaves() == pytest.approx(
        slp.parse(UNNORMALISED[0]).prior(frame(), engine="exact").expected_leaves(), abs=0.1
    )


# --- draws ----------------------------------------------------------------------------------------


def test_islands_share_the_draws() -> None:
    have = filtered(GROWTREE, islands=10, draws=50)
    assert len(have.draws) <= 50
    assert max(sum(d.chain == c for d in have.draws) for c in range(10)) <= 5
    with pytest.raises(UsageError, match="E530"):
        filtered(GROWTREE, draws=0).expected_leaves()


@pytest.mark.slow
def test_a_checkpoint_in_the_middle_goes_on_with_the_same_draws() -> None:
    """Every proposal, order and scheme; also of the core, whose islands are written as events."""
    for number, way in enumerate(WAYS):
        made = random_examples(12, least=3, most=7)[number % 12][1]
        how = plan(way, n=6, kept=4)
        stepper = plain_filter(made, how)
        rng, again = np.random.default_rng(number), np.random.default_rng(number)
        state = stepper.advance(rng, stepper.init(rng), 2, Phase(False, 1))[0]
        stepper.advance(again, stepper.init(again), 2, Phase(False, 1))
        loaded = stepper.load(json.loads(json.dumps(stepper.dump(state))))
        whole = stepper.advance(rng, state, 99, Phase(False, 3))[0]
        assert stepper.draws(stepper.advance(again, loaded, 99, Phase(False, 3))[0]) == (
            stepper.draws(whole)
        )


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
def test_an_island_of_the_core_is_restored() -> None:
    for number, way in enumerate(WAYS):
        made = random_examples(12, least=3, most=7)[number % 12][1]
        sampler = core_sampler_of(made, plan(way, n=6, kept=4))
        seeds = np.arange(4, dtype=np.uint64) + np.uint64(number)
        state = sampler.advance(sampler.start(), seeds, 2)[0]
        events, last = state.dump()
        loaded = sampler.restore(events, last, state.log_weights())
        ends = [sampler.advance(s, seeds, 99)[0] for s in (state, loaded)]
        assert ends[0].log_weights().tolist() == ends[1].log_weights().tolist()
        for i in range(len(ends[0].log_weights())):
            assert ends[0].choices(i).tolist() == ends[1].choices(i).tolist()
        assert sampler.restore(events + 1, last, state.log_weights()) is None or len(events) == 0


# --- refusals and ends ----------------------------------------------------------------------------


def test_what_it_refuses(tmp_path: Path) -> None:
    program = slp.parse(GROWTREE).require(lambda tree: True)
    with pytest.raises(UnsupportedError, match="E536.*predicates"):
        program.posterior(frame(), engine="smc")
    tree = tmp_path / "tree.json"
    tree.write_text(json.dumps(filtered(GROWTREE).map_tree().to_dict()))
    with pytest.raises(UnsupportedError, match="E536.*edit"):
        slp.parse(":- use(edittree, [tree = 'tree.json']).", include=[tmp_path]).posterior(
            frame(), engine="smc"
        )


@pytest.mark.parametrize(
    ("option", "value", "code"),
    [
        ("proposal", "q_uc", "E537"),
        ("order", "depth", "E537"),
        ("resampling", "none", "E537"),
        ("ess", 1.5, "E505"),
        ("ess", "half", "E505"),
        ("particles", 0, "E505"),
        ("islands", 0, "E505"),
    ],
)
def test_wrong_options(option: str, value: object, code: str) -> None:
    with pytest.raises(UsageError, match=code):
        filtered(GROWTREE, **{option: value})


def test_the_cause_is_named_where_all_particles_fail() -> None:
    text = (
        ":- start(t). 1 :: t --> split(F, V), u, u. 1 :: u --> split(F, V), v, v. 1 :: v --> leaf."
    )
    with pytest.raises(NoTreeError, match=r"E526.*by the limit of leaves"):
        filtered(f"{text} :- constraint(max_leaves(3)).", frame(40))
    with pytest.raises(NoTreeError, match=r"E526.*by dead end"):
        filtered(f"{text} :- support(min_leaf(5)).")


@pytest.mark.usefixtures("compiled_kernels")
def test_particles_that_do_not_fit_are_told() -> None:
    X = np.random.default_rng(0).normal(size=(3000, 3))
    program = slp.parse(":- use(growtree, [alpha = 0.99, beta = 0.1]).")
    with pytest.raises(BudgetError, match="E501.*particles"):
        program.posterior(X, X[:, 0] > 0, engine="smc", memory="4MiB", particles=100_000)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("compiled", [True, False])
def test_particles_are_charged_before_they_are_made(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What does not fit is refused, with the number that does; where that number is asked for, the
    island begins."""
    if not compiled:
        monkeypatch.setattr("slp.engines.smc.sample.why_not_of_one_prior", lambda _: "is not asked")
    begun: list[int] = []

    def start(self: object, *_: object) -> None:
        begun.append(1)
        raise KeyboardInterrupt

    for filter in (CompiledParticleFilter, ParticleFilter):
        monkeypatch.setattr(filter, "init", start)
    asked = {"memory": "20MiB", "threads": 2}
    with pytest.raises(BudgetError, match=r"E501.*2 islands of 3,000,000 particles") as refused:
        filtered(GROWTREE, particles=3_000_000, **asked)
    assert begun == []
    (said,) = re.findall(r"([\d,]+) particles of each fit", str(refused.value))
    fit = int(said.replace(",", ""))
    with pytest.raises(BudgetError, match="E501"):
        filtered(GROWTREE, particles=fit + 1, **asked)
    with pytest.raises(KeyboardInterrupt):
        filtered(GROWTREE, particles=fit, **asked)
    assert begun


def test_the_plain_filter_keeps_to_its_room() -> None:
    made = of_program(GROWTREE, frame())
    found = plain_filter(made, plan(("prior", "breadth", "systematic"), n=50))
    found.room = 50 * BYTES_OF_PARTICLE
    rng = np.random.default_rng(1)
    with pytest.raises(BudgetError, match=r"E501.*islands of 50 particles"):
        found.advance(rng, found.init(rng), 1, Phase(warm_up=False, step=1))


def test_no_thread_changes_a_draw() -> None:
    one, two = (filtered(GROWTREE, threads=n).draws for n in (1, 4))
    assert list(one) == list(two)


def test_the_summary_says_what_the_evidence_is(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    frame().write_csv(table)
    run = CliRunner().invoke(
        slp_command,
        ["sample", "growtree", str(table), "--engine", "smc", "--seed", "1", "--islands", "5"],
    )
    assert run.exit_code == 0, run.output
    assert "without bias" in run.output and "of 5 islands" in run.output
