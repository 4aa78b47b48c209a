"""`slp new DATA`: writes a first program for a table."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from slp.budgets import held
from slp.cli.common import check_output, open_atomic, reports_errors, say, write_exactly
from slp.cli.options import (
    data_argument,
    format_option,
    memory_option,
    read_table,
    response_option,
    time_option,
    until_deadline,
)
from slp.errors import UsageError
from slp.messages.commands import FILE_IS_THERE
from slp.messages.names import plural
from slp.program import first_program


@click.command(name="new")
@data_argument
@response_option
@click.option(
    "-o", "--output", metavar="FILE", help="Write the program to FILE (default: print it)."
)
@click.option("--force", is_flag=True, help="Replace FILE if it is there already.")
@memory_option
@time_option
@format_option
@reports_errors
def new_command(
    data: str, response: str | None, output: str | None, force: bool, **limits: Any
) -> None:
    """Write a first program for a table.

    The program has the columns of DATA with their types and ranges, a prior, the likely response
    (-y names another), and examples of constraints as comments. It runs as it stands.
    """
    limits = until_deadline(limits)
    check_output(output)
    if output is not None and not force and os.path.isfile(output):
        raise UsageError(FILE_IS_THERE(path=output))
    name = "prior.slp" if output is None else output
    frame = read_table(data, limits)
    with held(limits["time"]):
        text = first_program(frame, response, name=name, data=data)
    if output is None:
        write_exactly(text)
        return
    with open_atomic(output) as stream:
        stream.write(text)
    command = f"slp-sample {shlex.quote(output)} {shlex.quote(data)} --seed 1"
    say(f"{output} written")
    if (n := text.count("\n% QUESTION: ")) > 0:
        say(f"{plural(n, 'question')} in it about durations: look for QUESTION first")
    say(f"next: {command}   (--time 60s ends it after a minute)")
