"""`informed`: grow, prune, change and perturb, each with probability 1/4, with splits weighted by
the likelihood.

The moves are those of `cgm` and `perturb`, but the splits of a node v are drawn in proportion to

    W(v, c) [M(left) M(right)]^power

instead of W(v, c), where M(side) is the marginal likelihood of a side as a leaf. The ratios are
those given there, with this weight instead of W. For a split into two leaves this is the weight of
the particle filter's optimal proposal.

References: those of `cgm` and `perturb`; Lakshminarayanan, Roy & Teh (2013), Top-down particle
filtering for Bayesian decision trees, ICML, section 3.
"""

from __future__ import annotations

from slp.reference.mh.moves.cgm import change, grow, prune
from slp.reference.mh.moves.choosing import Chooser
from slp.reference.mh.moves.perturb import perturb
from slp.reference.mh.moves.proposal import Moved
from slp.reference.mh.moves.weighed_tree import WeighedTree


def move(choose: Chooser, here: WeighedTree) -> Moved | None:
    """One of the four."""
    kind = choose.among(("grow", "prune", "change", "perturb"))
    if kind == "grow":
        return grow(choose, here, WeighedTree.informed_splits)
    if kind == "prune":
        return prune(choose, here)
    if kind == "change":
        return change(choose, here, WeighedTree.informed_splits)
    return perturb(choose, here, WeighedTree.informed_splits, ("perturb",))
