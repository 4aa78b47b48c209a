"""A finite weighted top-down tree grammar: the result of lowering, on which every engine runs.

It knows the names and kinds of the features, and no rows. A *state* is a ground nonterminal of the
program together with the states of the local constraints. Each state has *rules*: stop
(`LeafRule`), continue in another state with the same box (`CallRule`), or split (`SplitRule`).

Split classes
-------------
The thresholds of numeric feature `f` are divided into `2 * m + 1` *cells*, `m =
len(breakpoints[f])`. Cell `2 * i` is the open interval below breakpoint `i` (above the one before),
cell `2 * i + 1` is breakpoint `i` itself, and cell `2 * m` is the interval above the last. The
cells of a categorical feature are its levels, in the table's order. A feature with missing values
that take a side has one cell more, the last: the test for missing values. Cuts that differ in the
side of missing values have one cell.

`SplitRule.transitions[f][cell]` is the pair (left state, right state). It is `FORBIDDEN` twice if a
local constraint or a guard behind the split excludes the split. It is `OUTSIDE` twice if the rule
does not propose such a split at all (because its feature is bound to another one, or of
`max_depth`).

Weights (probability scale as logarithms)
-----------------------------------------
A rule's weight in a box is `exp(log_weight)`, times the label of its row function if it has one. A
row function (`slp.ir.row_function`) is evaluated in each box from its number of rows with repeats,
which is no part of the state. If one of its tests does not hold, or the label is 0, the rule does
not exist in the box.

In a box, a leaf rule is *applicable* if its majority classes are satisfied, a split rule if some
structurally valid split is neither OUTSIDE nor FORBIDDEN, and a call rule always. With `failure ==
"condition"`, FORBIDDEN splits and majority classes affect neither applicability nor the split
measure: such splits and leaves keep their probability, and the derivation fails. With `failure ==
"backtrack"`, choices are those of `"restrict"`, and a derivation that cannot go on goes back to its
last choice (`slp.reference.mh.backtracking`).

If `normalise`, each weight is divided by the sum of the weights of the rules applicable in the box.
A split rule's weight is then multiplied by the split measure over the remaining splits (see
`slp.ir.program.MEASURES`, `docs/priors.md`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.ir.program import Failure, Measure
from slp.ir.row_function import RowFunction
from slp.ir.schema import Level
from slp.source import SourceSpan

FORBIDDEN = -1
OUTSIDE = -2


@dataclass(frozen=True)
class LeafRule:
    """The derivation ends. `majority` lists the classes that no other class may outnumber in this
    leaf."""

    log_weight: float
    majority: tuple[str, ...] = ()
    rows: RowFunction | None = field(default=None, repr=False)
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class CallRule:
    """The same box in state `state`. The graph of call rules has no cycle."""

    log_weight: float
    state: int
    rows: RowFunction | None = field(default=None, repr=False)
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class SplitRule:
    """Cut the box. `transitions[f]` is int32, shape (cells of f, 2); see the module's docstring."""

    log_weight: float
    measure: Measure
    transitions: tuple[NDArray[np.int32], ...]
    rows: RowFunction | None = field(default=None, repr=False)
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


Rule: TypeAlias = LeafRule | CallRule | SplitRule


@dataclass(frozen=True)
class State:
    """The name of a state for people (`tree(2), contains infant`) and its rules, in the program's
    order. `level` is the number of splits on the path on which the state was found; it is the depth
    if states of different depths are distinct. Every tree that the state derives has at least
    `least_leaves` leaves. A leaf in the state has the prior of the number `leaf_prior` (see
    `CheckedProgram.leaf_priors`); a call leads to a state with the same one, or to one that derives
    nothing."""

    name: str
    rules: tuple[Rule, ...]
    level: int = field(default=0, compare=False)
    least_leaves: int = field(default=1, compare=False)
    leaf_prior: int = 0


class OpenStates(ABC):
    """States that are made when an engine first needs them, by any thread. Their numbers depend on
    the order in which they are made, and stay the same for the lifetime of the object.

    Attributes
    ----------
    first : by number, the states nearest to the start, which were made to see that there are many.
    single_derivation : whether it is certain that no state has a call rule, and that each has at
        most one leaf rule and one split rule.
    measures : all measures that split rules of the states may have.
    identity : equal for programs that have the same states, in one version of this library.
    """

    first: Mapping[int, State]
    single_derivation: bool
    measures: frozenset[Measure]
    identity: str

    @abstractmethod
    def __getitem__(self, state: int) -> State:
        """The start, or a state that a rule of a state made before leads to.

        Raises
        ------
        SlpError
            The error that `slp.lower` finds in it; E304: the limit on the number of states is
            reached.
        """

    @abstractmethod
    def listed(self) -> tuple[State, ...]:
        """All states, as in a grammar that is not open.

        Raises
        ------
        SlpError
            E304: there are too many; E220 and others: one of them cannot be computed.
        """


@dataclass(frozen=True)
class TreeGrammar:
    """Weighted tree grammar over `features`, the table's feature columns in order, without ignored
    ones.

    `states` are all reachable states. If there are many, they are `OpenStates`, for engines that
    need few of them; an engine that needs all takes the grammar `listed`. `levels[f]` are the
    levels of a categorical feature, None for a numeric one. `breakpoints[f]` is float64, strictly
    increasing, empty for a categorical feature. `feature_weights` is float64, shape (d,). `groups`
    are the numbers of the features' groups, shape (d,), from 0; None if no features are grouped.
    `min_leaf` counts rows with repeats; `min_weight`, if there is one, stands in its place and
    is of their weights. `max_leaves` conditions on at most this number of leaves.

    `horizon` is the number of splits on a path up to which states were expanded. States first
    reached there have no split rules. This is exact for tables that cannot split deeper.

    `normalised` tells whether the weights of all trees are known to sum to 1 on every table (no
    failure is possible, and there is no `:- weights.`). With open states, the first states decide
    this, and a later state that contradicts it raises E304. So the weights of the trees whose
    states can be made sum to 1 minus the probability of the other trees of the program, and to 1 if
    no state raises an error. Chains start from such derivations.

    `by_partition` tells whether every rule of the program that splits has the measure `partition`.
    Then a tree stands for all trees that part the table's rows alike, whichever features they split
    on. Otherwise a tree is what it says: another feature makes another tree.
    """

    features: tuple[str, ...]
    levels: tuple[tuple[Level, ...] | None, ...]
    breakpoints: tuple[NDArray[np.float64], ...]
    feature_weights: NDArray[np.float64]
    states: tuple[State, ...] | OpenStates
    start: int
    normalise: bool
    failure: Failure
    min_leaf: int
    max_leaves: int | None
    horizon: int
    normalised: bool
    min_weight: float | None = None
    by_partition: bool = False
    groups: NDArray[np.int64] | None = None

    @property
    def backtracks(self) -> bool:
        """Whether derivations may go back to an earlier choice, so that no weight is known of
        trees. Where nothing can fail, `"backtrack"` is `"restrict"`."""
        certain = self.normalised and self.max_leaves is None
        return self.failure == "backtrack" and not certain

    def first_states(self) -> Mapping[int, State]:
        """All states by number; if they are open, the first ones."""
        if isinstance(self.states, OpenStates):
            return self.states.first
        return dict(enumerate(self.states))

    def all_states(self) -> tuple[State, ...]:
        """The states of a grammar that is `listed`."""
        assert isinstance(self.states, tuple), "an open grammar is listed first"
        return self.states

    def listed(self) -> TreeGrammar:
        """The grammar with all its states, which may have other numbers. Raises as
        `OpenStates.listed`."""
        if isinstance(self.states, OpenStates):
            return replace(self, states=self.states.listed())
        return self

    def rules(self) -> Iterator[tuple[int, Rule]]:
        """The rules of `first_states`, each with the number of its state."""
        for s, state in self.first_states().items():
            for rule in state.rules:
                yield s, rule


def cell_of(breakpoints: NDArray[np.float64], threshold: float) -> int:
    """Cell of a numeric threshold, by one binary search (see the module's docstring)."""
    i = int(np.searchsorted(breakpoints, threshold, side="left"))
    return 2 * i + 1 if i < len(breakpoints) and breakpoints[i] == threshold else 2 * i
