"""`slp check FILE [DATA]`: lists all mistakes in a program, and in how it fits a table."""

from __future__ import annotations

import json
import sys
import warnings

import click

from slp.cli.common import progress_line, say, write_diagnostics, write_exactly
from slp.cli.file_arguments import file_argument
from slp.cli.options import include_option, param_option, response_option
from slp.cli.other_formats import github_lines, sarif
from slp.data import read_columns
from slp.errors import Diagnostic, ExitCode, SlpError, SlpWarning
from slp.program import find_mistakes


@click.command(name="check")
@file_argument("file")
@file_argument("data", required=False)
@response_option
@param_option
@include_option
@click.option(
    "--format",
    "message_format",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="Format of errors and warnings: sarif is SARIF 2.1.0, github annotates a change there.",
)
def check_command(
    file: str,
    data: str | None,
    response: str | None,
    parameters: dict[str, float],
    include: tuple[str, ...],
    message_format: str,
) -> None:
    """Check a program for mistakes.

    With DATA, check also whether the program fits that table. Errors and warnings go to standard
    output. The exit code is 1 if there is an error.
    """
    frame = None
    found: list[Diagnostic] = []
    if data is not None:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", SlpWarning)
            try:
                frame = read_columns(data)
            except SlpError as e:
                found += e.diagnostics
        found += [w.message.diagnostic for w in warned if isinstance(w.message, SlpWarning)]
    with progress_line() as progress:
        found += find_mistakes(
            file, frame, response, include=include, progress=progress, **parameters
        )
    if message_format == "sarif":
        write_exactly(json.dumps(sarif(found, file)) + "\n")
    elif message_format == "github":
        write_exactly("".join(f"{line}\n" for line in github_lines(found, file)))
    elif message_format == "json" or found:
        write_diagnostics(found, message_format, sys.stdout)
    else:
        say(f"{file}: no errors")
    if any(f.severity == "error" for f in found):
        raise SystemExit(int(ExitCode.FAULT))
