"""Finds the constraints because of which no tree exists on a table, or one leaf alone, for
messages."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from slp.budgets.seconds import Deadline, held
from slp.compile import compile_problem
from slp.engines import infer, read_for
from slp.engines.exact.size import size_for
from slp.errors import Diagnostic, NoTreeError, Related, SlpError
from slp.ir.constraints import Support
from slp.ir.program import CheckedProgram
from slp.messages.on_table import NO_SPLIT_AT_ALL
from slp.resolution import StateRules
from slp.results.record.choice import DRAWS, SUMS
from slp.source import SourceSpan

#: Largest time of one search for a tree and of the sum, in seconds.
_SECONDS = 2.0
#: How an engine is asked to search for a tree: by one short chain, of which only the first tree is
#: needed; and to prove that there is none, in little memory (bytes).
_SEARCH = {"engine": DRAWS, "draws": 1, "options": {"chains": 1, "warmup": 0, "thin": 1}}
_SUM = {"engine": SUMS, "draws": 0, "memory": 64 << 20}

#: The limits that a program may set, as `Support` names them.
_LIMITS = ("min_leaf", "min_weight", "max_depth")

#: Runs a program in one of these ways and returns the error that ends the run, or None.
_Attempt: TypeAlias = Callable[[CheckedProgram, dict[str, Any]], SlpError | None]


def find_no_tree(
    program: CheckedProgram, X: Any, y: Any = None, known: StateRules | None = None
) -> tuple[Diagnostic, ...]:
    """The diagnostic for a program that no tree of a table satisfies, with the constraints to
    blame.

    It is E504 if a small exact sum proves that there is no tree. It is E517, as a warning, if a
    search finds none. It is W151 if a single leaf is the only one. Predicates are left out, because
    they would run code. States that are `known` are not evaluated again.
    """
    kept = tuple(c for c in program.constraints if not c.by_code)
    if program.edits is not None:
        return ()
    program, attempt = replace(program, constraints=kept), _attempts(X, y, known)
    found = attempt(program, _SEARCH)
    if found is None:
        return _one_leaf(program, X, y, known)
    if not isinstance(found, NoTreeError):
        return ()
    summed = attempt(program, _SUM)
    if isinstance(summed, NoTreeError):
        return tuple(with_blame(summed, program, X, y, known).diagnostics)
    if summed is None:
        return ()
    blamed = with_blame(found, program, X, y, known).diagnostics
    return tuple(replace(d, severity="warning") for d in blamed)


def _one_leaf(
    program: CheckedProgram, X: Any, y: Any, known: StateRules | None
) -> tuple[Diagnostic, ...]:
    """W151 if no split of the table is possible, for two constraints or limits or more of which
    none alone is the cause that other warnings name."""
    if _may_split(program, X, y, known):
        return ()
    blamed = [
        span
        for span, less in _one_less(program)
        if span is not None and _may_split(less, X, y, known)
    ]
    if not blamed:
        return ()
    related = [Related("without this there are splits", span) for span in blamed[1:]]
    return (NO_SPLIT_AT_ALL(blamed[0], related=tuple(related)),)


def _may_split(program: CheckedProgram, X: Any, y: Any, known: StateRules | None) -> bool:
    """Whether some tree has a split."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem = compile_problem(program, X, y, known=known)
    size = size_for(problem, 1.0, 1.0)
    return size is None or size.at_least or size.boxes > 1


def with_blame(
    error: NoTreeError, program: CheckedProgram, X: Any, y: Any, known: StateRules | None
) -> NoTreeError:
    """The error with each constraint or limit without which a search finds a tree. If there is none
    such, as where two of them rule out all trees each by itself, it is the error with all
    statements in force."""
    attempt = _attempts(X, y, known)
    related = [
        Related("without this there are trees", span)
        for span, less in _one_less(program)
        if span is not None and attempt(less, _SEARCH) is None
    ]
    if related:
        return NoTreeError(replace(d, related=(*d.related, *related)) for d in error.diagnostics)
    first, *others = _in_force(program) or [None]
    more = [Related("and this is in force", span) for span in others if span is not None]
    return NoTreeError(
        replace(d, span=d.span or first, related=(*d.related, *more)) for d in error.diagnostics
    )


def _in_force(program: CheckedProgram) -> list[SourceSpan | None]:
    """The places of the constraints and limits; of the rules where there are none."""
    limits = (program.spans.get(f"support:{name}") for name in _LIMITS)
    places = [*(c.span for c in program.constraints), *limits]
    found = [span for span in places if span is not None]
    return list(dict.fromkeys(found or [rule.span for rule in program.rules]))


def _one_less(program: CheckedProgram) -> Iterator[tuple[SourceSpan | None, CheckedProgram]]:
    """For each constraint or limit: its place, and the program without it."""
    for i, constraint in enumerate(program.constraints):
        rest = (*program.constraints[:i], *program.constraints[i + 1 :])
        yield constraint.span, replace(program, constraints=rest)
    for name in _LIMITS:
        loose = replace(program.support, **{name: getattr(Support(), name)})
        yield program.spans.get(f"support:{name}"), replace(program, support=loose)


def _attempts(X: Any, y: Any, known: StateRules | None) -> _Attempt:
    def attempt(program: CheckedProgram, how: dict[str, Any]) -> SlpError | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                problem = compile_problem(read_for(program, how["engine"]), X, y, known=known)
                deadline = Deadline(_SECONDS)
                with held(deadline):  # also while all states are listed, which a sum needs
                    infer(
                        problem,
                        **how,
                        seed=0,
                        time=deadline,
                        likelihood=False,
                        advise=False,
                    )
        except SlpError as e:
            return e
        return None

    return attempt
