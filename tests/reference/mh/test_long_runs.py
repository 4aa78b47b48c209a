"""Long runs of the core against all proofs of tiny tables, by chi-square.

Each run is of one chain; its states, far enough apart to be all but independent, are counted by
proof. Proofs expected fewer than 5 times are counted together. All runs together fail by chance
once in 1000, each once in 1000 times their number (the seeds are fixed).
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2

from slp.engines.shared.core_chains import CoreProposal, core_proposal
from slp.engines.shared.core_limits import core_moves
from slp.engines.shared.proposal_names import Named, read_names
from slp.reference.mh.moves import TREE_MOVES
from tests.reference.mh.core_matrices import (
    Q_EXACT,
    Q_IND,
    Q_UC,
    CoreExample,
    core_sampler,
    q_n,
)
from tests.reference.mh.matrices import Example, random_examples

#: States counted, and steps between two of them.
COUNTED, APART = 1500, 40
MIXTURES: dict[str, list[CoreProposal]] = {
    "q_uc": [Q_UC],
    "q_uc,q_ind,q_n": [Q_UC, Q_IND, q_n(4)],
    "q_uc,q_exact": [Q_UC, Q_EXACT],
    "q_pg": [core_proposal(read_names("q_pg")[0])],
    "others of q_pg": [
        core_proposal(named)
        for named in read_names(
            "q_pg(4 optimal likelihood multinomial),q_pg(3 empirical layer residual),"
            "q_pg(20 stratified)"
        )
    ],
}
MOVES = [core_proposal(Named(name, None, 1.0)) for name in ("q_uc", *TREE_MOVES)]
#: A place among the examples, of those of one derivation for each tree or not, and a mixture.
CASES = [(f"{i} {name}", i, False, mixture) for i in range(4) for name, mixture in MIXTURES.items()]
CASES += [(f"moves {i}", i, True, MOVES) for i in range(3)]
RUNS = len(CASES)


@cache
def examples(single: bool) -> list[Example]:
    """Those of five proofs or more; with `single` of eight or more, and of one derivation for each
    tree, which the core's tree moves need."""
    found = [made for _, made in random_examples(12) if len(made.proofs) >= (8 if single else 5)]
    return [m for m in found if not single or core_moves(m.target.process.grammar, "cgm")]


@pytest.mark.thinned(5)
@pytest.mark.parametrize(
    ("place", "single", "mixture"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_states_have_the_probabilities_of_the_target(
    place: int, single: bool, mixture: list[CoreProposal]
) -> None:
    made = examples(single)[place]
    example = CoreExample(made)
    sampler = core_sampler(made.target, mixture, most_boxes=6)
    state = example.states(sampler, [0] * len(mixture))[0]
    rng = np.random.default_rng(1)
    found: Counter[int] = Counter()
    for i in range(COUNTED + 20):
        seeds = rng.integers(0, 2**64, 4, dtype=np.uint64)
        state, _ = sampler.advance(state, seeds, made.target.power, APART)
        if i >= 20:
            found[example.number[tuple(state.choices().tolist())]] += 1
    want = made.probability * COUNTED
    have = np.array([found[i] for i in range(len(want))], np.float64)
    rare = want < 5
    cells = [*zip(have[~rare], want[~rare], strict=True)]
    if want[rare].sum() > 0.5:
        cells.append((have[rare].sum(), want[rare].sum()))
    statistic = sum((h - w) ** 2 / w for h, w in cells)
    assert statistic <= chi2.ppf(1 - 0.001 / RUNS, max(1, len(cells) - 1))
