"""Small random tables: ties, repeated rows, all kinds of columns, codings and responses."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from slp.data import Table
from slp.ir.quantity import MISSING
from tests.spec.brute_force import Example, Row
from tests.spec.leaf_formulas import (
    DirichletFormula,
    ExponentialFormula,
    ExposedFormula,
    LeafFormula,
    LineFormula,
    NormalFormula,
    PoissonFormula,
    TableFormula,
    WeightedFormula,
)

_POOLS = (
    (0, 1, 2, 3),
    (0.25, -1.5, 2.0, 2.5, 4.75),
    (0.1, 0.2, 0.3, 0.7),
    (-1000000.0, 0.0, 0.001, 5.0),
)
_EXTREME_POOLS = (
    (0.0, 5e-324, 1e-323, 1e-310, 3e-310),
    (0.04, 3e-5, 1e-17, 2e-155, 1e-300, 4e-310, 2e-320),
    (-1.7e308, -1e300, 0.0, 1e-310, 1e8, 1.7e308),
    (0.0, 5e-324, 1e-323, 1.0, 1e307),
    (-1.5e308, 1e308, 1.1e308, 1.7e308),
    (0.0, 1e-310, 1e8, 1e300),
    (0.3, 0.1 + 0.2, 1.0, 1.0 + 2**-52),
)
_EXTREME_WEIGHTS = (
    (1e9, 1.0, 1.0, 2.0),
    (1e6, 131072.0, 1.0, 3.0),
    (1e9 - 0.25, 0.5, 7.0),
    (1e-9, 1e-6, 0.25),
    (1e9, 0.5, 123456789.5),  # their sums tie in no `majority`
)
_LEVELS = (("red", "green", "blue"), ("no", "yes"), ("b", "a b", "C", "d"))
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

    @property
    def features(self) -> list[str]:
        """Feature columns that are not ignored."""
        return [f for f in self.columns if f not in ("y", *_BESIDE, "weight", *self.ignored)]

    @property
    def numeric(self) -> list[str]:
        """Features compared with thresholds."""
        return [f for f in self.features if self.kinds[f] != "categorical"]

    def frame(self) -> pl.DataFrame:
        """The table as users have it."""
        return pl.DataFrame(self.columns)

    def without_last_row(self) -> RandomTable:
        """A smaller one."""
        shorter = {name: column[:-1] for name, column in self.columns.items()}
        leaf = self.leaf
        if self.lines:  # their scales are those of the table
            plain: Any = leaf.leaf if isinstance(leaf, WeightedFormula) else leaf
            leaf = _line_formula(shorter, self.lines, plain.args)
        return replace(self, columns=shorter, leaf=leaf)

    def example(self, table: Table) -> Example:
        """The raw table for the specification; cuts of bins are those that the package chose."""
        cuts = {f.name: tuple(map(float, f.cuts)) for f in table.features if f.cuts is not None}
        columns = [[self.raw(f, x) for x in self.columns[f]] for f in self.features]
        rows = tuple(zip(*columns, strict=True))
        y = self.columns["y"]
        for beside in _BESIDE & self.columns.keys():
            y = list(zip(y, self.columns[beside], strict=True))
        sides: dict[str, Any] = {"sided": self.sided, "averaged": self.averaged}
        sides |= {"lines": self.lines, "parted": self.parted, "larger": self.larger}
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
            directives.append(f":- feature({_quoted(name)}, [cuts({cuts[name]})]).")
    _repeat_rows(rng, columns)
    ignored: tuple[str, ...] = ()
    if rng.random() < 0.15:
        columns["id"], ignored = [str(i) for i in range(n)], ("id",)
        directives.append(":- ignore(id).")
    if rng.random() < 0.06:
        leaf, lines = _add_durations(rng, columns, n)
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
            row.append(rng.choice((level, level, new)))
        else:
            far = () if table.lines else (1e9, -1e9)  # where a line's rounding shows
            row.append(float(x) + rng.choice((0.0, 0.0, 0.5, -0.5, *far)))
    return tuple(row)


def with_weights(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with weights of rows, whole or real ones, some of them 0."""
    n = len(table.columns["y"])
    if rng.random() < 0.5:
        weights = [float(rng.choice((1, 1, 2, 3, 5, 15))) for _ in range(n)]
    else:
        weights = [rng.choice((0.25, 0.5, 1.0, 1.7, 12.3)) for _ in range(n)]
    labels = table.columns["y"]
    for i in range(n):  # each class keeps a row
        if rng.random() < 0.15 and labels.count(labels[i]) > 1:
            weights[i] = 0.0
    if any(all(w == 0 for w, y in zip(weights, labels, strict=True) if y == c) for c in labels):
        weights = [w or 2.0 for w in weights]
    columns = {**dict(list(table.columns.items())[:-1]), "weight": weights}
    columns["y"] = labels
    directives = (*table.directives, ":- row_weight(weight).")
    leaf = WeightedFormula(table.leaf)
    return replace(table, columns=columns, directives=directives, leaf=leaf)


def with_extremes(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with values whose gaps are subnormal, beyond the doubles, or up to 600 orders of
    magnitude apart; now and then with weights of rows from 1e-9 to 1e9, and with concentrations
    from 1e-9 to 1e9."""
    if "seen" not in table.columns and rng.random() < 0.6:
        table = with_weights(rng, table)
    columns, leaf, directives = dict(table.columns), table.leaf, table.directives
    plain: Any = leaf.leaf if isinstance(leaf, WeightedFormula) else leaf
    for feature in table.features:
        if table.kinds[feature] == "numeric" and rng.random() < 0.8:
            pool = rng.choice(_EXTREME_POOLS)
            columns[feature] = rng.choices(pool, k=len(columns[feature]))
    if "weight" in columns:
        pool = rng.choice(_EXTREME_WEIGHTS)
        most = 1e3 if isinstance(plain, NormalFormula) else 1e9  # squares of numbers are rounded
        columns["weight"] = [w and min(rng.choice(pool), most) for w in columns["weight"]]
    if isinstance(plain, DirichletFormula) and rng.random() < 0.4:
        a = rng.choice((1e-9, 1e-3, 1e4, 1e9))
        plain = replace(plain, a=(a,) * len(plain.classes))
        directives = tuple(d for d in directives if ":- leaf" not in d)
        directives = (*directives, f":- leaf(dirichlet({a!r})).".replace("1e-09", "1.0e-9"))
        leaf = WeightedFormula(plain) if isinstance(leaf, WeightedFormula) else plain
    return replace(table, columns=columns, directives=directives, leaf=leaf)


def with_orders(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with most of its features made ordinal: levels in an order that is not that of
    their names, some of which no row has; numbers now and then. Others get a unit and a range."""
    columns, kinds, directives = dict(table.columns), dict(table.kinds), list(table.directives)
    orders: dict[str, dict[str, float]] = {}
    for place, feature in enumerate(table.features):
        if kinds[feature] == "categorical" or any(_quoted(feature) in d for d in directives):
            continue
        if rng.random() < 0.15:
            limits = min(columns[feature]), max(columns[feature]) + 1
            directives.append(
                f":- feature({_quoted(feature)}, [unit('m/s'), range({limits[0]}, {limits[1]})])."
            )
            continue
        values = sorted(set(columns[feature]))
        n = len(values) + rng.choice((0, 0, 1, 2))
        n = max(n, 2)
        places = sorted(rng.sample(range(n), len(values)))
        if rng.random() < 0.2:
            names = [str(i) for i in sorted(rng.sample((-2, 1, 2, 5, 9, 10, 20), min(n, 7)))]
            numbers = [float(name) for name in names]
        else:
            names = [f"{letter}{place}" for letter in rng.sample("zyxwvut", n)]
            numbers = [float(i) for i in range(n)]
        orders[feature] = dict(zip(names, numbers, strict=True))
        level = {value: names[i] for value, i in zip(values, places, strict=True)}
        columns[feature] = [level[value] for value in columns[feature]]
        kinds[feature] = "ordinal"
        directives.append(f":- feature({_quoted(feature)}, [ordinal([{', '.join(names)}])]).")
    return replace(table, columns=columns, kinds=kinds, directives=tuple(directives), orders=orders)


def with_alike(rng: random.Random, table: RandomTable) -> RandomTable | None:
    """The table with one feature in the place of another, its numbers now and then negated, so
    that splits on the two part the rows alike; None if no two features are of one kind."""
    free = [f for f in table.features if not any(f"({_quoted(f)}" in d for d in table.directives)]
    pairs = [
        (f, g)
        for f in free
        for g in free
        if f != g and table.kinds[f] == table.kinds[g] and {f, g}.isdisjoint(table.cuts)
    ]
    if not pairs:
        return None
    kept, other = rng.choice(pairs)
    turned = table.kinds[kept] == "numeric" and rng.random() < 0.5
    alike = [-x if turned else x for x in table.columns[kept]]
    return replace(table, columns=table.columns | {other: alike})


def with_missing_levels(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with categorical features that miss values, which are one more level."""
    columns, kinds, directives = dict(table.columns), dict(table.kinds), list(table.directives)
    for_all = rng.random() < 0.3
    for feature in table.features:
        named = any(f"feature({_quoted(feature)}," in d for d in directives)
        n = len(columns[feature])
        if kinds[feature] != "categorical" and not named:
            kinds[feature] = "categorical"
            columns[feature] = rng.choices(rng.choice(_LEVELS), k=n)
        if kinds[feature] != "categorical":
            continue
        share = rng.choice((0.2, 0.5))
        cells = [None if rng.random() < share else x for x in columns[feature]]
        columns[feature] = cells if any(x is not None for x in cells) else columns[feature]
        if named:
            old = f":- feature({_quoted(feature)}, [categorical])."
            directives[directives.index(old)] = old.replace("l]", "l, missing(level)]")
        elif not for_all:
            directives.append(f":- feature({_quoted(feature)}, [missing(level)]).")
    if for_all:
        directives.append(":- feature(_, [missing(level)]).")
    return replace(table, columns=columns, kinds=kinds, directives=tuple(directives))


def with_missing_sides(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with features of all kinds that miss values, which take a side."""
    columns, directives = dict(table.columns), list(table.directives)
    for_all, average = rng.random() < 0.3, rng.random() < 0.6
    said = "missing(side), new(average)" if average else "missing(side)"
    sided = set()
    for feature in table.features:
        if not for_all and rng.random() < 0.2:
            continue
        sided.add(feature)
        share = rng.choice((0.0, 0.2, 0.5))
        cells = [None if rng.random() < share else x for x in columns[feature]]
        columns[feature] = [columns[feature][0], *cells[1:]]  # some value is there
        if columns.get("weight", [1.0])[0] == 0:
            columns["weight"] = [1.0, *columns["weight"][1:]]
        named = [d for d in directives if f"feature({_quoted(feature)}," in d]
        if named:
            directives[directives.index(named[0])] = f"{named[0][:-3]}, {said}])."
        elif not for_all:
            directives.append(f":- feature({_quoted(feature)}, [{said}]).")
    if for_all:
        directives.append(f":- feature(_, [{said}]).")
    return replace(
        table,
        columns=columns,
        directives=tuple(directives),
        sided=frozenset(sided),
        averaged=frozenset(sided) if average else frozenset(),
    )


def with_lines(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with numbers as responses, and a line in each leaf; whole weights now and then."""
    columns, n = dict(table.columns), len(table.columns["y"])
    columns.pop("seen", None)
    columns["y"] = [round(rng.gauss(1.0, 2.0), 3) + 0.0001 for _ in range(n)]
    directives = [d for d in table.directives if ":- leaf" not in d and ":- response" not in d]
    if rng.random() < 0.2:
        columns = {"weight": [3.0, *map(float, rng.choices((0, 1, 1, 2, 5), k=n - 1))], **columns}
        directives.append(":- row_weight(weight).")
    lines = tuple(f for f in table.numeric if rng.random() < 0.6) or (table.numeric[0],)
    args = tuple(rng.choice(pool) for pool in ((0.5, -2.0), (0.1, 2.0), (0.3, 1.0), (1.5,), (0.7,)))
    names = ", ".join(map(_quoted, lines))
    directives.append(f":- leaf(normal_linear([{names}], {', '.join(map(repr, args))})).")
    leaf = _line_formula(columns, lines, args)
    return replace(table, columns=columns, directives=tuple(directives), leaf=leaf, lines=lines)


def with_subsets(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with most of its features split by subsets of levels, some of them missing."""
    columns, kinds, directives = dict(table.columns), dict(table.kinds), list(table.directives)
    parted, averaged, larger = set(), set(), set()
    for place, feature in enumerate(table.features):
        named = [d for d in directives if f"feature({_quoted(feature)}," in d]
        if named and "[categorical]" not in named[0]:
            continue
        if place and rng.random() < 0.3:
            continue
        n = len(columns[feature])
        if not named:
            kinds[feature] = "categorical"
            columns[feature] = rng.choices(("z", "y", "x", "b c", "w")[: rng.randint(2, 5)], k=n)
        said = [rng.choice(("subsets", "subsets(5)"))]
        if rng.random() < 0.2:
            said.append("missing(level)")
            first, *others = columns[feature]
            columns[feature] = [first, *(None if rng.random() < 0.3 else x for x in others)]
        new = rng.choice(("", "new(error)", "new(average)", "new(larger)"))
        said += [new] if new else []
        parted.add(feature)
        averaged |= {feature} if "average" in new else set()
        larger |= {feature} if "larger" in new else set()
        directives = [d for d in directives if d not in named]
        directives.append(f":- feature({_quoted(feature)}, [{', '.join(said)}]).")
    return replace(
        table,
        columns=columns,
        kinds=kinds,
        directives=tuple(directives),
        parted=frozenset(parted),
        averaged=frozenset(averaged),
        larger=frozenset(larger),
    )


def with_exposures(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with counts as responses, and the exposure of each row."""
    columns, n = dict(table.columns), len(table.columns["y"])
    columns.pop("seen", None)
    del columns["y"]
    columns["exposure"] = [rng.choice((0.25, 1.0, 1.0, 3.7, 20.0)) for _ in range(n)]
    columns["y"] = [rng.choice((0, 0, 1, 2, 5, 11)) for _ in range(n)]
    directives = [d for d in table.directives if ":- leaf" not in d and ":- response" not in d]
    a, b = rng.choice((0.5, 3.0)), rng.choice((0.25, 1.5))
    directives += [":- response(y, exposure(exposure)).", f":- leaf(gamma_poisson({a}, {b}))."]
    leaf = ExposedFormula(a, b)
    return replace(table, columns=columns, directives=tuple(directives), leaf=leaf)


def with_tables(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with counts as responses, under a leaf model of the user's own that is a table;
    rows have whole weights now and then. `by_table` is to be registered."""
    columns, n = dict(table.columns), len(table.columns["y"])
    columns.pop("seen", None)
    del columns["y"]
    weighted = rng.random() < 0.3
    if weighted:
        columns["weight"] = [float(rng.choice((1, 1, 2, 3, 15))) for _ in range(n)]
        columns["weight"][0] *= float(n == 1 or rng.random() < 0.8)
    columns["y"] = [rng.choice((0, 0, 1, 2, 3)) for _ in range(n)]
    directives = [d for d in table.directives if ":- leaf" not in d and ":- response" not in d]
    formula = TableFormula(rng.randrange(1000))
    directives.append(f":- leaf(by_table({formula.seed})).")
    directives += [":- row_weight(weight)."] * weighted
    leaf: LeafFormula = WeightedFormula(formula) if weighted else formula
    return replace(table, columns=columns, directives=tuple(directives), leaf=leaf)


def _line_formula(
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
    quoted = _quoted(name)
    if rng.random() < 0.2:
        return "categorical", rng.choices(rng.choice(_LEVELS), k=n), []
    if rng.random() < 0.1:
        values = rng.choices(_INTEGER_LEVELS, k=n)
        return "categorical", values, [f":- feature({quoted}, [categorical])."]
    pool = rng.choice(_POOLS)
    values = [float(x) for x in rng.choices(pool, k=n)]
    if rng.random() < 0.1:
        bins = f"bins({rng.choice(('quantile', 'width'))}, {rng.randint(2, 5)})"
        return "binned", values, [f":- feature({quoted}, [{bins}])."]
    if pool == _POOLS[0]:
        return "numeric", [int(x) for x in values], []
    return "numeric", values, []


def _quoted(name: str) -> str:
    return name if name.isalpha() else f"'{name}'"


def _repeat_rows(rng: random.Random, columns: dict[str, list[Any]]) -> None:
    """Now and then make a row equal to another one."""
    n = len(next(iter(columns.values())))
    for i in range(n):
        if rng.random() < 0.15:
            source = rng.randrange(n)
            for column in columns.values():
                column[i] = column[source]


def _add_durations(
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
