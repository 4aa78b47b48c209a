"""Notation from other logic languages is recognised, and the message shows the notation here."""

from __future__ import annotations

import pytest

import slp
from slp.errors import Diagnostic, SlpError

_EVENT = "0.3 :: a(yes).\n0.7 :: a(no).\n"


def faults(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(SlpError) as error:
        slp.parse(text)
    return tuple(error.value.diagnostics)


@pytest.mark.parametrize(
    ("goal", "why"),
    [
        ("assertz(q)", "a program does not change while it runs"),
        ("retract(q)", "a program does not change while it runs"),
        ("write(q)", "a goal touches nothing outside the program"),
        ("halt", "a goal touches nothing outside the program"),
        ("shell(q, 0)", "a goal touches nothing outside the program"),
        ("bagof(X, q(X), _)", "collect answers with `findall/3`"),
        ("catch(q, _, true)", "goals fail or succeed"),
    ],
)
def test_a_builtin_that_is_left_out_is_told_so(goal: str, why: str) -> None:
    (found,) = faults(f"asr.\nq.\nq(1).\np :- {goal}.")
    assert found.code == "E210" and "is left out of the language" in found.message
    assert found.help is not None and found.help.startswith(why)


def test_a_predicate_of_such_a_name_may_be_defined() -> None:
    slp.parse("assertz(1).\np :- assertz(1).\n")
    (found,) = faults("assertz(1).\np :- assertz(1, 2).\n")
    assert found.help == "there is `assertz/1`"


@pytest.mark.parametrize("text", ["0.3 :: a ; 0.7 :: b.", "0.3 :: a; 0.3 :: b; 0.4 :: c :- d."])
def test_an_annotated_disjunction(text: str) -> None:
    (found,) = faults(text)
    assert found.code == "E039" and "both sides of ;" in found.message
    assert found.help is not None and "clauses of one predicate" in found.help


def test_an_independent_event_with_a_body() -> None:
    (found,) = faults("0.3 :: a(X) :- b(X).\nb(1).\n")
    assert found.code == "E130" and found.help is not None
    told = found.help[found.help.index("`") + 1 : -1]
    assert told == ("a(X) :- b(X), a_event(yes). 0.3 :: a_event(yes). 0.7 :: a_event(no).")
    answers = slp.parse(f"{told}\nb(1).\n").query("a(X)").answers
    assert [(a["X"], a.mass) for a in answers] == [(1, 0.3)]


def test_questions_in_the_program() -> None:
    asked = "query(a(yes)).\nevidence(a(_), true).\nevidence(\\+ a(no)).\n"
    program = slp.parse(_EVENT + asked)
    assert [w.code for w in program.ir.warnings if w.code == "W110"] == ["W110"] * 3
    others = slp.parse(_EVENT + "query(b).\nevidence(c, 2).\nquery(X) :- a(X).")
    assert "W110" not in [w.code for w in others.ir.warnings]


def test_an_impossible_label_names_its_parameters() -> None:
    (found,) = faults(":- use(growtree, [alpha = 1.2]).")
    assert (found.code, found.help) == ("E220", "alpha = 1.2: at most 1, beta = 1")
