"""Learning labels from observed goals: failure-adjusted maximisation.

The model is this. Let G be a goal: the predicate of the observations with free arguments.
Derivations of G are drawn with the probabilities of the labels until one succeeds, and its answer
is observed. Let mass(y) be the sum of the masses of the proofs of y, and Z the sum over all proofs
of G. Then

    log-likelihood = sum over observations of  log mass(y) - log Z

This is maximised by expectation-maximisation. The hidden data are the derivations, including those
that failed before each success (1/Z - 1 on average). Let n be the number of observations. The
expected number of uses of clause c is

    psi(c) = sum over observations of E[c | proof of y]
             + n (1/Z - 1) E[c | failed derivation of G]

For each set of clauses that one goal chooses among, the labels that maximise the expected
log-likelihood are

    label(c) = psi(c) / sum of psi over the set

(Cussens, "Parameter Estimation in Stochastic Logic Programs", Machine Learning 44, 2001: the FAM
algorithm). If a derivation is lost at a goal because the label sum of the matching clauses is below
1, the clauses of the set that do not match count as used, in proportion to their labels.

Labels that are expressions of parameters have no such formula. Their parameters maximise
numerically

    sum of psi log label  +  sum over goals of (expected number of losses) log (1 - sum of labels)

No iteration decreases the log-likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.budgets import check_time
from slp.errors import BudgetError, ProgramError, SlpError, UsageError
from slp.ir import program as ir
from slp.learn import faults
from slp.learn.expected_counts import Counts, Labels
from slp.learn.free_calls import FreeRuns
from slp.learn.goals import Observation, is_instance, most_general, numbered, tally
from slp.learn.result import Learned
from slp.learn.text import ProgramText
from slp.messages import learning as words
from slp.resolution import DEFAULT_LIMITS, Database, Limits
from slp.resolution.machine.clauses import PreparedPredicate
from slp.resolution.machine.loop import END, Goal, Meter
from slp.resolution.proofs.flow import BranchesError, Flow, TooSmallError
from slp.resolution.proofs.graph import ChoiceGraph, Outcome
from slp.resolution.proofs.masses import mass_text
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Term, functor

#: Largest open mass of a sum, relative to the sum.
_NEGLIGIBLE = 1e-9
#: Largest open mass, relative to the sum, where only the clauses that compete are looked for.
_ENOUGH_TO_SEE = 0.1


def learn_labels(
    program: ir.CheckedProgram,
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
    progress: Callable[[int, str], None] | None = None,
) -> Learned:
    """Maximise the likelihood of observed goals over labels and the parameters in them.

    Parameters
    ----------
    program, text : the same program, checked and as text.
    goal : the goal that all observations are answers to; None for the most general goal of each
        observation's predicate.
    only : predicates and parameters to learn; if empty, all that can be learned.
    compiles : whether the program is sound with given values of some parameters.
    failures : whether failed derivations are accounted for. If not, this is plain
        expectation-maximisation, which is wrong if derivations can fail (for comparison).
    tolerance : stop when an iteration gains no more than this in log-likelihood, times the mass of
        success: where success is rare, iterations are small.
    limits : limits of each goal's search.
    progress : called with the number of iterations done: each sums over all proofs once.

    The budgets that are held (`slp.budgets`) and Ctrl-C end the iterations. The result is that of
    the last one; without one the error is raised.

    Raises
    ------
    SlpError
        E280 to E288, and the errors of a search.
    """
    if program.weights:
        raise SlpError(words.WEIGHTS_NOT_LEARNED())
    seen = tally(observations)
    if not seen:
        raise UsageError(words.NO_GOAL())
    asked = [(o, most_general(o, program) if goal is None else goal) for o in seen]
    labels = Labels.of(program, text, only, compiles, [o.goal for o in seen])
    sample = _Sample(program, asked, limits, failures)
    path: list[float] = []
    converged = False
    ended: BudgetError | KeyboardInterrupt | None = None
    try:
        for i in range(iterations + 1):
            flows = sample.weigh(labels)
            if i == 0 and (failures or labels.has_several_groupings):
                labels.group(sample.exits(labels), strict=failures)
            now = flows.log_likelihood
            if path and not now > path[-1] + tolerance * flows.least_success:
                converged = True
                break
            kept = labels.copy()
            path.append(now)
            if progress is not None:
                progress(i, "learning")
            if i < iterations:
                labels.maximise(flows.counts(labels))
    except (BudgetError, KeyboardInterrupt) as e:
        if not path:
            raise
        ended = e
    method = "failure-adjusted maximisation" if failures else "plain expectation-maximisation"
    learned = kept.learned(tuple(path), converged, method)
    return learned.ended_by(ended)


@dataclass(eq=False)
class _Flows:
    """The sample under given labels: the count and the flow of each observation's graph, and for
    each goal the number of observations that are its answers."""

    seen: list[tuple[float, ChoiceGraph, Flow]]
    goals: list[tuple[float, ChoiceGraph, Flow]]

    @property
    def log_likelihood(self) -> float:
        """Sum of log mass(y) - log Z."""
        return math.fsum(
            [n * flow.success.log for n, _, flow in self.seen]
            + [-n * flow.success.log for n, _, flow in self.goals]
        )

    @property
    def least_success(self) -> float:
        """The least Z, 1 without failures. An iteration may make only this share of a step: the
        rest of the expected counts are those of failures under the present labels."""
        return min([float(flow.success) for _, _, flow in self.goals], default=1.0)

    def counts(self, labels: Labels) -> Counts:
        """Expected counts of clauses and losses."""
        out = Counts()
        for n, graph, flow in self.seen:
            _add(out, graph, labels, n * flow.succeeding)
        for n, graph, flow in self.goals:
            # n (1/Z - 1) times E[. | failed] equals n / Z times the sum over failed derivations;
            # the flow is already divided by Z.
            _add(out, graph, labels, n * flow.failing)
            for found, lost in zip(graph.exits, n * flow.lost, strict=True):
                _add_loss(out, [graph.outcomes[i] for i in found], labels, float(lost))
        return out


def _add(out: Counts, graph: ChoiceGraph, labels: Labels, psi: NDArray[np.float64]) -> None:
    for outcome, count in zip(graph.outcomes, psi.tolist(), strict=True):
        if id(outcome.clause) in labels.value:
            out.clauses[id(outcome.clause)] = out.clauses.get(id(outcome.clause), 0.0) + count
        else:
            out.labels[outcome.label] = out.labels.get(outcome.label, 0.0) + count


def _add_loss(out: Counts, matching: list[Outcome], labels: Labels, lost: float) -> None:
    """Add the losses at a goal to the clauses of the set that do not match, in proportion to their
    labels."""
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
    """Observed goals and the goals that they are answers to, each with its graph."""

    def __init__(
        self,
        program: ir.CheckedProgram,
        asked: list[tuple[Observation, Term]],
        limits: Limits,
        failures: bool,
    ) -> None:
        self._database = Database(program.clauses, program.parameters)
        self._limits, self._failures = limits, failures
        self._seen: list[tuple[Observation, ChoiceGraph]] = []
        counts: dict[Term, float] = {}
        for o, general in asked:
            if not is_instance(o.goal, general):
                raise ProgramError(words.NOT_AN_INSTANCE(o.span, goal=term_to_text(general)))
            counts[general] = counts.get(general, 0.0) + o.count
            self._seen.append((o, self._graph_of(o, general)))
        self._goals = [(g, n, self._graph(g)) for g, n in counts.items()]

    def _graph(self, goal: Term, companion: FreeRuns | None = None) -> ChoiceGraph:
        term, first = numbered(goal)
        start = Goal(term, 0, 0, goal.span, END)
        return ChoiceGraph(self._database, start, first, Meter(self._limits), companion)

    def _graph_of(self, o: Observation, general: Term) -> ChoiceGraph:
        """The graph of an observation, whose calls are compared with those of the goal that it
        answers."""
        free, first = numbered(general)
        seen, first = numbered(o.goal, first)
        companion = FreeRuns.of(self._database, free, seen, first, self._limits, o.span)
        return self._graph(o.goal, companion)

    def weigh(self, labels: Labels) -> _Flows:
        """The flows of all graphs under these labels."""
        self._database.parameters.update(labels.parameters)
        seen = [(o, graph, self._proofs_of(o, graph, labels)) for o, graph in self._seen]
        missing = [o for o, _, flow in seen if not flow.success]
        if missing:
            span, others = missing[0].span, len(missing) - 1
            raise ProgramError(
                words.NO_PROOFS(span, others=others) if others else words.NO_PROOF(span)
            )
        goals = []
        if self._failures:
            goals = [(n, graph, _all_of(g, graph, labels)) for g, n, graph in self._goals]
        return _Flows([(o.count, graph, flow) for o, graph, flow in seen], goals)

    def exits(self, labels: Labels) -> list[list[ir.LogicClause]]:
        """The clauses that match each stochastic goal below the goals with free arguments, which
        tell what labels compete. Without failures only a part is looked at."""
        for _, _, graph in () if self._failures else self._goals:
            # The goal itself need not have a finite sum, nor any: its exits up to there are known.
            with suppress(BranchesError, TooSmallError, ProgramError):
                graph.weigh(labels, _ENOUGH_TO_SEE, of_success=True)
        graphs = [graph for _, _, graph in self._goals]
        return [[g.outcomes[i].clause for i in found] for g in graphs for found in g.exits]

    def _proofs_of(self, o: Observation, graph: ChoiceGraph, labels: Labels) -> Flow:
        """Proofs of an observation. Little mass is open relative to theirs."""
        check_time("while the proofs of observations were summed")
        try:
            flow = graph.weigh(labels, _NEGLIGIBLE, of_success=True)
        except BranchesError:
            goal = term_to_text(o.goal)
            raise SlpError(words.SEVERAL_SOLUTIONS_IN_A_LOOP(o.span, goal=goal)) from None
        except TooSmallError:
            raise SlpError(words.TOO_SMALL(o.span, goal=term_to_text(o.goal))) from None
        if flow.success and flow.waiting > flow.success.times(_NEGLIGIBLE):
            raise _cut_off(o.goal, graph, flow)
        return flow


def _all_of(goal: Term, graph: ChoiceGraph, labels: Labels) -> Flow:
    """The flow of all derivations of a goal, including those that fail."""
    try:
        flow = graph.weigh(labels, _NEGLIGIBLE)
    except BranchesError:
        behind = None if graph.behind is None else _place(graph.behind)
        reached = [_place(g) for g in graph.reached]
        raise faults.several_solutions(
            term_to_text(goal), reached, behind, _first_clause(goal, graph)
        ) from None
    except TooSmallError:
        raise SlpError(words.TOO_SMALL(goal=term_to_text(goal))) from None
    if flow.open > flow.success.times(_NEGLIGIBLE):
        raise _cut_off(goal, graph, flow)
    if not (np.isfinite(flow.failing).all() and np.isfinite(flow.lost).all()):
        raise SlpError(words.TOO_SMALL(goal=term_to_text(goal)))
    return flow


def _place(goal: Goal) -> tuple[str, SourceSpan | None]:
    assert not callable(goal.term)
    return term_to_text(goal.term), goal.span


def _first_clause(goal: Term, graph: ChoiceGraph) -> SourceSpan | None:
    key = functor(goal)
    own = None if key is None else graph.database.definitions.get(key)
    return own.clauses[0].source.span if isinstance(own, PreparedPredicate) else None


def _cut_off(goal: Term, graph: ChoiceGraph, flow: Flow) -> SlpError:
    text, mass = term_to_text(goal), mass_text(max(flow.open, flow.waiting).log)
    if graph.stopped is None:
        return SlpError(words.ENDLESS_MASS(goal=text, mass=mass))
    return SlpError(words.OPEN_MASS(goal=text, mass=mass, reason=graph.stopped.message))
