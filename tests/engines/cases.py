"""Hand-made tree grammars and tables, and random ones that use everything a grammar can say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from slp.columns import Binned, Nominal, Numeric
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.ir.program import MEASURES, CheckedProgram, Measure
from slp.ir.tree_grammar import (
    FORBIDDEN,
    OUTSIDE,
    CallRule,
    LeafRule,
    Rule,
    SplitRule,
    State,
    TreeGrammar,
)
from slp.leaves import Dirichlet, GammaPoisson, LeafModel, NormalInverseGamma
from slp.problem.problem import Problem

CLASSES = ("a", "b", "c")


def make_table(
    features: Sequence[Feature],
    codes: Sequence[Sequence[int]],
    y: Sequence[float],
    leaf: LeafModel | None = None,
) -> Table:
    """A table of coded rows, merged where they are equal; `y` are class indices or numbers."""
    leaf = leaf or Dirichlet(CLASSES[: max(2, int(max(y)) + 1)], 1.0)
    rows = np.array(codes, np.int32).reshape(len(y), len(features))
    distinct, row_of, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    row_of = row_of.ravel()
    kind = np.int64 if leaf.classes else np.float64
    single = leaf.statistics(np.array(y, kind))
    statistics = np.zeros((len(distinct), leaf.n_statistics))
    np.add.at(statistics, row_of, single)
    return Table(
        tuple(features),
        distinct,
        counts,
        statistics,
        leaf,
        "y",
        len(y),
        row_of.astype(np.int64),
        without_weight=np.zeros(0, np.int64),
    )


def numeric(name: str, n_codes: int) -> Feature:
    """Values 0, 1, 2, ..."""
    return Feature(name, Numeric(np.arange(n_codes, dtype=np.float64)))


def make_grammar(
    table: Table,
    states: Sequence[Sequence[Rule]],
    *,
    breakpoints: Sequence[Sequence[float]] | None = None,
    **options: object,
) -> TreeGrammar:
    """A grammar on a table's features, starting in state 0."""
    d = len(table.features)
    settings: dict[str, object] = {
        "normalise": True,
        "failure": "restrict",
        "min_leaf": 1,
        "max_leaves": None,
        "horizon": 99,
        "normalised": False,
        "feature_weights": np.ones(d),
    }
    settings.update(options)
    points = breakpoints or [[] for _ in range(d)]
    return TreeGrammar(
        features=table.feature_names,
        levels=tuple(f.kind.left_sides() for f in table.features),
        breakpoints=tuple(np.array(p, np.float64) for p in points),
        states=tuple(State(f"s{i}", tuple(rules)) for i, rules in enumerate(states)),
        start=0,
        **settings,  # type: ignore[arg-type]
    )


def with_groups(rng: np.random.Generator, grammar: TreeGrammar, table: Table) -> TreeGrammar:
    """The grammar with its features in groups, of one now and then; measures that draw no feature
    give way to one that does."""
    one_range = any(f.kind.values is None for f in table.features)

    def of_groups(rule: Rule) -> Rule:
        if not isinstance(rule, SplitRule) or (rule.measure == "range" and not one_range):
            return rule
        measures: tuple[Measure, ...] = ("feature_then_cut", "gap", "per_feature")
        return replace(rule, measure=measures[rng.integers(3)])

    states = [
        replace(state, rules=tuple(map(of_groups, state.rules))) for state in grammar.all_states()
    ]
    d = len(table.features)
    _, groups = np.unique(rng.integers(0, max(1, d - 1), d), return_inverse=True)
    return replace(grammar, states=tuple(states), groups=groups.astype(np.int64).ravel())


def split_rule(
    grammar_cells: Sequence[int],
    left: int,
    right: int,
    measure: Measure = "all",
    log_weight: float = 0.0,
) -> SplitRule:
    """A split rule that leads to the same two states from every cell."""
    steps = tuple(np.full((n, 2), (left, right), np.int32) for n in grammar_cells)
    return SplitRule(log_weight, measure, steps)


def cells(table: Table, breakpoints: Sequence[Sequence[float]] | None = None) -> list[int]:
    """Number of cells of each feature."""
    points = breakpoints or [[] for _ in table.features]
    return [f.kind.n_cells(len(p)) for f, p in zip(table.features, points, strict=True)]


def denison(table: Table, phi: float, measure: Measure = "each") -> TreeGrammar:
    """Weight phi^-leaves over the finite set of trees (a common factor 1/phi left out)."""
    rules = [LeafRule(0.0), split_rule(cells(table), 0, 0, measure, -float(np.log(phi)))]
    by_partition = measure == "partition"
    return make_grammar(table, [rules], normalise=False, by_partition=by_partition)


def growtree(table: Table, alpha: float, beta: float, horizon: int) -> TreeGrammar:
    """Split with probability alpha (1 + depth)^-beta, measure feature_then_cut."""
    states: list[list[Rule]] = []
    for depth in range(horizon):
        p = alpha * (1 + depth) ** -beta
        step = split_rule(cells(table), depth + 1, depth + 1, "feature_then_cut", np.log(p))
        states.append([LeafRule(float(np.log1p(-p))), step])
    states.append([LeafRule(0.0)])
    return make_grammar(table, states, normalised=True, horizon=horizon)


# --- random ones ----------------------------------------------------------------------


def random_table(rng: np.random.Generator, largest: int = 7) -> Table:
    """Up to `largest` rows and 3 features of all kinds, with ties and repeated rows."""
    n, d = int(rng.integers(1, largest + 1)), int(rng.integers(1, 4))
    features, codes = [], []
    for f in range(d):
        kind = rng.integers(3)
        k = int(rng.integers(2, 5))
        if kind == 0:
            values = np.sort(rng.choice(20, k, replace=False)) / 2.0
            features.append(Feature(f"f{f}", Numeric(values)))
        elif kind == 1:
            cuts = np.sort(rng.choice(20, k - 1, replace=False)) / 2.0
            features.append(Feature(f"f{f}", Binned(cuts)))
        else:
            features.append(Feature(f"f{f}", Nominal(tuple("pqrs"[:k]))))
        codes.append(rng.integers(k, size=n))
    rows = np.stack(codes, axis=1).tolist()
    leaf: LeafModel
    which = rng.integers(4)
    if which == 0:
        leaf, y = NormalInverseGamma(0.5, 0.3, 2.0, 1.5), rng.normal(size=n)
    elif which == 1:
        leaf, y = GammaPoisson(1.5, 0.5), rng.integers(5, size=n).astype(np.float64)
    else:
        c = int(rng.integers(2, 4))
        leaf, y = Dirichlet(CLASSES[:c], 0.7), rng.integers(c, size=n).astype(np.float64)
    return make_table(features, rows, y.tolist(), leaf)


def random_grammar(rng: np.random.Generator, table: Table) -> TreeGrammar:
    """Up to 4 states with several rules each, in every combination of options."""
    n_states, crowded = int(rng.integers(1, 5)), bool(rng.integers(2))
    points = [
        [] if f.kind.categorical else np.unique(rng.integers(0, 20, rng.integers(3)) / 2.0).tolist()
        for f in table.features
    ]
    sizes = cells(table, points)
    states: list[list[Rule]] = []
    for s in range(n_states):
        if crowded:
            states.append(_random_rules(rng, s, n_states, sizes, table))
        else:  # one derivation for each tree
            split = _random_split(rng, float(rng.normal()), n_states, sizes, table)
            states.append([LeafRule(float(rng.normal())), split])
    return make_grammar(
        table,
        states,
        breakpoints=points,
        normalise=bool(rng.integers(2)),
        failure=["restrict", "condition"][rng.integers(2)],
        min_leaf=int(rng.choice([1, 1, 1, 2])),
        max_leaves=[None, None, int(rng.integers(1, 6))][rng.integers(3)],
        feature_weights=rng.uniform(0.5, 3.0, len(table.features)),
    )


def make_problem(grammar: TreeGrammar, table: Table) -> Problem:
    """A grammar on a table as engines are given it; of a program that says nothing."""
    return Problem(
        CheckedProgram("test", None, ()), table, grammar, (), (), lambda problem, _: problem
    )


def _random_rules(
    rng: np.random.Generator, state: int, n_states: int, sizes: list[int], table: Table
) -> list[Rule]:
    rules: list[Rule] = [LeafRule(float(rng.normal()))] if rng.integers(4) else []
    for _ in range(rng.integers(1, 4)):
        weight = float(rng.normal())
        kind = rng.choice(["majority", "leaf", "call", "split", "split", "split"])
        if kind == "majority" and table.leaf.classes:
            rules.append(LeafRule(weight, (str(rng.choice(table.leaf.classes)),)))
        elif kind == "leaf":
            rules.append(LeafRule(weight))
        elif kind == "call" and state + 1 < n_states:
            rules.append(CallRule(weight, int(rng.integers(state + 1, n_states))))
        else:
            rules.append(_random_split(rng, weight, n_states, sizes, table))
    return rules


def _random_split(
    rng: np.random.Generator, weight: float, n_states: int, sizes: list[int], table: Table
) -> SplitRule:
    steps = []
    forbidden, outside = rng.choice([0.0, 0.2, 0.5]), rng.choice([0.0, 0.0, 0.3])
    measure = MEASURES[rng.integers(len(MEASURES))]
    for feature, size in zip(table.features, sizes, strict=True):
        step = rng.integers(n_states, size=(size, 2)).astype(np.int32)
        step[rng.random(size) < forbidden] = FORBIDDEN
        step[rng.random(size) < outside] = OUTSIDE
        if measure == "range" and feature.kind.values is None:
            step[:] = OUTSIDE
        steps.append(step)
    return SplitRule(weight, measure, tuple(steps))
