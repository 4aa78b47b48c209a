"""`PriorUses`: how probable it is under the prior that a tree splits on each feature, to stand
beside the same of the posterior."""

from __future__ import annotations

from dataclasses import dataclass

from slp.results.estimate import Kind
from slp.results.record.later import Later

#: Independent draws of the prior, where its sums would take long.
PRIOR_DRAWS_BESIDE = 1000


@dataclass(frozen=True)
class PriorUses:
    """The probability under the prior, on the same table, that a tree splits on each feature.

    Attributes
    ----------
    probabilities : of each feature, in the table's order; None where they are not known.
    errors : their Monte Carlo standard errors; 0 where they are exact.
    draws : how many independent draws of the prior they are shares of; 0 where they are exact.
    why_none : why they are not known.
    by_chains : whether these draws are of chains, and depend on each other.
    """

    probabilities: tuple[float, ...] | None
    errors: tuple[float, ...] = ()
    draws: int = 0
    why_none: str = ""
    by_chains: bool = False

    @classmethod
    def exact(cls, probabilities: list[float]) -> PriorUses:
        """Sums over all trees."""
        return cls(tuple(probabilities), (0.0,) * len(probabilities))

    @classmethod
    def drawn(cls, counts: list[int], n: int) -> PriorUses:
        """Shares of `n` independent draws, of which `counts` split on each feature. The error of
        k of n is the standard deviation of Beta(k + 1, n - k + 1), which is not 0 where no draw or
        every draw splits on a feature."""
        errors = []
        for k in counts:
            mean = (k + 1) / (n + 2)
            errors.append((mean * (1 - mean) / (n + 3)) ** 0.5)
        return cls(tuple(k / n for k in counts), tuple(errors), n)

    @classmethod
    def not_known(cls, why: str) -> PriorUses:
        """None, and why."""
        return cls(None, why_none=why)

    @property
    def kind(self) -> Kind | None:
        """What they are; None where they are not known."""
        if self.probabilities is None:
            return None
        return "estimate" if self.draws else "exact"

    def is_sound(self, n_features: int) -> bool:
        """Whether these are probabilities of so many features; or none, and why."""
        found = self.probabilities
        if found is None:
            return not self.errors and bool(self.why_none)
        alike = len(found) == len(self.errors) == n_features and self.draws >= 0
        return alike and all(0 <= p <= 1 for p in found) and all(e >= 0 for e in self.errors)

    def __str__(self) -> str:
        """What they are, in words."""
        if self.probabilities is None:
            return f"not known: {self.why_none}"
        if self.by_chains:
            return f"estimates from {self.draws:,} draws of chains"
        return f"estimates from {self.draws:,} independent draws" if self.draws else "exact"


#: Of a prior, beside which no prior stands.
NO_PRIOR_BESIDE = Later.known(PriorUses.not_known("this is the prior"))
