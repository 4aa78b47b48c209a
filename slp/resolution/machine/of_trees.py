"""Predicates about trees, by name. `slp.results.tree_goals` defines them where a goal is asked of
the trees of a posterior; everywhere else a call of one is an error. A program may define them
itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slp.resolution.machine import faults
from slp.resolution.machine.loop import Goal, Machine
from slp.terms import Atom, Struct

#: The goal that binds its argument to the tree.
TREE = ("tree", 1)

#: The predicates that ask it something.
ABOUT_TREES = (
    ("uses", 2),
    ("root", 2),
    ("above", 3),
    ("leaves", 2),
    ("depth", 2),
    ("threshold_between", 4),
    ("same_leaf", 3),
    ("class_at", 4),
)


@dataclass(frozen=True)
class AsksTree:
    """A predicate about trees where there are none."""

    name: str
    arity: int

    def call(self, machine: Machine, goal: Goal, term: Struct | Atom) -> Goal | None:
        """Raise E270."""
        raise faults.no_tree_to_ask(self.name, self.arity, machine.span)


ASKING_TREES: Mapping[tuple[str, int], AsksTree] = {
    key: AsksTree(*key) for key in (TREE, *ABOUT_TREES)
}
