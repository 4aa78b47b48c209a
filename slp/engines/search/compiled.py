"""The search in the C++ core (`native/core/search`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.kernels.compiled import compiled_core
from slp.problem.numbered_cuts import CoreCuts, Cuts

if TYPE_CHECKING:
    from slp._core import BestFirstSearch, ExactEngine
    from slp._core import Ranking as CoreRanking

__all__ = ["FoundTree", "Ranked", "Ranking", "CompiledSearch"]

#: Is given the items opened, the items kept and the bytes used; False stops the search.
Poll: TypeAlias = Callable[[int, int, int], bool]

#: The core's numbers of how a search ended.
_DONE, _OUT_OF_BUDGET = 0, 2


@dataclass(frozen=True, eq=False)
class FoundTree:
    """What a search found.

    Attributes
    ----------
    cuts : shape (N, 3). The best tree's nodes in preorder, as
        `slp.problem.tree_on_table.tree_of_nodes` takes them; N is 0 if none was found.
    low : log joint of its best derivation; -inf if none was found.
    high : no derivation has a larger one; inf if no bound is proven.
    items : items kept (boxes in states).
    lost : items dropped from the full table.
    steps : items opened.
    peak_bytes : the most memory that was in use.
    """

    cuts: Cuts
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


@dataclass(frozen=True, eq=False)
class Ranked:
    """A derivation that was listed.

    Attributes
    ----------
    cuts : its tree's nodes, as in `FoundTree`.
    value : its log joint.
    high : no derivation that comes later has a larger one; inf if no bound is proven.
    """

    cuts: Cuts
    value: float
    high: float


class CompiledSearch:
    """A search in the core.

    Parameters
    ----------
    engine : the core's `ExactEngine`; see `slp.problem.problem.Problem.core`.
    table : its table.
    likelihood : whether the leaves' marginal likelihoods count; False for a prior.
    room : bytes that it may take.
    most_steps : the most items that are opened; 0 for no limit.
    """

    def __init__(
        self,
        engine: ExactEngine,
        table: Table,
        *,
        likelihood: bool,
        room: int,
        most_steps: int = 0,
    ) -> None:
        core = compiled_core()
        assert core is not None
        self._core: BestFirstSearch = core.BestFirstSearch(engine, likelihood, room, most_steps)
        self._cuts = CoreCuts(engine, table)

    def seed(self, cuts: Cuts, poll: Poll | None = None) -> bool:
        """Begin with a tree, as in `FoundTree.cuts`; False if no derivation gives it, or `poll`
        says stop."""
        feature, low, high = (np.ascontiguousarray(x) for x in self._cuts.to_core(cuts).T)
        return self._core.seed(feature, low.astype(np.uint32), high.astype(np.uint32), poll)

    def run(self, poll: Poll | None = None, *, most_searched: float = 0.0) -> tuple[bool, bool]:
        """Search on; whether the best is certain, and whether memory ended. `poll` is called some
        twenty times a second with the items opened, the items kept and the bytes used; False stops
        the search. So do `most_searched` steps in all calls, of rows times splits of the items
        opened; 0 for no limit.

        Raises
        ------
        LabelError
            Of the core: a label that counts rows is no probability in some box.
        """
        ending = self._core.run(poll, most_searched)
        return ending == _DONE, ending == _OUT_OF_BUDGET

    def is_shallow(self) -> bool:
        """Whether trees have so few levels that the search solves them at once, and needs no trees
        to begin with."""
        return self._core.is_shallow()

    def ranking(self, *, known: bool, most_steps: int = 0) -> Ranking:
        """Derivations by falling value, once the search has ended."""
        return Ranking(self._core, self._cuts, known=known, most_steps=most_steps)

    def found(self) -> FoundTree:
        """What was found so far."""
        feature, low, high, value, bound, *counts = self._core.found()
        cuts = self._cuts.of_core(_nodes(feature, low, high))
        return FoundTree(cuts, value, bound, *counts)


class Ranking:
    """Derivations by falling value, in the core.

    Parameters
    ----------
    search : the core's search, which must not run on.
    cuts : its cuts.
    known : order them by the values that the search found, as if none were better. Then nothing is
        proven, and little is computed.
    most_steps : the most items that are opened; 0 for no limit.

    Attributes
    ----------
    bound : no derivation that was not given out has a larger log joint, unless they are `known`.
    steps : items opened.
    """

    def __init__(
        self, search: BestFirstSearch, cuts: CoreCuts, *, known: bool, most_steps: int = 0
    ) -> None:
        core = compiled_core()
        assert core is not None
        self._core: CoreRanking = core.Ranking(search, known, most_steps)
        self.bound, self.steps, self._cuts = np.inf, 0, cuts

    def next(self, poll: Poll | None = None) -> tuple[bool, Ranked | None]:
        """Whether the search for the next derivation came to its end, and the derivation; None if
        there is no other, or it did not. `poll` is as for `CompiledSearch.run`."""
        ending, feature, low, high, value, self.bound, self.steps = self._core.next(poll)
        if ending != _DONE or not len(feature):
            return ending == _DONE, None
        return True, Ranked(self._cuts.of_core(_nodes(feature, low, high)), value, value)


def _nodes(*columns: NDArray[Any]) -> NDArray[np.int32]:
    return np.stack([np.asarray(column, np.int32) for column in columns], axis=1).reshape(-1, 3)
