"""Small random tables: ties, repeated rows, all kinds of columns, codings and responses."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from slp.columns import MISSING
from slp.data import Table
from tests.spec.brute_force import Example, Row
from tests.spec.leaf_formulas import (
    DirichletFormula,
    ExponentialFormula,
    LeafFormula,
    LineFormula,
    NormalFormula,
    PoissonFormula,
    WeightedFormula,
)

_POOLS = (
    (0, 1, 2, 3),
    (0.25, -1.5, 2.0, 2.5, 4.75),
    (0.1, 0.2, 0.3, 0.7),
    (-1000000.0, 0.0, 0.001, 5.0),
)
LEVELS = (("red", "green", "blue"), ("no", "yes"), ("b", "a b", "C", "d"))
_CUTS = (-1.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.25, 3.0)
_INTEGER_LEVELS = (2, 10, 9)
_BESIDE = {"seen", "exposure"}  # columns of events and of exposure


@dataclass(frozen=True)
class RandomTable:
    """Columns in order (the response last), and the directives that the table asks of a program."""

    columns: dict[str, list[Any]]
    kinds: dict[str, str]  # "numeric", "binned" or "categorical", of each feature
    directives: tuple[str, ...]
    leaf: LeafFormula
    ignored: tuple[str, ...] = ()
    cuts: dict[str, list[float]] = field(default_factory=dict)  # those that are declared
    orders: dict[str, dict[str, float]] = field(default_factory=dict)  # numbers of levels
    sided: frozenset[str] = frozenset()  # features whose missing values take a side
    averaged: frozenset[str] = frozenset()
    lines: tuple[str, ...] = ()  # features of the lines in leaves
    parted: frozenset[str] = frozenset()  # features whose splits are by subsets of levels
    larger: frozenset[str] = frozenset()
    ordered: bool = False
    above: dict[str, dict[str, str]] = field(default_factory=dict)  # concepts of levels

    @property
    def features(self) -> list[str]:
        """Feature columns that are not ignored."""
        return [f for f in self.columns if f not in ("y", *_BESIDE, "weight", *self.ignored)]

    @property
    def numeric(self) -> list[str]:
        """Features compared with thresholds."""
        return [f for f in self.features if self.kinds[f] != "categorical"]

    @property
    def refused(self) -> frozenset[str]:
        """Features of which a level that a split does not know is an error."""
        said = [d for d in self.directives if "new(error)" in d]
        of = ("_", *(quoted(f) for f in self.features))
        named = {
            f
            for f, name in zip(("_", *self.features), of, strict=True)
            if any(d.startswith(f":- feature({name},") for d in said)
        }
        return frozenset(self.features if "_" in named else named)

    def frame(self) -> pl.DataFrame:
        """The table as users have it."""
        return pl.DataFrame(self.columns)

    def without_last_row(self) -> RandomTable:
        """A smaller one."""
        shorter = {name: column[:-1] for name, column in self.columns.items()}
        leaf = self.leaf
        if self.lines:  # their scales are those of the table
            plain: Any = leaf.leaf if isinstance(leaf, WeightedFormula) else leaf
            leaf = line_formula(shorter, self.lines, plain.args)
        return replace(self, columns=shorter, leaf=leaf)

    def example(self, table: Table) -> Example:
        """The raw table for the specification; cuts of bins are those that the package chose."""
        cuts = {
            f.name: tuple(map(float, f.kind.numbers))
            for f in table.features
            if f.kind.numbers is not None and f.kind.values is None
        }
        columns = [[self.raw(f, x) for x in self.columns[f]] for f in self.features]
        rows = tuple(zip(*columns, strict=True))
        y = self.columns["y"]
        for beside in _BESIDE & self.columns.keys():
            y = list(zip(y, self.columns[beside], strict=True))
        sides: dict[str, Any] = {"sided": self.sided, "averaged": self.averaged}
        sides |= {"lines": self.lines, "parted": self.parted, "larger": self.larger}
        sides |= {"refused": self.refused, "ordered": self.ordered, "above": self.above}
        if "weight" not in self.columns:
            return Example(tuple(self.features), rows, tuple(y), cuts, **sides)
        present = [i for i, w in enumerate(self.columns["weight"]) if w > 0]
        rows, y = tuple(rows[i] for i in present), [y[i] for i in present]
        weights = tuple(float(self.columns["weight"][i]) for i in present)
        return Example(tuple(self.features), rows, tuple(y), cuts, weights, **sides)

    def raw(self, feature: str, x: Any) -> float | str:
        """A value as the specification takes it."""
        if x is None:
            return MISSING
        if feature in self.orders:
            return self.orders[feature][str(x)]
        return str(x) if self.kinds[feature] == "categorical" else float(x)

    def shown(self, feature: str, x: float | str) -> float | str | None:
        """A value of the specification as users have it."""
        if x == MISSING:
            return None
        names = {number: level for level, number in self.orders.get(feature, {}).items()}
        return names[float(x)] if names else x


def random_table(rng: random.Random) -> RandomTable:
    """A table of at most 7 rows and 3 features."""
    d = rng.choice((1, 2, 2, 3))
    n = rng.randint(1 if rng.random() < 0.1 else 2, {1: 7, 2: 6, 3: 5}[d])
    columns: dict[str, list[Any]] = {}
    kinds: dict[str, str] = {}
    cuts: dict[str, list[float]] = {}
    directives: list[str] = []
    for name in ("a", "b", "c d")[:d]:
        kinds[name], columns[name], lines = _random_column(rng, name, n)
        directives += lines
        if kinds[name] == "numeric" and rng.random() < 0.2:
            kinds[name], cuts[name] = "binned", sorted(rng.sample(_CUTS, rng.randint(1, 6)))
            directives.append(f":- feature({quoted(name)}, [cuts({cuts[name]})]).")
    _repeat_rows(rng, columns)
    ignored: tuple[str, ...] = ()
    if rng.random() < 0.15:
        columns["id"], ignored = [str(i) for i in range(n)], ("id",)
        directives.append(":- ignore(id).")
    if rng.random() < 0.06:
        leaf, lines = add_durations(rng, columns, n)
    else:
        columns["y"], leaf, lines = _random_response(rng, n)
    return RandomTable(columns, kinds, (*directives, *lines), leaf, ignored, cuts)


def random_row(rng: random.Random, table: RandomTable) -> Row:
    """A new row: values of the table, near them or far off, and levels that it has not seen."""
    row: list[float | str] = []
    for feature in table.features:
        x = rng.choice(table.columns[feature])
        if feature in table.sided and (x is None or rng.random() < 0.2):
            row.append(MISSING)
        elif feature in table.orders:
            row.append(rng.choice(list(table.orders[feature].values())))
        elif table.kinds[feature] == "categorical":
            level = table.raw(feature, x)
            there = [v for v in table.columns[feature] if v is not None]
            new = "new" if any(isinstance(v, str) for v in there) else "77"
            above = table.above.get(feature, {})
            known = [x for x in above if x not in above.values()]
            row.append(rng.choice((level, level, *(known or [new]), new)))
        else:
            far = () if table.lines else (1e9, -1e9)  # where a line's rounding shows
            row.append(float(x) + rng.choice((0.0, 0.0, 0.5, -0.5, *far)))
    return tuple(row)


def line_formula(
    columns: dict[str, list[Any]], lines: tuple[str, ...], args: tuple[float, ...]
) -> LeafFormula:
    """The lines of a table: z is counted from the mean, in standard deviations."""
    weights = columns.get("weight", [1.0] * len(columns["y"]))
    x = np.array([[float(v) for v in columns[f]] for f in lines]).T
    centre = np.average(x, axis=0, weights=weights)
    scale = np.sqrt(np.average((x - centre) ** 2, axis=0, weights=weights))
    scale = np.where(scale > 0, scale, 1.0)
    found = LineFormula(args, tuple(centre.tolist()), tuple(scale.tolist()))
    return WeightedFormula(found) if "weight" in columns else found


def _random_column(rng: random.Random, name: str, n: int) -> tuple[str, list[Any], list[str]]:
    """Kind, values and directives of a feature."""
    atom = quoted(name)
    if rng.random() < 0.2:
        return "categorical", rng.choices(rng.choice(LEVELS), k=n), []
    if rng.random() < 0.1:
        values = rng.choices(_INTEGER_LEVELS, k=n)
        new = ", new(error)" if rng.random() < 0.3 else ""
        return "categorical", values, [f":- feature({atom}, [categorical{new}])."]
    pool = rng.choice(_POOLS)
    values = [float(x) for x in rng.choices(pool, k=n)]
    if rng.random() < 0.1:
        bins = f"bins({rng.choice(('quantile', 'width'))}, {rng.randint(2, 5)})"
        return "binned", values, [f":- feature({atom}, [{bins}])."]
    if pool == _POOLS[0]:
        return "numeric", [int(x) for x in values], []
    return "numeric", values, []


def quoted(name: str) -> str:
    """A name of a column as an atom."""
    return name if name.isalpha() else f"'{name}'"


def _repeat_rows(rng: random.Random, columns: dict[str, list[Any]]) -> None:
    """Now and then make a row equal to another one."""
    n = len(next(iter(columns.values())))
    for i in range(n):
        if rng.random() < 0.15:
            source = rng.randrange(n)
            for column in columns.values():
                column[i] = column[source]


def add_durations(
    rng: random.Random, columns: dict[str, list[Any]], n: int
) -> tuple[LeafFormula, list[str]]:
    """Durations, some of them censored, with the column that says which."""
    a, b = rng.choice((0.8, 3.0)), rng.choice((0.5, 2.0))
    columns["seen"] = rng.choices((0, 1, 1), k=n)
    columns["y"] = [round(rng.expovariate(0.5), 3) + 0.001 for _ in range(n)]
    response = ":- response(y, event(seen))."
    return ExponentialFormula(a, b), [response, f":- leaf(gamma_exponential({a}, {b}))."]


def _random_response(rng: random.Random, n: int) -> tuple[list[Any], LeafFormula, list[str]]:
    """Responses, the leaf model by its formula, and the directive that declares it."""
    kind = rng.random()
    if kind < 0.15:
        numbers = [round(rng.gauss(1.0, 2.0), 3) + 0.0001 for _ in range(n)]
        args = (0.5, rng.choice((0.1, 2.0)), rng.choice((1.5, 3.0)), rng.choice((0.7, 4.0)))
        text = ", ".join(map(repr, args))
        return numbers, NormalFormula(*args), [f":- leaf(normal_inverse_gamma({text}))."]
    if kind < 0.25:
        a, b = rng.choice((0.5, 3.0)), rng.choice((0.25, 1.5))
        counts = [rng.choice((0, 1, 2, 5, 40)) for _ in range(n)]
        return counts, PoissonFormula(a, b), [f":- leaf(gamma_poisson({a}, {b}))."]
    names: list[Any] = rng.choice(([0, 1], ["n", "p"], [2, 10, 9], ["x", "y", "z"]))
    y = rng.choices(names, k=n)
    classes = tuple(str(c) for c in sorted(set(y)))
    if rng.random() < 0.3:
        return y, DirichletFormula(classes, (1.0,) * len(classes)), []
    if len(classes) == 1 or rng.random() < 0.5:
        a = rng.choice((0.5, 2.0))
        return y, DirichletFormula(classes, (a,) * len(classes)), [f":- leaf(dirichlet({a}))."]
    each = [rng.choice((0.5, 1.0, 3.0)) for _ in classes]
    return y, DirichletFormula(classes, tuple(each)), [f":- leaf(dirichlet({each}))."]
