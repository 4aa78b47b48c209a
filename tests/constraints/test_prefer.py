"""`prefer`: what it costs, what it does not go with, and every engine (docs/language.md)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

import slp
from slp.compile import compile_problem
from slp.ir import row_function
from slp.ir.tree_grammar import OpenStates
from slp.leaves import numbers
from slp.program.dead_weight import find_dead_weight
from slp.trees.certificates import check_certificate
from tests.spec.cases import random_case
from tests.spec.test_against_enumeration import compare_totals, compare_trees

ROWS = pl.DataFrame(
    {
        "a": [0, 1, 2, 3, 4],
        "b": [1, 0, 2, 0, 0],
        "y": ["no", "no", "yes", "no", "yes"],
    }
)
BASE = ":- use(growtree, [alpha = 0.8]).\n:- support(max_depth(3)).\nbox(mid, a, 1.5, 3.5).\n"
LOCAL = [
    *("forbid(b)", "forbid(b, below(1))", "forbid(b, within(mid))", "constant(mid)", "first(b)"),
    *("before(a, b)", "before(b, b)", "once(a)", "exclusive([a, b])", "interaction([[a], [b]])"),
    *("majority(mid, yes)", "max_cost(1)"),
]
COSTS = ":- cost(a, 1).\n:- cost(b, 1).\n"


def trees(text: str, engine: str = "exact") -> dict[str, float]:
    """Posterior probabilities of all trees."""
    found = slp.parse(text).posterior(ROWS, engine=engine, seed=1).k_best(10_000)
    return {str(t.tree): t.log_posterior for t in found}


@pytest.mark.parametrize("goal", LOCAL)
def test_an_infinite_weight_conditions(goal: str) -> None:
    hard = trees(f"{BASE}{COSTS}:- constraint({goal}).\n:- failure(condition).\n")
    for engine in ("exact", "chart", "enumerate"):
        assert trees(f"{BASE}{COSTS}:- prefer({goal}, inf).\n", engine) == pytest.approx(hard)


@pytest.mark.parametrize("goal", LOCAL)
def test_each_split_and_leaf_against_it_costs(goal: str) -> None:
    """By the check of finished trees, which shares nothing with the engines."""
    program = slp.parse(f"{BASE}{COSTS}:- prefer({goal}, 0.9).\n")
    free = slp.parse(BASE).posterior(ROWS, engine="exact").k_best(10_000)
    told = [t.tree.check(program, ROWS)[0] for t in free]
    logs = [t.log_posterior - 0.9 * c.against for t, c in zip(free, told, strict=True)]
    assert {c.holds for c in told} == {True, False}
    assert all(c.holds == (c.against == 0) for c in told)
    total = np.logaddexp.reduce(logs)
    want = {str(t.tree): x - total for t, x in zip(free, logs, strict=True)}
    assert trees(program.text) == pytest.approx(want)


def test_no_weight_changes_nothing_and_two_preferences_add() -> None:
    assert trees(f"{BASE}:- prefer(forbid(b), 0).\n") == trees(BASE)
    twice = f"{BASE}:- prefer(forbid(b), 0.5).\n:- prefer(forbid(b), 0.5).\n"
    assert trees(twice) == pytest.approx(trees(f"{BASE}:- prefer(forbid(b), 1).\n"))
    assert [w.code for w in slp.parse(twice).warnings] == ["W104"]


@pytest.mark.thinned(10)
@pytest.mark.parametrize("seed", range(100))
def test_plain_engines(seed: int) -> None:
    case = random_case(seed, 200, preferences=True)
    for engine in ("chart", "enumerate") if case.spec.derivations else ():
        posterior = slp.engines.infer(case.model, engine=engine, draws=0)
        compare_totals(case, posterior)
        compare_trees(case, posterior)


TOGETHER = (
    f"{BASE}:- prefer(forbid(b), 1.5).\n:- prefer(constant(mid), 1).\n"
    ":- prefer(majority(mid, yes), 1.2).\n"
)


@pytest.mark.slow
@pytest.mark.thinned(6)
@pytest.mark.parametrize("engine", ["mh", "smc"])
@pytest.mark.parametrize("seed", range(4))
def test_draws(engine: str, seed: int) -> None:
    """Within five errors of each share, which a sound sampler exceeds once in a million."""
    program = slp.parse(TOGETHER)
    exact = program.posterior(ROWS, engine="exact", seed=1)
    drawn = program.posterior(ROWS, engine=engine, seed=seed, draws=4000)
    for name, use in drawn.split_probabilities().items():
        want = exact.split_probabilities()[name].probability
        assert abs(use.probability - want) < 5 * use.probability_error
    assert abs(drawn.log_evidence - exact.log_evidence) < 5 * drawn.log_evidence_error


@pytest.mark.slow
def test_independent_draws_of_the_prior() -> None:
    program = slp.parse(TOGETHER)
    exact = program.prior(ROWS, engine="exact")
    drawn = program.prior(ROWS, engine="forward", seed=1, draws=10_000)
    for name, use in drawn.split_probabilities().items():
        want = exact.split_probabilities()[name].probability
        assert abs(use.probability - want) < 5 * math.sqrt(want * (1 - want) / 10_000)


@pytest.mark.parametrize("engine", ["search", "modal"])
def test_engines_that_find_trees(engine: str) -> None:
    found = slp.parse(TOGETHER).posterior(ROWS, engine=engine, seed=1).map()
    want = slp.parse(TOGETHER).posterior(ROWS, engine="exact").map()
    assert found.log_joint == pytest.approx(want.log_joint)


FINISHED: list[tuple[str, Callable[[slp.Tree], bool]]] = [
    ("max_features(1)", lambda tree: len(tree.features) <= 1),
    ("max_leaves(2)", lambda tree: tree.n_leaves <= 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("goal", "holds"), FINISHED)
@pytest.mark.parametrize("rungs", [1, 3])
def test_finished_trees_cost_once(goal: str, holds: Callable[[slp.Tree], bool], rungs: int) -> None:
    """Within five errors of each share."""
    program = slp.parse(f"{BASE}:- prefer({goal}, 1).\n")
    free = slp.parse(BASE).posterior(ROWS, engine="exact").k_best(10_000)
    logs = [t.log_posterior - (not holds(t.tree)) for t in free]
    shares = np.exp(logs - np.logaddexp.reduce(logs))
    drawn = program.posterior(ROWS, engine="mh", seed=1, draws=3000, rungs=rungs, thin=5)
    for name, use in drawn.split_probabilities().items():
        used = [name in t.tree.features for t in free]
        assert abs(use.probability - shares[used].sum()) < 5 * use.probability_error
    for engine in ("exact", "search", "smc", "modal", "chart"):
        with pytest.raises(slp.SlpError, match="E301"):
            program.posterior(ROWS, engine=engine)
    with pytest.raises(slp.SlpError, match="E516"):
        program.posterior(ROWS, engine="mh", proposal="q_exact")


def test_finished_trees_at_an_infinite_weight_condition() -> None:
    have, want = (
        slp.parse(f"{BASE}:- {goal}.").ir.constraints
        for goal in ("prefer(max_features(1), inf)", "constraint(max_features(1))")
    )
    assert have == want


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (":- prefer(first(a), -1).", "E144"),
        (':- prefer(python("os:getcwd", local), 1).', "E144"),
        (":- prefer(first(a), 1).\n:- failure(backtrack).", "E144"),
        (
            "box(mid, a, 1, 2).\n:- prefer(majority(mid, no), 1).\n"
            ":- constraint(majority(mid, no)).",
            "E144",
        ),
        (":- prefer(first(a)).", "E102"),
        (":- prefer(nothing(a), 1).", "E140"),
    ],
)
def test_what_it_does_not_go_with(text: str, code: str) -> None:
    with pytest.raises(slp.ProgramError, match=code):
        slp.parse(f":- use(growtree).\n{text}")


def test_code_needs_permission() -> None:
    program = slp.parse(f'{BASE}:- prefer(python("os:getcwd"), 1).')
    with pytest.raises(slp.ProgramError, match="E650"):
        program.posterior(ROWS)


def test_not_beside_edits() -> None:
    tree = slp.Tree.from_dict({"feature": "a", "threshold": 0.5, "left": {}, "right": {}})
    text = ":- use(edittree, [p = 0.5]).\n:- prefer(first(a), 1)."
    with pytest.raises(slp.ProgramError, match="E144"):
        slp.parse(text.replace("[p", f"[tree = '{json.dumps(tree.to_dict())}', p"))


def test_open_states_that_pay_call_others() -> None:
    """So that the core makes no moves for rules without calls there."""
    rows = pl.DataFrame({"a": range(3000), "y": ["no", "yes"] * 1500})
    for text, single in (("", True), (":- prefer(once(a), 1).", False)):
        grammar = compile_problem(slp.parse(f":- use(growtree).\n{text}").ir, rows).grammar
        assert isinstance(grammar.states, OpenStates)
        assert grammar.states.single_derivation == single


def test_a_tie_is_one_everywhere() -> None:
    assert row_function.TIE == numbers.TIE


def test_certificates_do_not_claim_it(tmp_path: object) -> None:
    program = slp.parse(TOGETHER)
    tree = slp.Tree.from_dict({"feature": "b", "threshold": 0.5, "left": {}, "right": {}})
    certificate = tree.certificate(program, ROWS)
    claims = [c for c in certificate["claims"] if c["statement"]["kind"] == "prefer"]
    assert [(c["claim"], c["against"]) for c in claims] == [("not checked", n) for n in (1, 1, 1)]
    places = check_certificate.places_of(certificate)
    assert {check_certificate.verdict(c, places) for c in claims} == {"not checked"}


def test_prices_tell_how_probable_it_is_that_nothing_is_against_it() -> None:
    program = slp.parse(f"{BASE}:- prefer(forbid(b), 1.5).\n")
    price = program.price(ROWS, seed=1)["prefer(forbid(b), 1.5)"]
    free = slp.parse(BASE).posterior(ROWS, engine="exact")
    assert price.posterior.value == pytest.approx(1 - free.split_probabilities()["b"].probability)
    assert not price.conditions
    soft = program.posterior(ROWS, engine="exact").log_evidence
    assert price.log_evidence_removed.value == pytest.approx(soft - free.log_evidence)


def test_it_is_neither_dead_weight_nor_a_reason() -> None:
    text = f"{BASE}:- prefer(forbid(b), 3).\n:- constraint(forbid(b, below(1))).\n"
    assert find_dead_weight(compile_problem(slp.parse(text).ir, ROWS)) == ()
