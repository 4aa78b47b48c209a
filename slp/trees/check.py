"""Whether a finished tree satisfies a program's constraints, as docs/language.md defines them.

Nothing here is shared with lowering or the engines: regions come from the thresholds on each
path (`slp.trees.regions`), rows from the leaves' summaries or from routing a table, and each
constraint is one function that looks for a counterexample. So a tree that an engine gives can be
checked against what its user wrote.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from slp.constraints import (
    Before,
    Constant,
    Exclusive,
    First,
    Forbid,
    Interaction,
    Majority,
    MaxCost,
    MaxFeatures,
    MaxLeaves,
    Monotone,
    Once,
)
from slp.errors import DataError, UsageError
from slp.ir.constraints import Constraint, Support
from slp.ir.program import CheckedProgram
from slp.ir.words import describe_constraint, describe_support
from slp.leaves import label_text
from slp.leaves.numbers import TIE
from slp.messages.numbers import number_text
from slp.messages.trees import NOT_A_PROGRAM, RESPONSE_WITHOUT_TABLE
from slp.source import SourceSpan
from slp.trees.drawing import condition_text
from slp.trees.monotone import falls
from slp.trees.nodes import nodes_of_tree, rows_of
from slp.trees.predicates import asked_predicate, is_unread
from slp.trees.route import leaves_of_rows, levels_of_rows
from slp.trees.tree import Leaf, Place, Split, Tree


@dataclass(frozen=True)
class CheckResult:
    """The result of checking one constraint.

    Attributes
    ----------
    constraint : the constraint or limit as data.
    words : the constraint as a sentence.
    span : its place in the program.
    holds : True or False, or None if the tree does not determine it, as where a leaf does not tell
        its rows.
    counterexample : where and why the constraint fails or is not determined.
    path : the node of the counterexample (`root`, `left.right`), None for the whole tree.
    """

    constraint: Constraint | Support = field(repr=False)
    words: str
    span: SourceSpan | None = field(repr=False)
    holds: bool | None
    counterexample: str | None = None
    path: str | None = None

    def to_dict(self) -> dict[str, object]:
        """All of this as plain data."""
        return {
            "constraint": self.words,
            "span": None if self.span is None else self.span.to_dict(),
            "holds": self.holds,
            "counterexample": self.counterexample,
            "path": self.path,
        }


def check_tree(
    tree: Tree, program: Any, X: Any = None, y: Any = None, *, allow_code: bool = False
) -> list[CheckResult]:
    """Check every constraint and the support of a program on a tree, in the program's order.

    Parameters
    ----------
    program : an `slp.Program` or an `slp.ir.program.CheckedProgram`.
    X, y : a table whose rows are counted in the leaves, as for `slp.Program.posterior`: a frame
        that contains the response (with the name of its column as `y`, if the program does not
        declare it), or rows and responses separately. Without it the leaves' summaries are used.
    allow_code : whether predicates that the program names may run; if not, their `holds` is None.

    Raises
    ------
    DataError
        As `Tree.apply`; a table without a response, or with one that the program's leaf model does
        not allow, as `slp.data.table_of`; E150, E151: the program names a feature or a class that
        the table lacks; E611: `y` without `X`.
    UsageError
        E612: `program` is not a program.
    SlpError
        E651 to E654: a predicate that cannot be called, or returns no truth value.
    """
    ir = getattr(program, "ir", program)
    if not isinstance(ir, CheckedProgram):
        raise UsageError(NOT_A_PROGRAM(given=program))
    levels = None
    if X is None and y is not None:
        raise DataError(RESPONSE_WITHOUT_TABLE())
    if X is not None:
        levels = levels_of_rows(tree, X)
        tree = tree.with_leaves(leaves_of_rows(tree, ir, X, y))
    seen = _Seen(tree, list(tree.places()), ir, levels, allow_code)
    asked: list[Constraint | Support] = [*ir.constraints, *_supports(ir)]
    return [_check(constraint, seen) for constraint in asked]


# --- finding counterexamples -------------------------------------------------------------------


@dataclass(frozen=True)
class _Finding:
    """Why a constraint does not hold, at `place` (None: the whole tree).

    `unknown`: it cannot be decided.
    """

    why: str
    place: Place | None = None
    unknown: bool = False


@dataclass(frozen=True)
class _Seen:
    """The input of a check: a tree and its places, the program, the levels of the table's
    categorical features (None without a table), and whether code may run."""

    tree: Tree
    places: list[Place]
    program: CheckedProgram
    levels: Mapping[str, frozenset[str]] | None
    allow_code: bool


def _check(constraint: Constraint | Support, seen: _Seen) -> CheckResult:
    span = None if isinstance(constraint, Support) else constraint.span
    findings = sorted(_findings(constraint, seen), key=lambda finding: finding.unknown)
    words = _words(constraint)
    if not findings:
        return CheckResult(constraint, words, span, True)
    first = findings[0]
    holds = None if first.unknown else False
    if first.place is None:
        return CheckResult(constraint, words, span, holds, first.why)
    path = first.place.path
    why = f"at {path} ({first.place.region.describe()}): {first.why}"
    return CheckResult(constraint, words, span, holds, why, path)


def _findings(constraint: Constraint | Support, seen: _Seen) -> Iterator[_Finding]:
    """Whatever breaks the constraint (docs/language.md, the table of constraints)."""
    splits = [(place, place.node) for place in seen.places if isinstance(place.node, Split)]
    leaves = [(place, place.node) for place in seen.places if isinstance(place.node, Leaf)]
    match constraint:
        case Majority():
            for place, leaf in leaves:
                yield from _outvoted(constraint, place, leaf)
        case Support():
            for place, leaf in leaves:
                yield from _unsupported(constraint, place, leaf)
        case MaxLeaves(count=count):
            if len(leaves) > count:
                yield _Finding(f"the tree has {len(leaves)} leaves")
        case MaxFeatures(count=count):
            used = dict.fromkeys(split.feature for _, split in splits)
            if len(used) > count:
                yield _Finding(f"the tree splits on {len(used)} features: {', '.join(used)}")
        case Monotone():
            program = seen.program
            orders = program.leaf, seen.levels, program.class_order
            feature, up = constraint.feature, constraint.direction == "up"
            for fall in falls(feature, up, seen.places, *orders):
                yield _Finding(*fall)
        case Constraint(by_code=True):
            yield from _refusals(constraint, seen)
        case _:
            yield from _wrong_splits(constraint, splits)


def _refusals(predicate: Constraint, seen: _Seen) -> Iterator[_Finding]:
    """The nodes, or the tree, that a predicate rejects."""
    if is_unread(predicate) and not seen.allow_code:
        yield _Finding("it runs code, which is not allowed (`allow_code=True`)", unknown=True)
    elif predicate.at_finished_tree:
        if not asked_predicate(predicate, seen.program)(seen.tree):
            yield _Finding("the predicate refuses the tree")
    else:
        asked = asked_predicate(predicate, seen.program)
        for place, node in nodes_of_tree(seen.tree):
            if node is None:
                yield _Finding("the leaves do not say their rows", place, unknown=True)
            elif not asked(node):
                yield _Finding(f"the predicate refuses the node: {node}", place)


def _words(constraint: Constraint | Support) -> str:
    if isinstance(constraint, Support):
        return " ".join(describe_support(constraint))
    return describe_constraint(constraint)


def _supports(program: CheckedProgram) -> Iterator[Support]:
    """The declared limits."""
    if program.support.min_leaf > 1:
        yield Support(min_leaf=program.support.min_leaf)
    if program.support.min_weight is not None:
        yield Support(min_weight=program.support.min_weight)
    if program.support.max_depth is not None:
        yield Support(max_depth=program.support.max_depth)


def _wrong_splits(constraint: Constraint, splits: list[tuple[Place, Split]]) -> Iterator[_Finding]:
    """Every split that a constraint on splits does not allow."""
    match constraint:
        case Constant(box=box):
            for place, split in splits:
                if not place.region.contains(box):
                    continue
                bounds = box.bounds.get(split.feature)
                if split.test.number is None or bounds is None:
                    free = f"the box {box.name}, which is free in {split.feature}"
                    yield _Finding(f"{_shown(split)} cuts {free}", place)
                elif bounds[0] < split.test.number < bounds[1]:
                    yield _Finding(f"{_shown(split)} cuts the box {box.name}", place)
        case Forbid(feature=forbidden, below=below, within=within):
            for place, split in splits:
                deep = below is None or place.depth >= below
                inside = within is None or place.region.inside(within)
                if split.feature == forbidden and deep and inside:
                    yield _Finding(f"{_shown(split)} at depth {place.depth}", place)
        case First(feature=first):
            for place, split in splits:
                if place.parent is None and split.feature != first:
                    yield _Finding(f"the first split is {_shown(split)}", place)
        case Before(feature=first, then=then):
            for place, split in splits:
                if split.feature == then and first not in place.above:
                    yield _Finding(f"{_shown(split)} has no split on {first} above it", place)
        case Once(feature=once):
            for place, split in splits:
                if split.feature == once and once in place.above:
                    yield _Finding(f"{_shown(split)} is a second split on the path", place)
        case Exclusive(features=rivals):
            for place, split in splits:
                others = (place.above & set(rivals)) - {split.feature}
                if split.feature in rivals and others:
                    yield _Finding(f"{_shown(split)} is below a split on {min(others)}", place)
        case Interaction(groups=groups):
            for place, split in splits:
                used = place.above | {split.feature}
                if not any(used <= set(group) for group in groups):
                    no_group = f"no group holds {', '.join(sorted(used))}"
                    yield _Finding(f"{_shown(split)}: {no_group}", place)
        case MaxCost():
            yield from _dear_splits(constraint, splits)
        case _:
            raise TypeError(f"no such constraint: {constraint!r}")


def _dear_splits(constraint: MaxCost, splits: list[tuple[Place, Split]]) -> Iterator[_Finding]:
    """Splits on a feature that costs, not used above, for which the path costs too much. Costs are
    the decimal numbers that they are printed as."""
    costs = {c.feature: Fraction(repr(c.amount)) for c in constraint.costs}
    for place, split in splits:
        path = {f: costs[f] for f in sorted(place.above | {split.feature}) if f in costs}
        total = sum(path.values(), Fraction(0))
        pays = path.get(split.feature, 0) > 0 and split.feature not in place.above
        if pays and total > Fraction(repr(constraint.most)):
            told = ", ".join(f"{f} {number_text(float(c))}" for f, c in path.items() if c)
            cost = _cost_text(total)
            yield _Finding(f"with {_shown(split)} the path costs {cost}: {told}", place)


def _cost_text(total: Fraction) -> str:
    """A sum of costs, which may be beyond the largest float."""
    largest = sys.float_info.max
    return f"more than {number_text(largest)}" if total > largest else number_text(float(total))


def _shown(split: Split) -> str:
    return f"`{condition_text(split)}`"


def _outvoted(constraint: Majority, place: Place, leaf: Leaf) -> Iterator[_Finding]:
    """A leaf whose region meets the box has a class with more rows than the one named."""
    if not place.region.meets(constraint.box):
        return
    if "counts" not in leaf.summary:
        yield _Finding("the leaf does not say its rows by class", place, unknown=True)
        return
    counts = {label_text(c): rows for c, rows in leaf.summary["counts"].items()}
    most = max(counts, key=lambda outcome: counts[outcome], default=constraint.outcome)
    own = counts.get(constraint.outcome, 0)
    if counts.get(most, 0) * (1 - TIE) > own:
        yield _Finding(f"{counts[most]} rows of {most}, {own} of {constraint.outcome}", place)


def _unsupported(constraint: Support, place: Place, leaf: Leaf) -> Iterator[_Finding]:
    """A leaf has fewer rows than `min_leaf`, or a smaller weight than `min_weight`, or lies deeper
    than `max_depth`."""
    if constraint.max_depth is not None and place.depth > constraint.max_depth:
        yield _Finding(f"the leaf has depth {place.depth}", place)
    if place.parent is not None and constraint.min_weight is not None:
        weight = rows_of(leaf.summary)
        if weight is None:
            yield _Finding("the leaf does not say the weight of its rows", place, unknown=True)
        elif weight < constraint.min_weight * (1 - TIE):
            yield _Finding(f"the leaf has rows of weight {weight:.10g}", place)
    if place.parent is None or constraint.min_leaf <= 1:
        return
    rows = rows_of(leaf.summary) if leaf.counted is None else leaf.counted
    if leaf.counted is None and leaf.predictive is not None and leaf.predictive.model.weighted:
        why = "the leaf says the weight of its rows, not how many they are: give the table"
        yield _Finding(why, place, unknown=True)
    elif rows is None:
        yield _Finding("the leaf does not say its number of rows", place, unknown=True)
    elif rows < constraint.min_leaf:
        yield _Finding(f"the leaf has {rows} rows", place)
