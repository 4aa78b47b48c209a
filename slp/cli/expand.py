"""`slp expand FILE [DATA]`: prints tree rules as ordinary clauses."""

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
    """Print tree rules as ordinary clauses.

    Each clause has the box and the tree as extra arguments. With DATA the printed program contains
    the table and can be queried: the answers of `prior(Tree)` are the trees on it.
    """
    program = load(file, include=include, **parameters)
    write_exactly(program.expand(None if data is None else read_columns(data), response))
