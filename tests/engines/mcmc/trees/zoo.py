"""Examples from programs: priors of the library and constraints, on tables of a few rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import polars as pl

import slp
from slp.data import table_of
from slp.engines.mcmc.trees.target import Target
from slp.lower import program_to_tree_grammar
from slp.problem.boxes import Geometry
from slp.problem.local_process import LocalProcess
from slp.problem.tree_tests import tree_tests
from tests.engines.mcmc.trees.matrices import Example, all_proofs

#: Programs that begin with these priors. The table has two numeric features, `x0` and `x1`, and
#: one of levels, `x2`; under `range`, which is of numbers, the levels are numbers.
PRIORS = {
    "growtree": ":- use(growtree, [alpha = 0.8, beta = 0.5]).",
    "growtree_all": ":- use(growtree_all).",
    "growtree_gap": ":- use(growtree_gap). :- feature_weight(x0, 3).",
    "gmt": ":- use(gmt, [q = 0.8]).",
    "denison": ":- use(denison, [phi = 1.5]).",
    "bcart_pcfg": ":- use(bcart_pcfg, [phi = 1.5]).",
    "pinball": ":- use(pinball).",
    "range": ":- use(rjhmc, [alpha = 0.8]). :- feature_weight(x0, 3).",
    "two derivations": ":- start(t). 0.5 :: t --> split(F, V), t, u. 0.2 :: t --> leaf."
    " 0.3 :: t --> split(F, V), u, t. 1 :: u --> w. 1 :: w --> leaf.",
}
CONSTRAINTS = {
    "none": "",
    "before": ":- constraint(before(x0, x1)).",
    "first": ":- constraint(first(x1)). :- failure(condition).",
    "once": ":- constraint(once(x0)). :- constraint(exclusive([x0, x2])).",
    "forbid": ":- constraint(forbid(x0, below(1))). :- failure(condition).",
    "within": "box(b, x0, 1, 3). :- constraint(forbid(x1, within(b))).",
    "majority": "box(b, x1, 1, 3). :- constraint(majority(b, a)).",
    "interaction": ":- constraint(interaction([[x0], [x1, x2]])).",
    "max_cost": ":- cost(x0, 2). :- cost(x1, 1). :- cost(x2, 1). :- constraint(max_cost(2)).",
    "max_leaves": ":- constraint(max_leaves(3)).",
    "max_features": ":- constraint(max_features(1)).",
    "monotone": ":- constraint(monotone(x0, up)).",
    "support": ":- support(min_leaf(2)). :- support(max_depth(2)).",
}
_ROWS = {
    "x0": [1.0, 2.0, 3.0, 3.0, 0.5],
    "x1": [2.0, 1.0, 2.0, 3.0, 3.0],
    "x2": ["p", "q", "r", "p", "q"],
    "y": ["a", "b", "a", "a", "b"],
}
_LEVELS = {"p": 1.0, "q": 2.0, "r": 4.0}
#: An example has as many of the rows as keep its proofs within this number.
_MOST = 40


@cache
def from_program(prior: str, constraint: str) -> Example:
    """The example of a prior with a constraint."""
    for n in (5, 4, 3):
        made = _on_rows(prior, constraint, {name: column[:n] for name, column in _ROWS.items()})
        if len(made.proofs) <= _MOST:
            break
    return made


@cache
def of_three_splits(prior: str, constraint: str, power: float = 1.0) -> Example:
    """The same on three rows that have three distinct splits."""
    rows = {name: column[:3] for name, column in _ROWS.items()} | {"x2": ["p", "p", "p"]}
    return _on_rows(prior, constraint, rows, power)


@cache
def with_nodes_that_cannot_stop() -> Example:
    """The root and the node to its left always split; five rows that one feature tells apart."""
    text = (
        ":- start(s). 1 :: s --> split(F, V), t, u. 1 :: t --> split(F, V), u, u."
        " 0.6 :: u --> leaf. 0.4 :: u --> split(F, V), u, u."
    )
    return _of_text(text, {"x0": [1.0, 2.0, 3.0, 4.0, 5.0], "y": _ROWS["y"]})


def _on_rows(
    prior: str, constraint: str, rows: Mapping[str, list[Any]], power: float = 1.0
) -> Example:
    if prior == "range":
        rows = {**rows, "x2": [_LEVELS[level] for level in rows["x2"]]}
    return _of_text(f"{PRIORS[prior]} {CONSTRAINTS[constraint]}", rows, power)


def _of_text(text: str, rows: Mapping[str, list[Any]], power: float = 1.0) -> Example:
    program = slp.parse(f"{text} :- response(y, [ordinal([a, b])]).").ir
    table = table_of(program, pl.DataFrame(rows), None)
    schema = table.schema(program.support.min_leaf)
    grammar = program_to_tree_grammar(program, schema, tests_on_trees=True)
    process = LocalProcess(grammar, Geometry(grammar, table))
    tests = tree_tests(grammar, program.constraints, process.geometry)
    return Example(Target(process, power, tests), all_proofs(process))


def pairs() -> list[tuple[str, str]]:
    """Priors with constraints: each prior with every third constraint, each constraint with two
    priors or more."""
    return [
        (prior, constraint)
        for i, prior in enumerate(PRIORS)
        for j, constraint in enumerate(CONSTRAINTS)
        if (i + j) % 3 == 0
    ]
