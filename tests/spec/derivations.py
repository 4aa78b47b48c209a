"""The meaning of a program (docs/language.md), as slowly as possible: every derivation, one by one.

It works on raw rows (lists of floats and strings) and on the checked program, by the definitions of
the text: boxes are lists of rows, regions are kept as `lo <= F < hi`, constraints are looked up in
the region and the path. No grammar, no states of automata, no merging of rows or boxes: this is
what the engines must equal. What follows from the derivations is in `brute_force`.

    P(derivation) = product over its nodes of (probability of the rule) * (measure of the split)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from slp.columns import MISSING, level_numbers
from slp.constraints import MaxLeaves
from slp.ir import program as ir
from slp.ir.leaves import LeafPrior
from slp.terms import Atom, Number, Struct, Term, Var, list_term
from tests.spec.constraints import (
    cost_of_leaf,
    cost_of_split,
    leaf_satisfies,
    prior_of_leaf,
    satisfies,
    two_shares,
)
from tests.spec.cuts_of_boxes import CutsOfBoxes
from tests.spec.example import Cut, Example, Groups, Node, TreeKey
from tests.spec.measures import measured
from tests.spec.tiny_prolog import Bindings, computed, renamed, solve, unify, value, walk


class TooManyDerivationsError(Exception):
    """The example is too large for this."""


@dataclass(frozen=True)
class Choice:
    """An instance of a rule at a node: label, body with its variables bound, and those bindings."""

    label: float
    rule: ir.TreeRule
    body: list[Term]
    bindings: Bindings


@dataclass(frozen=True)
class Derivation:
    """A finished derivation: tree, weight, the rows of its leaves from left to right, and what is
    said of their priors, None of those in no box."""

    tree: TreeKey
    log_weight: float  # the weight itself may be too small for a float
    leaves: tuple[tuple[int, ...], ...]
    priors: tuple[LeafPrior | None, ...]

    @property
    def weight(self) -> float:
        """Its probability, or its weight."""
        return math.exp(self.log_weight)


class AllDerivations:
    """All derivations of a program on a table.

    Raises
    ------
    TooManyDerivationsError
        More than `limit` partial or finished derivations at some node.
    """

    def __init__(self, program: ir.CheckedProgram, example: Example, limit: int) -> None:
        self.program, self.example, self.limit = program, example, limit
        self.cuts = CutsOfBoxes(example, program.support)
        distinct = {tuple(example.coded(f, x) for f, x in enumerate(row)) for row in example.rows}
        most = max(1, min(len(distinct), len(example.rows) // program.support.min_leaf))
        levels = {
            level: number
            for order in program.orders.values()
            for level, number in zip(order, level_numbers(order), strict=True)
        }
        self.parameters = {**levels, **program.parameters, "most_leaves": most}
        assert program.start is not None
        bodies = [rule.body for rule in program.rules]
        measures = {body.measure for body in bodies if isinstance(body, ir.SplitBody)}
        #: whether a tree stands for all that part the rows alike
        self.by_partition = measures == {"partition"}
        #: label, head, guards and body of each rule; states have no variables to be kept apart from
        self._rules = [(rule, *_fresh_rule(rule)) for rule in program.rules]
        everything = Node(tuple(range(len(example.rows))))
        most_allowed = min(
            (c.count for c in program.constraints if isinstance(c, MaxLeaves)),
            default=len(example.rows),
        )
        start = computed(program.start, self.parameters)
        self.derivations = [
            d for d in self._derivations(start, everything) if len(d.leaves) <= most_allowed
        ]

    # --- the prior, node by node -------------------------------------------------------------

    def _derivations(self, state: Term, node: Node) -> list[Derivation]:
        if state == Atom("leaf"):
            return self._stop(0.0, node)
        choices = [c for c in self._choices(state, node) if self._applicable(c, node)]
        total = 1.0 if self.program.weights else math.fsum(c.label for c in choices)
        out: list[Derivation] = []
        for choice in choices:
            probability = choice.label / total
            if isinstance(choice.rule.body, ir.LeafBody):
                out += self._stop(math.log(probability), node)
            elif isinstance(choice.rule.body, ir.CallBody):
                goal = computed(choice.body[0], self.parameters)
                out += [
                    replace(d, log_weight=math.log(probability) + d.log_weight)
                    for d in self._derivations(goal, node)
                ]
            else:
                out += self._split(probability, choice, node)
            if len(out) > self.limit:
                raise TooManyDerivationsError
        return out

    def _stop(self, log_weight: float, node: Node) -> list[Derivation]:
        log_weight -= self._cost_of_leaf(node)
        allowed = self._leaf_allowed(node) and log_weight > -math.inf
        prior = prior_of_leaf(self.program, node)
        return [Derivation("leaf", log_weight, (node.rows,), (prior,))] if allowed else []

    def _split(self, probability: float, choice: Choice, node: Node) -> list[Derivation]:
        out: list[Derivation] = []
        assert isinstance(choice.rule.body, ir.SplitBody)
        for cut, measure in self._measured(choice, node):
            children = self._children(choice, cut)
            if children is None or not self._split_allowed(cut, node):
                continue
            left_state, right_state = children
            cost = self._cost_of_split(cut, node)
            if math.isinf(cost):
                continue
            left_node, right_node = self._sides(cut, node)
            lefts = self._derivations(left_state, left_node)
            rights = self._derivations(right_state, right_node) if lefts else []
            for left, right in product(lefts, rights):
                tree = (self.example.features[cut.feature], cut.test, left.tree, right.tree)
                log_weight = math.fsum(
                    [math.log(probability), _log(measure), -cost, left.log_weight, right.log_weight]
                )
                leaves, priors = left.leaves + right.leaves, left.priors + right.priors
                out.append(Derivation(tree, log_weight, leaves, priors))
                if len(out) > self.limit:
                    raise TooManyDerivationsError
        return out

    def _choices(self, state: Term, node: Node) -> Iterator[Choice]:
        """Instances of the rules: each solution of the guards before the split is one. How many
        rows the box has are facts."""
        clauses = [*self.program.clauses, *self._rows_of(node)]
        for rule, label, head, guards, body in self._rules:
            bindings = unify(head, state, {})
            if bindings is None:
                continue
            for solution in solve(guards, bindings, clauses, self.parameters):
                weight = float(value(label, solution, self.parameters))
                if weight > 0:
                    yield Choice(weight, rule, [walk(t, solution) for t in body], solution)

    def _rows_of(self, node: Node) -> Iterator[ir.LogicClause]:
        """`rows(N)`, and `rows(Class, N)` for each class, which may be written as a number."""
        yield ir.LogicClause(Struct("rows", (Number(len(node.rows)),)), None, None)
        for outcome in set(self.example.y):
            own = tuple(r for r in node.rows if self.example.y[r] == outcome)
            total = math.fsum(self.example.weights_of(own))
            count = Number(int(total) if total == int(total) else total)
            names: list[Term] = [Atom(str(outcome))]
            names += [Number(outcome)] if isinstance(outcome, int) else []
            for name in names:
                yield ir.LogicClause(Struct("rows", (name, count)), None, None)

    def _applicable(self, choice: Choice, node: Node) -> bool:
        condition = self.program.failure == "condition"
        if isinstance(choice.rule.body, ir.LeafBody):
            return condition or self._leaf_allowed(node)
        if isinstance(choice.rule.body, ir.CallBody):
            return True
        return bool(self._left(choice, node))

    # --- splits ------------------------------------------------------------------------------

    def _numbers(self, f: int) -> list[float]:
        """Numbers in the range of a numeric feature: its ends, those that the program names, and
        one between any two of these. Constraints and guards treat all others as one of these."""
        least, most = self.cuts.range_of(f)
        named = {x for box in self.program.boxes.values() for b in box.bounds.values() for x in b}
        for rule in self.program.rules:
            named |= _numbers_in(rule)
        for clause in self.program.clauses:
            named |= _numbers_in(clause)
        points = sorted({least, most, *(float(x) for x in named if least < x < most)})
        return [*points, *(a / 2 + b / 2 for a, b in zip(points, points[1:], strict=False))]

    def _may_be_drawn(self, choice: Choice, node: Node) -> list[int]:
        """The features with two values that some number in their range allows here."""
        found = []
        for f, name in enumerate(self.example.features):
            bound = choice.body[0]
            if isinstance(bound, Atom) and bound.name != name:
                continue
            values = {row[f] for row in self.example.rows}
            if len([x for x in values if not self.example.misses(f, x)]) < 2:
                continue
            cuts = (Cut(f, x, Fraction(0), None, (), ()) for x in self._numbers(f))
            if self.program.failure == "condition" or any(
                self._children(choice, cut) and self._split_allowed(cut, node) for cut in cuts
            ):
                found.append(f)
        return found

    def _in_domain(self, choice: Choice, node: Node) -> list[Cut]:
        """Structurally valid splits on the feature that the rule binds, if it binds one."""
        feature = choice.body[0]
        cuts = self.cuts.valid(node)
        if isinstance(feature, Var):
            return cuts
        assert isinstance(feature, Atom)
        return [c for c in cuts if self.example.features[c.feature] == feature.name]

    def _left(self, choice: Choice, node: Node) -> list[Cut]:
        """The splits that applicability and the measure are taken over."""
        cuts = self._in_domain(choice, node)
        assert isinstance(choice.rule.body, ir.SplitBody)
        if choice.rule.body.measure == "range":  # no number in the range asks for missing values
            cuts = [c for c in cuts if c.test != MISSING]
        if self.program.failure == "condition":
            return cuts
        return [c for c in cuts if self._children(choice, c) and self._split_allowed(c, node)]

    def _groups(self) -> list[list[int]] | None:
        """The features of each group; None if the program groups none."""
        names = self.example.features
        if not self.program.groups:
            return None
        found = [[names.index(f) for f in g.features] for g in self.program.groups.values()]
        grouped = {f for group in found for f in group}
        return found + [[f] for f in range(len(names)) if f not in grouped]

    def _measured(self, choice: Choice, node: Node) -> list[tuple[Cut, Fraction]]:
        """Splits with their probability (or weight) under the rule's measure."""
        cuts = self._left(choice, node)
        assert isinstance(choice.rule.body, ir.SplitBody)
        names, weights = self.example.features, self.program.feature_weights
        measure = choice.rule.body.measure
        drawn = self._may_be_drawn(choice, node) if measure == "range" and cuts else []
        groups, densities = self._groups(), self._densities()
        return measured(measure, cuts, names, weights, drawn, groups, densities)

    def _densities(self) -> dict[str, tuple[float, float, float, float]]:
        """The densities of thresholds, with the ranges of their features."""
        place = self.example.features.index
        return {
            d.name: (d.density.mean, d.density.sd, *self.cuts.range_of(place(d.name)))
            for d in self.program.features
            if d.density is not None and d.name is not None
        }

    def _children(self, choice: Choice, cut: Cut) -> tuple[Term, Term] | None:
        """Left and right nonterminal for a split, None if a guard behind the split forbids it."""
        feature, threshold, left, right, *after = choice.body
        assert isinstance(choice.rule.body, ir.SplitBody)
        test: Term
        if isinstance(cut.plain, Groups):
            test = list_term(map(Atom, cut.plain.left))
        else:
            test = Atom(cut.plain) if isinstance(cut.plain, str) else Number(float(cut.plain))
        bindings = unify(feature, Atom(self.example.features[cut.feature]), {})
        if bindings is None:
            return None
        if isinstance(threshold, Atom) and threshold.name in self.parameters:
            threshold = Number(self.parameters[threshold.name])
        if isinstance(threshold, Number):
            if isinstance(cut.plain, str) or threshold.value != cut.plain:
                return None
        else:
            bindings = unify(threshold, test, bindings)
            if bindings is None:
                return None
        try:
            solutions = list(solve(after, bindings, self.program.clauses, self.parameters))
        except KeyError:
            if test == Atom(MISSING):  # a guard takes it for a number
                return None
            raise
        for solution in solutions:
            return (
                computed(walk(left, solution), self.parameters),
                computed(walk(right, solution), self.parameters),
            )
        return None

    def _sides(self, cut: Cut, node: Node) -> tuple[Node, Node]:
        feature = self.example.features[cut.feature]
        depth, path = node.depth + 1, (*node.path, feature)
        if isinstance(cut.plain, str):
            levels = (*node.tested_levels, feature)
            return (
                Node(cut.left, node.region, levels, depth, path),
                Node(cut.right, node.region, levels, depth, path),
            )
        lo, hi = node.bounds(feature)
        below = {**node.region, feature: (lo, cut.plain)}
        above = {**node.region, feature: (cut.plain, hi)}
        return (
            Node(cut.left, below, node.tested_levels, depth, path),
            Node(cut.right, above, node.tested_levels, depth, path),
        )

    # --- local constraints -------------------------------------------------------------------

    def _split_allowed(self, cut: Cut, node: Node) -> bool:
        feature = self.example.features[cut.feature]
        made = {d.name: d.names for d in self.program.definitions}
        constraints = self.program.constraints
        return all(satisfies(c, feature, cut.plain, node, made) for c in constraints)

    def _cost_of_split(self, cut: Cut, node: Node) -> float:
        feature = self.example.features[cut.feature]
        made = {d.name: d.names for d in self.program.definitions}
        constraints = self.program.constraints
        return sum(cost_of_split(c, feature, cut.plain, node, made) for c in constraints)

    def _cost_of_leaf(self, node: Node) -> float:
        responses = [self.example.y[r] for r in node.rows]
        weights = self.example.weights_of(node.rows)
        return sum(cost_of_leaf(c, responses, weights, node) for c in self.program.constraints)

    def _leaf_allowed(self, node: Node) -> bool:
        responses = [self.example.y[r] for r in node.rows]
        weights = self.example.weights_of(node.rows)
        constraints = self.program.constraints
        if two_shares(constraints, node):
            return False
        return all(leaf_satisfies(c, responses, weights, node) for c in constraints)


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


def _log(x: Fraction) -> float:
    return math.log(x.numerator) - math.log(x.denominator)


def _numbers_in(found: object) -> set[float]:
    """All numbers in a term, a rule or a clause."""
    if isinstance(found, Number):
        return {float(found.value)}
    if isinstance(found, tuple):
        return {x for part in found for x in _numbers_in(part)}
    if isinstance(found, Struct):
        return _numbers_in(found.args)
    if isinstance(found, ir.TreeRule | ir.LogicClause | ir.SplitBody):
        return _numbers_in(tuple(vars(found).values()))
    return set()
