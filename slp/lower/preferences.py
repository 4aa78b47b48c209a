"""How what a constraint under `prefer` costs becomes rules of a grammar.

The weight of a tree is multiplied by exp(-cost) where a split or a leaf breaks the constraint. In
a grammar this is a choice: with probability exp(-cost) the derivation goes on, and with the rest it
is lost, as it is under `condition`. So every engine that takes derivations which fail takes costs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from slp.ir.row_function import MOST_ROWS, TIE, Op, RowFunction
from slp.ir.tree_grammar import CallRule, LeafRule


def shares_of_cost(cost: float) -> tuple[float, float]:
    """The logs of exp(-cost), and of the rest."""
    return -cost, math.log(-math.expm1(-cost))


class LeafTests(NamedTuple):
    """A leaf in whose box no class may outnumber those of `majority`. Where a class outnumbers one
    of `preferred`, the leaf has the cost that stands with it. `lost` is a leaf that none can be.
    `prior` is that of the leaf (`State.leaf_prior`)."""

    majority: tuple[str, ...]
    preferred: tuple[tuple[str, float], ...] = ()
    lost: bool = False
    prior: int = 0

    def rules(
        self, level: int, number: Callable[[LeafTests, int], int]
    ) -> Iterator[LeafRule | CallRule]:
        """The rules of its state, which exclude each other but for the rest of a cost. `number`
        gives the number of the state of other tests at a level."""
        if self.lost:
            return
        if not self.preferred:
            yield LeafRule(0.0, self.majority)
            return
        (outcome, cost), *others = self.preferred
        after = number(self._replace(preferred=tuple(others)), level)
        yield CallRule(0.0, after, _compares(outcome, Op.AT_LEAST))
        against = _compares(outcome, Op.LESS)
        kept, left = shares_of_cost(cost) if math.isfinite(cost) else (-math.inf, 0.0)
        if math.isfinite(cost):
            yield CallRule(kept, after, against)
        yield CallRule(left, number(LeafTests((), lost=True), level), against)

    def describe(self) -> str:
        """Its name for people."""
        if self.lost:
            return "lost"
        parts = [f"no class above {outcome}" for outcome in self.majority]
        parts += [
            f"pays {cost:g} if a class is above {outcome}" for outcome, cost in self.preferred
        ]
        return ", ".join(["a leaf", *parts])


def _compares(outcome: str, op: Op) -> RowFunction:
    """A test of the rows of a class against those of the class that has the most."""
    most = [(Op.COUNT, 1.0), (Op.CONSTANT, 1 - TIE), (Op.MULTIPLY, 0.0)]
    return RowFunction(((Op.COUNT, 0.0), *most, (op, 0.0)), False, (outcome, MOST_ROWS))
