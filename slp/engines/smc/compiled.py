"""The particle filter in the C++ core (`native/core/smc`).

It makes the steps of the plain filter, the specification, many at a time; the random numbers are
its own, so the two draw from the same distribution but not the same trees. Each block of steps
takes 256 random bits from the island's stream to seed the core's generator.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from slp.budgets.memory import format_bytes
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.engines.shared.core_chains import core_tests, seeds
from slp.engines.shared.filter_plan import FilterPlan, numbers_of
from slp.engines.shared.records import RecordsOf
from slp.engines.smc.result import result_of_islands
from slp.errors import BudgetError
from slp.kernels.compiled import compiled_core
from slp.messages.inference import PARTICLES_TOO_LARGE
from slp.runner import Info, Json, Move, Phase, Stop, Weighted, never

if TYPE_CHECKING:
    from slp._core import SMCIsland, SMCSampler

#: The core's `SMCIsland`; never changed.
CoreIsland: TypeAlias = "SMCIsland"

#: Limits of a block of steps: decisions, and codes of rows that are read. They bound the delay of
#: Ctrl-C.
_DECISIONS, _CODES = 100_000, 20_000_000

#: The core's count of decisions: those that grew a particle, then those that failed one.
_CAUSES = ("grow", "dead end", "the limit of leaves", "the limit of features")


def core_filter(
    base: CompiledMetropolisHastings, plan: FilterPlan, room: int, power: float
) -> SMCSampler:
    """The core's `SMCSampler`. `room`: bytes of all islands together."""
    core = compiled_core()
    assert core is not None
    most_leaves, most_features, _ = core_tests(base.grammar, base.constraints, base.table)
    sampler: SMCSampler = core.SMCSampler(
        base.engine,
        plan.n,
        plan.kept,
        numbers_of(plan),
        plan.ess,
        power,
        most_leaves,
        most_features,
        room,
    )
    return sampler


class CompiledParticleFilter(RecordsOf[CompiledMetropolisHastings]):
    """Islands of particles in the core. `room`: bytes that all together may take."""

    to_result = staticmethod(result_of_islands)

    def __init__(self, base: CompiledMetropolisHastings, plan: FilterPlan, room: int) -> None:
        super().__init__(base)
        self.plan, self.room = plan, room
        self.sampler = core_filter(base, plan, room, base.power)
        codes = base.table.codes.size
        self.longest_block = max(1, min(_DECISIONS // plan.n, _CODES // max(1, codes)))
        self._tests = any(c.by_predictions for c in base.constraints)

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return {**self.base.identity, **self.plan.identity()}

    def init(self, rng: np.random.Generator, stop: Stop = never) -> CoreIsland:
        """Particles whose root is open."""
        return self.sampler.start()

    def advance(
        self, rng: np.random.Generator, state: CoreIsland, n: int, phase: Phase
    ) -> tuple[CoreIsland, Info]:
        """See `Stepper`.

        Raises
        ------
        BudgetError
            E501: the particles need more memory than there is.
        """
        after, counts = self.sampler.advance(state, seeds(rng), n)
        if after is None:
            room = format_bytes(self.room)
            raise BudgetError(PARTICLES_TOO_LARGE(particles=self.plan.n, room=room))
        moves = (Move(c, "accepted" if c == "grow" else "failed") for c in _CAUSES)
        return after, Info(Counter(dict(zip(moves, counts, strict=True))))

    def done(self, state: CoreIsland) -> bool:
        """Whether no particle has an open goal."""
        return bool(state.done)

    def draws(self, state: CoreIsland) -> Sequence[Weighted]:
        """The particles that are whole and pass all tests on finished trees. If the island is done,
        their weights sum to its estimate of the sum of weight times likelihood."""
        out: list[Weighted] = []
        weights = state.log_weights()
        for i in state.whole().tolist():
            record = self.base.record_of(state.choices(i))
            if not self._tests or self._holds(record):
                out.append(Weighted(record, float(weights[i]) - math.log(self.plan.n)))
        return out

    def _holds(self, record: Json) -> bool:
        return bool(self.base.sampler.holds(self.base.derivation_from_data(record)))

    def dump(self, state: CoreIsland) -> Json:
        """See `Stepper`."""
        events, last = state.dump()
        return {
            "events": self.base.cuts.of_core(events.reshape(-1, 6)).ravel().tolist(),
            "last": last.tolist(),
            "log_weights": state.log_weights().tolist(),
        }

    def load(self, data: Json) -> CoreIsland:
        """See `Stepper`."""
        cuts = self.base.cuts
        state = self.sampler.restore(
            cuts.to_core(np.array(data["events"], object).reshape(-1, 6)).ravel().astype(np.int64),
            np.array(data["last"], np.int64),
            np.array(data["log_weights"], np.float64),
        )
        assert state is not None
        return state
