"""`result_of_draws`: the result of a sampler. Every average is an estimate with its Monte Carlo
standard error.

`Drawn` is what a record of draws is filled with. Samplers whose draws tell more, or less, fill it
by functions of their own, with other parts: `result_of_independent_draws` here, and those of
`slp.results.record.backtracking`, `slp.results.record.edits`, `slp.engines.smc.result` and
`slp.engines.rjhmc.result`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.budgets.seconds import Deadline
from slp.errors import UsageError
from slp.messages.results import NO_DRAWS_OF_TREES
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.results.averages.drawn_trees import DrawnTrees, IndependentTrees
from slp.results.averages.over_trees import ScoredTrees
from slp.results.averages.weighted_draws import WeightedDraws, numbered
from slp.results.estimate import Estimate
from slp.results.record.later import Later
from slp.results.record.parts import Candidate, Draw, Ended, Evidence, ResultKind, shown
from slp.results.record.result import Result
from slp.results.record.rule_use import RuleUse, clauses_of, no_rules, rules_of_mixture
from slp.results.record.sampler import HowDrawn, TreeSampler
from slp.results.trust.convergence import time_for_statistics
from slp.results.trust.diagnostics import Diagnostics, diagnose
from slp.runner import Json, RunResult
from slp.source import SourceSpan
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.results.record.edit_summary import EditSummary


#: From the draws of each chain as numbers of trees, and the trees, to the log weights of the draws
#: of each island; None of chains.
Weigh: TypeAlias = Callable[
    [Sequence[NDArray[np.int64]], ScoredTrees], list[NDArray[np.float64]] | None
]


def result_of_draws(sampler: TreeSampler[Any], run: RunResult, how: HowDrawn) -> Result:
    """The distribution over trees as draws of chains show it; the evidence where they are
    tempered."""
    return Drawn(sampler, run, how).result()


def result_of_independent_draws(sampler: TreeSampler[Any], run: RunResult, how: HowDrawn) -> Result:
    """A prior by draws that do not depend on each other, so that nothing needs to converge, and
    their errors are known without statistics of chains."""
    drawn = Drawn(sampler, run, how, IndependentTrees)
    return drawn.result(diagnostics=drawn.diagnosed_as_independent)


class Drawn:
    """What a sampler drew, scored, and what a record is filled with.

    Parameters
    ----------
    sampler, run, how : as of `ToResult`.
    average : makes averages over the draws.
    weigh : the log weights of the draws of each island, from the numbers of its trees and the
        trees; None of chains. By default those of the run, where it is of islands.
    weights_known : whether the weights of trees under the program are known. If not, the best trees
        are those with the largest share of the draws, of equal ones the likeliest first.

    Attributes
    ----------
    averaged : the draws by distinct trees; None where nothing was drawn.
    tempering : figures of tempered chains; None of others.
    """

    def __init__(
        self,
        sampler: TreeSampler[Any],
        run: RunResult,
        how: HowDrawn,
        average: type[DrawnTrees] = DrawnTrees,
        weigh: Weigh | None = None,
        *,
        weights_known: bool = True,
    ) -> None:
        self.sampler, self.how = sampler, how
        self.table, self.normalised = sampler.table, sampler.normalised
        self.tempering = sampler.tempering(run.states, run.share)
        self.weights_known = weights_known
        #: How many draws the run made.
        self.n_drawn = sum(map(len, run.records))
        self.run = run
        self.averaged = self._averaged(average, weigh or self._weights_of_run)
        self.run = replace(run, states=(), records=[])

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: the sampler is left out, and the copy makes it again."""
        return {**vars(self), "sampler": None, "how": replace(self.how, deadline=Deadline())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.sampler = self.how.again.sampler(self.how.likelihood)

    def result(
        self,
        *,
        kind: ResultKind = "trees",
        evidence: Evidence | None = None,
        diagnostics: Callable[[], Diagnostics] | None = None,
        edits: Callable[[], EditSummary] | None = None,
        log_weight: Callable[[Tree], float] | None = None,
        log_likelihood: Callable[[Tree], float] | None = None,
    ) -> Result:
        """The record. What is given takes the place of what chains tell."""
        how = self.how
        return Result(
            chosen=how.choice,
            table=self.table,
            likelihood=how.likelihood,
            normalised=self.normalised,
            seed=how.seed,
            kind=kind,
            evidence=evidence or self.evidence(self.log_evidence()),
            averaged=self.averaged,
            derivations_are_trees=Later(self.derivations_are_trees),
            best=self.best,
            draws=Later(self.draws),
            log_weight=log_weight or self.log_weight,
            log_likelihood=log_likelihood or partial(log_likelihood_of_tree, self.table),
            rules=self.rules,
            mixture=self.mixture,
            prior=self.prior,
            diagnostics=Later(diagnostics or self.diagnosed),
            schedule=replace(how.schedule, rounds=self.run.rounds),
            edits=Later.known(None) if edits is None else Later(edits),
            ended=Later.known(self.ended()),
        )

    # --- evidence ------------------------------------------------------------------------------

    def log_evidence(self) -> Estimate | None:
        """The log evidence by tempered chains, or by islands where the weights of the program sum
        to 1; None by others."""
        if not self.how.likelihood:
            return None
        if self.tempering is not None:
            return self.tempering.log_evidence
        found = self.averaged.log_evidence() if self.averaged and self.normalised else None
        return None if found is None else Estimate.drawn(*found)

    def evidence(
        self,
        estimate: Estimate | None,
        why_none: str | None = None,
        more_to_say: str | None = None,
    ) -> Evidence:
        """The part of the record; see `Evidence.of_trees`."""
        return Evidence.of_trees(
            estimate,
            why_none or f"the engine {self.how.choice.engine} does not estimate it",
            self.sampler.evidence_note,
            likelihood=self.how.likelihood,
            normalised=self.normalised,
            more_to_say=more_to_say,
        )

    def prior(self) -> Result:
        """See `Result`: by another run."""
        return self.how.again(False)

    # --- the run -------------------------------------------------------------------------------

    @property
    def n_scored(self) -> int:
        """How many draws there are: those that were scored before the time was over."""
        return 0 if self.averaged is None else sum(map(len, self.averaged.chains))

    def ended(self) -> Ended:
        """See `Result`."""
        early = self.n_scored < self.n_drawn
        return Ended(self.run.interrupted or early, self.run.out_of_time or early)

    @property
    def averages(self) -> DrawnTrees:
        """`averaged`.

        Raises
        ------
        UsageError
            E530: nothing was drawn.
        """
        if self.averaged is None:
            raise UsageError(NO_DRAWS_OF_TREES())
        return self.averaged

    def diagnosed(self) -> Diagnostics:
        """See `Result`: by the log posterior, or the log likelihood where the weights of trees are
        not known. Raises as `averages`."""
        if self.weights_known:
            return self.diagnosed_by({"log_posterior": self.log_joint()})
        return self.diagnosed_by({"log_likelihood": self.fit()})

    def diagnosed_by(self, scores: Mapping[str, NDArray[np.float64]]) -> Diagnostics:
        """Diagnostics by these quantities of each distinct tree, shape (U,), among others. Raises
        as `averages`."""
        return diagnose(self.averages, scores, self.run.tallies, self.tempering)

    def diagnosed_as_independent(self) -> Diagnostics:
        """Those of draws that do not depend on each other. Raises as `averages`."""
        return replace(self.diagnosed(), source="independent", out_of_time=False)

    # --- trees ---------------------------------------------------------------------------------

    def derivations_are_trees(self) -> bool:
        """See `Result`. Draws are always trees."""
        return self.sampler.derivations_are_trees

    def log_weight(self, tree: Tree) -> float:
        """See `Result`."""
        return self.sampler.log_weight(tree)

    def log_joint(self) -> NDArray[np.float64]:
        """Log posterior of each distinct tree up to a constant, shape (U,)."""
        found = self.averages.trees
        return found.log_weight + self.how.likelihood * found.log_likelihood

    def fit(self) -> NDArray[np.float64]:
        """The log likelihood of each distinct tree, shape (U,)."""
        return self.averages.trees.log_likelihood

    def best(self) -> Iterator[Candidate]:
        """See `Result`: the best by weight times likelihood; better ones may not have been
        drawn."""
        drawn = self.averages
        if not self.weights_known:
            for u in np.lexsort((-self.fit(), -drawn.frequency)):
                yield Candidate(self._shown(drawn.trees.trees[u]), None, None)
            return
        joints = self.log_joint()
        total = 0.0 if self.normalised and not self.how.likelihood else None
        for u in np.argsort(-joints, kind="stable"):
            joint = float(joints[u])
            known = None if total is None or math.isnan(joint) else joint
            yield Candidate(self._shown(drawn.trees.trees[u]), joint, known)

    def _shown(self, tree: Tree) -> Tree:
        return shown(tree, self.how.likelihood)

    def draws(self) -> Sequence[Draw]:
        """See `Result`."""
        drawn = self.averaged
        if drawn is None:
            return []
        trees, out = [self._shown(tree) for tree in drawn.trees.trees], []
        weights = drawn.trees.log_weight.tolist()
        fits = drawn.trees.log_likelihood.tolist()
        for c, shares in enumerate(drawn.draw_weights):
            for u, share in zip(drawn.chains[c].tolist(), shares.tolist(), strict=True):
                own = weights[u] if self.weights_known else None
                prior = own if self.normalised else None
                out.append(Draw(trees[u], own, prior, fits[u], c, share))
        return out

    def _averaged(self, average: type[DrawnTrees], weigh: Weigh) -> DrawnTrees | None:
        """The draws by distinct trees; None if there are none."""
        records = self.run.records
        #: The distinct records that were scored, and the draws of each chain as their numbers.
        self.records, self.of_chains = list[str](), list[NDArray[np.int64]]()
        if not any(records):
            return None
        # Draw after draw of all chains: a time that ends here leaves each chain as much.
        longest = max(map(len, records))
        in_turn = (own[t] for t in range(longest) for own in records if t < len(own))
        distinct = list(dict.fromkeys(in_turn))
        scored = self.sampler.scored(map(json.loads, distinct), self.how.deadline.over)
        place = {record: i for i, record in enumerate(distinct[: len(scored)])}
        self.records, self.of_chains = numbered(
            [list(takewhile(place.__contains__, own)) for own in records]
        )
        scored = scored.take(np.array([place[record] for record in self.records], np.int64))
        kept, tree_of = np.unique(scored.first_alike(), return_inverse=True)
        trees, chains = scored.take(kept), [tree_of[own] for own in self.of_chains]
        threads, room = self.how.threads, self.how.room
        out_of_time = not time_for_statistics(self.how.deadline)
        log_weights = weigh(chains, trees)
        return average(self.table, trees, chains, threads, room, log_weights, out_of_time)

    def _weights_of_run(
        self, chains: Sequence[NDArray[np.int64]], trees: ScoredTrees
    ) -> list[NDArray[np.float64]] | None:
        """See `Weigh`."""
        if self.how.schedule.thin is not None:
            return None
        pairs = zip(self.run.log_weights, chains, strict=True)
        return [np.array(own[: len(kept)]) for own, kept in pairs]

    # --- rules of the program ------------------------------------------------------------------

    def mixture(self) -> list[RuleUse]:
        """See `Result`."""
        grammar = self.sampler.rule_grammar
        rules = [] if grammar is None or not self.n_drawn else rules_of_mixture(grammar)
        return self._rule_uses(rules) if rules else []

    def rules(self) -> list[RuleUse]:
        """See `Result`: shares and means over the draws, by their own derivations, each with its
        error."""
        return self._rule_uses(None)

    def _rule_uses(self, only: list[SourceSpan] | None) -> list[RuleUse]:
        grammar = self.sampler.rule_grammar
        if grammar is None:
            raise no_rules(self.how.choice.engine)
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

        every = np.array([values(json.loads(record)) for record in self.records])
        of = (self.averages.log_weights, self.averages.out_of_time)
        drawn = WeightedDraws(len(every), self.of_chains, *of)
        mean, error = drawn.mean(every), drawn.error(every)
        return [
            RuleUse.of(span, *mean[:, c].tolist(), *error[:, c].tolist())
            for c, span in enumerate(clauses)
            if only is None or span in only
        ]
