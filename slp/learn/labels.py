"""Learning labels from observed goals: failure-adjusted maximisation.

The model: a goal G (the observations' predicate, its arguments free) is derived with the labels'
probabilities again and again until a derivation succeeds, and its answer is observed. With
mass(y) the sum of the masses of the proofs of y, and Z that of all proofs of G,

    log-likelihood = sum over observations of  log mass(y) - log Z

Expectation-maximisation with the derivations as what is hidden, those included that failed before
each success (on average 1/Z - 1 of them): with n the number of observations, the expected number of
times that clause c was taken is

    psi(c) = sum over observations of E[c | proof of y]
             + n (1/Z - 1) E[c | failed derivation of G]

and the labels that make these most likely are, in each set of clauses that one goal chooses among,

    label(c) = psi(c) / sum of psi over the set

(Cussens, "Parameter Estimation in Stochastic Logic Programs", Machine Learning 44, 2001: the FAM
algorithm). A clause of the set whose head does not match counts as taken where the derivation is
lost at that goal, by its label. Labels that are expressions of parameters have no such formula:
their parameters are climbed to the maximum of

    sum of psi log label  +  sum over goals of (expected number of losses) log (1 - sum of labels)

Each iteration makes the log-likelihood no smaller.
"""

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
from slp.learn.goals import Observation, is_instance, most_general, numbered, tally
from slp.learn.result import Change, Learned
from slp.learn.text import ProgramText, edited, written
from slp.proofs import DEFAULT_LIMITS, Database, Limits, evaluate
from slp.proofs.graph import ChoiceGraph, Flow, Outcome
from slp.proofs.machine import END, Goal, Meter
from slp.proofs.terms import Number, Term, functor
from slp.syntax import term_to_text

__all__ = ["learn_labels"]

#: Open mass that a sum may leave, as a share of it.
_NEGLIGIBLE = 1e-9
#: Decimals of a label that is written: at least; significant digits of the smallest; at most.
_DECIMALS, _DIGITS, _MOST_DECIMALS = 6, 4, 15


def learn_labels(
    program: ir.Program,
    text: ProgramText,
    observations: Iterable[Observation],
    *,
    goal: Term | None = None,
    only: Collection[str] = (),
    compiles: Callable[[Mapping[str, float]], bool],
    failures: bool = True,
    tolerance: float = 1e-9,
    iterations: int = 1000,
    limits: Limits = DEFAULT_LIMITS,
) -> Learned:
    """Maximise the likelihood of observed goals over labels and the parameters in them.

    Parameters
    ----------
    program, text : the same program, checked and as text.
    goal : what all observations are answers to; None for the most general goal of each one's
        predicate.
    only : predicates and parameters to learn; all that can be if empty.
    compiles : whether the program is sound with some parameters set so.
    failures : whether failed derivations are accounted for; without, this is plain
        expectation-maximisation, which is wrong where derivations fail (for comparison).
    tolerance : stop when an iteration gains no more than this in log-likelihood.
    limits : of each goal's search.

    Raises
    ------
    SlpError
        E280 to E288, and what a search raises.
    """
    if program.weights:
        raise faults.weights()
    seen = tally(observations)
    if not seen:
        raise faults.no_data("no goal was observed")
    labels = _Labels.of(program, text, only, compiles)
    sample = _Sample(program, seen, goal, limits, failures)
    path: list[float] = []
    converged = False
    for i in range(iterations + 1):
        flows = sample.weigh(labels)
        now = flows.log_likelihood
        if path and not now > path[-1] + tolerance:
            converged = True
            break
        path.append(now)
        kept = labels.copy()
        if i < iterations:
            labels.maximise(flows.counts(labels))
    method = "failure-adjusted maximisation" if failures else "plain expectation-maximisation"
    return kept.learned(tuple(path), converged, method)


# --- labels ------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Counts:
    """Expected counts: of clauses with a plain label, of other labels, and of losses at goals that
    choose among such."""

    clauses: dict[int, float] = field(default_factory=dict)
    labels: dict[Term, float] = field(default_factory=dict)
    losses: dict[tuple[Term, ...], float] = field(default_factory=dict)


@dataclass(eq=False)
class _Labels:
    """The labels' values. A *set* is clauses that one goal chooses among, whose labels sum to 1; it
    is learned if they are numbers of the file.

    `value` of a learned clause by its id, `set_of` the number of its set.
    """

    program: ir.Program
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
        program: ir.Program,
        text: ProgramText,
        only: Collection[str],
        compiles: Callable[[Mapping[str, float]], bool],
    ) -> _Labels:
        sets = [
            clauses
            for clauses in _sets(program.clauses)
            if len(clauses) > 1 and all(text.holds(c.span) for c in clauses)
        ]
        names = text.learnable(program.parameters)
        known = list(dict.fromkeys([*(_name(s[0]) for s in sets), *names]))
        for name in only:
            if name not in known:
                raise faults.unknown_name(name, known)
        if only:
            sets = [s for s in sets if _name(s[0]) in only]
            names = [n for n in names if n in only]
        intervals = intervals_of(names, program.parameters, compiles)
        if not sets and not intervals:
            raise faults.nothing_to_learn("no label of the file can change by itself")
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

    def copy(self) -> _Labels:
        """The values as they are now."""
        return replace(self, value=dict(self.value))

    def __call__(self, outcome: Outcome) -> float:
        """The probability of an outcome."""
        value = self.value.get(id(outcome.clause))
        if value is None:
            value = float(evaluate(outcome.label, self.parameters, span=outcome.label.span))
        return value

    def maximise(self, counts: _Counts) -> None:
        """The labels that make the expected counts most likely."""
        for clauses in self.sets:
            psi = [counts.clauses.get(id(c), 0.0) for c in clauses]
            total = math.fsum(psi)
            if total > 0:
                for clause, count in zip(clauses, psi, strict=True):
                    self.value[id(clause)] = count / total
        if self.intervals:
            self._climb(counts)

    def _climb(self, counts: _Counts) -> None:
        expected = _ExpectedLikelihood(self, counts)
        start = [interval.to_free(self.free[n]) for n, interval in self.intervals.items()]
        path, _ = climb(expected, start, iterations=50, tolerance=1e-12)
        self.free = self.free_at(path[-1].point)
        self.parameters = self.parameters_at(self.free)

    def free_at(self, u: NDArray[np.float64]) -> dict[str, float]:
        """Values of the parameters that are learned, at coordinates."""
        pairs = zip(self.intervals.items(), u.tolist(), strict=True)
        return {name: interval.to_value(x) for (name, interval), x in pairs}

    def parameters_at(self, values: Mapping[str, float]) -> dict[str, float]:
        """All parameters, where those that are learned have these values."""
        if any(self.text.is_computed(name) for name in self.parameters):
            return self.text.parameters(values)
        return {**self.parameters, **values}

    def learned(self, path: tuple[float, ...], converged: bool, method: str) -> Learned:
        """The program with these labels written into it."""
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

    labels: _Labels
    counts: _Counts

    def value(self, u: NDArray[np.float64]) -> float:
        """See the module's docstring."""
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
        """By differences."""
        return slope(self.value, u)


def _written_labels(values: Sequence[float]) -> list[float]:
    """Labels with a few decimals that sum to 1 still: the largest takes what rounding leaves."""
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
    """Clauses with numbers as labels, in sets that sum to 1: all of a predicate, or those that have
    the same ground term at some argument (as the checker asks of them, E130)."""
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


# --- observations ------------------------------------------------------------------------------


@dataclass(eq=False)
class _Flows:
    """A sample weighed: of each observation its count and its graph's flow; of each goal that they
    are answers to, how many there are."""

    seen: list[tuple[float, ChoiceGraph, Flow]]
    goals: list[tuple[float, ChoiceGraph, Flow]]

    @property
    def log_likelihood(self) -> float:
        """Sum of log mass(y) - log Z."""
        return math.fsum(
            [n * math.log(flow.success) for n, _, flow in self.seen]
            + [-n * math.log(flow.success) for n, _, flow in self.goals]
        )

    def counts(self, labels: _Labels) -> _Counts:
        """Expected counts of clauses and losses."""
        out = _Counts()
        for n, graph, flow in self.seen:
            _add(out, graph, labels, n / flow.success * flow.succeeding)
        for n, graph, flow in self.goals:
            # n (1/Z - 1) times E[. | failed] = n / Z times the sum over failed derivations
            _add(out, graph, labels, n / flow.success * flow.failing)
            for found, lost in zip(graph.exits, n / flow.success * flow.lost, strict=True):
                _add_loss(out, [graph.outcomes[i] for i in found], labels, float(lost))
        return out


def _add(out: _Counts, graph: ChoiceGraph, labels: _Labels, psi: NDArray[np.float64]) -> None:
    for outcome, count in zip(graph.outcomes, psi.tolist(), strict=True):
        if id(outcome.clause) in labels.value:
            out.clauses[id(outcome.clause)] = out.clauses.get(id(outcome.clause), 0.0) + count
        else:
            out.labels[outcome.label] = out.labels.get(outcome.label, 0.0) + count


def _add_loss(out: _Counts, matching: list[Outcome], labels: _Labels, lost: float) -> None:
    """Losses at a goal: the clauses of the set that do not match, by their labels."""
    number = labels.set_of.get(id(matching[0].clause))
    if number is None:
        key = tuple(outcome.label for outcome in matching)
        out.losses[key] = out.losses.get(key, 0.0) + lost
        return
    taken = {id(outcome.clause) for outcome in matching}
    others = [id(c) for c in labels.sets[number] if id(c) not in taken]
    total = math.fsum(labels.value[c] for c in others)
    for c in others if total > 0 else ():
        out.clauses[c] = out.clauses.get(c, 0.0) + lost * labels.value[c] / total


class _Sample:
    """Observed goals and what they are answers to, each with its graph."""

    def __init__(
        self,
        program: ir.Program,
        seen: list[Observation],
        goal: Term | None,
        limits: Limits,
        failures: bool,
    ) -> None:
        self._database = Database(program.clauses, program.parameters)
        self._limits, self._failures = limits, failures
        self._seen = [(o, self._graph(o.goal)) for o in seen]
        counts: dict[Term, float] = {}
        for o in seen:
            general = most_general(o, program) if goal is None else goal
            if not is_instance(o.goal, general):
                raise faults.not_an_answer(term_to_text(general), o.span)
            counts[general] = counts.get(general, 0.0) + o.count
        self._goals = [(g, n, self._graph(g)) for g, n in counts.items()]

    def _graph(self, goal: Term) -> ChoiceGraph:
        term, first = numbered(goal)
        return ChoiceGraph(
            self._database, Goal(term, 0, 0, goal.span, END), first, Meter(self._limits)
        )

    def weigh(self, labels: _Labels) -> _Flows:
        """All graphs under these labels."""
        self._database.parameters.update(labels.parameters)
        seen = [(o, graph, self._proofs_of(o, graph, labels)) for o, graph in self._seen]
        missing = [o for o, _, flow in seen if flow.success == 0]
        if missing:
            raise faults.impossible(missing[0].span, len(missing))
        goals = []
        if self._failures:
            goals = [(n, graph, _all_of(g, graph, labels)) for g, n, graph in self._goals]
        return _Flows([(o.count, graph, flow) for o, graph, flow in seen], goals)

    def _proofs_of(self, o: Observation, graph: ChoiceGraph, labels: _Labels) -> Flow:
        """The proofs of an observation, what is open being little beside their mass."""
        flow = graph.weigh(labels, _NEGLIGIBLE, of_success=True)
        if flow.waiting > _NEGLIGIBLE * flow.success and flow.success > 0:
            raise _cut_off(o.goal, graph, flow)
        return flow


def _all_of(goal: Term, graph: ChoiceGraph, labels: _Labels) -> Flow:
    """All derivations of a goal, those that fail included."""
    flow = graph.weigh(labels, _NEGLIGIBLE)
    if graph.branches:
        raise faults.several_solutions(term_to_text(goal))
    if flow.open > _NEGLIGIBLE:
        raise _cut_off(goal, graph, flow)
    return flow


def _cut_off(goal: Term, graph: ChoiceGraph, flow: Flow) -> SlpError:
    why = "some derivations never end" if graph.stopped is None else graph.stopped.message
    return faults.open_mass(term_to_text(goal), max(flow.open, flow.waiting), why)
