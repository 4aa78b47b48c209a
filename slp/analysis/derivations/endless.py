"""Recursion that does not end: predicates without a proof that ends, and left recursion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from slp.analysis.clauses.predicates import Indicator, indicator_text
from slp.analysis.derivations.productive import productive
from slp.analysis.findings import Findings
from slp.ir.program import CheckedProgram, LogicClause
from slp.messages.derivations import LEFT_RECURSION, NO_PROOF_ENDS
from slp.terms import Struct, Term, Var, arguments, conjuncts, functor, variables


def find_endless(program: CheckedProgram, findings: Findings) -> None:
    """Warn of predicates without any proof that ends (W109).

    A clause can end if all predicates that it certainly calls can end. A predicate can end if one
    of its clauses can. This is a least fixed point: each predicate that can end is reported to the
    clauses that wait for it.
    """
    clauses: dict[Indicator, list[LogicClause]] = defaultdict(list)
    for clause in program.clauses:
        clauses[functor(clause.head) or ("", 0)].append(clause)
    ending = productive(
        (key, clauses.keys() & set(_surely_called(clause.body)))
        for key, own in clauses.items()
        for clause in own
    )
    for key in clauses.keys() - ending:
        findings.add(NO_PROOF_ENDS(clauses[key][0].span, predicate=indicator_text(key)))


def find_left_recursion(program: CheckedProgram, findings: Findings) -> None:
    """Warn of logical clauses that first call their own predicate with nothing smaller, and other
    goals after it (W112).

    Nothing is smaller if all arguments of the call are variables, and none of them stands inside a
    compound argument of the head.
    """
    for clause in program.clauses:
        if clause.label is not None or clause.body is None:
            continue
        first, *others = conjuncts(clause.body)
        if functor(first) != functor(clause.head) or not others:
            continue
        inner = {v for a in arguments(clause.head) if isinstance(a, Struct) for v in variables(a)}
        if all(isinstance(a, Var) and a not in inner for a in arguments(first)):
            key = functor(clause.head) or ("", 0)
            findings.add(LEFT_RECURSION(first.span, predicate=indicator_text(key)))


def _surely_called(body: Term | None) -> Iterator[Indicator]:
    """Predicates that every proof of a body calls."""
    todo = [] if body is None else [body]
    while todo:
        goal = todo.pop()
        key = functor(goal)
        if key in ((",", 2), ("call", 1), ("once", 1)) and isinstance(goal, Struct):
            todo += goal.args
        elif key is not None:
            yield key
