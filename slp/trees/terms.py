"""A tree as a Prolog term, for goals about it:

split(Feature, Threshold, Left, Right)      an atom, the level, in place of the threshold
leaf([counts-[no-2, yes-1]])                for classes; else leaf([n-3, mean-3.4])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slp.columns import Test
from slp.terms import Atom, Number, Struct, Term, list_term
from slp.trees.parts import Leaf, Node
from slp.trees.tree import Tree


def tree_term(tree: Tree) -> Term:
    """The term of a tree, see the module."""
    return node_terms(tree)[0]


def node_terms(tree: Tree) -> tuple[Term, dict[Term, Node]]:
    """The term of a tree, and by the terms of its parts their nodes. Parts with one term are
    alike."""
    done: list[Term] = []
    nodes: dict[Term, Node] = {}
    for node in reversed(list(tree.nodes())):
        if isinstance(node, Leaf):
            term = Struct("leaf", (summary_term(node.summary),))
        else:
            left, right = done.pop(), done.pop()
            term = Struct("split", (Atom(node.feature), test_term(node.test), left, right))
        done.append(term)
        nodes[term] = node
    return done[0], nodes


def test_term(test: Test) -> Term:
    """The threshold, the level, or the levels on the left side."""
    tested = test.tested
    if isinstance(tested, str):
        return Atom(tested)
    return list_term(map(Atom, tested)) if isinstance(tested, tuple) else Number(float(tested))


def summary_term(summary: Mapping[Any, Any]) -> Term:
    """The summary of a leaf, as a list of Name-Value."""
    return list_term(
        Struct("-", (label_term(name), _told(value))) for name, value in summary.items()
    )


def _told(value: Any) -> Term:
    if isinstance(value, str):
        return Atom(value)
    return summary_term(value) if isinstance(value, Mapping) else Number(value)


def label_term(name: Any) -> Term:
    """A name or a class: a number, or an atom; a boolean is the atom `true` or `false`."""
    if isinstance(name, bool):
        return Atom("true" if name else "false")
    return Number(name) if isinstance(name, int | float) else Atom(name)
