"""Plans of particle filters: of the engine `smc`, and of the proposal `q_pg`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: The proposals, orders and resampling schemes by name, as the core numbers them.
PROPOSALS = ("prior", "empirical", "optimal")
ORDERS = ("breadth", "likelihood", "layer")
SCHEMES = ("multinomial", "residual", "stratified", "systematic")

#: Measured bytes of a particle of the plain filter after its first choice.
BYTES_OF_PARTICLE = 700

#: The settings of the filter of `q_pg` that may be named, each set with the default first.
SETTINGS = (
    sorted(PROPOSALS, key="prior".__ne__),
    sorted(ORDERS, key="breadth".__ne__),
    sorted(SCHEMES, key="systematic".__ne__),
)
#: Particles of `q_pg`, and the share of effective ones below which they are resampled.
_PARTICLES, _ESS = 10, 0.5


@dataclass(frozen=True)
class FilterPlan:
    """The settings of a filter: `n` particles, of which at most `kept` are kept as draws of a
    finished island; a proposal, an order and a scheme by name; resampling if fewer than `ess` of
    `n` are effective."""

    n: int
    kept: int
    proposal: str
    order: str
    scheme: str
    ess: float

    def identity(self) -> Mapping[str, str]:
        """For `Stepper.identity`."""
        return {
            "number of particles": str(self.n),
            "number of draws of each island": str(self.kept),
            "proposal": self.proposal,
            "order": self.order,
            "resampling": self.scheme,
            "ess": repr(self.ess),
        }


def numbers_of(plan: FilterPlan) -> list[int]:
    """Proposal, order and scheme as the core numbers them."""
    named = (plan.proposal, PROPOSALS), (plan.order, ORDERS), (plan.scheme, SCHEMES)
    return [known.index(name) for name, known in named]


def plan_of(number: int | None, words: Sequence[str]) -> FilterPlan:
    """The filter of `q_pg(20 optimal)`: a number of particles and settings, of which each is one of
    `SETTINGS`; where they are not named, the default."""
    n = _PARTICLES if number is None else number
    proposal, order, scheme = (next((w for w in words if w in s), s[0]) for s in SETTINGS)
    return FilterPlan(n, n, proposal, order, scheme, _ESS)
