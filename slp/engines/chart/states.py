"""Product states, and sets of them ("profiles"), which boxes share.

With `max_leaves` a state goes with the number of leaves it owes: product state `state * K + k - 1`,
k = 1 to K, derives the trees of exactly k leaves. Without, K = 1 and nothing is owed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.ir.tree_grammar import CallRule, SplitRule, TreeGrammar
from slp.problem.split_measures import flat_transitions, splits_taken_over

__all__ = ["States", "Step"]


class Step(NamedTuple):
    """The effect of a split on a profile: bit sets of product states left and right (empty if the
    split is always forbidden), and the number of pairs of product states."""

    left: int
    right: int
    edges: int


class States:
    """Product states of a grammar on a table of `n` distinct rows, and their profiles.

    Profiles are interned: the step of a profile in a cell of the thresholds is computed once.

    Attributes
    ----------
    n_owed : K of the module's docstring.
    n_states : number of product states.
    profiles : product states of each profile, ascending, closed under call rules.
    """

    def __init__(self, grammar: TreeGrammar, n: int) -> None:
        self.grammar = grammar
        self.counted = grammar.max_leaves is not None
        self.n_owed = 1 if grammar.max_leaves is None else max(1, min(grammar.max_leaves, n))
        self.n_states = len(grammar.all_states()) * self.n_owed
        self.profiles: list[tuple[int, ...]] = []
        self._profile_of: dict[int, int] = {}
        self._steps: list[dict[int, Step | None]] = []
        self._split_tables = [
            [flat_transitions(rule) for rule in state.rules if isinstance(rule, SplitRule)]
            for state in grammar.all_states()
        ]
        self._room = [self._with_room(rows) for rows in range(self.n_owed + 1)]

    @property
    def start(self) -> list[int]:
        """Product states that derivations begin with."""
        return [self.grammar.start * self.n_owed + k for k in range(self.n_owed)]

    def dealt(self, product: int) -> list[tuple[int, int]]:
        """The distributions of a product state's leaves over the sides of a split: the numbers to
        add to K times the left state and to K times the right state."""
        k = product % self.n_owed
        return [(j, k - 1 - j) for j in range(k)] if self.counted else [(0, 0)]

    def may_stop(self, product: int) -> bool:
        """Whether a leaf pays what a product state owes."""
        return not self.counted or product % self.n_owed == 0

    def room(self, n_rows: int) -> int:
        """Bit set of the product states that owe no more leaves than a box has distinct rows."""
        return self._room[min(n_rows, self.n_owed)]

    def profile(self, reached: int) -> int:
        """Number of the profile of a bit set of product states."""
        found = self._profile_of.get(reached)
        if found is None:
            closed = self._closure(reached)
            found = self._profile_of.get(closed)
            if found is None:
                found = self._profile_of[closed] = len(self.profiles)
                self.profiles.append(_ones(closed))
                self._steps.append({})
            self._profile_of[reached] = found
        return found

    def steps(self, profile: int) -> dict[int, Step | None]:
        """The steps of a profile by cell, as far as they are computed."""
        return self._steps[profile]

    def new_step(self, profile: int, cell: int) -> Step | None:
        """Compute the step of a profile in a cell; None if no rule has such a split in its
        measure."""
        self._steps[profile][cell] = step = self._step(profile, cell)
        return step

    def can_split(self, profile: int) -> bool:
        """Whether some rule of a profile has any split in its measure."""
        return any(
            bool(splits_taken_over(table[:, 0], self.grammar.failure).any())
            for state in {product // self.n_owed for product in self.profiles[profile]}
            for table in self._split_tables[state]
        )

    def _step(self, profile: int, cell: int) -> Step | None:
        left = right = edges = 0
        counts = False
        for product in self.profiles[profile]:
            for table in self._split_tables[product // self.n_owed]:
                counts |= bool(splits_taken_over(table[cell, :1], self.grammar.failure)[0])
                a, b = int(table[cell, 0]) * self.n_owed, int(table[cell, 1]) * self.n_owed
                for i, j in self.dealt(product) if a >= 0 else ():
                    left |= 1 << a + i
                    right |= 1 << b + j
                    edges += 1
        return Step(left, right, edges) if counts else None

    def _closure(self, reached: int) -> int:
        pending = list(_ones(reached))
        while pending:
            state, k = divmod(pending.pop(), self.n_owed)
            for rule in self.grammar.states[state].rules:
                if isinstance(rule, CallRule):
                    called = rule.state * self.n_owed + k
                    if not reached >> called & 1:
                        reached |= 1 << called
                        pending.append(called)
        return reached

    def _with_room(self, n_rows: int) -> int:
        block = (1 << n_rows) - 1 if self.counted else 1
        return sum(block << s * self.n_owed for s in range(len(self.grammar.all_states())))


def _ones(number: int) -> tuple[int, ...]:
    """Positions of the ones of a non-negative number, ascending."""
    digits = np.frombuffer(number.to_bytes((number.bit_length() + 7) // 8, "little"), np.uint8)
    positions: NDArray[np.int64] = np.flatnonzero(np.unpackbits(digits, bitorder="little"))
    return tuple(positions.tolist())
