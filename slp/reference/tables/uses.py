"""How often a proof uses each edge and each clause, in expectation: the outside pass.

The proofs of a variable are parted by their last edges e. Edge e has the share

    share(e) = label(e) proofs(e) mass(prefix) mass(answer) / mass(target)

and these sum to 1. A proof of weight r(v) at each variable v (the query's answers with their
probabilities, say) uses variable v so often in expectation:

    uses(v) = r(v) + sum over edges e with v as prefix or answer of  share(e) uses(target(e))

These are linear equations, with numbers that neither underflow nor overflow. They are the outside
weights times the masses (Baker 1979; Cussens 2001, section 4, for clauses).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.late import late_import
from slp.reference.tables.equations import edges_by_target
from slp.resolution.proofs.masses import ONE, ZERO, Mass
from slp.resolution.tables.hypergraph import NONE, Edge, Hypergraph
from slp.resolution.tables.solved import Bounds


def shares(graph: Hypergraph, found: Sequence[Bounds]) -> list[tuple[list[Edge], list[float]]]:
    """Of each variable the edges to it, and the share of each (sum 1)."""
    out = []
    for edges in edges_by_target(graph):
        masses = [_mass(edge, found) for edge in edges]
        unit = max(masses, default=ZERO)
        relative = [float(mass.over(unit)) if unit else 0.0 for mass in masses]
        whole = sum(relative)
        out.append((edges, [x / whole if unit else 0.0 for x in relative]))
    return out


def _mass(edge: Edge, found: Sequence[Bounds]) -> Mass:
    a, b = (ONE if i == NONE else found[i].value for i in (edge.prefix, edge.answer))
    product = Mass.of(a.mantissa * b.mantissa, a.exponent + b.exponent)
    return product.times(edge.label * edge.proofs)


def expected_uses(
    graph: Hypergraph, found: Sequence[Bounds], roots: Mapping[int, float]
) -> list[tuple[ir.LogicClause, float]] | None:
    """The expected number of uses of each labelled clause, in proofs of `roots`: variables with
    their probabilities, such as answers given success, or the failure alone.

    An estimate to rounding, which grows near critical points. None where the expected numbers are
    infinite, or the masses not known to be finite.
    """
    if any(bounds.upper is None for bounds in found):
        return None
    used = uses_of_edges(graph, found, roots)
    if used is None:
        return None
    out: dict[int, tuple[ir.LogicClause, float]] = {}
    for edge, count in used:
        if edge.clause is not None:
            before = out.get(id(edge.clause), (edge.clause, 0.0))[1]
            out[id(edge.clause)] = edge.clause, before + count
    return list(out.values())


def uses_of_edges(
    graph: Hypergraph, found: Sequence[Bounds], roots: Mapping[int, float]
) -> list[tuple[Edge, float]] | None:
    """The expected uses of each edge that has mass; None where they are infinite."""
    sparse, splu = late_import("scipy.sparse"), late_import("scipy.sparse.linalg").splu
    n = len(graph.variables)
    parts = shares(graph, found)
    rows, columns, values = [], [], []
    for edges, own in parts:
        for edge, share in zip(edges, own, strict=True):
            for needed in (edge.prefix, edge.answer):
                if needed != NONE:
                    rows.append(needed)
                    columns.append(edge.target)
                    values.append(share)
    needs = sparse.csc_matrix((values, (rows, columns)), shape=(n, n))
    given = np.zeros(n)
    for variable, weight in roots.items():
        given[variable] = weight
    try:
        uses = splu(sparse.identity(n, format="csc") - needs).solve(given)
    except RuntimeError:
        return None
    if not (uses >= -1e-9 * np.abs(uses).max()).all():
        return None
    return [
        (edge, share * float(uses[edge.target]))
        for edges, own in parts
        for edge, share in zip(edges, own, strict=True)
    ]
