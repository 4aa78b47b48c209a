"""Log-likelihoods of answers: functions in Python, and goals of the program."""

from __future__ import annotations

import importlib
import math
import numbers
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from slp.errors import SlpError, UsageError
from slp.ir import program as ir
from slp.messages.queries import (
    LOG_LIKELIHOOD_FAILED,
    LOG_LIKELIHOOD_IS_NO_FUNCTION,
    LOG_LIKELIHOOD_NOT_IMPORTED,
    NO_LOG_LIKELIHOOD,
    NO_RESULT_VARIABLE,
)
from slp.resolution import evaluate, named_variables, solve
from slp.resolution.answers.results import Value, value_of
from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.query import Query, database_of
from slp.source import SourceSpan
from slp.terms import Term, Var, list_items, substitute, variables

if TYPE_CHECKING:
    from slp.swipl.prolog import PrologProgram

#: As in an answer of `slp.resolution.answers.goals`, but lists are lists.
Plain: TypeAlias = "Value | list[Plain]"

#: What users give: from the goal's named variables to the log-likelihood, -inf for impossible.
LogLikelihood: TypeAlias = Callable[[Mapping[str, Plain]], float]

#: Proves a goal, once: what its first proof binds a variable to, None without a proof. The span is
#: where faults are placed.
FirstAnswer: TypeAlias = Callable[[Term, Var, SourceSpan | None], Term | None]

#: The variable that a goal binds to the log-likelihood.
RESULT = "LogLikelihood"


def no_data(answer: tuple[Term, ...]) -> float:
    """The log-likelihood where there is none: 0."""
    return 0.0


def function_of_answer(
    function: LogLikelihood, names: Sequence[str]
) -> Callable[[tuple[Term, ...]], float]:
    """A user's function as one of an answer's terms.

    It raises SlpError: E251 if the result is not a number below infinity, E252 if the function
    raises.
    """

    def log_likelihood(answer: tuple[Term, ...]) -> float:
        given = {name: _plain(term) for name, term in zip(names, answer, strict=True)}
        try:
            value = function(given)
        except (Exception, SystemExit) as e:
            said = f"{type(e).__name__}: {e}".rstrip(": ")
            raise SlpError(LOG_LIKELIHOOD_FAILED(answer=_of(names, answer), error=said)) from e
        if not isinstance(value, numbers.Real):
            raise _no_number(f"{value!r}, which is no number,", names, answer)
        return _checked(value, names, answer)

    return log_likelihood


def goal_of_answer(
    goal: Term, query: Query, first_answer: FirstAnswer
) -> Callable[[tuple[Term, ...]], float]:
    """A goal as a log-likelihood: proved for an answer, it binds the variable `LogLikelihood`, to a
    number or an arithmetic expression. Its first proof counts; without any, it is -inf.

    Raises
    ------
    UsageError
        E253 if there is no such variable. The function raises SlpError: E251 as
        `function_of_answer`, and errors of the proof.
    """
    result = next((v for v in variables(goal) if v.name == RESULT), None)
    if result is None:
        raise UsageError(NO_RESULT_VARIABLE(goal.span, variable=RESULT))
    parameters = database_of(query.program).parameters
    asked = named_variables(query.goal)
    names = [v.name for v in asked]

    def log_likelihood(answer: tuple[Term, ...]) -> float:
        terms: dict[Var, Term] = dict(zip(asked, answer, strict=True))
        found = first_answer(substitute(goal, terms), result, goal.span)
        if found is None:
            return -math.inf
        return _checked(evaluate(found, parameters, span=goal.span), names, answer)

    return log_likelihood


def first_answer_in_python(program: ir.CheckedProgram, limits: Limits) -> FirstAnswer:
    """Goals proved by the machine of this package; raises E201 to E218."""
    database = database_of(program)

    def first_answer(goal: Term, result: Var, span: SourceSpan | None) -> Term | None:
        found = next(solve(goal, database, limits, span=span), None)
        return None if found is None else found.terms[result]

    return first_answer


def first_answer_in_prolog(loaded: PrologProgram, limits: Limits) -> FirstAnswer:
    """Goals proved by SWI-Prolog; raises E201 to E220, E240 to E243, E262, E263, E265."""

    def first_answer(goal: Term, result: Var, span: SourceSpan | None) -> Term | None:
        return loaded.first_answer(Query(loaded.program, replace(goal, span=span)), result, limits)

    return first_answer


def imported_function(name: str, folder: Path) -> LogLikelihood:
    """The function `module:function`: modules are searched on Python's path, then in the working
    folder, then in `folder`.

    Raises
    ------
    UsageError
        E254: there is no such function.
    """
    sys.path += [str(place) for place in (Path.cwd(), folder) if str(place) not in sys.path]
    module, _, function = name.partition(":")
    try:
        found: Any = getattr(importlib.import_module(module), function)
    except (Exception, SystemExit) as e:
        said = f"{type(e).__name__}: {e}".rstrip(": ")
        raise UsageError(LOG_LIKELIHOOD_NOT_IMPORTED(name=name, error=said)) from e
    if not callable(found):
        raise UsageError(LOG_LIKELIHOOD_IS_NO_FUNCTION(name=name))
    function_found: LogLikelihood = found
    return function_found


def _plain(term: Term) -> Plain:
    """Lists as lists, all the way down; loops in place of recursion, as lists may be deep."""
    whole: list[Plain] = []
    todo: list[tuple[Term, list[Plain]]] = [(term, whole)]
    while todo:
        t, into = todo.pop()
        items = list_items(t)
        if items is None:
            into.append(value_of(t))
        else:
            below: list[Plain] = []
            into.append(below)
            todo.extend((item, below) for item in reversed(items))
    return whole[0]


def _checked(value: numbers.Real | float, names: Sequence[str], answer: tuple[Term, ...]) -> float:
    try:
        number = float(value)
    except OverflowError:
        raise _no_number("too large a number", names, answer) from None
    if math.isnan(number) or number == math.inf:
        raise _no_number(f"{number}", names, answer)
    return number


def _no_number(what: str, names: Sequence[str], answer: tuple[Term, ...]) -> SlpError:
    return SlpError(NO_LOG_LIKELIHOOD(value=what, answer=_of(names, answer)))


def _of(names: Sequence[str], answer: tuple[Term, ...]) -> str:
    said = ", ".join(f"{n} = {value_of(t)}" for n, t in zip(names, answer, strict=True))
    return f"the answer `{said or 'true'}`"
