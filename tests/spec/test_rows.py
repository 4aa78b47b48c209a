"""Guards and labels that ask for the rows of the box, against the specification by brute force.

Random programs (`random_rows`) on random tables, a few of them here. All of 600 are run by
`SLP_ROW_CASES=600 pytest -m '' tests/spec/test_rows.py`; see `docs/evidence.md`.
"""

from __future__ import annotations

import math
import os
import random

import numpy as np
import pytest

from slp.engines import infer
from slp.engines.exact import compiled_is_there
from slp.engines.mcmc.proposals import CutAtRoot, CutUniformly, Proposal
from slp.errors import SlpError
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.mh.exact_subtrees import ExactSubtree, SubtreeCharts
from slp.reference.tree_weights import weight_of_tree
from tests.reference.mh.core_matrices import Q_EXACT, Q_IND, Q_UC, CoreExample
from tests.reference.mh.matrices import Example, example
from tests.spec.cases import Case, random_case
from tests.spec.pipeline import tree_of
from tests.spec.random_rows import ROW_RULES
from tests.spec.test_against_enumeration import (
    RELATIVE,
    compare_best,
    compare_features,
    compare_list,
    compare_predictions,
    compare_totals,
    compare_trees,
    posterior_of,
)

N_CASES = int(os.environ.get("SLP_ROW_CASES", "60"))
TOLERANCE = 1e-12


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_every_engine(seed: int) -> None:
    case = random_case(seed, rows=True)
    if not case.spec.derivations:
        with pytest.raises(SlpError):
            posterior_of(case)
        return
    compare_exactly(case)
    compare_plainly(case)
    compare_chains(case)


def compare_exactly(case: Case) -> None:
    """Everything that the compiled engine says."""
    posterior = posterior_of(case)
    compare_totals(case, posterior)
    compare_trees(case, posterior)
    compare_list(case, posterior)
    compare_best(case, posterior)
    compare_predictions(case, posterior)
    compare_features(case, posterior)


def compare_plainly(case: Case) -> None:
    """The plain chart and the list of all derivations."""
    want = case.spec.log_evidence()
    model = case.model
    for engine in ("chart", "enumerate"):
        plain = infer(model, engine=engine, seed=1, draws=0)
        assert plain.log_evidence is not None
        assert abs(plain.log_evidence - want) < RELATIVE, (case, engine)
        assert plain.tree_count() == len(case.spec.derivations), (case, engine)


def compare_chains(case: Case) -> None:
    """Weights of trees by their proofs; and exact transition matrices, plain and of the core."""
    process = LocalProcess(case.model.grammar, Geometry(case.model.grammar, case.model.table))
    total = case.spec.log_prior_total()
    for key, share in list(case.spec.tree_prior().items())[:5]:
        if "partition" not in case.measures:
            have = weight_of_tree(process, tree_of(key)).log_weight
            assert abs(have - math.log(share) - total) < RELATIVE, (case, key)
    if not 2 <= len(case.spec.derivations) <= 16:
        return
    made = example(process)
    assert made is not None
    scores = [made.target.log_score(proof) for proof in made.proofs]
    joint = case.spec.log_evidence() + total
    assert abs(np.logaddexp.reduce(scores) - joint) < RELATIVE, case
    subtree = ExactSubtree(SubtreeCharts(process, 2**30))
    for plain, core in ((CutAtRoot(), Q_IND), (CutUniformly(), Q_UC), (subtree, Q_EXACT)):
        compare_matrices(case, made, plain, core)


def compare_matrices(case: Case, made: Example, plain: Proposal, core: object) -> None:  # type: ignore[type-arg]
    matrix = made.matrix(plain)
    assert np.abs(made.probability @ matrix - made.probability).max() < TOLERANCE, case
    if compiled_is_there():
        most = 2.0**30 if core == Q_EXACT else 0.0
        own = CoreExample(made).matrix(core, most_boxes=most)  # type: ignore[arg-type]
        assert np.abs(made.probability @ own - made.probability).max() < TOLERANCE, case


def test_the_cases_are_varied() -> None:
    texts = [random_case(seed, rows=True).text for seed in range(60)]
    assert sum("rows(N)" in text for text in texts) > 40
    assert sum(":- weights" in text for text in texts) > 10
    assert sum("failure(condition)" in text for text in texts) > 5
    assert sum(", A)" in text for text in texts) > 5
    assert len({random.Random(seed).choice(ROW_RULES) for seed in range(200)}) == len(
        set(ROW_RULES)
    )
