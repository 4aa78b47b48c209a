"""Automata and whole grammars against the definitions of `tests.lower.definitions`."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slp.constraints import Before, Constant, Exclusive, First, Forbid, Interaction, Majority, Once
from slp.constraints.forbid import ForbidWithinAutomaton
from slp.ir.automaton import DONE, Automaton
from slp.ir.boxes import Box
from slp.ir.cells import Cell, cells_between, coarse_cells
from slp.ir.constraints import Constraint
from slp.ir.schema import Schema
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE, LeafRule, SplitRule, cell_of
from slp.lower import program_to_tree_grammar
from slp.lower.depth_limit import DepthLimit
from slp.lower.product import Product
from tests.lower.definitions import (
    EVERYWHERE,
    FEATURES,
    LEVELS,
    Node,
    Place,
    breaks,
    class_demanded,
    constraints,
    names,
    paths,
    places,
    random_tree,
)
from tests.lower.programs import GROWTREE, checked

SCHEMA = Schema(FEATURES, (None, None, None, LEVELS), most_leaves=9)


def cell_at(automaton: Automaton[Any], node: Node) -> Cell | None:
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
    constraint: Constraint, seed: int
) -> None:
    tree = random_tree(random.Random(seed), EVERYWHERE, depth=5)
    automaton = constraint.automaton()
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
    walk(automaton.start)


@settings(max_examples=100, deadline=None)
@given(st.lists(constraints, max_size=4), st.integers(0, 3), st.integers(0, 2**32))
def test_the_product_refuses_what_one_of_its_factors_refuses(
    several: list[Constraint], max_depth: int, seed: int
) -> None:
    tree = random_tree(random.Random(seed), EVERYWHERE, depth=4)
    product = Product([*(c.automaton() for c in several), DepthLimit(max_depth)], SCHEMA)
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


@settings(max_examples=200, deadline=None)
@given(constraints, st.sets(names), st.integers(0, 2**32))
def test_a_constraint_that_is_left_out_cannot_be_broken(
    constraint: Constraint, present: set[str], seed: int
) -> None:
    tree = random_tree(random.Random(seed), EVERYWHERE, depth=4)
    used = {place.node.feature for place in places(tree) if place.node is not None}
    if used <= present and not constraint.can_be_broken(present):
        broken = [p for p in places(tree) if p.node is not None and breaks(p, constraint)]
        assert broken == []


@settings(max_examples=40, deadline=None)
@given(st.lists(constraints, max_size=3), st.integers(0, 2**32))
def test_a_lowered_program_forbids_just_what_its_constraints_forbid(
    several: list[Constraint], seed: int
) -> None:
    """Down a random tree through the finished tables, by the cells that an engine would look up."""
    program = replace(checked(GROWTREE), constraints=tuple(several), failure="condition")
    grammar = program_to_tree_grammar(program, SCHEMA)
    tree = random_tree(random.Random(seed), EVERYWHERE, depth=5)
    states = {(): grammar.start}
    for place, path in zip(places(tree), paths(tree), strict=True):
        if path not in states:
            continue  # below a forbidden split
        rules = grammar.states[states[path]].rules
        node = place.node
        if node is None:
            (leaf,) = (r for r in rules if isinstance(r, LeafRule))
            assert set(leaf.majority) == {class_demanded(place, c) for c in several} - {None}
            continue
        (split,) = (r for r in rules if isinstance(r, SplitRule))
        f = grammar.features.index(node.feature)
        at = node.at
        cell = LEVELS.index(at) if isinstance(at, str) else cell_of(grammar.breakpoints[f], at)
        left, right = split.transitions[f][cell].tolist()
        if any(breaks(place, c) for c in several):
            assert (left, right) == (FORBIDDEN, FORBIDDEN)
        else:
            states[*path, 0], states[*path, 1] = left, right


# --- small facts -------------------------------------------------------------------------------

INFANT = Box("infant", {"age": (0.0, 24.0)})


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
    automaton = Constant(INFANT).automaton()
    assert automaton.step("contains", "age", cell(t)) == want


def test_constant_forbids_every_split_on_a_feature_that_the_box_leaves_free() -> None:
    automaton = Constant(INFANT).automaton()
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


@given(st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)))
def test_the_coarse_cell_of_a_fine_cell_holds_it(some: set[int], more: set[int]) -> None:
    coarse, fine = sorted(some), sorted(some | more)
    holders = [cells_between(coarse)[i] for i in coarse_cells(coarse, fine)]
    for inner, outer in zip(cells_between(fine), holders, strict=True):
        assert outer.low <= inner.low and inner.high <= outer.high
        assert inner.is_point or not outer.is_point
        assert outer.is_point == (inner.is_point and inner.low in coarse)


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (Constant(INFANT), "contains infant"),
        (Majority(INFANT, "well"), "meets infant"),
        (Forbid("age"), ""),
        (Forbid("age", below=2), "depth 0"),
        (Forbid("age", within=INFANT), ""),
        (First("age"), "root"),
        (Before("age", "income"), "no age yet"),
        (Once("age"), ""),
        (Exclusive(("age", "income")), ""),
        (Interaction((("age",), ("income",))), ""),
    ],
)
def test_start_states_in_words(constraint: Constraint, words: str) -> None:
    automaton = constraint.automaton()
    assert automaton.describe(automaton.start) == words


def test_states_after_a_split_in_words() -> None:
    def after(constraint: Constraint, t: float) -> tuple[str, str]:
        automaton = constraint.automaton()
        step = automaton.step(automaton.start, "age", cell(t))
        assert step is not None
        return automaton.describe(step[0]), automaton.describe(step[1])

    assert after(Forbid("age", within=INFANT), 12.0) == ("age < 24", "age >= 0")
    assert after(Forbid("age", within=INFANT), 24.0) == ("age < 24", "off infant")
    assert after(Forbid("age", within=INFANT), 0.0) == ("off infant", "age >= 0")
    assert after(Forbid("age", below=1), 24.0) == ("depth >= 1", "depth >= 1")
    assert after(Once("age"), 1.0) == ("age used", "age used")
    assert after(Exclusive(("age", "income")), 1.0) == ("took age", "took age")
    groups = (("age", "b"), ("age", "a"), ("c",))
    assert after(Interaction(groups), 1.0) == ("within [a, age] or [age, b]",) * 2


def test_a_region_inside_the_box_forbids_the_feature() -> None:
    automaton = ForbidWithinAutomaton(INFANT, frozenset({"age"}))
    step = automaton.step(automaton.start, "age", cell(24.0))
    assert step is not None
    inner = automaton.step(step[0], "age", cell(0.0))
    assert inner is not None and automaton.describe(inner[1]) == "inside infant"
    assert automaton.step(inner[1], "age", cell(12.0)) is None
    assert automaton.step(inner[1], "income", Cell(-math.inf, math.inf)) is not None
