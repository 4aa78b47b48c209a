"""How probable it is that trees satisfy a statement, under a program that lacks it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from slp.budgets import Deadline
from slp.data.frames import Frame
from slp.engines.shared.size import size_for
from slp.errors import BudgetError, NoGrammarError, NoTreeError
from slp.ir.program import CheckedProgram
from slp.program.program import Program
from slp.results import Posterior, Result, Trust
from slp.results.prices import Chance
from slp.trees import check_tree


@dataclass(frozen=True)
class Chances:
    """The probability that a statement is satisfied, prior and posterior; None where it is not
    known, which the notes explain."""

    prior: Chance | None
    posterior: Chance | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class StatementOnTrees:
    """A statement that a program lacks.

    Attributes
    ----------
    alone : the program with this statement and no other, to check trees.
    satisfied : the program whose trees are those that satisfy it (`slp.program.satisfied`), None if
        there is none.
    part, seed, draws, options : of the runs.
    most_seconds : of one core, by estimates, that sums may take where `auto` chose them.
    deadline, share : the limit of all runs, and of how many parts of the time that is left this
        run of sums takes one.
    """

    alone: CheckedProgram
    satisfied: Program | None
    part: tuple[Frame, Any]
    seed: int
    draws: int
    options: Mapping[str, Any]
    most_seconds: float
    deadline: Deadline
    share: int

    def chances(self, posterior: Posterior) -> Chances:
        """By the run of the program that lacks it."""
        result = posterior._result
        if result.kind == "stacked":
            return Chances(None, None, ("members stacked by prediction are no posterior",))
        if result.kind == "soft":
            return Chances(None, None, ("trees are soft, and no statement is checked on them",))
        if result.kind == "additive":
            return Chances(
                None, None, ("trees are summed up, and no statement is checked on sums",)
            )
        if result.trees_found is not None:
            why = f"the engine {posterior.engine} finds trees, and does not draw them"
            return Chances(None, None, (why,))
        exact = result.kind_of_sums == "exact"  # else normalisers differ from value to value
        if result.kind == "sums" and self.satisfied is not None and exact:
            summed = self._by_sums(posterior, self.satisfied)
            if summed is not None:
                return summed
        prior = posterior._prior_beside(drawn=True)
        notes = [f"its prior probability is not known: {prior}"] if isinstance(prior, str) else []
        told: list[Chance | None] = []
        for own in (prior, result):
            found = None if isinstance(own, str) else self._by_draws(own)
            if isinstance(found, str):
                notes.append(found)
            told.append(None if isinstance(found, str) else found)
        return Chances(told[0], told[1], tuple(dict.fromkeys(notes)))

    def _by_sums(self, posterior: Posterior, satisfied: Program) -> Chances | None:
        """The sums over the trees that satisfy it, over those of all; None where they do not
        fit."""
        left = self.deadline.left()
        try:
            if posterior.choice.by_size and self._takes_long(satisfied):
                return None
            own = satisfied.posterior(
                *self.part,
                engine=posterior.engine,
                seed=self.seed,
                draws=0,
                time=None if math.isinf(left) else left / self.share,
                **self.options,
            )._result.evidence
            all_trees = posterior._result.evidence
            prior = _log_share(own.log_prior_total(), all_trees.log_prior_total())
            return Chances(prior, _log_share(own.log_total(), all_trees.log_total()))
        except NoTreeError:
            return Chances(Chance.exact(-math.inf), Chance.exact(-math.inf))
        except (BudgetError, NoGrammarError):
            return None

    def _takes_long(self, satisfied: Program) -> bool:
        size = size_for(satisfied.compile(*self.part), math.inf, math.inf)
        return size is not None and size.seconds > self.most_seconds

    def _by_draws(self, result: Result) -> Chance | str:
        """The share of a run's draws that satisfy it, or why this is not known."""
        averages = result.averages
        drawn = averages.drawn
        independent = drawn is None
        if drawn is None:
            if not self.draws:
                return "its probability is not known: no sums tell it, and no draws were asked for"
            drawn, _ = averages.draws_of_trees(self.draws, np.random.default_rng(self.seed))
        holds = np.zeros(len(drawn.trees))
        for u, scored in enumerate(drawn.trees):
            (told,) = check_tree(
                scored.tree, self.alone, allow_code=bool(self.options.get("allow_code"))
            )
            if told.holds is None:
                return f"trees do not tell whether they satisfy it: {told.counterexample}"
            holds[u] = told.holds
        share, n = float(drawn.mean(holds)), sum(map(len, drawn.chains))
        if holds.all() or not holds.any():
            share = float(holds[0])  # which a mean leaves to rounding
        if independent:
            return Chance.drawn(share, math.sqrt(share * (1 - share) / n), n, "converged")
        standing = Trust.of(result.diagnostics(), None, False, stacked=False).standing
        return Chance.drawn(share, float(drawn.error(holds)), n, standing)


def _log_share(part: float | None, whole: float | None) -> Chance:
    assert part is not None and whole is not None, "sums tell their totals"
    return Chance.exact(part - whole)
