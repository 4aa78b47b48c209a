"""The Metropolis-Hastings step of a tree move.

The states of tree moves are trees. The target is, with w(T) the weight of all derivations of a
tree, L the marginal likelihood of its leaves and q the probability of a move's choices,

    pi(T)  proportional to  w(T) L(T)^power [tests and predicates hold for T]

A move draws choices u, which lead from T to T'. The choices u' that lead back are a function of T
and u, and the move is accepted with probability min(1, ratio),

    ratio = w(T') L(T')^power q(u' | T') / [w(T) L(T)^power q(u | T)]

If u' cannot be made in T', or does not lead to T, q(u' | T') is 0: such a move is never accepted.
Below a change every state, label and split probability is that of T'. A tree that the program does
not derive has weight 0.

The chain's states are derivations. With T' a derivation of it is drawn, in proportion to the
weights. If d is drawn given T, T has the distribution pi and d that of the chain, and so after the
move: the acceptance depends on T and T' alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from slp.engines.mcmc.proposals import Proposed
from slp.reference.derivations import TreeProof, proof_of
from slp.reference.local_process import cumulated
from slp.reference.mh.moves.choosing import Chooser, DrawnChoices, Given, UnavailableError
from slp.reference.mh.moves.cut_trees import CutTree
from slp.reference.mh.moves.weighed_tree import WeighedTree
from slp.reference.mh.target import Target
from slp.reference.tree_tests import preorder
from slp.runner.randomness import Randomness


class Moved(NamedTuple):
    """The resulting tree, None if the choices make no tree; and the choices of the reverse move."""

    tree: CutTree | None
    back: tuple[Hashable, ...] = ()


#: Makes the choices of a move from a tree; None if there is nothing to choose.
MoveMaker: TypeAlias = Callable[[Chooser, WeighedTree], Moved | None]


@dataclass(frozen=True)
class TreeMove:
    """A tree move as a proposal on derivations; see the module's docstring for its ratio."""

    name: str
    move: MoveMaker
    period: int = 1

    def propose(
        self, randomness: Randomness, target: Target, old: TreeProof, turn: int
    ) -> Proposed[TreeProof] | None:
        """See `Proposal`. Nothing can be proposed if the move has nothing to choose."""
        with target.process.lock:  # tests in new boxes number cuts
            return self._proposed(randomness, target, old)

    def _proposed(
        self, randomness: Randomness, target: Target, old: TreeProof
    ) -> Proposed[TreeProof] | None:
        here = WeighedTree(target, tree_of(old))
        drawn = DrawnChoices(randomness)
        moved = self.move(drawn, here)
        if moved is None:
            return None
        if moved.tree is None:
            return _NEVER
        there = WeighedTree(target, moved.tree)
        derivations = there.derivations()
        back = self._log_probability(there, moved.back, here.cuts)
        if derivations.log_weight == -math.inf or back == -math.inf:
            return _NEVER
        choices = derivations.derivation(lambda scores: randomness.among(cumulated(scores)[0]))
        new = proof_of(target.process, choices)
        weights = derivations.log_weight - here.derivations().log_weight
        likelihood = target.power * (new.log_likelihood - old.log_likelihood)
        return Proposed(new, weights + likelihood + back - drawn.log_probability)

    def _log_probability(
        self, there: WeighedTree, choices: tuple[Hashable, ...], wanted: CutTree
    ) -> float:
        """log q of choices, -inf if they cannot be made or do not lead to the wanted tree."""
        given = Given(choices)
        try:
            moved = self.move(given, there)
        except UnavailableError:
            return -math.inf
        restored = moved is not None and moved.tree == wanted
        return given.log_probability if restored else -math.inf


_NEVER: Proposed[TreeProof] = Proposed(None, -math.inf)


def tree_of(proof: TreeProof) -> CutTree:
    """The tree that a proof derives."""
    return tuple(-1 if cut is None else cut for _, cut in preorder(proof))
