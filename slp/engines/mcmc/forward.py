"""Independent draws of a prior, by running the program forward.

The local process (`slp.reference.local_process`) draws a proof x with probability q(x), and the
program gives it the weight w(x) = q(x) Z(x). Z is the product over its choices of the total weight
of the alternatives that do not fail at once. If no Z is above 1, rejection sampling gives
independent draws: a proof is accepted with probability Z(x), and rejected if it reaches a dead end
or breaks a constraint on the finished tree. Its probability is then w(x) over the sum of w.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings, CoreState
from slp.engines.shared.core_chains import seeds
from slp.engines.shared.records import RecordsOf
from slp.engines.shared.starts import TRIES, no_start, search_stopped
from slp.results.record.drawn import result_of_independent_draws
from slp.results.record.sampler import ToResult
from slp.runner import Json, Move, Phase, StepByStep, Stop, Tally, never

#: Number of proofs that are drawn as a trial, and number of these that must be accepted.
_PILOT, _FEWEST_KEPT = 200, 20


class ForwardDraws(RecordsOf[CompiledMetropolisHastings], StepByStep[CoreState]):
    """Draws of a prior: each step is one draw, independent of the state.

    `base` : chains of the prior, whose local process is run.
    """

    @property
    def to_result(self) -> ToResult:
        """See `TreeSampler`."""
        return result_of_independent_draws

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return {**self.base.identity, "kernel": "forward"}

    def keeps_enough(self) -> bool:
        """Whether few proofs are rejected, by a trial with a fixed seed."""
        rng = np.random.default_rng(0)
        return sum(self._try(rng) is not None for _ in range(_PILOT)) >= _FEWEST_KEPT

    def init(self, rng: np.random.Generator, stop: Stop = never) -> CoreState:
        """A draw; see `step`.

        Raises
        ------
        SlpError
            E517: none was found.
        SearchStoppedError
            See `Stepper`.
        """
        return self._draw(rng, stop)[0]

    def step(
        self, rng: np.random.Generator, state: CoreState, phase: Phase
    ) -> tuple[CoreState, Tally]:
        """One draw, and the number of rejections before it."""
        state, failed = self._draw(rng, never)
        return state, Counter({Move("forward", "accepted"): 1, Move("forward", "failed"): failed})

    def _draw(self, rng: np.random.Generator, stop: Stop) -> tuple[CoreState, int]:
        for failed in range(TRIES):
            if stop():
                raise search_stopped(self.base.constraints)
            found = self._try(rng)
            if found is not None:
                return found, failed
        raise no_start(0, self.base.constraints)

    def _try(self, rng: np.random.Generator) -> CoreState | None:
        """A proof that is accepted, or None."""
        state, _ = self.base.sampler.start(seeds(rng), 1, self.base.predicate(never))
        kept = state is not None and (
            state.log_excess >= 0 or rng.random() < math.exp(state.log_excess)
        )
        return state if kept else None

    def record(self, state: CoreState) -> Json:
        """As `CompiledMetropolisHastings.record`."""
        return self.base.record(state)

    def features_of(self, state: CoreState) -> NDArray[np.int32]:
        """The numbers of the features that its tree splits on, once for each split."""
        features = state.choices().reshape(-1, 4)[:, 1]
        return np.asarray(features[features >= 0])

    def dump(self, state: CoreState) -> Json:
        """See `Stepper`."""
        return self.base.dump(state)

    def load(self, data: Json) -> CoreState:
        """See `Stepper`."""
        state: CoreState = self.base.load(data)
        return state
