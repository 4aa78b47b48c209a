"""The core's proposals against the plain ones where splits are by subsets of levels, or missing
values take a side."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from slp.engines.shared.core_chains import CoreProposal, core_proposal
from slp.engines.shared.core_limits import core_moves
from slp.engines.shared.proposal_names import Named
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.mh.moves import TREE_MOVES
from tests.reference.mh.core_matrices import CoreExample
from tests.reference.mh.matrices import TOLERANCE, Example, example
from tests.spec.cases import random_case


@cache
def examples(kind: str, n: int = 12) -> list[Example]:
    """Programs on tables of a kind that have a dozen derivations or more."""
    found: list[Example] = []
    seed = 0
    while len(found) < n:
        seed += 1
        of: dict[str, Any] = {kind: True}
        case = random_case(seed, **of)
        plain = all(
            f.kind.missing_code is None and f.kind.compiled for f in case.model.table.features
        )
        if plain or not 9 <= len(case.spec.derivations) <= 60 or case.model.unsummable:
            continue
        made = example(
            LocalProcess(case.model.grammar, Geometry(case.model.grammar, case.model.table))
        )
        if made is not None and len(made.proofs) >= 9:
            if core_moves(made.target.process.grammar, "cgm"):
                found.append(made)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("name", list(TREE_MOVES))
@pytest.mark.parametrize("kind", ["subsets", "missing_side"])
def test_moves(kind: str, name: str) -> None:
    proposal: CoreProposal = core_proposal(Named(name, None, 1.0))
    for made in examples(kind):
        have = CoreExample(made).matrix(proposal)
        want = made.matrix(TREE_MOVES[name])
        np.testing.assert_allclose(have, want, rtol=0, atol=TOLERANCE)
