"""Goals in conditions that lead to labelled clauses. A query that reaches one ends with E240."""

from __future__ import annotations

from collections.abc import Iterator

from slp.analysis.clauses.predicates import Indicator, indicator_text
from slp.analysis.findings import Findings
from slp.ir.program import CheckedProgram
from slp.messages.derivations import CHOICE_IN_CONDITION
from slp.resolution.machine.control import GOALS_IN
from slp.terms import Struct, Term, functor

#: Constructs that test a goal or collect its answers, with the positions of these goals.
_CONDITIONS = {
    ("->", 2): (0,),
    ("*->", 2): (0,),
    ("\\+", 1): (0,),
    ("forall", 2): (0, 1),
    ("findall", 3): (1,),
}


def find_enclosed(program: CheckedProgram, findings: Findings) -> None:
    """Warn of goals in conditions that lead to labelled clauses (W111)."""
    callers: dict[Indicator, set[Indicator]] = {}
    enclosed: list[tuple[Term, Indicator]] = []
    labelled = set()
    for clause in program.clauses:
        head = functor(clause.head) or ("", 0)
        if clause.label is not None:
            labelled.add(head)
        for goal, key, inside in _goals(clause.body):
            callers.setdefault(key, set()).add(head)
            if inside:
                enclosed.append((goal, key))
    leading, waiting = set(labelled), list(labelled)
    while waiting:
        new = callers.get(waiting.pop(), set()) - leading
        leading |= new
        waiting += new
    for goal, key in enclosed:
        if key in leading:
            findings.add(CHOICE_IN_CONDITION(goal.span, predicate=indicator_text(key)))


def _goals(body: Term | None) -> Iterator[tuple[Term, Indicator, bool]]:
    """The goals of a body, their predicates, and whether they stand inside a condition."""
    todo = [] if body is None else [(body, False)]
    while todo:
        goal, inside = todo.pop()
        key = functor(goal)
        if key in GOALS_IN and isinstance(goal, Struct):
            tested = _CONDITIONS.get(key, ())
            todo += [(goal.args[i], inside or i in tested) for i in GOALS_IN[key]]
        elif key is not None:
            yield goal, key, inside
