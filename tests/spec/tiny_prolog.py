"""A few lines of Prolog, so that the specification shares no evaluator with `slp.resolution`.

Recursive, no occurs check: for small goals in tests only. Bindings are dictionaries from `Var` to
`Term`, never changed in place.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from slp.ir.program import LogicClause
from slp.terms import Atom, Number, Struct, Term, Var, list_items, variables

Bindings = dict[Var, Term]
Parameters = dict[str, float]

_fresh = count(1)
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "abs": abs,
    "min": min,
    "max": max,
    "^": operator.pow,
    "**": operator.pow,
    "//": lambda a, b: int(a / b),
    "mod": operator.mod,
}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "=<": operator.le,
    ">=": operator.ge,
    "=:=": operator.eq,
    "=\\=": operator.ne,
}


def walk(term: Term, bindings: Bindings) -> Term:
    """`term` with every bound variable replaced."""
    while isinstance(term, Var) and term in bindings:
        term = bindings[term]
    if isinstance(term, Struct):
        return Struct(term.name, tuple(walk(a, bindings) for a in term.args))
    return term


def unify(a: Term, b: Term, bindings: Bindings) -> Bindings | None:
    """Most general unifier of two terms, on top of `bindings`."""
    a, b = walk(a, bindings), walk(b, bindings)
    if isinstance(a, Var):
        return bindings if a == b else {**bindings, a: b}
    if isinstance(b, Var):
        return {**bindings, b: a}
    if isinstance(a, Struct) and isinstance(b, Struct):
        if (a.name, len(a.args)) != (b.name, len(b.args)):
            return None
        for x, y in zip(a.args, b.args, strict=True):
            extended = unify(x, y, bindings)
            if extended is None:
                return None
            bindings = extended
        return bindings
    return bindings if a == b else None


def value(term: Term, bindings: Bindings, parameters: Parameters) -> float:
    """Arithmetic: `/` gives an integer where it divides evenly; atoms are parameters."""
    term = walk(term, bindings)
    if isinstance(term, Number):
        return term.value
    if isinstance(term, Atom):
        return {"e": math.e, "inf": math.inf, **parameters}[term.name]
    if not isinstance(term, Struct):
        raise ValueError(f"no arithmetic: {term}")
    args = [value(a, bindings, parameters) for a in term.args]
    if term.name == "-" and len(args) == 1:
        return -args[0]
    if term.name == "/":
        whole = all(isinstance(a, int) for a in args) and args[0] % args[1] == 0
        return int(args[0] // args[1]) if whole else args[0] / args[1]
    return _FUNCTIONS[term.name](*args)


def computed(goal: Term, parameters: Parameters) -> Term:
    """A nonterminal with the arithmetic in its arguments evaluated."""
    if not isinstance(goal, Struct):
        return goal
    return Struct(goal.name, tuple(_computed_argument(a, parameters) for a in goal.args))


def _computed_argument(term: Term, parameters: Parameters) -> Term:
    arithmetic = isinstance(term, Struct) and term.name in {"+", "-", "*", "/", "min", "max"}
    return Number(value(term, {}, parameters)) if arithmetic else term


def renamed(terms: Sequence[Term]) -> list[Term]:
    """Copies of terms that share variables, with fresh ones."""
    names: Bindings = {}
    for term in terms:
        for v in variables(term):
            names.setdefault(v, Var(v.name, next(_fresh)))
    return [walk(t, names) for t in terms]


def solve(
    goals: Sequence[Term],
    bindings: Bindings,
    clauses: Sequence[LogicClause],
    parameters: Parameters,
) -> Iterator[Bindings]:
    """Every solution of a conjunction, in Prolog's order."""
    if not goals:
        yield bindings
        return
    goal, rest = walk(goals[0], bindings), goals[1:]
    for solution in _solve_one(goal, bindings, clauses, parameters):
        yield from solve(rest, solution, clauses, parameters)


def _solve_one(
    goal: Term, bindings: Bindings, clauses: Sequence[LogicClause], parameters: Parameters
) -> Iterator[Bindings]:
    name = goal.name if isinstance(goal, (Atom, Struct)) else ""
    args = goal.args if isinstance(goal, Struct) else ()
    if name == "," and len(args) == 2:
        yield from solve(args, bindings, clauses, parameters)
    elif name == ";" and len(args) == 2:
        for branch in args:
            yield from solve([branch], bindings, clauses, parameters)
    elif name == "\\+":
        if next(solve(args, bindings, clauses, parameters), None) is None:
            yield bindings
    elif name in _COMPARISONS and len(args) == 2:
        left, right = (value(a, bindings, parameters) for a in args)
        if _COMPARISONS[name](left, right):
            yield bindings
    elif name == "is":
        result = unify(args[0], Number(value(args[1], bindings, parameters)), bindings)
        yield from () if result is None else (result,)
    elif name == "=":
        result = unify(args[0], args[1], bindings)
        yield from () if result is None else (result,)
    elif name == "\\=":
        if unify(args[0], args[1], bindings) is None:
            yield bindings
    elif name == "==":
        if args[0] == args[1]:
            yield bindings
    elif name == "\\==":
        if args[0] != args[1]:
            yield bindings
    elif name == "member":
        for item in list_items(args[1]) or []:
            result = unify(args[0], item, bindings)
            yield from () if result is None else (result,)
    elif name != "true":
        yield from _resolve(goal, bindings, clauses, parameters)
    else:
        yield bindings


def _resolve(
    goal: Term, bindings: Bindings, clauses: Sequence[LogicClause], parameters: Parameters
) -> Iterator[Bindings]:
    for clause in clauses:
        head, body = renamed([clause.head, clause.body or Atom("true")])
        result = unify(goal, head, bindings)
        if result is not None:
            yield from solve([body], result, clauses, parameters)
