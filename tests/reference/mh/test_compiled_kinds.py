"""The core's proposals against the plain ones where splits are by subsets of levels, all or those
in the order of the response, missing values take a side, features are in groups, or levels have
concepts."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from slp.engines.mcmc.proposals import CutAtEach, CutUniformly, Proposal
from slp.engines.shared.core_chains import CoreProposal, core_proposal
from slp.engines.shared.core_limits import core_moves
from slp.engines.shared.proposal_names import Named
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.mh.exact_subtrees import ExactSubtree, SubtreeCharts
from slp.reference.mh.moves import TREE_MOVES
from tests.reference.mh.core_matrices import Q_EXACT, CoreExample, core_sampler
from tests.reference.mh.matrices import TOLERANCE, Example, example
from tests.spec.cases import random_case

#: Examples of each kind: few in the quick tests.
SIZES = [3, pytest.param(12, marks=pytest.mark.slow)]


@cache
def examples(kind: str, n: int = 12) -> list[Example]:
    """Programs on tables of a kind that have a dozen derivations or more."""
    found: list[Example] = []
    seed = 48  # of subsets its case takes ten seconds
    while len(found) < n:
        seed += 1
        of: dict[str, Any] = {kind: True}
        case = random_case(seed, **of)
        plain = all(
            f.kind.missing_code is None and f.kind.compiled for f in case.model.table.features
        )
        if (
            (plain and kind not in ("groups", "concepts"))
            or not 9 <= len(case.spec.derivations) <= 60
            or case.model.unsummable
        ):
            continue
        made = example(
            LocalProcess(case.model.grammar, Geometry(case.model.grammar, case.model.table))
        )
        if made is not None and len(made.proofs) >= 9:
            if core_moves(made.target.process.grammar, "cgm"):
                found.append(made)
    return found


@pytest.mark.thinned(4)
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", ["subsets", "ordered", "missing_side", "groups", "concepts"])
def test_proofs_have_the_same_numbers(kind: str, n: int) -> None:
    for made in examples(kind, n):
        core = CoreExample(made)
        sampler = core_sampler(
            made.target, [core_proposal(Named("q_uc", None, 1.0))], 0.0, core.engine
        )
        for state, proof in zip(core.states(sampler, [0]), made.proofs, strict=True):
            assert (state.n_points, state.n_leaves) == (proof.n_points, proof.n_leaves)
            have = [state.log_draw, state.log_excess, state.log_likelihood]
            want = [proof.log_draw, proof.log_excess, proof.log_likelihood]
            np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-12)


@pytest.mark.thinned(5)
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("plain", [CutUniformly(), CutAtEach(4)], ids=lambda p: p.name)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", ["subsets", "ordered", "missing_side", "groups", "concepts"])
def test_cuts_of_proofs(kind: str, n: int, plain: Proposal) -> None:
    number = plain.period if plain.period > 1 else None
    proposal = core_proposal(Named("q_uc" if number is None else "q_n", number, 1.0))
    for made in examples(kind, n):
        for turn in range(plain.period):
            have = CoreExample(made).matrix(proposal, turn)
            np.testing.assert_allclose(have, made.matrix(plain, turn), rtol=0, atol=TOLERANCE)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("most_boxes", [2, 2**20])
@pytest.mark.parametrize("n", SIZES)
def test_exact_subtrees(n: int, most_boxes: float) -> None:
    for made in examples("ordered", n):
        have = CoreExample(made).matrix(Q_EXACT, most_boxes=most_boxes)
        charts = SubtreeCharts(made.target.process, most_boxes)
        want = made.matrix(ExactSubtree(charts))
        np.testing.assert_allclose(have, want, rtol=0, atol=TOLERANCE)


@pytest.mark.slow
@pytest.mark.thinned(6)
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("name", list(TREE_MOVES))
@pytest.mark.parametrize("kind", ["subsets", "ordered", "missing_side", "groups", "concepts"])
def test_moves(kind: str, name: str) -> None:
    proposal: CoreProposal = core_proposal(Named(name, None, 1.0))
    for made in examples(kind):
        have = CoreExample(made).matrix(proposal)
        want = made.matrix(TREE_MOVES[name])
        np.testing.assert_allclose(have, want, rtol=0, atol=TOLERANCE)
