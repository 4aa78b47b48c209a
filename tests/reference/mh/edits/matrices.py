"""Exact transition matrices over all sequences of edits up to a length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.proposals import Proposal, metropolis_hastings
from slp.reference.mh.edits.process import EditProcess, Edits
from slp.reference.mh.edits.target import EditTarget
from slp.reference.tree_tests import TreeTest
from tests.reference.mh.edits.examples import Example
from tests.reference.mh.every_outcome import EveryOutcome, outcomes


class CappedProcess(EditProcess):
    """The process that must stop after so many edits: a finite set of sequences."""

    most = 2

    def more(self, n_edits: int) -> float:
        return self.p if n_edits < self.most else 0.0


class Capped:
    """All sequences in the support of a capped process, and their probabilities."""

    def __init__(
        self, made: Example, most: int, power: float = 1.0, tests: Sequence[TreeTest] = ()
    ) -> None:
        process = CappedProcess(made.process.nodes, made.process.given, made.process.p)
        process.most = self.most = most
        self.target = EditTarget(process, power, tests)
        drawn = outcomes(process.draw)
        assert abs(sum(p for p, _ in drawn) - 1) < 1e-12
        self.drawn = [(p, edits) for p, edits in drawn if self.target.holds(edits)]
        self.number = {edits.edits: i for i, (_, edits) in enumerate(self.drawn)}
        weights = [p * np.exp(power * e.tree.log_likelihood) for p, e in self.drawn]
        self.probability = np.array(weights) / sum(weights)

    def matrix(self, proposal: Proposal[EditTarget, Edits], turn: int) -> NDArray[np.float64]:
        """P[i, j]: probability to go from sequence i to sequence j in one step."""
        out = np.zeros((len(self.drawn), len(self.drawn)))
        for i, (_, edits) in enumerate(self.drawn):

            def step(randomness: EveryOutcome, old: Edits = edits) -> Edits:
                return metropolis_hastings(randomness, self.target, proposal, old, turn)[0]

            for probability, new in outcomes(step):
                out[i, self.number[new.edits]] += probability
        return out

    def drift(self, proposal: Proposal[EditTarget, Edits]) -> float:
        """How far one step carries the target away from itself: the largest change of a
        probability; and no row may lose probability."""
        worst = 0.0
        for turn in range(proposal.period):
            matrix = self.matrix(proposal, turn)
            lost = np.abs(matrix.sum(axis=1) - 1).max()
            moved = np.abs(self.probability @ matrix - self.probability).max()
            worst = max(worst, float(lost), float(moved))
        return worst
