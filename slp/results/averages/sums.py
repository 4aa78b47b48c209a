"""`Sums`: exact averages over all trees, and draws that answer where sums do not fit, or take too
long."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.budgets.seconds import format_seconds
from slp.data.table import Table
from slp.errors import BudgetError, TimeOverError, warn
from slp.late import late_import
from slp.messages.entry import Wording
from slp.messages.inference import (
    NEW_ROWS_BY_DRAWS,
    NEW_ROWS_TAKE_LONG,
    PATHS_BY_DRAWS,
    PATHS_TAKE_LONG,
    SUMMARIES_BY_DRAWS,
)
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.over_trees import ScoredTrees, TreeAverages, TreeDistribution
from slp.results.averages.paths import TreePath
from slp.results.averages.proximity import Proximity

if TYPE_CHECKING:
    from slp.results.averages.drawn_trees import DrawnTrees
    from slp.results.averages.quantities import LeafMoments

_Answer = TypeVar("_Answer")

#: Number of draws that answer where sums do not fit, or take too long.
_DRAWS_INSTEAD = 1000
#: Estimated seconds of one core up to which sums for new rows are made under `auto`.
_MOST_SECONDS = 10.0
_SOME_BY_DRAWS = (
    f"some sums did not end in time, so {_DRAWS_INSTEAD:,} independent draws of trees answer in "
    "their place: the answer depends on the clock"
)


class Sums:
    """Averages that a distribution over all trees tells.

    Parameters
    ----------
    distribution : sums over all trees.
    table : its table.
    seed : of the draws that answer in place of sums.
    may_draw : whether they may: where `auto` chose the sums, as they fit.
    for_draws : gives a block the time that was kept for draws in place of sums, and sums no more.
    """

    drawn = None

    def __init__(
        self,
        distribution: TreeDistribution,
        table: Table,
        *,
        seed: int,
        may_draw: bool,
        for_draws: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.distribution, self.table = distribution, table
        self._seed, self._may_draw, self._for_draws = seed, may_draw, for_draws
        self._by_draws: dict[Wording, DrawnTrees] = {}
        # Hashes of new rows whose draws were told of, and what is told once.
        self._told_of: set[int | Wording] = set()
        #: What the clock has changed in the answers until now, in words; None if nothing.
        self.shaped_by_clock: str | None = None

    def __getstate__(self) -> dict[str, Any]:
        """To be pickled or copied: without a deadline, and with nothing told yet."""
        return {**vars(self), "_for_draws": nullcontext, "_told_of": set()}

    # --- what is asked -------------------------------------------------------------------------

    def summary(self, ask: Callable[[TreeAverages], _Answer]) -> tuple[_Answer, DrawnTrees | None]:
        """See `Averages`. How often features are used takes several times the memory of the
        evidence: see `_asked`."""
        answer = self._asked(ask, SUMMARIES_BY_DRAWS)
        return answer, self._by_draws.get(SUMMARIES_BY_DRAWS)

    def of_new_rows(
        self, ask: Callable[[TreeAverages], _Answer], rows: NDArray[np.object_]
    ) -> _Answer:
        """See `Averages`. Where `auto` chose the sums, and those for the rows would take long,
        independent draws answer (W550); where they do not fit, see `_asked`."""

        def exact_or_drawn(averages: TreeAverages) -> _Answer:
            drawn = self._draws_of_many(rows) if averages is self.distribution else None
            return ask(averages if drawn is None else drawn)

        return self._asked(exact_or_drawn, NEW_ROWS_BY_DRAWS)

    def error_of_new_rows(
        self, rows: NDArray[np.object_], of: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64] | None:
        """See `Averages`."""
        if not self._may_draw:
            return None
        # Only the predictions tell whether draws are needed.
        self.of_new_rows(lambda averages: averages.predictions(rows), rows)
        drawn = self._by_draws.get(NEW_ROWS_BY_DRAWS)
        drawn = self._draws_of_many(rows) if drawn is None else drawn
        return None if drawn is None else drawn.error_of_new_rows(rows, of)

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """See `Averages`. Where `auto` chose the sums, and these would take long, independent draws
        answer (W550); where they do not fit, see `_asked`."""

        return self._of_paths(lambda averages: averages.features_asked(rows, prices), rows)

    def proximity(self, rows: NDArray[np.object_]) -> Proximity:
        """See `Averages`. Independent draws answer as for `features_asked`, and where a row goes to
        both sides of a split, which the sums do not follow in pairs."""
        found = self._of_paths(lambda averages: averages.proximity(rows), rows)
        return self._independent_draws.proximity(rows) if found is None else found

    def _of_paths(
        self, ask: Callable[[TreeAverages], _Answer], rows: NDArray[np.object_] | None
    ) -> _Answer:
        def exact_or_drawn(averages: TreeAverages) -> _Answer:
            drawn = self._draws_of_paths(rows) if averages is self.distribution else None
            return ask(averages if drawn is None else drawn)

        return self._asked(exact_or_drawn, PATHS_BY_DRAWS)

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """See `Averages`: independent ones."""
        return self.distribution.draw(n, rng)

    def draw_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]] | None:
        """See `Averages`."""
        return self.distribution.draw_paths(rows, n, rng)

    def draws_of_trees(
        self, n: int, rng: np.random.Generator
    ) -> tuple[DrawnTrees, NDArray[np.int64]]:
        """See `Averages`."""
        made = self._averages_over(self.distribution.draw(n, rng))
        return made, np.concatenate(made.chains)

    def differences(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_], moments: LeafMoments
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """See `Averages`. Where `auto` chose the sums, and those for the pairs do not fit, or would
        take long, draws tell."""
        if self._too_long(lambda sums: sums.seconds_of_pairs(ones, zeros)) is not None:
            return None
        try:
            return self.distribution.differences(ones, zeros, moments)
        except BudgetError:
            if not self._may_draw:
                raise
            return None

    # --- draws in place of sums ----------------------------------------------------------------

    def _too_long(self, seconds: Callable[[TreeDistribution], float]) -> float | None:
        """The approximate seconds of sums in whose place draws are to answer, as they take long;
        None where sums are to."""
        if not self._may_draw:
            return None
        found = seconds(self.distribution)
        return found if found > _MOST_SECONDS else None

    def _draws_of_many(self, rows: NDArray[np.object_]) -> DrawnTrees | None:
        """The draws that predict these new rows where their sums take long; else None. What is
        asked decides, and neither the clock nor what was asked before."""
        seconds = self._too_long(lambda sums: sums.seconds_of_new_rows(rows))
        if seconds is None:
            return None
        drawn = self._independent_draws
        asked = hash(tuple(map(repr, rows.ravel().tolist())))
        if asked not in self._told_of:
            self._told_of.add(asked)
            error = float(np.max(drawn.predictive_error(rows)))
            are = "1 new row is" if len(rows) == 1 else f"{len(rows):,} new rows are"
            time = format_seconds(float(f"{seconds:.1g}"))
            warn(NEW_ROWS_TAKE_LONG(rows=are, n=_DRAWS_INSTEAD, time=time, error=f"{error:.2g}"))
        return drawn

    def _draws_of_paths(self, rows: NDArray[np.object_] | None) -> DrawnTrees | None:
        """The draws that tell what rows are asked where the sums take long; else None."""
        seconds = self._too_long(lambda sums: sums.seconds_of_features(rows))
        if seconds is None:
            return None
        if PATHS_TAKE_LONG not in self._told_of:
            self._told_of.add(PATHS_TAKE_LONG)
            time = format_seconds(float(f"{seconds:.1g}"))
            warn(PATHS_TAKE_LONG(n=_DRAWS_INSTEAD, time=time))
        return self._independent_draws

    def _asked(self, ask: Callable[[TreeAverages], _Answer], by_draws: Wording) -> _Answer:
        """The answer. Where `auto` chose the sums, and those for the answer do not fit or do not
        end in time, independent draws answer from then on, with the warning `by_draws` (W540)."""
        if by_draws not in self._by_draws:
            try:
                return ask(self.distribution)
            except BudgetError as error:
                self._by_draws[by_draws] = self.draws_for(error)
                more = "time" if isinstance(error, TimeOverError) else "memory"
                warn(by_draws(n=_DRAWS_INSTEAD, limit=error.diagnostics[0].message, more=more))
        return ask(self._by_draws[by_draws])

    def draws_for(self, limit: BudgetError) -> DrawnTrees:
        """Independent draws, for an answer whose sums reached a limit; raises that again where they
        are not to answer. `shaped_by_clock` says if the clock was the reason."""
        if not self._may_draw:
            raise limit
        over = isinstance(limit, TimeOverError)
        try:
            with self._for_draws() if over else nullcontext():
                drawn = self._independent_draws
        except BudgetError:
            raise limit from None
        if over:
            self.shaped_by_clock = _SOME_BY_DRAWS
        return drawn

    @cached_property
    def _independent_draws(self) -> DrawnTrees:
        drawn = self.distribution.draw(_DRAWS_INSTEAD, np.random.default_rng(self._seed))
        return self._averages_over(drawn)

    def _averages_over(self, drawn: ScoredTrees) -> DrawnTrees:
        # Late, as most exact runs draw nothing.
        draws = late_import("slp.results.averages.drawn_trees")
        first, chain = np.unique(drawn.first_alike(), return_inverse=True)
        # One island for each draw: then their errors need no effective draws.
        alone, even = np.split(chain, len(chain)), [np.zeros(1)] * len(chain)
        distinct = drawn.take(first)
        made: DrawnTrees = draws.DrawnTrees(self.table, distinct, alone, log_weights=even)
        return made
