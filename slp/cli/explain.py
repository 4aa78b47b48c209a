"""`slp explain FILE [DATA]`: explains what a program means, its states and rules, and which engines
can run it."""

from __future__ import annotations

import re

import click

from slp.cli.common import say_text
from slp.cli.file_arguments import file_argument
from slp.cli.options import NamedProgram, program_options, response_option
from slp.data import read_columns
from slp.messages import entries


@click.command(name="explain")
@file_argument("prior", metavar="FILE")
@file_argument("data", required=False)
@response_option
@program_options
def explain_command(
    prior: NamedProgram,
    data: str | None,
    response: str | None,
) -> None:
    """Explain a program, or the code of a message.

    Says in words what FILE means, and whether exact inference is possible and why (not). `slp
    explain E540` explains a message.

    With DATA the states and rules are those for that table. Without it they are those for the
    features that the program names, and for trees with few leaves.
    """
    if re.fullmatch(r"[EW]\d{3}", prior.name) and data is None:
        say_text(_entry(prior.name))
        return
    program = prior.load()
    frame = None if data is None else read_columns(data)
    say_text(program.explain(frame, response))


def _entry(code: str) -> str:
    """The text of a code's entry in the catalogue of messages."""
    found = entries()
    if code not in found:
        raise click.BadParameter(f"there is no message {code}")
    return found[code].to_text()
