"""Independent draws of proofs, from the tables: no draw fails, and none is rejected.

An answer is drawn by its probability, then the last edge of its proof by its share, then the proofs
of the edge's prefix and answer in the same way. A draw given an answer begins at it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from slp.reference.tables.uses import shares
from slp.resolution.tables.hypergraph import NONE, Edge, Hypergraph
from slp.resolution.tables.solved import Bounds, DrawsFromTables, roots_of_success


@dataclass(frozen=True)
class ProofFromTables:
    """A proof: the variable of its answer, the edges that begin with a labelled clause in their
    order of use, and its log mass."""

    answer: int
    begun: tuple[Edge, ...]
    log_mass: float


class ProofSampler:
    """Draws proofs of `roots`: variables with their probabilities."""

    def __init__(
        self, graph: Hypergraph, found: Sequence[Bounds], roots: Mapping[int, float]
    ) -> None:
        self._roots = roots
        self._shares = shares(graph, found)

    def draw(self, rng: Random) -> ProofFromTables:
        """One proof, independent of all others."""
        (root,) = rng.choices([*self._roots], [*self._roots.values()])
        begun = []
        todo = [root]
        while todo:
            (edge,) = rng.choices(*self._shares[todo.pop()])
            # The prefix was proved before the answer that extends it.
            todo.extend(i for i in (edge.answer, edge.prefix) if i != NONE)
            if edge.clause is not None:
                begun.append(edge)
        return ProofFromTables(root, tuple(begun), math.fsum(math.log(e.label) for e in begun))


def draws_of(
    graph: Hypergraph, found: Sequence[Bounds], n: int, seeds: NDArray[np.uint64]
) -> DrawsFromTables:
    """`n` independent proofs of the query."""
    rng = Random(int.from_bytes(seeds.tobytes()))
    sampler = ProofSampler(graph, found, roots_of_success(graph, found))
    number = {id(edge): i for i, edge in enumerate(graph.edges)}
    proofs = [sampler.draw(rng) for _ in range(n)]
    first = np.cumsum([0, *(len(proof.begun) for proof in proofs)])
    return DrawsFromTables(
        np.asarray(first, np.int64),
        np.array([number[id(edge)] for proof in proofs for edge in proof.begun], np.int32),
        np.array([proof.answer for proof in proofs], np.int32),
        np.array([proof.log_mass for proof in proofs], np.float64),
    )
