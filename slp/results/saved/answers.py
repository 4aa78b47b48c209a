"""The answers of a run that was saved with its trees: as the file has them (`Answers`), and the
record that is filled with them (`result_of_answers`)."""

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
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.soft import SoftTrees
from slp.results.estimate import Estimate
from slp.results.record.choice import EngineChoice
from slp.results.record.edit_summary import EditShare, EditSummary
from slp.results.record.later import Later
from slp.results.record.parts import Candidate, Draw, Evidence, HowEnded, NearBest, shown
from slp.results.record.result import Result
from slp.results.record.rule_use import RuleUse, no_rules
from slp.results.record.soft import LikelihoodOfSoftTrees, no_weight
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
    left_out : the fields of `Evidence`.
    derivations_are_trees, tree_count, trees_found, importances, diagnostics, schedule : as of
        `Result`.
    interrupted, out_of_time : as of `Ended`.
    best : of the trees that are there.
    rules : `Result.rules`; None where the engine does not tell.
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


def result_of_answers(
    table: Table,
    facts: Facts,
    answers: Answers,
    averages: DrawnTrees,
    weights: NDArray[np.float64],
    given: Tree | None,
) -> Result:
    """The distribution over trees that a saved run shows. It weighs no other trees.

    Parameters
    ----------
    averages : over the trees that are there.
    weights : of each draw, chain after chain, shape (T,).
    given : the tree given to `edittree`, if one was.
    """
    saved = _Saved(table, facts, answers, averages, weights)
    soft = isinstance(averages, SoftTrees)
    return Result(
        chosen=facts.choice,
        table=table,
        likelihood=facts.likelihood,
        normalised=facts.normalised,
        seed=facts.seed,
        kind="soft" if soft else "trees",
        evidence=Evidence(
            Later.known(answers.log_evidence),
            answers.no_evidence,
            answers.evidence_note,
            answers.no_bayes_factor,
            Later.known(answers.log_prior_total),
            Later.known(answers.log_total),
            Later.known(answers.left_out),
        ),
        averaged=averages,
        trees_found=answers.trees_found,
        importances=None if answers.importances is None else np.array(answers.importances),
        derivations_are_trees=Later.known(answers.derivations_are_trees),
        tree_count=saved.tree_count,
        best=saved.best,
        near_best=saved.near_best,
        draws=Later(saved.draws),
        log_weight=no_weight if soft else saved.log_weight,
        log_likelihood=LikelihoodOfSoftTrees(table, averages) if soft else saved.log_likelihood,
        rules=saved.rules,
        mixture=saved.mixture,
        prior=saved.prior,
        diagnostics=Later.known(answers.diagnostics),
        schedule=answers.schedule,
        edits=Later.known(_edits(answers.edits, given)),
        ended=HowEnded(answers.interrupted, answers.out_of_time),
    )


def _edits(found: SavedEdits | None, given: Tree | None) -> EditSummary | None:
    if found is None or given is None:
        return None
    numbers = np.array(found.distribution)
    return EditSummary(given, found.expected, found.expected_error, numbers, found.shares)


class _Saved:
    """What a record of a saved run is filled with; the parameters are those of
    `result_of_answers`."""

    def __init__(
        self,
        table: Table,
        facts: Facts,
        answers: Answers,
        averages: DrawnTrees,
        weights: NDArray[np.float64],
    ) -> None:
        self._table, self._facts, self._answers = table, facts, answers
        self._averages, self._weights = averages, weights

    def prior(self) -> Result:
        """See `Result`: not there (E562)."""
        raise UnsupportedError(PRIOR_NOT_SAVED(engine=self._facts.choice.engine))

    def tree_count(self) -> float | None:
        """See `Result`."""
        return self._answers.tree_count

    def log_weight(self, tree: Tree) -> float:
        """See `Result`: of the trees that are there.

        Raises
        ------
        UnsupportedError
            E562: of another tree.
        """
        if _tests(tree) not in self._numbers:
            raise UnsupportedError(WEIGHTS_NOT_SAVED(engine=self._facts.choice.engine))
        return self._averages.trees[self._numbers[_tests(tree)]].log_weight

    def log_likelihood(self, tree: Tree) -> float:
        """See `Result`: without the table's rows, of the trees that are there.

        Raises
        ------
        UnsupportedError
            E562: of another tree.
        """
        if not isinstance(self._table, TableWithoutRows):
            return log_likelihood_of_tree(self._table, tree)
        if _tests(tree) not in self._numbers:
            raise UnsupportedError(ROWS_NOT_SAVED(what="the likelihood of another tree"))
        return self._averages.trees[self._numbers[_tests(tree)]].log_likelihood

    @cached_property
    def _numbers(self) -> dict[tuple[object, ...], int]:
        return {_tests(scored.tree): u for u, scored in enumerate(self._averages.trees)}

    def best(self) -> Iterator[Candidate]:
        """See `Result`: those that are there.

        Raises
        ------
        UnsupportedError
            E562: the next one of a search.
        """
        for found in self._answers.best:
            tree = shown(self._averages.trees[found.tree].tree, self._facts.likelihood)
            yield Candidate(**{**vars(found), "tree": tree})
        if self._answers.best[0].upper_bound is not None:
            raise UnsupportedError(OTHERS_NOT_SAVED(engine=self._facts.choice.engine))

    def draws(self) -> Sequence[Draw]:
        """See `Result`."""
        out: list[Draw] = []
        trees = [shown(scored.tree, self._facts.likelihood) for scored in self._averages.trees]
        # Trees that were found without a log joint are smoothed: see `slp.engines.modal.result`.
        joints = [found.log_joint for found in self._answers.best]
        smooth = self._answers.trees_found is not None and None in joints
        for c, chain in enumerate(self._averages.chains):
            for u in chain.tolist():
                scored, weight = self._averages.trees[u], float(self._weights[len(out)])
                prior = own = scored.log_weight if self._answers.weights_known else None
                prior = prior if self._facts.normalised and not smooth else None
                fit = math.nan if smooth else scored.log_likelihood
                out.append(Draw(trees[u], own, prior, fit, c, weight))
        return out

    def near_best(self, slack: float) -> NearBest:
        """See `Result`: not told (E534), as the other trees are not there."""
        raise UsageError(SAVED_WITHOUT_RASHOMON_SET())

    def rules(self) -> list[RuleUse]:
        """See `Result`."""
        if self._answers.rules is None:
            raise no_rules(self._facts.choice.engine)
        return list(self._answers.rules)

    def mixture(self) -> list[RuleUse]:
        """See `Result`."""
        return list(self._answers.mixture)


def _tests(tree: Tree) -> tuple[object, ...]:
    """The tests of a tree in preorder, whatever its leaves say."""
    return tuple(node.asked if isinstance(node, Split) else None for node in tree.nodes())
