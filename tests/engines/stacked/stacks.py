"""Tables, programs and runs of the engine `stacked` for tests."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl

import slp
from slp.budgets import Deadline
from slp.engines.contract import Request
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.stacked import StackedTrees
from slp.results.record.choice import EngineChoice

QUICK: dict[str, Any] = {"engine": "stacked", "members": 8, "draws": 40, "effort": "quick"}


TEXT = ":- use(growtree). :- support(max_depth(3)). :- response(y)."


COUNTS = (
    ":- use(growtree). :- support(max_depth(3)). :- response(count). :- leaf(gamma_poisson(1, 1))."
)


def frame(n: int = 480, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)).round(2)
    level = x[:, 0] + (x[:, 1] > 0) * x[:, 2]
    return pl.DataFrame(
        {
            **{f"x{i}": own for i, own in enumerate(x.T)},
            "y": np.where(level + rng.normal(size=n) > 0.3, "yes", "no"),
            "number": level + rng.normal(size=n) / 2,
            "count": rng.poisson(np.exp(level / 2)),
            "time": rng.exponential(np.exp(level)) + 0.01,
            "seen": rng.integers(0, 2, n),
            "w": rng.choice([0.5, 1.0, 2.0], n),
        }
    ).select("x0", "x1", "x2", "y", "number", "count", "time", "seen", "w")


def classes(n: int = 480, seed: int = 1) -> pl.DataFrame:
    return frame(n, seed).select("x0", "x1", "x2", "y")


def counts(n: int = 480) -> pl.DataFrame:
    return frame(n).select("x0", "x1", "x2", "count")


#: A program for each kind of response, and the columns of its table.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "classes": (":- response(y).", ("y",)),
    "weights": (":- response(y). :- row_weight(w).", ("y", "w")),
    "numbers": (":- response(number).", ("number",)),
    "lines": (":- response(number). :- leaf(normal_linear([x0])).", ("number",)),
    "counts": (":- response(count). :- leaf(gamma_poisson(1, 1)).", ("count",)),
    "durations": (
        ":- response(time, event(seen)). :- leaf(gamma_exponential(1, 1)).",
        ("time", "seen"),
    ),
    "missing": (":- response(y). :- feature(x1, [missing(side)]).", ("y",)),
    "subsets": (":- response(y). :- feature(x2, [subsets]).", ("y",)),
}


def of_kind(kind: str, seed: int = 1) -> tuple[slp.Program, pl.DataFrame]:
    text, columns = KINDS[kind]
    data = frame(seed=seed).select("x0", "x1", "x2", *columns)
    if kind == "missing":
        data = data.with_columns(x1=pl.when(pl.col("x0") > 0.7).then(None).otherwise(pl.col("x1")))
    if kind == "subsets":
        data = data.with_columns(x2=pl.col("x2").round(0).cast(pl.Int64).cast(pl.String) + "level")
    return slp.parse(f":- use(growtree). :- support(max_depth(3)). {text}"), data


@cache
def stack_of(kind: str) -> slp.Posterior:
    program, data = of_kind(kind)
    return program.posterior(data, seed=2, **QUICK)


def trees_of(posterior: slp.Posterior) -> DrawnTrees:
    averages = posterior._result.averages
    assert isinstance(averages, StackedTrees)
    return averages.trees


def request(seed: int) -> Request:
    return Request(
        choice=EngineChoice("mh", ""),
        likelihood=True,
        draws=40,
        seed=seed,
        memory=2**30,
        deadline=Deadline(),
        threads=1,
        progress=None,
        allow_code=False,
        advise=False,
    )
