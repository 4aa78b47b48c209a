"""What certificates claim of single trees, and what a tree does not tell."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import slp
from slp.errors import DataError, UsageError
from tests.trees.certificates.checking import (
    INFANT,
    SPLIT,
    TREE,
    verdicts,
)


def test_unknown_statements_and_code_are_never_said_to_hold() -> None:
    program = slp.parse(INFANT).require(lambda tree: True)
    certificate = slp.Tree.from_dict({}).certificate(program)
    (claim,) = certificate["claims"]
    assert (claim["claim"], claim["reason"]) == ("not checked", "code decides it")
    assert verdicts(certificate) == ["not checked"]
    claim["statement"]["kind"] = "no_such"
    assert verdicts(certificate) == ["not checked"]


def test_rows_are_counted_apart_from_their_weights() -> None:
    frame = pl.DataFrame({"x": [0, 0, 1], "w": [1.0, 5.0, 9.0], "y": ["a", "b", "a"]})
    weighted = ":- use(growtree). :- row_weight(w). :- response(y)."
    program = slp.parse(weighted + " :- support(min_leaf(2)).")
    tree = slp.Tree.from_dict({"feature": "x", "threshold": 0.5, "left": {}, "right": {}})
    certificate = tree.certificate(program, frame)
    assert certificate["rows"] == [2, 1]
    assert verdicts(certificate) == ["broken"]
    posterior = slp.parse(weighted).posterior(frame, draws=50, seed=1, engine="exact")
    draw = next(draw for draw in posterior.draws if draw.tree.n_leaves == 2)
    certificate = draw.tree.certificate(program)
    assert certificate["rows"] == [None, None]
    assert verdicts(certificate) == ["not checked"]


def test_faults_are_those_of_checks() -> None:
    with pytest.raises(UsageError, match="E612"):
        TREE.certificate("first(age)")
    with pytest.raises(DataError, match="E611"):
        TREE.certificate(slp.parse(INFANT), None, "ill")


@pytest.mark.parametrize(
    "order, at, bounds, want",
    [
        (["i", "ii", "iii", "iv"], "iii", (1.0, 3.0), "broken"),  # its place is 2
        (["i", "ii", "iii", "iv"], "iii", (2.0, 3.0), "holds"),
        (["1", "5", "10"], "10", (4.0, 12.0), "broken"),
        (["1", "5", "10"], "10", (1.0, 3.0), "holds"),
    ],
)
def test_levels_of_an_order_are_numbers_or_places(
    order: list[str], at: str, bounds: tuple[float, float], want: str
) -> None:
    low, high = bounds
    program = slp.parse(
        f":- use(growtree). box(b, stage, {low}, {high}). :- constraint(constant(b))."
    )
    tree = slp.Tree.from_dict(
        {"feature": "stage", "threshold": at, "order": order, "left": {}, "right": {}}
    )
    certificate = tree.certificate(program)
    assert certificate["claims"][0]["claim"] == want
    assert verdicts(certificate) == [want]


def test_leaves_meet_in_levels_of_the_table_alone() -> None:
    """Both leaves with falling predictions are neither red nor blue."""

    def by_colour(level: str, counts: dict[str, int], rest: dict[str, int]) -> dict[str, Any]:
        sides = {"left": {"counts": counts}, "right": {"counts": rest}}
        return {"feature": "colour", "level": level, **sides}

    even, sick, well = {"no": 1, "yes": 1}, {"no": 1, "yes": 4}, {"no": 4, "yes": 1}
    tree = slp.Tree.from_dict(
        {
            "feature": "age",
            "threshold": 5,
            "left": by_colour("red", even, sick),
            "right": by_colour("blue", sick, well),
        }
    )
    program = slp.parse(INFANT + ":- constraint(monotone(age, up)).")
    certificate = tree.certificate(program)
    assert verdicts(certificate) == [certificate["claims"][0]["claim"]] == ["broken"]  # at red
    statement = certificate["claims"][0]["statement"]
    assert statement["levels"] == {"colour": ["blue", "red"]}
    tree = slp.Tree.from_dict(
        {
            "feature": "age",
            "threshold": 5,
            "left": by_colour("red", even, sick),
            "right": by_colour("red", sick, well),
        }
    )
    certificate = tree.certificate(program)
    claim = certificate["claims"][0]
    assert verdicts(certificate) == [claim["claim"]] == ["not checked"]
    claim["statement"]["all_levels"] = True  # red is the only colour
    assert verdicts(certificate) == ["holds"]
    green = {"colour": "green"}
    claim["statement"]["levels"]["colour"].append("green")
    claim |= {"claim": "broken", "witness": {"points": [{**green, "age": 4}, {**green, "age": 5}]}}
    assert verdicts(certificate) == ["broken"]


def told(tree: dict[str, Any], program: str, text: str = INFANT) -> tuple[str, str]:
    """The claim and the reason of the one statement, which the checker finds too."""
    certificate = slp.Tree.from_dict(tree).certificate(slp.parse(text + program))
    (claim,) = certificate["claims"]
    assert verdicts(certificate) == [claim["claim"]]
    return claim["claim"], claim.get("reason", "")


def test_weights_are_no_rows() -> None:
    """The leaves may have one row each."""
    tree = {**SPLIT, "left": {"counts": {"no": 9}}, "right": {"counts": {"yes": 3}}}
    limit = ":- support(min_leaf(2))."
    assert told(tree, limit)[0] == "holds"
    found, reason = told(tree, limit, ":- use(growtree).\n:- row_weight(w).\n")
    assert found == "not checked" and "give the table" in reason
    tree["left"] = {"counts": {"no": 8.5}}
    assert told(tree, limit)[0] == "not checked"


RISING = ":- constraint(monotone(age, up))."


def test_classes_outside_the_order_are_not_passed_over() -> None:
    tree = {**SPLIT, "left": {"counts": {"maybe": 9}}, "right": {"counts": {"no": 9}}}
    assert told(tree, RISING) == ("not checked", "the declared order lacks maybe")


def test_leaves_with_priors_of_their_own_are_not_checked() -> None:
    """The smoothed predictions fall, those of the counts rise."""
    left = {"counts": {"no": 5, "yes": 3}, "concentrations": {"no": 1.0, "yes": 30.0}}
    right = {"counts": {"no": 3, "yes": 5}, "concentrations": {"no": 30.0, "yes": 1.0}}
    found, reason = told({**SPLIT, "left": left, "right": right}, RISING)
    assert found == "not checked" and "priors of their own" in reason


def test_levels_without_an_order_are_not_monotone() -> None:
    sides = {"left": {"counts": {"yes": 9}}, "right": {"counts": {"no": 9}}}
    found, reason = told({"feature": "age", "level": "old", **sides}, RISING)
    assert (found, reason) == ("not checked", "the levels of age have no order")


def test_means_without_rows_are_not_checked() -> None:
    """As in the leaves of a hardened soft tree."""
    sides = {"left": {"mean": 2.0, "variance": 1.0}, "right": {"mean": 1.0, "variance": 1.0}}
    for leaf in ("", ":- leaf(normal_inverse_gamma(0, 1, 2, 1)).", ":- leaf(gamma_poisson(2, 1))."):
        found, reason = told({**SPLIT, **sides}, f"{leaf}\n{RISING}", ":- use(growtree).\n")
        assert (found, reason) == ("not checked", "the leaves do not say what they predict")
