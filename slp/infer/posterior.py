"""`Posterior`: what users hold after inference, whichever exact engine is behind it.

Every number is exact unless its docstring says otherwise, and summaries do not depend on the draws.
It computes what is asked for when it is asked for, and keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import Diagnostic, SlpError, UsageError
from slp.infer.boxes import Geometry
from slp.infer.distribution import LeafMixture, ScoredTree, TreeDistribution
from slp.infer.quantiles import mixture_quantile
from slp.infer.rendering import log_likelihood_of_tree
from slp.ir.tree_grammar import LeafRule, TreeGrammar
from slp.trees import Tree

__all__ = ["Draw", "FeatureUse", "MapTree", "Posterior"]


@dataclass(frozen=True)
class MapTree:
    """A tree of high posterior probability.

    `log_joint` is the log weight of the tree under the program as written, plus the log marginal
    likelihood of its leaves (without it in a prior); `log_posterior` the log of its probability.
    Both sum over its derivations.
    """

    tree: Tree
    log_joint: float
    log_posterior: float


@dataclass(frozen=True)
class Draw:
    """One draw. `log_prior` is the log of the tree's prior probability, over all its derivations;
    `log_likelihood` that of the data given the tree."""

    tree: Tree
    log_prior: float
    log_likelihood: float
    chain: int = 0


@dataclass(frozen=True)
class FeatureUse:
    """Use of a feature: `probability` that the tree splits on it anywhere, and expected number of
    splits."""

    probability: float
    expected_splits: float


class Posterior:
    """The distribution over decision trees given a program and a table: the posterior, or the prior
    itself.

    Attributes
    ----------
    engine : name of the engine.
    reason : why this engine.
    table : the table it was given.
    likelihood : False if this is the prior.
    normalised : whether the program's weights are known to sum to 1 over all trees of every table.
    seed : of `draws`; taken from the system if none was given.
    """

    def __init__(
        self,
        distribution: TreeDistribution,
        grammar: TreeGrammar,
        geometry: Geometry,
        *,
        engine: str,
        reason: str,
        draws: int = 1000,
        seed: int | None = None,
    ) -> None:
        self.engine, self.reason = engine, reason
        self.table: Table = geometry.table
        self.likelihood = distribution.likelihood
        self.normalised = grammar.normalised and grammar.max_leaves is None
        self.seed = _fresh_seed() if seed is None else seed
        self._n_draws = draws
        self._distribution, self._grammar, self._geometry = distribution, grammar, geometry
        if distribution.log_total == -np.inf:
            raise _no_tree()

    def __repr__(self) -> str:
        kind = "posterior" if self.likelihood else "prior"
        return f"<{kind} over trees of {self.table.response}, engine {self.engine}>"

    # --- evidence ------------------------------------------------------------------------------

    @property
    def log_evidence(self) -> float | None:
        """log P(response | features) under the prior normalised over its support; None for a prior.

        With `majority` the prior itself looks at the response, and then this is no Bayes factor
        against another program: see `evidence_note`.
        """
        if not self.likelihood:
            return None
        return self._distribution.log_total - self._log_prior_total

    @property
    def evidence_note(self) -> str | None:
        """What must be said beside the evidence, if anything."""
        looks = any(isinstance(r, LeafRule) and r.majority for _, r in self._grammar.rules())
        if not looks:
            return None
        return (
            "majority looks at the response, so the prior is normalised with it in view; "
            "do not compare this evidence with that of another program"
        )

    @cached_property
    def _log_prior_total(self) -> float:
        """Log of the prior weight of all trees together."""
        return 0.0 if self.normalised else self._prior_distribution.log_total

    @cached_property
    def _prior_distribution(self) -> TreeDistribution:
        return self._distribution.other(likelihood=False)

    def prior(self) -> Posterior:
        """The prior over the same trees, with the same engine and seed."""
        return Posterior(
            self._prior_distribution,
            self._grammar,
            self._geometry,
            engine=self.engine,
            reason=self.reason,
            draws=self._n_draws,
            seed=self.seed,
        )

    # --- trees ---------------------------------------------------------------------------------

    @property
    def derivations_are_trees(self) -> bool:
        """Whether each tree surely has one derivation.

        If not, `map`, `k_best` and `tree_count` are over derivations: a tree may be listed and
        counted once for each of them, and a tree of many derivations may have more probability than
        the first one listed. All else is over trees.
        """
        return self._distribution.derivations_are_trees

    def tree_count(self) -> int | float:
        """Number of trees (derivations) of probability above zero: an int below 2**53, else a float
        with the usual rounding, inf beyond 1.8e308."""
        count = self._distribution.tree_count()
        return int(count) if count < 2**53 else count

    def map(self) -> MapTree:
        """The tree of the best derivation, with its probability."""
        return self._best

    @cached_property
    def _best(self) -> MapTree:
        return self.k_best(1)[0]

    def map_tree(self) -> Tree:
        """The tree of the best derivation."""
        return self._best.tree

    def k_best(self, k: int) -> list[MapTree]:
        """The trees of the `k` best derivations, best first; fewer if there are no more.

        Raises
        ------
        UsageError
            `k` is no whole number from 0 up (E505).
        """
        check_count("k", k)
        return [self._with_probability(s) for s in islice(self._distribution.best(), k)]

    def _with_probability(self, scored: ScoredTree) -> MapTree:
        joint = self._log_weight(scored) + self.likelihood * scored.log_likelihood
        return MapTree(scored.tree, joint, joint - self._distribution.log_total)

    def _log_weight(self, scored: ScoredTree) -> float:
        if self.derivations_are_trees:
            return scored.log_weight
        return self._distribution.log_weight(scored.tree)

    def sample(self, n: int, seed: int | None = None) -> list[Tree]:
        """`n` independent draws, apart from `draws`.

        Raises
        ------
        UsageError
            `n` or `seed` is no whole number from 0 up (E505).
        """
        check_count("n", n)
        if seed is not None:
            check_count("seed", seed)
        rng = np.random.default_rng(_fresh_seed() if seed is None else seed)
        return [scored.tree for scored in self._distribution.draw(n, rng)]

    @cached_property
    def draws(self) -> list[Draw]:
        """The draws that were asked for, independent, made with `seed`."""
        drawn = self._distribution.draw(self._n_draws, np.random.default_rng(self.seed))
        weights: dict[Tree, float] = {}
        out = []
        for scored in drawn:
            if scored.tree not in weights:
                weights[scored.tree] = self._log_weight(scored) - self._log_prior_total
            out.append(Draw(scored.tree, weights[scored.tree], scored.log_likelihood))
        return out

    def log_prior(self, tree: Tree) -> float:
        """Log prior probability of any tree that parts the table's rows as `tree` does (thresholds
        need not be canonical, leaf summaries are ignored); -inf off the support."""
        return self._distribution.log_weight(tree) - self._log_prior_total

    def log_likelihood(self, tree: Tree) -> float:
        """Log marginal likelihood of the response given the tree; -inf where the coded table does
        not tell how the tree parts its rows."""
        return log_likelihood_of_tree(self._geometry, tree)

    def log_posterior(self, tree: Tree) -> float:
        """Log probability of all trees that part the table's rows as `tree` does; -inf off the
        support."""
        weight = self._distribution.log_weight(tree)
        if self.likelihood and weight > -np.inf:
            weight += self.log_likelihood(tree)
        return weight - self._distribution.log_total

    # --- predictions ---------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities averaged over all trees, shape (m, C), in the order of
        `table.leaf.classes`.

        Raises
        ------
        UsageError
            The response is numeric (E506).
        DataError
            `X` lacks a column, or a value.
        """
        if not self.table.leaf.classes:
            message = "the response is numeric, it has no class probabilities"
            raise _usage("E506", message, "use predict or predict_interval")
        leaf = self.table.leaf
        rows = [m.probability @ leaf.predict_proba(m.statistics) for m in self._mixtures(X)]
        return np.array(rows).reshape(len(rows), len(leaf.classes))

    def predict(self, X: Any) -> NDArray[Any]:
        """For each row, the most probable class (on a tie the first), or the predictive mean; shape
        (m,)."""
        leaf = self.table.leaf
        if leaf.classes:
            best = self.predict_proba(X).argmax(axis=1)
            return np.array([leaf.classes[c] for c in best], np.str_)
        means = [np.dot(m.probability, leaf.mean(m.statistics)) for m in self._mixtures(X)]
        return np.array(means, np.float64)

    def predict_interval(self, X: Any, level: float = 0.9) -> NDArray[np.float64]:
        """Central predictive interval of a numeric response, averaged over all trees: shape (m, 2).

        The ends are the quantiles (1 - level) / 2 and (1 + level) / 2 of the mixture of all leaves
        that the row may end in: the least value whose distribution function reaches them.

        Raises
        ------
        UsageError
            The response has classes (E507), or `level` is not between 0 and 1 (E508).
        DataError
            `X` lacks a column, or a value.
        """
        leaf = self.table.leaf
        if leaf.classes:
            message = "the response has classes, it has no predictive interval"
            raise _usage("E507", message, "use predict_proba")
        if not isinstance(level, int | float | np.number) or not 0 < level < 1:
            raise _usage("E508", f"level is {level}", "take a level between 0 and 1, such as 0.9")
        tails = ((1 - level) / 2, (1 + level) / 2)
        rows = [[mixture_quantile(leaf, m, q) for q in tails] for m in self._mixtures(X)]
        return np.array(rows, np.float64).reshape(len(rows), 2)

    def _mixtures(self, X: Any) -> Iterator[LeafMixture]:
        return self._distribution.leaf_mixtures(self.table.new_rows(X))

    # --- summaries -----------------------------------------------------------------------------

    def split_probabilities(self) -> dict[str, FeatureUse]:
        """For each feature how much it is used."""
        return self._feature_use

    @cached_property
    def _feature_use(self) -> dict[str, FeatureUse]:
        used, splits = self._distribution.usage(), self._distribution.expected_splits()
        pairs = zip(used.tolist(), splits.tolist(), strict=True)
        return {
            name: FeatureUse(*pair)
            for name, pair in zip(self.table.feature_names, pairs, strict=True)
        }

    def expected_leaves(self) -> float:
        """Expected number of leaves: one more than the expected number of splits."""
        return 1.0 + float(self._expected_splits.sum())

    @cached_property
    def _expected_splits(self) -> NDArray[np.float64]:
        return self._distribution.expected_splits()

    def expected_depth(self) -> float:
        """Expected depth (splits on the longest path)."""
        mass = self.depth_distribution()
        return float(mass @ np.arange(len(mass)))

    def leaf_distribution(self) -> NDArray[np.float64]:
        """Probability of k leaves at index k = 0, 1, ...; ends where what is left is below
        1e-12."""
        return self._leaf_distribution

    @cached_property
    def _leaf_distribution(self) -> NDArray[np.float64]:
        return self._distribution.leaf_distribution()

    def depth_distribution(self) -> NDArray[np.float64]:
        """Probability of depth t at index t = 0, 1, ...; ends where what is left is below 1e-12."""
        return self._depth_distribution

    @cached_property
    def _depth_distribution(self) -> NDArray[np.float64]:
        return self._distribution.depth_distribution()


def _fresh_seed() -> int:
    return int(np.random.SeedSequence().generate_state(1)[0])


def _usage(code: str, message: str, help: str) -> UsageError:
    return UsageError(Diagnostic(code, message, help=help))


def check_count(name: str, value: object) -> None:
    """Raise UsageError E505 unless `value` is a whole number from 0 up."""
    if not isinstance(value, int | np.integer) or value < 0:
        shown = repr(value) if isinstance(value, str) else value
        raise _usage("E505", f"{name} is {shown}", "take a whole number from 0 up")


def _no_tree() -> SlpError:
    message = "no tree satisfies the program on this table: nothing is left of the prior"
    help = "loosen the constraints or the support; `slp explain` shows what each state allows"
    return SlpError(Diagnostic("E504", message, help=help))
