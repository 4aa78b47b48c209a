"""Tree programs expanded on a table: their proofs are the derivations of the tree grammar."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import pytest

import slp
from slp.analysis import expand_on_table
from slp.resources import prior_names
from tests.resolution.table_programs import (
    MUST,
    PATIENTS,
    TABLE,
    assert_drawn,
    can_be_expanded,
    grammar_weights,
    prior_text,
    tree_text,
)
from tests.spec.cases import Case, random_case


@cache
def expanded(name: str) -> slp.Program:
    return slp.parse(slp.parse(prior_text(name)).expand(TABLE))


@cache
def wanted(name: str) -> dict[str, float]:
    return dict(grammar_weights(slp.parse(prior_text(name)).compile(TABLE)))


def assert_same(found: slp.QueryResult, want: dict[str, float]) -> None:
    have = {str(answer["Tree"]): answer.mass for answer in found.answers}
    assert found.complete
    assert have.keys() == want.keys()
    for tree, mass in want.items():
        assert math.isclose(have[tree], mass, rel_tol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", prior_names())
def test_library_priors_by_enumeration(name: str) -> None:
    assert_same(expanded(name).query("prior(Tree)"), wanted(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gmt", "growtree"])
def test_library_priors_by_draws(name: str) -> None:
    program = slp.parse(slp.load(name).expand(PATIENTS))
    want = grammar_weights(slp.load(name).compile(PATIENTS))
    assert_drawn(program.draw("prior(Tree)", 200, seed=1), want)


def without_constraints(seeds: range, *, rows: bool = False, groups: bool = False) -> list[Case]:
    """Random programs that can be expanded, and have a tree."""
    cases = (random_case(seed, 150, rows=rows, groups=groups) for seed in seeds)
    return [c for c in cases if c.spec.derivations and can_be_expanded(c.model.program)]


def weights_by_definition(case: Case) -> dict[str, float]:
    weights: dict[str, float] = {}
    for d in case.spec.derivations:
        weights[tree_text(d.tree)] = weights.get(tree_text(d.tree), 0.0) + d.weight
    return weights


def unquoted(found: slp.QueryResult) -> dict[str, float]:
    return {str(answer["Tree"]).replace("'", ""): answer.mass for answer in found.answers}


def test_random_programs() -> None:
    """Guards, states, helper predicates, all measures, limits, weights, both ways to fail."""
    cases = without_constraints(range(36))
    assert len(cases) > 9
    assert any("range" in case.measures for case in cases)
    assert_derivations_are_proofs(cases)


@pytest.mark.slow
def test_groups_of_features() -> None:
    cases = [c for c in without_constraints(range(90), groups=True) if no_subsets(c)]
    assert len(cases) > 20
    assert {m for case in cases for m in case.measures} == {
        "feature_then_cut",
        "gap",
        "per_feature",
        "range",
    }
    assert_derivations_are_proofs(cases)


def no_subsets(case: Case) -> bool:
    return all(f.kind.not_expanded is None for f in case.model.table.features)


@pytest.mark.slow
def test_guards_and_labels_by_rows() -> None:
    cases = without_constraints(range(40), rows=True)
    assert len(cases) > 8
    assert any("rows(" in case.text and ", A)" in case.text for case in cases)
    assert_derivations_are_proofs(cases)


def assert_derivations_are_proofs(cases: list[Case]) -> None:
    for case in cases:
        program = slp.parse(expand_on_table(case.model.program, case.model.table))
        have, want = unquoted(program.query("prior(Tree)")), weights_by_definition(case)
        assert have == pytest.approx(want, rel=1e-11, abs=0), case


@pytest.mark.slow
def test_where_rejection_and_backtracking_differ() -> None:
    """By hand. age < 15 leaves one patient below, who cannot be split on sex: that derivation,
    1/3 * 1/2, fails. Rejection throws it away, and five derivations of 1/6 are left. Backtracking
    keeps age < 15 and draws `part` again: 1/3 for that tree, 1/6 for the four others."""
    program = slp.parse(slp.parse(MUST).expand(PATIENTS))
    lone = "split(age, 15.0, leaf, leaf)"
    others = [
        f"split(age, {threshold}, {below}, leaf)"
        for threshold in (30.0, 55.0)
        for below in ("leaf", "split(sex, f, leaf, leaf)")
    ]
    found = program.query("prior(Tree)")
    assert found.success == pytest.approx(5 / 6, rel=1e-12)
    assert_same(found, dict.fromkeys([lone, *others], 1 / 6))
    rejected = program.draw("prior(Tree)", 2000, seed=1)
    assert_drawn(rejected, dict.fromkeys([lone, *others], 1 / 5))
    with pytest.raises(AssertionError):
        assert_drawn(rejected, {lone: 1 / 3, **dict.fromkeys(others, 1 / 6)})
    kept = program.draw("prior(Tree)", 500, failure="backtracking", seed=1)
    assert_drawn(kept, {lone: 1 / 3, **dict.fromkeys(others, 1 / 6)})


def test_the_text_is_exact() -> None:
    text = slp.parse(MUST).expand(PATIENTS)
    head = text[: text.index("% Clauses for tree rules")]
    assert head == Path(__file__).with_name("must_on_patients.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "code", "message", "span", "help"),
    [
        (
            ":- use(growtree).\n:- constraint(once(age)).",
            "E163",
            "constraints, priors of boxes and `edittree` have no expansion on a table",
            ":- constraint(once(age)).",
            "engines other than `prolog` run the whole program, as `slp-sample` does by itself",
        ),
        (
            MUST.replace("sex, _)", "sex, _), { pick(1, 1) }") + "pick(1, X) :- X > 0.\n",
            "E164",
            "the expansion on a table has a predicate `pick/2` of its own",
            "pick(1, X) :- X > 0.",
            "give the program's predicate another name",
        ),
    ],
)
def test_refused(text: str, code: str, message: str, span: str, help: str) -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(text).expand(PATIENTS)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message, found.help) == (code, message, help)
    assert found.span is not None and found.span.text == span
