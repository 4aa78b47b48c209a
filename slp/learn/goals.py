"""Observed goals, the data from which labels are learned.

A file of observations is Prolog text with one goal in each clause. `12 :: same(heads).` is a goal
that was observed twelve times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from slp.errors import ProgramError
from slp.ir import program as ir
from slp.messages import learning as words
from slp.source import SourceFile, SourceSpan
from slp.syntax import parse_program, term_to_text
from slp.syntax.ast import Clause, Statement
from slp.terms import Number, Struct, Term, Var, functor, is_nameless, substitute, variables

#: Numbers of variables from here on are of no goal that was read.
_APART = 1_000_000_000


@dataclass(frozen=True)
class Observation:
    """A goal that was observed `count` times."""

    goal: Term
    count: float
    span: SourceSpan | None


def observations_of_file(file: SourceFile) -> list[Observation]:
    """The observations in a file of goals, in their order.

    Raises
    ------
    ProgramError
        The text cannot be read. E280: an entry is a clause or a directive, or a count is invalid.
    """
    return [_observation(item) for item in parse_program(file).items]


def observations_of_text(text: str) -> list[Observation]:
    """The observations in a text. The full stop after the last goal is optional."""
    stop = "" if text.rstrip().endswith(".") else "."
    return observations_of_file(SourceFile("<goal>", text + stop))


def _observation(item: Statement) -> Observation:
    if not isinstance(item, Clause) or item.arrow is not None:
        raise ProgramError(words.OBSERVATION_WITH_BODY(item.span))
    count = 1.0
    if item.label is not None:
        if not isinstance(item.label, Number) or not 0 < item.label.value < float("inf"):
            raise ProgramError(words.OBSERVATION_WITHOUT_COUNT(item.span))
        count = float(item.label.value)
    return Observation(item.head, count, item.span)


def tally(observations: Iterable[Observation]) -> list[Observation]:
    """Each different goal once, with the sum of its counts, at its first place."""
    out: dict[Term, Observation] = {}
    for seen in observations:
        before = out.get(seen.goal)
        out[seen.goal] = (
            seen if before is None else replace(before, count=before.count + seen.count)
        )
    return list(out.values())


def most_general(observation: Observation, program: ir.CheckedProgram) -> Term:
    """The goal that an observation is an answer to: its predicate, with a variable for each
    argument.

    Raises
    ------
    ProgramError
        E280: the program has no clauses of such a predicate.
    """
    key = functor(observation.goal)
    if key is None or key not in {functor(clause.head) for clause in program.clauses}:
        text = term_to_text(observation.goal)
        raise ProgramError(words.OBSERVATION_UNKNOWN(observation.span, goal=text))
    name, arity = key
    if arity == 0:
        return observation.goal
    return Struct(name, tuple(Var(f"_{i}", i + 1) for i in range(arity)))


def bindings(goal: Term, general: Term) -> dict[Var, Term] | None:
    """What the variables of `general` are in its instance `goal`, None if it is no instance (the
    variables of both are different ones)."""
    bound: dict[Var, Term] = {}
    pairs = [(general, goal)]
    while pairs:
        x, y = pairs.pop()
        if isinstance(x, Var):
            if bound.setdefault(x, y) != y:
                return None
        elif isinstance(x, Struct) and isinstance(y, Struct):
            if x.name != y.name or len(x.args) != len(y.args):
                return None
            pairs += zip(x.args, y.args, strict=True)
        elif x != y:
            return None
    return bound


def with_condition(
    observation: Observation, general: Term, given: Term | None
) -> tuple[Observation, Term]:
    """An observation and the goal that it is an answer to, each with the condition behind it:
    variables of the condition and of `general` with the same name are one.

    Raises
    ------
    SlpError
        E281: the observation is no instance of the goal.
    """
    bound = bindings(observation.goal, general)
    if bound is None:
        raise ProgramError(words.NOT_AN_INSTANCE(observation.span, goal=term_to_text(general)))
    if given is None:
        return observation, general
    named = {v: replace(v, id=1) if is_nameless(v) else v for v in variables(given)}
    free = substitute(given, {v: new for v, new in named.items() if new != v})
    # Variables of the condition alone are no variables of the observation.
    apart = {v: replace(v, id=_APART + i) for i, v in enumerate(dict.fromkeys(variables(free)))}
    bound = {v: bound.get(v, new) for v, new in apart.items()}
    seen = Struct(",", (observation.goal, substitute(free, bound)))
    return replace(observation, goal=seen), Struct(",", (general, free))


def numbered(goal: Term, first: int = 1) -> tuple[Term, int]:
    """The goal with its variables numbered from `first`, and the first number that is free."""
    names = dict.fromkeys(variables(goal))
    fresh: dict[Var, Term] = {v: replace(v, id=i) for i, v in enumerate(names, start=first)}
    return substitute(goal, fresh), first + len(fresh)
