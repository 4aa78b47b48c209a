"""The equations of a hypergraph: by variable, and in an order in which they can be solved."""

from __future__ import annotations

from collections.abc import Sequence

from slp.resolution.tables.hypergraph import NONE, Edge, Hypergraph


def edges_by_target(graph: Hypergraph) -> list[list[Edge]]:
    """The edges to each variable; none to those whose mass is 0 in the least solution."""
    into: list[list[Edge]] = [[] for _ in graph.variables]
    for edge in _productive(graph):
        into[edge.target].append(edge)
    return into


def _productive(graph: Hypergraph) -> list[Edge]:
    """The edges whose coefficient, prefix and answer have mass. All that were found have; a failure
    may not have, nor what has been given a label of 0."""
    needed_by: dict[int, list[int]] = {}
    missing = []
    ready = []
    for i, edge in enumerate(graph.edges):
        needs = {edge.prefix, edge.answer} - {NONE}
        missing.append(len(needs) + (edge.label == 0))
        for variable in needs:
            needed_by.setdefault(variable, []).append(i)
        if missing[i] == 0:
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
    """The variables of each strongly connected component; each stands behind those it needs.

    Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1, 1972.
    """
    needs = [[i for e in edges for i in (e.prefix, e.answer) if i != NONE] for edges in into]
    turn = [0] * len(into)  # in which a variable was met; 0: not yet
    low = [0] * len(into)
    met = 0
    done: list[list[int]] = []
    open_: list[int] = []
    is_open = [False] * len(into)
    for start in range(len(into)):
        path = [] if turn[start] else [start]
        while path:
            v = path[-1]
            if not turn[v]:
                met += 1
                turn[v] = low[v] = met
                open_.append(v)
                is_open[v] = True
            while needs[v] and turn[needs[v][-1]]:
                other = needs[v].pop()
                if is_open[other]:
                    low[v] = min(low[v], low[other])
            if needs[v]:
                path.append(needs[v][-1])
                continue
            path.pop()
            if low[v] == turn[v]:
                part: list[int] = []
                while not part or part[-1] != v:
                    part.append(open_.pop())
                done.append(part)
                for i in part:
                    is_open[i] = False
    return done


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
