"""All trees near the best one, counted without listing them, against enumeration."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.engines.kbest import RankedEdges
from slp.engines.near_best import near_best
from slp.errors import SlpError

PROGRAMS = [
    ":- use(growtree).",
    ":- use(denison, [phi = 3]).",
    ":- use(pinball).",
    ":- use(growtree). :- constraint(max_leaves(3)).",
    ":- use(growtree). :- constraint(majority(low, p)). box(low, a, 0, 2.5).",
    ":- start(tree). 0.3 :: tree --> few. 0.7 :: tree --> many. 0.8 :: few --> leaf. "
    "0.2 :: few --> split(F, V), few, few. 0.4 :: many --> leaf. "
    "0.6 :: many --> split(F, V), many, many.",
]


def frame() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 5, 7), rng.integers(0, 3, 7)
    return pl.DataFrame({"a": a, "b": b, "y": np.where((a > 2) ^ (b == 1), "q", "p")})


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate"])
@pytest.mark.parametrize("text", PROGRAMS)
def test_numbers_and_probabilities_are_those_of_all_derivations(text: str, engine: str) -> None:
    data, program = frame(), slp.parse(text)
    weights = program.posterior(data, engine="enumerate")._result.averages.distribution.probability  # type: ignore[attr-defined]
    found = program.posterior(data, engine=engine)
    for factor in (1.0, 0.5, 0.1, 0.01, 1e-4, 1e-12):
        near = found.rashomon_set(factor, most=20)
        want = weights[weights >= factor * weights.max() * (1 - 1e-6)]
        assert near.count == len(want), (text, factor)
        assert near.probability == pytest.approx(want.sum(), rel=1e-6)
        assert len(near.trees) == min(20, near.count)
        if found.derivations_are_trees:
            shares = [math.exp(t.log_posterior or 0.0) for t in near.trees]
            assert shares == pytest.approx(np.sort(want)[::-1][:20], rel=1e-6)


class _Chain:
    """Items one below the other, with no leaf beside them but the last: depth `n`."""

    def __init__(self, n: int) -> None:
        self.n = n

    def ranked(self, item: int) -> list[tuple[float, int, int]]:
        return [(0.0, 0, 0)] if item >= self.n else [(0.0, 0, 2), (-1.0, 1, 0)]

    def children(self, item: int, edge: int) -> tuple[int, ...]:
        return () if edge or item >= self.n else (item + 1, self.n)

    def log_weight(self, item: int, edge: int) -> float:
        return 0.0


def test_deep_items_and_the_bytes_held() -> None:
    told: list[int] = []
    edges: RankedEdges = _Chain(1500)
    assert near_best(edges, 0.5, told.append)[0] == 1
    count, log_sum = near_best(edges, 1.0, told.append)
    assert count == 1501 and log_sum == pytest.approx(math.log(1 + 1500 / math.e))
    assert max(told) > 0

    def full(size: int) -> None:
        if size > 1000:
            raise MemoryError

    with pytest.raises(MemoryError):
        near_best(edges, 1.0, full)


def test_what_is_no_factor_and_engines_that_do_not_tell() -> None:
    program = slp.parse(":- use(growtree).")
    for factor in (0.0, 1.5, -1.0, math.nan, "a", None):
        with pytest.raises(SlpError, match="E534"):
            program.posterior(frame(), engine="exact").rashomon_set(factor)
    with pytest.raises(SlpError, match="E534"):
        program.posterior(frame(), engine="modal").rashomon_set(0.1)


def test_the_command_tells_it(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    frame().write_csv(path)
    args = ["map", "growtree", str(path), "--within", "0.1", "--best", "2"]
    want = slp.load("growtree").posterior(frame(), engine="exact").rashomon_set(0.1)
    told = CliRunner().invoke(slp_command, args).output
    assert f"{want.count} trees are at least 0.1 times as probable as the best" in told
    found = json.loads(CliRunner().invoke(slp_command, [*args, "--json"]).output)
    assert found["within"]["count"] == want.count and len(found["best"]) == 2
    assert found["within"]["probability"] == pytest.approx(want.probability)
