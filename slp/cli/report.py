"""`slp report PRIOR DATA`: the posterior as one HTML page."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from slp.cli.common import check_output, exit_if_interrupted, progress_line, say
from slp.cli.options import (
    NamedProgram,
    data_argument,
    draws_option,
    inference_options,
    program_argument,
    program_options,
    read_table,
    response_option,
    until_deadline,
)
from slp.cli.partial_results import asked, known_is_told
from slp.cli.suggested_command import command_again
from slp.cli.summary import feature_uses
from slp.errors import UnsupportedError
from slp.late import optional_module


@click.command(name="report")
@program_argument
@data_argument
@response_option
@draws_option("Number of draws, over all chains. An exact report does not depend on it.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="report.html",
    show_default=True,
    help="The page to write.",
)
@inference_options
@program_options
def report_command(
    prior: NamedProgram,
    data: str,
    response: str | None,
    draws: int,
    output: str,
    inference: dict[str, Any],
) -> None:
    """Write a report: one HTML page on the posterior.

    The page loads nothing from elsewhere. It has a summary in plain words, the best trees, pictures
    (with matplotlib, the extra `plot`), the program, the data, the evidence, what a check of the
    constraints found, and how to run it again.
    """
    inference = until_deadline(inference)
    check_output(output)
    program = prior.load()
    frame = read_table(data, inference)

    words = partial(program.describe, fine_print=False)
    with known_is_told(words), progress_line() as progress:
        posterior = program.posterior(frame, response, draws=draws, progress=progress, **inference)
        posterior, _ = asked(posterior, feature_uses)
        context = click.get_current_context()
        posterior.report(output, command=command_again(context, {"seed": posterior.seed}))
    say(f"{output} written{_without_pictures()}")
    exit_if_interrupted(posterior)


def _without_pictures() -> str:
    """What the page lacks where matplotlib is missing, and the remedy; else nothing."""
    try:
        optional_module("plot")
    except UnsupportedError as error:
        (found,) = error.diagnostics
        return f" without pictures: {found.message}; {found.help}"
    return ""
