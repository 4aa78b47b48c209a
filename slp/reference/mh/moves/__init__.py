"""Moves on trees: one file for each, with its acceptance ratio.

`proposal` makes a Metropolis-Hastings proposal from a move, with its target. A move (`cgm`, `wu`,
`rotate`, `perturb`, `informed`, `twig`) makes its choices through `choosing`, on a tree
(`cut_trees`) with the states and splits of its nodes (`weighed_tree`).
"""

from slp.reference.mh.moves import cgm, informed, perturb, rotate, twig, wu
from slp.reference.mh.moves.proposal import TreeMove

__all__ = ["TREE_MOVES", "TreeMove"]

#: By their public names.
TREE_MOVES: dict[str, TreeMove] = {
    "cgm": TreeMove("cgm", cgm.move),
    "wu": TreeMove("wu", wu.move),
    "rotate": TreeMove("rotate", rotate.move),
    "perturb": TreeMove("perturb", perturb.move),
    "informed": TreeMove("informed", informed.move),
    "twig": TreeMove("twig", twig.move),
}
