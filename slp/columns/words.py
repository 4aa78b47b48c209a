"""The text of a test, read: the parts that it has, before a column says what they mean.

The text is what `condition` of the tests writes: `age < 24`, `age <= 8.5 or missing`,
`dose < 3 mg and not missing`, `stage < iii`, `colour = red`, `sex = f, else m`, `age = missing`,
`colour in {blue, red}`, `colour in {a, b, ... 20 of 40}`. `ColumnKind.test_of_words` makes the
test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.columns.names import PLAIN_NAME, QUOTED_NAME, SIDE_WORDS, name_of_text
from slp.columns.tests import MISSING, Side
from slp.messages import Wording
from slp.messages.tree_texts import NO_SIDE_OF_COLUMN

#: A part of the text of a test, for the place of a fault.
Part: TypeAlias = Literal["feature", "sign", "operand", "unit", "side", "other"]

_QUOTED = re.compile(QUOTED_NAME)
_PLAIN = re.compile(PLAIN_NAME)
_BEFORE_SIGN = re.compile(rf"(?P<name>{QUOTED_NAME}|[^<>={{}},']*+)(?P<in> *in *(?={{))?")
_SIGN = re.compile(r" *(<=|<|=|(?={)) *")
_UP_TO_COMMA = re.compile(rf"(?:{QUOTED_NAME}|[^',])*+")
_ELSE = re.compile(r", *else +")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf", re.I | re.A)
#: Of a number of levels.
_MOST_DIGITS = 12
_SHORTENED = re.compile(r"\.\.\. *([\d,]+) of ([\d,]+)")


class UnreadWords(Exception):  # noqa: N818  # a finding, not yet an error for users
    """The text of a test has a fault in one of its parts; what is found, without content of the
    text, which may be a private file."""

    def __init__(self, part: Part, wording: Wording, **values: str) -> None:
        super().__init__(part)
        self.part: Part = part
        self.wording, self.values = wording, values


@dataclass(frozen=True)
class BoxRows:
    """The distinct rows of a table that come to a node: their codes of one feature, shape (m,), and
    the `scores` of sets of codes (`slp.columns.kind.Scores`), each an integer with the codes as its
    binary digits."""

    codes: NDArray[np.int64]
    scores: Callable[[Sequence[int]], NDArray[np.float64]]


@dataclass(frozen=True)
class TestWords:
    """The parts of the text of a test.

    Attributes
    ----------
    feature, sign : the name of the feature, and `<`, `<=`, `=` or `in`.
    operand : behind the sign and before the rest, as it is written.
    side : of missing values; None where the text says none.
    other : the second level, behind `else`; None without one.
    places : where each part begins and ends.
    """

    __test__ = False  # it is no test of pytest's

    feature: str
    sign: str
    operand: str
    side: Side | None
    other: str | None
    places: dict[Part, tuple[int, int]]

    def fail(self, part: Part, wording: Wording, **values: str) -> NoReturn:
        """Raise what is found at a part."""
        raise UnreadWords(part, wording, **values)

    def check_no_side(self) -> None:
        """Raise what is found if the text says a side of missing values."""
        if self.side is not None:
            self.fail("side", NO_SIDE_OF_COLUMN)

    @property
    def on_missing(self) -> bool:
        """Whether it asks for missing values: `age = missing`, without quotes."""
        return self.sign == "=" and self.operand == MISSING and self.other is None

    @property
    def level(self) -> str | None:
        """The level that the operand is, None if it is none."""
        return _name(self.operand)

    @property
    def number(self) -> tuple[float, str | None] | None:
        """The number that the operand is, and the unit behind it; None if it is none."""
        match = _NUMBER.match(self.operand)
        if match is None:
            return None
        unit = self.operand[match.end() :].lstrip()
        named = _name(unit) if unit else None
        return None if unit and named is None else (float(match[0]), named)

    @property
    def levels(self) -> tuple[tuple[str, ...], tuple[int, int] | None] | None:
        """The levels in braces; where the text leaves levels out, how many are on the left side,
        and how many in all. None if the operand is no such list."""
        if not (self.operand.startswith("{") and self.operand.endswith("}")):
            return None
        inner, shortened = self.operand[1:-1], None
        if (match := _SHORTENED.search(inner)) and not inner[match.end() :].strip():
            digits = [match[i].replace(",", "") for i in (1, 2)]
            if max(map(len, digits)) > _MOST_DIGITS or "" in digits:
                return None
            shortened = int(digits[0]), int(digits[1])
            inner = inner[: match.start()].rstrip().removesuffix(",")
        names = []
        for piece in _pieces(inner):
            name = _name(piece)
            if name is None:
                return None
            names.append(name)
        return tuple(names), shortened


def words_of_test(text: str, start: int = 0) -> TestWords | None:
    """The parts of a text, which begins at `start` of a larger one; None if it is no test."""
    before = _BEFORE_SIGN.match(text)
    sign = None if before is None else _SIGN.match(text, before.end())
    if before is None or sign is None:
        return None
    written, in_braces = before["name"].rstrip(), before["in"] is not None
    if not sign[1] and not in_braces:  # the plain name has taken the `in`
        written, in_braces = written.removesuffix(" in").rstrip(), written.endswith(" in")
    feature = _name(written)
    if feature is None or bool(sign[1]) == in_braces:
        return None
    places: dict[Part, tuple[int, int]] = {"feature": (0, len(written))}
    places["sign"] = sign.span(1) if sign[1] else (len(written), sign.end())
    at, rest = sign.end(), text[sign.end() :].rstrip()
    side: Side | None = None
    other: str | None = None
    if sign[1] == "=":
        first = _UP_TO_COMMA.match(rest)
        assert first is not None  # it may be empty
        second = _ELSE.match(rest, first.end())
        if second is not None:
            other = _name(rest[second.end() :])
            places["other"] = at + second.end(), at + len(rest)
            rest = first[0].rstrip()
        if second is not None and other is None:
            return None
    for key, words in SIDE_WORDS.items():
        if rest.endswith(words):
            side = key
            places["side"] = at + len(rest) - len(words) + 1, at + len(rest)
            rest = rest.removesuffix(words).rstrip()
            break
    places["operand"] = at, at + len(rest)
    places = {part: (start + a, start + b) for part, (a, b) in places.items()}
    return TestWords(feature, sign[1] or "in", rest, side, other, places) if rest else None


def _name(text: str) -> str | None:
    """The name that a text is, None if it is none."""
    if _QUOTED.fullmatch(text) or _PLAIN.fullmatch(text):
        return name_of_text(text)
    return None


def _pieces(text: str) -> Iterator[str]:
    """What stands between commas that are in no quotes."""
    at = 0
    while at <= len(text):
        match = _UP_TO_COMMA.match(text, at)
        assert match is not None
        yield match[0].strip()
        if match.end() < len(text) and text[match.end()] != ",":  # a quote that has no end
            yield ""
            return
        at = match.end() + 1
