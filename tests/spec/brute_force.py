"""The meaning of a program (DESIGN 3), as slowly as possible: every derivation, one by one.

It works on raw rows (lists of floats and strings) and on the checked program, by the definitions of
the text: boxes are lists of rows, regions are kept as `lo <= F < hi`, constraints are looked up in
the region and the path. No grammar, no states of automata, no merging of rows or boxes: this is
what the engines must equal.

    P(derivation)   = product over its nodes of (share of the rule) * (measure of the split)
    posterior(tree) = sum over its derivations of P * product of leaves' marginal likelihoods / Z
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from slp.ir import program as ir
from slp.proofs.terms import Atom, Number, Term, Var
from tests.spec.leaf_formulas import LeafFormula
from tests.spec.tiny_prolog import Bindings, computed, renamed, solve, unify, value, walk

Value = float | str
Row = tuple[Value, ...]
#: `(feature, threshold or level, left, right)`, or `"leaf"`.
TreeKey = Any
_FREE = (-math.inf, math.inf)


class TooManyDerivationsError(Exception):
    """The example is too large for this."""


@dataclass(frozen=True)
class Example:
    """A raw table. `cuts[f]` are the cuts of a binned feature; categorical ones hold strings."""

    features: tuple[str, ...]
    rows: tuple[Row, ...]
    y: tuple[Any, ...]
    cuts: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def coded(self, f: int, x: Value) -> Value:
        """What a split can tell of a value: itself, or the number of cuts at or below it."""
        cuts = self.cuts.get(self.features[f])
        if cuts is None:
            return x
        assert not isinstance(x, str)
        return float(sum(c <= x for c in cuts))


@dataclass(frozen=True)
class Cut:
    """A structurally valid split: canonical test, gap, and the rows (numbers) of both sides."""

    feature: int
    test: Value
    gap: float
    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """Where a derivation has come to: rows, region of each feature, depth, features of the path."""

    rows: tuple[int, ...]
    region: dict[str, tuple[float, float]] = field(default_factory=dict)
    tested_levels: tuple[str, ...] = ()  # categorical features tested above
    depth: int = 0
    path: tuple[str, ...] = ()

    def bounds(self, feature: str) -> tuple[float, float]:
        return self.region.get(feature, _FREE)


@dataclass(frozen=True)
class Choice:
    """An instance of a rule at a node: label, body with its variables bound, and those bindings."""

    label: float
    rule: ir.TreeRule
    body: list[Term]
    bindings: Bindings


@dataclass(frozen=True)
class Derivation:
    """A finished derivation: tree, weight, the rows of its leaves from left to right, and for each
    split in preorder whether it was drawn by `partition`."""

    tree: TreeKey
    weight: float
    leaves: tuple[tuple[int, ...], ...]
    by_partition: tuple[bool, ...] = ()


class BruteForce:
    """All derivations of a program on a table, and everything that follows from them.

    Raises
    ------
    TooManyDerivationsError
        More than `limit` partial or finished derivations at some node.
    """

    def __init__(
        self, program: ir.Program, example: Example, leaf: LeafFormula, limit: int = 20_000
    ) -> None:
        self.program, self.example, self.leaf, self.limit = program, example, leaf, limit
        distinct = {tuple(example.coded(f, x) for f, x in enumerate(row)) for row in example.rows}
        most = max(1, min(len(distinct), len(example.rows) // program.support.min_leaf))
        self.parameters = {**program.parameters, "most_leaves": most}
        assert program.start is not None
        everything = Node(tuple(range(len(example.rows))))
        most_allowed = min(
            (c.count for c in program.constraints if isinstance(c, ir.MaxLeaves)),
            default=len(example.rows),
        )
        start = computed(program.start, self.parameters)
        self.derivations = [
            d for d in self._derivations(start, everything) if len(d.leaves) <= most_allowed
        ]

    # --- the prior, node by node -------------------------------------------------------------

    def _derivations(self, state: Term, node: Node) -> list[Derivation]:
        if state == Atom("leaf"):
            return self._stop(1.0, node)
        choices = [c for c in self._choices(state) if self._applicable(c, node)]
        total = 1.0 if self.program.weights else math.fsum(c.label for c in choices)
        out: list[Derivation] = []
        for choice in choices:
            share = choice.label / total
            if isinstance(choice.rule.body, ir.LeafBody):
                out += self._stop(share, node)
            elif isinstance(choice.rule.body, ir.CallBody):
                goal = computed(choice.body[0], self.parameters)
                out += [
                    Derivation(d.tree, share * d.weight, d.leaves, d.by_partition)
                    for d in self._derivations(goal, node)
                ]
            else:
                out += self._split(share, choice, node)
            if len(out) > self.limit:
                raise TooManyDerivationsError
        return out

    def _stop(self, weight: float, node: Node) -> list[Derivation]:
        return [] if self._leaf_forbidden(node) else [Derivation("leaf", weight, (node.rows,))]

    def _split(self, share: float, choice: Choice, node: Node) -> list[Derivation]:
        out: list[Derivation] = []
        assert isinstance(choice.rule.body, ir.SplitBody)
        partition = choice.rule.body.measure == "partition"
        for cut, measure in self._measured(choice, node):
            children = self._children(choice, cut)
            if children is None or not self._split_allowed(cut, node):
                continue
            left_state, right_state = children
            left_node, right_node = self._sides(cut, node)
            lefts = self._derivations(left_state, left_node)
            rights = self._derivations(right_state, right_node) if lefts else []
            for left, right in product(lefts, rights):
                tree = (self.example.features[cut.feature], cut.test, left.tree, right.tree)
                weight = share * measure * left.weight * right.weight
                flags = (partition, *left.by_partition, *right.by_partition)
                out.append(Derivation(tree, weight, left.leaves + right.leaves, flags))
                if len(out) > self.limit:
                    raise TooManyDerivationsError
        return out

    def _choices(self, state: Term) -> Iterator[Choice]:
        """Instances of the rules: each solution of the guards before the split is one."""
        for rule in self.program.rules:
            label, head, guards, body = _fresh_rule(rule)
            bindings = unify(head, state, {})
            if bindings is None:
                continue
            for solution in solve(guards, bindings, self.program.clauses, self.parameters):
                weight = float(value(label, solution, self.parameters))
                if weight > 0:
                    yield Choice(weight, rule, [walk(t, solution) for t in body], solution)

    def _applicable(self, choice: Choice, node: Node) -> bool:
        condition = self.program.failure == "condition"
        if isinstance(choice.rule.body, ir.LeafBody):
            return condition or not self._leaf_forbidden(node)
        if isinstance(choice.rule.body, ir.CallBody):
            return True
        return bool(self._left(choice, node))

    # --- splits ------------------------------------------------------------------------------

    def _cuts(self, node: Node) -> list[Cut]:
        """Every structurally valid split of the box, by feature and then by threshold or level."""
        support = self.program.support
        if support.max_depth is not None and node.depth >= support.max_depth:
            return []
        cuts = [c for f in range(len(self.example.features)) for c in self._cuts_of(f, node.rows)]
        return [c for c in cuts if min(len(c.left), len(c.right)) >= support.min_leaf]

    def _cuts_of(self, f: int, rows: tuple[int, ...]) -> Iterator[Cut]:
        codes = {r: self.example.coded(f, self.example.rows[r][f]) for r in rows}
        order = _sort_key([row[f] for row in self.example.rows])
        present = sorted(set(codes.values()), key=order)
        if any(isinstance(x, str) for x in present):
            for level in present[:1] if len(present) == 2 else present if len(present) > 2 else []:
                left = tuple(r for r in rows if codes[r] == level)
                yield Cut(f, level, 1.0, left, tuple(r for r in rows if codes[r] != level))
            return
        declared = self.example.cuts.get(self.example.features[f])
        for low, high in zip(present, present[1:], strict=False):
            assert not isinstance(low, str) and not isinstance(high, str)
            if declared is None:
                middle = low + (high - low) / 2
                test = middle if middle > low else high
            else:
                between = declared[int(low) : int(high)]
                test = between[(len(between) - 1) // 2]
            left = tuple(r for r in rows if codes[r] <= low)
            yield Cut(f, test, high - low, left, tuple(r for r in rows if codes[r] > low))

    def _in_domain(self, choice: Choice, node: Node) -> list[Cut]:
        """Structurally valid splits on the feature that the rule binds, if it binds one."""
        feature = choice.body[0]
        cuts = self._cuts(node)
        if isinstance(feature, Var):
            return cuts
        assert isinstance(feature, Atom)
        return [c for c in cuts if self.example.features[c.feature] == feature.name]

    def _left(self, choice: Choice, node: Node) -> list[Cut]:
        """The splits that applicability and the measure are taken over."""
        cuts = self._in_domain(choice, node)
        if self.program.failure == "condition":
            return cuts
        return [c for c in cuts if self._children(choice, c) and self._split_allowed(c, node)]

    def _measured(self, choice: Choice, node: Node) -> list[tuple[Cut, float]]:
        """Splits with their probability (or weight) under the rule's measure."""
        cuts = self._left(choice, node)
        assert isinstance(choice.rule.body, ir.SplitBody)
        return _MEASURES[choice.rule.body.measure](self, cuts)

    def _feature_weight(self, f: int) -> float:
        return self.program.feature_weights.get(self.example.features[f], 1.0)

    def _feature_share(self, cuts: Sequence[Cut], f: int) -> float:
        """Share of a feature among those that can still split."""
        total = sum(self._feature_weight(g) for g in {c.feature for c in cuts})
        return self._feature_weight(f) / total

    def _children(self, choice: Choice, cut: Cut) -> tuple[Term, Term] | None:
        """Left and right nonterminal for a split, None if a guard behind the split forbids it."""
        feature, threshold, left, right, *after = choice.body
        assert isinstance(choice.rule.body, ir.SplitBody)
        test = Atom(cut.test) if isinstance(cut.test, str) else Number(float(cut.test))
        bindings = unify(feature, Atom(self.example.features[cut.feature]), {})
        if bindings is None:
            return None
        if isinstance(threshold, Number):
            if isinstance(cut.test, str) or threshold.value != cut.test:
                return None
        else:
            bindings = unify(threshold, test, bindings)
            if bindings is None:
                return None
        for solution in solve(after, bindings, self.program.clauses, self.parameters):
            return (
                computed(walk(left, solution), self.parameters),
                computed(walk(right, solution), self.parameters),
            )
        return None

    def _sides(self, cut: Cut, node: Node) -> tuple[Node, Node]:
        feature = self.example.features[cut.feature]
        depth, path = node.depth + 1, (*node.path, feature)
        if isinstance(cut.test, str):
            levels = (*node.tested_levels, feature)
            return (
                Node(cut.left, node.region, levels, depth, path),
                Node(cut.right, node.region, levels, depth, path),
            )
        lo, hi = node.bounds(feature)
        below = {**node.region, feature: (lo, cut.test)}
        above = {**node.region, feature: (cut.test, hi)}
        return (
            Node(cut.left, below, node.tested_levels, depth, path),
            Node(cut.right, above, node.tested_levels, depth, path),
        )

    # --- local constraints -------------------------------------------------------------------

    def _split_allowed(self, cut: Cut, node: Node) -> bool:
        feature = self.example.features[cut.feature]
        return all(self._satisfies(c, feature, cut.test, node) for c in self.program.constraints)

    def _satisfies(self, c: ir.Constraint, feature: str, test: Value, node: Node) -> bool:
        """Whether splitting `node` at `test` on `feature` is in accord with a constraint."""
        path = node.path
        if isinstance(c, ir.Constant):
            return not (self._contains(c.box, node) and _cuts_box(c.box, feature, test))
        if isinstance(c, ir.Forbid):
            if feature != c.feature or (c.below is not None and node.depth < c.below):
                return True
            return c.within is not None and not _inside(c.within, node)
        if isinstance(c, ir.First):
            return node.depth > 0 or feature == c.feature
        if isinstance(c, ir.Before):
            return feature != c.then or c.feature in path
        if isinstance(c, ir.Once):
            return feature != c.feature or feature not in path
        if isinstance(c, ir.Exclusive):
            return len({*path, feature} & set(c.features)) <= 1
        if isinstance(c, ir.Interaction):
            return any({*path, feature} <= set(group) for group in c.groups)
        return True

    def _contains(self, box: ir.Box, node: Node) -> bool:
        if node.tested_levels:
            return False
        for feature in self.example.features:
            low, high = box.bounds.get(feature, _FREE)
            lo, hi = node.bounds(feature)
            if lo > low or hi < high:
                return False
        return True

    def _leaf_forbidden(self, node: Node) -> bool:
        responses = [str(self.example.y[r]) for r in node.rows]
        for c in self.program.constraints:
            if isinstance(c, ir.Majority) and _meets(c.box, node):
                own = responses.count(c.outcome)
                if any(responses.count(other) > own for other in responses):
                    return True
        return False

    # --- what follows ------------------------------------------------------------------------

    def likelihood(self, derivation: Derivation) -> float:
        """Product of the leaves' marginal likelihoods."""
        return math.exp(
            math.fsum(
                self.leaf.log_marginal([self.example.y[r] for r in leaf])
                for leaf in derivation.leaves
            )
        )

    def scored(self) -> list[tuple[Derivation, float]]:
        """Derivations with weight times likelihood."""
        return [(d, d.weight * self.likelihood(d)) for d in self.derivations]

    def log_prior_total(self) -> float:
        """Log of what the derivations that do not fail weigh together."""
        return math.log(math.fsum(d.weight for d in self.derivations))

    def log_evidence(self) -> float:
        """log P(y | X) under the prior normalised over its support."""
        return math.log(math.fsum(w for _, w in self.scored())) - self.log_prior_total()

    def posterior(self) -> list[tuple[Derivation, float]]:
        """Derivations with their posterior probabilities."""
        scored = self.scored()
        total = math.fsum(w for _, w in scored)
        return [(d, w / total) for d, w in scored]

    def tree_posterior(self) -> dict[TreeKey, float]:
        """Posterior probability of each tree, summed over its derivations."""
        out: dict[TreeKey, float] = {}
        for d, p in self.posterior():
            out[d.tree] = out.get(d.tree, 0.0) + p
        return out

    def tree_prior(self) -> dict[TreeKey, float]:
        """Prior probability of each tree, normalised over the support."""
        total = math.fsum(d.weight for d in self.derivations)
        out: dict[TreeKey, float] = {}
        for d in self.derivations:
            out[d.tree] = out.get(d.tree, 0.0) + d.weight / total
        return out

    def log_probabilities(self, tree: TreeKey) -> tuple[float, float]:
        """Log prior and log posterior probability of any tree, which need not be a canonical one.

        They are those of all derivations that part the rows as the tree does: split for split on
        the same feature, or on any feature where the derivation drew its split by `partition`.
        """
        like = [d for d in self.derivations if self._parts_alike(tree, d)]
        prior = math.fsum(d.weight for d in like)
        if prior == 0:
            return -math.inf, -math.inf
        joint = math.fsum(d.weight * self.likelihood(d) for d in like)
        log_joint_total = self.log_evidence() + self.log_prior_total()
        return math.log(prior) - self.log_prior_total(), math.log(joint) - log_joint_total

    def _parts_alike(self, tree: TreeKey, derivation: Derivation) -> bool:
        flags = iter(derivation.by_partition)

        def alike(a: TreeKey, b: TreeKey, rows: tuple[int, ...]) -> bool:
            if a == "leaf" or b == "leaf":
                return bool(a == b)
            partition = next(flags)
            if a[0] != b[0] and not partition:
                return False
            left, right = self._parted(a, rows)
            parts = self._parted(b, rows)
            if parts == (left, right):
                return alike(a[2], b[2], left) and alike(a[3], b[3], right)
            if parts == (right, left):
                return alike(a[3], b[2], right) and alike(a[2], b[3], left)
            return False

        return alike(tree, derivation.tree, tuple(range(len(self.example.rows))))

    def _parted(
        self, tree: TreeKey, rows: tuple[int, ...]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Rows that the root's test sends left, and the others."""
        f = self.example.features.index(tree[0])
        values = {r: self.example.rows[r][f] for r in rows}
        left = {r for r in rows if _goes_left(tree[1], values[r])}
        return tuple(r for r in rows if r in left), tuple(r for r in rows if r not in left)

    def feature_probability(self, feature: str) -> float:
        """P(the tree splits on the feature anywhere)."""
        return math.fsum(p for d, p in self.posterior() if feature in split_features(d.tree))

    def expected_splits(self, feature: str) -> float:
        """Expected number of splits on the feature."""
        return math.fsum(p * split_features(d.tree).count(feature) for d, p in self.posterior())

    def leaf_distribution(self) -> dict[int, float]:
        """P(number of leaves = k)."""
        out: dict[int, float] = {}
        for d, p in self.posterior():
            out[len(d.leaves)] = out.get(len(d.leaves), 0.0) + p
        return out

    def expected_depth(self) -> float:
        """Expected number of splits on the longest path."""
        return math.fsum(p * depth_of(d.tree) for d, p in self.posterior())

    def predictive(self, row: Row) -> list[float]:
        """Predictive class probabilities (or, for numbers, the mean alone) of a new row."""
        terms: list[list[float]] = []
        for d, p in self.posterior():
            leaf = d.leaves[self._leaf_of(d.tree, row)]
            terms.append([p * x for x in self.leaf.predict([self.example.y[r] for r in leaf])])
        return [math.fsum(column) for column in zip(*terms, strict=True)]

    def _leaf_of(self, tree: TreeKey, row: Row) -> int:
        """Number, from the left, of the leaf that a row falls into."""
        passed = 0
        while tree != "leaf":
            feature, test, left, right = tree
            goes_left = _goes_left(test, row[self.example.features.index(feature)])
            passed += 0 if goes_left else n_leaves(left)
            tree = left if goes_left else right
        return passed


def split_features(tree: TreeKey) -> list[str]:
    """Features of a tree's splits, one for each split."""
    return [] if tree == "leaf" else [tree[0], *split_features(tree[2]), *split_features(tree[3])]


def n_leaves(tree: TreeKey) -> int:
    """Number of leaves."""
    return 1 if tree == "leaf" else n_leaves(tree[2]) + n_leaves(tree[3])


def depth_of(tree: TreeKey) -> int:
    """Splits on the longest path."""
    return 0 if tree == "leaf" else 1 + max(depth_of(tree[2]), depth_of(tree[3]))


# --- measures: docs and DESIGN 2 word by word ----------------------------------------------------

_Measured = list[tuple[Cut, float]]


def _same_feature(cuts: Sequence[Cut], cut: Cut) -> list[Cut]:
    return [c for c in cuts if c.feature == cut.feature]


def _feature_then_cut(spec: BruteForce, cuts: Sequence[Cut]) -> _Measured:
    """The feature among those that can split, by weight; then its cuts uniformly."""
    return [(c, spec._feature_share(cuts, c.feature) / len(_same_feature(cuts, c))) for c in cuts]


def _all(spec: BruteForce, cuts: Sequence[Cut]) -> _Measured:
    """Uniform over all splits."""
    return [(c, 1 / len(cuts)) for c in cuts]


def _gap(spec: BruteForce, cuts: Sequence[Cut]) -> _Measured:
    """The feature as before; then each cut by its gap."""
    gaps = {c.feature: sum(o.gap for o in _same_feature(cuts, c)) for c in cuts}
    return [(c, spec._feature_share(cuts, c.feature) * c.gap / gaps[c.feature]) for c in cuts]


def _each(spec: BruteForce, cuts: Sequence[Cut]) -> _Measured:
    """Weight 1 for each split."""
    return [(c, 1.0) for c in cuts]


def _partition(spec: BruteForce, cuts: Sequence[Cut]) -> _Measured:
    """As each, but of splits that part the rows alike only the one of the feature listed first."""
    chosen: dict[frozenset[tuple[int, ...]], Cut] = {}
    for cut in sorted(cuts, key=lambda c: c.feature):
        chosen.setdefault(frozenset((cut.left, cut.right)), cut)
    return [(c, 1.0) for c in chosen.values()]


def _per_feature(spec: BruteForce, cuts: Sequence[Cut]) -> _Measured:
    """1/d for each of all d features, then its cuts uniformly."""
    d = len(spec.example.features)
    return [(c, 1 / d / len(_same_feature(cuts, c))) for c in cuts]


_MEASURES: dict[str, Callable[[BruteForce, Sequence[Cut]], _Measured]] = {
    "feature_then_cut": _feature_then_cut,
    "all": _all,
    "gap": _gap,
    "each": _each,
    "partition": _partition,
    "per_feature": _per_feature,
}


# --- small parts ---------------------------------------------------------------------------------


def _goes_left(test: Value, x: Value) -> bool:
    if isinstance(test, str) or isinstance(x, str):
        return x == test
    return x < test


def _fresh_rule(rule: ir.TreeRule) -> tuple[Term, Term, list[Term], list[Term]]:
    """Label, head, guards before, and body terms of a rule, with variables of their own."""
    body: list[Term] = []
    if isinstance(rule.body, ir.CallBody):
        body = [rule.body.goal]
    elif isinstance(rule.body, ir.SplitBody):
        b = rule.body
        body = [b.feature, b.threshold, b.left, b.right, *b.after]
    terms = renamed([rule.label, rule.head, *rule.before, *body])
    n = 2 + len(rule.before)
    return terms[0], terms[1], terms[2:n], terms[n:]


def _sort_key(values: list[Value]) -> Callable[[Value], Any]:
    """Levels that are all integers are sorted as numbers, other levels as text."""
    if all(isinstance(v, str) and _is_integer(v) for v in values):
        return lambda v: int(v)
    return lambda v: v


def _is_integer(text: str) -> bool:
    return text.lstrip("-").isdigit()


def _cuts_box(box: ir.Box, feature: str, test: Value) -> bool:
    if isinstance(test, str) or feature not in box.bounds:
        return True
    low, high = box.bounds[feature]
    return low < test < high


def _inside(box: ir.Box, node: Node) -> bool:
    bounds = [(*node.bounds(f), *box.bounds[f]) for f in box.bounds]
    return all(lo >= low and hi <= high for lo, hi, low, high in bounds)


def _meets(box: ir.Box, node: Node) -> bool:
    bounds = [(*node.bounds(f), *box.bounds[f]) for f in box.bounds]
    return all(lo < high and hi > low for lo, hi, low, high in bounds)
