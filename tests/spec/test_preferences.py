"""Preferences against the enumeration of all derivations (docs/language.md#preferences)."""

from __future__ import annotations

import pytest

from slp.errors import SlpError
from tests.spec import test_against_enumeration as whole
from tests.spec.cases import Case, random_case

N_CASES = 2000
#: Sums may lose what a new row finds in a tree of so small a probability, beside what it finds in
#: others.
RARE = 1e-11


@pytest.mark.thinned(50)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_exact(seed: int) -> None:
    check(random_case(seed, 400, preferences=True))


def check(case: Case) -> None:
    """Every exact answer to a case."""
    if not case.spec.derivations:
        with pytest.raises(SlpError):
            whole.posterior_of(case)
        return
    posterior = whole.posterior_of(case)
    whole.compare_totals(case, posterior)
    whole.compare_trees(case, posterior)
    whole.compare_list(case, posterior)
    best = posterior.map()
    scored = case.spec.log_scored()
    top = max(w for _, w in scored)
    ties = {d.tree for d, w in scored if w >= top - case.rounding}
    assert whole.key_of(best.tree) in ties, case
    if min(p for _, p in case.spec.posterior()) > RARE:
        whole.compare_predictions(case, posterior)
    whole.compare_paths(case, posterior)
    whole.compare_features(case, posterior)
    whole.compare_left_out(case, posterior)
