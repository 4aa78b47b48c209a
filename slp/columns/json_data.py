"""Tests from JSON data, which anybody may have written.

The keys are those of docs/api.md, as the tests' `to_dict` writes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn, cast

from slp.columns.formula import Formula, formula_of_plain
from slp.columns.quantities import level_numbers
from slp.columns.tests import MISSING, Absent, Below, In, Is, IsMissing, Test
from slp.errors import DataError
from slp.messages import Wording
from slp.messages.trees import (
    CONCEPT_WITHOUT_LEVELS,
    KEY_OF_ANOTHER_TEST,
    KEY_WITHOUT_ANOTHER,
    MISSING_IS_NO_LEVEL,
    MISSING_IS_NO_SIDE,
    NO_FORMULA,
    NO_THRESHOLD,
    NO_THRESHOLD_LEVEL,
    NO_WAY_OF_ABSENT,
    NOT_A_LIST,
    NOT_A_STRING,
    ONE_LEVEL_TWICE,
    SIDES_WITHOUT_LEVELS,
    SPLIT_HAS_NO_TEST,
    SPLIT_HAS_TWO_TESTS,
)

#: Keys of a node that may stand beside the one that tells the kind of its test.
_BESIDE = {
    "threshold": ("order", "unit", "missing", "defined", "undefined"),
    "level": ("other", "absent", "missing", "under", "defined", "undefined"),
    "levels": ("others", "absent"),
}
#: Which of them mean nothing without another.
_NEEDS = {
    "threshold": (("undefined", "defined"),),
    "level": (("absent", "other"), ("undefined", "defined")),
    "levels": (("levels", "others"),),
}

#: Keys of a node that say its test. One that is null is as none.
TEST_KEYS = tuple(dict.fromkeys(key for kind, own in _BESIDE.items() for key in (kind, *own)))


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
    said = {key: node[key] for key in TEST_KEYS if node.get(key) is not None}
    kinds = [kind for kind in _BESIDE if kind in said]
    if not kinds:
        site.fail(SPLIT_HAS_NO_TEST)
    if len(kinds) > 1:
        site.fail(SPLIT_HAS_TWO_TESTS, one=kinds[0], other=kinds[1])
    kind = kinds[0]
    for key in said:
        if key != kind and key not in _BESIDE[kind]:
            site.fail(KEY_OF_ANOTHER_TEST, key=key, test=f"`{kind}`")
    for key, other in _NEEDS[kind]:
        if key in said and other not in said:
            site.fail(KEY_WITHOUT_ANOTHER, key=key, other=other)
    return _READERS[kind](site, said)


def _check_level(site: JsonPosition, said: Mapping[str, Any]) -> Test:
    """A test of one level, or for missing values."""
    level, other, missing = said["level"], said.get("other"), said.get("missing")
    for key in ("level", "other"):
        if key in said and not isinstance(said[key], str):
            site.fail(NOT_A_STRING, key=key, found=json_kind(said[key]))
    if missing not in (None, "level", "left", "right"):
        site.fail(MISSING_IS_NO_LEVEL, found=json_kind(missing))
    if "under" in said:
        return _check_concept(site, said)
    if missing == "level" and level == MISSING:
        if other is not None:
            site.fail(KEY_OF_ANOTHER_TEST, key="other", test="the test for missing values")
        return IsMissing(_check_formula(site, said))
    if "defined" in said:
        site.fail(KEY_OF_ANOTHER_TEST, key="defined", test="a level")
    if other == level:
        site.fail(ONE_LEVEL_TWICE)
    absent = "average" if other is None else _check_absent(site, said)
    if missing == "level":
        return Is(level, "right", missing_level=True, other=other, absent=absent)
    return Is(level, missing, other=other, absent=absent)


def _check_concept(site: JsonPosition, said: Mapping[str, Any]) -> Test:
    """A test of a concept, which names its levels."""
    if "other" in said:
        site.fail(KEY_OF_ANOTHER_TEST, key="other", test="`under`")
    under, missing = tuple(_check_names(site, "under", said["under"])), said.get("missing")
    if not under or len(set(under)) < len(under):
        site.fail(CONCEPT_WITHOUT_LEVELS)
    if missing == "level":
        return Is(said["level"], "right", missing_level=True, under=under)
    return Is(said["level"], missing, under=under)


def _check_subsets(site: JsonPosition, said: Mapping[str, Any]) -> Test:
    """A test by subsets."""
    groups = [_check_names(site, key, said[key]) for key in ("levels", "others")]
    names = [*groups[0], *groups[1]]
    if not all(groups) or len(set(names)) < len(names):
        site.fail(SIDES_WITHOUT_LEVELS)
    return In(tuple(groups[0]), tuple(groups[1]), _check_absent(site, said))


def _check_names(site: JsonPosition, key: str, names: Any) -> list[str]:
    """A list of levels."""
    if not isinstance(names, list):
        site.fail(NOT_A_LIST, key=key, found=json_kind(names))
    for name in names:
        if not isinstance(name, str):
            site.fail(NOT_A_LIST, key=key, found=f"a list with {json_kind(name)}")
    return names


def _check_absent(site: JsonPosition, node: Mapping[str, Any]) -> Absent:
    absent = node.get("absent", "average")
    if absent not in ("error", "larger", "average"):
        site.fail(NO_WAY_OF_ABSENT, found=json_kind(absent))
    return cast("Absent", absent)


def _check_threshold(site: JsonPosition, said: Mapping[str, Any]) -> Test:
    threshold, missing, unit = said["threshold"], said.get("missing"), said.get("unit")
    if missing not in (None, "left", "right"):
        site.fail(MISSING_IS_NO_SIDE, found=json_kind(missing))
    if unit is not None and not isinstance(unit, str):
        site.fail(NOT_A_STRING, key="unit", found=json_kind(unit))
    if "order" not in said:
        number = check_number(site, NO_THRESHOLD, "threshold", threshold)
        return Below(number, missing, unit, formula=_check_formula(site, said))
    for key in ("unit", "defined"):
        if key in said:
            site.fail(KEY_OF_ANOTHER_TEST, key=key, test="`order`")
    order = _check_names(site, "order", said["order"])
    if threshold not in order[1:] or len(set(order)) < len(order):
        site.fail(NO_THRESHOLD_LEVEL, level=site.words("level", threshold))
    number = level_numbers(order)[order.index(threshold)]
    return Below(number, missing, order=tuple(order))


def _check_formula(site: JsonPosition, said: Mapping[str, Any]) -> Formula | None:
    """The formula of a defined feature, None of a column."""
    if "defined" not in said:
        return None
    formula = formula_of_plain(said)
    if formula is None:
        site.fail(NO_FORMULA)
    return formula


_READERS = {"threshold": _check_threshold, "level": _check_level, "levels": _check_subsets}


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
