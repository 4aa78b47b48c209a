"""Which engine gave a result, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slp.results.record.size import Fit, Size

#: The engines that `auto` takes: for sums over all trees, for draws, for independent draws of a
#: prior, for the best tree where sums do not fit, and for soft trees.
SUMS, DRAWS, PRIOR_DRAWS, SEARCH, SOFT_TREES = "exact", "mh", "forward", "search", "rjhmc"
TREE_SUMS = "additive"


@dataclass(frozen=True)
class EngineChoice:
    """An engine, and why.

    Attributes
    ----------
    engine, reason : its name, and the reason in words.
    size : the estimated size of exact sums, where it was asked for.
    would_fit : changes that would make exact sums fit, if they were too large.
    too_long : whether exact sums would fit, but surely not end in the time that the user gave.
    beyond_effort : the same, but take longer than the level of effort allows.
    by_clock : whether the choice depended on the clock, so that another run may differ.
    sums_unfinished : whether exact sums that `auto` chose did not end in their share of the time.
    log_evidence_bounds : bounds on the log evidence from unfinished exact sums, as in
        `slp.BudgetError`.
    best_alone : whether the best trees alone were asked for.
    """

    engine: str
    reason: str
    size: Size | None = None
    would_fit: tuple[Fit, ...] = ()
    too_long: bool = False
    beyond_effort: bool = False
    by_clock: bool = False
    sums_unfinished: bool = False
    log_evidence_bounds: tuple[float, float] | None = None
    best_alone: bool = False

    @property
    def by_size(self) -> bool:
        """Whether `auto` took exact sums, because they fit."""
        return self.engine == SUMS and self.size is not None

    @property
    def too_large(self) -> bool:
        """Whether exact sums are possible, but too large, or too long for the time."""
        return self.engine == DRAWS and self.size is not None and not self.by_clock

    def shaped_by_clock(self, words: str | None) -> EngineChoice:
        """The same where the clock has changed answers, in words; None if it has not."""
        if words is None or self.by_clock:
            return self
        return replace(self, reason=f"{self.reason}; {words}", by_clock=True)
