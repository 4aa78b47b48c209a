"""A random program's text under construction, and the small pieces that all parts of it need."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from tests.spec.random_tables import RandomTable

_MEASURES = ("feature_then_cut", "all", "gap", "gap", "per_feature")
#: For tables of numbers without bins.
_OF_NUMBERS = ("range", "range")
#: That draw a feature.
_OF_GROUPS = ("feature_then_cut", "gap", "per_feature", "range")
_WEIGHT_MEASURES = (*_MEASURES, "each", "partition")

#: Comparisons of numbers, each with the one that holds where it does not.
COMPARISONS = {"<": ">=", ">": "=<", "=<": ">", ">=": "<", "=:=": "=\\=", "=\\=": "=:="}


class ProgramText:
    """A program under construction."""

    def __init__(self, rng: random.Random, table: RandomTable, measure: str | None = None) -> None:
        """`measure` is that of all splits, where it is given."""
        self.rng, self.table, self.measure = rng, table, measure
        self.lines: list[str] = list(table.directives)
        self.measures: set[str] = set()
        self.weights = False
        self.groups: dict[str, list[str]] = {}

    def group_features(self) -> None:
        """Put some features in groups, of one now and then."""
        features = self.rng.sample(self.table.features, len(self.table.features))
        for name, sizes in (("kin", (1, 2, 2, 3)), ("kith", (0, 0, 1, 2))):
            n = self.rng.choice(sizes)
            own, features = features[:n], features[n:]
            if own:
                self.groups[name] = own
                self.add(*(f"of_group({quoted(f)}, {name})." for f in own))

    @property
    def named(self) -> list[str]:
        """What constraints may name: features and groups."""
        return [*self.table.features, *self.groups]

    def apart(self, names: Sequence[str]) -> list[str]:
        """Of these features and groups, in any order, those that share no feature with others."""
        out: list[str] = []
        used: set[str] = set()
        for name in self.rng.sample(names, len(names)) if self.groups else names:
            own = set(self.groups.get(name, [name]))
            if not own & used:
                out.append(name)
                used |= own
        return out

    def add(self, *lines: str) -> None:
        self.lines += lines

    def split(self, feature: str = "F", threshold: str = "V") -> str:
        """`split(F, V)` with a random measure, or that of all splits."""
        choices = _WEIGHT_MEASURES if self.weights else _MEASURES
        choices += _OF_NUMBERS if self.of_numbers else ()
        if self.groups:
            choices = tuple(m for m in choices if m in _OF_GROUPS)
        measure = self.measure or self.rng.choice(("", *choices))
        self.measures.add(measure or "feature_then_cut")
        return f"split({feature}, {threshold}{', ' + measure if measure else ''})"

    def split_or_leaf(
        self, head: str, p: float | str, below: str, *, before: str = "", behind: str = ""
    ) -> None:
        """Two rules of one head: it splits with probability `p`, a number or an expression, into
        the children `below`, or is a leaf. `before` is a guard of both, `behind` one of the
        split."""
        guard = f"{{ {before} }}, " if before else ""
        children = f"{{ {behind} }}, {below}" if behind else below
        rest = f"1 - ({p})" if isinstance(p, str) else 1 - p
        self.add(
            f"{p} :: {head} --> {guard}{self.split()}, {children}.",
            f"{rest} :: {head} --> {guard}leaf.",
        )

    @property
    def of_numbers(self) -> bool:
        """Whether all features of the table are numbers without cuts and bins."""
        return {self.table.kinds[f] for f in self.table.features} == {"numeric"}

    def probability(self) -> float:
        return self.rng.choice((0.2, 0.5, 0.75, 0.9))

    def weigh_freely(self) -> None:
        """Now and then, labels are weights over whole trees."""
        if self.rng.random() < 0.3:
            self.weights = True
            self.add(":- weights.")


def quoted(name: str) -> str:
    """An atom."""
    return name if name.isalnum() and name[0].islower() else f"'{name}'"


class Level(float):
    """The number of an ordinal feature's level, which a program writes by its name."""

    name: str

    def __new__(cls, number: float, name: str) -> Level:
        own = super().__new__(cls, number)
        own.name = name
        return own


def number(x: float) -> str:
    """A number as Prolog reads it."""
    if isinstance(x, Level):
        return x.name
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    text = repr(x)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def random_bound(text: ProgramText, feature: str) -> float:
    """A number at, between, or off the feature's values; where it is cut is the likeliest."""
    levels = text.table.orders.get(feature)
    if levels:
        name = text.rng.choice(list(levels))
        return Level(levels[name], name)
    values = sorted({float(x) for x in text.table.columns[feature] if x is not None})
    points = [*values, values[0] - 1, values[-1] + 1]
    points += [_middle(a, b) for a, b in zip(values, values[1:], strict=False)] * 3
    points += [*text.table.cuts.get(feature, ())] * 3
    return text.rng.choice(points)


def _middle(a: float, b: float) -> float:
    return a / 2 + b / 2 if math.isinf(b - a) else a + (b - a) / 2


def random_box(text: ProgramText, name: str) -> bool:
    """Add the facts of a box; False if the table has no numeric feature to bound."""
    numeric = text.table.numeric
    if not numeric:
        return False
    for f in text.rng.sample(numeric, min(len(numeric), text.rng.choice((1, 1, 2, 3)))):
        low = -math.inf if text.rng.random() < 0.4 else random_bound(text, f)
        high = math.inf if text.rng.random() < 0.4 else random_bound(text, f)
        if low > high:
            low, high = high, low
        if low == high:
            high = (
                math.inf if isinstance(low, Level) else max(low + 1, math.nextafter(low, math.inf))
            )
        text.add(f"box({name}, {quoted(f)}, {number(low)}, {number(high)}).")
    return True
