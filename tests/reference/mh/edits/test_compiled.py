"""The core's chains over edits against the plain ones, their specification."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import slp
from slp.engines.mcmc.proposals import CutAtEach, CutAtRoot, CutUniformly, Proposal
from slp.engines.shared.core_chains import CoreProposal
from slp.reference.mh.edits.process import Edits
from slp.reference.mh.edits.target import EditTarget
from slp.trees import Tree
from tests.reference.mh.core_matrices import Q_IND, Q_UC, q_n
from tests.reference.mh.edits.core_matrices import CoreCapped, sampler_of
from tests.reference.mh.edits.examples import all_examples
from tests.reference.mh.edits.matrices import Capped
from tests.reference.mh.edits.test_invariance import CAPPED

EXAMPLES = {**CAPPED, **{name: Capped(made, 2) for name, made in all_examples().items()}}
BY_NAME = pytest.mark.parametrize("made", EXAMPLES.values(), ids=EXAMPLES)
PAIRS: list[tuple[CoreProposal, Proposal[EditTarget, Edits]]] = [
    (Q_IND, CutAtRoot()),
    (Q_UC, CutUniformly()),
    (q_n(3), CutAtEach(3)),
]

pytestmark = pytest.mark.usefixtures("compiled_kernels")


@BY_NAME
def test_sequences_have_the_same_numbers(made: Capped) -> None:
    sampler, core = sampler_of(made, Q_UC), CoreCapped(made)
    for written, state, (_, edits) in zip(
        core.written, core.states(sampler, 0), made.drawn, strict=True
    ):
        assert state.edits(sampler).tolist() == written
        assert state.n_points == edits.n_points
        have = [state.log_draw, state.log_likelihood]
        want = [edits.log_draw, edits.tree.log_likelihood]
        np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-12)


@pytest.mark.thinned(4)
@BY_NAME
@pytest.mark.parametrize("core, plain", PAIRS, ids=["q_ind", "q_uc", "q_n"])
def test_transitions(made: Capped, core: CoreProposal, plain: Proposal[EditTarget, Edits]) -> None:
    """The exact matrix of the core's code is that of the plain code."""
    for turn in range(plain.period):
        have = CoreCapped(made).matrix(core, turn)
        np.testing.assert_allclose(have, made.matrix(plain, turn), rtol=0, atol=1e-12)


@BY_NAME
def test_starts_are_sequences_in_the_support(made: Capped) -> None:
    """Of all three kinds of tries: draws, pruning, and edits without a chance to stop."""
    sampler, core = sampler_of(made, Q_UC), CoreCapped(made)
    rng = np.random.default_rng(0)
    found = 0
    for number in [*range(40), 100, *range(101, 121), *range(201, 221)]:
        state = sampler.start(rng.integers(0, 2**64, 4, dtype=np.uint64), number)
        if state is None:
            continue
        found += 1
        assert sampler.holds(state) and list(state.turns) == [0]
        _, edits = made.drawn[core.number[tuple(state.edits(sampler).tolist())]]
        assert state.n_points == edits.n_points
        np.testing.assert_allclose(state.log_draw, edits.log_draw, rtol=1e-12, atol=1e-12)
    assert found > 20


RNG = np.random.default_rng(3)
FRAME = pl.DataFrame(
    {
        "a": RNG.integers(0, 5, 14),
        "b": RNG.integers(0, 4, 14),
        "c": RNG.choice(["p", "q", "r"], 14),
        "y": RNG.choice(["no", "yes"], 14),
    }
)
#: Without a ladder.
ONE_ROUND = {"seed": 1, "draws": 200, "thin": 20, "warmup": 100, "rounds": 1, "rungs": 1}
GIVEN = Tree.from_dict({"feature": "a", "threshold": 2.5, "left": {}, "right": {}})


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "constraint",
    [
        ":- constraint(first(a)).",
        ":- constraint(once(a)).",
        ":- constraint(forbid(c)).",
        ":- constraint(exclusive([a, b])).",
        ":- cost(a, 1). :- cost(b, 2). :- cost(c, 2). :- constraint(max_cost(3)).",
        "box(low, a, 0, 2). :- constraint(majority(low, yes)).",
        "box(low, a, 0, 2). :- constraint(constant(low)).",
    ],
)
def test_constraints_on_splits_and_leaves_hold_at_the_end(constraint: str) -> None:
    """Of the trees that are drawn without the constraint some break it."""
    edits = ":- use(edittree, [p = 0.8])."
    constrained = slp.parse(f"{edits} {constraint}", tree=GIVEN)

    def drawn(program: slp.Program) -> list[Tree]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", slp.SlpWarning)
            found = program.posterior(FRAME, **ONE_ROUND)
        return [draw.tree for draw in found.draws]

    def holds(tree: Tree) -> bool:
        return all(found.holds for found in tree.check(constrained, FRAME))

    trees = drawn(constrained)
    assert all(map(holds, trees)) and len(set(trees)) > 5
    assert not all(map(holds, drawn(slp.parse(edits, tree=GIVEN))))
