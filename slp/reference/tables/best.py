"""The best proofs of a query, by decreasing mass: Knuth's algorithm for the k best.

Proofs are finished in the order of their masses. A finished proof of a variable is joined with all
finished proofs of the other variable of each edge. As no label is above 1, what is joined has no
more mass than its parts, so what is finished is final (Knuth, "A generalization of Dijkstra's
algorithm", Information Processing Letters 6, 1977). The k best of a variable suffice for the k best
of others. Labels above 1 are refused: then the best proof need not exist.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from slp.resolution.proofs.masses import ONE, Mass
from slp.resolution.tables.hypergraph import NONE, Edge, Hypergraph


@dataclass(frozen=True, slots=True, eq=False)
class BestProof:
    """A proof of variable `edge.target`: its last edge, and the proofs of the edge's variables."""

    mass: Mass
    edge: Edge
    prefix: BestProof | None
    answer: BestProof | None

    @property
    def root(self) -> int:
        """The variable of its answer."""
        return self.edge.target

    def begun(self) -> list[Edge]:
        """The edges that begin with a labelled clause, in their order of use."""
        out = []
        todo: list[BestProof | None] = [self]
        while todo:
            proof = todo.pop()
            if proof is not None:
                if proof.edge.clause is not None:
                    out.append(proof.edge)
                todo += [proof.answer, proof.prefix]
        return out


_Entry: TypeAlias = tuple[int, float, int, BestProof]


def best_proofs(graph: Hypergraph, k: int) -> list[BestProof]:
    """The `k` proofs of the query with the largest masses, fewer where there are fewer.

    Raises
    ------
    ValueError
        A label is above 1.
    """
    if any(edge.label > 1 for edge in graph.edges):
        raise ValueError("a label is above 1, so the best proof need not exist")
    return _BestFirst(graph, k).run()


class _BestFirst:
    def __init__(self, graph: Hypergraph, k: int) -> None:
        self._k = k
        self._wanted = set(graph.answers)
        self._done: list[list[BestProof]] = [[] for _ in graph.variables]
        self._using: list[list[Edge]] = [[] for _ in graph.variables]
        self._heap: list[_Entry] = []
        self._order = count()
        for edge in graph.edges:
            if graph.variables[edge.target].kind == "failure":
                continue
            for needed in {edge.prefix, edge.answer} - {NONE}:
                self._using[needed].append(edge)
            if edge.prefix == NONE:
                self._push(edge, None, None)

    def run(self) -> list[BestProof]:
        best: list[BestProof] = []
        while self._heap and len(best) < self._k:
            proof = heapq.heappop(self._heap)[-1]
            target = proof.edge.target
            if len(self._done[target]) == self._k:
                continue
            self._done[target].append(proof)
            if target in self._wanted:
                best.append(proof)
            for edge in self._using[target]:
                self._join(edge, proof)
        return best

    def _join(self, edge: Edge, proof: BestProof) -> None:
        """Join a proof that was just finished with all those of the edge's other variable."""
        if proof.edge.target == edge.prefix:
            for other in self._done[edge.answer]:
                self._push(edge, proof, other)
        else:
            for other in self._done[edge.prefix]:
                self._push(edge, other, proof)

    def _push(self, edge: Edge, prefix: BestProof | None, answer: BestProof | None) -> None:
        a = ONE if prefix is None else prefix.mass
        b = ONE if answer is None else answer.mass
        mass = Mass.of(a.mantissa * b.mantissa, a.exponent + b.exponent).times(edge.label)
        proof = BestProof(mass, edge, prefix, answer)
        for _ in range(min(edge.proofs, self._k)):
            entry = -mass.exponent, -mass.mantissa, next(self._order), proof
            heapq.heappush(self._heap, entry)
