"""Exact transition matrices over all derivations of tiny examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.proposals import Proposal, metropolis_hastings
from slp.reference.boxes import Geometry
from slp.reference.chart import Chart, build_forest
from slp.reference.derivations import TreeProof
from slp.reference.local_process import LocalProcess
from slp.reference.mh.proof import grow
from slp.reference.mh.target import Target
from slp.reference.tree_tests import AtMostFeatures, MonotonePredictions, TreeTest, tree_tests
from tests.engines.cases import random_grammar, random_table
from tests.reference.mh.every_outcome import EveryOutcome, outcomes

TOLERANCE = 1e-12


def transitions(
    target: Target, proofs: Sequence[TreeProof], proposal: Proposal[Target, TreeProof], turn: int
) -> NDArray[np.float64]:
    """P[i, j]: probability to go from proof i to proof j in one step."""
    number = {proof.key(): i for i, proof in enumerate(proofs)}
    out = np.zeros((len(proofs), len(proofs)))
    for i, proof in enumerate(proofs):

        def step(randomness: EveryOutcome, old: TreeProof = proof) -> TreeProof:
            return metropolis_hastings(randomness, target, proposal, old, turn)[0]

        for probability, new in outcomes(step):
            out[i, number[new.key()]] += probability
    return out


class Example:
    """A target, all proofs in its support, and their probabilities."""

    def __init__(self, target: Target, proofs: Sequence[TreeProof]) -> None:
        self.target = target
        self.proofs = [proof for proof in proofs if target.holds(proof)]
        scores = np.array([target.log_score(proof) for proof in self.proofs])
        self.probability = np.exp(scores - np.logaddexp.reduce(scores))

    def matrix(self, proposal: Proposal[Target, TreeProof], turn: int = 0) -> NDArray[np.float64]:
        """See `transitions`."""
        return transitions(self.target, self.proofs, proposal, turn)

    def drift(self, proposal: Proposal[Target, TreeProof], turn: int = 0) -> float:
        """How far one step carries the target away from itself: the largest change of a
        probability; and no row may lose probability."""
        matrix = self.matrix(proposal, turn)
        lost = np.abs(matrix.sum(axis=1) - 1).max()
        return float(max(lost, np.abs(self.probability @ matrix - self.probability).max()))


def all_proofs(process: LocalProcess) -> list[TreeProof]:
    """Every proof of the root goal that does not fail."""
    drawn = outcomes(lambda randomness: grow(process, randomness, process.root))
    return [proof for _, proof in drawn if proof is not None]


def example(
    process: LocalProcess, power: float = 1.0, tests: Sequence[TreeTest] = ()
) -> Example | None:
    """An example over all proofs of a process; None if nothing is in the support."""
    proofs = all_proofs(process)
    own = tree_tests(process.grammar, (), process.geometry)
    found = Example(Target(process, power, [*own, *tests]), proofs)
    return found if found.proofs else None


def random_process(seed: int) -> LocalProcess:
    """A process of a random grammar on a random table of a few rows."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, largest=5)
    grammar = random_grammar(rng, table)
    return LocalProcess(grammar, Geometry(grammar, table))


def random_tests(rng: np.random.Generator, geometry: Geometry) -> list[TreeTest]:
    """No global constraint, or `max_features`, or `monotone`, or both."""
    numeric = [i for i, f in enumerate(geometry.table.features) if not f.kind.categorical]
    out: list[TreeTest] = []
    if rng.integers(2):
        out.append(AtMostFeatures(int(rng.integers(1, 3)), geometry))
    if rng.integers(2) and numeric:
        direction = ("up", "down")[rng.integers(2)]
        out.append(MonotonePredictions(numeric[0], direction == "up", geometry))
    return out


def random_examples(n: int, least: int = 4, most: int = 24) -> list[tuple[int, Example]]:
    """`n` random examples of `least` to `most` proofs in the support, with their seeds."""
    found = []
    seed = 0
    while len(found) < n:
        seed += 1
        process = random_process(seed)
        free = replace(process.grammar, max_leaves=None)
        geometry = process.geometry
        count = Chart(build_forest(free, geometry, 2**30), False).tree_count()
        if not least <= count <= most:
            continue
        rng = np.random.default_rng(seed)
        power = float(rng.choice([1.0, 1.0, 0.5, 0.0]))
        made = example(process, power, random_tests(rng, geometry) if seed % 2 else ())
        if made is not None and len(made.proofs) >= least:
            found.append((seed, made))
    return found
