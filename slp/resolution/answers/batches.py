"""Draws that are made many at once: from tables, and in the core by the program.

Between two batches the budgets are looked at, but for what the draws take later. Each batch has its
own stream of random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import BudgetError, warn
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.messages.queries import DRAWS_CUT_SHORT
from slp.resolution.answers.found import DrawnProofs
from slp.resolution.answers.tabled import SolvedTables
from slp.resolution.proofs.best_first import check_budgets
from slp.resolution.tables.forward import ForwardSampler
from slp.resolution.tables.solved import solver

#: The most draws of a batch.
_AT_ONCE = 4096

#: Seconds and bytes that a draw takes after it is made: as an answer of Python, and written. It
#: takes 7 to 22 microseconds, and 400 to 700 bytes.
_SECONDS_LATER, _BYTES_LATER = 2e-5, 700


@dataclass
class UsedClauses:
    """The different clauses of paths, with the values of their labels, in the order met."""

    fired: list[tuple[ir.LogicClause, float]] = field(default_factory=list)
    _numbers: dict[tuple[int, float], int] = field(default_factory=dict)

    def number(self, clause: ir.LogicClause, label: float) -> int:
        """The number of one."""
        found = self._numbers.setdefault((id(clause), label), len(self.fired))
        if found == len(self.fired):
            self.fired.append((clause, label))
        return found


def by_tables(tables: SolvedTables, count: int, seed: int) -> DrawnProofs:
    """`count` independent draws from tables: none fails."""
    graph = tables.graph
    parts, interrupted = _batches(
        lambda n, words: solver().draws_of(graph, tables.masses, n, words),
        lambda part: len(part.answers),
        count,
        seed,
    )
    used, begun = np.unique(np.concatenate([p.begun for p in parts]), return_inverse=True)
    own, answer_of = np.unique(np.concatenate([p.answers for p in parts]), return_inverse=True)
    clauses = UsedClauses()
    edges = (graph.edges[e] for e in used.tolist())
    numbers = [clauses.number(e.clause, e.label) for e in edges if e.clause is not None]
    return DrawnProofs(
        "tables",
        [tables.terms(i) for i in own.tolist()],
        answer_of.tolist(),
        _split(np.array(numbers, np.int32)[begun], [p.first for p in parts]),
        clauses.fired,
        np.concatenate([p.log_masses for p in parts]).tolist(),
        len(answer_of),
        interrupted,
        success=tables.whole.value,
        failure=tables.failure,
    )


def by_core(sampler: ForwardSampler, count: int, seed: int) -> DrawnProofs:
    """`count` independent draws by the program, in the core; tries that fail are thrown away."""
    parts, interrupted = _batches(sampler.draw_many, lambda part: len(part.answers), count, seed)
    fired = list(zip(sampler.clauses, sampler.labels, strict=True))
    logs = np.array([math.log(label) if label else 0.0 for label in sampler.labels])
    paths = _split(np.concatenate([p.used for p in parts]), [p.first for p in parts])
    masses = []
    for part in parts:  # sums of parts of an array; a part without items would give the next one
        own = np.add.reduceat(np.append(logs[part.used], 0.0), part.first[:-1])
        masses += np.where(np.diff(part.first) > 0, own, 0.0).tolist()
    answers = [answer for part in parts for answer in part.answers]
    return DrawnProofs(
        "rejection",
        answers,
        range(len(answers)),
        paths,
        fired,
        masses,
        sampler.tries,
        interrupted,
    )


def words_of(seed: int, *stream: int) -> NDArray[np.uint64]:
    """The seeds of a stream in the core, uint64, shape (4,)."""
    return np.random.SeedSequence([seed, *stream]).generate_state(4, np.uint64).astype(np.uint64)


def _batches(
    draw: Callable[[int, Any], Any], size: Callable[[Any], int], count: int, seed: int
) -> tuple[list[Any], bool]:
    """Batches with `count` draws together, fewer where a budget or Ctrl-C ends them; whether it was
    Ctrl-C."""
    parts: list[Any] = []
    made = 0
    try:
        while made < count:
            check_budgets(made * _SECONDS_LATER, made * _BYTES_LATER)
            parts.append(draw(min(_AT_ONCE, count - made), words_of(seed, len(parts))))
            made += size(parts[-1])
    except (BudgetError, KeyboardInterrupt) as e:
        return parts, cut_short(e, made, count)
    return parts, False


def _split(used: Any, firsts: Sequence[Any]) -> list[Any]:
    """The paths of draws, from those of batches and where each begins there."""
    ends = np.cumsum(np.concatenate([np.diff(first) for first in firsts])).tolist()
    return [used[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def cut_short(cause: BudgetError | KeyboardInterrupt, kept: int, wanted: int) -> bool:
    """Warn that a budget or Ctrl-C ended the drawing (W243), and tell whether it was Ctrl-C. If
    nothing was drawn, raise `cause`."""
    if not kept:
        raise cause
    reason = cause.diagnostics[0].message if isinstance(cause, BudgetError) else "interrupted"
    warn(DRAWS_CUT_SHORT(reason=reason, kept=kept, wanted=wanted))
    return not isinstance(cause, BudgetError)
