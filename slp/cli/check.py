"""`slp check FILE [DATA]`: every mistake in a program, and in how it fits a table, in one run."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import click

from slp import load
from slp.cli.common import format_option, param_option, response_option, write_diagnostics
from slp.data import read_columns
from slp.errors import Diagnostic, ExitCode, SlpError

__all__ = ["check_command"]


@click.command(name="check")
@click.argument("file")
@click.argument("data", required=False)
@response_option
@param_option
@format_option
def check_command(
    file: str,
    data: str | None,
    response: str | None,
    parameters: dict[str, float],
    message_format: str,
) -> None:
    """Check the program FILE, and with DATA also how it fits that table.

    Errors and warnings go to standard output. The exit code is 1 if there is an error.
    """
    found, failed = _findings(file, data, response, parameters)
    if message_format == "json" or found:
        write_diagnostics(found, message_format, sys.stdout)
    elif not failed:
        click.echo(f"{file}: no errors")
    if failed:
        raise SystemExit(int(ExitCode.FAULT))


def _findings(
    file: str, data: str | None, response: str | None, parameters: dict[str, Any]
) -> tuple[list[Diagnostic], bool]:
    try:
        program = load(file, **parameters)
        found = list(program.warnings)
        if data is not None:
            frame = read_columns(data)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = list(program.compile(frame, response).warnings)
        else:
            program.explain()  # lowers the program, which finds what no single clause shows
    except SlpError as e:
        return list(e.diagnostics), True
    return found, False
