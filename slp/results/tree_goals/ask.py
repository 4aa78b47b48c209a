"""A goal asked of a posterior: of all its trees where they are few, else of draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from slp.errors import BudgetError, UsageError
from slp.messages.decisions import NO_PATHS_OF_SOFT
from slp.messages.names import plural
from slp.messages.sums import NOT_OF_SUMS
from slp.resolution import values_of
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.no_posterior import no_posterior
from slp.results.averages.sums import Sums
from slp.results.estimate import Kind
from slp.results.record.result import Result
from slp.results.record.run import Logic
from slp.results.tree_goals.answers import Probability, Source, TreeAnswer, TreeAnswers
from slp.results.tree_goals.by_sums import BySums
from slp.results.tree_goals.goal import GoalAboutTrees, Values
from slp.trees import Tree

#: The most trees that are all asked.
MOST_TREES = 1000
#: Boxes for each of these trees up to which trees are counted.
_BOXES_OF_A_TREE = 10
#: Answers whose errors are computed together.
_AT_A_TIME = 256


@dataclass(frozen=True)
class Asked:
    """What one distribution says: the probability of each answer, and that of any; by sums also
    of answers that no tree may give, as what the sums lost may be all (`lost`)."""

    answers: Mapping[Values, Probability]
    holds: Probability
    source: Source
    lost: Mapping[Values, Probability] = field(default_factory=dict)

    def of(self, values: Values) -> Probability:
        """The probability of an answer, 0 of one that no tree gives."""
        none = 0.0 if self.source.kind == "exact" else math.nan
        kind: Kind = self.source.kind or "exact"
        absent = Probability(0.0, none, kind)
        return self.answers.get(values, self.lost.get(values, absent))


class GoalsOfTrees:
    """Asks distributions over trees; `draws` independent draws of sums over many trees. The trees
    of sums are listed, or drawn, once."""

    def __init__(self, logic: Logic, draws: int) -> None:
        self._logic, self._draws = logic, draws
        self._listed: dict[Result, _AllTrees] = {}
        self._drawn: dict[Result, DrawnTrees] = {}
        self._summed: dict[Result, BySums] = {}

    def asked(self, text: str, result: Result) -> Asked:
        """What a distribution says of a goal.

        Raises
        ------
        UsageError
            E530: nothing was drawn. E566: trees are soft.
        ProgramError
            A fault in the goal.
        """
        return self._asked(self._goal(text, result), result)

    def answers(self, text: str, result: Result, prior: Result | str) -> TreeAnswers:
        """The answers of a goal, with what the prior says of them, or why that is not known.
        Raises as `asked`."""
        goal = self._goal(text, result)
        asked = self._asked(goal, result)
        if isinstance(prior, str):
            return _side_by_side(goal, asked, Source(None, f"not known: {prior}"))
        try:
            return _side_by_side(goal, asked, self.asked(text, prior))
        except BudgetError as error:
            why = error.diagnostics[0].message
            return _side_by_side(goal, asked, Source(None, f"not known: {why}"))

    def _goal(self, text: str, result: Result) -> GoalAboutTrees:
        return GoalAboutTrees(text, self._logic, result.table, result.likelihood)

    def _asked(self, goal: GoalAboutTrees, result: Result) -> Asked:
        if result.kind == "soft":
            raise UsageError(NO_PATHS_OF_SOFT())
        if result.kind == "additive":
            raise UsageError(NOT_OF_SUMS(what="goals about one tree"))
        if result.kind == "stacked":
            raise no_posterior("goals about trees")
        averages = result.averages
        if result.kind == "sums":
            if _has_few_trees(result):
                if result not in self._listed:
                    self._listed[result] = _AllTrees.of(result)
                return _of_all(result, goal, self._listed[result])
            return self._by_sums(goal, result) or self._of_independent_draws(goal, result)
        of_run = averages.drawn
        assert of_run is not None, "averages are of sums or of draws"
        return _of_draws(result, goal, of_run, _source_of_draws(result, of_run))

    def _by_sums(self, goal: GoalAboutTrees, result: Result) -> Asked | None:
        """By sums over all trees, where these tell."""
        if result not in self._summed:
            assert isinstance(result.averages, Sums)
            self._summed[result] = BySums(result, result.averages)
        found = self._summed[result].answers(goal)
        if found is None:
            return None
        told, holds = found
        lost = {values: p for values, p in told.items() if p <= p.error}
        kept = {values: p for values, p in told.items() if values not in lost}
        source = _source_of_sums(result, "sums over all trees")
        if holds is None:
            drawn = self._of_independent_draws(goal, result)
            words = f"{source.words}; of any answer {drawn.source.words}"
            return Asked(kept, drawn.holds, Source(source.kind, words), lost)
        return Asked(kept, holds, source, lost)

    def _of_independent_draws(self, goal: GoalAboutTrees, result: Result) -> Asked:
        if result not in self._drawn:
            rng = np.random.default_rng(result.seed)
            self._drawn[result], _ = result.averages.draws_of_trees(self._draws, rng)
        words = f"estimate by {plural(self._draws, 'independent draw')} of the sums"
        return _of_draws(result, goal, self._drawn[result], Source("estimate", words))


def _has_few_trees(result: Result) -> bool:
    """Whether all trees are asked. Counting them takes a pass, so it is not made where there are
    many boxes."""
    size = result.choice.size
    if size is not None and size.boxes > _BOXES_OF_A_TREE * MOST_TREES:
        return False
    count = result.tree_count()
    return count is not None and count <= MOST_TREES


def _source_of_draws(result: Result, drawn: DrawnTrees) -> Source:
    if result.trees_found is not None:
        trees = plural(result.trees_found, "tree")
        return Source("found", f"shares of the {trees} found by the engine {result.choice.engine}")
    found = result.diagnostics()
    n = sum(map(len, drawn.chains))
    told = f"estimate by {plural(n, 'draw')} of the engine {result.choice.engine}"
    if found is None or found.converged:
        return Source("estimate", told)
    why = "; ".join(found.warnings)
    return Source("estimate", f"{told}, {found.standing}: do not use these numbers; {why}", False)


def _of_draws(result: Result, goal: GoalAboutTrees, drawn: DrawnTrees, source: Source) -> Asked:
    trees = [result.shown(drawn.trees.trees[u]) for u in range(len(drawn.trees))]
    by_answer, kind = goal.by_answer(trees), source.kind or "estimate"

    def probabilities(numbers: Sequence[Sequence[int]]) -> Iterator[Probability]:
        for first in range(0, len(numbers), _AT_A_TIME):
            some = numbers[first : first + _AT_A_TIME]
            values = np.zeros((len(trees), len(some)))
            for a, own in enumerate(some):
                values[own, a] = 1.0
            for p, e in zip(*_mean_and_error(drawn, values), strict=True):
                yield Probability(p, math.nan if kind == "found" else e, kind)

    return _asked(by_answer, probabilities, source)


def _mean_and_error(
    drawn: DrawnTrees, values: NDArray[np.float64]
) -> tuple[list[float], list[float]]:
    """Of values 0 and 1 of the distinct trees, shape (U, A): the share of the draws with 1 and its
    Monte Carlo standard error, NaN where all draws agree, which tell none."""
    one = values[drawn.frequency.argmax()]
    agree = (values[drawn.frequency > 0] == one).all(axis=0)
    mean = np.where(agree, one, np.clip(drawn.mean(values), 0.0, 1.0))
    return mean.tolist(), np.where(agree, np.nan, drawn.error(values)).tolist()


@dataclass(frozen=True, eq=False)
class _AllTrees:
    """All trees of sums, once for each derivation, and the probability of each, shape (U,)."""

    trees: list[Tree]
    probability: NDArray[np.float64]

    @classmethod
    def of(cls, result: Result) -> _AllTrees:
        found, total = list(result.best()), result.evidence.log_total()
        assert total is not None, "sums know their total"
        logs = np.array([c.ranked_log_joint for c in found], np.float64)
        return cls([c.tree for c in found], np.exp(logs - total))


def _source_of_sums(result: Result, words: str) -> Source:
    kind = result.kind_of_sums
    at = "" if kind == "exact" else ", at some values of parameters"
    return Source(kind, f"{kind}: {words}{at}")


def _of_all(result: Result, goal: GoalAboutTrees, every: _AllTrees) -> Asked:
    left_out = result.evidence.left_out()
    lost = f", and trees of at most {left_out:.1g} together were left out" if left_out else ""
    n = plural(len(every.trees), "tree" if result.derivations_are_trees() else "derivation")
    source = _source_of_sums(result, f"all {n} asked{lost}")

    def probabilities(numbers: Sequence[Sequence[int]]) -> Iterator[Probability]:
        for own in numbers:
            p = math.fsum(every.probability[own])
            yield Probability(min(1.0, p), left_out, result.kind_of_sums)

    return _asked(goal.by_answer(every.trees), probabilities, source)


def _asked(
    by_answer: Mapping[Values, list[int]],
    probabilities: Callable[[Sequence[Sequence[int]]], Iterator[Probability]],
    source: Source,
) -> Asked:
    """The answers, by the numbers of the trees that give each."""
    every = sorted({u for own in by_answer.values() for u in own})
    *told, holds = probabilities([*by_answer.values(), every])
    return Asked(dict(zip(by_answer, told, strict=True)), holds, source)


def _side_by_side(goal: GoalAboutTrees, asked: Asked, prior: Asked | Source) -> TreeAnswers:
    """Answers of one distribution with what the prior says of them."""
    beside = prior if isinstance(prior, Asked) else None
    every = dict.fromkeys([*asked.answers, *(() if beside is None else beside.answers)])
    if not goal.names:
        every = {(): None}
    told = [
        TreeAnswer(
            values_of(goal.names, values),
            asked.of(values),
            None if beside is None else beside.of(values),
        )
        for values in every
    ]
    return TreeAnswers(
        tuple(sorted(told, key=lambda a: (-a.probability, -(a.prior_probability or 0.0)))),
        asked.holds,
        None if beside is None else beside.holds,
        asked.source,
        prior.source if isinstance(prior, Asked) else prior,
    )
