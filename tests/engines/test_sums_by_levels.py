"""Sums over trees of two and three levels of splits by looks at sorted rows equal the plain chart:
on random tables of classes and counts, under random grammars of few levels.

Many more cases: `python -m tests.engines.test_sums_by_levels 10000`.
Their result is in docs/design/exact-passes.md.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from slp.data.table import Table
from slp.engines.exact import CompiledChart
from slp.engines.exact.items import CALL, LEAF, Items
from slp.engines.exact.passes import PassQuantity
from slp.ir.program import Measure
from slp.ir.tree_grammar import LeafRule, Rule, SplitRule, TreeGrammar
from slp.leaves import NormalInverseGamma
from slp.results.averages.left_out import HeldRows
from tests.engines.cases import cells, make_grammar, random_table, split_rule
from tests.engines.engines import compiled, plain

#: Measures whose shares follow from the numbers of cuts: others keep their passes.
_BY_COUNTS: tuple[Measure, ...] = ("feature_then_cut", "all", "each", "per_feature")


def case(seed: int) -> tuple[TreeGrammar, Table, bool]:
    """A grammar, a table, and whether the likelihood counts. Every fourth table of classes has rows
    of real weights."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, 9)
    while isinstance(table.leaf, NormalInverseGamma):
        table = random_table(rng, 9)
    if table.leaf.classes and not rng.integers(4):
        weights = rng.uniform(0.3, 3.0, (len(table.counts), 1))
        table = replace(table, statistics=table.statistics * weights)
    grammar = few_levels(rng, table, int(rng.integers(2, 4)))
    return grammar, table, bool(rng.integers(6))


def few_levels(rng: np.random.Generator, table: Table, levels: int) -> TreeGrammar:
    """The start splits into states of one level less, one in three times on one side only: then the
    other side has a state of any lower level. States have up to two leaf rules."""
    one_sided = not rng.integers(3) and not any(f.kind.categorical for f in table.features)
    states: list[list[Rule]] = []
    for level in range(levels, -1, -1):
        rules: list[Rule] = [LeafRule(float(rng.normal())) for _ in range(rng.integers(3))]
        if level == 0 and not rules:
            rules.append(LeafRule(0.0))
        if level:
            own = levels - level + 1
            other = int(rng.integers(own, levels + 1)) if one_sided else own
            measure = _BY_COUNTS[rng.integers(len(_BY_COUNTS))]
            sides = (own, other) if rng.integers(2) else (other, own)
            weight = float(rng.normal())
            rules.insert(
                int(rng.integers(len(rules) + 1)),
                split_rule(cells(table), *sides, measure, weight),
            )
        states.append(rules)
    return make_grammar(
        table,
        states,
        normalise=bool(rng.integers(3)),
        min_leaf=int(rng.choice([1, 1, 2])),
        feature_weights=rng.uniform(0.5, 3.0, len(table.features)),
    )


def close(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-14)


def close_logs(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-11, atol=1e-10)


def check(seed: int) -> bool:
    """One case; whether there are trees."""
    grammar, table, likelihood = case(seed)
    want, have = plain(grammar, table, likelihood), compiled(grammar, table, likelihood)
    assert have.passes.by_levels
    assert have.tree_count() == want.tree_count()
    if want.tree_count() == 0:
        assert have.log_total == -math.inf
        return False
    close_logs(have.log_total, want.log_total)
    for a, b in zip(islice(have.best(), 12), islice(want.best(), 12), strict=True):
        close_logs(
            a.log_weight + likelihood * a.log_likelihood,
            b.log_weight + likelihood * b.log_likelihood,
        )
    count, log_sum = have.near_best(1.5)
    assert count == want.near_best(1.5)[0]
    close_logs(log_sum, want.near_best(1.5)[1])
    for name in ("usage", "expected_splits", "root_splits", "rule_uses"):
        close(getattr(have, name)(), getattr(want, name)())
    close(have.leaf_distribution(), want.leaf_distribution())
    close(have.depth_distribution(), want.depth_distribution())
    rng = np.random.default_rng(seed)
    for a, b in zip(
        have.leaf_mixtures(rows := new_rows(rng, table)), want.leaf_mixtures(rows), strict=True
    ):
        predict = table.leaf.predict_proba if table.leaf.classes else table.leaf.mean
        close(a.probability @ predict(a.statistics), b.probability @ predict(b.statistics))
    for tree in islice(want.best(), 3):
        close_logs(have.log_weight(tree.tree), want.log_weight(tree.tree))
    check_choices(have, "total")
    check_choices(have, "best")
    check_weights(grammar, table, have, want.log_total)
    again = compiled(grammar, table, likelihood, threads=2)
    assert again.log_total == have.log_total
    assert np.array_equal(again.usage(), have.usage())
    if likelihood and len(table.counts) == table.n_rows:
        held = HeldRows.of(table)
        close(have.leave_out(held).log_predictive, want.leave_out(held).log_predictive)
    return True


def new_rows(rng: np.random.Generator, table: Table) -> np.ndarray:
    rows = np.empty((4, len(table.features)), object)
    for j, feature in enumerate(table.features):
        numbers = rng.integers(-1, 11, 4).astype(float).tolist()
        names = feature.kind.names if feature.kind.categorical else ()
        rows[:, j] = rng.choice([*names, "new"], 4) if names else numbers
    return rows


def check_choices(have: CompiledChart, quantity: PassQuantity) -> None:
    """The choices at each item are worth what its callers hold it for. So a draw takes each tree
    with its probability, and ranks are those of trees."""
    passes, likelihood = have.passes, have.likelihood
    items = Items(passes, have.grammar, have.table, quantity, likelihood=likelihood)
    waiting: list[tuple[int, float | None]] = [(0, None)]
    seen: set[int] = set()
    while waiting:
        item, value = waiting.pop()
        edges = items.edges(item)
        scores = edges.scores(likelihood)
        own = np.logaddexp.reduce(scores) if quantity == "total" else scores.max()
        if value is not None:
            close_logs(own, value)
        if item in seen:
            continue
        seen.add(item)
        for edge in np.flatnonzero(np.isfinite(scores) & (edges.feature != LEAF)):
            children = items.children(item, int(edge))
            values = edges.log_left[edge], edges.log_right[edge]
            one = edges.feature[edge] == CALL
            waiting += zip(children, values[:1] if one else values, strict=True)


def check_weights(grammar: TreeGrammar, table: Table, have: CompiledChart, total: float) -> None:
    """The derivative by the log weight of a rule is its uses less what its weight alone says."""
    outside, step = have.outside(), 1e-5
    rules = list(grammar.rules())
    r = int(np.argmax([isinstance(rule, SplitRule) for _, rule in rules]))
    for number in {0, r, len(rules) - 1}:
        totals = [
            plain(with_weight(grammar, number, by), table, have.likelihood).log_total
            for by in (step, -step)
        ]
        slope = (totals[0] - totals[1]) / (2 * step)
        want = outside.uses[number] - (outside.weights[number] if grammar.normalise else 0.0)
        np.testing.assert_allclose(slope, want, atol=2e-6 * max(1.0, abs(total)))


def with_weight(grammar: TreeGrammar, number: int, by: float) -> TreeGrammar:
    """The grammar where one rule's log weight is more."""
    states, first = [], 0
    for state in grammar.all_states():
        rules = list(state.rules)
        if first <= number < first + len(rules):
            rule = rules[number - first]
            rules[number - first] = replace(rule, log_weight=rule.log_weight + by)
        first += len(rules)
        states.append(replace(state, rules=tuple(rules)))
    return replace(grammar, states=tuple(states))


@pytest.mark.thinned(8)
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("first", range(0, 400, 10))
def test_sums_by_levels_equal_the_chart(first: int) -> None:
    found = [check(seed) for seed in range(first, first + 10)]
    assert sum(found) >= 5


if __name__ == "__main__":
    cases = int(sys.argv[1])
    found = [check(seed) for seed in range(cases)]
    print(f"{cases} cases agree; {sum(found)} have trees")
