"""What constraints say together, whatever the data: contradictions, and what has no effect.

An error needs a feature that one constraint asks for and another rules out, or features that could
never be used. What only takes room away, or says what is said already, is a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeVar

from slp.analysis.findings import Findings
from slp.errors import Related
from slp.ir.program import (
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
)

__all__ = ["check_constraints"]

_C = TypeVar("_C")


def check_constraints(
    constraints: Sequence[Constraint], support: Support, findings: Findings
) -> None:
    """Find contradictions and what has no effect."""
    checker = _Checker(constraints, findings)
    checker.first()
    checker.never_used()
    checker.root_without_splits()
    checker.majorities()
    checker.both_ways()
    checker.repeats()
    checker.limits(support)


class _Checker:
    def __init__(self, constraints: Sequence[Constraint], findings: Findings) -> None:
        self.constraints = constraints
        self.findings = findings

    def all(self, kind: type[_C]) -> list[_C]:
        return [c for c in self.constraints if isinstance(c, kind)]

    def forbidden(self) -> dict[str, Forbid]:
        """Features that are never split on."""
        return {c.feature: c for c in self.all(Forbid) if c.within is None and not c.below}

    def contradiction(self, message: str, help: str, one: Constraint, *others: Constraint) -> None:
        related = [Related("and this", c.span) for c in others if c.span is not None]
        self.findings.error("E142", message, one.span, help=help, related=related)

    def no_effect(
        self, message: str, one: Constraint, *others: Constraint, help: str | None = None
    ) -> None:
        related = [Related("because of this", c.span) for c in others if c.span is not None]
        self.findings.warning("W106", message, one.span, help=help, related=related)

    # --- contradictions ------------------------------------------------------------------------

    def first(self) -> None:
        firsts = self.all(First)
        help = "take one of the two out"
        for a, b in combinations(firsts, 2):
            if a.feature != b.feature:
                message = f"the first split cannot be on `{a.feature}` and on `{b.feature}`"
                self.contradiction(message, help, b, a)
        for f in firsts:
            for g in self.constraints:
                reason = _keeps_from_root(f.feature, g)
                if reason is not None:
                    message = f"the first split cannot be on `{f.feature}`, {reason}"
                    self.contradiction(message, help, f, g)

    def never_used(self) -> None:
        """`before` makes a feature wait for another that can never come."""
        befores = self.all(Before)
        help = "none of them can ever be split on; take one of these constraints out"
        for cycle in _cycles(befores):
            if len(cycle) == 1:
                message = f"`{cycle[0].feature}` cannot come before itself"
                self.contradiction(message, "no tree could ever split on it", cycle[0])
            else:
                names = " before ".join(f"`{c.feature}`" for c in (*cycle, cycle[0]))
                self.contradiction(
                    f"these go round in a circle: {names}", help, cycle[-1], *cycle[:-1]
                )
        for b in befores:
            for c in self.constraints:
                if b.feature != b.then and _keeps_apart(b.feature, b.then, c):
                    message = (
                        f"`{b.then}` can never be split on: it needs `{b.feature}` above it, and "
                        "no path may have both"
                    )
                    self.contradiction(message, "take one of the two out", b, c)
            if (f := self.forbidden().get(b.feature)) is not None:
                self.no_effect(
                    f"`{b.then}` is never split on: it needs `{b.feature}` above it, which is "
                    "forbidden",
                    b,
                    f,
                    help=f"if that is meant, `forbid({b.then})` says it plainly",
                )

    # --- no effect, no room --------------------------------------------------------------------

    def root_without_splits(self) -> None:
        """The root contains every box, and a split on a feature that a box leaves free cuts it."""
        constants = self.all(Constant)
        if not constants:
            return
        common = set.intersection(*(set(_bounded(c.box)) for c in constants))
        if common:
            return
        alone = next((c for c in constants if not _bounded(c.box)), None)
        if alone is not None:
            self.findings.warning(
                "W107",
                f"no split is possible at all: box `{alone.box.name}` is free in every feature",
                alone.span,
                help="a split on a feature that a constant box leaves free cuts it; bound the box",
            )
        else:
            self.findings.warning(
                "W107",
                "no split is possible at all: the constant boxes have no bounded feature in common",
                constants[0].span,
                help="a split on a feature that a constant box leaves free cuts it, so a first "
                "split must be on a feature that all of them bound",
                related=[Related("and this", c.span) for c in constants[1:] if c.span],
            )

    def majorities(self) -> None:
        for a, b in combinations(self.all(Majority), 2):
            if a.outcome != b.outcome and _meet(a.box, b.box):
                self.findings.warning(
                    "W106",
                    f"boxes `{a.box.name}` and `{b.box.name}` meet: leaves there need as many "
                    f"rows of `{a.outcome}` as of `{b.outcome}`",
                    b.span,
                    related=[Related("and this", a.span)] if a.span else [],
                )

    def both_ways(self) -> None:
        for a, b in combinations(self.all(Monotone), 2):
            if a.feature == b.feature and a.direction != b.direction:
                name = a.feature
                self.findings.warning(
                    "W106",
                    f"predictions may neither rise nor fall with `{name}`, so it changes nothing",
                    b.span,
                    help=f"if that is meant, `forbid({name})` says it plainly; else take one out",
                    related=[Related("and this", a.span)] if a.span else [],
                )

    def repeats(self) -> None:
        seen: dict[str, Constraint] = {}
        for c in self.constraints:
            key = repr(c)
            if key in seen:
                self.no_effect("this constraint is said already", c, seen[key])
            seen.setdefault(key, c)

    def limits(self, support: Support) -> None:
        for limit in self.all(MaxLeaves):
            if limit.count == 1:
                message = "`max_leaves(1)` leaves one tree, a single leaf"
                self.findings.warning("W107", message, limit.span, help="allow two leaves or more")
        if support.max_depth is None:
            return
        for c in self.constraints:
            if isinstance(c, Forbid) and c.below is not None and c.below >= support.max_depth:
                self.no_effect(
                    f"this forbids nothing: no node is split at depth {c.below} under "
                    f"`max_depth({support.max_depth})`",
                    c,
                )
            if isinstance(c, MaxLeaves) and c.count >= 2 ** min(support.max_depth, 64):
                self.no_effect(
                    f"this limits nothing: a tree of depth {support.max_depth} has at most "
                    f"{2**support.max_depth} leaves",
                    c,
                )


def _bounded(box: Box) -> list[str]:
    """Features with a finite bound."""
    return [f for f, (low, high) in box.bounds.items() if low > -math.inf or high < math.inf]


def _keeps_from_root(feature: str, c: Constraint) -> str | None:
    """Why a constraint rules out that the root splits on a feature, None if it does not."""
    match c:
        case Forbid(within=None) if c.feature == feature and not c.below:
            return "which is forbidden"
        case Before() if c.then == feature and c.feature != feature:
            return f"which needs `{c.feature}` above it"
        case Interaction() if all(feature not in group for group in c.groups):
            return "which is in no group of `interaction`"
        case Constant() if _bounded(c.box) and feature not in _bounded(c.box):
            return f"which box `{c.box.name}` leaves free: any split on it cuts the box"
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
    """Circles of `before`, each once: chains in which every feature waits for the one before it."""
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
    """The first circle met on a walk from `start` through features not done before."""
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
