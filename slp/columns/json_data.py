"""Tests from JSON data, which anybody may have written.

The keys are those of docs/api.md, as the tests' `to_dict` writes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn, cast

from slp.columns.quantities import level_numbers
from slp.columns.tests import MISSING, Absent, Below, In, Is, IsMissing, Side, Test
from slp.errors import DataError
from slp.messages import Wording
from slp.messages.trees import (
    MISSING_IS_NO_LEVEL,
    MISSING_IS_NO_SIDE,
    NO_THRESHOLD,
    NO_THRESHOLD_LEVEL,
    NO_WAY_OF_ABSENT,
    NOT_A_STRING,
    SIDES_WITHOUT_LEVELS,
    SPLIT_HAS_NO_TEST,
    SPLIT_HAS_TWO_TESTS,
)

#: Keys of a node that say its test.
TEST_KEYS = ("threshold", "level", "order", "unit", "missing") + (
    "levels",
    "others",
    "other",
    "absent",
)


class JsonPosition:
    """The position of a node in the JSON; its path is written only for a message."""

    def __init__(
        self, data: Any, above: JsonPosition | None = None, side: str = "", quote: bool = True
    ) -> None:
        self.data, self.above, self.side = data, above, side
        self.quote: bool = quote if above is None else above.quote

    def words(self, what: str, value: object) -> str:
        """A phrase for a part of the data, such as `the key`."""
        return f"the {what} `{value}`" if self.quote else f"a {what}"

    def path(self) -> str:
        """The sides on the way from the root: `left.right`."""
        sides: list[str] = []
        site: JsonPosition | None = self
        while site is not None and site.above is not None:
            sides.append(site.side)
            site = site.above
        if len(sides) > 20:
            return ".".join(sides[:-21:-1]) + f"... ({len(sides)} deep)"
        return ".".join(reversed(sides)) or "the root"

    def fail(self, wording: Wording, **values: Any) -> NoReturn:
        """Raise DataError with the path of the node."""
        raise DataError(wording(path=self.path(), **values))


def test_of_dict(site: JsonPosition, node: Mapping[str, Any]) -> Test:
    """The test of a node. Raises DataError as `slp.trees.tree_from_dict`."""
    threshold, level = node.get("threshold"), node.get("level")
    if "levels" in node and threshold is None and level is None:
        return _check_subsets(site, node)
    if threshold is None and level is None:
        site.fail(SPLIT_HAS_NO_TEST)
    if threshold is not None and level is not None:
        site.fail(SPLIT_HAS_TWO_TESTS)
    missing = node.get("missing")
    if level is None:
        if missing not in (None, "left", "right"):
            site.fail(MISSING_IS_NO_SIDE, found=json_kind(missing))
        return _check_threshold(site, node, missing)
    if not isinstance(level, str):
        site.fail(NOT_A_STRING, key="level", found=json_kind(level))
    if missing not in (None, "level", "left", "right"):
        site.fail(MISSING_IS_NO_LEVEL, found=json_kind(missing))
    other = node.get("other")
    if other is not None and not isinstance(other, str):
        site.fail(NOT_A_STRING, key="other", found=json_kind(other))
    if other == level:
        site.fail(SIDES_WITHOUT_LEVELS)
    absent = "average" if other is None else _check_absent(site, node)
    if missing != "level":
        return Is(level, missing, other=other, absent=absent)
    if level == MISSING:
        return IsMissing()
    return Is(level, "right", missing_level=True, other=other, absent=absent)


def _check_subsets(site: JsonPosition, node: Mapping[str, Any]) -> Test:
    """A test by subsets."""
    groups = [node["levels"], node.get("others")]
    for key, group in zip(("levels", "others"), groups, strict=True):
        if not isinstance(group, list) or not all(isinstance(name, str) for name in group):
            site.fail(NOT_A_STRING, key=key, found=json_kind(group))
    names = [*groups[0], *groups[1]]
    if not all(groups) or len(set(names)) < len(names):
        site.fail(SIDES_WITHOUT_LEVELS)
    return In(tuple(groups[0]), tuple(groups[1]), _check_absent(site, node))


def _check_absent(site: JsonPosition, node: Mapping[str, Any]) -> Absent:
    absent = node.get("absent", "average")
    if absent not in ("error", "larger", "average"):
        site.fail(NO_WAY_OF_ABSENT, found=json_kind(absent))
    return cast("Absent", absent)


def _check_threshold(site: JsonPosition, node: Mapping[str, Any], missing: Side | None) -> Below:
    threshold, order, unit = node["threshold"], node.get("order"), node.get("unit")
    if unit is not None and not isinstance(unit, str):
        site.fail(NOT_A_STRING, key="unit", found=json_kind(unit))
    if order is None:
        number = check_number(site, NO_THRESHOLD, "threshold", threshold)
        return Below(number, missing, unit)
    if not isinstance(order, list) or not all(isinstance(name, str) for name in order):
        site.fail(NOT_A_STRING, key="order", found=json_kind(order))
    if threshold not in order[1:] or len(set(order)) < len(order):
        site.fail(NO_THRESHOLD_LEVEL, level=site.words("level", threshold))
    number = level_numbers(order)[order.index(threshold)]
    return Below(number, missing, order=tuple(order))


def check_number(site: JsonPosition, wording: Wording, key: str, value: Any) -> float:
    """A value as a number. Raises DataError in this wording if it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        site.fail(wording, key=key, found=json_kind(value))
    try:
        number = float(value)
    except OverflowError:
        site.fail(wording, key=key, found="too large an integer")
    if math.isnan(number):
        site.fail(wording, key=key, found="NaN")
    return number


def json_kind(value: Any) -> str:
    """The kind of a JSON value, as text."""
    if value is None:
        return "null"
    kinds: dict[type, str] = {bool: "a boolean", str: "a string", list: "a list", dict: "an object"}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "a number"
    return kinds.get(type(value), f"a {type(value).__name__}")
