"""Random tables of another kind: with weights, ordinal features, missing values, subsets, lines."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

from tests.spec.leaf_formulas import (
    DirichletFormula,
    ExposedFormula,
    LeafFormula,
    NormalFormula,
    TableFormula,
    WeightedFormula,
)
from tests.spec.random_tables import LEVELS, RandomTable, add_durations, line_formula, quoted

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
        if kinds[feature] == "categorical" or any(quoted(feature) in d for d in directives):
            continue
        if rng.random() < 0.15:
            limits = min(columns[feature]), max(columns[feature]) + 1
            directives.append(
                f":- feature({quoted(feature)}, [unit('m/s'), range({limits[0]}, {limits[1]})])."
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
        directives.append(f":- feature({quoted(feature)}, [ordinal([{', '.join(names)}])]).")
    return replace(table, columns=columns, kinds=kinds, directives=tuple(directives), orders=orders)


def with_alike(rng: random.Random, table: RandomTable) -> RandomTable | None:
    """The table with one feature in the place of another, its numbers now and then negated, so
    that splits on the two part the rows alike; None if no two features are of one kind."""
    free = [f for f in table.features if not any(f"({quoted(f)}" in d for d in table.directives)]
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
        named = [d for d in directives if f"feature({quoted(feature)}," in d]
        n = len(columns[feature])
        if kinds[feature] != "categorical" and not named:
            kinds[feature] = "categorical"
            columns[feature] = rng.choices(rng.choice(LEVELS), k=n)
        if kinds[feature] != "categorical":
            continue
        share = rng.choice((0.2, 0.5))
        cells = [None if rng.random() < share else x for x in columns[feature]]
        columns[feature] = cells if any(x is not None for x in cells) else columns[feature]
        if named:
            own = named[0].replace("[categorical", "[categorical, missing(level)")
            directives[directives.index(named[0])] = own
        elif not for_all:
            directives.append(f":- feature({quoted(feature)}, [missing(level)]).")
    if for_all:
        directives.append(":- feature(_, [missing(level)]).")
    return replace(table, columns=columns, kinds=kinds, directives=tuple(directives))


def with_missing_sides(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with features of all kinds that miss values, which take a side."""
    columns, directives = dict(table.columns), list(table.directives)
    for_all, average = rng.random() < 0.3, rng.random() < 0.6
    said = "missing(side), new(average)" if average else "missing(side)"
    said += ", new(error)" if not average and rng.random() < 0.3 else ""
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
        named = [d for d in directives if f"feature({quoted(feature)}," in d]
        if named:
            own = named[0].replace(", new(error)", "")
            directives[directives.index(named[0])] = f"{own[:-3]}, {said}])."
        elif not for_all:
            directives.append(f":- feature({quoted(feature)}, [{said}]).")
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
    names = ", ".join(map(quoted, lines))
    directives.append(f":- leaf(normal_linear([{names}], {', '.join(map(repr, args))})).")
    leaf = line_formula(columns, lines, args)
    return replace(table, columns=columns, directives=tuple(directives), leaf=leaf, lines=lines)


def with_subsets(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with most of its features split by subsets of levels, some of them missing."""
    columns, kinds, directives = dict(table.columns), dict(table.kinds), list(table.directives)
    parted, averaged, larger = set(), set(), set()
    for place, feature in enumerate(table.features):
        named = [d for d in directives if f"feature({quoted(feature)}," in d]
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
        averaged |= {feature} if new in ("", "new(average)") else set()
        larger |= {feature} if "larger" in new else set()
        directives = [d for d in directives if d not in named]
        directives.append(f":- feature({quoted(feature)}, [{', '.join(said)}]).")
    return replace(
        table,
        columns=columns,
        kinds=kinds,
        directives=tuple(directives),
        parted=frozenset(parted),
        averaged=frozenset(averaged),
        larger=frozenset(larger),
    )


def in_order(table: RandomTable) -> RandomTable:
    """A table whose splits by subsets are in the order of the response instead."""
    said = [re.sub(r"subsets(\(5\))?", "subsets(ordered)", d) for d in table.directives]
    return replace(table, directives=tuple(said), ordered=True)


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


def with_zeros(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with durations, or counts with exposures; some times and exposures are 0."""
    if rng.random() < 0.4:
        table = with_exposures(rng, table)
        for i, _ in enumerate(table.columns["y"]):
            if rng.random() < 0.3:
                table.columns["exposure"][i], table.columns["y"][i] = 0.0, 0
        return table
    columns, n = dict(table.columns), len(table.columns["y"])
    del columns["y"]
    directives = [d for d in table.directives if ":- leaf" not in d and ":- response" not in d]
    leaf, lines = add_durations(rng, columns, n)
    columns["y"] = [0.0 if rng.random() < 0.3 else y for y in columns["y"]]
    return replace(table, columns=columns, directives=(*directives, *lines), leaf=leaf)


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
