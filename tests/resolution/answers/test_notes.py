"""Notes that explain the success and failure masses of a query."""

from __future__ import annotations

import slp

STEPS = "0.5 :: emit(a, x). 0.5 :: emit(a, y).\n"


def notes(text: str, goal: str) -> tuple[str, ...]:
    return slp.parse(text + STEPS).query(goal).notes


def test_masses_that_sum_to_more_than_one_are_explained() -> None:
    text = "two(X) :- emit(a, X).\ntwo(X) :- emit(a, X).\n"
    found = slp.parse(text + STEPS).query("two(x)")
    assert (found.success, found.failure) == (1.0, 1.0)
    (note,) = found.notes
    assert "sum to more than 1" in note
    assert found.to_dict()["notes"] == [note]


def test_labels_lost_to_heads_that_an_argument_rules_out_are_told() -> None:
    text = "0.2 :: word([]).\n0.8 :: word([O|Os]) :- emit(a, O), word(Os).\n"
    (note,) = notes(text, "word([x, y])")
    assert "`word/1`" in note and "`1 ::`" in note
    assert notes(text, "emit(a, x)") == ()


def test_the_other_reading_has_labels_of_one_and_no_note() -> None:
    text = "1 :: word([]).\n1 :: word([O|Os]) :- emit(a, O), word(Os).\n"
    program = slp.parse(text + STEPS)
    assert program.warnings == ()
    found = program.query("word([x, y])")
    assert (found.success, found.notes) == (0.25, ())


def test_a_choice_that_a_goal_rules_out_needs_no_note() -> None:
    assert notes("", "emit(a, x)") == ()


def test_heads_that_match_lose_nothing_to_each_other() -> None:
    text = "0.5 :: t(D, n(A)) :- no(D), t(D, A).\n0.5 :: t(_, leaf).\nno(_) :- fail.\n"
    assert notes(text, "t(0, X)") == ()


def test_a_condition_that_makes_choices_of_its_own_is_told() -> None:
    """Whoever knows conditions on possible worlds expects the same choices."""
    text = "0.3 :: gene(a).\n0.7 :: gene(o).\n1 :: blood(X, Y) :- gene(X), gene(Y).\n"
    program = slp.parse(text + STEPS)
    found = program.query("blood(a, Y)", given="gene(o)")
    assert abs(found.success - 0.3 * 0.7) < 1e-12
    (note,) = found.notes
    assert "choices of its own of `gene/1`" in note
    assert program.query("blood(X, Y)", given="X = a").notes == ()
    assert program.query("blood(X, Y)", given="emit(a, x)").notes == ()
