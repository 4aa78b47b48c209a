"""`sensitivity`: how the answers of a program on a table depend on its numbers and on each row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets import Deadline, held, memory_budget, memory_errors
from slp.budgets.memory import format_bytes
from slp.compile import compile_program
from slp.data.table import Table
from slp.engines import read_for
from slp.engines.shared.size import rough_size
from slp.errors import BudgetError, SlpError, TimeOverError, UsageError
from slp.learn import ProgramText
from slp.learn.evidence import grammar_on
from slp.messages.inference import SUMS_TOO_LARGE
from slp.messages.results import ABSENT_ROW, MEDIANS_HAVE_NO_SLOPE, NO_SUCH_ROW
from slp.problem.new_rows import table_as_new_rows
from slp.problem.problem import Problem
from slp.problem.uncertain import refuse_uncertain
from slp.program.program import Program
from slp.program.progress import Progress, shown_progress
from slp.results import Posterior
from slp.results.sensitivity import Influence, Sensitivity, Slope
from slp.sensitivity import (
    Found,
    VariedProgram,
    influence_on_rows,
    interval_of_best_tree,
    sensitivities,
)

_SEVERAL = (
    "a tree may have several derivations: the intervals are of the most probable derivation, and "
    "not of the most probable tree"
)
_NO_MEAN = (
    "what single rows do to predictions is not known: a leaf whose only row is left out has no mean"
)
#: A rough estimate is right within this factor.
_FAR = 8
_NO_TIME = "{what} is not known: the time ended before"


def sensitivity(
    program: Program,
    X: Any,
    y: Any = None,
    *,
    rows: Any = None,
    memory: int | str | None = None,
    time: float | str | Deadline | None = None,
    progress: Progress | bool | None = None,
) -> Sensitivity:
    """See `slp.Program.sensitivity`."""
    refuse_uncertain(program.ir, "sensitivity")
    deadline, budget = Deadline.of(time), memory_budget(memory)
    with shown_progress(progress) as shown, held(deadline), memory_errors():
        problem = program._with_ir(read_for(program.ir, "exact"))._problem(X, y)
        _check_size(problem, budget)
        posterior = program.posterior(
            X, y, engine="exact", draws=0, memory=budget, time=deadline, progress=shown
        )
        with deadline.working():
            names, told = _rows(posterior, rows)
            grammar = grammar_on(problem.program, problem.table)
            text, compiles = ProgramText(program.source), _compiles(program)
            of = (problem.program, text, compiles, problem.table, grammar, told, budget, shown)
            found = sensitivities(VariedProgram(*of))
            influence, notes = _influence(posterior, found, told, shown)
            slopes = tuple(_slopes(found, shown))
    chart = found.edges.adjoints.chart
    if not chart.derivations_are_trees:
        notes.insert(0, _SEVERAL)
    if posterior.evidence_note is not None:
        notes.insert(0, posterior.evidence_note)
    table = posterior.table
    return Sensitivity(
        program.source.name,
        table.response,
        table.n_rows,
        table.feature_names,
        table.leaf.classes,
        found.log_evidence,
        dict(zip(table.feature_names, found.used.tolist(), strict=True)),
        names,
        found.told,
        str(next(chart.best()).tree),
        slopes,
        influence,
        {one.name: one.reason for one in found.not_varied},
        tuple(notes),
    )


def _check_size(problem: Problem, budget: int) -> None:
    """Refuse what is far beyond the memory before hours of work.

    Raises
    ------
    BudgetError
        E501: by the estimate the sums alone take `_FAR` times the memory.
    """
    size = None if problem.unsummable else rough_size(problem)
    if size is not None and size.exceeds(_FAR * budget, math.inf):
        doing, memory = "`sensitivity`", format_bytes(budget)
        raise BudgetError(SUMS_TOO_LARGE(doing=doing, size=size, memory=memory))


def _compiles(program: Program) -> Callable[[Mapping[str, float]], bool]:
    """Whether the program is sound with given values of some parameters."""
    text = ProgramText(program.source)
    own = {n: x for n, x in program.parameters.items() if not text.is_computed(n)}

    def compiles(parameters: Mapping[str, float]) -> bool:
        try:
            compile_program(program.source, {**own, **parameters})
        except BudgetError:
            raise
        except SlpError:
            return False
        return True

    return compiles


def _rows(posterior: Posterior, rows: Any) -> tuple[tuple[str, ...], NDArray[np.object_]]:
    """The names of the rows that are told something, and the rows as `Table.new_rows` has them.

    Raises
    ------
    UsageError
        E528: the table has no such row; E529: they are told medians.
    """
    table = posterior.table
    if rows is None:
        return (), np.empty((0, len(table.features)), np.object_)
    if table.leaf.point == "median":
        raise UsageError(MEDIANS_HAVE_NO_SLOPE())
    if isinstance(rows, Sequence) and all(map(_is_whole, rows)):
        numbers = np.array([_place(table, int(row)) for row in rows], np.int64)
        return tuple(f"row {row}" for row in rows), table_as_new_rows(table, numbers)
    told = table.new_rows(rows)
    return tuple(f"new row {i}" for i in range(len(told))), told


def _is_whole(row: object) -> bool:
    return isinstance(row, int | np.integer) and not isinstance(row, bool)


def _place(table: Table, row: int) -> int:
    """The distinct row of a row of the table as it was given, from 0."""
    absent = _absent(table)
    if not 0 <= row < table.n_given:
        raise UsageError(NO_SUCH_ROW(row=row, last=table.n_given - 1))
    if row in absent:
        raise UsageError(ABSENT_ROW(row=row))
    return int(table.row_of[row - int((absent < row).sum())])


def _slopes(found: Found, progress: Progress | None) -> Iterator[Slope]:
    """The derivatives by each number, with its interval of the best tree, or why it has none."""
    for i, one in enumerate(found.varied):
        stays, why_not = None, ""
        try:
            stays = interval_of_best_tree(one, found.edges, progress)
        except TimeOverError:
            why_not = _NO_TIME.format(what="the interval")
        yield Slope(
            one.kind,
            one.name,
            one.value,
            one.said,
            float(found.of_evidence[i]),
            tuple(found.of_used[i].tolist()),
            found.of_told[i],
            stays,
            why_not,
        )


def _absent(table: Table) -> NDArray[np.int64]:
    """The numbers of the rows of weight 0."""
    return np.zeros(0, np.int64) if table.without_weight is None else table.without_weight


def _influence(
    posterior: Posterior, found: Found, rows: NDArray[np.object_], progress: Progress | None
) -> tuple[Influence | None, list[str]]:
    """What single rows do, and what must be said of it."""
    if posterior.no_loo is not None:
        return None, [f"the influence of rows is not known: {posterior.no_loo}"]
    try:
        loo = posterior.loo()
    except TimeOverError:
        return None, [_NO_TIME.format(what="the influence of rows")]
    numbers = np.setdiff1d(np.arange(posterior.table.n_given), _absent(posterior.table))
    if len(rows) and posterior.table.leaf.mean_needs >= 0:
        return Influence(numbers, loo.pointwise, None), [*loo.notes, _NO_MEAN]
    try:
        told = influence_on_rows(found.edges, rows, found.told, progress)
    except TimeOverError:
        why = _NO_TIME.format(what="what single rows do to predictions")
        return Influence(numbers, loo.pointwise, None), [*loo.notes, why]
    return Influence(numbers, loo.pointwise, told), list(loo.notes)
