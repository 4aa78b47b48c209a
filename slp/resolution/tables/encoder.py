"""Programs and queries as the core's numbers, for programs that the core can run.

It can where each goal that the query reaches has a table or is `=`, `true` or `fail`, and each
label has its value without variables. Terms become numbers on the way in, and numbers terms on the
way out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slp.errors import SlpError
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.kernels.compiled import compiled_core
from slp.resolution.machine.arithmetic import evaluate, label_value
from slp.resolution.machine.clauses import PreparedPredicate
from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.query import Query, database_of, prepared
from slp.resolution.tables.calls import Tabled, tabled_definitions
from slp.terms import Atom, Struct, Term, Var, conjuncts, functor, list_items, variables

if TYPE_CHECKING:
    from slp._core import TableProgram

_NONE = -1

#: Steps of the core that take less time than an inference of the machine, and count as one.
STEPS_OF_AN_INFERENCE = 10

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


@dataclass(frozen=True, eq=False)
class EncodedQuery:
    """A query in the core: the list of its goals, the template of its answer, and the number of
    their variables."""

    encoder: Encoder
    goals: int
    answer: int
    variables: int


def encoded_query(query: Query) -> EncodedQuery | None:
    """A query with all of the program that it reaches; None where the core cannot run it."""
    core = compiled_core()
    if core is None:
        return None
    database = database_of(query.program)
    definitions = tabled_definitions(database, query.program.clauses)
    goals, answer, first = prepared(query)
    encoder = Encoder(database, core.TableProgram([*range(len(_SPECIAL))]))
    if not encoder.add_program(definitions, goals):
        return None
    numbered = {v: v.id - 1 for goal in goals for v in variables(goal)}
    asked = encoder.goals(goals, numbered)
    named = list_items(answer) or []
    template = encoder.struct(("\0answer", -1), [encoder.term(v, numbered) for v in named])
    return EncodedQuery(encoder, asked, template, first - 1)


def steps_of(limits: Limits) -> int:
    """The steps of the core that limits allow."""
    return min(limits.inferences * STEPS_OF_AN_INFERENCE, 2**62)


class Encoder:
    """Terms and clauses as numbers, and numbers as terms."""

    def __init__(self, database: Database, program: TableProgram) -> None:
        self._database = database
        self._numbers: dict[_Functor, int] = {f: i for i, f in enumerate(_SPECIAL)}
        self._functors: list[_Functor] = [*_SPECIAL]
        self._decoded: dict[int, Term] = {}
        #: The labelled clauses, and their labels.
        self.clauses: list[ir.LogicClause] = []
        self.labels: list[float] = []
        self.program = program

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
                self.labels.append(label)
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

    def name(self, number: int) -> tuple[str, int]:
        """The name and the arity of a predicate's number."""
        found = self._functors[number]
        assert isinstance(found, tuple)
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
