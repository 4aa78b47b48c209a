"""Derivatives, intervals of the best tree and influences against the enumeration of all
derivations.

`python -m tests.spec.sensitivity` holds the derivatives of 2,000 cases to it.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.budgets import Deadline
from slp.compile import compile_program
from slp.errors import SlpWarning
from slp.learn.ascent import Interval
from slp.results.sensitivity import CHECKED, Stays
from slp.sensitivity import interval_of_best_tree
from slp.sensitivity.numbers import Varied
from tests.spec.brute_force import BruteForce
from tests.spec.cases import Case, random_case
from tests.spec.pipeline import key_of
from tests.spec.sensitivity import LIMIT, Question, compare, found_of, spans, spec_at

#: Tables and rules of other kinds, by the options of `random_case`.
KINDS = ("rows", "orders", "weights", "least_weight", "missing_level", "missing_side", "ranges")
KINDS += ("lines", "exposures", "zeros", "subsets", "ordered", "extremes", "partition")


@pytest.mark.thinned(12)
@pytest.mark.parametrize("seed", range(120))
def test_derivatives_of_random_programs(seed: int) -> None:
    compare(random_case(seed, 60))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_on_other_tables(kind: str) -> None:
    assert sum(compare(random_case(seed, 60, **{kind: True})) for seed in range(1000, 1004)) > 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", [53, 1000, 1004])
def test_a_clause_that_constraints_leave_no_split_counts_in_the_sum(seed: int) -> None:
    """Its labels are part of what those of a state sum to, though no split of it is left."""
    compare(random_case(seed, 100, extremes=seed >= 1000))


# --- the interval of the best tree -------------------------------------------------------------


@pytest.mark.thinned(30)
@pytest.mark.parametrize("seed", range(60))
def test_the_best_tree_stays_on_a_grid(seed: int) -> None:
    case = random_case(seed, 25)
    if case.spec.derivations:
        compare_intervals(case)


def compare_intervals(case: Case) -> int:
    """At 40 values of each interval the tree is the best, and just beyond an end it is not."""
    found = found_of(case, replace(Question.of(case), rows=()))
    chart = found.edges.adjoints.chart
    if not chart.derivations_are_trees:
        return 0
    tree = key_of(next(chart.best()).tree)
    for one, span in zip(found.varied, spans(case, found), strict=True):
        stays = interval_of_best_tree(one, found.edges, None)
        at = spec_at(case, one, span)
        # The coordinate of the search, in which ends are found within 1e-7.
        coordinate = Interval(0.0, math.inf) if one.kind == "label" else one.interval
        low, high = (coordinate.to_free(x) for x in (stays.low, stays.high))
        assert stays.low <= one.value <= stays.high
        slack = max(1e-7, 10 * case.rounding)
        for u in np.linspace(low, high, 40).tolist():
            assert _behind(at(coordinate.to_value(u)), tree) < slack, (one.name, u, case)
        for u, changes in ((low - 1e-4, stays.changes_below), (high + 1e-4, stays.changes_above)):
            beyond = coordinate.to_value(u)
            if changes and beyond < one.interval.high:
                assert _behind(at(beyond), tree) > 0, (one.name, u, case)
    return len(found.varied)


def _behind(spec: BruteForce, tree: Any) -> float:
    """How far a tree is behind the best one, in nats."""
    scores = spec.log_scored()
    return max(x for _, x in scores) - max(x for d, x in scores if d.tree == tree)


class Line:
    """A number x whose best tree is the best where `known` says so, and None where it has no
    steps."""

    def __init__(self, known: Any) -> None:
        self.known = known
        self.log_likelihood = 0.0

    def best_lead(self, weight: Any) -> float:
        return 0.0 if self.known(float(weight[0])) else 1.0


def interval_on(line: Line, low: float = -math.inf) -> Stays:
    def edges(x: float) -> Any:
        return None if x < low else np.array([x])

    class Edges:
        adjoints = line

    free = Interval(-math.inf, math.inf)
    made: Any = Edges()
    return interval_of_best_tree(Varied("parameter", "x", 0.0, free, "", edges), made, None)


def test_ends_are_found_and_far_ones_are_no_changes() -> None:
    stays = interval_on(Line(lambda x: -1.5 <= x))
    assert stays.low == pytest.approx(-1.5, abs=1e-6) and stays.changes_below
    assert stays.high == 8 and not stays.changes_above
    assert str(stays) == "-1.5 and above"


def test_a_hole_at_a_checked_value_ends_the_interval() -> None:
    """Bisection from the far end passes it by."""
    stays = interval_on(Line(lambda x: x < 3.4 or x > 4.6))
    assert stays.high == pytest.approx(3.4, abs=1e-6) and stays.changes_above
    assert CHECKED == 20


def test_where_steps_vanish_the_search_ends_without_a_change() -> None:
    stays = interval_on(Line(lambda x: x < 1), low=-2.0)
    assert stays.low == pytest.approx(-2, abs=1e-6) and not stays.changes_below
    assert stays.high == pytest.approx(1, abs=1e-6) and stays.changes_above


# --- the influence of rows ---------------------------------------------------------------------


class Without(BruteForce):
    """All derivations where the response of a row is not known."""

    row = -1

    def _responses(self, rows: tuple[int, ...]) -> list[Any]:
        return super()._responses(tuple(r for r in rows if r != self.row))


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", range(10))
def test_influence_is_that_of_refits(seed: int) -> None:
    case = random_case(seed, 40)
    if not case.spec.derivations:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        compare_influence(case)


def compare_influence(case: Case) -> None:
    question, program = Question.of(case, n=2), slp.parse(case.text)
    rows = question.frame(case) if question.rows else None
    found = program.sensitivity(case.table.frame(), rows=rows)
    if found.influence is None:
        assert any("the influence of rows is not known" in note for note in found.notes)
        return
    spec = Without(case.model.program, case.spec.example, case.table.leaf, LIMIT)
    for i, own in enumerate(found.influence.log_evidence.tolist()):
        assert own == pytest.approx(case.spec.log_given_others(i), abs=10 * case.rounding)
        told = [x for row in question.rows for x in case.spec.predictive(row)]
        spec.row = i
        others = [x for row in question.rows for x in spec.predictive(row)]
        have = found.influence.predictions[i].ravel()
        np.testing.assert_allclose(have, np.subtract(told, others), 1e-7, 1e-8)


# --- one program -------------------------------------------------------------------------------

ROWS = pl.DataFrame(
    {
        "a": [0, 1, 4, 2, 7, 3, 5, 6, 9, 8],
        "b": [0, 0, 1, 1, 0, 1, 1, 0, 1, 0],
        "y": ["p", "q", "q", "p", "q", "q", "q", "p", "q", "q"],
    }
)
#: The checker looks at few states of it.
TEXT = """
:- param(alpha, 0.9).
:- start(t(0)).
alpha / (1 + D) :: t(D) --> { D < 2 }, split(F, V), t(D + 1), t(D + 1).
1 - alpha / (1 + D) :: t(D) --> { D < 2 }, leaf.
1 :: t(2) --> leaf.
"""


def test_a_computed_parameter_and_one_of_guards_do_not_vary() -> None:
    text = """
    :- param(p, 0.6).
    :- param(q, p / 2).
    :- param(most, 2).
    :- start(t(0)).
    p :: t(D) --> { D < most }, split(F, V), t(D + 1), t(D + 1).
    1 - q - p / 2 :: t(D) --> { D < most }, leaf.
    1 :: t(D) --> { D >= most }, leaf.
    """
    found = slp.parse(text).sensitivity(ROWS)
    assert found["p"].kind == "parameter"
    assert "computed" in found.not_varied["q"] and "guards" in found.not_varied["most"]
    step = 1e-4
    up, down = (
        slp.parse(text).with_parameters(p=0.6 + x).posterior(ROWS).log_evidence
        for x in (step, -step)
    )
    assert found["p"].log_evidence == pytest.approx((up - down) / (2 * step), abs=1e-6)


def test_values_that_python_set_are_the_program() -> None:
    program = slp.parse(TEXT).with_parameters(alpha=0.4)
    found = program.sensitivity(ROWS)
    assert found["alpha"].value == 0.4
    assert found.log_evidence == pytest.approx(program.posterior(ROWS).log_evidence, abs=1e-10)
    step = 1e-4
    up, down = (
        slp.parse(TEXT).with_parameters(alpha=0.4 + x).posterior(ROWS).log_evidence
        for x in (step, -step)
    )
    assert found["alpha"].log_evidence == pytest.approx((up - down) / (2 * step), abs=1e-6)


def test_under_weights_a_label_varies_alone() -> None:
    text = ":- weights.\n:- start(t).\n2 :: t --> split(F, V), t, t.\n3 :: t --> leaf.\n"
    text += ":- support(max_depth(2)).\n"
    found = slp.parse(text).sensitivity(ROWS)
    step = 1e-5
    up, down = (
        slp.parse(text.replace("2 ::", f"{2 * math.exp(x):.17g} ::")).posterior(ROWS).log_evidence
        for x in (step, -step)
    )
    want = (up - down) / (2 * step)
    assert found["t --> split(F, V), t, t"].log_evidence == pytest.approx(want, abs=1e-6)


def test_a_label_near_1_has_a_derivative_and_an_interval() -> None:
    """The ratio of two labels p and 1 - p moves by 1 / (1 - p) with log p."""
    text = ":- start(t).\n1e-9 :: t --> split(F, V), leaf, leaf.\n0.999999999 :: t --> leaf.\n"
    found = slp.parse(text).sensitivity(ROWS)
    split, leaf = found["t --> split(F, V), leaf, leaf"], found["t --> leaf"]
    assert leaf.log_evidence == pytest.approx(-(1e9 - 1) * split.log_evidence, rel=1e-6)
    assert leaf.stays.changes_below and leaf.stays.low == pytest.approx(0.2683, abs=1e-4)
    assert not leaf.stays.changes_above and leaf.stays.high == pytest.approx(1, abs=1e-6)


def test_the_end_of_the_time_is_no_end_of_a_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels that were not compiled in time are not invalid."""
    known = {"n": 0}

    def late(*given: Any) -> Any:
        known["n"] += 1
        if known["n"] > 3:
            Deadline(1e-9).check("lowering the program")
        return compile_program(*given)

    monkeypatch.setattr("slp.program.sensitivity.compile_program", late)
    with pytest.raises(slp.BudgetError, match="E540"):
        slp.parse(TEXT).sensitivity(ROWS)


def test_rows_by_number_are_those_rows() -> None:
    program = slp.parse(TEXT)
    found = program.sensitivity(ROWS, rows=[3, 0])
    new = program.sensitivity(ROWS, rows=ROWS[[3, 0]])
    assert found.rows == ("row 3", "row 0") and new.rows == ("new row 0", "new row 1")
    np.testing.assert_allclose(found.predictions, new.predictions)
    want = program.posterior(ROWS).predict_proba(ROWS)[[3, 0]]
    np.testing.assert_allclose(found.predictions, want, atol=1e-10)


def test_a_prior_that_looks_at_the_response_has_no_influences() -> None:
    text = TEXT + "box(low, a, -inf, 2.5).\n:- constraint(majority(low, p)).\n"
    found = slp.parse(text).sensitivity(ROWS)
    assert found.influence is None and found.slopes
    assert any("looks at the response" in note for note in found.notes)


def test_leaves_without_a_mean_tell_no_row() -> None:
    numbers = ROWS.with_columns(y=pl.col("a") * 0.1 + 0.3, w=pl.lit(0.25))
    text = TEXT + ":- leaf(normal_inverse_gamma(0, 1, 0.1, 1)).\n"
    with pytest.raises(slp.UsageError, match="E527"):
        slp.parse(text + ":- row_weight(w).\n").sensitivity(numbers, rows=[0])
    found = slp.parse(text).sensitivity(numbers.drop("w"), rows=[0])
    want = slp.parse(text).posterior(numbers.drop("w")).predict(numbers.drop("w"))[0]
    assert found.predictions[0, 0] == pytest.approx(want, abs=1e-10)
    assert found.influence.predictions is None and any("no mean" in n for n in found.notes)


def test_rows_are_counted_as_they_were_given() -> None:
    """Those of weight 0 are absent."""
    rows = ROWS.with_columns(w=pl.Series([1.0, 0.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]))
    program = slp.parse(TEXT + ":- row_weight(w).\n:- response(y).\n")
    found = program.sensitivity(rows, rows=[3])
    want = program.posterior(rows).predict_proba(rows)[3]
    np.testing.assert_allclose(found.predictions[0], want, atol=1e-10)
    assert found.influence.rows.tolist() == [0, *range(2, 10)]
    assert len(found.influence.log_evidence) == len(found.influence.predictions) == 9
    with pytest.raises(slp.UsageError, match=r"E528.* weight 0"):
        program.sensitivity(rows, rows=[1])
    with pytest.raises(slp.DataError):
        program.sensitivity(rows, rows=[True, False])


def test_what_the_time_leaves_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: Any) -> None:
        Deadline(1e-9).check("waiting")

    monkeypatch.setattr("slp.program.sensitivity.interval_of_best_tree", late)
    monkeypatch.setattr("slp.program.sensitivity.influence_on_rows", late)
    found = slp.parse(TEXT).sensitivity(ROWS, rows=[0])
    assert found["alpha"].stays is None and "time ended" in found["alpha"].why_not
    assert found["alpha"].interval == "not known"
    assert found.influence.predictions is None and any("time ended" in n for n in found.notes)
    assert found.to_dict()["influence"]["predictions"] is None


@pytest.mark.usefixtures("compiled_kernels")
def test_what_is_far_too_large_is_refused_at_once() -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {**dict(zip("abcd", rng.normal(size=(4, 300)), strict=True)), "y": [*"np"] * 150}
    )
    with pytest.raises(slp.BudgetError, match="10\\^[0-9]+ boxes.*by an estimate"):
        slp.parse(":- use(growtree).").sensitivity(frame)


def test_what_the_exact_engine_refuses_is_refused() -> None:
    text = TEXT + ":- constraint(max_features(1)).\n"
    with pytest.raises(slp.UnsupportedError, match="E301"):
        slp.parse(text).sensitivity(ROWS)
    with pytest.raises(slp.UsageError, match="E528"):
        slp.parse(TEXT).sensitivity(ROWS, rows=[10])
    with pytest.raises(slp.BudgetError, match="E501"):
        slp.parse(TEXT).sensitivity(ROWS, memory="20KiB")
    durations = ROWS.with_columns(y=pl.Series([1.5, 2, 3, 1, 2, 4, 2, 1, 3, 2.5]))
    text = TEXT + ":- leaf(gamma_exponential(1, 1)).\n"
    with pytest.raises(slp.UsageError, match="E529"):
        slp.parse(text).sensitivity(durations, rows=[0])
    assert slp.parse(text).sensitivity(durations)["alpha"].log_evidence != 0


def test_the_specification_finds_a_wrong_derivative(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the prior's sums, where derivations fail."""
    case = random_case(47, 60)
    assert compare(case) > 0
    monkeypatch.setattr("slp.sensitivity.labels._share", lambda found, span: 0.9 if found else 0.0)
    with pytest.raises(AssertionError):
        compare(case)
