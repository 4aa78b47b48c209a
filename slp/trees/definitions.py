"""Constraints on a finished tree, as docs/language.md defines them: each looks for what breaks it.

Nothing here is shared with lowering or the engines: regions come from the thresholds on each path
(`slp.trees.regions`), rows from the leaves' summaries.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from slp.constraints.form import of_kind
from slp.constraints.prefer import Prefer
from slp.ir.constraints import Constraint, Support
from slp.ir.groups import Named, features_of, name_in_program
from slp.ir.leaves import ClassShares
from slp.ir.made import Made
from slp.ir.program import CheckedProgram
from slp.leaves import label_text
from slp.leaves.numbers import TIE
from slp.messages.numbers import number_text
from slp.trees.drawing import condition_text
from slp.trees.monotone import falls
from slp.trees.nodes import nodes_of_tree, rows_of
from slp.trees.parts import Leaf, Place, Split
from slp.trees.predicates import asked_predicate, is_unread
from slp.trees.tree import Tree


@dataclass(frozen=True)
class Finding:
    """Why a constraint does not hold, at `place` (None: the whole tree).

    `unknown`: it cannot be decided. `witness` is the counterexample as plain data, where that is
    more than the place: paths of nodes that are too many together, or two points.
    """

    why: str
    place: Place | None = None
    unknown: bool = False
    witness: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Seen:
    """The input of a check: a tree and its places, the program, the levels of the table's
    categorical features (None without a table), and whether code may run."""

    tree: Tree
    places: list[Place]
    program: CheckedProgram
    levels: Mapping[str, frozenset[str]] | None
    allow_code: bool


def findings(constraint: Constraint | Support, seen: Seen) -> Iterator[Finding]:
    """Whatever breaks the constraint (docs/language.md, the table of constraints)."""
    splits = [(place, place.node) for place in seen.places if isinstance(place.node, Split)]
    leaves = [(place, place.node) for place in seen.places if isinstance(place.node, Leaf)]
    match constraint:
        case Prefer(constraint=preferred):
            yield from findings(preferred, seen)
        case Majority():
            for place, leaf in leaves:
                yield from _outvoted(constraint, place, leaf)
        case Support():
            for place, leaf in leaves:
                yield from _unsupported(constraint, place, leaf, seen.program)
        case MaxLeaves(count=count):
            if len(leaves) > count:
                witness = {"paths": [place.path for place, _ in leaves[: count + 1]]}
                yield Finding(f"the tree has {len(leaves)} leaves", witness=witness)
        case MaxFeatures(count=count):
            used: dict[str, str] = {}
            for place, split in splits:
                used.setdefault(split.feature, place.path)
            if len(used) > count:
                why = f"the tree splits on {len(used)} features: {', '.join(used)}"
                yield Finding(why, witness={"paths": list(used.values())[: count + 1]})
        case Monotone():
            program = seen.program
            orders = program.leaf, seen.levels, program.class_order, program.leaves_of_boxes
            feature, up = constraint.feature, constraint.direction == "up"
            for fall in falls(feature, up, seen.places, *orders):
                points = None if fall.points is None else {"points": list(fall.points)}
                yield Finding(fall.why, fall.place, fall.unknown, points)
        case Constant(shares=ClassShares()):
            yield from _wrong_splits(constraint, splits)
            for place, _ in leaves:
                yield from _other_shares(constraint, place, seen.program)
        case Constraint(by_code=True):
            yield from _refusals(constraint, seen)
        case _:
            yield from _wrong_splits(constraint, splits)


def _refusals(predicate: Constraint, seen: Seen) -> Iterator[Finding]:
    """The nodes, or the tree, that a predicate rejects."""
    if is_unread(predicate) and not seen.allow_code:
        yield Finding("it runs code, which is not allowed (`allow_code=True`)", unknown=True)
    elif predicate.at_finished_tree:
        if not asked_predicate(predicate, seen.program)(seen.tree):
            yield Finding("the predicate refuses the tree")
    else:
        asked = asked_predicate(predicate, seen.program)
        for place, node in nodes_of_tree(seen.tree):
            if node is None:
                yield Finding("the leaves do not say their rows", place, unknown=True)
            elif not asked(node):
                yield Finding(f"the predicate refuses the node: {node}", place)


def _wrong_splits(constraint: Constraint, splits: list[tuple[Place, Split]]) -> Iterator[Finding]:
    """Every split that a constraint on splits does not allow."""
    match constraint:
        case Constant(box=box):
            for place, split in splits:
                if not place.region.contains(box):
                    continue
                bounds = box.bounds.get(split.feature)
                if split.test.number is None or bounds is None:
                    free = f"the box {box.name}, which is free in {split.feature}"
                    yield Finding(f"{_shown(split)} cuts {free}", place)
                elif bounds[0] < split.test.number < bounds[1]:
                    yield Finding(f"{_shown(split)} cuts the box {box.name}", place)
        case Forbid(feature=forbidden, below=below, within=within, made=made):
            for place, split in splits:
                deep = below is None or place.depth >= below
                inside = within is None or place.region.inside(within)
                if _counts(split.feature, forbidden, made) and deep and inside:
                    yield Finding(f"{_shown(split)} at depth {place.depth}", place)
        case First(feature=first, made=made):
            for place, split in splits:
                if place.parent is None and not _counts(split.feature, first, made):
                    yield Finding(f"the first split is {_shown(split)}", place)
        case Before(feature=first, then=then, made=made):
            for place, split in splits:
                waits = then in _closest(split.feature, (first, then), made)
                if waits and not features_of(first) & _used(place, made):
                    yield Finding(f"{_shown(split)} has no split on {first} above it", place)
        case Once(feature=once, made=made):
            for place, split in splits:
                used = features_of(once) & _used(place, made)
                if used and _counts(split.feature, once, made):
                    yield Finding(f"{_shown(split)} is a second split on the path", place)
        case Exclusive(features=rivals, made=made):
            for place, split in splits:
                own = _closest(split.feature, rivals, made)
                above = [_closest(f, rivals, made) for f in place.above]
                others = sorted(map(name_in_program, set[Named]().union(*above) - own))
                if len(own) > 1:
                    both = " and ".join(sorted(map(name_in_program, own)))
                    yield Finding(f"{_shown(split)} is on {both}", place)
                elif own and others:
                    yield Finding(f"{_shown(split)} is below a split on {min(others)}", place)
        case Interaction(groups=groups):
            for place, split in splits:
                used = place.above | {split.feature}
                if not any(used <= set(group) for group in groups):
                    no_group = f"no group holds {', '.join(sorted(used))}"
                    yield Finding(f"{_shown(split)}: {no_group}", place)
        case MaxCost():
            yield from _dear_splits(constraint, splits)
        case _:
            raise TypeError(f"no such constraint: {constraint!r}")


def _dear_splits(constraint: MaxCost, splits: list[tuple[Place, Split]]) -> Iterator[Finding]:
    """Splits on a feature that costs, not used above, for which the path costs too much. Costs are
    the decimal numbers that they are printed as."""
    costs = {c.feature: Fraction(repr(c.amount)) for c in constraint.costs}
    for place, split in splits:
        own, used = _counted(split.feature, constraint.made), _used(place, constraint.made)
        path = {f: costs[f] for f in sorted(used | own) if f in costs}
        total = sum(path.values(), Fraction(0))
        pays = any(path.get(f, 0) > 0 for f in own - used)
        if pays and total > Fraction(repr(constraint.most)):
            told = ", ".join(f"{f} {number_text(float(c))}" for f, c in path.items() if c)
            cost = _cost_text(total)
            yield Finding(f"with {_shown(split)} the path costs {cost}: {told}", place)


def _counted(feature: str, made: Made) -> set[str]:
    """What a split on a feature counts as a split on: itself, and what it is made of."""
    direct = dict(made.of)
    found, size = {feature}, 0
    while len(found) > size:
        size = len(found)
        found = found.union(*(direct.get(f, ()) for f in found))
    return found


def _used(place: Place, made: Made) -> set[str]:
    """What the splits above a place count as."""
    return set[str]().union(*(_counted(f, made) for f in place.above))


def _counts(feature: str, named: Named, made: Made) -> bool:
    """Whether a split counts as one on what is named."""
    return not features_of(named).isdisjoint(_counted(feature, made))


def _closest(feature: str, names: Sequence[Named], made: Made) -> set[Named]:
    """Those of some names that a split counts as; of two the one that is made of the other."""
    found = _counted(feature, made) & set[str]().union(*map(features_of, names))
    of_others = [_counted(name, made) - {name} for name in found]
    near = found - set[str]().union(*of_others)
    return {name for name in names if features_of(name) & near}


def _cost_text(total: Fraction) -> str:
    """A sum of costs, which may be beyond the largest float."""
    largest = sys.float_info.max
    return f"more than {number_text(largest)}" if total > largest else number_text(float(total))


def _shown(split: Split) -> str:
    return f"`{condition_text(split)}`"


def _other_shares(constraint: Constant, place: Place, program: CheckedProgram) -> Iterator[Finding]:
    """A leaf that contains the box contains one with other class probabilities too."""
    if not place.region.contains(constraint.box):
        return
    for other in of_kind(program.constraints, Constant):
        differ = other.shares not in (None, constraint.shares)
        if differ and place.region.contains(other.box):
            why = f"the leaf holds the box {other.box.name} too, with other class probabilities"
            yield Finding(why, place)


def _outvoted(constraint: Majority, place: Place, leaf: Leaf) -> Iterator[Finding]:
    """A leaf whose region meets the box has a class with more rows than the one named."""
    if not place.region.meets(constraint.box):
        return
    if "counts" not in leaf.summary:
        yield Finding("the leaf does not say its rows by class", place, unknown=True)
        return
    counts = {label_text(c): rows for c, rows in leaf.summary["counts"].items()}
    most = max(counts, key=lambda outcome: counts[outcome], default=constraint.outcome)
    own = counts.get(constraint.outcome, 0)
    if counts.get(most, 0) * (1 - TIE) > own:
        yield Finding(f"{counts[most]} rows of {most}, {own} of {constraint.outcome}", place)


def _unsupported(
    constraint: Support, place: Place, leaf: Leaf, program: CheckedProgram
) -> Iterator[Finding]:
    """A leaf has fewer rows than `min_leaf`, or a smaller weight than `min_weight`, or lies deeper
    than `max_depth`."""
    if constraint.max_depth is not None and place.depth > constraint.max_depth:
        yield Finding(f"the leaf has depth {place.depth}", place)
    if place.parent is not None and constraint.min_weight is not None:
        weight = rows_of(leaf.summary)
        if weight is None:
            yield Finding("the leaf does not say the weight of its rows", place, unknown=True)
        elif weight < constraint.min_weight * (1 - TIE):
            yield Finding(f"the leaf has rows of weight {weight:.10g}", place)
    if place.parent is None or constraint.min_leaf <= 1:
        return
    rows = counted_rows(leaf, program)
    if rows is None and rows_of(leaf.summary) is not None:
        why = "the leaf says the weight of its rows, not how many they are: give the table"
        yield Finding(why, place, unknown=True)
    elif rows is None:
        yield Finding("the leaf does not say its number of rows", place, unknown=True)
    elif rows < constraint.min_leaf:
        yield Finding(f"the leaf has {rows} rows", place)


def counted_rows(leaf: Leaf, program: CheckedProgram) -> int | None:
    """How many rows are in a leaf, None if it does not say: where rows have weights, these are in
    its summary."""
    if leaf.counted is not None:
        return leaf.counted
    weighted = leaf.predictive is not None and leaf.predictive.model.weighted
    rows = rows_of(leaf.summary)
    if weighted or program.row_weight is not None or rows is None or rows != int(rows):
        return None
    return rows
