"""The equations of tables solved, behind one facade: masses with bounds, best proofs, draws, and
masses under labels that change.

What solves them stands in `SOLVERS` and is imported late: the compiled core, or the plain
specification where `slp.kernels.backend()` says so. Expected uses of the core stand in
`slp.resolution.tables.compiled`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from slp.kernels import backend
from slp.late import late_import
from slp.resolution.proofs.masses import ZERO, Mass
from slp.resolution.tables.hypergraph import Edge, Hypergraph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


@dataclass(frozen=True, eq=False)
class DrawsFromTables:
    """Proofs that were drawn. `begun` are the numbers of the edges that begin with a labelled
    clause, int32, proof after proof in their order of use: those of proof i stand from `first[i]`
    to `first[i + 1]`, int64. `answers`, int32, the variables of their answers, and `log_masses`,
    float64, are of shape (n,)."""

    first: NDArray[np.int64]
    begun: NDArray[np.int32]
    answers: NDArray[np.int32]
    log_masses: NDArray[np.float64]


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

    def draws_of(
        self, graph: Hypergraph, found: Sequence[Bounds], n: int, seeds: NDArray[np.uint64], /
    ) -> DrawsFromTables:
        """`n` independent proofs of the query. `seeds`, uint64, shape (4,), decide them. Some
        answer has a mass above 0."""
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


def roots_of_success(graph: Hypergraph, found: Sequence[Bounds]) -> dict[int, float]:
    """The probability of each answer, given success; none where there is no answer."""
    masses = {i: found[i].value for i in graph.answers}
    unit = max(masses.values(), default=ZERO)
    relative = {i: float(mass.over(unit)) if unit else 0.0 for i, mass in masses.items()}
    whole = sum(relative.values())
    return {i: x / whole if unit else 0.0 for i, x in relative.items()}
