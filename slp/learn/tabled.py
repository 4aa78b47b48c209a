"""Sums over the proofs of goals by tables of calls (`slp.resolution.tables`), which are built once.

Many observations share one hypergraph: each is the body of a logical clause `seen(i)`, and what is
asked is `seen(I)`. Then a call that several observations make has one table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from slp.budgets import check_time
from slp.errors import ProgramError, SlpError
from slp.ir import program as ir
from slp.learn.goals import bindings, numbered
from slp.learn.sums import Numbers
from slp.messages import learning as words
from slp.resolution import Limits
from slp.resolution.machine.store import Store
from slp.resolution.proofs.choices import Outcome
from slp.resolution.proofs.masses import Mass, total
from slp.resolution.proofs.query import Query
from slp.resolution.tables.build import hypergraph_of_query
from slp.resolution.tables.hypergraph import Hypergraph
from slp.resolution.tables.solved import Weighing, solver
from slp.syntax import term_to_text
from slp.terms import Number, Struct, Term, Var, substitute, variables

#: The predicate of observations; no program has this name.
_SEEN = "\0seen"

#: Tables may take these shares of the inferences that a search may take for each goal. Where they
#: have no end, so much is lost before the search begins. Answers to a goal with free arguments
#: often have none.
_SHARE_OF_OBSERVATION, _SHARE_OF_GOAL = 1 / 4, 1 / 20

#: What sums lack of 1 by rounding.
_ROUNDING = 1e-12

#: Largest mass of derivations that never end, relative to that of success.
_NEGLIGIBLE = 1e-9


class NoTablesError(Exception):
    """Tables do not tell the sums; the argument says why."""


@dataclass(frozen=True, eq=False)
class TabledSums:
    """The sums of some goals on one hypergraph (see `slp.learn.sums`). `roots` are the variables of
    the answers to each. `failing`: the goal whose failed derivations are asked for, None for no
    goal."""

    graph: Hypergraph
    roots: Sequence[Sequence[int]]
    failing: Term | None
    weighing: Weighing

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """See `ProofSums`."""
        assert self.graph.labels is not None
        return self.graph.labels.outcomes

    @property
    def exits(self) -> Sequence[tuple[int, ...]]:
        """See `ProofSums`."""
        assert self.graph.labels is not None
        return self.graph.labels.exits

    def weigh(self, value: Callable[[Outcome], float]) -> TabledMasses:
        """See `ProofSums`.

        Raises
        ------
        NoTablesError
            Masses are not finite, or something fails that could not fail when tables were built.
        """
        check_time("while the proofs of observations were summed")
        values = [value(outcome) for outcome in self.outcomes]
        lost = [1 - math.fsum(values[i] for i in members) for members in self.exits]
        lost = [x if x > _ROUNDING else 0.0 for x in lost]
        if self.failing is not None:
            self._check_losses(lost)
        failure = () if self.graph.failure is None else (self.graph.failure,)
        asked = [*(i for own in self.roots for i in own), *failure]
        found = self.weighing.weigh(np.array([*values, *lost], np.float64), asked)
        if found is None:
            raise NoTablesError("the masses of calls are not finite")
        out = TabledMasses(self, dict(zip(asked, found, strict=True)))
        if self.failing is not None:
            self._check_ends(self.failing, out)
        return out

    def _check_ends(self, goal: Term, found: TabledMasses) -> None:
        """Whether each derivation succeeds or fails; E283 if some never end."""
        success = float(found.success[0])
        if success * _NEGLIGIBLE < _ROUNDING:
            raise NoTablesError("success is so rare that rounding may hide derivations without end")
        failure = self.graph.failure
        left = 1 - success - (0.0 if failure is None else float(found.masses[failure]))
        if left > success * _NEGLIGIBLE:
            text, mass = term_to_text(goal), f"{left:.6g}"
            raise SlpError(words.ENDLESS_MASS(goal=text, mass=mass))

    def _check_losses(self, lost: Sequence[float]) -> None:
        """Whether the equations of failure have all that is lost."""
        assert self.graph.labels is not None
        first = len(self.outcomes)
        for i, x in enumerate(lost):
            if x > 0 and not (self.graph.labels.number == first + i).any():
                raise NoTablesError("labels sum to less than 1, as they did not before")


@dataclass(frozen=True, eq=False)
class TabledMasses:
    """See `slp.learn.sums.Weighed`. `masses` are those of the roots, and of failure."""

    sums: TabledSums
    masses: Mapping[int, Mass]

    @property
    def success(self) -> Sequence[Mass]:
        """See `Weighed`."""
        return [total(self.masses[i] for i in own) for own in self.sums.roots]

    def succeeding(self, weights: Numbers) -> Numbers:
        """See `Weighed`."""
        shares: dict[int, float] = {}
        for own, whole, weight in zip(self.sums.roots, self.success, weights.tolist(), strict=True):
            for i in own if whole else ():
                share = float(self.masses[i].over(whole))
                shares[i] = shares.get(i, 0.0) + weight * share
        return self._uses(shares)[: len(self.sums.outcomes)]

    def failing(self) -> tuple[Numbers, Numbers]:
        """See `Weighed`."""
        failure, (whole,) = self.sums.graph.failure, self.success
        n = len(self.sums.outcomes)
        if failure is None or not self.masses[failure]:
            return np.zeros(n), np.zeros(len(self.sums.exits))
        uses = self._uses({failure: float(self.masses[failure].over(whole))})
        return uses[:n], uses[n:]

    def _uses(self, roots: Mapping[int, float]) -> Numbers:
        uses = self.sums.weighing.expected_uses(roots)
        if uses is None or not np.isfinite(uses).all():
            goal = self.sums.failing
            text = "the observations" if goal is None else f"`{term_to_text(goal)}`"
            raise SlpError(words.ENDLESS_USES(goals=text))
        return uses


def proofs_by_tables(
    program: ir.CheckedProgram, goals: Sequence[Term], limits: Limits
) -> TabledSums:
    """The sums over the proofs of each goal.

    Raises
    ------
    NoTablesError
        Tables cannot be built: a limit, or a fault at a goal that a search need not meet.
    """
    seen = [ir.LogicClause(Struct(_SEEN, (Number(i),)), goal, None) for i, goal in enumerate(goals)]
    with_goals = replace(program, clauses=(*program.clauses, *seen))
    share = _SHARE_OF_OBSERVATION * len(goals)
    graph = _built(Query(with_goals, Struct(_SEEN, (Var("I"),))), limits, share)
    answers: dict[Term, int] = {graph.variables[i].terms[0]: i for i in graph.answers}
    roots = [[i] if (i := answers.get(Number(k))) is not None else [] for k in range(len(goals))]
    return TabledSums(graph, roots, None, solver().weighing(graph))


def answers_by_tables(
    program: ir.CheckedProgram, goals: Sequence[Term], general: Term, limits: Limits
) -> TabledSums:
    """The sums over the proofs of `general` whose answers are instances of each goal, which may
    differ from those of the goal itself: a call may tell bound arguments from free ones.

    Raises
    ------
    NoTablesError
        As for proofs, or an answer is more general than a goal.
    """
    # Variables whose names begin with `_` would not be told apart.
    named = {v: Var(f"A{i}") for i, v in enumerate(dict.fromkeys(variables(general)))}
    asked = substitute(general, named)
    graph = _built(Query(program, asked), limits, _SHARE_OF_GOAL)
    answers = []
    for i in graph.answers:
        values = dict(zip(named.values(), graph.variables[i].terms, strict=True))
        answers.append((i, numbered(substitute(asked, values))[0]))
    roots = []
    for goal in goals:
        apart, first = numbered(goal)
        own = [i for i, answer in answers if bindings(answer, apart) is not None]
        taken = set(own)
        for i, answer in answers:
            if i not in taken and Store(2 * first).unify(apart, numbered(answer, first)[0]):
                raise NoTablesError("an answer is more general than an observation")
        roots.append(own)
    return TabledSums(graph, roots, None, solver().weighing(graph))


def derivations_by_tables(program: ir.CheckedProgram, goal: Term, limits: Limits) -> TabledSums:
    """The sums over all derivations of a goal, including those that fail.

    Raises
    ------
    NoTablesError
        As for proofs, or logical goals have several solutions.
    """
    graph = _built(Query(program, goal), limits, _SHARE_OF_GOAL)
    if graph.branches:
        raise NoTablesError("logical goals have several solutions")
    return TabledSums(graph, [graph.answers], goal, solver().weighing(graph))


def check_free_goal(program: ir.CheckedProgram, goal: Term, limits: Limits) -> None:
    """With all tables of a goal, no call below it is an error where its arguments are free.

    Raises
    ------
    NoTablesError
        As for proofs.
    """
    _built(Query(program, goal), limits, _SHARE_OF_GOAL)


def _built(query: Query, limits: Limits, share: float) -> Hypergraph:
    most = max(1, math.ceil(limits.inferences * share))
    try:
        return hypergraph_of_query(query, replace(limits, inferences=most))
    except ProgramError as e:
        raise NoTablesError(e.diagnostics[0].message) from None
