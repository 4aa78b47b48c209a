"""`Averages`: what a result has, and `Posterior` asks: `slp.results.averages.sums.Sums` over a
`TreeDistribution`, which holds all trees, or draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.results.averages.over_trees import ScoredTrees, TreeAverages
from slp.results.averages.paths import TreePath

if TYPE_CHECKING:
    from slp.results.averages.drawn_trees import DrawnTrees

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

    def error_of_new_rows(self, rows: NDArray[np.object_]) -> NDArray[np.float64] | None:
        """Monte Carlo standard error of predictions of new rows (`Table.new_rows`): (m, C) or (m,);
        None where they are exact."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """`n` more trees: independent draws, or from the draws, with replacement."""
        ...

    def draw_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]] | None:
        """As `TreeDistribution.draw_paths`; None where there are whole trees alone."""
        ...
