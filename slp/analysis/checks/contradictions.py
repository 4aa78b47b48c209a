"""Constraints that contradict each other or have no effect, on every table.

A contradiction is an error: one constraint requires a feature that another rules out, or features
can never be used. A constraint that leaves no room, or repeats another, gives a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

from slp.analysis.findings import Findings
from slp.errors import Diagnostic, Related
from slp.ir.constraints import (
    Before,
    Box,
    Constant,
    Constraint,
    Exclusive,
    First,
    Forbid,
    Interaction,
    Majority,
    MaxLeaves,
    Monotone,
    Support,
    of_kind,
)
from slp.messages import constraints as words


def check_constraints(
    constraints: Sequence[Constraint], support: Support, findings: Findings
) -> None:
    """Find contradictions, and constraints without effect."""
    checker = _ContradictionFinder(constraints, findings)
    checker.first()
    checker.never_used()
    checker.root_without_splits()
    checker.majorities()
    checker.both_ways()
    checker.repeats()
    checker.limits(support)


class _ContradictionFinder:
    def __init__(self, constraints: Sequence[Constraint], findings: Findings) -> None:
        self.constraints = constraints
        self.findings = findings

    def forbidden(self) -> dict[str, Forbid]:
        """The features that are never split on."""
        forbids = of_kind(self.constraints, Forbid)
        return {c.feature: c for c in forbids if c.within is None and not c.below}

    # --- contradictions ------------------------------------------------------------------------

    def first(self) -> None:
        firsts = of_kind(self.constraints, First)
        for a, b in combinations(firsts, 2):
            if a.feature != b.feature:
                found = words.TWO_FIRSTS(b.span, related=_and(a), one=a.feature, other=b.feature)
                self.findings.add(found)
        for f in firsts:
            for g in self.constraints:
                contradiction = _keeps_from_root(f, g)
                if contradiction is not None:
                    self.findings.add(contradiction)

    def never_used(self) -> None:
        """Find features that wait, by `before`, for a feature that is never split on."""
        befores = of_kind(self.constraints, Before)
        for cycle in _cycles(befores):
            if len(cycle) == 1:
                self.findings.add(words.BEFORE_ITSELF(cycle[0].span, feature=cycle[0].feature))
            else:
                names = " before ".join(f"`{c.feature}`" for c in (*cycle, cycle[0]))
                others = _and(*cycle[:-1])
                self.findings.add(
                    words.CIRCLE_OF_BEFORES(cycle[-1].span, related=others, features=names)
                )
        for b in befores:
            for c in self.constraints:
                if b.feature != b.then and _keeps_apart(b.feature, b.then, c):
                    found = words.NEVER_TOGETHER(
                        b.span, related=_and(c), feature=b.feature, then=b.then
                    )
                    self.findings.add(found)
            if (f := self.forbidden().get(b.feature)) is not None:
                found = words.BEFORE_NEEDS_FORBIDDEN(
                    b.span, related=_because_of(f), feature=b.then, other=b.feature
                )
                self.findings.add(found)

    # --- no effect, no room --------------------------------------------------------------------

    def root_without_splits(self) -> None:
        """Find boxes because of which the root cannot split. The root contains every box, and a
        split on a feature that a box does not bound cuts the box."""
        constants = of_kind(self.constraints, Constant)
        if not constants:
            return
        common = set.intersection(*(set(_bounded(c.box)) for c in constants))
        if common:
            return
        alone = next((c for c in constants if not _bounded(c.box)), None)
        if alone is not None:
            self.findings.add(words.FREE_BOX(alone.span, box=alone.box.name))
        else:
            first, *others = constants
            self.findings.add(words.NO_COMMON_FEATURE(first.span, related=_and(*others)))

    def majorities(self) -> None:
        for a, b in combinations(of_kind(self.constraints, Majority), 2):
            if a.outcome != b.outcome and _meet(a.box, b.box):
                boxes = {"one": a.box.name, "other": b.box.name}
                found = words.MAJORITIES_MEET(
                    b.span, related=_and(a), this=a.outcome, that=b.outcome, **boxes
                )
                self.findings.add(found)

    def both_ways(self) -> None:
        for a, b in combinations(of_kind(self.constraints, Monotone), 2):
            if a.feature == b.feature and a.direction != b.direction:
                self.findings.add(words.BOTH_WAYS(b.span, related=_and(a), feature=a.feature))

    def repeats(self) -> None:
        seen: dict[str, Constraint] = {}
        for c in self.constraints:
            key = repr(c)
            if key in seen:
                self.findings.add(words.SAID_ALREADY(c.span, related=_because_of(seen[key])))
            seen.setdefault(key, c)

    def limits(self, support: Support) -> None:
        for limit in of_kind(self.constraints, MaxLeaves):
            if limit.count == 1:
                self.findings.add(words.ONE_LEAF(limit.span))
        most = support.max_depth
        if most is None:
            return
        for c in self.constraints:
            if isinstance(c, Forbid) and c.below is not None and c.below >= most:
                self.findings.add(words.FORBIDS_NOTHING(c.span, depth=c.below, most=most))
            # count >= 2**most, without a power that the count does not bound
            if isinstance(c, MaxLeaves) and c.count.bit_length() > most:
                self.findings.add(words.LIMITS_NOTHING(c.span, depth=most, most=2**most))


def _and(*constraints: Constraint) -> list[Related]:
    return [Related("and this", c.span) for c in constraints if c.span is not None]


def _because_of(constraint: Constraint) -> list[Related]:
    return [Related("because of this", constraint.span)] if constraint.span is not None else []


def _bounded(box: Box) -> list[str]:
    """Features with a finite bound."""
    return [f for f, (low, high) in box.bounds.items() if low > -math.inf or high < math.inf]


def _keeps_from_root(first: First, c: Constraint) -> Diagnostic | None:
    """How a constraint rules out that the root splits on a feature; None if it does not."""
    feature, span, related = first.feature, first.span, _and(c)
    match c:
        case Forbid(within=None) if c.feature == feature and not c.below:
            return words.FIRST_FORBIDDEN(span, related=related, feature=feature)
        case Before() if c.then == feature and c.feature != feature:
            return words.FIRST_NEEDS_ANOTHER(
                span, related=related, feature=feature, other=c.feature
            )
        case Interaction() if all(feature not in group for group in c.groups):
            return words.FIRST_IN_NO_GROUP(span, related=related, feature=feature)
        case Constant() if _bounded(c.box) and feature not in _bounded(c.box):
            return words.FIRST_CUTS_BOX(span, related=related, feature=feature, box=c.box.name)
    return None


def _keeps_apart(a: str, b: str, c: Constraint) -> bool:
    """Whether a constraint rules out that one path splits on both features."""
    match c:
        case Exclusive():
            return a in c.features and b in c.features
        case Interaction():
            return not any(a in group and b in group for group in c.groups)
    return False


def _meet(a: Box, b: Box) -> bool:
    free = (-math.inf, math.inf)
    for feature in {*a.bounds, *b.bounds}:
        (a_low, a_high), (b_low, b_high) = a.bounds.get(feature, free), b.bounds.get(feature, free)
        if a_low >= b_high or b_low >= a_high:
            return False
    return True


def _cycles(befores: Iterable[Before]) -> list[list[Before]]:
    """Cycles of `before`, each once."""
    waits: dict[str, list[Before]] = {}
    for b in befores:
        waits.setdefault(b.feature, []).append(b)
    out: list[list[Before]] = []
    done: set[str] = set()
    for start in waits:
        cycle = _cycle_from(start, waits, done)
        if cycle:
            out.append(cycle)
    return out


def _cycle_from(start: str, waits: dict[str, list[Before]], done: set[str]) -> list[Before]:
    """The first cycle on a walk from `start` through features that are not done."""
    path: list[Before] = []
    on_path = [start]
    choices = [iter(waits.get(start, ()))] if start not in done else []
    while choices:
        b = next(choices[-1], None)
        if b is None:
            choices.pop()
            done.add(on_path.pop())
            path = path[: max(len(choices) - 1, 0)]
        elif b.then in on_path:
            done.update(on_path)
            return [*path[on_path.index(b.then) :], b]
        elif b.then not in done:
            path.append(b)
            on_path.append(b.then)
            choices.append(iter(waits.get(b.then, ())))
    return []
