"""The equations of tables solved, behind one facade: masses with bounds, best proofs, and
masses under labels that change.

What solves them stands in `SOLVERS` and is imported late: the compiled core, or the plain
specification where `slp.kernels.backend()` says so. Draws and expected uses of the core stand in
`slp.resolution.tables.compiled`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from slp.kernels import backend
from slp.late import late_import
from slp.resolution.proofs.masses import Mass
from slp.resolution.tables.hypergraph import Edge, Hypergraph

#: The module of each backend.
SOLVERS = {
    "compiled": "slp.resolution.tables.compiled",
    "reference": "slp.reference.tables.solver",
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """A mass: `lower` <= mass <= `upper` for certain. `upper` is None where no bound is known.

    `value` is the mass as floats give it, between the bounds. `infinite`: it is certain that the
    sum is not finite; the others are then a part of it.
    """

    lower: Mass
    value: Mass
    upper: Mass | None
    infinite: bool = False


class ProofOfTables(Protocol):
    """A proof: its mass, the answer's variable, and its edges with a labelled clause in order."""

    mass: Mass

    @property
    def root(self) -> int:
        """The variable of its answer."""
        ...

    def begun(self) -> list[Edge]:
        """The edges that begin with a labelled clause, in their order of use."""
        ...


class Solver(Protocol):
    """What a backend offers. Each function takes a hypergraph."""

    def bounds_of(self, graph: Hypergraph, /) -> list[Bounds]:
        """The mass of each variable."""
        ...

    def success_of(self, graph: Hypergraph, found: Sequence[Bounds], /) -> Bounds:
        """The sum of the masses of the query's answers."""
        ...

    def best_proofs(self, graph: Hypergraph, k: int, /) -> Sequence[ProofOfTables]:
        """The `k` proofs with the largest masses. No label may be above 1."""
        ...

    def weighing(self, graph: Hypergraph, /) -> Weighing:
        """The hypergraph of a program, for other labels."""
        ...


class Weighing(Protocol):
    """A hypergraph under labels that change, as in learning. L numbers of labels (`EdgeLabels`).
    Masses are values without bounds."""

    def weigh(self, values: NDArray[np.float64], asked: Sequence[int]) -> list[Mass] | None:
        """The masses of the variables `asked`, where labels have `values`, shape (L,); None where
        masses are not finite."""
        ...

    def expected_uses(self, roots: Mapping[int, float]) -> NDArray[np.float64] | None:
        """How often proofs of `roots`, variables with weights, use each label under the last
        values, in expectation, shape (L,); None where that is infinite."""
        ...


def solver() -> Solver:
    """The solver of this process."""
    found: Solver = late_import(SOLVERS[backend()])
    return found
