"""Finds the statements because of which no tree exists on a table, or one leaf alone, for
messages."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

from slp.budgets.seconds import Deadline, held, time_left
from slp.engines import infer, read_for
from slp.engines.shared.size import size_for
from slp.errors import BudgetError, Diagnostic, NoTreeError, Related, SlpError
from slp.ir.program import CheckedProgram
from slp.messages.inference import MISSED, NO_MEMORY_LEFT, NO_TREE, blame_in_words
from slp.messages.on_table import NO_SPLIT_AT_ALL
from slp.problem.core import counts_fit
from slp.problem.problem import Problem
from slp.program.statements import Statement, places_of, smallest_part, with_only
from slp.results import Posterior
from slp.results.record.choice import DRAWS, SUMS

#: Largest time of one search for a tree and of one sum, in seconds;
_SECONDS = 2.0
#: and of all of them that look for the statements to blame, or for those that leave one leaf. The
#: last one may end later by its own.
_SECONDS_OF_BLAME = 10.0
#: How an engine is asked to search for a tree: by one short chain, of which only the first tree is
#: needed; and to prove that there is none, in little memory (bytes).
_SEARCH: dict[str, Any] = {
    "engine": DRAWS,
    "draws": 1,
    "options": {"chains": 1, "warmup": 0, "thin": 1},
}
_SUM: dict[str, Any] = {"engine": SUMS, "draws": 0, "memory": 64 << 20}
#: The most splits of a pass that counts the trees with a split.
_SPLITS = 1e5


class _Existence(Enum):
    """What is known of the trees that satisfy a program."""

    SOME = "there are trees"
    NONE = "a sum over all trees proves that there is none"
    NOT_FOUND = "a search found none"
    UNKNOWN = "the time was over"


def find_no_tree(problem: Problem) -> tuple[Diagnostic, ...]:
    """The diagnostic for a program that no tree of a table satisfies, with the statements to blame.

    It is E504 if a small exact sum proves that there is no tree. It is E517, as a warning, if a
    search finds none. It is W151 if a single leaf is the only one. Predicates are left out, because
    they would run code.
    """
    program = problem.program
    if program.edits is not None:
        return ()
    if any(c.by_code for c in program.constraints):
        left = tuple(c for c in program.constraints if not c.by_code)
        program = replace(program, constraints=left)
        problem = problem.varied(program)
    found = _error_of(problem, program, _SEARCH)
    if found is None:
        return _one_leaf(problem)
    if not isinstance(found, NoTreeError):
        return ()
    summed = _error_of(problem, program, _SUM)
    if isinstance(summed, NoTreeError):
        return tuple(with_blame(summed, problem).diagnostics)
    if summed is None:
        return ()
    blamed = with_blame(found, problem).diagnostics
    return tuple(replace(d, severity="warning") for d in blamed)


def _may_split(problem: Problem, program: CheckedProgram, until: Deadline) -> bool:
    """Whether some tree of a program on the table of a problem has a split; True also where no
    small sum counts the trees in time."""
    if until.over():
        return True
    try:
        with warnings.catch_warnings(), held(Deadline(_SECONDS)):  # also while states are listed
            warnings.simplefilter("ignore")
            varied = problem.varied(program)
            if not counts_fit(varied.grammar, varied.table, _SUM["memory"]):
                return True
            # Where no split is possible there is little to sum.
            size = size_for(varied, _SUM["memory"], _SPLITS)
            if size is None or not size.fits(_SUM["memory"], _SPLITS):
                return True
            leaf = replace(program, support=replace(program.support, max_depth=0))
            trees, leaves = (_run(p, _SUM).tree_count() for p in (varied, problem.varied(leaf)))
            return not isinstance(trees, int) or trees != leaves
    except SlpError:
        return True


def _one_leaf(problem: Problem) -> tuple[Diagnostic, ...]:
    """W151 if statements leave no split of the table."""
    program, until = problem.program, Deadline(_SECONDS_OF_BLAME)
    if _may_split(problem, program, until):
        return ()
    statements = places_of(program)

    def has_no_split(part: Sequence[Statement]) -> bool:
        return not _may_split(problem, with_only(program, statements, part), until)

    part, _ = smallest_part(statements, has_no_split)
    spans = [statement.span for statement in part if statement.span is not None]
    if not spans:
        return ()
    related = tuple(Related("together with this", span) for span in spans[1:])
    return (NO_SPLIT_AT_ALL(spans[0], related=related),)


def with_blame(error: NoTreeError, problem: Problem) -> NoTreeError:
    """The error with a smallest set of statements that together leave no tree, where such a set is
    found in time, and each of them has a place in the program. If a sum shows that there are trees,
    the error says so instead: the engine missed them."""
    problem = replace(problem, program=problem.program.at({}))  # at all values trees are the same
    program, statements = problem.program, places_of(problem.program)
    until = Deadline(min(_SECONDS_OF_BLAME, max(_SECONDS, time_left())))
    known: dict[tuple[int, ...], _Existence] = {}
    if any(d.message == NO_TREE().message for d in error.diagnostics):
        known[tuple(map(id, statements))] = _Existence.NONE

    def trees_of(part: Sequence[Statement]) -> _Existence:
        key = tuple(map(id, part))
        if key not in known:
            known[key] = _trees(problem, with_only(program, statements, part), until)
        return known[key]

    def has_no_tree(part: Sequence[Statement]) -> bool | None:
        trees = trees_of(part)
        return None if trees is _Existence.UNKNOWN else trees is not _Existence.SOME

    if trees_of(statements) is _Existence.SOME:
        return NoTreeError(replace(d, message=f"{d.message}; {MISSED}") for d in error.diagnostics)
    part, certain = smallest_part(statements, has_no_tree)
    spans = [statement.span for statement in part if statement.span is not None]
    if len(spans) < len(part):
        return error
    told = blame_in_words(
        len(part), trees_of(part) is _Existence.NONE, certain, len(part) < len(statements)
    )
    spans = spans or list(dict.fromkeys(rule.span for rule in program.rules))
    more = tuple(Related("together with this", span) for span in spans[1:])
    return NoTreeError(
        replace(
            d,
            message=f"{d.message}; {told}",
            span=next(iter(spans), d.span),
            related=(*d.related, *more),
        )
        for d in error.diagnostics
    )


def _trees(problem: Problem, program: CheckedProgram, until: Deadline) -> _Existence:
    """Whether a program has trees on the table of a problem: a search tells of one at once, a sum
    that there is none."""
    if until.over():
        return _Existence.UNKNOWN
    searched = _error_of(problem, program, _SEARCH)
    if searched is None:
        return _Existence.SOME
    summed = _error_of(problem, program, _SUM)
    if summed is None or isinstance(summed, NoTreeError):
        return _Existence.SOME if summed is None else _Existence.NONE
    return _Existence.NOT_FOUND if isinstance(searched, NoTreeError) else _Existence.UNKNOWN


def _error_of(problem: Problem, program: CheckedProgram, how: dict[str, Any]) -> SlpError | None:
    """The error that ends a run of a program on the table of a problem; None if none does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with held(deadline := Deadline(_SECONDS)):  # also while all states are listed
                _run(problem.varied(read_for(program, how["engine"])), how, deadline)
    except SlpError as e:
        return e
    return None


def _run(problem: Problem, how: dict[str, Any], deadline: Deadline | None = None) -> Posterior:
    """The prior by a short search or a small sum.

    Raises
    ------
    BudgetError
        E501: the sum is not small. Not all of its memory is counted by the engine.
    """
    if how is _SUM and not counts_fit(problem.grammar, problem.table, how["memory"]):
        raise BudgetError(NO_MEMORY_LEFT())
    time = Deadline(_SECONDS) if deadline is None else deadline
    return infer(problem, **how, seed=0, time=time, likelihood=False, advise=False)
