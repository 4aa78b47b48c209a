"""`slp expand FILE [DATA]`: tree rules as the ordinary clauses that they stand for."""

from __future__ import annotations

import click

from slp import load
from slp.cli.common import (
    format_option,
    include_option,
    param_option,
    reports_errors,
    response_option,
    write_exactly,
)
from slp.data import read_columns

__all__ = ["expand_command"]


@click.command(name="expand")
@click.argument("file")
@click.argument("data", required=False)
@response_option
@param_option
@include_option
@format_option
@reports_errors
def expand_command(
    file: str,
    data: str | None,
    response: str | None,
    parameters: dict[str, float],
    include: tuple[str, ...],
) -> None:
    """Print FILE with each tree rule as an ordinary clause, with box and tree as arguments.

    With DATA the program printed holds the table too and can be queried: `prior(Tree)` has the
    trees on it.
    """
    program = load(file, include=include, **parameters)
    write_exactly(program.expand(None if data is None else read_columns(data), response))
