"""The hypergraph of a query: variables and edges, which are a system of polynomial equations.

A *table* is a variant of a call. Its proofs are built from left to right. A *prefix* is a part of a
proof of the call, from its beginning to the next tabled goal: it is that goal, with the goals left
behind it. An answer of that goal extends it to longer prefixes, and to answers of the table. Each
prefix and each answer has a mass, the sum of the products of the labels over its proofs:

    mass(v) = sum over edges e to v of  label(e) proofs(e) mass(prefix(e)) mass(answer(e))

An edge that begins a proof has no prefix and no answer (each `NONE`, with mass 1). `proofs` is the
number of proofs of the logical goals between, all with the same result. The *failure* of a table is
the mass of choices that lead nowhere. It obeys equations of the same form. A failed choice within a
tabled goal is an edge from a prefix and from the failure of the goal's table.

All coefficients are positive, and the masses are the least solution that is not negative
(Etessami & Yannakakis, "Recursive Markov chains, stochastic grammars, and monotone systems of
nonlinear equations", Journal of the ACM 56, 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.tables.edge_labels import EdgeLabels
from slp.terms import Term

#: In place of a prefix or an answer of an edge that has none.
NONE = -1

Kind: TypeAlias = Literal["answer", "prefix", "failure"]


class Variable(NamedTuple):
    """An unknown mass: its kind and table, and the terms of an answer (those of the call's
    arguments; of the query's, the values of its named variables)."""

    kind: Kind
    table: int
    terms: tuple[Term, ...] = ()


class Edge(NamedTuple):
    """A term of the equation of `target`: label x proofs x mass of `prefix` x mass of `answer`.

    `clause` is the labelled clause that an edge begins with, None for other edges.
    """

    target: int
    label: float
    proofs: int
    prefix: int
    answer: int
    clause: ir.LogicClause | None


@dataclass(frozen=True, eq=False)
class Hypergraph:
    """All tables that a query needs. The table of the query itself is number 0.

    `calls` are the calls, by table; `answers` the variables of the query's answers. `branches`:
    whether a run of logical goals has several results somewhere. `above_one`: whether labels are
    weights, or sum to more than 1 at some goal, by more than rounding. `failure` is the variable of
    the query's failure, None where it cannot fail. It is None, too, under `:- weights.`, and where
    runs branch: then one of their results may lead nowhere while another one leads to a proof, and
    tables cannot tell. `labels` is None for equations that no program was built to.
    """

    calls: Sequence[Term]
    variables: Sequence[Variable]
    edges: Sequence[Edge]
    answers: Sequence[int]
    failure: int | None
    branches: bool
    above_one: bool
    labels: EdgeLabels | None = None

    @property
    def has_label_above_one(self) -> bool:
        """Whether some label is above 1."""
        return any(edge.label > 1 for edge in self.edges)
