"""Chains over trees and the feature weights, where these have a prior in place of values.

The target is pi(s, x) proportional to

    p(s) w_s(x) L(x)^b

of weights s with the prior density p and a derivation x with the weight w_s(x) under them. The
weights of all derivations sum to 1 under any s: where they do not, this is refused (E310). So x
comes from the program under weights that come from their prior, and the normaliser at b is the one
without the likelihood, 1, at b = 0: evidence by tempering needs nothing more.

A chain moves x under its weights as chains over trees do, and then draws s anew given x
(`slp.engines.mcmc.weight_steps`): a Gibbs step, which is never rejected. The likelihood does not
depend on s, so the step is the same at every power b.

Draws are of trees and weights. The weight of a tree is that without s: the integral of p(s) w_s(x).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.weight_steps import Splits, shares
from slp.engines.registry import plain_engine
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings, CoreState
from slp.engines.shared.core_chains import seeds
from slp.engines.shared.records import RecordsOf
from slp.problem.problem import Problem
from slp.results.averages.over_trees import ScoredTrees
from slp.results.record.moved_weights import result_of_moved_weights
from slp.results.record.sampler import ToResult
from slp.runner import ChainStepper, Info, Json, Phase, Stop, Tally, never, until
from slp.trees import Tree

_Floats = NDArray[np.float64]

#: Steps between two draws of the weights: one costs as much as tens of them.
_STEPS = 100


@dataclass(frozen=True, eq=False)
class WithWeights:
    """The state of a chain: logs of the weights, shape (d,), up to a number that is the same of
    all, and a derivation as the core's state under them."""

    log_g: _Floats
    own: CoreState


class ChainsOverWeights(RecordsOf[CompiledMetropolisHastings], ChainStepper[WithWeights]):
    """The chains; `base` are those under equal weights. `how` is as of
    `CompiledMetropolisHastings`."""

    def __init__(self, problem: Problem, **how: Any) -> None:
        grammar, prior = problem.grammar, problem.program.weights_prior
        assert prior is not None
        of = (grammar, problem.table, problem.program.constraints)
        super().__init__(CompiledMetropolisHastings(*of, engine=problem.sampling_core, **how))
        self.prior, self.n_features = prior, len(grammar.features)
        #: The number of each feature's group, shape (d,): one for all where none are declared.
        self.groups = grammar.groups
        if self.groups is None:
            self.groups = np.zeros(self.n_features, np.int64)
        self.longest_block = self.base.longest_block

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        of = f"{self.base.identity['program']} {self.prior!r}"
        return {**self.base.identity, "program": blake2b(of.encode(), digest_size=16).hexdigest()}

    @property
    def to_result(self) -> ToResult:
        """See `TreeSampler`."""
        return result_of_moved_weights

    # --- steps ---------------------------------------------------------------------------------

    def init(self, rng: np.random.Generator, stop: Stop = never) -> WithWeights:
        """Weights of their prior, and a derivation of the local process under them, which is a draw
        of the prior; or the given derivation."""
        given = self.base.given_state
        if given is None:
            return self.drawn(rng)
        return self._under(self.prior.draw(rng, self.n_features), given, given)

    def drawn(self, rng: np.random.Generator) -> WithWeights:
        """An independent draw of the prior, whatever chains are to begin at."""
        log_g = self.prior.draw(rng, self.n_features)
        own, _ = self.base.sampler.start(seeds(rng), 1, None, np.exp(log_g))
        assert own is not None, "where the weights of trees sum to 1 no derivation fails"
        return WithWeights(log_g, own)

    def begin_at(self, tree: Tree) -> None:
        """Begin at the heaviest proof of a tree under equal weights. Raises as
        `CompiledMetropolisHastings.begin_at`."""
        self.base.begin_at(tree)

    def advance(
        self, rng: np.random.Generator, state: WithWeights, n: int, phase: Phase
    ) -> tuple[WithWeights, Info]:
        """`n` steps; after each hundred of them the weights are drawn anew."""
        self.base.check_room()
        tally: Tally = Counter()
        for first in range(0, n, _STEPS):
            steps = min(_STEPS, n - first)
            state, counts = self.moved(rng, state, self.base.power, steps)
            tally += self.base.tally_of(counts)
        return state, Info(tally)

    def moved(
        self, rng: np.random.Generator, state: WithWeights, power: float, n: int
    ) -> tuple[WithWeights, NDArray[np.uint64]]:
        """The state after `n` steps at a power of the likelihood and a draw of the weights, and the
        core's counts of the steps."""
        weights, sampler = np.exp(state.log_g), self.base.sampler
        own, counts = sampler.advance(state.own, seeds(rng), power, n, None, weights)
        return self._under(self.splits(own).drawn(rng, state.log_g), own, own), counts

    def turned(self, state: WithWeights, of: WithWeights) -> WithWeights:
        """The derivation and the weights of a state, with the turns of the proposals of another."""
        return self._under(state.log_g, state.own, of.own)

    def _under(self, log_g: _Floats, own: CoreState, turns_of: CoreState) -> WithWeights:
        """A derivation under other weights."""
        choices, turns = own.choices().ravel(), list(turns_of.turns)
        found = self.base.sampler.restore(choices, turns, np.exp(log_g))
        assert found is not None
        return WithWeights(log_g, found)

    def splits(self, own: CoreState) -> Splits:
        """What a derivation says of the weights, whatever they are."""
        taken_over = self.base.sampler.taken_over(own).astype(np.bool_)
        assert self.groups is not None
        a = self.prior.concentration(self.n_features)
        return Splits.of(features_of(own), taken_over, self.groups, a)

    def features_of(self, state: WithWeights) -> NDArray[np.int64]:
        """The numbers of the features that its tree splits on, once for each split."""
        return features_of(state.own)

    # --- records -------------------------------------------------------------------------------

    def record(self, state: WithWeights) -> Json:
        """The record of its derivation, as of `CompiledMetropolisHastings`, and the weights as
        shares, in six digits."""
        assert self.groups is not None
        weights = [float(f"{x:.6g}") for x in shares(state.log_g, self.groups).tolist()]
        return {"choices": self.base.record(state.own), "weights": weights}

    def dump(self, state: WithWeights) -> Json:
        """See `Stepper`."""
        return {**self.base.dump(state.own), "log_weights": state.log_g.tolist()}

    def load(self, data: Json) -> WithWeights:
        """See `Stepper`."""
        log_g, own = np.array(data["log_weights"], np.float64), self.base.load(data)
        assert log_g.shape == (self.n_features,)
        return self._under(log_g, own, own)

    def n_nodes(self, record: Json) -> int:
        """See `TreeSampler`."""
        return self.base.n_nodes(record["choices"])

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """See `TreeSampler`."""
        return self.base.rules_taken(record["choices"])

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """See `TreeSampler`: each derivation is weighed once, without the weights of features."""
        number: dict[tuple[int, ...], int] = {}
        of_record = [number.setdefault(tuple(r["choices"]), len(number)) for r in records]
        derivations = [list(choices) for choices in number]
        ratios = [self._log_ratio(own) for own in until(stop, derivations)]
        found = self.base.scored(derivations[: len(ratios)], stop)
        weights = found.log_weight + np.array(ratios[: len(found)], np.float64)
        of_scored = [i for i in of_record if i < len(found)]
        if len(of_scored) < len(of_record):  # those before the first that is none
            of_scored = of_record[: next(k for k, i in enumerate(of_record) if i >= len(found))]
        return replace(found, log_weight=weights).take(np.array(of_scored, np.int64))

    def _log_ratio(self, choices: list[int]) -> float:
        return self.splits(self.base.derivation_from_data(choices)).log_ratio()

    def log_weight(self, tree: Tree) -> float:
        """See `TreeSampler`: without the weights of features."""
        alike = self.base.log_weight(tree)
        if alike == -np.inf:
            return alike
        base = self.base
        record, _ = plain_engine("mh").heaviest_proof(
            base.grammar, base.table, base.constraints, tree
        )
        return alike + self._log_ratio(record)


def features_of(own: CoreState) -> NDArray[np.int64]:
    """The numbers of the features that a derivation splits on, in preorder."""
    features = own.choices().reshape(-1, 4)[:, 1].astype(np.int64)
    return np.asarray(features[features >= 0])
