"""What a `Posterior` says of trees: the best ones, draws, one tree for all, and how probable a tree
is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from slp import results
from slp.data.table import Table
from slp.errors import UsageError
from slp.messages.results import NO_PATHS, NO_RASHOMON_SET, NOT_A_FACTOR
from slp.messages.sums import NOT_OF_SUMS
from slp.messages.tree_texts import NO_TREE_GIVEN
from slp.results.averages.paths import TreePath
from slp.results.rashomon import RashomonSet
from slp.results.record.parts import Candidate, Draw
from slp.results.record.result import Result
from slp.runner.options import check_count, fresh_seed
from slp.source import SourceFile
from slp.trees import SoftTree, Tree, TreeText

if TYPE_CHECKING:
    from slp.results.representative import RepresentativeTree
    from slp.results.weighted_trees import AveragedTrees, Chosen

#: How many of the best trees may be the representative one.
_BEST = 20


class Trees:
    """The part of `slp.Posterior` that lists trees, draws them and weighs them."""

    _result: Result
    table: Table
    likelihood: bool

    @property
    def derivations_are_trees(self) -> bool:
        """Whether each tree surely has one derivation. If not, `map`, `k_best`, `rashomon_set` and
        `tree_count` are over derivations. A tree is then listed once for each of its own:
        `derivation_log_joint` is the log joint of that one, `upper_bound` and `certified` are of
        derivations, and `log_joint` and `log_posterior` are of all derivations of the tree
        together.

        So a tree of many derivations may have more probability than the first one listed. All else
        is over trees.
        """
        return self._result.derivations_are_trees()

    def tree_count(self) -> int | float | None:
        """Number of trees with a probability above zero: an int below 2**53, else a float, inf
        beyond 1.8e308. None where the engine does not count."""
        count = self._result.tree_count()
        return int(count) if count is not None and count < 2**53 else count

    def k_best(self, k: int) -> list[Candidate]:
        """The trees of the `k` best derivations, or the best of the trees drawn, best first, each
        as `map` gives it; fewer if there are no more. Those of the engine `search` that are not
        certified are the best that it met.

        Raises
        ------
        UsageError
            `k` is no whole number from 0 up (E505).
        UnsupportedError
            E562: it is a saved run of `search`, which has the best tree alone.
        """
        check_count("k", k)
        return list(islice(self._result.best(), k))

    def rashomon_set(self, factor: float = 0.1, most: int = 100) -> RashomonSet:
        """All trees that are at least `factor` times as probable as the best one: their `count`,
        their `probability` together, and `trees`, the best `most` of them, as `map` gives each. It
        needs an engine that sums over all trees, or `search`. Sums list no tree to count them, so
        `count` may be large. `search` lists trees one by one: `probability` is None, and where its
        time or memory ends, `complete` is False and `upper_bound` bounds the log joint of those
        that it did not count. A tree within 1e-6 of the limit (in log probability) is in.

        Raises
        ------
        UsageError
            `factor` is not above 0 and at most 1, or the engine does not tell (E534); `most` is no
            whole number from 0 up (E505).
        UnsupportedError
            E562: it is a saved run of `search`, which has the best tree alone.
        BudgetError
            There is not enough memory (E501) or time (E540) to count them.
        """
        check_count("most", most)
        if not isinstance(factor, Real) or not 0 < factor <= 1:
            raise UsageError(NOT_A_FACTOR(factor=factor))
        found = self._result.near_best(-math.log(factor))
        if found is None:
            raise UsageError(NO_RASHOMON_SET(engine=self._result.choice.engine))
        trees = tuple(self.k_best(min(found.count, most)))
        log_sum = found.log_probability
        share = None if log_sum is None else min(1.0, math.exp(log_sum))
        return RashomonSet(factor, found.count, share, trees, found.upper_bound)

    def map(self) -> Candidate:
        """The tree of the best derivation, or the best of the trees drawn: `tree`, `log_joint`,
        `log_posterior`, `upper_bound` on the `log_joint` of any tree (each is None if unknown),
        `derivation_log_joint`, `certified`, which is False for the best of draws, and `grown`,
        which is True for a tree of `modal` or `search`."""
        return self._best

    @cached_property
    def _best(self) -> Candidate:
        return self.k_best(1)[0]

    def map_tree(self) -> Tree:
        """The tree of `map`."""
        return self._best.tree

    def sample(self, n: int, seed: int | None = None) -> list[Tree]:
        """`n` draws apart from `draws`, a list of `slp.Tree`: independent ones, or, of a sampler,
        drawn from `draws` with replacement.

        Raises
        ------
        UsageError
            `n` or `seed` is no whole number from 0 up (E505).
        """
        check_count("n", n)
        if seed is not None:
            check_count("seed", seed, most=math.inf)
        rng = np.random.default_rng(fresh_seed() if seed is None else seed)
        return self._result.sample(n, rng)

    def representative_tree(self, seed: int | None = None) -> RepresentativeTree:
        """The tree nearest to the posterior, an `slp.RepresentativeTree`: of the 20 best trees and
        of the draws, or 1,000 independent ones where the engine sums, that with the least expected
        squared difference between what it predicts of the table's rows and what a tree of the
        posterior does. That loss is exact where the engine sums over all trees.

        Raises
        ------
        UsageError
            E569: it is a prior, or trees are soft. `seed` is no whole number from 0 up (E505).
        """
        if seed is not None:
            check_count("seed", seed, most=math.inf)
        rng = np.random.default_rng(fresh_seed() if seed is None else seed)
        return results.representative_tree(self._result, self.k_best(_BEST), rng)

    def average(self, k: int, *, best: bool = False, seed: int | None = None) -> AveragedTrees:
        """An average of trees that leaves the tool: of `k` draws, as `sample` makes them, each
        different tree by its share of them; or of the `k` best trees, by their probabilities over
        the sum of these. The result is an `slp.AveragedTrees`.

        Raises
        ------
        UsageError
            `k` is no whole number from 1 up, or `seed` none from 0 up (E505); trees are soft, or
            the run does not know how probable its best trees are (E618).
        """
        check_count("k", k, least=1)
        if best:
            return results.average_of_best(self.table, self.k_best(k))
        chosen: Chosen = "draws" if self._result.trees_found is None else "found"
        return results.average_of_draws(self.table, self.sample(k, seed), chosen)

    def sample_paths(self, X: Any, n: int = 1, seed: int | None = None) -> list[list[TreePath]]:
        """For each row of `X`, its path down `n` independent draws of trees: m lists of `n` paths,
        each with `tests`, `goes_left` and `leaf`. It needs the engine `exact` or `chart` (else
        E535).

        A path has the same distribution as in a tree of `sample`. The rest of the tree is never
        drawn, so a path costs less. Paths of different rows are of different trees.

        Source: Sullivan et al. (2023), Algorithm 1.

        Raises
        ------
        UsageError
            `n` or `seed` is no whole number from 0 up (E505); the engine is neither `exact` nor
            `chart` (E535); draws are sums of trees (E578).
        DataError
            `X` lacks a column, or a value.
        """
        check_count("n", n)
        if seed is not None:
            check_count("seed", seed, most=math.inf)
        rng = np.random.default_rng(fresh_seed() if seed is None else seed)
        if self._result.trees_summed is not None:
            raise UsageError(NOT_OF_SUMS(what="the path of a row down one tree"))
        paths = self._result.sample_paths(self.table.new_rows(X), n, rng)
        if paths is None:
            raise UsageError(NO_PATHS(engine=self._result.choice.engine))
        return paths

    @property
    def draws(self) -> Sequence[Draw]:
        """The draws that were asked for, chain after chain. Each has `tree`, `log_weight` (under
        the program as written; None under `edittree`), `log_prior`, `log_likelihood` (NaN under the
        smoothing of `modal`), `chain` and `weight`."""
        return self._result.draws()

    @property
    def draws_have_weights(self) -> bool:
        """Whether draws count by weights of their own: those of `smc`, and of `forward` in a
        posterior. False where all count alike.

        Raises
        ------
        UsageError
            E530: there are no draws.
        """
        return self._result.draws_have_weights

    def log_prior(self, tree: Tree | str) -> float | None:
        """Log prior probability of any tree, which may be given as text; `-inf` outside the
        support; None where the total of the prior's weights is not known.

        It is that of all trees that part the table's rows as `tree` does: thresholds need not be
        canonical, and leaf summaries are ignored. A text is read as by `slp.Tree.from_text`.

        Raises
        ------
        DataError
            The text is no tree of the table (E615, E616).
        """
        weight = self._result.log_weight(self._given_tree(tree))
        if weight == -math.inf:
            return weight
        total = self._result.evidence.log_prior_total()
        return None if total is None or math.isnan(weight) else weight - total

    def log_likelihood(self, tree: Tree | str) -> float:
        """Log marginal likelihood of the response given any tree, which may be given as text;
        `-inf` where the coded table does not tell how the tree parts its rows. It raises as
        `log_prior`."""
        return self._result.log_likelihood(self._given_tree(tree))

    def log_posterior(self, tree: Tree | str) -> float | None:
        """Log posterior probability of any tree, which may be given as text; `-inf` outside the
        support; None where the evidence is not known. Draws have it up to a constant: `log_weight`
        + `log_likelihood`.

        It is that of all trees that part the table's rows as `tree` does. It raises as
        `log_prior`.
        """
        tree = self._given_tree(tree)
        weight = self._result.log_weight(tree)
        if weight == -math.inf:
            return weight
        if self._result.evidence.log_total() is None:
            return None
        return self._result.log_probability(
            weight + self.log_likelihood(tree) if self.likelihood else weight
        )

    def _given_tree(self, tree: Tree | str) -> Tree:
        """A tree that was given, perhaps as text."""
        if isinstance(tree, Tree | SoftTree):
            return tree
        if not isinstance(tree, str):
            raise UsageError(NO_TREE_GIVEN(given=type(tree).__name__))
        return TreeText.read(SourceFile("the tree", tree)).on(self.table)
