"""Tiny ladders of proofs and of edits, with the product of the targets of all rungs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.constraints import Monotone
from slp.engines.mcmc.mixture import MixtureWithPower
from slp.engines.mcmc.tempering.plain import NEITHER, PlainScans, Rungs
from slp.engines.mcmc.trees import MetropolisHastings
from slp.ir.constraints import Constraint
from slp.problem.boxes import Geometry
from tests.engines.cases import denison, growtree, make_table, numeric
from tests.engines.mcmc.trees.every_outcome import EveryOutcome, outcomes

UP = (Monotone("x", "up"),)


def chains(
    constraints: tuple[Constraint, ...] = (),
    proposal: str = "q_uc",
    n: int = 3,
    normalised: bool = True,
) -> MetropolisHastings:
    """On n rows: `growtree`, which can be run forward, or `denison`, which cannot."""
    y = [0, 1, 1, 0, 1][:n]
    table = make_table([numeric("x", n)], [[i] for i in range(n)], y)
    grammar = growtree(table, 0.9, 0.6, n - 1) if normalised else denison(table, 2.0)
    return MetropolisHastings(grammar, Geometry(grammar, table), constraints, proposal=proposal)


def joint_of(
    base: MixtureWithPower[Any, Any], derivations: Sequence[Any], powers: Sequence[float]
) -> NDArray[np.float64]:
    """The product of the rungs' targets over all derivations, one axis for each rung."""
    joint = np.ones(())
    for power in powers:
        target = base.at_power(power)
        scores = np.array([target.log_score(d) for d in derivations])
        joint = np.multiply.outer(joint, np.exp(scores - np.logaddexp.reduce(scores)))
    return joint


#: From the numbers of the rungs' derivations: those after a scan, with their probabilities.
Row = Callable[[tuple[int, ...]], Iterator[tuple[float, tuple[int, ...]]]]


def drift(row: Row, joint: NDArray[np.float64]) -> float:
    """The largest change of a probability of the product in one scan."""
    after = np.zeros_like(joint)
    for places in product(*map(range, joint.shape)):
        for probability, to in row(places):
            after[to] += joint[places] * probability
    return float(np.abs(after - joint).max())


def plain_row(
    scans: PlainScans,
    derivations: Sequence[Any],
    key: Callable[[Any], Any],
    powers: Sequence[float],
    parity: int,
) -> Row:
    """Of a scan in Python."""
    number = {key(d): i for i, d in enumerate(derivations)}
    centres = np.zeros(len(powers) - 1)

    def row(places: tuple[int, ...]) -> Iterator[tuple[float, tuple[int, ...]]]:
        states = tuple(scans.base.mixture.start(derivations[i]) for i in places)
        rungs = Rungs(states, (NEITHER,) * len(places), parity)

        def step(randomness: EveryOutcome) -> Rungs:
            return scans.scan(randomness, rungs, np.array(powers), centres, Counter())[0]

        for probability, new in outcomes(step):
            yield probability, tuple(number[key(s.derivation)] for s in new.states)

    return row
