"""`SavedResult`: the result of a run that was saved with its trees."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import UnsupportedError, UsageError
from slp.messages.results import SAVED_WITHOUT_RASHOMON_SET
from slp.messages.saved import OTHERS_NOT_SAVED, PRIOR_NOT_SAVED, ROWS_NOT_SAVED, WEIGHTS_NOT_SAVED
from slp.results.averages.weighted_draws import DrawnTrees
from slp.results.estimate import Estimate
from slp.results.record.choice import EngineChoice
from slp.results.record.edits import EditShare, EditSummary
from slp.results.record.result import Candidate, Draw, NearBest, Result
from slp.results.record.rule_use import RuleUse, no_rules
from slp.results.saved.tables import TableWithoutRows
from slp.results.trust.diagnostics import Diagnostics
from slp.runner import Schedule
from slp.trees import Split, Tree


@dataclass(frozen=True)
class Facts:
    """What every result knows, as of `Result`."""

    choice: EngineChoice
    likelihood: bool
    normalised: bool
    seed: int


@dataclass(frozen=True)
class SavedCandidate:
    """A `Candidate` and the number of its tree."""

    tree: int
    log_joint: float | None
    log_posterior: float | None
    upper_bound: float | None
    grown: bool
    derivation_log_joint: float | None = None


@dataclass(frozen=True)
class SavedEdits:
    """An `EditSummary` without the given tree."""

    expected: float
    expected_error: float
    distribution: tuple[float, ...]
    shares: tuple[EditShare, ...]


@dataclass(frozen=True)
class Answers:
    """What a result of trees tells beside them.

    Attributes
    ----------
    log_evidence, no_evidence, evidence_note, no_bayes_factor, log_prior_total, log_total,
    derivations_are_trees, tree_count, left_out, trees_found, importances, diagnostics, schedule,
    interrupted, out_of_time : as of `Result`.
    best : of the trees that are there.
    rules : `Result.rule_uses`; None where the engine does not tell.
    mixture : `Result.mixture`.
    edits : `Result.edits`.
    drawn : whether averages have Monte Carlo errors.
    weights_known : whether a draw tells its log weight.
    """

    log_evidence: Estimate | None
    no_evidence: str
    evidence_note: str | None
    no_bayes_factor: str | None
    log_prior_total: float | None
    log_total: float | None
    derivations_are_trees: bool
    tree_count: float | None
    left_out: float
    trees_found: int | None
    importances: tuple[float, ...] | None
    diagnostics: Diagnostics | None
    schedule: Schedule | None
    interrupted: bool
    out_of_time: bool
    best: tuple[SavedCandidate, ...]
    rules: tuple[RuleUse, ...] | None
    mixture: tuple[RuleUse, ...]
    edits: SavedEdits | None
    drawn: bool
    weights_known: bool


class SavedResult(Result):
    """The distribution over trees that a saved run shows. It weighs no other trees.

    Parameters
    ----------
    weights : of each draw, chain after chain, shape (T,).
    given : the tree given to `edittree`, if one was.
    """

    def __init__(
        self,
        table: Table,
        facts: Facts,
        answers: Answers,
        trees: DrawnTrees,
        weights: NDArray[np.float64],
        given: Tree | None,
    ) -> None:
        super().__init__(
            table,
            choice=facts.choice,
            likelihood=facts.likelihood,
            normalised=facts.normalised,
            seed=facts.seed,
        )
        self._answers, self._trees, self._weights, self._given = answers, trees, weights, given

    @property
    def averages(self) -> DrawnTrees:
        return self._trees

    @property
    def monte_carlo(self) -> DrawnTrees | None:
        return self._trees if self._answers.drawn else None

    @property
    def trees_found(self) -> int | None:
        return self._answers.trees_found

    def importances(self) -> NDArray[np.float64] | None:
        found = self._answers.importances
        return None if found is None else np.array(found)

    # --- evidence ------------------------------------------------------------------------------

    @property
    def log_evidence(self) -> Estimate | None:
        return self._answers.log_evidence

    @property
    def no_evidence(self) -> str:
        return self._answers.no_evidence

    @property
    def evidence_note(self) -> str | None:
        return self._answers.evidence_note

    @property
    def no_bayes_factor(self) -> str | None:
        return self._answers.no_bayes_factor

    @property
    def log_prior_total(self) -> float | None:
        return self._answers.log_prior_total

    @property
    def log_total(self) -> float | None:
        return self._answers.log_total

    def prior(self) -> Result:
        """See `Result`: not there (E562)."""
        raise UnsupportedError(PRIOR_NOT_SAVED(engine=self.choice.engine))

    # --- trees ---------------------------------------------------------------------------------

    @property
    def derivations_are_trees(self) -> bool:
        return self._answers.derivations_are_trees

    def tree_count(self) -> float | None:
        return self._answers.tree_count

    @property
    def left_out(self) -> float:
        return self._answers.left_out

    def log_weight(self, tree: Tree) -> float:
        """See `Result`: of the trees that are there.

        Raises
        ------
        UnsupportedError
            E562: of another tree.
        """
        if _tests(tree) not in self._numbers:
            raise UnsupportedError(WEIGHTS_NOT_SAVED(engine=self.choice.engine))
        return self._trees.trees[self._numbers[_tests(tree)]].log_weight

    def log_likelihood(self, tree: Tree) -> float:
        """See `Result`: without the table's rows, of the trees that are there.

        Raises
        ------
        UnsupportedError
            E562: of another tree.
        """
        if not isinstance(self.table, TableWithoutRows):
            return super().log_likelihood(tree)
        if _tests(tree) not in self._numbers:
            raise UnsupportedError(ROWS_NOT_SAVED(what="the likelihood of another tree"))
        return self._trees.trees[self._numbers[_tests(tree)]].log_likelihood

    @cached_property
    def _numbers(self) -> dict[tuple[object, ...], int]:
        return {_tests(scored.tree): u for u, scored in enumerate(self._trees.trees)}

    def best(self) -> Iterator[Candidate]:
        """See `Result`: those that are there.

        Raises
        ------
        UnsupportedError
            E562: the next one of a search.
        """
        for found in self._answers.best:
            tree = self.shown(self._trees.trees[found.tree].tree)
            yield Candidate(**{**vars(found), "tree": tree})
        if self._answers.best[0].upper_bound is not None:
            raise UnsupportedError(OTHERS_NOT_SAVED(engine=self.choice.engine))

    @cached_property
    def draws(self) -> Sequence[Draw]:
        out: list[Draw] = []
        shown = [self.shown(scored.tree) for scored in self._trees.trees]
        # Trees that were found without a log joint are smoothed: see `ModalResult.draws`.
        joints = [found.log_joint for found in self._answers.best]
        smooth = self.trees_found is not None and None in joints
        for c, chain in enumerate(self._trees.chains):
            for u in chain.tolist():
                scored, weight = self._trees.trees[u], float(self._weights[len(out)])
                prior = own = scored.log_weight if self._answers.weights_known else None
                prior = prior if self.normalised and not smooth else None
                fit = math.nan if smooth else scored.log_likelihood
                out.append(Draw(shown[u], own, prior, fit, c, weight))
        return out

    def near_best(self, slack: float) -> NearBest:
        """See `Result`: not told (E534), as the other trees are not there."""
        raise UsageError(SAVED_WITHOUT_RASHOMON_SET())

    def sample(self, n: int, rng: np.random.Generator) -> list[Tree]:
        """See `Result`: from the trees that are there."""
        found = rng.choice(len(self._trees.trees), n, p=self._trees.frequency)
        return [self.shown(self._trees.trees[u].tree) for u in found]

    # --- the run -------------------------------------------------------------------------------

    def rule_uses(self) -> list[RuleUse]:
        if self._answers.rules is None:
            raise no_rules(self.choice.engine)
        return list(self._answers.rules)

    def mixture(self) -> list[RuleUse]:
        return list(self._answers.mixture)

    @property
    def diagnostics(self) -> Diagnostics | None:
        return self._answers.diagnostics

    @property
    def schedule(self) -> Schedule | None:
        return self._answers.schedule

    @property
    def edits(self) -> EditSummary | None:
        found = self._answers.edits
        if found is None or self._given is None:
            return None
        numbers = np.array(found.distribution)
        return EditSummary(self._given, found.expected, found.expected_error, numbers, found.shares)

    @property
    def interrupted(self) -> bool:
        return self._answers.interrupted

    @property
    def out_of_time(self) -> bool:
        return self._answers.out_of_time


def _tests(tree: Tree) -> tuple[object, ...]:
    """The tests of a tree in preorder, whatever its leaves say."""
    return tuple(node.asked if isinstance(node, Split) else None for node in tree.nodes())
