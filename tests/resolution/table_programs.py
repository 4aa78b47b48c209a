"""Programs expanded on a table, and the trees that their proofs must come to."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

import polars as pl
from scipy.stats import chi2

import slp
from slp.ir.program import CheckedProgram, SplitBody
from slp.problem.problem import Problem
from slp.reference.boxes import Geometry
from slp.reference.enumeration.derivations import Derivation, derivations
from slp.terms import Var, variables
from tests.operands import operand
from tests.spec.example import TreeKey

__all__ = [
    "MUST",
    "PATIENTS",
    "TABLE",
    "assert_drawn",
    "can_be_expanded",
    "grammar_weights",
    "prior_text",
    "tree_text",
]

#: Ties, a repeated row, levels, and bins: 28 trees under `bcart_pcfg`, 94 under the others.
TABLE = pl.DataFrame(
    {
        "age": [10.0, 20.0, 40.0, 40.0, 20.0],
        "sex": ["f", "m", "m", "x", "m"],
        "dose": [1, 2, 9, 4, 2],
        "ill": ["no", "no", "yes", "yes", "no"],
    }
)

PATIENTS = pl.DataFrame(
    {"age": [10, 20, 40, 70], "sex": ["f", "m", "m", "f"], "ill": ["no", "no", "yes", "yes"]}
)

#: Where the younger side is to split on sex and cannot, the derivation fails.
MUST = """
:- start(tree).
1   :: tree --> split(age, _), part, leaf.
1/2 :: part --> leaf.
1/2 :: part --> again.
1   :: again --> split(sex, _), leaf, leaf.
"""


def prior_text(name: str) -> str:
    """A library prior, with a feature in bins; `rjhmc`, which is of numbers, on two columns."""
    if name == "rjhmc":
        return ":- use(rjhmc).\n:- ignore(sex).\n"
    return f":- use({name}).\n:- feature(dose, [cuts([3, 5, 7])]).\n"


def can_be_expanded(program: CheckedProgram) -> bool:
    """Whether a program has an expansion on a table: it has no constraints, and no guard asks for a
    threshold that `range` draws."""
    if program.constraints:
        return False
    for body in (rule.body for rule in program.rules):
        if isinstance(body, SplitBody) and body.measure == "range":
            asked = {v for goal in body.after for v in variables(goal)}
            if not isinstance(body.threshold, Var) or body.threshold in asked:
                return False
    return True


def grammar_weights(model: Problem) -> Mapping[str, float]:
    """Each tree of the tree grammar, as Prolog text, with the sum of its derivations' weights."""
    geometry = Geometry(model.grammar, model.table)
    weights: dict[str, float] = defaultdict(float)
    for derivation in derivations(model.grammar, geometry):
        weights[tree_text(_key(derivation, geometry))] += math.exp(derivation.log_weight)
    return weights


def _key(derivation: Derivation, geometry: Geometry) -> TreeKey:
    if derivation.cut is None:
        return "leaf"
    assert derivation.left is not None and derivation.right is not None
    cut = geometry.cuts[derivation.cut]
    name = geometry.table.features[cut.feature].name
    return (
        name,
        operand(cut.test),
        _key(derivation.left, geometry),
        _key(derivation.right, geometry),
    )


def tree_text(key: TreeKey) -> str:
    """A tree as queries answer with it; names of features and levels must need no quotes."""
    if key == "leaf":
        return "leaf"
    feature, test, left, right = key
    return f"split({feature}, {test}, {tree_text(left)}, {tree_text(right)})"


def assert_drawn(draws: slp.Draws, want: Mapping[str, float]) -> None:
    """Draws of `prior(Tree)` have these probabilities, by a chi-square test that fails for one
    sound sampler in 10^6. Trees expected less than five times are one cell."""
    n, total = len(draws), sum(want.values())
    counts = {str(answer["Tree"]): k for answer, k in draws.frequencies()}
    assert counts.keys() <= want.keys()
    cells: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for tree, weight in want.items():
        cell = cells[tree if weight / total * n >= 5 else "rare"]
        cell[0] += weight / total * n
        cell[1] += counts.get(tree, 0)
    statistic = sum((have - expected) ** 2 / expected for expected, have in cells.values())
    assert statistic < chi2.isf(1e-6, len(cells) - 1)
