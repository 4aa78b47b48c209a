"""The compiled solver of tables: hypergraphs as arrays, and what the core returns as objects.

Same names and results as `slp.reference.tables`, but for rounding; draws are other ones with the
same distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from slp.budgets import check_time
from slp.kernels.compiled import compiled_core
from slp.resolution.proofs.masses import ONE, ZERO, Mass, total
from slp.resolution.tables.core_builder import CompiledHypergraph
from slp.resolution.tables.hypergraph import Edge, Hypergraph
from slp.resolution.tables.solved import Bounds, DrawsFromTables, roots_of_success

if TYPE_CHECKING:
    from slp._core import ProofShares, ProofTables

_KINDS = {"answer": 0, "prefix": 1, "failure": 2}

#: More than the relative error of a sum of masses.
_ERROR = 2.0**-49

#: The core's form of each hypergraph that is alive.
_CORES: WeakKeyDictionary[Hypergraph, ProofTables] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class CoreProof:
    """A proof: its mass, the answer's variable, and its edges with a labelled clause in order."""

    mass: Mass
    root: int
    edges: tuple[Edge, ...]

    def begun(self) -> list[Edge]:
        """The edges that begin with a labelled clause, in their order of use."""
        return list(self.edges)


def bounds_of(graph: Hypergraph) -> list[Bounds]:
    """The mass of each variable."""
    exponents, mantissas, known, infinite = _core(graph).bounds(
        _are_probabilities(graph), _asked("while the equations of tables were solved")
    )
    masses = [
        Mass(e, m)
        for e, m in zip(exponents.ravel().tolist(), mantissas.ravel().tolist(), strict=True)
    ]
    return [
        Bounds(masses[3 * i], masses[3 * i + 1], masses[3 * i + 2] if has_upper else None, no_end)
        for i, (has_upper, no_end) in enumerate(
            zip(known.astype(bool).tolist(), infinite.astype(bool).tolist(), strict=True)
        )
    ]


def success_of(graph: Hypergraph, found: Sequence[Bounds]) -> Bounds:
    """The sum of the masses of the query's answers."""
    own = [found[i] for i in graph.answers]
    lower = total(b.lower for b in own).times(1 - _ERROR)
    value = total(b.value for b in own)
    known = [b.upper for b in own if b.upper is not None]
    upper = total(known).times(1 + _ERROR) if len(known) == len(own) else None
    if not _are_probabilities(graph):
        return Bounds(lower, value, upper, any(b.infinite for b in own))
    return Bounds(min(lower, ONE), min(value, ONE), ONE if upper is None else min(upper, ONE))


def best_proofs(graph: Hypergraph, k: int) -> list[CoreProof]:
    """The `k` proofs of the query with the largest masses, fewer where there are fewer.

    Raises
    ------
    ValueError
        A label is above 1.
    """
    if graph.has_label_above_one:
        raise ValueError("a label is above 1, so the best proof need not exist")
    answers = np.array(graph.answers, np.int32)
    asked = _asked("while the best proofs were searched")
    edges = graph.edges
    return [
        CoreProof(Mass(exponent, mantissa), edges[last].target, tuple(edges[e] for e in begun))
        for exponent, mantissa, last, begun in _core(graph).best(answers, k, asked)
    ]


class CompiledWeighing:
    """A hypergraph under labels that change: see `slp.resolution.tables.solved.Weighing`."""

    def __init__(self, graph: Hypergraph) -> None:
        labels = graph.labels
        assert labels is not None, "a program's hypergraph"
        self._core = _loaded().LabelledTables(_core(graph), labels.number, labels.size)

    def weigh(self, values: NDArray[np.float64], asked: Sequence[int]) -> list[Mass] | None:
        """See `Weighing`."""
        going = _asked("while the proofs of observations were summed")
        found = self._core.weigh(values, np.array(asked, np.int32), going)
        if found is None:
            return None
        return [Mass(e, m) for e, m in zip(found[0].tolist(), found[1].tolist(), strict=True)]

    def expected_uses(self, roots: Mapping[int, float]) -> NDArray[np.float64] | None:
        """See `Weighing`."""
        uses = self._core.expected_uses(*_roots(roots), _asked("while uses were counted"))
        return None if uses is None else np.array(uses, np.float64)


#: See `Solver`.
weighing = CompiledWeighing


class CoreSampler:
    """Draws proofs of `roots`: variables with their probabilities."""

    def __init__(
        self, graph: Hypergraph, found: Sequence[Bounds], roots: Mapping[int, float]
    ) -> None:
        if not any(weight > 0 and found[i].value for i, weight in roots.items()):
            raise ValueError("no root has a proof")
        self._shares = _shares(graph, found)
        self._roots = _roots({i: w if found[i].value else 0.0 for i, w in roots.items()})

    def draw_many(self, n: int, seeds: NDArray[np.uint64], threads: int = 1) -> DrawsFromTables:
        """`n` independent proofs. `seeds`, uint64, shape (4,), decide them; the number of threads
        does not change them."""
        asked = _asked("while proofs were drawn")
        return DrawsFromTables(*self._shares.draw(*self._roots, n, seeds, threads, asked))


def draws_of(
    graph: Hypergraph, found: Sequence[Bounds], n: int, seeds: NDArray[np.uint64]
) -> DrawsFromTables:
    """`n` independent proofs of the query."""
    return CoreSampler(graph, found, roots_of_success(graph, found)).draw_many(n, seeds)


def _loaded() -> Any:
    core = compiled_core()
    assert core is not None, "the solver was chosen by it"
    return core


def _core(graph: Hypergraph) -> ProofTables:
    """A hypergraph in the core."""
    if isinstance(graph, CompiledHypergraph):
        own: ProofTables = graph.core
        return own
    found = _CORES.get(graph)
    if found is None:
        edges = graph.edges
        found = _CORES[graph] = _loaded().ProofTables(
            np.array([_KINDS[variable.kind] for variable in graph.variables], np.uint8),
            np.array([edge.target for edge in edges], np.int32),
            np.array([edge.label for edge in edges], np.float64),
            np.array([edge.proofs for edge in edges], np.float64),
            np.array([edge.prefix for edge in edges], np.int32),
            np.array([edge.answer for edge in edges], np.int32),
            np.array([edge.clause is not None for edge in edges], np.bool_),
        )
    return found


def _shares(graph: Hypergraph, found: Sequence[Bounds]) -> ProofShares:
    values = [bounds.value or ZERO for bounds in found]
    return _core(graph).shares(
        np.array([mass.exponent for mass in values], np.int64),
        np.array([mass.mantissa for mass in values], np.float64),
    )


def _roots(roots: Mapping[int, float]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    return np.array([*roots], np.int32), np.array([*roots.values()], np.float64)


def _are_probabilities(graph: Hypergraph) -> bool:
    """Whether the masses of a call's answers are probabilities, as those of its failure."""
    return not graph.above_one and not graph.branches


def _asked(doing: str) -> Callable[[int, int, int], bool]:
    """What the core asks now and then: ends it by an exception where the time is up."""

    def go_on(*_: Any) -> bool:
        check_time(doing)
        return True

    return go_on
