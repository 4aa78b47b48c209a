"""The labels of a program during learning: their values, their maximisation given expected counts,
and the program with them. The formulas are in `slp.learn.labels`."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.errors import SlpError
from slp.ir import program as ir
from slp.learn import faults
from slp.learn.ascent import Interval, climb, intervals_of
from slp.learn.expected_counts import Counts, ExpectedLikelihood
from slp.learn.label_priors import LabelPrior
from slp.learn.label_tables import (
    LabelTable,
    called_predicates,
    label_tables,
    no_grouping,
    plain_label,
)
from slp.learn.not_learned import labels_that_stay, predicates_not_learned
from slp.learn.result import Change, Learned, NotLearned
from slp.learn.text import ProgramText, edited, written
from slp.messages.learning import NO_LABEL_TO_LEARN
from slp.resolution import evaluate
from slp.resolution.proofs.choices import Outcome
from slp.syntax import term_to_text
from slp.terms import Term

_T = TypeVar("_T")

#: Decimals of a written label: the least number, the significant digits of the smallest label, the
#: largest number.
_DECIMALS, _DIGITS, _MOST_DECIMALS = 6, 4, 15

#: Most draws of parameters, whose values together may be invalid.
_MOST_DRAWS = 100


@dataclass(eq=False)
class Labels:
    """The values of the labels. A *set* is a set of clauses that one goal chooses among, whose
    labels sum to 1. It is learned if its labels are numbers of the file. `value` is indexed by the
    id of a learned clause. `concentrations` of the Dirichlet priors are by name of predicate, that
    of others under "". `unused` are sets that the last counts said nothing of; `left_alone`
    what is not learned.
    """

    program: ir.CheckedProgram
    text: ProgramText
    tables: list[LabelTable]
    value: dict[int, float]
    intervals: dict[str, Interval]
    free: dict[str, float]
    parameters: dict[str, float]
    left_alone: tuple[NotLearned, ...]
    concentrations: Mapping[str, float]
    compiles: Callable[[Mapping[str, float]], bool]
    unused: set[int] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        program: ir.CheckedProgram,
        text: ProgramText,
        only: Collection[str],
        compiles: Callable[[Mapping[str, float]], bool],
        goals: Iterable[Term],
        concentrations: Mapping[str, float],
    ) -> Labels:
        """The labels that are learned from `goals` (E286, E287, E290, E292)."""
        called = called_predicates(program.clauses, goals)
        tables = [t for t in label_tables(called) if all(text.holds(c.span) for c in t.clauses)]
        for table in tables:
            if not table.groupings and (not only or table.name in only):
                raise no_grouping(table)
        tables = [t for t in tables if t.varies]
        names = text.learnable(program.parameters)
        faults.check_names(only, list(dict.fromkeys([*(t.name for t in tables), *names])))
        if only:
            tables = [t for t in tables if t.name in only]
            names = [n for n in names if n in only]
        intervals = intervals_of(names, program.parameters, compiles)
        left = (
            ()
            if only
            else predicates_not_learned(called, tables, intervals, program.parameters, text)
        )
        if not tables and not intervals:
            raise SlpError(NO_LABEL_TO_LEARN())
        faults.check_concentrations(concentrations, {t.name for t in tables})
        return cls(
            program,
            text,
            tables,
            {id(c): plain_label(c) for t in tables for c in t.clauses},
            intervals,
            {n: program.parameters[n] for n in intervals},
            dict(program.parameters),
            tuple(left),
            concentrations,
            compiles,
        )

    @property
    def sets(self) -> list[list[ir.LogicClause]]:
        """The sets of clauses whose labels sum to 1."""
        return [clauses for table in self.tables for clauses in table.sets]

    @property
    def priors(self) -> list[LabelPrior]:
        """The prior of each set."""
        plain = self.concentrations.get("", 1.0)
        return [
            LabelPrior(self.concentrations.get(table.name, plain))
            for table in self.tables
            for _ in table.sets
        ]

    @property
    def has_priors(self) -> bool:
        """Whether some prior is not uniform."""
        return any(prior.concentration != 1 for prior in self.priors)

    @property
    def log_prior(self) -> float:
        """The log density of the labels under their priors. Labels of 0 are no part of it."""
        return math.fsum(
            prior.log_density([self.value[id(c)] for c in clauses if plain_label(c) > 0])
            for clauses, prior in zip(self.sets, self.priors, strict=True)
        )

    @cached_property
    def set_of(self) -> dict[int, int]:
        """The number of the set of each learned clause, by the clause's id."""
        return {id(c): i for i, s in enumerate(self.sets) for c in s}

    @property
    def has_several_groupings(self) -> bool:
        """Whether the labels of some predicate sum to 1 in more than one way."""
        return any(len(table.groupings) > 1 for table in self.tables)

    def group(self, exits: Collection[Collection[ir.LogicClause]], *, strict: bool) -> None:
        """Group the clauses of each predicate in such a way that each goal chooses among clauses of
        one set. `exits` are the clauses that match a goal.

        Raises
        ------
        SlpError
            E290: there is no such way, and this is `strict`.
        """
        self.tables = [table.grouped(exits, strict=strict) for table in self.tables]
        self.__dict__.pop("set_of", None)

    def copy(self) -> Labels:
        """A copy with the present values."""
        return replace(self, value=dict(self.value), tables=list(self.tables))

    def drawn(self, random: np.random.Generator) -> Labels:
        """A copy with labels of each set drawn uniformly, labels of 0 left out, and parameters
        drawn uniformly from their ranges, or near their values where these have no end."""
        out = self.copy()
        for clauses in self.sets:
            members = [c for c in clauses if plain_label(c) > 0]
            parts = random.standard_exponential(len(members))  # over their sum: uniform
            out.value |= zip(map(id, members), (parts / parts.sum()).tolist(), strict=True)
        for _ in range(_MOST_DRAWS):
            free = {n: i.drawn(self.free[n], random) for n, i in self.intervals.items()}
            if free and self.compiles(free):
                out.free, out.parameters = free, self.parameters_at(free)
                break
        return out

    def __call__(self, outcome: Outcome) -> float:
        """The probability of an outcome."""
        value = self.value.get(id(outcome.clause))
        if value is None:
            value = float(evaluate(outcome.label, self.parameters, span=outcome.label.span))
        return value

    def maximise(self, counts: Counts) -> None:
        """Set the labels to the maximum of the prior times the likelihood of expected counts."""
        self.unused = set()
        for i, (clauses, prior) in enumerate(zip(self.sets, self.priors, strict=True)):
            members = [c for c in clauses if plain_label(c) > 0]
            values = prior.mode([counts.clauses.get(id(c), 0.0) for c in members])
            if values is None:
                self.unused.add(i)
                continue
            for clause, value in zip(members, values, strict=True):
                self.value[id(clause)] = value
        if self.intervals:
            self._climb(counts)

    def _climb(self, counts: Counts) -> None:
        expected = ExpectedLikelihood(self, counts)
        start = [interval.to_free(self.free[n]) for n, interval in self.intervals.items()]
        path, _ = climb(expected, start, iterations=50, tolerance=1e-12)
        self.free = self.free_at(path[-1].point)
        self.parameters = self.parameters_at(self.free)

    def free_at(self, u: NDArray[np.float64]) -> dict[str, float]:
        """Values of the learned parameters at a point of their coordinates."""
        pairs = zip(self.intervals.items(), u.tolist(), strict=True)
        return {name: interval.to_value(x) for (name, interval), x in pairs}

    def parameters_at(self, values: Mapping[str, float]) -> dict[str, float]:
        """The values of all parameters, given those of the learned ones."""
        if any(self.text.is_computed(name) for name in self.parameters):
            return self.text.parameters(values)
        return {**self.parameters, **values}

    def in_order(self, found: Mapping[Hashable, _T]) -> list[_T]:
        """What is found by the name of a parameter and by the id of a clause, in the order of the
        changes of `learned`."""
        return [*(found[n] for n in self.free), *(found[id(c)] for s in self.sets for c in s)]

    def learned(self, path: tuple[float, ...], converged: bool, method: str) -> Learned:
        """The program with these labels written into its text."""
        free = {n: self.intervals[n].rounded(x) for n, x in self.free.items()}
        given = self.program.parameters
        edits = self.text.parameter_edits({n: x for n, x in free.items() if x != given[n]})
        changes = [Change("parameter", name, given[name], value) for name, value in free.items()]
        for i, clauses in enumerate(self.sets):
            values, before = [self.value[id(c)] for c in clauses], list(map(plain_label, clauses))
            values = before if i in self.unused or values == before else _written_labels(values)
            for clause, value in zip(clauses, values, strict=True):
                assert clause.label is not None
                if value != plain_label(clause):
                    edits.append(self.text.number_edit(clause.label, written(value)))
                head, span = term_to_text(clause.head), clause.label.span
                changes.append(Change("label", head, plain_label(clause), value, span))
        file = edited(self.text.file, edits)
        left = (*self.left_alone, *labels_that_stay(self.sets, self.unused))
        return Learned(file, tuple(changes), path, converged, method, (), not_learned=left)


def _written_labels(values: Sequence[float]) -> list[float]:
    """Rounded labels that sum to 1 exactly: the largest label takes the rounding error."""
    smallest = min(v for v in values if v > 0)
    decimals = min(max(_DECIMALS, _DIGITS - math.floor(math.log10(smallest))), _MOST_DECIMALS)
    out = [round(v, decimals) for v in values]
    largest = max(range(len(out)), key=out.__getitem__)
    out[largest] = round(1 - math.fsum(v for i, v in enumerate(out) if i != largest), decimals)
    return out
