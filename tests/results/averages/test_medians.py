"""The point prediction of durations: the median of the mixture over trees."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.optimize import brentq

import slp
from slp.cli import slp_command

#: Everyone with x = 0 is censored, so that some leaves have no event and no mean.
FRAME = pl.DataFrame(
    {"x": [0, 0, 1, 1, 1, 1], "time": [3.0, 5.0, 8.0, 1.0, 2.0, 1.5], "seen": [0, 0, 1, 1, 1, 0]}
)
TEXT = """
:- start(tree). :- response(time, event(seen)). :- leaf(gamma_exponential(1, 10)).
0.5 :: tree --> split(F, V), leaf, leaf.
0.5 :: tree --> leaf.
"""


def want(x: int) -> float:
    """The root of the mixture's distribution function less a half, of the two trees, whose leaves
    have (events, time) (0, 8) and (3, 12.5), together (3, 20.5)."""

    def log_marginal(e: float, t: float) -> float:
        return math.lgamma(1 + e) + math.log(10) - (1 + e) * math.log(10 + t)

    split = math.exp(log_marginal(0, 8) + log_marginal(3, 12.5))
    whole = math.exp(log_marginal(3, 20.5))
    own = (3, 12.5) if x else (0, 8)
    share = split / (split + whole)

    def reached(y: float, e: float, t: float) -> float:
        return 1 - (1 + y / (10 + t)) ** -(1 + e)

    return float(
        brentq(
            lambda y: share * reached(y, *own) + (1 - share) * reached(y, 3, 20.5) - 0.5,
            1e-6,
            1e6,
            xtol=1e-12,
        )
    )


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate"])
def test_the_median_is_that_of_the_mixture(engine: str) -> None:
    posterior = slp.parse(TEXT).posterior(FRAME, engine=engine)
    have = posterior.predict(pl.DataFrame({"x": [0, 1]}))
    assert have == pytest.approx([want(0), want(1)], rel=1e-9)
    assert (posterior.predict_error(pl.DataFrame({"x": [0, 1]})) == 0).all()


@pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")
@pytest.mark.parametrize("engine", ["mh", "smc"])
def test_draws_give_it_within_their_error(engine: str) -> None:
    """Two medians are within 6 standard errors: a sound sampler fails with less than 1e-6."""
    posterior = slp.parse(TEXT).posterior(FRAME, engine=engine, seed=1, draws=2000)
    rows = pl.DataFrame({"x": [0, 1]})
    have, error = posterior.predict(rows), posterior.predict_error(rows)
    assert (error > 0).all() and (error < 1).all()
    assert (np.abs(have - [want(0), want(1)]) < 6 * error).all()


def test_a_leaf_says_its_median() -> None:
    posterior = slp.parse(TEXT).posterior(FRAME, engine="exact")
    tree = next(c.tree for c in posterior.k_best(2) if c.tree.n_leaves == 2)
    medians = 18.0, 22.5 * (2**0.25 - 1)  # (10 + t) (2^(1 / (1 + e)) - 1)
    assert tree.predict(pl.DataFrame({"x": [0, 1]})) == pytest.approx(medians)
    assert "median 18" in tree.to_text() and "mean" not in tree.to_text()
    left = tree.to_dict(predictive=True)["left"]["predictive"]
    assert left["median"] == pytest.approx(18.0) and left["mean"] is None
    bare = slp.Tree.from_dict(tree.to_dict())
    ends = bare.predict(pl.DataFrame({"x": [0, 1]}))
    assert ends[0] == math.inf and ends[1] == pytest.approx(math.log(2) * 12.5 / 3)


def test_the_command_names_it(tmp_path: Path) -> None:
    program, table, out = (str(tmp_path / name) for name in ("p.slp", "t.csv", "out.csv"))
    Path(program).write_text(TEXT)
    FRAME.write_csv(table)
    found = CliRunner().invoke(slp_command, ["predict", program, table, table, "-o", out])
    assert found.exit_code == 0 and "time: the predicted median" in found.output
    have = pl.read_csv(out)["time"].to_list()
    assert have == pytest.approx([want(x) for x in FRAME["x"]], rel=1e-9)
