"""The tables of engine options in the docs, made from the options of the engines.

`python tests/docs/options_page.py` writes them; a test asserts that the pages have them. A table
follows a comment: `<!-- options: smc -->` has the options of one engine, `<!-- engine flags -->`
the flags of all engines, with links to their tables, `<!-- levels of effort -->` what each level
sets.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from slp.engines import ENGINES, engine_named
from slp.runner.effort import LEVELS, Level

DOCS = Path(__file__).resolve().parents[2] / "docs"

#: The page and the section that have the options of an engine. Engines with equal options share it.
TABLES = {
    "mh": "sampling.md#options-of-chains",
    "smc": "sampling.md#options-of-the-filter",
    "modal": "modal.md#options",
    "stacked": "stacking.md#options",
    "rjhmc": "soft-trees.md#options",
    "additive": "sums.md#options",
}
FLAGS = "api.md"
PAGES = tuple(
    DOCS / name for name in sorted({FLAGS, *(t.partition("#")[0] for t in TABLES.values())})
)

_TABLE = re.compile(
    r"(<!-- (?:options: (?P<engine>\w+)|engine (?P<flags>flags)|levels of effort) -->\n)(?:\|.*\n)*"
)

#: The rows of the table of levels: words, and what is shown of a level.
_ROWS: tuple[tuple[str, Callable[[Level], float]], ...] = (
    ("a summary by exact sums that `auto` takes, seconds", lambda level: level.sums),
    ("ladders: the first round, seconds", lambda level: level.first_round),
    ("ladders: all rounds, seconds", lambda level: level.run),
    ("the same where the chains nearly agree", lambda level: level.nearly_there),
    ("chains without tempering, seconds", lambda level: level.untempered),
    ("`smc`: particles of an island", lambda level: level.particles),
    ("`rjhmc`: share of the steps", lambda level: level.soft_steps),
    ("`additive`: the same", lambda level: level.sweeps),
)


def with_tables(page: str) -> str:
    """The page with the tables that the options give."""

    def table(match: re.Match[str]) -> str:
        if match["engine"]:
            return match[1] + _options(match["engine"])
        return match[1] + (_flags() if match["flags"] else _levels())

    return _TABLE.sub(table, page)


def _levels() -> str:
    head = [f"| | {' | '.join(LEVELS)} |", f"| --- |{' ---: |' * len(LEVELS)}"]
    for words, value in _ROWS:
        shown = (value(level) for level in LEVELS.values())
        cells = ("any" if math.isinf(x) else f"{x:g}" for x in shown)
        head.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join([*head, ""])


def _options(engine: str) -> str:
    rows = [("option", "command line", "default", "meaning"), ("---",) * 4]
    for option in fields(engine_named(engine).Options):
        default = f"`{option.default!r}`".replace("'", '"')
        rows.append((f"`{option.name}`", _flag(option), default, option.metadata["doc"]))
    return table_lines(rows)


def _flags() -> str:
    rows = [("engine", "its options", "described in"), ("---",) * 3]
    for engine, place in TABLES.items():
        same = [name for name in ENGINES if _same_options(name, engine)]
        flags = ", ".join(map(_flag, fields(engine_named(engine).Options)))
        page = f"[{place.partition('#')[0]}]({place})"
        rows.append((", ".join(f"`{name}`" for name in same), flags, page))
    return table_lines(rows)


def _same_options(one: str, other: str) -> bool:
    return engine_named(one).Options is engine_named(other).Options


def _flag(option: Field[Any]) -> str:
    """The flag of an option, with a placeholder of its value: N is whole, X is real."""
    number = "X" if isinstance(option.metadata["least"], float) else "N"
    value = option.metadata["metavar"] or ("" if isinstance(option.default, bool) else number)
    return f"`--{option.name.replace('_', '-')}` {value}".rstrip()


def table_lines(rows: Iterable[tuple[str, ...]]) -> str:
    """The rows of a table in Markdown."""
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(with_tables(path.read_text("utf-8")), "utf-8")
