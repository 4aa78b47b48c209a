"""Local constraints as small deterministic top-down tree automata.

An automaton reads a tree from the root. In state q at a node that splits on feature F with a
threshold in cell c, `step(q, F, c)` gives the states of the left and the right child, or None if
the constraint forbids that split. A tree satisfies the constraint if no split is refused and every
leaf passes the leaf test (only `majority` has one). The definitions are those of docs/language.md:

- a node's *region* is `lo <= F < hi` for every numeric F; a split at t gives the left child hi = t
  and the right child lo = t. Automata may rely on `lo < t < hi`: a split of a box parts its rows.
- the region *contains* a box if lo <= min and hi >= max for every feature (a feature that the box
  does not bound has min = -inf, max = inf);
- it lies *inside* the box if lo >= min and hi <= max for every bounded feature;
- it *meets* the box if lo < max and hi > min for every bounded feature.

A state that refuses nothing on any path below is `DONE`: with fewer states, more items are shared.
Features outside `mentioned` are all treated alike, so one column serves all of them. Categorical
features have no cells (`cell` is None) and no bounds.

`automaton_of(constraint)` is the entry point. The base class is in `automaton`, the automata are in
`box_automata` and `path_automata`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias, assert_never

from slp.ir.constraints import (
    Before,
    Box,
    Constant,
    Exclusive,
    First,
    Forbid,
    Interaction,
    Majority,
    Once,
)
from slp.lower.automaton import Automaton
from slp.lower.box_automata import ConstantAutomaton, ForbidWithinAutomaton, MajorityAutomaton
from slp.lower.path_automata import (
    BeforeAutomaton,
    ExclusiveAutomaton,
    FirstAutomaton,
    ForbidBelowAutomaton,
    InteractionAutomaton,
    OnceAutomaton,
)

LocalConstraint: TypeAlias = (
    Constant | Forbid | First | Before | Once | Exclusive | Interaction | Majority
)


def automaton_of(constraint: LocalConstraint) -> Automaton[Any]:
    """The automaton that decides a local constraint."""
    match constraint:
        case Constant(box=box):
            return ConstantAutomaton(box)
        case Majority(box=box, outcome=outcome):
            return MajorityAutomaton(box, outcome)
        case Forbid(feature=feature, within=Box() as box):
            return ForbidWithinAutomaton(feature, box)
        case Forbid(feature=feature, below=below):
            return ForbidBelowAutomaton(feature, below or 0)
        case First(feature=feature):
            return FirstAutomaton(feature)
        case Before(feature=feature, then=then):
            return BeforeAutomaton(feature, then)
        case Once(feature=feature):
            return OnceAutomaton(feature)
        case Exclusive(features=features):
            return ExclusiveAutomaton(frozenset(features))
        case Interaction(groups=groups):
            return InteractionAutomaton(frozenset(map(frozenset, groups)))
        case _:
            assert_never(constraint)


def can_be_broken(constraint: LocalConstraint, features: Collection[str]) -> bool:
    """False only if no tree that splits on `features` alone can break the constraint."""
    match constraint:
        case Forbid(feature=feature) | Once(feature=feature) | Before(then=feature):
            return feature in features
        case Exclusive(features=exclusive):
            return len(set(exclusive) & set(features)) > 1
        case _:
            return True
