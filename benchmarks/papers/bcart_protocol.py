"""The tables of BCART-PCFG, and the ways to read its text: buckets, folds, prior, intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import slp
from benchmarks.papers.framework import Row
from slp.data import read_frame

FOLDS = 10
SEEDS, QUICK_SEEDS = (0, 1, 2, 3, 4), (0,)
MOST_DISTINCT = 10
#: The file of each table and its buckets.
TABLES = {
    "iris": ("iris.csv", 10),
    "caesarian": ("caesarian.csv", 10),
    "haberman": ("haberman.csv", 10),
    "vertebral": ("vertebral_column_2c.csv", 5),
}
QUICK_TABLES = {"haberman": "haberman/haberman.csv"}
#: The reading that `tables` takes, and what `protocol` changes in it, one thing at a time.
READING: Row = {
    "buckets": "equal width",
    "limits of": "training rows",
    "folds": "stratified",
    "dirichlet": 1.0,
    "ln phi": 2.0,
}
OTHERS: list[Row] = [
    {},
    {"limits of": "all rows"},
    {"buckets": "rounded"},
    {"buckets": "distinct values"},
    {"buckets": "quantiles"},
    {"buckets": "quantiles", "limits of": "all rows"},
    {"folds": "plain"},
    {"buckets": "distinct values", "folds": "in order"},
    {"folds": "in order"},
    {"dirichlet": 0.5},
    {"dirichlet": 2.0},
    {"ln phi": 1.0},
    {"ln phi": round(2 * np.log(10), 3)},
]
#: The nodes that the paper prints in table 3, with all their digits.
PRINTED = {
    "iris, CART": (19.6, 4.153),
    "caesarian, CART": (70.2, 2.024),
    "haberman, CART": (161.0, 17.335),
    "vertebral, CART": (106.2, 8.097),
    "caesarian, BCART-PCFG": (3.2, 2.225),
    "haberman, BCART-PCFG": (5.6, 3.227),
    "vertebral, BCART-PCFG": (15.6, 4.545),
}


def read(data: Path, name: str) -> pl.DataFrame:
    """A table; a quick one where there is one."""
    quick = data / QUICK_TABLES.get(name, "")
    return read_frame(quick if quick.is_file() else data / TABLES[name][0])


def bucketed(
    frame: pl.DataFrame, rows: NDArray[np.int64], buckets: int, how: str = "equal width"
) -> pl.DataFrame:
    """Features of more than ten values as numbers of buckets.

    Parameters
    ----------
    rows : those that give the limits.
    how : `equal width`, `quantiles`, `rounded` (to a whole number of steps, so that the first and
        last bucket are half as wide) or `distinct values` (equally many in each bucket).
    """
    out = []
    for column in frame.columns[:-1]:
        values = frame[column].to_numpy()
        if frame[column].n_unique() > MOST_DISTINCT:
            ends = _limits(values[rows], buckets, how)
            values = np.searchsorted(np.unique(ends), values, side="right")
        out.append(pl.Series(column, values))
    return pl.DataFrame([*out, frame["y"].cast(pl.String)])


def _limits(values: NDArray[np.float64], buckets: int, how: str) -> NDArray[np.float64]:
    shares = np.arange(1, buckets) / buckets
    least, width = values.min(), np.ptp(values)
    if how == "equal width":
        return least + width * shares
    if how == "quantiles":
        return np.quantile(values, shares)
    if how == "rounded":
        return least + width * (np.arange(buckets) + 0.5) / buckets
    if how == "distinct values":
        distinct = np.unique(values)
        return distinct[np.ceil(shares * len(distinct)).astype(int)]
    raise ValueError(how)


def parts_of(
    classes: NDArray[np.str_], folds: str, seed: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Training and test rows of ten folds: `stratified` and `plain` are shuffled, `in order` is
    stratified in the order of the file."""
    if folds == "plain":
        parts = KFold(FOLDS, shuffle=True, random_state=seed)
    elif folds == "in order":
        parts = StratifiedKFold(FOLDS)
    else:
        parts = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    return list(parts.split(classes, classes))


def interval(values: Sequence[float], form: str) -> str:
    """Mean and 1.96 standard deviations."""
    return f"{np.mean(values):{form}} ± {1.96 * np.std(values, ddof=1):{form}}"


def protocol_settings(quick: bool) -> Iterator[Row]:
    """A run for each table, reading and seed; a vertebral one takes long, so it has one seed."""
    for table, other in product(QUICK_TABLES if quick else TABLES, OTHERS[:3] if quick else OTHERS):
        one = other.get("folds") == "in order" or table == "vertebral" or quick
        if table != "vertebral" or other.keys() <= {"buckets", "folds"}:
            for seed in SEEDS[:1] if one else SEEDS:
                whole = {"table": table, **READING, **other, "seed": seed}
                yield whole | {"rounds": 2 if quick else FOLDS}


def protocol_run(data: Path, settings: Row) -> Row:
    """The MAP tree and scikit-learn's on each fold."""
    whole = read(data, settings["table"])
    classes = whole["y"].cast(pl.String).to_numpy()
    program = slp.parse(
        f":- use(bcart_pcfg, [phi = exp({settings['ln phi']})])."
        f" :- leaf(dirichlet({settings['dirichlet']})). :- response(y)."
    )
    found: dict[str, list[float]] = {f"{w} {m}": [] for w in ("right", "nodes") for m in _BOTH}
    for train, test in parts_of(classes, settings["folds"], settings["seed"])[: settings["rounds"]]:
        rows = train if settings["limits of"] == "training rows" else np.arange(len(whole))
        frame = bucketed(whole, rows, TABLES[settings["table"]][1], settings["buckets"])
        best = program.posterior(frame[train], draws=0).map_tree()
        X = frame.drop("y").to_numpy()
        tree = DecisionTreeClassifier(random_state=settings["seed"]).fit(X[train], classes[train])
        for name, guess, nodes in (
            ("map", best.predict(frame[test]), 2 * best.n_leaves - 1),
            ("tree", tree.predict(X[test]), tree.tree_.node_count),
        ):
            found[f"right {name}"].append(float((guess.astype(str) == classes[test]).mean()))
            found[f"nodes {name}"].append(nodes)
    return dict(found)


_BOTH = ("map", "tree")


def protocol_summary(rows: list[Row]) -> list[Row]:
    """A line for each table and reading: means over seeds of the mean and of its interval."""
    by = ("table", *READING)
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    out = []
    for key, members in groups.items():
        line: Row = dict(zip(by, key, strict=True)) | {"seeds": len(members)}
        for name, form in (("right map", ".3f"), ("nodes map", ".1f"), ("nodes tree", ".1f")):
            each = [np.array(row[name]) for row in members]
            spread = np.mean([1.96 * x.std(ddof=1) for x in each])
            line[_TITLES[name]] = f"{np.mean(each):{form}} ± {spread:{form}}"
            if name == "right map":
                line["seeds' means"] = between([float(x.mean()) for x in each], form)
        out.append(line)
    return out


_TITLES = {"right map": "MAP accuracy", "nodes map": "MAP nodes", "nodes tree": "CART nodes"}


def between(values: Sequence[float], form: str) -> str:
    """The least and the largest."""
    return f"{min(values):{form}} to {max(values):{form}}" if len(values) > 1 else "-"


def intervals_settings(quick: bool) -> Iterator[Row]:
    """Each number that the paper prints."""
    for name in list(PRINTED)[:2] if quick else PRINTED:
        yield {"number": name}


def intervals_run(_data: Path, settings: Row) -> Row:
    """The interval that is nearest to the printed one, of n odd numbers with the printed mean."""
    mean, printed = PRINTED[settings["number"]]
    out: Row = {"printed": f"{mean} ± {printed}"}
    for n in (5, 10, 50):
        near = [_nearest(mean, printed, n, less) for less in (0, 1)]
        for less, found in enumerate(near):
            out[f"n {n}, ddof {less}"] = "impossible" if found is None else f"{found:.3f}"
    return out


def _nearest(mean: float, printed: float, n: int, less: int) -> float | None:
    """A tree of k splits has 2k + 1 nodes. The sum of k is whole, and the sum of squares of
    the same parity."""
    total = n * (mean - 1) / 2
    if abs(total - round(total)) > 1e-6:
        return None
    total = round(total)
    wanted = (printed / 1.96 / 2) ** 2 * (n - less) + total**2 / n
    near = [q for q in range(int(wanted) - 2, int(wanted) + 4) if q % 2 == total % 2]
    spreads = [q - total**2 / n for q in near if q * n >= total**2]
    return min(
        (1.96 * 2 * (s / (n - less)) ** 0.5 for s in spreads), key=lambda x: abs(x - printed)
    )
