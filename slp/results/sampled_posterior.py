"""`SampledPosterior`: a posterior by the draws of a sampler. Every average is an estimate, with its
Monte Carlo standard error beside it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from slp import results
from slp.errors import Diagnostic, UsageError
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.boxes import Geometry
from slp.results.averages import ScoredTree
from slp.results.choice import Choice
from slp.results.diagnostics import Diagnostics, diagnose
from slp.results.drawn import DrawnTrees
from slp.results.posterior import Draw, FeatureUse, MapTree, Posterior
from slp.results.rule_use import RuleUse, clauses_of, no_rules, rules_of_mixture
from slp.runner import Json, RunResult, Schedule, Stepper, Stop, never
from slp.runner.options import check_count, fresh_seed
from slp.trees import Tree

__all__ = ["ForwardPosterior", "Said", "SampledPosterior", "TreeSampler"]

S = TypeVar("S")


class TreeSampler(Stepper[S], Protocol[S]):
    """A `Stepper` whose records stand for trees."""

    @property
    def posterior_type(self) -> type[SampledPosterior]:
        """What stands on its draws."""
        ...

    @property
    def geometry(self) -> Geometry:
        """The boxes of the table that it runs on."""
        ...

    @property
    def normalised(self) -> bool:
        """Whether the weights of all trees are known to sum to 1."""
        ...

    @property
    def derivations_are_trees(self) -> bool:
        """Whether it is certain that no tree has two derivations."""
        ...

    @property
    def evidence_note(self) -> str | None:
        """What must be said of the prior's normaliser, if anything."""
        ...

    def scored(self, records: Sequence[Json], stop: Stop = never) -> list[ScoredTree]:
        """The tree of each record, its log weight under the program as written (over all its
        derivations; NaN where that is not known), and its log likelihood; of the first records
        alone where `stop` says so, which is asked between any two."""
        ...

    @property
    def rule_grammar(self) -> TreeGrammar | None:
        """The grammar whose rules derivations take; None where they take none that are known."""
        ...

    def n_nodes(self, record: Json) -> int:
        """How many nodes the tree of a record has, at most."""
        ...

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """State and rule, by position, of each step of a record's derivation, the first first."""
        ...

    def log_weight(self, tree: Tree) -> float:
        """Log weight under the program as written of all derivations that part the rows as `tree`
        does; -inf off the support, NaN where it is not known."""
        ...


class Rerun(Protocol):
    """Makes draws with or without likelihood by a run of its own, and the engine alone; it can be
    pickled."""

    def __call__(self, likelihood: bool) -> SampledPosterior: ...

    def sampler(self, likelihood: bool) -> TreeSampler[Any]:
        """The engine."""
        ...


class Said(TypedDict):
    """What a sampled posterior is told of itself: see `SampledPosterior`."""

    choice: Choice
    likelihood: bool
    seed: int
    threads: int
    room: int | None
    schedule: Schedule
    run: Rerun
    stop: Stop


class SampledPosterior(Posterior):
    """The distribution over trees as draws show it; see `Posterior`.

    `run` makes draws with or without likelihood, for `prior`; `threads` are those that the draws
    are averaged in, `room` the bytes that averages may hold at a time, None for no limit; `stop`
    says when to score no more draws.
    """

    def __init__(self, sampler: TreeSampler[Any], result: RunResult, **said: Unpack[Said]) -> None:
        super().__init__(
            sampler.geometry,
            choice=said["choice"],
            likelihood=said["likelihood"],
            normalised=sampler.normalised,
            seed=said["seed"],
        )
        self._sampler, self._result = sampler, result
        self._run, self._threads, self._room = said["run"], said["threads"], said["room"]
        self._schedule = said["schedule"]
        self._stop = said["stop"]

    def __getstate__(self) -> dict[str, Any]:
        """To be pickled: every draw scored, and without the engine, which is made again."""
        if any(self._result.draws):
            _ = self._averages
        return {**vars(self), "_sampler": None, "_stop": never}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._sampler = self._run.sampler(self.likelihood)

    # --- what draws do not tell ----------------------------------------------------------------

    @property
    def log_evidence(self) -> None:
        """None: Metropolis-Hastings does not estimate it."""
        return None

    @property
    def evidence_note(self) -> str | None:
        """See `Posterior`."""
        return self._sampler.evidence_note

    def tree_count(self) -> None:
        """None: draws do not count trees."""
        return None

    @property
    def derivations_are_trees(self) -> bool:
        """See `Posterior`. Draws are trees in any case."""
        return self._sampler.derivations_are_trees

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before it had made all draws."""
        return self._result.interrupted or self.n_scored < self._n_drawn

    @property
    def out_of_time(self) -> bool:
        """Whether it was its time that stopped it."""
        return self._result.out_of_time or self.n_scored < self._n_drawn

    @property
    def _n_drawn(self) -> int:
        return sum(map(len, self._result.draws))

    @property
    def n_scored(self) -> int:
        """How many draws there are: those that were scored before the time was over."""
        return sum(map(len, self._averages.chains)) if self._n_drawn else 0

    @property
    def schedule(self) -> Schedule:
        """How long its chains were to run."""
        return self._schedule

    def prior(self) -> SampledPosterior:
        """The prior over the same trees, by a run of its own."""
        return self._run(False)

    def log_prior(self, tree: Tree) -> float | None:
        """See `Posterior`. None for a tree of the support where the program's weights are not known
        to sum to 1."""
        weight = self._sampler.log_weight(tree)
        return weight if self.normalised or weight == -math.inf else None

    def log_posterior(self, tree: Tree) -> float | None:
        """-inf off the support, else None, as the evidence is not known; for a prior `log_prior`.

        What is known up to a constant is `log_weight` + `log_likelihood` of the draws.
        """
        prior = self.log_prior(tree)
        return prior if not self.likelihood or prior == -math.inf else None

    # --- trees ---------------------------------------------------------------------------------

    def k_best(self, k: int) -> list[MapTree]:
        """The best of the trees drawn, by weight times likelihood; better ones may not have been
        drawn."""
        check_count("k", k)
        joint = self._log_joint
        best = np.argsort(-joint, kind="stable")[:k]
        return [self._map_tree(self._averages.trees[u], float(joint[u])) for u in best]

    def _map_tree(self, scored: ScoredTree, joint: float) -> MapTree:
        known = self.normalised and not self.likelihood
        return MapTree(self._shown(scored.tree), joint, joint if known else None, certified=False)

    @cached_property
    def _log_joint(self) -> NDArray[np.float64]:
        """Log posterior of each distinct tree up to a constant, shape (U,)."""
        pairs = ((t.log_weight, t.log_likelihood) for t in self._averages.trees)
        return np.array([weight + self.likelihood * fit for weight, fit in pairs])

    def sample(self, n: int, seed: int | None = None) -> list[Tree]:
        """`n` trees from `draws`, with replacement."""
        check_count("n", n)
        if seed is not None:
            check_count("seed", seed, most=math.inf)
        rng = np.random.default_rng(fresh_seed() if seed is None else seed)
        found = rng.choice(len(self._averages.trees), n, p=self._averages.frequency)
        return [self._shown(self._averages.trees[u].tree) for u in found]

    @cached_property
    def draws(self) -> Sequence[Draw]:
        """The draws, chain after chain."""
        if not any(self._result.draws):
            return []
        trees = self._averages.trees
        return [
            self._draw(trees[u], c) for c, chain in enumerate(self._averages.chains) for u in chain
        ]

    def _draw(self, scored: ScoredTree, chain: int) -> Draw:
        prior = scored.log_weight if self.normalised else None
        return Draw(
            self._shown(scored.tree), scored.log_weight, prior, scored.log_likelihood, chain
        )

    @cached_property
    def _averages(self) -> DrawnTrees:
        """The draws by distinct trees.

        Raises
        ------
        UsageError
            E530: there are none.
        """
        if not any(self._result.draws):
            message = "nothing was drawn, so there is nothing to say of the trees"
            raise UsageError(Diagnostic("E530", message, help="ask for draws, as with draws=1000"))
        keys = [[json.dumps(record) for record in draws] for draws in self._result.draws]
        # Draw after draw of all chains: a time that ends here leaves each chain as much.
        distinct = {
            chain[t]: draws[t]
            for t in range(max(map(len, keys)))
            for chain, draws in zip(keys, self._result.draws, strict=True)
            if t < len(chain)
        }
        scored = self._sampler.scored(list(distinct.values()), self._stop)
        known = dict(zip(distinct, scored, strict=False))
        numbers: dict[Tree, int] = {}
        trees: list[ScoredTree] = []
        chains = []
        for chain in keys:
            numbered = []
            for found in map(known.__getitem__, takewhile(known.__contains__, chain)):
                number = numbers.setdefault(found.tree, len(trees))
                if number == len(trees):
                    trees.append(found)
                numbered.append(number)
            chains.append(np.array(numbered, np.int64))
        return DrawnTrees(self.table, trees, chains, self._threads, self._room)

    # --- rules of the program ------------------------------------------------------------------

    def rule_probabilities(self) -> list[RuleUse]:
        """See `Posterior`; by the draws' own derivations, each number with its error."""
        if self._sampler.rule_grammar is None:
            raise no_rules(self.engine)
        return self._rule_uses(self._sampler.rule_grammar)

    def mixture(self) -> list[RuleUse]:
        """See `Posterior`."""
        grammar = self._sampler.rule_grammar
        found = [] if grammar is None else rules_of_mixture(grammar)
        uses = self._rule_uses(grammar) if grammar is not None and found and self._n_drawn else []
        places = {(s.file.name, s.file.line_column(s.start)[0]) for s in found}
        return [use for use in uses if (use.file, use.line) in places]

    def _rule_uses(self, grammar: TreeGrammar) -> list[RuleUse]:
        """Shares and means over the draws, of each rule whether it comes first, whether it is used,
        and how often."""
        kept = map(len, self._averages.chains)
        clauses = clauses_of(grammar)
        number = {span: c for c, span in enumerate(clauses)}

        def values(record: Json) -> NDArray[np.float64]:
            taken = self._sampler.rules_taken(record)
            spans = [grammar.states[s].rules[r].span for s, r in taken]
            own = [number[span] for span in spans if span in number]
            counts = np.bincount(own, minlength=len(clauses)).astype(np.float64)
            first = np.zeros(len(clauses))
            if spans and spans[0] in number:
                first[own[0]] = 1.0
            return np.stack([first, (counts > 0).astype(np.float64), counts])

        chains = [c[:n] for c, n in zip(self._result.draws, kept, strict=True) if n]
        length = min(map(len, chains))
        known: dict[str, NDArray[np.float64]] = {}
        for record in (record for chain in chains for record in chain):
            key = json.dumps(record)
            if key not in known:
                known[key] = values(record)
        every = np.array([[known[json.dumps(r)] for r in chain[:length]] for chain in chains])
        mean = every.mean(axis=(0, 1))
        error = results.monte_carlo_errors(every.reshape(*every.shape[:2], -1)).reshape(mean.shape)
        return [
            RuleUse.of(span, *mean[:, c].tolist(), *error[:, c].tolist())
            for c, span in enumerate(clauses)
        ]

    # --- Monte Carlo errors --------------------------------------------------------------------

    @cached_property
    def _feature_use(self) -> dict[str, FeatureUse]:
        drawn = self._averages
        splits = drawn.splits.astype(np.float64)
        used = (splits > 0).astype(np.float64)
        columns = (drawn.mean(used), drawn.mean(splits), drawn.error(used), drawn.error(splits))
        return {
            name: FeatureUse(*(float(column[f]) for column in columns))
            for f, name in enumerate(self.table.feature_names)
        }

    def expected_leaves_error(self) -> float:
        """Monte Carlo standard error of `expected_leaves`."""
        return float(self._averages.error(self._averages.n_leaves.astype(np.float64)))

    def expected_depth_error(self) -> float:
        """Monte Carlo standard error of `expected_depth`."""
        return float(self._averages.error(self._averages.depth.astype(np.float64)))

    def predict_error(self, X: Any) -> NDArray[np.float64]:
        """See `Posterior`."""
        return self._averages.predictive_error(self.table.new_rows(X))

    @cached_property
    def _diagnostics(self) -> Diagnostics:
        looked_at = {"log_posterior": self._log_joint}
        return diagnose(self._averages, looked_at, self._result.tallies)

    @property
    def diagnostics(self) -> Diagnostics:
        """R-hat, effective draws and what became of proposals."""
        return self._diagnostics


class ForwardPosterior(SampledPosterior):
    """A prior by draws that do not depend on each other, so that nothing needs to converge."""

    @cached_property
    def _diagnostics(self) -> Diagnostics:
        return replace(super()._diagnostics, warnings=())
