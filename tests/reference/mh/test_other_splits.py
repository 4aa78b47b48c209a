"""Proposals leave the target invariant where missing values take a side, splits are in the order
of the response in their box, features are in groups, or levels have concepts, by exact
transition matrices of the code that runs."""

from __future__ import annotations

from functools import cache
from typing import Any

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
def examples(kind: str, n: int = 4) -> list[Example]:
    """Programs on tables of this kind, of as many rows as leave 30 derivations at most."""
    found: list[Example] = []
    seed = 0
    while len(found) < n:
        seed += 1
        of: dict[str, Any] = {kind: True}
        case = random_case(seed, 30, **of)
        kinds = [f.kind for f in case.model.table.features]
        plain = not any(k.missing_code is not None or k.looks_at_response for k in kinds)
        if (
            (plain and kind not in ("groups", "concepts"))
            or len(case.spec.derivations) < 9
            or case.model.unsummable
        ):
            continue
        made = example(
            LocalProcess(case.model.grammar, Geometry(case.model.grammar, case.model.table))
        )
        if made is not None and len(made.proofs) >= 9:
            found.append(made)
    return found


@pytest.mark.thinned(5)
@pytest.mark.parametrize("kind", ["missing_side", "ordered", "groups", "concepts"])
@pytest.mark.parametrize("name", list(PROPOSALS))
def test_the_target_is_invariant(name: str, kind: str) -> None:
    proposal = PROPOSALS[name]
    for made in examples(kind):
        for turn in range(getattr(proposal, "period", 1)):
            assert made.drift(proposal, turn) < TOLERANCE
