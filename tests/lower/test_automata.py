"""Automata against DESIGN 3's definitions, written here by region arithmetic on whole trees."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slp.ir import program as ir
from slp.ir.schema import Schema
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE, cell_of
from slp.lower.automata import (
    DONE,
    Automaton,
    DepthLimit,
    ForbidWithinAutomaton,
    automaton_of,
    can_be_broken,
)
from slp.lower.cells import Cell, cells_between
from slp.lower.product import Product

NUMERIC = ("a", "b", "c")
LEVELS = ("blue", "red")
FEATURES = (*NUMERIC, "colour")
BOUNDS = (-math.inf, 0.0, 1.0, 2.0, 3.0, math.inf)
# Bounds, points between them and points beyond them.
THRESHOLDS = (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)

Region: TypeAlias = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Node:
    """An inner node; None is a leaf. A categorical test has a level in `at`."""

    feature: str
    at: float | str
    left: Node | None
    right: Node | None


@dataclass(frozen=True)
class Place:
    """What the path to a node says: its region, the features split on above it."""

    node: Node | None
    region: Region
    above: tuple[str, ...]
    cut_by_level: bool


def random_tree(rng: random.Random, region: Region, depth: int) -> Node | None:
    """A tree whose numeric thresholds lie inside their regions, as those of real boxes do."""
    feature = rng.choice(FEATURES)
    if depth == 0 or rng.random() < 0.15:
        return None
    if feature not in region:
        return Node(
            feature,
            rng.choice(LEVELS),
            random_tree(rng, region, depth - 1),
            random_tree(rng, region, depth - 1),
        )
    lo, hi = region[feature]
    inside = [t for t in THRESHOLDS if lo < t < hi]
    if not inside:
        return None
    t = rng.choice(inside)
    return Node(
        feature,
        t,
        random_tree(rng, {**region, feature: (lo, t)}, depth - 1),
        random_tree(rng, {**region, feature: (t, hi)}, depth - 1),
    )


EVERYWHERE: Region = {f: (-math.inf, math.inf) for f in NUMERIC}


def places(
    node: Node | None,
    region: Region = EVERYWHERE,
    above: tuple[str, ...] = (),
    cut_by_level: bool = False,
) -> Iterator[Place]:
    yield Place(node, region, above, cut_by_level)
    if node is None:
        return
    below = (*above, node.feature)
    if isinstance(node.at, str):
        yield from places(node.left, region, below, True)
        yield from places(node.right, region, below, True)
        return
    lo, hi = region[node.feature]
    left, right = {**region, node.feature: (lo, node.at)}, {**region, node.feature: (node.at, hi)}
    yield from places(node.left, left, below, cut_by_level)
    yield from places(node.right, right, below, cut_by_level)


def bound(box: ir.Box, feature: str) -> tuple[float, float]:
    return box.bounds.get(feature, (-math.inf, math.inf))


def contains(place: Place, box: ir.Box) -> bool:
    return not place.cut_by_level and all(
        lo <= bound(box, f)[0] and hi >= bound(box, f)[1] for f, (lo, hi) in place.region.items()
    )


def inside(place: Place, box: ir.Box) -> bool:
    return all(
        place.region[f][0] >= low and place.region[f][1] <= high
        for f, (low, high) in box.bounds.items()
    )


def meets(place: Place, box: ir.Box) -> bool:
    return all(
        place.region[f][0] < high and place.region[f][1] > low
        for f, (low, high) in box.bounds.items()
    )


def cuts(node: Node, box: ir.Box) -> bool:
    if isinstance(node.at, str):
        return True
    low, high = bound(box, node.feature)
    return low < node.at < high


def breaks(place: Place, constraint: ir.Constraint) -> bool:
    """Whether the split at this place is one that the constraint forbids."""
    node = place.node
    assert node is not None
    path = {*place.above, node.feature}
    match constraint:
        case ir.Constant(box=box):
            return contains(place, box) and cuts(node, box)
        case ir.Forbid(feature=f, below=below, within=within):
            here = within is None or inside(place, within)
            return node.feature == f and here and len(place.above) >= (below or 0)
        case ir.First(feature=f):
            return not place.above and node.feature != f
        case ir.Before(feature=f, then=g):
            return node.feature == g and f not in place.above
        case ir.Once(feature=f):
            return node.feature == f and f in place.above
        case ir.Exclusive(features=features):
            return len(path & set(features)) > 1
        case ir.Interaction(groups=groups):
            return not any(path <= set(group) for group in groups)
        case _:
            return False


def class_demanded(place: Place, constraint: ir.Constraint) -> str | None:
    if isinstance(constraint, ir.Majority) and meets(place, constraint.box):
        return constraint.outcome
    return None


# --- strategies --------------------------------------------------------------------------------


@st.composite
def boxes(draw: st.DrawFn) -> ir.Box:
    bounds = {}
    for feature in draw(st.lists(st.sampled_from(NUMERIC), unique=True, max_size=3)):
        low = draw(st.integers(0, len(BOUNDS) - 2))
        high = draw(st.integers(low + 1, len(BOUNDS) - 1))
        bounds[feature] = (BOUNDS[low], BOUNDS[high])
    return ir.Box("region", bounds)


names = st.sampled_from(FEATURES)
groups = st.lists(st.lists(names, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3)
constraints: st.SearchStrategy[ir.Constraint] = st.one_of(
    st.builds(ir.Constant, boxes()),
    st.builds(ir.Majority, boxes(), st.just("yes")),
    st.builds(ir.Forbid, names),
    st.builds(ir.Forbid, names, below=st.integers(0, 3)),
    st.builds(ir.Forbid, names, within=boxes()),
    st.builds(ir.First, names),
    st.builds(ir.Before, names, names),
    st.builds(ir.Once, names),
    st.builds(ir.Exclusive, st.lists(names, min_size=2, max_size=4).map(tuple)),
    st.builds(ir.Interaction, groups.map(tuple)),
)


def cell_at(automaton: Automaton, node: Node) -> Cell | None:
    """The cell of a numeric node's threshold, found by comparing, not by the code under test."""
    if isinstance(node.at, str):
        return None
    points = sorted(automaton.breakpoints.get(node.feature, ()))
    if node.at in points:
        return Cell(node.at, node.at)
    low = max((p for p in points if p < node.at), default=-math.inf)
    return Cell(low, min((p for p in points if p > node.at), default=math.inf))


@settings(max_examples=300, deadline=None)
@given(constraints, st.integers(0, 2**32))
def test_an_automaton_refuses_just_the_splits_that_the_definition_forbids(
    constraint: ir.Constraint, seed: int
) -> None:
    tree = random_tree(random.Random(seed), EVERYWHERE, depth=5)
    automaton = automaton_of(constraint)
    nodes = places(tree)

    def walk(state: object) -> None:
        # `places` visits nodes before their children, left before right: as this does.
        place = next(nodes)
        node = place.node
        if node is None:
            assert automaton.majority(state) == class_demanded(place, constraint)
            return
        step = automaton.step(state, node.feature, cell_at(automaton, node))
        assert (step is None) == breaks(place, constraint)
        if step is None:
            broken.append(place)
            return
        walk(step[0])
        if not broken:
            walk(step[1])

    broken: list[Place] = []
    walk(automaton.start())


@settings(max_examples=100, deadline=None)
@given(st.lists(constraints, max_size=4), st.integers(0, 3), st.integers(0, 2**32))
def test_the_product_refuses_what_one_of_its_factors_refuses(
    several: list[ir.Constraint], max_depth: int, seed: int
) -> None:
    tree = random_tree(random.Random(seed), EVERYWHERE, depth=4)
    schema = Schema(FEATURES, (None, None, None, LEVELS), most_leaves=16)
    product = Product([*map(automaton_of, several), DepthLimit(max_depth)], schema)
    states = {(): 0}
    for place, path in zip(places(tree), paths(tree), strict=True):
        if path not in states:
            continue  # below a refused split
        state = states[path]
        node = place.node
        if node is None:
            tests = {class_demanded(place, c) for c in several} - {None}
            assert set(product.majority(state)) == tests
            continue
        column = product.table(state).column(node.feature)
        points = column.breakpoints
        at = node.at
        cell = 0 if isinstance(at, str) or not points else cell_of(points, at)  # type: ignore[arg-type]
        left, right = column.pairs[cell]
        if len(place.above) >= max_depth:
            assert (left, right) == (OUTSIDE, OUTSIDE)
        elif any(breaks(place, c) for c in several):
            assert (left, right) == (FORBIDDEN, FORBIDDEN)
        else:
            states[*path, 0], states[*path, 1] = left, right
            assert min(left, right) >= 0


def paths(node: Node | None, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    if node is not None:
        yield from paths(node.left, (*path, 0))
        yield from paths(node.right, (*path, 1))


@settings(max_examples=200, deadline=None)
@given(constraints, st.sets(names), st.integers(0, 2**32))
def test_a_constraint_that_is_left_out_cannot_be_broken(
    constraint: ir.Constraint, present: set[str], seed: int
) -> None:
    tree = random_tree(random.Random(seed), EVERYWHERE, depth=4)
    used = {place.node.feature for place in places(tree) if place.node is not None}
    if used <= present and not can_be_broken(constraint, present):
        broken = [p for p in places(tree) if p.node is not None and breaks(p, constraint)]
        assert broken == []


# --- small facts -------------------------------------------------------------------------------

INFANT = ir.Box("infant", {"age": (0.0, 24.0)})


def cell(t: float) -> Cell:
    return next(
        c
        for c in cells_between((0.0, 24.0))
        if (c.is_point and c.low == t) or (not c.is_point and c.low < t < c.high)
    )


@pytest.mark.parametrize(
    ("t", "want"),
    [
        (-1.0, (DONE, "contains")),
        (0.0, (DONE, "contains")),
        (12.0, None),
        (24.0, ("contains", DONE)),
        (30.0, ("contains", DONE)),
    ],
)
def test_constant_at_each_kind_of_threshold(t: float, want: tuple[str, str] | None) -> None:
    automaton = automaton_of(ir.Constant(INFANT))
    assert automaton.step("contains", "age", cell(t)) == want


def test_constant_forbids_every_split_on_a_feature_that_the_box_leaves_free() -> None:
    automaton = automaton_of(ir.Constant(INFANT))
    assert automaton.step("contains", "income", Cell(-math.inf, math.inf)) is None
    assert automaton.step("contains", "colour", None) is None
    assert automaton.step(DONE, "colour", None) == (DONE, DONE)


def test_cells_compare_exactly_even_between_adjacent_floats() -> None:
    low = 1.0
    high = math.nextafter(low, 2.0)
    below, at_low, between, at_high, above = cells_between((low, high))
    assert [c.below(high) for c in (below, at_low, between, at_high, above)] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert [c.at_least(low) for c in (below, at_low, between, at_high, above)] == [
        False, True, True, True, True,
    ]  # fmt: skip
    assert between.above(low) and not at_low.above(low)
    assert between.at_most(high) and at_high.at_most(high) and not above.at_most(high)


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (ir.Constant(INFANT), "contains infant"),
        (ir.Majority(INFANT, "well"), "meets infant"),
        (ir.Forbid("age"), ""),
        (ir.Forbid("age", below=2), "depth 0"),
        (ir.Forbid("age", within=INFANT), ""),
        (ir.First("age"), "root"),
        (ir.Before("age", "income"), "no age yet"),
        (ir.Once("age"), ""),
        (ir.Exclusive(("age", "income")), ""),
        (ir.Interaction((("age",), ("income",))), ""),
    ],
)
def test_start_states_in_words(constraint: ir.Constraint, words: str) -> None:
    automaton = automaton_of(constraint)
    assert automaton.describe(automaton.start()) == words


def test_states_after_a_split_in_words() -> None:
    def after(constraint: ir.Constraint, t: float) -> tuple[str, str]:
        automaton = automaton_of(constraint)
        step = automaton.step(automaton.start(), "age", cell(t))
        assert step is not None
        return automaton.describe(step[0]), automaton.describe(step[1])

    assert after(ir.Forbid("age", within=INFANT), 12.0) == ("age < 24", "age >= 0")
    assert after(ir.Forbid("age", within=INFANT), 24.0) == ("age < 24", "off infant")
    assert after(ir.Forbid("age", below=1), 24.0) == ("depth >= 1", "depth >= 1")
    assert after(ir.Once("age"), 1.0) == ("age used", "age used")
    assert after(ir.Exclusive(("age", "income")), 1.0) == ("took age", "took age")
    groups = (("age", "b"), ("age", "a"), ("c",))
    assert after(ir.Interaction(groups), 1.0) == ("within [a, age] or [age, b]",) * 2


def test_a_region_inside_the_box_forbids_the_feature() -> None:
    automaton = ForbidWithinAutomaton("age", INFANT)
    step = automaton.step(automaton.start(), "age", cell(24.0))
    assert step is not None
    inner = automaton.step(step[0], "age", cell(0.0))
    assert inner is not None and automaton.describe(inner[1]) == "inside infant"
    assert automaton.step(inner[1], "age", cell(12.0)) is None
    assert automaton.step(inner[1], "income", Cell(-math.inf, math.inf)) is not None
