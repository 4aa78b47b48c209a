"""The trees of a run: the modal tree, restarts, other roots; each pruned, tested and scored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets.memory import format_bytes
from slp.budgets.seconds import Deadline, format_seconds
from slp.cluster import in_tasks, tasks_at_once
from slp.data.memory import check_room_for_bit_sets, room_beside
from slp.engines.contract import Request
from slp.engines.modal.options import ModalOptions
from slp.engines.modal.result import ModalTree, result_of_grown_trees
from slp.engines.registry import plain_engine
from slp.engines.shared.core_limits import why_not_of_one_prior
from slp.engines.shared.growth.core import core_engine, grow_in_core
from slp.engines.shared.growth.plan import MOST_UNDONE, Ending, Grown, Plan
from slp.engines.shared.growth.pruning import Pruning
from slp.engines.shared.weights import scorer_of
from slp.errors import BudgetError, NoTreeError, TimeOverError, UnsupportedError, UsageError
from slp.messages.inference import (
    MODAL_OUT_OF_MEMORY,
    MODAL_SMOOTHING_ALONE,
    MODAL_SMOOTHING_OF_BOXES,
    MODAL_SMOOTHING_OF_NUMBERS,
    MODAL_TESTS_FAIL,
    MODAL_TOO_MANY_DEAD_ENDS,
    NO_TREE,
    NOT_A_SHARE,
    NOT_A_TRUTH_VALUE,
    TIME_OVER,
)
from slp.problem.ambiguity import derivations_are_trees
from slp.problem.problem import Problem
from slp.problem.tree_on_table import tree_of_nodes
from slp.results.averages.over_trees import ScoredTree
from slp.results.record.result import Result
from slp.runner import fresh_seed
from slp.runner.options import check_count
from slp.trees import Leaf, Tree

#: Levels of splits that a restart draws, and the temperatures of restarts in turn. Differences of
#: scores grow with the number of rows, so no one temperature suits all tables.
DRAWN_LEVELS = 3
TEMPERATURES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)

#: The most trees of a run, and levels of look-ahead or of further growth.
_MOST_TREES, _MOST_LEVELS = 100_000, 10_000


def run_modal(problem: Problem, request: Request, options: ModalOptions) -> Result:
    """Grow the trees that the options ask for, until the deadline.

    Raises
    ------
    UsageError
        E505, E538: an option.
    UnsupportedError
        E538: tests on finished trees that no pruning of any tree satisfies.
    BudgetError
        E501: no room beside the table; E540: the time was over before there was a tree.
    NoTreeError
        E504: no tree satisfies the program.
    """
    _check(options, problem)
    return ModalTrees(problem, request, options).result()


class ModalTrees:
    """Grows the trees of a run."""

    def __init__(self, problem: Problem, request: Request, options: ModalOptions) -> None:
        self.problem, self.request, self.options = problem, request, options
        constraints = problem.program.constraints
        self._core = why_not_of_one_prior(problem) is None
        self._interrupted = False
        self._cut_short = False
        self._n = 0
        if self._core:
            self._room = room_beside(problem.table, request.memory)
            self._engine = core_engine(problem)
        else:
            check_room_for_bit_sets(problem.table, request.memory)
        self._tested = any(c.at_finished_tree for c in constraints)
        self._one_derivation = derivations_are_trees(problem.grammar)

    @property
    def plan(self) -> Plan:
        """The plan of the modal tree."""
        o = self.options
        return Plan(
            likelihood=self.request.likelihood,
            stop_labels=not o.without_stop_labels,
            smoothing=float(o.smoothing),
            look_ahead=int(o.look_ahead),
            further=int(o.further),
        )

    def result(self) -> Result:
        """The trees found, the best first."""
        seed = fresh_seed() if self.request.seed is None else self.request.seed
        trees: list[ModalTree] = []
        try:
            for grown in self._all_grown(seed):
                found = self._finished(grown)
                trees += [] if found is None else [found]
        except KeyboardInterrupt:
            if not trees:
                raise
            self._interrupted = True
        if not trees:
            raise UnsupportedError(MODAL_TESTS_FAIL())
        distinct = list({found.scored.tree: found for found in reversed(trees)}.values())
        distinct.sort(key=lambda found: -found.log_score)
        return result_of_grown_trees(
            self.problem,
            distinct,
            request=replace(self.request, seed=seed),
            options=self.options,
            interrupted=self._interrupted,
            out_of_time=self._cut_short and not self._interrupted,
        )

    def _all_grown(self, seed: int) -> Iterator[Grown]:
        """The grown trees: the modal one, those from other roots, restarts. After the first, one
        that was stopped is left out."""
        first = self._first_grown()
        yield first
        roots = np.argsort(-first.root_scores, kind="stable").tolist()
        taken = int(first.feature[0]) if first.feature[0] >= 0 else -1
        others = [f for f in roots if f != taken and first.root_scores[f] > -math.inf]
        plans = [replace(self.plan, root_feature=f) for f in others[: self.options.roots - 1]]
        for i in range(self.options.restarts):
            words = np.random.SeedSequence([seed, i]).generate_state(1, np.uint64)
            temperature = TEMPERATURES[i % len(TEMPERATURES)]
            own_seed = int(words[0])
            plans.append(
                replace(
                    self.plan,
                    drawn_levels=DRAWN_LEVELS,
                    temperature=temperature,
                    seed=own_seed,
                )
            )
        yield from (g for g in self._further(plans) if g.ending is Ending.DONE)

    def _first_grown(self) -> Grown:
        """The modal tree. Where its look-ahead is cut short, the tree grown without look-ahead
        takes its place if its log joint is larger."""
        if not self.plan.look_ahead:
            return self._grown(self.plan)
        plain = self._grown(replace(self.plan, look_ahead=0), first=False)
        if plain.ending is Ending.STOPPED:
            return plain
        first = self._grown(self.plan)
        if first.ending is not Ending.STOPPED or plain.ending is not Ending.DONE:
            return first
        better = self._log_joint(plain) > self._log_joint(first)
        return replace(plain, ending=Ending.STOPPED) if better else first

    def _log_joint(self, grown: Grown) -> float:
        pruning = Pruning(grown)
        if self.options.further:
            pruning.prune_best()
        return pruning.value[0]

    def _further(self, plans: Sequence[Plan]) -> Iterator[Grown]:
        """The trees of these plans, until the time is over; on a cluster each is a task."""
        if plans and tasks_at_once() is not None:
            left = self.request.deadline.left()
            limit = Deadline(None if math.isinf(left) else left)
            request = replace(self.request, deadline=limit, threads=1, progress=None, instead=None)
            yield from in_tasks(
                _one_grown, [(self.problem, request, self.options, p) for p in plans]
            )
            return
        for plan in plans:
            if self._over():
                self._interrupted = self._interrupted or not self.request.deadline.over()
                self._cut_short = True
                return
            yield self._grown(plan, first=False)

    def _over(self) -> bool:
        return self._interrupted or self.request.deadline.over()

    def _grown(self, plan: Plan, first: bool = True) -> Grown:
        """One tree. Only of the first tree a failure is an error."""
        self._n += 1
        grown = self._in_core(plan) if self._core else self._plainly(plan)
        self._interrupted = self._interrupted or grown.interrupted
        self._cut_short = self._cut_short or grown.ending is Ending.STOPPED
        if not first:
            return grown
        if grown.ending is Ending.OUT_OF_BUDGET:
            memory, room = map(format_bytes, (self.request.memory, self._room))
            raise BudgetError(MODAL_OUT_OF_MEMORY(memory=memory, room=room))
        if grown.ending is Ending.NO_TREE:
            raise NoTreeError(NO_TREE())
        if grown.ending is Ending.TOO_MANY_DEAD_ENDS:
            raise NoTreeError(MODAL_TOO_MANY_DEAD_ENDS(most=MOST_UNDONE))
        return grown

    def _in_core(self, plan: Plan) -> Grown:
        return grow_in_core(
            self._engine,
            self.problem.table,
            plan,
            room=self._room,
            threads=self.request.threads,
            poll=self._poll,
        )

    def _plainly(self, plan: Plan) -> Grown:
        grown: Grown = plain_engine("modal").grow_plainly(
            self.problem, plan, lambda: not self._poll(0, 0, 0)
        )
        return grown

    def _poll(self, nodes: int, _edges: int, _bytes: int) -> bool:
        """Whether to go on."""
        if self.request.progress is not None:
            self.request.progress(nodes, f"growing tree {self._n}")
        return not self._over()

    # --- a grown tree --------------------------------------------------------------------------

    def _finished(self, grown: Grown) -> ModalTree | None:
        """The tree that is kept; None if no pruning of it satisfies the tests on finished trees."""
        pruning = Pruning(grown)
        if not pruning.possible:
            if self._interrupted:
                raise KeyboardInterrupt
            seconds = format_seconds(self.request.deadline.seconds or 0)
            raise TimeOverError(TIME_OVER(time=seconds, doing="before a tree was grown"))
        if self.options.further:
            pruning.prune_best()
        if self._tested and not self._prune_until_tests_hold(pruning):
            return None
        return self._scored(pruning)

    def _prune_until_tests_hold(self, pruning: Pruning) -> bool:
        """Prune until the tests on finished trees hold; whether they came to hold."""
        most_leaves = self.problem.grammar.max_leaves or math.inf
        holds = pruning.prune_until(lambda: pruning.n_leaves <= most_leaves)
        for constraint in self.problem.program.constraints:
            if constraint.most_features is not None:
                holds = holds and pruning.prune_to_features(constraint.most_features)
        scorer = self.scorer
        return holds and pruning.prune_until(
            lambda: scorer.log_weight(self._tree(pruning)) > -math.inf
        )

    @property
    def scorer(self) -> Any:
        """What weighs finished trees, and tests them."""
        return scorer_of(self.problem, self.request.likelihood)

    def _tree(self, pruning: Pruning) -> Tree:
        table = self.problem.table
        grown = pruning.grown
        places, leaf = pruning.leaves(), table.leaf
        leaves = [Leaf.of(leaf, grown.statistics[i], grown.added[i]) for i in places]
        return tree_of_nodes(table, pruning.cuts().tolist(), leaves)

    def _scored(self, pruning: Pruning) -> ModalTree:
        tree, smooth = self._tree(pruning), self.options.smoothing > 0
        weight = pruning.log_weight()
        fit = pruning.log_likelihood()
        score = weight + fit
        if not self.request.likelihood or smooth:  # what is told of a tree is by the declared prior
            leaves = pruning.grown.statistics[pruning.leaves()]
            fit = float(self.problem.table.leaf.log_marginal(leaves).sum())
        if not self._one_derivation:
            weight = float(self.scorer.log_weight(tree))
            score = score if smooth else weight + self.request.likelihood * fit
        gains = np.zeros(len(self.problem.table.features))
        for i in pruning.splits():
            gains[pruning.grown.feature[i]] += pruning.grown.gain[i]
        added: NDArray[np.float64] = pruning.grown.added[pruning.leaves()]
        return ModalTree(ScoredTree(tree, weight, fit), score, gains, added)


def _one_grown(problem: Problem, request: Request, options: ModalOptions, plan: Plan) -> Grown:
    """One more tree, as a task of a cluster, whose clock begins anew."""
    request = replace(request, deadline=Deadline(request.deadline.seconds))
    return ModalTrees(problem, request, options)._grown(plan, first=False)


def _check(options: ModalOptions, problem: Problem) -> None:
    """Raise UsageError E505, E538 for an option out of range, or options that do not go
    together."""
    check_count("look_ahead", options.look_ahead, most=_MOST_LEVELS)
    check_count("further", options.further, most=_MOST_LEVELS)
    check_count("restarts", options.restarts, most=_MOST_TREES)
    check_count("roots", options.roots, least=1, most=_MOST_TREES)
    labels, smoothing = options.without_stop_labels, options.smoothing
    if not isinstance(labels, bool | np.bool_):
        raise UsageError(NOT_A_TRUTH_VALUE(name="without_stop_labels", value=labels))
    number = isinstance(smoothing, Real) and not isinstance(smoothing, bool)
    if not number or not 0 <= smoothing <= 1:
        raise UsageError(NOT_A_SHARE(name="smoothing", value=smoothing))
    if smoothing > 0 and (options.look_ahead or options.further):
        raise UsageError(MODAL_SMOOTHING_ALONE())
    if smoothing > 0 and not problem.table.leaf.classes:
        raise UsageError(MODAL_SMOOTHING_OF_NUMBERS())
    if smoothing > 0 and problem.table.leaf.in_boxes:
        raise UsageError(MODAL_SMOOTHING_OF_BOXES())
