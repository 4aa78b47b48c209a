"""`Averages`: what a result has, and `Posterior` asks: `slp.results.averages.sums.Sums` over a
`TreeDistribution`, which holds all trees, or draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.over_trees import ScoredTrees, TreeAverages
from slp.results.averages.paths import TreePath
from slp.results.averages.proximity import Proximity

if TYPE_CHECKING:
    from slp.results.averages.drawn_trees import DrawnTrees
    from slp.results.averages.quantities import LeafMoments

_Answer = TypeVar("_Answer")


class Averages(Protocol):
    """What summaries and predictions of a result are made from: sums, or draws."""

    @property
    def drawn(self) -> DrawnTrees | None:
        """The draws that all averages are over; None of sums."""
        ...

    @property
    def shaped_by_clock(self) -> str | None:
        """What the clock has changed in the answers until now, in words; None if nothing."""
        ...

    def summary(self, ask: Callable[[TreeAverages], _Answer]) -> tuple[_Answer, DrawnTrees | None]:
        """What averages over trees answer about leaves and features, and the draws that this is an
        average over; None where it is exact."""
        ...

    def of_new_rows(
        self, ask: Callable[[TreeAverages], _Answer], rows: NDArray[np.object_]
    ) -> _Answer:
        """What averages over trees answer about these new rows (`Table.new_rows`)."""
        ...

    def error_of_new_rows(
        self, rows: NDArray[np.object_], of: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64] | None:
        """Monte Carlo standard error of predictions of new rows (`Table.new_rows`): (m, C) or (m,);
        with `of`, float64 (m, C, A), that of A weighted sums of a row's class probabilities, (m,
        A); None where they are exact."""
        ...

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """As `TreeAverages.features_asked`."""
        ...

    def proximity(self, rows: NDArray[np.object_]) -> Proximity:
        """As `TreeAverages.proximity`."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """`n` more trees: independent draws, or from the draws, with replacement."""
        ...

    def draws_of_trees(
        self, n: int, rng: np.random.Generator
    ) -> tuple[DrawnTrees, NDArray[np.int64]]:
        """`n` more trees, as of `draw`, at least one: distinct ones, and the number of each draw's
        among them, shape (n,)."""
        ...

    def differences(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_], moments: LeafMoments
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """As `TreeDistribution.differences`; None where draws alone tell."""
        ...

    def draw_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]] | None:
        """As `TreeDistribution.draw_paths`; None where there are whole trees alone."""
        ...
