"""Probabilities of goals about trees against enumeration: of random goals on random programs and
tables (`tests/spec/cases.py`), by all trees and by sums.

    SLP_GOAL_CASES=2000 pytest -m '' tests/spec/test_tree_goals.py
"""

from __future__ import annotations

import math
import os
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest

from slp.engines import infer
from slp.errors import SlpWarning
from slp.messages.names import atom
from slp.results.tree_goals import ask
from slp.syntax import term_to_text
from slp.trees.terms import label_term
from tests.spec.brute_force import Derivation, TreeKey, ValueMissingError
from tests.spec.cases import Case, random_case

N_CASES = int(os.environ.get("SLP_GOAL_CASES", "200"))
N_GOALS = 5

#: By the last digit of the seed the kind of the case.
KINDS: list[dict[str, bool]] = [
    *({}, {}, {}, {"orders": True}, {"weights": True}, {"missing_level": True}),
    *({"missing_side": True}, {"rows": True}, {"partition": True}, {"subsets": True}),
]

Holds: TypeAlias = Callable[[Derivation], bool]


def splits_of(tree: TreeKey, above: tuple[str, ...] = ()) -> Iterator[tuple[str, Any, Any]]:
    """Feature, test and the features above of each split."""
    if tree == "leaf":
        return
    feature, test, left, right = tree
    yield feature, test[0] if isinstance(test, tuple) else test, above
    for side in (left, right):
        yield from splits_of(side, (*above, feature))


def depth_of(tree: TreeKey) -> int:
    return max((1 + len(above) for _, _, above in splits_of(tree)), default=0)


class Goals:
    """Random goals on the table of a case, each with what it means."""

    def __init__(self, case: Case, rng: random.Random) -> None:
        self.case, self.rng = case, rng
        self.features = case.spec.example.features
        self.trees = [d.tree for d in case.spec.derivations]

    def any(self) -> tuple[str, Holds]:
        one, other = self.simple(), self.simple()
        joined: list[tuple[str, Holds]] = [
            (f"{one[0]}, {other[0]}", lambda d: one[1](d) and other[1](d)),
            (f"({one[0]} ; {other[0]})", lambda d: one[1](d) or other[1](d)),
            (f"\\+ ({one[0]}, \\+ {other[0]})", lambda d: not one[1](d) or other[1](d)),
            (f"\\+ {one[0]}", lambda d: not one[1](d)),
            one,
        ]
        return self.rng.choice(joined)

    def simple(self) -> tuple[str, Holds]:
        kinds = [self.uses, self.root, self.above, self.leaves, self.depth, self.same_leaf]
        if self.numeric:
            kinds.append(self.threshold)
        return self.rng.choice(kinds)()

    @property
    def numeric(self) -> list[str]:
        features = self.case.model.table.features
        return [f.name for f in features if f.kind.numbers_by_name is None]

    def uses(self) -> tuple[str, Holds]:
        f = self.rng.choice(self.features)
        return f"uses(T, {atom(f)})", lambda d: any(g == f for g, _, _ in splits_of(d.tree))

    def root(self) -> tuple[str, Holds]:
        f = self.rng.choice(self.features)
        return f"root(T, {atom(f)})", lambda d: d.tree != "leaf" and d.tree[0] == f

    def above(self) -> tuple[str, Holds]:
        f, g = self.rng.choice(self.features), self.rng.choice(self.features)
        return f"above(T, {atom(f)}, {atom(g)})", lambda d: any(
            own == g and f in over for own, _, over in splits_of(d.tree)
        )

    def leaves(self) -> tuple[str, Holds]:
        n = self.rng.randint(1, 4)
        if self.rng.random() < 0.5:
            return f"leaves(T, {n})", lambda d: len(d.leaves) == n
        return f"(leaves(T, _N), _N =< {n})", lambda d: len(d.leaves) <= n

    def depth(self) -> tuple[str, Holds]:
        n = self.rng.randint(0, 3)
        if self.rng.random() < 0.5:
            return f"depth(T, {n})", lambda d: depth_of(d.tree) == n
        return f"(depth(T, _D), _D > {n})", lambda d: depth_of(d.tree) > n

    def same_leaf(self) -> tuple[str, Holds]:
        table = self.case.model.table
        assert table.without_weight is not None
        kept = sorted({*range(table.n_given)} - {*table.without_weight.tolist()})
        i, j = (self.rng.randrange(len(kept)) for _ in range(2))
        return f"same_leaf(T, {kept[i] + 1}, {kept[j] + 1})", lambda d: any(
            i in leaf and j in leaf for leaf in d.leaves
        )

    def threshold(self) -> tuple[str, Holds]:
        f = self.rng.choice(self.numeric)
        met = {t for tree in self.trees for g, t, _ in splits_of(tree) if g == f and t == t}
        known = sorted(x for x in met if not isinstance(x, str))
        ends = [*known, *(x + 0.25 for x in known), *(x - 1.0 for x in known), 0.0]
        low, high = sorted(self.rng.choice(ends) for _ in range(2))
        return f"threshold_between(T, {atom(f)}, {low!r}, {high!r})", lambda d: any(
            g == f and not isinstance(t, str) and low <= t <= high for g, t, _ in splits_of(d.tree)
        )


def wanted(case: Case, holds: Holds) -> tuple[float, float]:
    """The probability under the posterior and under the prior."""
    prior, total = case.spec.derivations, case.spec.log_prior_total()
    after = math.fsum(p for d, p in case.spec.posterior() if holds(d))
    return after, math.fsum(math.exp(d.log_weight - total) for d in prior if holds(d))


def compare(case: Case, posterior: Any, goal: str, want: tuple[float, float]) -> str:
    """The kind of the answer, which agrees where it is exact."""
    found = posterior.query(f"tree(T), {goal}")
    assert found.prior_holds is not None
    for have, probability in zip((found.holds, found.prior_holds), want, strict=True):
        if have.kind == "exact":
            near = pytest.approx(probability, abs=max(1e-9, case.rounding) + have.error)
            assert have == near, (case, goal, found.source)
    return str(found.holds.kind)


@pytest.mark.thinned(21)  # one of each kind
@pytest.mark.parametrize("seed", range(N_CASES))
def test_goals(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By all trees every goal is exact; by sums all but some of two rows beside others."""
    case = random_case(seed, 300, **KINDS[seed % 10])
    if not case.spec.derivations:
        return
    rng = random.Random(seed)
    posterior = infer(case.model, engine="exact", seed=1, draws=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        for _ in range(N_GOALS):
            goal, holds = Goals(case, rng).any()
            want = wanted(case, holds)
            monkeypatch.setattr(ask, "MOST_TREES", 10**6)
            assert compare(case, posterior, goal, want) == "exact"
            monkeypatch.setattr(ask, "MOST_TREES", 0)
            kind = compare(case, posterior, goal, want)
            assert kind == "exact" or "same_leaf" in goal, (case, goal)


@pytest.mark.thinned(21)  # one of each kind
@pytest.mark.parametrize("seed", range(N_CASES))
def test_classes_of_leaves(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`class_at` of a new row whose columns are all known."""
    case = random_case(seed, 300)
    classes = case.model.table.leaf.classes
    if not case.spec.derivations or not classes:
        return
    monkeypatch.setattr(ask, "MOST_TREES", 10**6)
    row, label = case.new_rows[0], random.Random(seed).randrange(len(classes))
    cells = ", ".join(
        f"{atom(f)} = {atom(x) if isinstance(x, str) else repr(x)}"
        for f, x in zip(case.spec.example.features, row, strict=True)
    )
    known: list[tuple[float, float]] = []
    try:
        for d, p in case.spec.posterior():
            leaves = case.spec._leaves_of(d.tree, d.leaves, row)
            told = [
                s * case.spec.leaf.predict(case.spec._responses(x))[label] for x, s, _ in leaves
            ]
            known.append((math.fsum(told), p))
    except ValueMissingError:
        return
    most = sorted(v for v, _ in known)[len(known) // 2] + 1e-7
    posterior = infer(case.model, engine="exact", seed=1, draws=0)
    goal = f"class_at(T, [{cells}], {term_to_text(label_term(classes[label]))}, _P), _P =< {most!r}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)  # of levels that the table lacks
        have = posterior.probability(f"tree(T), {goal}")
    assert have == pytest.approx(math.fsum(p for v, p in known if v <= most), abs=1e-9), case
