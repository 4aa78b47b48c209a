"""The equations of a hypergraph: by variable, and in an order in which they can be solved."""

from __future__ import annotations

from collections.abc import Sequence

from slp.late import late_import
from slp.resolution.tables.hypergraph import NONE, Edge, Hypergraph


def edges_by_target(graph: Hypergraph) -> list[list[Edge]]:
    """The edges to each variable; none to those whose mass is 0 in the least solution."""
    into: list[list[Edge]] = [[] for _ in graph.variables]
    for edge in _productive(graph):
        into[edge.target].append(edge)
    return into


def _productive(graph: Hypergraph) -> list[Edge]:
    """The edges whose prefix and answer have mass. All prefixes and answers that were found have;
    a failure may not have."""
    needed_by: dict[int, list[int]] = {}
    missing = []
    ready = []
    for i, edge in enumerate(graph.edges):
        needs = {edge.prefix, edge.answer} - {NONE}
        missing.append(len(needs))
        for variable in needs:
            needed_by.setdefault(variable, []).append(i)
        if not needs:
            ready.append(i)
    positive: set[int] = set()
    for i in ready:  # grows
        target = graph.edges[i].target
        if target not in positive:
            positive.add(target)
            for other in needed_by.get(target, ()):
                missing[other] -= 1
                if missing[other] == 0:
                    ready.append(other)
    return [graph.edges[i] for i in sorted(ready)]


def components(into: Sequence[Sequence[Edge]]) -> list[list[int]]:
    """The variables of each strongly connected component; each stands behind those it needs."""
    sparse = late_import("scipy.sparse")
    connected_components = late_import("scipy.sparse.csgraph").connected_components
    pairs = [
        (edge.target, needed)
        for edges in into
        for edge in edges
        for needed in (edge.prefix, edge.answer)
        if needed != NONE
    ]
    n = len(into)
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    needs = sparse.csr_matrix(([1.0] * len(pairs), (rows, columns)), shape=(n, n))
    count, part = connected_components(needs, connection="strong")
    members: list[list[int]] = [[] for _ in range(count)]
    for i, number in enumerate(part.tolist()):
        members[number].append(i)
    behind: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for target, needed in pairs:
        a, b = part[needed], part[target]
        if a != b:
            behind[a].append(b)
            missing[b] += 1
    order = [i for i in range(count) if missing[i] == 0]
    for number in order:  # grows
        for other in behind[number]:
            missing[other] -= 1
            if missing[other] == 0:
                order.append(other)
    return [members[number] for number in order]


def visits_once(graph: Hypergraph) -> bool:
    """Whether no proof of a call passes the same prefix twice."""
    variables = graph.variables
    inner = [
        edge._replace(answer=NONE)
        for edge in graph.edges
        if edge.prefix != NONE and variables[edge.target].kind == "prefix"
    ]
    into: list[list[Edge]] = [[] for _ in variables]
    for edge in inner:
        if edge.prefix == edge.target:
            return False
        into[edge.target].append(edge)
    return all(len(part) == 1 for part in components(into))
