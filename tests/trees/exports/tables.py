"""Tables with every kind of column, their trees, and what other languages say of their rows."""

from __future__ import annotations

import sqlite3
import warnings
from functools import cache
from typing import Any

import numpy as np
import polars as pl

import slp

#: What programs declare of the columns.
COLUMNS = """
    :- use(growtree, [alpha = 0.98, beta = 0.3]).
    :- feature(stage, [ordinal([i, ii, iii, iv])]).
    :- feature(dose, [numeric, cuts([1, 2.5, 4])]).
    :- feature(part, [subsets NEW]).
    :- feature(town, [subsets(ordered) NEW]).
    :- feature(sex, [categorical NEW]).
    :- feature('o''dd "name"', [categorical, missing(level) NEW]).
    :- feature(age, [numeric, missing(side) NEW]).
    :- feature(hair, [categorical, missing(side) NEW]).
"""
LEVELS = {
    "stage": ["i", "ii", "iii", "iv"],
    "part": ["arm", "leg", "it's"],
    "town": [f"t{i:02}" for i in range(16)],
    "sex": ["f", "m"],
    'o\'dd "name"': ["a", "b, c"],
    "hair": ["dark", "fair"],
}


def rows(n: int, seed: int, *, new: bool = False) -> dict[str, list[Any]]:
    """Rows with some missing values; with `new` also levels that no table has, and more missing
    values."""
    rng = np.random.default_rng(seed)
    out: dict[str, list[Any]] = {
        "dose": rng.choice([0.5, 1.0, 2.0, 2.5, 3.0, 4.0, 7.0], n).tolist(),
        "age": (rng.normal(size=n) / 3).tolist(),
    }
    for name, levels in LEVELS.items():
        out[name] = rng.choice(levels, n).tolist()
    for name in ("age", "hair", 'o\'dd "name"'):
        for i in np.flatnonzero(rng.random(n) < 0.15).tolist():
            out[name][i] = None
    if new:
        for name in ("part", "town", "sex", "hair", 'o\'dd "name"'):
            for i in np.flatnonzero(rng.random(n) < 0.2).tolist():
                out[name][i] = "other"
    return out


def responses(n: int, leaf: str, seed: int) -> tuple[dict[str, list[Any]], str]:
    """Columns of a response under a leaf model, and what declares it."""
    rng = np.random.default_rng(seed)
    if leaf in ("classes", "losses"):
        losses = ":- loss(yes, no, 2). :- loss('it''s', no, 3). :- loss(no, 'it''s', 0.7)."
        declared = losses if leaf == "losses" else ""
        return {"y": rng.choice(["no", "yes", "it's"], n).tolist()}, f":- response(y). {declared}"
    if leaf == "truths":
        return {"y": rng.choice([False, True], n).tolist()}, ":- response(y)."
    if leaf == "counts":
        return {"y": rng.poisson(2, n).tolist()}, ":- response(y). :- leaf(gamma_poisson(1, 1))."
    if leaf == "durations":
        text = ":- response(y, event(e)). :- leaf(gamma_exponential(1, 1))."
        times = rng.exponential(size=n) + 0.1
        return {"y": times.tolist(), "e": rng.integers(0, 2, n).tolist()}, text
    text = ":- response(y). :- leaf(normal_inverse_gamma(0, 1, 1, 1))."
    if leaf == "lines":
        text = ":- response(y). :- leaf(normal_linear([dose]))."
    return {"y": rng.normal(size=n).tolist()}, text


@cache
def posterior(leaf: str, new: str = "average", *, draws: int = 12, seed: int = 1) -> slp.Posterior:
    """A posterior with a few draws, which need not be good ones."""
    columns, declared = responses(60, leaf, seed)
    table = pl.DataFrame({**rows(60, seed), **columns}, strict=False)
    said = "" if new == "declared" else f", new({new})"
    text = COLUMNS.replace("subsets NEW", f"subsets{said}")
    text = text.replace(" NEW", said if new != "larger" else "").replace("subsets(ordered) NEW", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of draws that are few
        program = slp.parse(text + declared)
        few = {"islands": 2, "particles": 40}
        return program.posterior(table, engine="smc", draws=draws, seed=seed, **few)


def in_sqlite(expression: str, columns: dict[str, list[Any]]) -> list[Any]:
    """What an expression of SQL says of each row."""
    names = [name.replace('"', '""') for name in columns]
    described = ", ".join(f'"{name}"' for name in names)
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE t (place INTEGER, {described})")
        marks = ", ".join("?" * (len(names) + 1))
        cells = zip(*columns.values(), strict=True)
        base.executemany(
            f"INSERT INTO t VALUES ({marks})", [(i, *row) for i, row in enumerate(cells)]
        )
        return [x for (x,) in base.execute(f"SELECT {expression} FROM t ORDER BY place")]


def in_python(source: str, name: str, columns: dict[str, list[Any]]) -> list[Any]:
    """What a function of a module says of each row; None where it refuses one."""
    space: dict[str, Any] = {}
    exec(source, space)
    out = []
    for cells in zip(*columns.values(), strict=True):
        try:
            out.append(space[name](dict(zip(columns, cells, strict=True))))
        except ValueError:
            out.append(None)
    return out


def by_row(ask: Any, columns: dict[str, list[Any]]) -> list[Any]:
    """What a function of frames says of each row; None where it refuses one."""
    schema = {n: pl.Float64 if n in ("dose", "age") else pl.String for n in columns}
    frame = pl.DataFrame(columns, schema=schema)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of new levels
        try:
            return list(ask(frame))
        except slp.DataError:
            if len(frame) == 1:
                return [None]
    halves = [{n: cells[part] for n, cells in columns.items()} for part in _halves(len(frame))]
    return [x for half in halves for x in by_row(ask, half)]


def _halves(n: int) -> tuple[slice, slice]:
    return slice(0, n // 2), slice(n // 2, n)
