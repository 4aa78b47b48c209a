"""`slp show RUN`: the summary of a saved run."""

from __future__ import annotations

from typing import Any

import click

import slp
import slp.engines
from slp.cli.as_json import posterior_to_json
from slp.cli.common import progress_line, reports_errors, say
from slp.cli.draws_lines import draws_lines
from slp.cli.file_arguments import file_argument
from slp.cli.json_text import write_json
from slp.cli.options import (
    format_option,
    json_option,
    memory_option,
    threads_option,
    time_option,
    until_deadline,
)
from slp.cli.page import Page
from slp.cli.partial_results import known_is_told
from slp.cli.summary import draws_made, feature_uses


@click.command(name="show")
@file_argument("run", metavar="RUN")
@click.option("--verbose", is_flag=True, help="Also print details, as `slp-sample --verbose`.")
@memory_option
@time_option
@threads_option
@json_option
@format_option
@reports_errors
def show_command(run: str, as_json: bool, verbose: bool, **limits: Any) -> None:
    """Print the summary of a saved run.

    RUN is a file that `slp-sample --save` or `posterior.save` wrote. The summary is that of
    slp-sample. Exact sums are made again, to which --memory, --time and --jobs apply.
    """
    limits = until_deadline(limits)
    posterior = slp.load_posterior(run, **limits)
    record = posterior.record

    def words() -> str:
        return record.describe(fine_print=verbose)

    with known_is_told(words, as_json=as_json, deadline=limits["time"]), progress_line():
        uses = feature_uses(posterior)
        made = draws_made(posterior, record.draws, None)
        result = posterior_to_json(posterior, uses, draws=made)
    if as_json:
        write_json(result)
        return
    what = "a table" if posterior.stacked is None else "rows of members"
    data = f"{what} with the digest {posterior.table.digest[:16]}"
    say(*Page(posterior, uses, words(), data, _longer(posterior), verbose).lines())
    say(*draws_lines(posterior, record.draws, None, verbose=verbose))


def _longer(posterior: slp.Posterior) -> list[str]:
    """The options of a longer run."""
    if posterior.schedule is None:
        return []
    draws = posterior.record.draws
    given = posterior.record.options
    options = slp.results.longer_run(
        posterior.schedule, draws, posterior.diagnostics, given
    ).options
    return [" ".join(["slp-sample ...", *(f"--{name} {value}" for name, value in options.items())])]
