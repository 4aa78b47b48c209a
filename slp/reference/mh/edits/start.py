"""The given tree as nodes, and sequences of edits to start a chain from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slp.engines.shared.starts import no_edits, search_of_edits_stopped
from slp.reference.cut_trees import parts_of_tree
from slp.reference.mh.edits.nodes import PRUNE, EditNode, Nodes
from slp.reference.mh.edits.process import Edit, EditProcess, Edits, kinds_of
from slp.reference.mh.edits.target import EditTarget
from slp.runner import Stop, never
from slp.runner.randomness import Randomness
from slp.trees import Tree
from slp.trees.predicates import AskedPredicate

#: Sequences drawn from the process first, and then for each length tried.
_TRIES = 100
#: The lengths tried: the most edits.
_LENGTHS = (16, 128)


def nodes_of_tree(nodes: Nodes, tree: Tree) -> EditNode:
    """A tree that fits the table (`slp.trees.fit_tree`), as nodes."""
    found = find_nodes(nodes, tree)
    assert found is not None
    return found


def find_nodes(nodes: Nodes, tree: Tree) -> EditNode | None:
    """Any tree as nodes, its thresholds made canonical; None if it cannot be edited: a side has too
    few rows, it is too deep, or the table's codes do not determine its rows."""
    parts = parts_of_tree(nodes.geometry, tree)
    if parts is None:
        return None
    depths = [0] * len(parts)
    for i, part in enumerate(parts):
        if part.feature >= 0:
            depths[part.left] = depths[part.right] = depths[i] + 1
    if nodes.max_depth is not None and max(depths) > nodes.max_depth:
        return None
    done: dict[int, EditNode] = {}
    for i in reversed(range(len(parts))):  # children come after their parents
        part = parts[i]
        if part.feature < 0:
            done[i] = nodes.leaf(part.box, depths[i])
            continue
        found = nodes.find_split(part.box, part.feature, part.left_box)
        if found is None:
            return None
        split, swapped = found
        sides = done.pop(part.left), done.pop(part.right)
        done[i] = nodes.joined(part.box, split, *(reversed(sides) if swapped else sides))
    return done[0]


def find_start(
    target: EditTarget,
    randomness: Randomness,
    asked: Sequence[AskedPredicate] = (),
    stop: Stop = never,
) -> Edits:
    """A sequence in the support; `asked` are the predicates of the target.

    Raises
    ------
    SlpError
        E519: none was found.
    SearchStoppedError
        See `slp.runner.Stepper`.
    """
    for edits, tree in _candidates(target.process, randomness):
        if stop():
            raise search_of_edits_stopped(asked)
        if target.allows(tree):
            return target.process.sequence_of(edits)
    raise no_edits(asked)


def _candidates(
    process: EditProcess, randomness: Randomness
) -> Iterator[tuple[Sequence[Edit], EditNode]]:
    """Edits and the trees that they lead to: draws from the process; the given tree, pruned step by
    step to one leaf; and every tree of longer draws, of up to 16 and then up to 128 edits."""
    for _ in range(_TRIES):
        drawn = process.draw(randomness)
        yield drawn.edits, drawn.tree
    edits: list[Edit] = []
    tree = process.given
    yield edits, tree
    while tree.places[PRUNE]:
        edits.append(Edit(PRUNE, 0, -1))
        tree = process.nodes.edited(tree, *edits[-1])
        yield edits, tree
    for most in _LENGTHS:
        for _ in range(_TRIES):
            yield from _walk(process, randomness, most)


def _walk(
    process: EditProcess, randomness: Randomness, most: int
) -> Iterator[tuple[Sequence[Edit], EditNode]]:
    """Make edits, at most `most`."""
    edits: list[Edit] = []
    tree = process.given
    while len(edits) < most and kinds_of(tree):
        edits.append(process.draw_edit(randomness, tree))
        tree = process.nodes.edited(tree, *edits[-1])
        yield edits, tree
