"""`slp engines`: lists the engines, and what each takes, computes and refuses."""

from __future__ import annotations

import textwrap
from dataclasses import Field, fields
from typing import Any

import click

from slp.cli.common import reports_errors, say
from slp.cli.json_text import write_json
from slp.cli.options import format_option, json_option
from slp.engines import ENGINES, Engine, engine_named


@click.command(name="engines")
@json_option
@format_option
@reports_errors
def engines_command(as_json: bool) -> None:
    """List the engines and their options.

    For each engine, the list says what it does, computes and refuses.
    """
    found = [engine_named(name) for name in ENGINES]
    if as_json:
        write_json({"engines": [_to_json(engine) for engine in found]})
        return
    for number, engine in enumerate(found):
        if number:
            say("")
        say(
            f"{engine.name:<10}{engine.title}",
            f"{'gives':<10}{engine.gives}",
            *_wrapped(f"{'refuses':<10}", _refuses(engine)),
        )
        flags = {f"--{o.name.replace('_', '-')}": o for o in fields(engine.Options)}
        width = 12 + max(map(len, flags), default=0)
        for flag, option in flags.items():
            text = option.metadata["doc"] + _default(option)
            say(*_wrapped(f"{'':<10}{flag}".ljust(width), text))


def _wrapped(first: str, text: str) -> list[str]:
    """A text as lines behind the first part of its first line."""
    return textwrap.wrap(text, 96, initial_indent=first, subsequent_indent=" " * len(first))


def _default(option: Field[Any]) -> str:
    return "" if option.default in (None, False) else f" (default {option.default})"


def _refuses(engine: Engine[Any]) -> str:
    """What an engine refuses, with what it declares about all programs."""
    told = [engine.refuses, "hard trees" if engine.soft_trees else "soft trees"]
    return ", ".join([*told, "`failure(backtrack)`"] if engine.needs_weights else told)


def _to_json(engine: Engine[Any]) -> dict[str, Any]:
    return {
        "name": engine.name,
        "title": engine.title,
        "gives": engine.gives,
        "refuses": _refuses(engine),
        "options": [
            {"name": o.name, "default": o.default, "doc": o.metadata["doc"]}
            for o in fields(engine.Options)
        ],
    }
