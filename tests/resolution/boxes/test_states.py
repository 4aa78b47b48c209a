"""What the checker evaluates without a table is not evaluated again with one, unless its value
depends on `most_leaves`."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import slp
from slp.compile import compile_problem, compile_with_states
from slp.resolution import Limits, Meter, StateRules
from slp.resolution.boxes import states
from slp.source import SourceFile
from slp.terms import Term, functor

X = np.arange(12.0).reshape(6, 2)
Y = ["a", "b", "a", "b", "b", "a"]

FREE = """
:- start(t(0)).
1/2 :: t(D) --> { D < 3 }, split(_, _), t(D + 1), t(D + 1).
1/2 :: t(_) --> leaf.
"""
#: `u` names `most_leaves`; `t` does not.
BOUND = """
:- start(t(0)).
1 :: t(D) --> { D < 2 }, split(_, _), u(D + 1), t(D + 1).
1 :: t(D) --> { D >= 2 }, leaf.
1 / most_leaves :: u(_) --> leaf.
1 - 1 / most_leaves :: u(D) --> split(_, _), t(D), leaf.
"""
#: A guard asks a clause that names it, so every state may depend on it.
ASKED = """
:- start(t(0)).
enough(D) :- D + 1 < most_leaves.
1/2 :: t(D) --> { enough(D) }, split(_, _), t(D + 1), leaf.
1/2 :: t(_) --> leaf.
"""


def evaluated_on_table(text: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The nonterminals whose rules are evaluated when a checked program meets a table."""
    program = slp.parse(text)
    asked: set[str] = set()
    evaluate = states.rule_instances

    def watched(database, rules, goal: Term, meter: Meter):  # type: ignore[no-untyped-def]
        asked.add((functor(goal) or ("", 0))[0])
        return evaluate(database, rules, goal, meter)

    monkeypatch.setattr(states, "rule_instances", watched)
    program.compile(X, Y)
    return asked


@pytest.mark.parametrize(
    ("text", "want"),
    [(FREE, set()), (BOUND, {"u"}), (ASKED, {"t"})],
    ids=["free", "bound", "asked"],
)
def test_only_what_depends_on_the_table_is_evaluated_with_it(
    text: str, want: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert evaluated_on_table(text, monkeypatch) == want


@pytest.mark.parametrize("text", [FREE, BOUND, ASKED], ids=["free", "bound", "asked"])
def test_the_grammar_is_that_of_a_program_evaluated_afresh(text: str) -> None:
    program = slp.parse(text)
    have, want = program.compile(X, Y).grammar, compile_problem(program.ir, X, Y).grammar
    assert repr(have.all_states()) == repr(want.all_states())


def test_other_parameters_or_rules_take_nothing() -> None:
    text = ":- param(p, 0.5). :- start(t). p :: t --> leaf. 1 - p :: t --> split(_, _), t, t."
    program, known = compile_with_states(SourceFile("test.slp", text))
    for changed in ({"parameters": {"p": 0.25}}, {"rules": program.rules[::-1]}):
        other = replace(program, **changed)
        (first, second) = StateRules(other, known=known).instances(other.start, Meter(Limits()))
        assert {first.label, second.label} == ({0.25, 0.75} if "parameters" in changed else {0.5})


def test_copies_do_not_hold_what_was_evaluated() -> None:
    program = slp.parse(FREE)
    assert program._known is not None
    assert pickle.loads(pickle.dumps(program))._known is None
