"""The compiled engines make no sets of rows as Python integers. These would need rows times cuts
bits."""

from __future__ import annotations

import numpy as np
import pytest

import slp
from slp.columns import Below
from slp.learn import evidence
from slp.reference import boxes
from slp.trees import Leaf, Split, Tree

pytestmark = [
    pytest.mark.usefixtures("compiled_kernels"),
    pytest.mark.filterwarnings("ignore::slp.SlpWarning"),
]

SHORT = {"draws": 20, "seed": 1, "warmup": 50, "thin": 5}


@pytest.fixture(autouse=True)
def no_bit_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(codes: object) -> None:
        raise AssertionError("a compiled engine asked for the rows of each code as a bit set")

    monkeypatch.setattr(boxes, "_rows_by_code", refuse)


def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 3)).round(1)
    return X, (X[:, 0] + rng.normal(size=25) > 0).astype(int)


def use(posterior: slp.Posterior, X: np.ndarray) -> None:
    """All that a summary and predictions ask for."""
    tree = posterior.map_tree()
    assert np.isfinite(posterior.log_likelihood(tree))
    assert len(posterior.sample(3, seed=1)) == 3 and len(posterior.draws) == 20
    assert posterior.predict_proba(X[:5]).shape == posterior.predict_error(X[:5]).shape == (5, 2)
    assert posterior.split_probabilities() and posterior.expected_leaves() >= 1
    assert posterior.expected_leaves_error() >= 0 and len(posterior.depth_distribution())


@pytest.mark.parametrize("rungs", [1, 2])
def test_chains(rungs: int) -> None:
    X, y = rows()
    use(slp.parse(":- use(denison).").posterior(X, y, engine="mh", rungs=rungs, **SHORT), X)


@pytest.mark.slow
def test_chains_under_constraints_on_the_finished_tree() -> None:
    X, y = rows()
    program = slp.parse(
        ":- use(growtree). :- constraint(monotone(x0, up)). :- constraint(max_features(2))."
    )
    posterior = program.posterior(X, y, engine="mh", proposal="q_uc,q_exact", **SHORT)
    use(posterior, X)
    assert posterior.log_prior(posterior.map_tree()) is None
    third = Split("x2", Below(0.0), Leaf(), Split("x1", Below(0.0), Leaf(), Leaf()))
    all_three = Tree(Split("x0", Below(0.0), Leaf(), third))
    assert posterior.log_prior(all_three) == -np.inf


def test_edits_of_a_given_tree() -> None:
    X, y = rows()
    given = Tree(Split("x0", Below(0.0), Leaf(), Leaf()))
    program = slp.parse(
        ":- use(edittree). :- constraint(max_features(2)). :- constraint(forbid(x2)).", tree=given
    )
    posterior = program.posterior(X, y, engine="mh", **SHORT)
    use(posterior, X)
    assert posterior.log_prior(posterior.map_tree()) is None
    assert posterior.log_prior(Tree(Split("x2", Below(0.0), Leaf(), Leaf()))) == -np.inf


def test_exact_sums() -> None:
    X, y = rows()
    posterior = slp.parse(":- use(denison).").posterior(X, y, engine="exact", draws=20, seed=1)
    use(posterior, X)
    best = posterior.map()
    assert posterior.log_posterior(best.tree) == pytest.approx(best.log_posterior)


def test_learning_where_the_sets_exceed_what_a_chart_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = rows()
    monkeypatch.setattr(evidence, "_CHART_MEMORY", 1000)
    program = slp.parse(":- use(growtree). :- support(max_depth(1)).")
    assert program.learn((X, y), only=["alpha"], tolerance=0.1).program.parameters["alpha"] > 0
