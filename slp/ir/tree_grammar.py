"""A finite weighted top-down tree grammar: what a program lowers to, and what every engine runs on.

It knows the names and kinds of the features, and no rows. A *state* is a ground nonterminal of the
program together with the states of the local constraints. Each state has *rules*: stop
(`LeafRule`), go on in another state with the same box (`CallRule`), or split (`SplitRule`).

Split classes
-------------
The thresholds of numeric feature `f` fall into `2 * m + 1` *cells*, `m = len(breakpoints[f])`: cell
`2 * i` is the open interval below breakpoint `i` (above the one before), cell `2 * i + 1` is
breakpoint
`i` itself, cell `2 * m` is what lies above the last. The cells of a categorical feature are its
levels, in the table's order. `SplitRule.transitions[f][cell]` is the pair (left state, right
state), or
`FORBIDDEN` twice where a local constraint or a guard behind the split says no, or `OUTSIDE` twice
where the rule does not propose such a split at all (its feature is bound to another one, or
`max_depth`).

Weights (probability scale as logarithms)
-----------------------------------------
A rule's weight in a box is `exp(log_weight)`, times the label of its row function where it has one.
A row function (`slp.ir.row_function`) is evaluated in each box from its rows, counted with repeats;
no state passes them on. Where one of its tests does not hold, or the label is 0, the rule does not
exist in the box.

In a box, a rule is *applicable* if: a leaf rule, its majority classes are satisfied; a split
rule, some structurally valid split is neither OUTSIDE nor FORBIDDEN; a call rule, always. With
`failure == "condition"` FORBIDDEN splits and majority classes do not bear on applicability, nor
on the split measure: they keep their share and the derivation fails. If `normalise`, each weight
is divided by the sum of the weights of the rules applicable in the box. A split rule's weight is
then multiplied by the split measure (see `slp.ir.program.MEASURES`, `docs/priors.md`), taken over
the splits that are left.
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
from slp.source import SourceSpan

__all__ = [
    "FORBIDDEN",
    "OUTSIDE",
    "CallRule",
    "LeafRule",
    "OpenStates",
    "Rule",
    "SplitRule",
    "State",
    "TreeGrammar",
    "cell_of",
]

FORBIDDEN = -1
OUTSIDE = -2


@dataclass(frozen=True)
class LeafRule:
    """Stop. `majority` lists the classes no other class may outnumber in this leaf."""

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
    """A state's name for people (`tree(2), contains infant`) and its rules, in the program's
    order. `level` is the number of splits on the path on which it was found: its depth, where
    states of different depths are kept apart. Every tree that it derives has `least_leaves` or
    more."""

    name: str
    rules: tuple[Rule, ...]
    level: int = field(default=0, compare=False)
    least_leaves: int = field(default=1, compare=False)


class OpenStates(ABC):
    """States that are made when they are first asked for, by any thread. Their numbers depend on
    the order in which that is, and are the same for as long as the object lives.

    Attributes
    ----------
    first : the states that were made to see that there are many, by number: those nearest to the
        start.
    single_derivation : whether it is certain that each state, first or not, has no call, and one
        leaf rule and one split rule at most.
    measures : those that a split rule of any state, first or not, may have.
    identity : the same for programs that have the same states, in one version of this library.
    """

    first: Mapping[int, State]
    single_derivation: bool
    measures: frozenset[Measure]
    identity: str

    @abstractmethod
    def __getitem__(self, state: int) -> State:
        """A state that the start is, or a rule of a state made before leads to.

        Raises
        ------
        SlpError
            What `slp.lower` finds wrong with it; E304: the states that may be made are used up.
        """

    @abstractmethod
    def listed(self) -> tuple[State, ...]:
        """All states, as a grammar has them that is not open.

        Raises
        ------
        SlpError
            E304: they are too many; E220 and others: one of them cannot be computed.
        """


@dataclass(frozen=True)
class TreeGrammar:
    """Weighted tree grammar over `features` (the table's feature columns, in order, ignored ones
    left out).

    `states` are all that can be reached, or, where these are many, `OpenStates`: for engines that
    meet a few of them. An engine that needs all asks for the grammar `listed`.
    `levels[f]` are the levels of a categorical feature, None for a numeric one. `breakpoints[f]` is
    float64, strictly increasing, empty for a categorical feature. `feature_weights` is float64,
    shape (d,).
    `min_leaf` counts rows with repeats. `max_leaves` conditions on at most so many leaves.
    `horizon` is the number of splits on one path up to which states were expanded: states first
    reached there have no split rules, which is exact for tables that cannot split deeper.
    `normalised` tells whether the weights of all trees are known to sum to 1 on every table (no
    failure possible, no `:- weights.`). Where the states are open, that is told from the first, and
    every state that is made later is held to it (E304): nothing fails in a derivation unless it
    meets a state for which whoever follows it gets that error. So the weights of the trees whose
    states can be made sum to 1 less the probability that the program derives another tree, and to
    1 where no state fails. Chains start from such derivations.
    """

    features: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...]
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

    def first_states(self) -> Mapping[int, State]:
        """By number all states or, where they are open, the first."""
        if isinstance(self.states, OpenStates):
            return self.states.first
        return dict(enumerate(self.states))

    def all_states(self) -> tuple[State, ...]:
        """The states of a grammar that is `listed`."""
        assert isinstance(self.states, tuple), "an open grammar is listed first"
        return self.states

    def listed(self) -> TreeGrammar:
        """The grammar with all its states, which may have other numbers then; raises as
        `OpenStates.listed` does."""
        if isinstance(self.states, OpenStates):
            return replace(self, states=self.states.listed())
        return self

    def rules(self) -> Iterator[tuple[int, Rule]]:
        """The rules of `first_states`, with the number of their state."""
        for s, state in self.first_states().items():
            for rule in state.rules:
                yield s, rule


def cell_of(breakpoints: NDArray[np.float64], threshold: float) -> int:
    """Cell of a numeric threshold, by one binary search (see the module's docstring)."""
    i = int(np.searchsorted(breakpoints, threshold, side="left"))
    return 2 * i + 1 if i < len(breakpoints) and breakpoints[i] == threshold else 2 * i
