"""Names and levels in the text of a test: as they are, or in quotes where they could be misread."""

from __future__ import annotations

import re
from typing import Literal

#: What a name without quotes looks like: no sign of a test, no quote, no blank at an end, and no
#: bracket at the beginning, as a text in JSON has.
PLAIN_NAME = r"[^\s<>={},'\[](?:[^<>={},']*[^\s<>={},'])?"
QUOTED_NAME = r"'(?:[^'\\]|\\.)*+'"
#: How the text of a test ends that says a side of missing values.
SIDE_WORDS: dict[Literal["left", "right"], str] = {
    "left": " or missing",
    "right": " and not missing",
}

_PLAIN = re.compile(PLAIN_NAME)
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}


def name_text(name: str) -> str:
    """A name or a level in the text of a test: `age`, `'a < b'`. Unprintable characters are escapes
    in quotes, such as `'a\\x1bb'`."""
    plain = _PLAIN.fullmatch(name) and name.isprintable()
    if plain and not name.startswith("...") and not name.endswith(tuple(SIDE_WORDS.values())):
        return name
    return "'" + "".join(map(_spelled, name)) + "'"


def name_of_text(text: str) -> str:
    """The name that `name_text` wrote as `text`."""
    if not text.startswith("'"):
        return text
    return _ESCAPE.sub(_character, text[1:-1])


def _spelled(character: str) -> str:
    if character in "'\\":
        return "\\" + character
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")


def _character(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    if digits is None:
        return _LETTERS.get(match[4], match[4])
    code = int(digits, 16)
    return chr(code) if code < 0x110000 else match[0]
