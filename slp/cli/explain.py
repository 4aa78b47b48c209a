"""`slp explain FILE [DATA]`: what a program means, its states and rules, who can run it."""

from __future__ import annotations

import click

from slp import load
from slp.cli.common import (
    format_option,
    include_option,
    param_option,
    reports_errors,
    response_option,
    say_text,
)
from slp.data import read_columns

__all__ = ["explain_command"]


@click.command(name="explain")
@click.argument("file")
@click.argument("data", required=False)
@response_option
@param_option
@include_option
@format_option
@reports_errors
def explain_command(
    file: str,
    data: str | None,
    response: str | None,
    parameters: dict[str, float],
    include: tuple[str, ...],
) -> None:
    """Say in words what FILE means, and whether exact inference is possible and why (not).

    With DATA the states and rules are those for that table; without it they are shown for the
    features that the program names, and trees of few leaves.
    """
    program = load(file, include=include, **parameters)
    frame = None if data is None else read_columns(data)
    say_text(program.explain(frame, response))
