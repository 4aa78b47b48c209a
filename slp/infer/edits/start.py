"""The given tree as nodes, and sequences of edits to start a chain from."""

from __future__ import annotations

from slp.errors import Diagnostic, SlpError
from slp.infer.edits.nodes import PRUNE, Node, Nodes
from slp.infer.edits.process import Edit, Edits, kinds_of
from slp.infer.edits.target import EditTarget
from slp.infer.mh.chance import Chance
from slp.infer.rendering import parts_of_tree
from slp.trees import Tree

__all__ = ["find_nodes", "find_start", "nodes_of_tree"]

#: Sequences drawn from the process before others are tried, and then of each length tried.
_TRIES = 100
#: Greatest numbers of edits of these.
_LENGTHS = (16, 128)


def nodes_of_tree(nodes: Nodes, tree: Tree) -> Node:
    """A tree that fits the table (`slp.trees.fit_tree`), as nodes."""
    found = find_nodes(nodes, tree)
    assert found is not None
    return found


def find_nodes(nodes: Nodes, tree: Tree) -> Node | None:
    """Any tree as nodes, its thresholds made canonical; None if it is none of the trees that can be
    edited: a side has too few rows, it is too deep, or the table's codes do not tell its rows."""
    parts = parts_of_tree(nodes.geometry, tree)
    if parts is None:
        return None
    depths = [0] * len(parts)
    for i, part in enumerate(parts):
        if part.split is not None:
            depths[part.left] = depths[part.right] = depths[i] + 1
    if nodes.max_depth is not None and max(depths) > nodes.max_depth:
        return None
    done: dict[int, Node] = {}
    for i in reversed(range(len(parts))):  # children come after their parents
        part = parts[i]
        if part.split is None:
            done[i] = nodes.leaf(part.box, depths[i])
            continue
        found = nodes.find_split(part.box, part.feature, part.left_box)
        if found is None:
            return None
        split, swapped = found
        sides = done.pop(part.left), done.pop(part.right)
        done[i] = nodes.joined(part.box, split, *(reversed(sides) if swapped else sides))
    return done[0]


def find_start(target: EditTarget, chance: Chance) -> Edits:
    """A sequence in the support.

    Tried are: draws from the process; the given tree with ever more of it pruned away, down to one
    leaf; draws that go on for up to 16, 64, 256 edits, looked at after every edit.

    Raises
    ------
    SlpError
        E519: none was found.
    """
    process = target.process
    for _ in range(_TRIES):
        drawn = process.draw(chance)
        if target.holds(drawn):
            return drawn
    pruned = process.sequence_of(())
    while not target.holds(pruned) and pruned.tree.places[PRUNE]:
        pruned = process.sequence_of([*pruned.edits, Edit(PRUNE, 0, -1)])
    if target.holds(pruned):
        return pruned
    for most in _LENGTHS:
        for _ in range(_TRIES):
            walked = _walk(target, chance, most)
            if walked is not None:
                return walked
    raise _no_start()


def _walk(target: EditTarget, chance: Chance, most: int) -> Edits | None:
    """Edit up to so many times, until the tree is in the support."""
    process, edits, tree = target.process, [], target.process.given
    for _ in range(most):
        if not kinds_of(tree):
            return None
        edits.append(process.draw_edit(chance, tree))
        tree = process.nodes.edited(tree, *edits[-1])
        if target.allows(tree):
            return process.sequence_of(edits)
    return None


def _no_start() -> SlpError:
    message = "no edits of the given tree were found that lead to a tree which satisfies "
    message += "the constraints"
    help = "loosen the constraints, or give a tree that satisfies them or is near one that does"
    return SlpError(Diagnostic("E519", message, help=help))
