"""A hypergraph under labels that change: the masses are solved again for each set of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from slp.reference.tables.bounds import bounds_of
from slp.reference.tables.uses import uses_of_edges
from slp.resolution.proofs.masses import Mass
from slp.resolution.tables.edge_labels import STAYS
from slp.resolution.tables.hypergraph import Edge, Hypergraph
from slp.resolution.tables.solved import Bounds


class PlainWeighing:
    """See `slp.resolution.tables.solved.Weighing`."""

    _edges: list[Edge]
    _graph: Hypergraph
    _found: Sequence[Bounds]

    def __init__(self, graph: Hypergraph) -> None:
        assert graph.labels is not None, "a program's hypergraph"
        self._built, self._labels = graph, graph.labels
        self._numbered = list(zip(graph.edges, self._labels.number.tolist(), strict=True))

    def weigh(self, values: NDArray[np.float64], asked: Sequence[int]) -> list[Mass] | None:
        """See `Weighing`."""
        self._edges = [
            edge if i == STAYS else edge._replace(label=float(values[i]))
            for edge, i in self._numbered
        ]
        own = {field.name: getattr(self._built, field.name) for field in fields(Hypergraph)}
        self._graph = Hypergraph(**{**own, "edges": self._edges})
        self._found = bounds_of(self._graph)
        if any(bounds.infinite or bounds.upper is None for bounds in self._found):
            return None
        return [self._found[i].value for i in asked]

    def expected_uses(self, roots: Mapping[int, float]) -> NDArray[np.float64] | None:
        """See `Weighing`."""
        used = uses_of_edges(self._graph, self._found, roots)
        if used is None:
            return None
        counts = {id(edge): count for edge, count in used}
        out = np.zeros(self._labels.size)
        for edge, (_, i) in zip(self._edges, self._numbered, strict=True):
            if i != STAYS:
                out[i] += counts.get(id(edge), 0.0)
        return out
