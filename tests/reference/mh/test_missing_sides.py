"""Proposals leave the target invariant where missing values take a side, by exact transition
matrices of the code that runs."""

from __future__ import annotations

from functools import cache

import pytest

from slp.engines.mcmc.proposals import CutAtEach, CutAtRoot, CutUniformly, Proposal
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.mh.moves import TREE_MOVES
from tests.reference.mh.matrices import TOLERANCE, Example, example
from tests.spec.cases import random_case

CUTS: list[Proposal] = [CutAtRoot(), CutUniformly(), CutAtEach(3)]
PROPOSALS = {**{p.name: p for p in CUTS}, **TREE_MOVES}


@cache
def examples(n: int = 4) -> list[Example]:
    """Programs on tables with holes that have a dozen or two derivations."""
    found: list[Example] = []
    seed = 0
    while len(found) < n:
        seed += 1
        case = random_case(seed, missing_side=True)
        holes = any(f.kind.missing_code is not None for f in case.model.table.features)
        if not holes or not 9 <= len(case.spec.derivations) <= 30 or case.model.unsummable:
            continue
        made = example(
            LocalProcess(case.model.grammar, Geometry(case.model.grammar, case.model.table))
        )
        if made is not None and len(made.proofs) >= 9:
            found.append(made)
    return found


@pytest.mark.parametrize("name", list(PROPOSALS))
def test_the_target_is_invariant(name: str) -> None:
    proposal = PROPOSALS[name]
    for made in examples():
        for turn in range(getattr(proposal, "period", 1)):
            assert made.drift(proposal, turn) < TOLERANCE
