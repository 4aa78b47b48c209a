"""The index on the first argument: it leaves out only what cannot match, and keeps the order."""

from __future__ import annotations

from slp.resolution import Database, solve
from slp.resolution.machine.first_argument import ByFirstArgument, first_argument
from slp.syntax import parse_term, term_to_text
from slp.terms import Struct

TERMS = "a f X f(X) f(a) f(g(Y),2) 1 1.0 -1 2 'A' \"a\" [] [X|T] (a,b)".split(" ")


def test_what_unifies_is_found_in_order() -> None:
    goals = [parse_term(f"p({t})") for t in [*TERMS, *reversed(TERMS)]]
    index: ByFirstArgument[int] = ByFirstArgument()
    for i, goal in enumerate(goals):
        index.add(first_argument(goal), i)
    for goal in goals:
        found = index.matching(first_argument(goal))
        assert list(found) == sorted(found)
        for i, other in enumerate(goals):
            apart = parse_term(term_to_text(other).replace("X", "X1").replace("Y", "Y1"))
            unify = next(solve(Struct("=", (goal, apart)), Database((), {})), None) is not None
            assert not unify or i in found, (goal, other)
    assert len(index.matching(first_argument(parse_term("p(2)")))) < len(goals) / 2


def test_goals_without_arguments() -> None:
    index: ByFirstArgument[str] = ByFirstArgument()
    for name in "ab":
        index.add(first_argument(parse_term("p")), name)
    assert index.matching(first_argument(parse_term("p"))) == ["a", "b"]
