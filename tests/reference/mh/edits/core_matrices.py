"""Plain sequences of edits as states of the core, and exact transition matrices of its code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.compiled_edits import core_sampler
from slp.engines.shared.core_chains import CoreProposal
from slp.kernels.compiled import compiled_core
from slp.problem.core import core_problem
from slp.reference.cut_trees import Renderer
from slp.reference.tree_tests import AtMostFeatures, AtMostLeaves, preorder
from tests.engines.cases import denison
from tests.reference.mh.edits.matrices import Capped


def sampler_of(made: Capped, proposal: CoreProposal) -> Any:
    """The core's sampler of a capped target."""
    core = compiled_core()
    assert core is not None
    process = made.target.process
    nodes = process.nodes
    grammar = denison(nodes.geometry.table, 2.0)
    grammar = replace(
        grammar, min_leaf=nodes.geometry.least_size, feature_weights=nodes.feature_weights
    )
    leaves = [t.count for t in made.target.tests if isinstance(t, AtMostLeaves)]
    features = [t.count for t in made.target.tests if isinstance(t, AtMostFeatures)]
    return core_sampler(
        core,
        core.ExactEngine(core_problem(core, grammar, nodes.geometry.table, count_leaves=False)),
        nodes.geometry.table,
        Renderer(nodes.geometry).tree(preorder(process.given)),
        p=process.p,
        measure=nodes.measure,
        max_depth=nodes.max_depth,
        tests=(min(leaves, default=0), min(features, default=0), []),
        constrained=False,
        mixture=[proposal],
        most_edits=made.most,
    )


class CoreCapped:
    """The sequences of a capped process, as states of the core."""

    def __init__(self, made: Capped) -> None:
        self.made = made
        self.written = [[n for edit in e.edits for n in edit] for _, e in made.drawn]
        self.number = {tuple(w): i for i, w in enumerate(self.written)}

    def states(self, sampler: Any, turn: int) -> list[Any]:
        return [sampler.restore(np.array(w, np.int32), [turn]) for w in self.written]

    def matrix(self, proposal: CoreProposal, turn: int = 0) -> NDArray[np.float64]:
        """P[i, j]: probability that the core goes from sequence i to sequence j in one step, by
        going through every outcome of every random decision that it takes."""
        sampler = sampler_of(self.made, proposal)
        out = np.zeros((len(self.written), len(self.written)))
        for i, state in enumerate(self.states(sampler, turn)):
            scripts: list[list[int]] = [[]]
            while scripts:
                script = scripts.pop()
                new, taken, probabilities = sampler.scripted(state, script, self.made.target.power)
                probability = np.prod([p[t] for p, t in zip(probabilities, taken, strict=True)])
                out[i, self.number[tuple(new.edits(sampler).tolist())]] += probability
                for place in range(len(script), len(taken)):
                    others = range(taken[place] + 1, len(probabilities[place]))
                    scripts += [[*taken[:place], o] for o in others if probabilities[place][o] > 0]
        return out
