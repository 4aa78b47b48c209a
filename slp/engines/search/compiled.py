"""The search in the C++ core (`native/core/search`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.kernels.compiled import compiled_core

__all__ = ["Found", "Search"]

#: The core's numbers of how a search ended.
_DONE, _OUT_OF_BUDGET = 0, 2


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found.

    Attributes
    ----------
    cuts : int32, shape (N, 3). The best tree's nodes in preorder, as
        `slp.problem.tree_on_table.tree_of_nodes` takes them; N is 0 if none was found.
    low : log joint of its best derivation; -inf if none was found.
    high : no derivation has a larger one; inf if no bound is proven.
    items : items kept (boxes in states).
    lost : items that made way for others.
    steps : items opened.
    peak_bytes : the most memory that was in use.
    """

    cuts: NDArray[np.int32]
    low: float
    high: float
    items: int
    lost: int
    steps: int
    peak_bytes: int

    @property
    def certified(self) -> bool:
        """Whether no derivation is better."""
        return bool(self.high <= self.low)


class Search:
    """A search in the core.

    Parameters
    ----------
    engine : the core's `ExactEngine`; see `slp.problem.problem.Problem.core`.
    likelihood : whether the leaves' marginal likelihoods count; False for a prior.
    room : bytes that it may take.
    most_steps : the most items that are opened; 0 for no limit.
    """

    def __init__(self, engine: Any, *, likelihood: bool, room: int, most_steps: int = 0) -> None:
        core = compiled_core()
        assert core is not None
        self._core = core.BestFirstSearch(engine, likelihood, room, most_steps)

    def seed(self, cuts: NDArray[np.int32]) -> bool:
        """Begin with a tree, as in `Found.cuts`; False if no derivation gives it."""
        feature, low, high = (np.ascontiguousarray(column) for column in cuts.T)
        return bool(self._core.seed(feature, low.astype(np.uint32), high.astype(np.uint32)))

    def run(self, poll: Callable[[int, int, int], bool] | None = None) -> tuple[bool, bool]:
        """Search on; whether the best is certain, and whether memory ended. `poll` is called some
        twenty times a second with the items opened, the items kept and the bytes used; False stops
        the search.

        Raises
        ------
        LabelError
            Of the core: a label that counts rows is no probability in some box.
        """
        ending = self._core.run(poll)
        return ending == _DONE, ending == _OUT_OF_BUDGET

    def found(self) -> Found:
        """What was found so far."""
        feature, low, high, *numbers = self._core.found()
        columns: Iterable[NDArray[Any]] = (feature, low, high)
        cuts = np.stack([np.asarray(column, np.int32) for column in columns], axis=1)
        return Found(cuts.reshape(-1, 3), *numbers)
