"""Tables built in the compiled core, for programs that it can run (`encoded_query`).

Variables and edges stay arrays and become objects when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine import faults
from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.best_first import Progress, check_budgets
from slp.resolution.proofs.choices import Outcome
from slp.resolution.proofs.query import Query
from slp.resolution.tables.edge_labels import EdgeLabels
from slp.resolution.tables.encoder import Encoder, encoded_query, steps_of
from slp.resolution.tables.hypergraph import Edge, Hypergraph, Kind, Variable

_KINDS: tuple[Kind, ...] = ("answer", "prefix", "failure")
_DONE, _AT_LIMIT = 0, 1
_NONE = -1

_T = TypeVar("_T")


def compiled_graph(query: Query, limits: Limits, progress: Progress | None) -> Hypergraph | None:
    """All tables that a query needs; None where the core cannot build them.

    Its steps are runs, clauses, goals and 32 parts of terms each.

    Raises
    ------
    LimitError
        E214 at the limit of inferences. The budgets that are held are kept, too.
    """
    asked = encoded_query(query)
    if asked is None:
        return None

    def go_on(runs: int, *_: Any) -> bool:
        check_budgets()
        if progress is not None:
            progress(runs, "tabling")
        return True

    ended, core, *arrays = asked.encoder.program.build(
        asked.goals,
        asked.answer,
        asked.variables,
        query.program.weights,
        steps_of(limits),
        go_on,
    )
    if ended == _AT_LIMIT:
        raise faults.too_many_inferences(limits.inferences, query.goal.span)
    return None if ended != _DONE else _graph(query, asked.encoder, core, arrays)


@dataclass(frozen=True, eq=False)
class Lazy(Sequence[_T], Generic[_T]):
    """A sequence whose items are made when they are asked for, one by one or all."""

    size: int
    item: Callable[[int], _T]
    items: Callable[[], Iterable[_T]]

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[_T]:
        return iter(self.items())

    @overload
    def __getitem__(self, i: int) -> _T: ...
    @overload
    def __getitem__(self, i: slice) -> list[_T]: ...
    def __getitem__(self, i: int | slice) -> _T | list[_T]:
        if isinstance(i, slice):
            return [self.item(k) for k in range(*i.indices(self.size))]
        if not -self.size <= i < self.size:
            raise IndexError(i)
        return self.item(i % self.size)


@dataclass(frozen=True, eq=False, kw_only=True)
class CompiledHypergraph(Hypergraph):
    """A hypergraph that the core has built. `core` is its `slp._core.ProofTables`; `clause_of` has
    the number of each edge's clause in `clauses`, int32, -1 without; `values` are the labels."""

    core: Any
    clauses: Sequence[ir.LogicClause]
    clause_of: NDArray[np.int32]
    values: NDArray[np.float64]

    @property
    def has_label_above_one(self) -> bool:
        return bool((self.values > 1).any())


def _graph(query: Query, encoder: Encoder, core: Any, arrays: Sequence[Any]) -> CompiledHypergraph:
    kinds, table, term, target, label, proofs, prefix, answer, number = arrays[:9]
    exits, calls, answers, failure, branches, above_one = arrays[9:]
    clause = np.where(number < len(encoder.clauses), number, np.int32(_NONE))

    def variable(i: int) -> Variable:
        terms = encoder.arguments(int(term[i])) if kinds[i] == 0 else ()
        return Variable(_KINDS[kinds[i]], int(table[i]), terms)

    def edges(which: slice) -> Iterator[Edge]:
        arrays = target, label, proofs.astype(np.int64), prefix, answer
        columns: list[list[Any]] = [array[which].tolist() for array in arrays]
        known = [*encoder.clauses, None]  # number -1 is the last one
        columns.append([known[c] for c in clause[which].tolist()])
        return map(Edge._make, zip(*columns, strict=True))

    def edge(i: int) -> Edge:
        return next(edges(slice(i, i + 1)))

    return CompiledHypergraph(
        calls=[query.goal, *map(encoder.decode, calls.tolist())],
        variables=Lazy(len(kinds), variable, lambda: map(variable, range(len(kinds)))),
        edges=Lazy(len(target), edge, lambda: edges(slice(None))),
        answers=answers.tolist(),
        failure=None if failure == _NONE else failure,
        branches=branches,
        above_one=above_one,
        core=core,
        clauses=encoder.clauses,
        clause_of=clause,
        values=label,
        labels=EdgeLabels(
            [Outcome(c, c.label) for c in encoder.clauses if c.label is not None],
            [*map(tuple, exits)],
            number,
        ),
    )
