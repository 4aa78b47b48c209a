"""`DrawnResult`: the result of a sampler. Every average is an estimate with its Monte Carlo
standard error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, takewhile
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.budgets.seconds import Deadline
from slp.errors import UsageError
from slp.ir.tree_grammar import TreeGrammar
from slp.messages.results import NO_DRAWS_OF_TREES
from slp.problem.boxes import Geometry
from slp.results.averages.over_trees import ScoredTree
from slp.results.averages.weighted_draws import (
    DrawnTrees,
    IndependentTrees,
    WeightedDraws,
    numbered,
)
from slp.results.estimate import Estimate
from slp.results.record.choice import EngineChoice
from slp.results.record.result import Candidate, Draw, Result
from slp.results.record.rule_use import RuleUse, clauses_of, no_rules, rules_of_mixture
from slp.results.trust.convergence import time_for_statistics
from slp.results.trust.diagnostics import Diagnostics, diagnose
from slp.results.trust.tempering import Scan, TemperingFigures
from slp.runner import Json, RunResult, Schedule, Stepper, Stop, never
from slp.source import SourceSpan
from slp.trees import Tree

S = TypeVar("S")


class TreeSampler(Stepper[S], Protocol[S]):
    """A `Stepper` whose records stand for trees."""

    @property
    def result_type(self) -> type[DrawnResult]:
        """The class of its results."""
        ...

    @property
    def in_core(self) -> bool:
        """Whether its steps are made in the compiled core."""
        ...

    @property
    def over_edits(self) -> bool:
        """Whether its records are edits of a given tree."""
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
    def scan(self) -> Scan | None:
        """A step of tempered chains; None where chains are not tempered."""
        ...

    def tempering(self, states: Sequence[Any], share: float) -> TemperingFigures | None:
        """What tempered chains tell by the last states of a run, over the last scans after warm-up,
        a share of them; None where chains are not tempered."""
        ...

    @property
    def rule_grammar(self) -> TreeGrammar | None:
        """The grammar whose rules derivations take; None if the rules are not known."""
        ...

    def n_nodes(self, record: Json) -> int:
        """How many nodes the tree of a record has, at most."""
        ...

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """State and rule, by position, at each goal of a record's derivation, in order."""
        ...

    def log_weight(self, tree: Tree) -> float:
        """Log weight under the program as written of all derivations that part the rows as `tree`
        does; -inf off the support, NaN where it is not known."""
        ...


class Again(Protocol):
    """Makes draws with or without likelihood in another run, or the sampler alone; it can be
    pickled."""

    def __call__(self, likelihood: bool) -> DrawnResult: ...

    def sampler(self, likelihood: bool) -> TreeSampler[Any]:
        """The sampler."""
        ...


@dataclass(frozen=True)
class HowDrawn:
    """How draws were made.

    Attributes
    ----------
    choice, likelihood, seed : as of `Result`.
    schedule : how long the chains were to run.
    threads : those that the draws are averaged in.
    room : bytes that averages may use; None for no limit.
    again : makes draws with or without likelihood, for `prior`.
    deadline : when to score no more draws, and to begin no statistics of chains.
    """

    choice: EngineChoice
    likelihood: bool
    seed: int
    schedule: Schedule
    threads: int
    room: int | None
    again: Again
    deadline: Deadline


class DrawnResult(Result):
    """The distribution over trees as draws show it."""

    averages_type: type[DrawnTrees] = DrawnTrees

    def __init__(self, sampler: TreeSampler[Any], run: RunResult, how: HowDrawn) -> None:
        super().__init__(
            sampler.geometry.table,
            choice=how.choice,
            likelihood=how.likelihood,
            normalised=sampler.normalised,
            seed=how.seed,
        )
        self.sampler, self._how = sampler, how
        self._tempering = sampler.tempering(run.states, run.share)
        self._run = replace(run, states=())

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: every draw is scored, and the sampler is left out; the copy makes it
        again."""
        if any(self._run.draws):
            _ = self.averages
        return {**vars(self), "sampler": None, "_how": replace(self._how, deadline=Deadline())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.sampler = self._how.again.sampler(self.likelihood)

    # --- evidence ------------------------------------------------------------------------------

    @property
    def log_evidence(self) -> Estimate | None:
        """See `Result`: by tempered chains; None by others."""
        if self._tempering is not None:
            return self._tempering.log_evidence if self.likelihood else None
        if not self.likelihood or not self.normalised or not any(self._run.draws):
            return None
        found = self.averages.log_evidence()
        return None if found is None else Estimate.drawn(*found)

    @property
    def evidence_note(self) -> str | None:
        return self.sampler.evidence_note

    def prior(self) -> DrawnResult:
        """See `Result`: by another run."""
        return self._how.again(False)

    # --- the run -------------------------------------------------------------------------------

    @property
    def interrupted(self) -> bool:
        return self._run.interrupted or self.n_scored < self._n_drawn

    @property
    def out_of_time(self) -> bool:
        return self._run.out_of_time or self.n_scored < self._n_drawn

    @property
    def _n_drawn(self) -> int:
        return sum(map(len, self._run.draws))

    @property
    def n_scored(self) -> int:
        """How many draws there are: those that were scored before the time was over."""
        return sum(map(len, self.averages.chains)) if self._n_drawn else 0

    @property
    def schedule(self) -> Schedule:
        """See `Result`; its `rounds` are those that were made."""
        return replace(self._how.schedule, rounds=self._run.rounds)

    @cached_property
    def diagnostics(self) -> Diagnostics:
        scores = {"log_posterior": self.log_joint}
        return diagnose(self.averages, scores, self._run.tallies, self._tempering)

    # --- trees ---------------------------------------------------------------------------------

    @property
    def derivations_are_trees(self) -> bool:
        """See `Result`. Draws are always trees."""
        return self.sampler.derivations_are_trees

    def log_weight(self, tree: Tree) -> float:
        return self.sampler.log_weight(tree)

    @cached_property
    def log_joint(self) -> NDArray[np.float64]:
        """Log posterior of each distinct tree up to a constant, shape (U,)."""
        pairs = ((t.log_weight, t.log_likelihood) for t in self.averages.trees)
        return np.array([weight + self.likelihood * fit for weight, fit in pairs])

    def best(self) -> Iterator[Candidate]:
        """See `Result`: the best by weight times likelihood; better ones may not have been
        drawn."""
        for u in np.argsort(-self.log_joint, kind="stable"):
            tree, joint = self.shown(self.averages.trees[u].tree), float(self.log_joint[u])
            yield Candidate(tree, joint, self.log_probability(joint))

    def sample(self, n: int, rng: np.random.Generator) -> list[Tree]:
        found = rng.choice(len(self.averages.trees), n, p=self.averages.frequency)
        return [self.shown(self.averages.trees[u].tree) for u in found]

    @cached_property
    def draws(self) -> Sequence[Draw]:
        if not any(self._run.draws):
            return []
        drawn, out = self.averages, []
        for c, weights in enumerate(drawn.draw_weights):
            for u, weight in zip(drawn.chains[c], weights.tolist(), strict=True):
                out.append(self.draw(drawn.trees[u], c, weight))
        return out

    def draw(self, scored: ScoredTree, chain: int, weight: float) -> Draw:
        """One draw, as it is handed out."""
        prior = scored.log_weight if self.normalised else None
        tree, fit = self.shown(scored.tree), scored.log_likelihood
        return Draw(tree, scored.log_weight, prior, fit, chain, weight)

    @property
    def monte_carlo(self) -> DrawnTrees:
        return self.averages

    @cached_property
    def averages(self) -> DrawnTrees:
        """The draws by distinct trees.

        Raises
        ------
        UsageError
            E530: there are none.
        """
        if not any(self._run.draws):
            raise UsageError(NO_DRAWS_OF_TREES())
        keys = [[json.dumps(record) for record in draws] for draws in self._run.draws]
        # Draw after draw of all chains: a time that ends here leaves each chain as much.
        distinct = {
            own[t]: draws[t]
            for t in range(max(map(len, keys)))
            for own, draws in zip(keys, self._run.draws, strict=True)
            if t < len(own)
        }
        scored = self.sampler.scored(list(distinct.values()), self._how.deadline.over)
        known = dict(zip(distinct, scored, strict=False))
        found = [[known[key] for key in takewhile(known.__contains__, own)] for own in keys]
        _, chains = numbered([[one.tree for one in own] for own in found])
        trees: dict[Tree, ScoredTree] = {}
        for one in chain.from_iterable(found):
            trees.setdefault(one.tree, one)
        scored_trees = list(trees.values())
        log_weights = self._log_weights(chains, scored_trees)
        threads, room = self._how.threads, self._how.room
        out_of_time = not time_for_statistics(self._how.deadline)
        return self.averages_type(
            self.table, scored_trees, chains, threads, room, log_weights, out_of_time
        )

    def _log_weights(
        self, chains: Sequence[NDArray[np.int64]], trees: Sequence[ScoredTree]
    ) -> list[NDArray[np.float64]] | None:
        """The log weights of the draws of each island; None for chains. `chains` are the draws as
        numbers of trees."""
        if self.schedule.thin is not None:
            return None
        pairs = zip(self._run.log_weights, chains, strict=True)
        return [np.array(own[: len(kept)]) for own, kept in pairs]

    # --- rules of the program ------------------------------------------------------------------

    def mixture(self) -> list[RuleUse]:
        grammar = self.sampler.rule_grammar
        rules = [] if grammar is None or not self._n_drawn else rules_of_mixture(grammar)
        return self._rule_uses(rules) if rules else []

    def rule_uses(self) -> list[RuleUse]:
        """See `Result`: shares and means over the draws, by their own derivations, each with its
        error."""
        return self._rule_uses(None)

    def _rule_uses(self, only: list[SourceSpan] | None) -> list[RuleUse]:
        grammar = self.sampler.rule_grammar
        if grammar is None:
            raise no_rules(self.choice.engine)
        clauses = clauses_of(grammar)
        number = {span: c for c, span in enumerate(clauses)}

        def values(record: Json) -> NDArray[np.float64]:
            taken = self.sampler.rules_taken(record)
            spans = [grammar.states[s].rules[r].span for s, r in taken]
            own = [number[span] for span in spans if span in number]
            counts = np.bincount(own, minlength=len(clauses)).astype(np.float64)
            first = np.zeros(len(clauses))
            if spans and spans[0] in number:
                first[own[0]] = 1.0
            return np.stack([first, (counts > 0).astype(np.float64), counts])

        scored = zip(self._run.draws, self.averages.chains, strict=True)
        distinct, chains = numbered(
            [[json.dumps(record) for record in draws[: len(own)]] for draws, own in scored]
        )
        every = np.array([values(json.loads(record)) for record in distinct])
        of = (self.averages.log_weights, self.averages.out_of_time)
        drawn = WeightedDraws(len(every), chains, *of)
        mean, error = drawn.mean(every), drawn.error(every)
        return [
            RuleUse.of(span, *mean[:, c].tolist(), *error[:, c].tolist())
            for c, span in enumerate(clauses)
            if only is None or span in only
        ]


class ForwardResult(DrawnResult):
    """A prior by draws that do not depend on each other, so that nothing needs to converge, and
    their errors are known without statistics of chains."""

    averages_type = IndependentTrees

    @cached_property
    def diagnostics(self) -> Diagnostics:
        return replace(super().diagnostics, source="independent", out_of_time=False)
