"""`slp tune PRIOR DATA --grid NAME=VALUES`: values of parameters side by side; with `--leaves` or
`--depth` those whose prior has these means."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import click

import slp
from slp.cli.common import progress_line, say
from slp.cli.compare import doubtful, say_compared
from slp.cli.json_text import json_text
from slp.cli.options import (
    NamedProgram,
    comparison_options,
    data_argument,
    draws_option,
    folds_option,
    json_option,
    program_argument,
    program_options,
    read_table,
    response_option,
    until_deadline,
)
from slp.cli.page import labelled
from slp.cli.score_text import in_columns, number_text
from slp.cli.summary import words_lines
from slp.messages.numbers import number_text as exact_text
from slp.source import visible


def _parse_grid(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {}
    for text in values:
        name, _, numbers = text.partition("=")
        try:
            out[name.strip()] = [float(part) for part in numbers.split(",") if part.strip()]
        except ValueError:
            raise click.BadParameter(
                f"{text!r} is not NAME=VALUES, such as alpha=0.5,0.95"
            ) from None
    return out


@click.command(name="tune")
@program_argument
@data_argument
@response_option
@click.option(
    "--grid",
    multiple=True,
    metavar="NAME=VALUES",
    callback=_parse_grid,
    help="Values of a parameter of the program, between commas; repeatable.",
)
@click.option(
    "--leaves",
    type=float,
    metavar="MEAN",
    help="In place of a grid: find the values whose prior has this expected number of leaves.",
)
@click.option("--depth", type=float, metavar="MEAN", help="The same for the expected depth.")
@click.option(
    "--by",
    type=click.Choice(["evidence", "cv"]),
    default="evidence",
    show_default=True,
    help="What is largest at the best values of a grid: the log evidence, or the mean log "
    "predictive probability of held-out rows.",
)
@folds_option(2, 5, "Folds of cross-validation, with --by cv.")
@draws_option("Number of draws of each run of a sampler.")
@comparison_options
@json_option
@program_options
def tune_command(
    prior: NamedProgram,
    data: str,
    response: str | None,
    grid: dict[str, list[float]],
    leaves: float | None,
    depth: float | None,
    by: str,
    folds: int,
    draws: int,
    as_json: bool,
    inference: dict[str, Any],
) -> None:
    """Find values of a program's parameters.

    Runs PRIOR on DATA with all combinations of the values, and prints the score of each, and the
    best one. With --leaves or --depth finds the values whose prior on DATA has these means.
    """
    inference = until_deadline(inference)
    program = prior.load()
    frame = read_table(data, inference)
    if grid and (leaves is not None or depth is not None):
        raise click.UsageError("take --grid, or --leaves and --depth")
    if not grid:
        with progress_line() as progress:
            means = slp.elicit(
                program,
                frame,
                response,
                leaves=leaves,
                depth=depth,
                draws=draws,
                progress=progress,
                **inference,
            )
        if as_json:
            say(json_text(means.to_dict()))
        else:
            say(*_lines_of_means(means, prior, data, response))
        return
    with progress_line() as progress:
        found = slp.tune(
            program,
            frame,
            response,
            grid=grid,
            by=by,  # type: ignore[arg-type]  # click has checked it
            folds=folds,
            draws=draws,
            progress=progress,
            **inference,
        )
    say_compared(found, inference["time"], as_json, _lines(found, prior, data, response))


def _lines(
    found: slp.Tuning, prior: NamedProgram, data: str, response: str | None
) -> Iterator[str]:
    compared = found.comparison
    yield f"data      {data}: {compared.n_rows} rows, response {compared.response}"
    if found.best is not None:
        yield f"best      {'  '.join(f'{n} = {exact_text(v)}' for n, v in found.best.items())}"
        yield _next(prior, data, response, found.best)
    yield ""
    yield from _table(found)
    yield ""
    what = {
        "evidence": f"log evidence: log P({visible(compared.response)} | features), in nats",
        "cv": "log predictive: the mean over rows of the log probability (of numbers: density) of "
        f"the row's response given the other folds' rows, in nats; {compared.folds} folds",
    }
    yield from words_lines(f"{what[found.by]}; seed {compared.seed}.")
    if any(map(doubtful, compared.programs)):
        told = "?: a run has not converged, or that is not known; do not use its numbers."
        yield from words_lines(told)


def _lines_of_means(
    found: slp.Elicited, prior: NamedProgram, data: str, response: str | None
) -> Iterator[str]:
    yield f"data      {data}: {found.n_rows} rows"
    values = ("  ".join(f"{n} = {exact_text(v)}" for n, v in found.parameters.items()),)
    yield from labelled("values", values)
    yield from labelled("means", found.lines())
    yield f"engine    {found.engine}, {found.runs} priors looked at, seed {found.seed}"
    yield _next(prior, data, response, found.parameters)


def _next(prior: NamedProgram, data: str, response: str | None, found: Mapping[str, float]) -> str:
    """The command that runs the program at values that were found."""
    values = {**prior.parameters, **found}
    words = ["slp-sample", prior.name, data, *(["-y", response] if response else [])]
    words += [w for name, v in values.items() for w in ("--param", f"{name}={exact_text(v)}")]
    return f"next      {shlex.join(words)}"


def _table(found: slp.Tuning) -> Iterator[str]:
    names = list(found.points[0])
    lines = [[*names, "log evidence" if found.by == "evidence" else "log predictive", "leaves"]]
    for point, program in zip(found.points, found.comparison.programs, strict=True):
        mark = " *" if point == found.best else ""
        of_score = program.held_out if found.by == "cv" else program
        score = number_text(found.score(program), of_score is not None and of_score.converged)
        leaves = number_text(program.expected_leaves, program.converged)
        lines.append([*(exact_text(point[name]) for name in names), score, leaves + mark])
    return in_columns(lines)
