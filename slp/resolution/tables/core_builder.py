"""Tables built in the compiled core, for programs that it can run: see `compiled_graph`.

Terms become numbers on the way in (`_Encoder`). On the way out, variables and edges stay arrays and
become objects when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from slp.errors import SlpError
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.kernels import backend
from slp.late import late_import
from slp.resolution.machine import faults
from slp.resolution.machine.arithmetic import evaluate, label_value
from slp.resolution.machine.clauses import PreparedPredicate
from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.best_first import Progress, check_budgets
from slp.resolution.proofs.choices import Outcome
from slp.resolution.proofs.query import Query, database_of, prepared
from slp.resolution.tables.calls import Tabled, tabled_definitions
from slp.resolution.tables.edge_labels import EdgeLabels
from slp.resolution.tables.hypergraph import Edge, Hypergraph, Kind, Variable
from slp.terms import Atom, Struct, Term, Var, conjuncts, functor, list_items, variables

if TYPE_CHECKING:
    from slp._core import TableProgram

_KINDS: tuple[Kind, ...] = ("answer", "prefix", "failure")
_DONE, _AT_LIMIT = 0, 1
_STEPS_OF_AN_INFERENCE = 10
_NONE = -1

_T = TypeVar("_T")
#: A functor: a name with an arity, or an atomic term that is no atom.
_Functor = tuple[str, int] | Term

#: Functors that are no predicates: of lists of goals, of answers, and three built-in goals. Names
#: that no program has begin with a zero.
_SPECIAL: tuple[_Functor, ...] = (
    ("\0none", 0),
    ("\0more", 2),
    ("\0answer", -1),
    ("=", 2),
    ("true", 0),
    ("fail", 0),
)


def compiled_graph(query: Query, limits: Limits, progress: Progress | None) -> Hypergraph | None:
    """All tables that a query needs; None where the core cannot build them.

    It can where each goal that the query reaches has a table or is `=`, `true` or `fail`, and each
    label has its value without variables. Its steps are runs, clauses, goals and 32 parts of terms
    each; ten of them take less time than an inference of the machine, and count as one.

    Raises
    ------
    LimitError
        E214 at the limit of inferences. The budgets that are held are kept, too.
    """
    if backend() != "compiled":
        return None
    database = database_of(query.program)
    definitions = tabled_definitions(database, query.program.clauses)
    goals, answer, first = prepared(query)
    encoder = _Encoder(database)
    if not encoder.add_program(definitions, goals):
        return None
    numbered = {v: v.id - 1 for goal in goals for v in variables(goal)}
    asked = encoder.goals(goals, numbered)
    named = list_items(answer) or []
    template = encoder.struct(("\0answer", -1), [encoder.term(v, numbered) for v in named])

    def go_on(runs: int, *_: Any) -> bool:
        check_budgets()
        if progress is not None:
            progress(runs, "tabling")
        return True

    ended, core, *arrays = encoder.program.build(
        asked, template, first - 1, query.program.weights, _steps(limits), go_on
    )
    if ended == _AT_LIMIT:
        raise faults.too_many_inferences(limits.inferences, query.goal.span)
    return None if ended != _DONE else _graph(query, encoder, core, arrays)


def _steps(limits: Limits) -> int:
    return min(limits.inferences * _STEPS_OF_AN_INFERENCE, 2**62)


class _Encoder:
    """Terms and clauses as numbers, and numbers as terms."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._numbers: dict[_Functor, int] = {f: i for i, f in enumerate(_SPECIAL)}
        self._functors: list[_Functor] = [*_SPECIAL]
        self._decoded: dict[int, Term] = {}
        self.clauses: list[ir.LogicClause] = []
        self.program: TableProgram = late_import("slp._core").TableProgram([*range(len(_SPECIAL))])

    def add_program(self, definitions: Any, goals: Sequence[Term]) -> bool:
        """Add all predicates that goals reach; False where the core cannot run one."""
        seen: set[tuple[str, int]] = set()
        todo = [part for goal in goals for part in conjuncts(goal)]
        while todo:
            key = functor(todo.pop())
            if key is None:
                return False
            if key in seen:
                continue
            seen.add(key)
            found = definitions.get(key)
            if isinstance(found, Tabled):
                found = found.predicate
            elif not isinstance(found, PreparedPredicate) or not found.is_stochastic:
                if key in _SPECIAL[3:]:
                    continue
                return False
            if not self._add_predicate(key, found):
                return False
            bodies = (c.source.body for c in found.clauses)
            todo += [goal for body in bodies if body is not None for goal in conjuncts(body)]
        return True

    def _add_predicate(self, key: tuple[str, int], predicate: PreparedPredicate) -> bool:
        number = self._number(key)
        self.program.add_predicate(number, predicate.is_stochastic)
        for clause in (c.source for c in predicate.clauses):
            if (clause.label is not None) != predicate.is_stochastic:
                return False
            label = 1.0
            if clause.label is not None:
                if next(iter(variables(clause.label)), None) is not None:
                    return False
                try:
                    span = clause.label.span or clause.span
                    value = evaluate(clause.label, self._database.parameters, span=span)
                    label = label_value(value, span)
                except SlpError:
                    return False  # where the clause matches, the machine says so at its place
            numbered: dict[Var, int] = {}
            head = self.term(clause.head, numbered)
            body = () if clause.body is None else conjuncts(clause.body)
            goals = self.goals(body, numbered)
            own = _NONE
            if clause.label is not None:
                own = len(self.clauses)
                self.clauses.append(clause)
            self.program.add_clause(number, head, goals, len(numbered), own, label)
        return True

    def goals(self, goals: Iterable[Term], numbered: dict[Var, int]) -> int:
        """A list of goals. Conjunctions are written out."""
        parts = [self.term(p, numbered) for goal in goals for p in conjuncts(goal)]
        out = self.struct(("\0none", 0), [])
        for part in reversed(parts):
            out = self.struct(("\0more", 2), [part, out])
        return out

    def term(self, term: Term, numbered: dict[Var, int]) -> int:
        """A term, its variables by their numbers; new ones get the next number."""
        built: list[int] = []
        todo: list[tuple[Term, bool]] = [(term, False)]  # True: its arguments are on top of `built`
        while todo:
            t, ready = todo.pop()
            if isinstance(t, Var):
                built.append(-1 - numbered.setdefault(t, len(numbered)))
            elif not isinstance(t, Struct):
                built.append(self.struct((t.name, 0) if isinstance(t, Atom) else t, []))
            elif not ready:
                todo.append((t, True))
                todo.extend((a, False) for a in reversed(t.args))
            else:
                n = len(t.args)
                args = built[-n:]
                del built[-n:]
                built.append(self.struct((t.name, n), args))
        return built[0]

    def struct(self, key: _Functor, args: list[int]) -> int:
        """A term of a functor and arguments."""
        return self.program.term(self._number(key), args)

    def _number(self, key: _Functor) -> int:
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._functors)
            self._functors.append(key)
        return found

    def decode(self, number: int) -> Term:
        """The term of a number; its variables are numbered from 1."""
        todo = [number]
        while todo:
            t = todo[-1]
            if t in self._decoded:
                todo.pop()
                continue
            if t < 0:
                self._decoded[t] = Var("_", -t)
                continue
            key, args = self.program.parts(t)
            missing = [a for a in args if a not in self._decoded]
            if missing:
                todo += missing
                continue
            name = self._functors[key]
            if not isinstance(name, tuple):
                self._decoded[t] = name
            elif args:
                struct = Struct(name[0], tuple(self._decoded[a] for a in args))
                struct.see_ground()
                self._decoded[t] = struct
            else:
                self._decoded[t] = Atom(name[0])
        return self._decoded[number]

    def arguments(self, number: int) -> tuple[Term, ...]:
        """The arguments of a term."""
        return tuple(self.decode(a) for a in self.program.parts(number)[1])


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


def _graph(query: Query, encoder: _Encoder, core: Any, arrays: Sequence[Any]) -> CompiledHypergraph:
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
