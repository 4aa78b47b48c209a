"""`Elicited`: values of parameters under which a prior has the means that were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from slp.results.comparison import finite_values, with_kind
from slp.results.estimate import Estimate, with_error

#: A mean is reached where it is as near as this to what was asked, relatively.
NEAR = 0.01


@dataclass(frozen=True)
class Elicited:
    """Values of parameters whose prior on a table has given means, or comes nearest to them.

    Attributes
    ----------
    program, response, n_rows : of the program and its table.
    seed : of the draws, where the prior was drawn.
    engine : what told the means.
    parameters : the values that were found, by name.
    asked : the means that were asked for: of `leaves`, of `depth`, or of both.
    means : what the prior has at these values, by the same names.
    spans : the least and the largest mean that was met on the way, by the same names: what the
        parameters can reach, about.
    runs : how many priors were looked at.
    """

    program: str
    response: str
    n_rows: int
    seed: int
    engine: str
    parameters: Mapping[str, float]
    asked: Mapping[str, float]
    means: Mapping[str, Estimate]
    spans: Mapping[str, tuple[float, float]]
    runs: int

    def reached(self, name: str) -> bool:
        """Whether a mean is within 1 % of what was asked, or three standard errors of draws."""
        mean = self.means[name]
        return abs(mean.value - self.asked[name]) <= max(
            NEAR * self.asked[name], 3 * mean.error if mean.kind == "estimate" else 0.0
        )

    def lines(self) -> Iterator[str]:
        """What each mean is, and what is not reached, in words."""
        for name, asked in self.asked.items():
            mean = self.means[name]
            told = with_error(mean.value, mean.error, drawn=mean.kind == "estimate")
            yield f"{name}: {asked:g} asked, {told}"
            if not self.reached(name):
                low, high = self.spans[name]
                others = " with the other mean" if len(self.asked) > 1 else ""
                yield (
                    f"{name}: {asked:g} is not reached{others}; of the priors that were looked at "
                    f"the mean is {low:.3g} to {high:.3g}"
                )

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        means = {}
        for name, mean in self.means.items():
            low, high = self.spans[name]
            own = {"asked": self.asked[name], "reached": self.reached(name)}
            means[name] = {**own, **with_kind("mean", mean), "least": low, "most": high}
        return {
            "program": self.program,
            "response": self.response,
            "n_rows": self.n_rows,
            "seed": self.seed,
            "engine": self.engine,
            "parameters": finite_values(dict(self.parameters)),
            "means": means,
            "runs": self.runs,
        }
