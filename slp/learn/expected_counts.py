"""The labels of a program during learning: their values, and their maximisation given expected
counts. The formulas are in `slp.learn.labels`."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from slp.errors import SlpError
from slp.ir import program as ir
from slp.learn import faults
from slp.learn.ascent import Interval, climb, intervals_of, slope
from slp.learn.result import Change, Learned
from slp.learn.text import ProgramText, edited, written
from slp.messages.learning import NO_LABEL_TO_LEARN
from slp.resolution import evaluate
from slp.resolution.graph import Outcome
from slp.syntax import term_to_text
from slp.terms import Number, Term, functor

#: Decimals of a written label: the least number, the significant digits of the smallest label, the
#: largest number.
_DECIMALS, _DIGITS, _MOST_DECIMALS = 6, 4, 15


@dataclass(eq=False)
class Counts:
    """Expected counts of clauses with a plain label, of other labels, and of losses at goals that
    choose among such clauses."""

    clauses: dict[int, float] = field(default_factory=dict)
    labels: dict[Term, float] = field(default_factory=dict)
    losses: dict[tuple[Term, ...], float] = field(default_factory=dict)


@dataclass(eq=False)
class Labels:
    """The values of the labels. A *set* is a set of clauses that one goal chooses among, whose
    labels sum to 1. It is learned if its labels are numbers of the file.

    `value` is indexed by the id of a learned clause, and `set_of` by the same id gives the number
    of its set.
    """

    program: ir.CheckedProgram
    text: ProgramText
    sets: list[list[ir.LogicClause]]
    value: dict[int, float]
    intervals: dict[str, Interval]
    free: dict[str, float]
    parameters: dict[str, float]
    set_of: dict[int, int]

    @classmethod
    def of(
        cls,
        program: ir.CheckedProgram,
        text: ProgramText,
        only: Collection[str],
        compiles: Callable[[Mapping[str, float]], bool],
    ) -> Labels:
        sets = [
            clauses
            for clauses in _sets(program.clauses)
            if len(clauses) > 1 and all(text.holds(c.span) for c in clauses)
        ]
        names = text.learnable(program.parameters)
        known = list(dict.fromkeys([*(_name(s[0]) for s in sets), *names]))
        faults.check_names(only, known)
        if only:
            sets = [s for s in sets if _name(s[0]) in only]
            names = [n for n in names if n in only]
        intervals = intervals_of(names, program.parameters, compiles)
        if not sets and not intervals:
            raise SlpError(NO_LABEL_TO_LEARN())
        return cls(
            program,
            text,
            sets,
            {id(c): float(_plain(c)) for s in sets for c in s},
            intervals,
            {n: program.parameters[n] for n in intervals},
            dict(program.parameters),
            {id(c): i for i, s in enumerate(sets) for c in s},
        )

    def copy(self) -> Labels:
        """A copy with the present values."""
        return replace(self, value=dict(self.value))

    def __call__(self, outcome: Outcome) -> float:
        """The probability of an outcome."""
        value = self.value.get(id(outcome.clause))
        if value is None:
            value = float(evaluate(outcome.label, self.parameters, span=outcome.label.span))
        return value

    def maximise(self, counts: Counts) -> None:
        """Set the labels to the maximum of the likelihood of the expected counts."""
        for clauses in self.sets:
            psi = [counts.clauses.get(id(c), 0.0) for c in clauses]
            total = math.fsum(psi)
            if total > 0:
                for clause, count in zip(clauses, psi, strict=True):
                    self.value[id(clause)] = count / total
        if self.intervals:
            self._climb(counts)

    def _climb(self, counts: Counts) -> None:
        expected = _ExpectedLikelihood(self, counts)
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

    def learned(self, path: tuple[float, ...], converged: bool, method: str) -> Learned:
        """The program with these labels written into its text."""
        free = {n: self.intervals[n].rounded(x) for n, x in self.free.items()}
        edits = self.text.parameter_edits(free)
        changes = [
            Change("parameter", name, self.program.parameters[name], value)
            for name, value in free.items()
        ]
        for clauses in self.sets:
            values = _written_labels([self.value[id(c)] for c in clauses])
            for clause, value in zip(clauses, values, strict=True):
                assert clause.label is not None
                edits.append(self.text.number_edit(clause.label, written(value)))
                head, span = term_to_text(clause.head), clause.label.span
                changes.append(Change("label", head, float(_plain(clause)), value, span))
        file = edited(self.text.file, edits)
        return Learned(file, tuple(changes), path, converged, method, ())


@dataclass(frozen=True, eq=False)
class _ExpectedLikelihood:
    """The expected log-likelihood of derivations, as a function of the parameters' coordinates."""

    labels: Labels
    counts: Counts

    def value(self, u: NDArray[np.float64]) -> float:
        """The value (see the module's docstring)."""
        parameters = self.labels.parameters_at(self.labels.free_at(u))

        def log(x: float) -> float:
            return math.log(x) if x > 0 else -math.inf

        def label(term: Term) -> float:
            return float(evaluate(term, parameters, span=term.span))

        try:
            taken = [n * log(label(t)) for t, n in self.counts.labels.items() if n]
            lost = [
                n * log(1 - math.fsum(map(label, terms)))
                for terms, n in self.counts.losses.items()
                if n
            ]
        except SlpError:
            return -math.inf
        return math.fsum([*taken, *lost])

    def slope(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient, by differences."""
        return slope(self.value, u)


def _written_labels(values: Sequence[float]) -> list[float]:
    """Rounded labels that sum to 1 exactly: the largest label takes the rounding error."""
    smallest = min(v for v in values if v > 0)
    decimals = min(max(_DECIMALS, _DIGITS - math.floor(math.log10(smallest))), _MOST_DECIMALS)
    out = [round(v, decimals) for v in values]
    largest = max(range(len(out)), key=out.__getitem__)
    out[largest] = round(1 - math.fsum(v for i, v in enumerate(out) if i != largest), decimals)
    return out


def _plain(clause: ir.LogicClause) -> int | float:
    assert isinstance(clause.label, Number)
    return clause.label.value


def _name(clause: ir.LogicClause) -> str:
    key = functor(clause.head)
    assert key is not None, "the checker lets no other head pass"
    return key[0]


def _sets(clauses: Iterable[ir.LogicClause]) -> list[list[ir.LogicClause]]:
    """The sets of clauses with numbers as labels that sum to 1: all clauses of a predicate, or
    those with the same ground term at one argument (the checker's rule of E130)."""
    predicates: dict[tuple[str, int] | None, list[ir.LogicClause]] = {}
    for clause in clauses:
        if clause.label is not None:
            predicates.setdefault(functor(clause.head), []).append(clause)
    out = []
    for key, found in predicates.items():
        if key is None or not all(isinstance(c.label, Number) for c in found):
            continue
        if _sums_to_one(found):
            out.append(found)
            continue
        for position in range(key[1]):
            parts = _parts(found, position)
            if all(_sums_to_one(part) for part in parts):
                out += parts
                break
    return out


def _parts(clauses: Iterable[ir.LogicClause], position: int) -> list[list[ir.LogicClause]]:
    parts: dict[Term, list[ir.LogicClause]] = {}
    for clause in clauses:
        parts.setdefault(clause.head.args[position], []).append(clause)  # type: ignore[union-attr]
    return list(parts.values())


def _sums_to_one(clauses: Iterable[ir.LogicClause]) -> bool:
    return abs(math.fsum(_plain(c) for c in clauses) - 1) <= 1e-9
