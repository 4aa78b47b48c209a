"""Predicates on finished trees: the exact transition matrices under them, in Python and in the
core, and long runs against enumeration."""

from __future__ import annotations

import math
import time
import zlib
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import stats

import slp
from slp.engines.mcmc.proposals import (
    CutAtEach,
    CutAtRoot,
    CutSequenceUniformly,
    CutUniformly,
    Proposal,
)
from slp.engines.shared.core_chains import CoreProposal, of_filter
from slp.engines.shared.filter_plan import FilterPlan
from slp.reference.cut_trees import Renderer
from slp.reference.mh.mixtures import mixture_of
from slp.reference.mh.particle_gibbs import ParticleGibbs
from slp.reference.mh.target import Target
from slp.reference.tree_tests import PredicateHolds
from slp.trees import Split, Tree
from slp.trees.predicates import AskedPredicate
from tests.reference.mh.core_matrices import Q_IND, Q_SEQ, Q_UC, CoreExample, q_n
from tests.reference.mh.matrices import TOLERANCE, Example, random_examples

PROPOSALS: list[tuple[CoreProposal, Proposal]] = [
    (Q_IND, CutAtRoot()),
    (Q_UC, CutUniformly()),
    (q_n(3), CutAtEach(3)),
    (Q_SEQ, CutSequenceUniformly()),
]
IDS = ["q_ind", "q_uc", "q_n", "q_seq"]


def digest(tree: Tree) -> int:
    """A number that says little of the tree's shape, so that predicates on it cut anywhere."""
    nodes = [n.asked if isinstance(n, Split) else ("leaf",) for n in tree.nodes()]
    return zlib.crc32(repr(nodes).encode())


def picky(tree: Tree) -> bool:
    return digest(tree) % 3 != 0


def constrained(made: Example) -> Example | None:
    """The example under `picky` as well; None if that leaves too few proofs, or all."""
    geometry = made.target.process.geometry
    asked = PredicateHolds(AskedPredicate("picky", picky), Renderer(geometry))
    found = Example(replace(made.target, predicates=[asked]), made.proofs)
    return found if 3 <= len(found.proofs) < len(made.proofs) else None


@cache
def examples() -> list[Example]:
    return [found for _, made in random_examples(40) if (found := constrained(made)) is not None]


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Example:
    return examples()[request.param]


pytestmark = pytest.mark.filterwarnings("ignore::slp.SlpWarning")
N_EXAMPLES = 19
BY_PLACE = pytest.mark.parametrize("made", range(N_EXAMPLES), indirect=True)


def test_every_example_has_its_place() -> None:
    assert len(examples()) == N_EXAMPLES


@BY_PLACE
def test_the_conditioned_posterior_is_invariant(made: Example) -> None:
    for _, proposal in PROPOSALS:
        for turn in range(proposal.period):
            assert made.drift(proposal, turn) < TOLERANCE


@BY_PLACE
def test_and_under_exact_subtrees(made: Example) -> None:
    for proposal in mixture_of("q_exact", made.target.process, 2**20).proposals:
        assert made.drift(proposal) < TOLERANCE


def core_matrix(made: Example, proposal: CoreProposal, turn: int) -> NDArray[np.float64]:
    """The core's matrix, with the predicate asked by the core."""
    core = CoreExample(made)

    def agreed(state: Any) -> bool:
        # Of a state that is no proof of the example `picky` said no.
        return tuple(state.choices().tolist()) in core.number

    return core.matrix(proposal, turn, agreed)


@BY_PLACE
@pytest.mark.usefixtures("compiled_kernels")
def test_transitions_of_the_core(made: Example) -> None:
    for core, plain in PROPOSALS:
        for turn in range(plain.period):
            have = core_matrix(made, core, turn)
            np.testing.assert_allclose(have, made.matrix(plain, turn), rtol=0, atol=TOLERANCE)


@pytest.mark.usefixtures("compiled_kernels")
def test_particle_gibbs() -> None:
    """In the core, and the plain move on the smallest examples."""
    how = FilterPlan(2, 2, "optimal", "layer", "systematic", 1.0)
    made = sorted(examples(), key=lambda m: len(m.proofs))[:8]
    for i, example in enumerate(made):
        matrix = core_matrix(example, of_filter(how, 1.0), 0)
        drift = np.abs(example.probability @ matrix - example.probability).max()
        assert drift < TOLERANCE
        if i < 3:
            plain = example.matrix(ParticleGibbs(how))
            np.testing.assert_allclose(matrix, plain, rtol=0, atol=TOLERANCE)


# --- runs ---------------------------------------------------------------------------------------

ROWS = pl.DataFrame({"a": [1, 2, 3, 4, 5], "b": [1, 0, 1, 0, 0], "y": list("nnyyn")})
PROGRAM = ":- use(growtree, [alpha = 0.9]). :- constraint(max_leaves(4))."


def conditioned(likelihood: bool) -> dict[str, float]:
    """The probability of each tree under `picky`, by a list of all trees."""
    program = slp.parse(PROGRAM)
    every = (program.posterior if likelihood else program.prior)(ROWS, engine="enumerate")
    trees = {t.tree.to_text(): np.exp(t.log_joint) for t in every.k_best(10_000) if picky(t.tree)}
    total = sum(trees.values())
    return {text: weight / total for text, weight in trees.items()}


@pytest.mark.slow
@pytest.mark.parametrize("proposal", ["q_uc,q_ind", "q_exact"])
@pytest.mark.parametrize("likelihood", [True, False])
def test_draws_have_the_conditioned_distribution(proposal: str, likelihood: bool) -> None:
    """Chi-square on 1,000 draws; wrongly refused with probability 1e-4."""
    want = conditioned(likelihood)
    assert 10 < len(want) < 200
    program = slp.parse(PROGRAM).require(picky)
    sample = program.posterior if likelihood else program.prior
    thin = 5 if proposal == "q_exact" else 20
    options = {"draws": 1000, "thin": thin, "warmup": 50, "chains": 2, "proposal": proposal}
    found = sample(ROWS, seed=3, engine="mh", **options)
    counts = Counter(draw.tree.to_text() for draw in found.draws)
    assert set(counts) <= set(want)
    common = [text for text, p in want.items() if p * 1000 >= 5]
    rest = 1 - sum(want[text] for text in common)
    have = [*(counts[text] for text in common), 1000 - sum(counts[text] for text in common)]
    expected = [*(1000 * want[text] for text in common), 1000 * rest]
    assert len(common) > 5
    assert stats.chisquare(have, expected).pvalue > 1e-4


def test_trees_that_a_predicate_refuses_are_off_the_support() -> None:
    small = slp.parse(PROGRAM).require(lambda tree: tree.n_leaves <= 2)
    posterior = small.posterior(ROWS, seed=1, draws=20)
    stump = slp.Tree.from_dict({"feature": "a", "threshold": 2.5, "left": {}, "right": {}})
    deeper = slp.Tree.from_dict(
        {"feature": "a", "threshold": 2.5, "left": {}, "right": stump.to_dict() | {"threshold": 4}}
    )
    assert posterior.log_posterior(stump) is None
    assert posterior.log_posterior(deeper) == -math.inf
    assert all(draw.tree.n_leaves <= 2 for draw in posterior.draws)


@pytest.mark.parametrize("proposal", ["q_uc", "q_exact"])
def test_a_predicate_is_asked_by_one_thread_at_a_time(proposal: str) -> None:
    inside = 0

    def alone(tree: Tree) -> bool:
        nonlocal inside
        inside += 1
        assert inside == 1
        time.sleep(1e-4)
        inside -= 1
        return True

    program = slp.parse(":- use(growtree).").require(alone)
    drawn = program.posterior(
        ROWS, seed=1, draws=100, thin=2, threads=4, warmup=20, proposal=proposal
    )
    assert len(drawn.draws) == 100


def test_draws_do_not_depend_on_threads() -> None:
    program = slp.parse(":- use(growtree).").require(picky)
    one, many = (
        program.posterior(ROWS, seed=4, draws=60, thin=3, threads=threads) for threads in (1, 3)
    )
    assert [d.tree for d in one.draws] == [d.tree for d in many.draws]


def test_predicates_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted bug: what they refuse would be taken, and the matrix has no place for it."""
    monkeypatch.setattr(Target, "agreed", lambda self, proof: True)
    with pytest.raises(KeyError):
        for made in examples():
            made.drift(CutAtRoot())
