"""`before(F, G)` on the few trees that tell it from what is near it."""

from __future__ import annotations

from slp.constraints import Before


def test_a_split_on_the_first_feature_allows_the_second_on_both_sides() -> None:
    automaton = Before("a", "b").automaton()
    assert automaton.step(automaton.start, "b", None) is None
    sides = automaton.step(automaton.start, "a", None)
    assert sides is not None
    assert all(automaton.step(side, "b", None) is not None for side in sides)


def test_another_feature_changes_nothing() -> None:
    automaton = Before("a", "b").automaton()
    sides = automaton.step(automaton.start, "c", None)
    assert sides is not None
    assert all(automaton.step(side, "b", None) is None for side in sides)


def test_no_split_on_a_feature_that_must_stand_above_itself() -> None:
    automaton = Before("a", "a").automaton()
    assert automaton.step(automaton.start, "a", None) is None
