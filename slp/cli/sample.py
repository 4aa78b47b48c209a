"""`slp-sample PRIOR DATA`: the posterior over decision trees, its summary, and draws from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

import click

import slp
import slp.engines
import slp.trees
from slp.budgets import Deadline, format_seconds
from slp.cli.as_json import posterior_to_json, sum_of_weights, write_draws
from slp.cli.common import check_output, exit_if_interrupted, progress_line, reader_may_leave, say
from slp.cli.draws_lines import draws_lines
from slp.cli.json_text import write_json
from slp.cli.options import (
    NamedProgram,
    data_argument,
    draws_file_option,
    draws_option,
    inference_options,
    json_option,
    program_argument,
    program_options,
    read_table,
    response_option,
    until_deadline,
)
from slp.cli.page import Page
from slp.cli.partial_results import asked, known_is_told
from slp.cli.suggested_command import command_again
from slp.cli.summary import draws_made, feature_uses


@click.command(
    name="sample",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0; 1 a fault in the program or the data; 2 wrong usage; 70 a bug of slp; "
    "130 stopped from the keyboard.",
)
@program_argument
@data_argument
@response_option
@draws_option("Number of draws, over all chains. An exact summary does not depend on it.")
@inference_options
@draws_file_option
@click.option(
    "--certify",
    is_flag=True,
    help="Write a certificate beside each draw of --output: what its tree keeps and breaks.",
)
@click.option(
    "--save",
    metavar="FILE",
    help="Save the run in FILE (such as run.slpz), for `slp predict`, `slp show` and Python.",
)
@click.option(
    "--save-table",
    is_flag=True,
    help="Save the coded table too. A run of exact sums always has it.",
)
@click.option(
    "--verbose",
    is_flag=True,
    help="Also print details: what is renormalised, log weights, diagnostics of chains.",
)
@json_option
@click.version_option(slp.__version__, prog_name="slp-sample")
@program_options
def sample_command(
    prior: NamedProgram,
    data: str,
    response: str | None,
    draws: int,
    output: str | None,
    certify: bool,
    save: str | None,
    save_table: bool,
    as_json: bool,
    verbose: bool,
    inference: dict[str, Any],
) -> None:
    """Print a summary of the posterior over trees.

    The posterior is that under PRIOR given DATA. PRIOR is a .slp file, or the name of a library
    prior (growtree, denison, ...). DATA is a table: CSV, CSV.gz, TSV or Parquet.
    """
    if save_table and save is None:
        raise click.UsageError("--save-table needs --save FILE")
    if certify and output is None:
        raise click.UsageError("--certify needs --output FILE")
    if save is not None and not save.endswith(".slpz"):
        raise click.UsageError(f"--save FILE ends in .slpz: {save}")
    inference = until_deadline(inference)
    deadline: Deadline = inference["time"]
    check_output(output)
    check_output(save, streams=False)
    if output is not None and inference["engine"] == "stacked":
        raise click.UsageError("the engine stacked has no draws to write: leave -o FILE out")
    program = prior.load()
    frame = read_table(data, inference)

    words = partial(program.describe, fine_print=verbose)
    with known_is_told(words, as_json=as_json, deadline=deadline), progress_line() as progress:
        posterior = program.posterior(frame, response, draws=draws, progress=progress, **inference)
        posterior, uses = asked(posterior, feature_uses)
        made = draws_made(posterior, draws, output)
        result = posterior_to_json(posterior, uses, draws=made)
    # The summary comes first. It stays if time or memory ends during the draws.
    with reader_may_leave(output):
        if as_json:
            write_json({**result, "seconds": deadline.spent()})
        else:
            longer = _longer(posterior, draws, deadline)
            say(*Page(posterior, uses, words(), data, longer, verbose).lines())
    if output is not None:
        drawn = posterior.draws
        certificate = _certificates(program, posterior) if certify else None
        write_draws(drawn, output, sum_of_weights(posterior, drawn), certificate)
    if save is not None:
        posterior.save(save, table=save_table)
    if not as_json:
        say(*draws_lines(posterior, draws, output, verbose=verbose))
        if save is not None:
            say(f"saved     in {save}: slp show {save}, slp predict {save} NEW")
        say(f"time      {deadline.spent():.2f} s")
    exit_if_interrupted(posterior)


def _certificates(program: slp.Program, posterior: slp.Posterior) -> Callable[[Any], Any]:
    """Makes the certificate of a draw, of a soft tree that of its topology, which has no rows."""
    of_table = slp.trees.Certifier(program, coded=posterior.table)
    of_none = slp.trees.Certifier(program)

    def certificate(tree: Any) -> Any:
        if isinstance(tree, slp.Tree):
            return of_table.certificate(tree)
        return of_none.certificate(tree.skeleton())

    return certificate


def _longer(posterior: slp.Posterior, draws: int, deadline: Deadline) -> list[str]:
    """This command, to go on from its checkpoint if the run was stopped; else with ten times the
    steps and the time, at least 2000 draws, and no checkpoint (the checkpoint is that of the
    shorter run); of a particle filter with ten times the islands, of ladders with more effort or
    four times the scans. The second line says how long it takes."""
    schedule = posterior.schedule
    if schedule is None:
        return []
    context = click.get_current_context()
    if posterior.interrupted and context.params["checkpoint"] is not None:
        return [command_again(context, {"resume": True}), "(it goes on from the checkpoint)"]
    choice = posterior.choice
    given = posterior.record.options
    longer = slp.results.longer_run(schedule, draws, posterior.diagnostics, given)
    changes: dict[str, object] = {"seed": posterior.seed, **longer.options}
    if choice.sums_unfinished:  # with more time they might end, without any of these options
        changes["engine"] = posterior.engine
    seconds = math.ceil(longer.times * (deadline.seconds or deadline.spent()))
    takes = f"(it takes about {format_seconds(seconds)})"
    if longer.seconds is not None:
        takes = (
            f"(by the estimate of its steps about {format_seconds(longer.seconds)} on two cores)"
        )
    if deadline.seconds is not None:
        changes["time"] = f"{seconds}s"
        takes = f"(it takes {format_seconds(seconds)} at most)"
    lines = [command_again(context, changes, ("checkpoint", "resume")), takes]
    if choice.sums_unfinished and choice.size is not None:
        lines.append(
            f"(exact sums take {choice.size.in_seconds}, an estimate: leave --time out for them)"
        )
    if slp.results.stacking_is_offered(posterior.diagnostics, posterior.table.n_rows):
        lines += _stacked(context, posterior, deadline)
    return lines


def _stacked(context: click.Context, posterior: slp.Posterior, deadline: Deadline) -> list[str]:
    """This command by members stacked by prediction, without options that these do not take, and
    how long that takes."""
    given = posterior.record.options
    taken = {field.name for field in fields(slp.engines.engine_named("stacked").Options)}
    others = {*slp.engines.all_options(), "output"} - taken
    seconds = slp.results.seconds_of_stacking(given)
    if deadline.seconds is not None:  # the command has it too
        seconds = min(seconds, deadline.seconds)
    return [
        command_again(context, {"engine": "stacked", "seed": posterior.seed}, others),
        "(chains will hardly mix on this table: this is for predictions alone, and no posterior; "
        f"it takes about {format_seconds(seconds)} on two cores)",
    ]
