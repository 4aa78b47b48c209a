"""Plain proofs as states of the core, and exact transition matrices of the core's own code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.shared.core_chains import CoreProposal, core_proposal
from slp.engines.shared.proposal_names import Named
from slp.ir.tree_grammar import LeafRule
from slp.kernels.compiled import compiled_core
from slp.problem.core import beyond_core, core_problem
from slp.problem.numbered_cuts import CoreCuts
from slp.reference.boxes import Geometry
from slp.reference.derivations import TreeProof
from slp.reference.mh.target import Target
from slp.reference.tree_tests import AtMostFeatures, MonotonePredictions
from tests.reference.mh.matrices import Example

Q_IND = core_proposal(Named("q_ind", None, 1.0))
Q_UC = core_proposal(Named("q_uc", None, 1.0))
Q_SEQ = core_proposal(Named("q_seq", None, 1.0))
Q_EXACT = core_proposal(Named("q_exact", None, 1.0))


def q_n(period: int) -> CoreProposal:
    return core_proposal(Named("q_n", period, 1.0))


def q_seq(period: int) -> CoreProposal:
    return core_proposal(Named("q_seq", period, 1.0))


def core_engine(target: Target) -> Any:
    """The core's engine of a target."""
    core = compiled_core()
    assert core is not None
    grammar, table = target.process.grammar, target.process.geometry.table
    assert beyond_core(table) is None
    return core.ExactEngine(core_problem(core, grammar, table, count_leaves=False))


def core_sampler(
    target: Target,
    mixture: Sequence[CoreProposal],
    most_boxes: float = 0.0,
    engine: Any | None = None,
) -> Any:
    """The core's sampler of a target."""
    core = compiled_core()
    assert core is not None
    grammar = target.process.grammar
    limits = [t.count for t in target.tests if isinstance(t, AtMostFeatures)]
    monotone = [(t.feature, t.up) for t in target.tests if isinstance(t, MonotonePredictions)]
    return core.MHSampler(
        core_engine(target) if engine is None else engine,
        grammar.max_leaves or 0,
        min(limits, default=0),
        monotone,
        list(mixture),
        most_boxes,
    )


def choices_of(geometry: Geometry, proof: TreeProof) -> list[int]:
    """The choices of a plain proof, as records have them."""
    out: list[int] = []
    for node in proof.preorder():
        alternative = node.goal.rules[node.rule]
        out.append(alternative.position)
        if node.alternative is None:
            out += [-1 if isinstance(alternative.rule, LeafRule) else -2, 0, 0]
        else:
            number = node.alternative.split.cut
            f = geometry.cuts[number].feature
            codes = {n: pair for pair, n in geometry._numbers[f].items()}
            out += [f, *codes[number]]
    return out


class CoreExample:
    """An example's proofs as states of the core."""

    def __init__(self, made: Example) -> None:
        self.made = made
        geometry = made.target.process.geometry
        self.choices = [choices_of(geometry, proof) for proof in made.proofs]
        self.number = {tuple(c): i for i, c in enumerate(self.choices)}
        self.engine = core_engine(made.target)
        self.cuts = CoreCuts(self.engine, geometry.table)

    def states(self, sampler: Any, turns: Sequence[int]) -> list[Any]:
        """The proofs as states of a sampler of `engine`."""
        rows = [np.array(c, object).reshape(-1, 4) for c in self.choices]
        return [sampler.restore(self.cuts.to_core(c).ravel(), list(turns)) for c in rows]

    def number_of(self, state: Any) -> int:
        """The position of a state's proof."""
        found = self.cuts.of_core(state.choices().reshape(-1, 4))
        return self.number[tuple(found.ravel().tolist())]

    def matrix(
        self,
        proposal: CoreProposal,
        turn: int = 0,
        predicate: Callable[[Any], bool] | None = None,
        most_boxes: float = 0.0,
    ) -> NDArray[np.float64]:
        """P[i, j]: probability that the core goes from proof i to proof j in one step, by going
        through every outcome of every random decision that it takes."""
        sampler = core_sampler(self.made.target, [proposal], most_boxes, self.engine)
        power = self.made.target.power
        out = np.zeros((len(self.choices), len(self.choices)))
        for i, state in enumerate(self.states(sampler, [turn])):
            for probability, new in every_script(
                lambda script, at=state: sampler.scripted(at, script, power, predicate)
            ):
                out[i, self.number_of(new)] += probability
        return out


def every_script(
    run: Callable[[list[int]], tuple[Any, list[int], Any]],
) -> Iterator[tuple[float, Any]]:
    """Every outcome of a run of the core in which chance follows a script, with its probability:
    all scripts are gone through."""
    scripts: list[list[int]] = [[]]
    while scripts:
        script = scripts.pop()
        new, taken, probabilities = run(script)
        yield float(np.prod([p[t] for p, t in zip(probabilities, taken, strict=True)])), new
        for place in range(len(script), len(taken)):
            others = range(taken[place] + 1, len(probabilities[place]))
            scripts += [[*taken[:place], o] for o in others if probabilities[place][o] > 0]
