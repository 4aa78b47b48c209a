"""`slp expand FILE`: tree rules as the ordinary clauses that they stand for."""

from __future__ import annotations

import click

import slp
from slp.cli.common import format_option, param_option, reports_errors

__all__ = ["expand_command"]


@click.command(name="expand")
@click.argument("file")
@param_option
@format_option
@reports_errors
def expand_command(file: str, parameters: dict[str, float]) -> None:
    """Print FILE with each tree rule as an ordinary clause, with box and tree as arguments."""
    click.echo(slp.load(file, **parameters).expand(), nl=False)
