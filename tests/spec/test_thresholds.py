"""Densities of thresholds against the enumeration of all derivations."""

from __future__ import annotations

import pytest

from slp.engines import infer
from slp.errors import SlpError
from tests.spec import test_against_enumeration as whole
from tests.spec.cases import random_case

N_CASES = 2000


@pytest.mark.thinned(60)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_sums(seed: int) -> None:
    case = random_case(seed, 300, thresholds=True, ranges=seed % 7 == 0)
    for engine in ("exact", "enumerate"):
        if not case.spec.derivations:
            with pytest.raises(SlpError):
                infer(case.model, engine=engine, seed=1, draws=0)
            continue
        posterior = infer(case.model, engine=engine, seed=1, draws=0)
        whole.compare_totals(case, posterior)
        whole.compare_trees(case, posterior)
        whole.compare_list(case, posterior)
        whole.compare_features(case, posterior)
