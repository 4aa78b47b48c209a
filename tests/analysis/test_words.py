"""Constraints and programs in words."""

from __future__ import annotations

import math

import pytest

from slp.analysis import check_program
from slp.constraints import (
    Before,
    Constant,
    Exclusive,
    First,
    Forbid,
    Interaction,
    Majority,
    MaxFeatures,
    MaxLeaves,
    Monotone,
    Once,
    Predicate,
)
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint
from slp.ir.words import describe_constraint, describe_prior
from slp.source import SourceFile
from slp.syntax import parse_program
from slp.terms import Number, Struct, Text

INFANT = Box("infant", {"age": (0.0, 24.0), "dose": (-math.inf, 1.5)})
OLD = Box("old", {"age": (65.0, math.inf)})
FREE = Box("free", {"age": (-math.inf, math.inf)})

OF_CLASSES = " (of ordered classes: the probability of being above any one of them)"

SENTENCES: list[tuple[Constraint, str]] = [
    (
        Constant(INFANT),
        "The box infant (0 <= age < 24 and dose < 1.5) is not cut: a node that holds all of it "
        "splits on age or dose alone, outside the box.",
    ),
    (
        Constant(FREE),
        "The box free (everywhere) is not cut: the tree does not split.",
    ),
    (Forbid("age"), "No split is on age."),
    (
        Forbid("age", below=3),
        "No split is on age at depth 3 or deeper (the root is 0).",
    ),
    (
        Forbid("dose", within=OLD),
        "No split is on dose at nodes that lie inside the box old (age >= 65).",
    ),
    (First("age"), "If the tree splits at all, the root splits on age."),
    (Before("age", "dose"), "Every split on dose has a split on age above it."),
    (Once("age"), "No path splits on age twice."),
    (Exclusive(("a", "b", "c")), "No path splits on two of a, b and c."),
    (
        Interaction((("a", "b"), ("c",))),
        "The features of each path lie together in {a, b} or {c}.",
    ),
    (
        Majority(OLD, "yes"),
        "In every leaf that meets the box old (age >= 65), no class has more rows than yes.",
    ),
    (MaxLeaves(1), "The tree has at most 1 leaf."),
    (MaxLeaves(7), "The tree has at most 7 leaves."),
    (MaxFeatures(2), "The tree splits on at most 2 features."),
    (Monotone("age", "up"), f"Predictions never fall as age grows{OF_CLASSES}."),
    (Monotone("age", "down"), f"Predictions never rise as age grows{OF_CLASSES}."),
    (
        Predicate("python", Text("m:f"), local=True),
        "The Python predicate m:f holds of every node.",
    ),
    (
        Predicate("prolog", Struct("ok", (Number(3),))),
        "The Prolog predicate ok(3) holds of the finished tree.",
    ),
]


@pytest.mark.parametrize(("constraint", "want"), SENTENCES, ids=lambda x: type(x).__name__)
def test_constraint_in_words(constraint: Constraint, want: str) -> None:
    assert describe_constraint(constraint) == want


def described(text: str) -> list[str]:
    return describe_prior(check_program(parse_program(SourceFile("t.slp", text))))


def test_exposures_in_words() -> None:
    have = described(
        ":- use(growtree). :- response(claims, exposure(years)). :- leaf(gamma_poisson(1, 1))."
    )
    assert "The response is claims, a count whose rate is per unit of years." in have


def test_program_in_words() -> None:
    have = described(
        """
        :- start(tree(0)).
        :- param(p, 0.25).
        :- response(time, event(status)).
        :- leaf(dirichlet([1, 2])).
        :- feature(age, [cuts([18, 40])]).
        :- feature(_, [bins(quantile, 10)]).
        :- ignore([id, date]).
        :- support([min_leaf(5), max_depth(6)]).
        :- feature_weight(age, 3).
        :- constraint(first(age)).
        p     :: tree(D) --> { D < 9 }, split(age, V, gap), { V > 3 }, leaf, tree(D + 1).
        1 - p :: tree(_) --> leaf.
        """
    )
    assert have == [
        "A tree starts as tree(0).",
        "tree(D), if D < 9, splits on age into leaf (below the threshold) and tree(D + 1) (the "
        "feature drawn uniformly among those that can split the box, then the threshold with "
        "probability proportional to the gap that it falls in), where V > 3, with probability p.",
        "tree(_) becomes a leaf, with probability 1 - p.",
        "Here p = 0.25.",
        "Where a rule does not apply, the probabilities of the others are scaled up to sum to 1: "
        "rows that no split can part become a leaf.",
        "Each side of a split keeps at least 5 rows.",
        "No leaf is deeper than 6.",
        "Feature age is drawn with weight 3, where others have 1.",
        "If the tree splits at all, the root splits on age.",
        "Splits and leaves that a constraint forbids are taken out before anything is drawn.",
        "Leaves follow dirichlet([1, 2]).",
        "The response is time, a duration whose end was seen where status.",
        "age is cut at 18 and 40.",
        "Every other numeric feature is cut into 10 quantile bins.",
        "Not used: id and date.",
    ]


def test_without_fine_print() -> None:
    read = parse_program(SourceFile("t.slp", ":- use(growtree). :- constraint(first(age))."))
    program = check_program(read)
    short, full = describe_prior(program, fine_print=False), describe_prior(program)
    assert [s for s in full if s not in short] == [
        "Where a rule does not apply, the probabilities of the others are scaled up to sum to 1: "
        "rows that no split can part become a leaf.",
        "Splits and leaves that a constraint forbids are taken out before anything is drawn.",
    ]


def test_weights_and_failure_in_words() -> None:
    have = described(":- use(denison). :- failure(condition). :- constraint(first(age)).")
    assert have[1].endswith("with weight 1/phi.")
    assert (
        "A tree's weight is the product of the weights of its rules and splits; the prior is these "
        "weights, divided by their sum over all trees." in have
    )
    assert (
        "What a constraint forbids keeps its probability and fails; the prior is what does not "
        "fail, renormalised over whole trees." in have
    )


def test_features_of_a_type_share_a_sentence() -> None:
    text = (
        ":- use(growtree). :- feature(a, [numeric]). :- feature(w, [categorical])."
        " :- feature(b, [numeric]). :- feature(c, [cuts([1])])."
    )
    program = check_program(parse_program(SourceFile("t.slp", text)))
    assert describe_prior(program, fine_print=False)[-3:] == [
        "c is cut at 1.",
        "a and b are numeric.",
        "w is categorical.",
    ]
