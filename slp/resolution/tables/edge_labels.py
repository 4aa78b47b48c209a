"""Where the labels of a hypergraph's edges come from. Learning gives them other values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.proofs.choices import Outcome
from slp.terms import Term

#: The number of a label that stays.
STAYS = -1


@dataclass(frozen=True, eq=False)
class EdgeLabels:
    """`outcomes` are the clauses that begin edges, with their labels. `exits` are the outcomes at
    stochastic goals, each list of them once. `number`, int32, shape (E,), has i for an edge that
    begins with outcome i, `len(outcomes)` + i for what is lost at exit i because the labels there
    sum to less than 1, and -1 for the others.
    """

    outcomes: Sequence[Outcome]
    exits: Sequence[tuple[int, ...]]
    number: NDArray[np.int32]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.outcomes) + len(self.exits)


@dataclass(eq=False)
class LabelNumbers:
    """Gives outcomes and exits their numbers while edges are added."""

    _outcomes: dict[tuple[int, Term], int] = field(default_factory=dict)
    _in_order: list[Outcome] = field(default_factory=list)
    _exits: dict[tuple[int, ...], int] = field(default_factory=dict)
    _of_edges: list[int] = field(default_factory=list)

    def outcome(self, clause: ir.LogicClause, label: Term) -> int:
        """The number of an outcome."""
        number = self._outcomes.setdefault((id(clause), label), len(self._in_order))
        if number == len(self._in_order):
            self._in_order.append(Outcome(clause, label))
        return number

    def lost_at(self, outcomes: Sequence[int]) -> int:
        """The number of what is lost at an exit, below -1 until all outcomes are known."""
        return STAYS - 1 - self._exits.setdefault(tuple(outcomes), len(self._exits))

    def add_edge(self, number: int) -> None:
        """Add the number of the next edge."""
        self._of_edges.append(number)

    def labels(self) -> EdgeLabels:
        """Those of all edges."""
        numbers = np.array(self._of_edges, np.int32)
        lost = numbers < STAYS
        numbers[lost] = len(self._in_order) + STAYS - 1 - numbers[lost]
        return EdgeLabels(self._in_order, list(self._exits), numbers)
