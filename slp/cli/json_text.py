"""JSON text of data of any depth. The standard encoder fails on very deep trees."""

from __future__ import annotations

import json
import math
from typing import Any

from slp.cli.common import write_exactly


def json_text(value: Any) -> str:
    """`value` (dicts, lists, strings, numbers, booleans, None) as JSON on one line.

    The text equals that of `json.dumps(value, allow_nan=False)`.

    Raises
    ------
    ValueError
        A number is infinite or NaN, which JSON cannot express.
    """
    out: list[str] = []
    # The stack of what is still to be written: finished text, or values to encode.
    waiting: list[tuple[bool, Any]] = [(False, value)]
    while waiting:
        finished, item = waiting.pop()
        if finished:
            out.append(item)
        elif isinstance(item, dict):
            waiting.append((True, "}"))
            for i, (key, part) in reversed(list(enumerate(item.items()))):
                waiting += [(False, part), (True, f"{', ' if i else ''}{json.dumps(str(key))}: ")]
            out.append("{")
        elif isinstance(item, list):
            waiting.append((True, "]"))
            for i, part in reversed(list(enumerate(item))):
                waiting += [(False, part), (True, ", " if i else "")]
            out.append("[")
        else:
            out.append(json.dumps(item, allow_nan=False))
    return "".join(out)


def write_json(value: Any) -> None:
    """Print `value` as `json_text` on a line."""
    write_exactly(json_text(value) + "\n")


def finite(number: int | float | None) -> int | float | None:
    """A number for JSON: None in place of infinity and NaN."""
    return number if number is not None and math.isfinite(number) else None
