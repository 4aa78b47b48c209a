"""Limits that no table reaches, larger than the compiled core's integers. They have no effect, or
leave a single leaf."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

import slp

pytestmark = [
    pytest.mark.usefixtures("compiled_kernels"),
    pytest.mark.filterwarnings("ignore::slp.SlpWarning"),
]

Data: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64]]

VAST = (2**31, 2**32, 2**32 + 1, 2**63, 10**30)


@pytest.fixture(params=(2, 3))
def data(request: pytest.FixtureRequest) -> Data:
    """Bits, and features of three values."""
    rng = np.random.default_rng(1)
    return rng.integers(0, request.param, (30, 4)).astype(float), rng.integers(0, 2, 30)


def posterior(text: str, data: Data, engine: str) -> slp.Posterior:
    program = slp.parse(f":- use(denison).\n{text}")
    return program.posterior(*data, engine=engine, seed=1, draws=4, warmup=20, chains=2)


@pytest.mark.parametrize("n", VAST)
def test_min_leaf(n: int, data: Data) -> None:
    want = posterior(":- support(min_leaf(31)).", data, "exact").log_evidence
    have = posterior(f":- support(min_leaf({n})).", data, "exact")
    assert have.log_evidence == pytest.approx(want, abs=1e-12)
    drawn = posterior(f":- support(min_leaf({n})).", data, "mh").draws
    assert {draw.tree.n_leaves for draw in drawn} == {1}


@pytest.mark.parametrize("n", VAST)
@pytest.mark.parametrize("constraint", ["max_leaves", "max_features"])
def test_constraints(n: int, constraint: str, data: Data) -> None:
    most = {"max_leaves": 30, "max_features": 4}[constraint]
    want = posterior(f":- constraint({constraint}({most})).", data, "mh").draws
    have = posterior(f":- constraint({constraint}({n})).", data, "mh").draws
    assert [draw.tree for draw in have] == [draw.tree for draw in want]


@pytest.mark.parametrize("n", VAST)
def test_max_depth_of_edits(n: int, data: Data) -> None:
    tree = slp.Tree.from_dict({"counts": {"0": 1, "1": 1}})

    def drawn(text: str) -> list[slp.Tree]:
        program = slp.parse(f":- use(edittree, [p = 0.8]).\n{text}", tree=tree)
        found = program.posterior(*data, seed=1, draws=4, warmup=20, chains=2)
        return [draw.tree for draw in found.draws]

    assert drawn(f":- support(max_depth({n})).") == drawn("")


def test_leaves_that_are_too_many_to_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that count leaves are made before any sum, so their size is told without them."""
    monkeypatch.setattr("slp.problem.core._BYTES_OF_COUNTS", 1e9)
    X, y = np.arange(12.0).reshape(-1, 1), np.arange(12) % 2
    program = slp.parse(":- use(growtree). :- constraint(max_leaves(7)).")
    for engine, doing in (("exact", "exact sums"), ("search", "the search")):
        with pytest.raises(slp.SlpError) as caught:
            program.posterior(X, y, engine=engine, memory="1GiB")
        (found,) = caught.value.diagnostics
        assert found.code == "E501" and f"{doing} under max_leaves(7)" in found.message
    best = program.posterior(X, y, engine="best", seed=1, effort="quick", draws=40)
    assert best.engine == "mh"
    assert program.explain(X, y).endswith("far too large, as each state counts its leaves.")
    posterior = program.posterior(X, y, seed=1, effort="quick", draws=40)
    assert posterior.engine == "mh" and "count their leaves" in posterior.reason
    assert posterior.prior_uses_kind == "estimate"
