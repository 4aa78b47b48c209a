"""Observed goals and the goals that they are answers to, with the sums over their proofs: by tables
where these can be built, else by the search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slp.errors import ProgramError
from slp.ir import program as ir
from slp.learn.expected_counts import Counts
from slp.learn.free_calls import FreeRuns
from slp.learn.goals import Observation, numbered
from slp.learn.label_values import Labels
from slp.learn.pure_goals import Kind, kind_of_program
from slp.learn.searched import SearchedSums
from slp.learn.sums import ProofSums, Weighed
from slp.learn.tabled import (
    NoTablesError,
    answers_by_tables,
    check_free_goal,
    derivations_by_tables,
    proofs_by_tables,
)
from slp.messages import learning as words
from slp.resolution import Database, Limits
from slp.resolution.machine.loop import END, Goal, Meter
from slp.resolution.proofs.graph import ChoiceGraph
from slp.syntax import term_to_text
from slp.terms import Term


@dataclass(frozen=True, eq=False)
class _Observed:
    """Some observations that are answers to `general`, and their sums: of their own proofs, or of
    those of the answers to `general`."""

    general: Term
    observations: Sequence[Observation]
    sums: ProofSums
    of_answers: bool = False

    @property
    def counts(self) -> np.ndarray:
        return np.array([o.count for o in self.observations])


@dataclass(eq=False)
class _General:
    """A goal with `count` observations that are its answers, and its sums; None without
    failures."""

    goal: Term
    count: float
    sums: ProofSums | None


@dataclass(frozen=True, eq=False)
class WeighedSample:
    """The sample under given labels: observations with their sums, and the goals that they are
    answers to."""

    seen: Sequence[tuple[_Observed, Weighed]]
    goals: Sequence[tuple[float, ProofSums, Weighed]]

    @property
    def log_likelihood(self) -> float:
        """Sum of log mass(y) - log Z."""
        return math.fsum(
            [
                o.count * mass.log
                for seen, weighed in self.seen
                for o, mass in zip(seen.observations, weighed.success, strict=True)
            ]
            + [-n * weighed.success[0].log for n, _, weighed in self.goals]
        )

    @property
    def least_success(self) -> float:
        """The least Z, 1 without failures. An iteration may make only this share of a step: the
        rest of the expected counts are those of failures under the present labels."""
        return min([float(weighed.success[0]) for _, _, weighed in self.goals], default=1.0)

    def counts(self, labels: Labels) -> Counts:
        """Expected counts of clauses and losses."""
        out = Counts()
        for seen, weighed in self.seen:
            out.add(seen.sums.outcomes, labels, weighed.succeeding(seen.counts))
        for n, sums, weighed in self.goals:
            # n (1/Z - 1) times E[. | failed] equals n / Z times the sum over failed derivations;
            # failing is already divided by Z.
            taken, lost = weighed.failing()
            out.add(sums.outcomes, labels, n * taken)
            for found, mass in zip(sums.exits, n * lost, strict=True):
                out.add_loss([sums.outcomes[i] for i in found], labels, float(mass))
        return out

    def net_counts(self, labels: Labels) -> Counts:
        """Expected counts of clauses in the proofs of the observations, less those in as many
        derivations of their goals that succeed: the derivatives of the log-likelihood by the
        logarithms of labels."""
        out = Counts()
        for seen, weighed in self.seen:
            out.add(seen.sums.outcomes, labels, weighed.succeeding(seen.counts))
        for n, sums, weighed in self.goals:
            out.add(sums.outcomes, labels, -weighed.succeeding(np.array([n])))
        return out


class Sample:
    """The sample. `given` is the condition that stands in its goals, None for none. `notes` say
    what is summed by the search, and why."""

    def __init__(
        self,
        program: ir.CheckedProgram,
        asked: Sequence[tuple[Observation, Term]],
        limits: Limits,
        failures: bool,
        given: Term | None = None,
    ) -> None:
        self._program, self._limits, self._given = program, limits, given
        self._database = Database(program.clauses, program.parameters)
        self._order = {id(o): i for i, (o, _) in enumerate(asked)}
        self.notes: tuple[str, ...] = ()
        answers: dict[Term, list[Observation]] = {}
        for o, general in asked:
            answers.setdefault(general, []).append(o)
        self._goals = [
            _General(g, sum(o.count for o in own), self._derivations(g) if failures else None)
            for g, own in answers.items()
        ]
        self._seen = [
            seen
            for general, own in zip(self._goals, answers.values(), strict=True)
            for seen in self._proofs(general, own)
        ]

    # --- tables, or the search -------------------------------------------------------------------

    def _derivations(self, goal: Term) -> ProofSums:
        """The sums of a goal that observations are answers to."""
        try:
            return derivations_by_tables(self._program, goal, self._limits)
        except NoTablesError as e:
            return self._searched_derivations(goal, str(e))

    def _searched_derivations(self, goal: Term, why: str) -> ProofSums:
        self._note(f"the derivations of `{term_to_text(goal)}`", why)
        return SearchedSums(goal, self._graph(goal, None), True)

    def _proofs(self, general: _General, observations: list[Observation]) -> list[_Observed]:
        """The sums of observations."""
        kind = kind_of_program(general.goal, self._database.definitions)
        goals = [o.goal for o in observations]
        try:
            if kind is Kind.OTHER:
                sums = answers_by_tables(self._program, goals, general.goal, self._limits)
                return [_Observed(general.goal, observations, sums, of_answers=True)]
            if kind is Kind.ERROR_OR_PURE and isinstance(general.sums, SearchedSums | None):
                check_free_goal(self._program, general.goal, self._limits)
            sums = proofs_by_tables(self._program, goals, self._limits)
            return [_Observed(general.goal, observations, sums)]
        except NoTablesError as e:
            return self._searched_proofs(general.goal, observations, str(e))

    def _searched_proofs(
        self, general: Term, observations: Sequence[Observation], why: str
    ) -> list[_Observed]:
        self._note(f"the observed answers to `{term_to_text(general)}`", why)
        return [_Observed(general, [o], self._searched(o, general)) for o in observations]

    def _searched(self, o: Observation, general: Term) -> SearchedSums:
        """The sums of an observation, whose calls are compared with those of the goal that it
        answers."""
        free, first = numbered(general)
        seen, first = numbered(o.goal, first)
        companion = FreeRuns.of(self._database, free, seen, first, self._limits, o.span)
        return SearchedSums(o.goal, self._graph(o.goal, companion), False, o.span)

    def _graph(self, goal: Term, companion: FreeRuns | None) -> ChoiceGraph:
        term, first = numbered(goal)
        start = Goal(term, 0, 0, goal.span, END)
        return ChoiceGraph(self._database, start, first, Meter(self._limits), companion)

    def _note(self, what: str, why: str) -> None:
        self.notes = (*self.notes, f"{what} are summed by the search, not by tables: {why}")

    # --- sums ------------------------------------------------------------------------------------

    def weigh(self, labels: Labels) -> WeighedSample:
        """The sums under these labels."""
        self._database.parameters.update(labels.parameters)
        seen: list[tuple[_Observed, Weighed]] = []
        todo = list(reversed(self._seen))
        while todo:
            part = todo.pop()
            try:
                seen.append((part, part.sums.weigh(labels)))
            except NoTablesError as e:
                todo += reversed(self._searched_proofs(part.general, part.observations, str(e)))
        self._seen = [part for part, _ in seen]
        self._check_proofs(seen)
        goals = []
        for general in self._goals:
            if general.sums is not None:
                try:
                    weighed = general.sums.weigh(labels)
                except NoTablesError as e:
                    general.sums = self._searched_derivations(general.goal, str(e))
                    weighed = general.sums.weigh(labels)
                goals.append((general.count, general.sums, weighed))
        return WeighedSample(seen, goals)

    def _check_proofs(self, seen: Sequence[tuple[_Observed, Weighed]]) -> None:
        """E282 if an observation has no proof."""
        missing = [
            (self._order[id(o)], o, part)
            for part, weighed in seen
            for o, mass in zip(part.observations, weighed.success, strict=True)
            if not mass
        ]
        if missing:
            _, o, part = min(missing, key=lambda one: one[0])
            others = len(missing) - 1
            if part.of_answers:
                goal = term_to_text(part.general)
                raise ProgramError(words.NO_ANSWER(o.span, goal=goal))
            if self._given is not None:
                given = term_to_text(self._given)
                raise ProgramError(words.NO_PROOF_UNDER_CONDITION(o.span, given=given))
            raise ProgramError(
                words.NO_PROOFS(o.span, others=others) if others else words.NO_PROOF(o.span)
            )

    def exits(self, labels: Labels) -> list[list[ir.LogicClause]]:
        """The clauses that match each stochastic goal below the goals with free arguments, which
        tell what labels compete. Without failures only a part is looked at."""
        found = []
        for general in self._goals:
            sums = general.sums
            if sums is None:
                sums = SearchedSums(general.goal, self._graph(general.goal, None), True)
                sums.look(labels)
            found += [[sums.outcomes[i].clause for i in own] for own in sums.exits]
        return found
