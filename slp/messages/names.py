"""What help lines say of a name that is unknown: the nearest of the names that there are, or all;
and names and counts as parts of a sentence.

`nearest` finds that name; a wording that is given it says it (`slp.messages.entry.Wording`).
`name_help` is a whole help line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from heapq import nsmallest

from slp.messages.entry import DID_YOU_MEAN

# Message and help line for what stands where a name belongs.
VARIABLE_FOR_NAME = (
    "{what} is a name, and `{name}` is a variable",
    "a name that begins with a capital letter or `_` is quoted: '{name}'",
)
NOT_A_NAME = ("{what} is a name", "such as age or 'blood pressure'")

#: The most names that are compared, and the longest.
_MOST_COMPARED, _LONGEST_COMPARED = 200, 60


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name most like `name`, in small or capital letters; None if none is near.

    Comparing takes time quadratic in the length of names, and there may be many: no more than
    `_MOST_COMPARED` of like length are looked at, and no long ones.
    """
    if len(name) > _LONGEST_COMPARED:
        return None
    shortest, longest = len(name) / 3, len(name) * 3  # less alike in length is not alike at all
    alike = {other.lower(): other for other in names if shortest <= len(other) <= longest}
    compared = sorted(alike)
    if len(alike) > _MOST_COMPARED:
        compared = nsmallest(_MOST_COMPARED, alike, key=lambda o: (abs(len(o) - len(name)), o))
    found = get_close_matches(name.lower(), compared, n=1)
    return alike[found[0]] if found else None


def name_help(name: str, known: Iterable[str], kind: str) -> str:
    """A help line: the nearest name, else all ("the boxes are ..."), empty if there are none."""
    known = sorted(known)
    if (near := nearest(name, known)) is not None:
        return DID_YOU_MEAN.format(nearest=near)
    if len(known) == 1:
        return f"the only {kind} is `{known[0]}`"
    plural = f"{kind}es" if kind.endswith(("s", "x")) else f"{kind}s"
    return f"the {plural} are {', '.join(f'`{k}`' for k in known)}" if known else ""


def joined(names: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end


def plural(count: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{count} {noun}{'s' * (count != 1)}"


def atom(name: str) -> str:
    """A column name as a program writes it, quoted where Prolog needs it."""
    if re.fullmatch(r"[a-z][A-Za-z0-9_]*", name):
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
