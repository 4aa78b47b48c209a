"""Every prior of the library on a table of 150,000 rows: few states are made, and chains draw."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import slp
from slp.lower import expansion
from slp.lower.expansion import StateRule
from slp.resources import prior_names

pytestmark = [
    pytest.mark.usefixtures("compiled_kernels"),
    pytest.mark.filterwarnings("ignore::slp.SlpWarning"),
]

N = 150_000
#: They have states for every depth, or for every number of leaves.
_MANY = ("default", "gmt", "growtree", "growtree_all", "growtree_gap", "pinball", "rjhmc")


@pytest.fixture(scope="module")
def rows() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Two numeric features, all of whose values differ; the response depends on the first."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 2))
    return X, X[:, 0] + rng.normal(size=N) > 0


@pytest.mark.slow
@pytest.mark.parametrize("prior", prior_names())
def test_priors_start_and_draw(
    prior: str, rows: tuple[NDArray[np.float64], NDArray[np.bool_]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = set()
    rules_of = expansion.Expansion._state_rules

    def count(self: expansion.Expansion, state: int, may_split: bool) -> Iterator[StateRule]:
        made.add(state)
        return rules_of(self, state, may_split)

    monkeypatch.setattr(expansion.Expansion, "_state_rules", count)
    posterior = slp.parse(f":- use({prior}).").posterior(
        *rows, engine="mh", seed=1, draws=6, chains=2, warmup=4, thin=2, rungs=1
    )
    assert len(posterior.draws) == 6 and posterior.table.n_rows == N
    assert all(np.isfinite(draw.log_likelihood) for draw in posterior.draws)
    assert sum(sum(of.values()) for of in posterior.diagnostics.moves.values()) == 6 * 2
    if prior in _MANY:
        # Those that are looked at first, and the few that chains and their draws met.
        assert expansion.FIRST_STATES <= len(made) < expansion.FIRST_STATES + 1000
    else:
        assert len(made) < 10
