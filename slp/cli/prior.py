"""`slp prior PRIOR DATA`: the prior itself, on a table's features: exact summaries and draws."""

from __future__ import annotations

import secrets
from typing import Any

import click

import slp
from slp.cli.common import (
    check_output,
    data_argument,
    engine_options,
    format_option,
    json_option,
    param_option,
    program_argument,
    progress_line,
    reports_errors,
    response_option,
)
from slp.cli.json_text import json_text
from slp.cli.summary import finite, words_lines, write_draws
from slp.data import read_frame

__all__ = ["prior_command"]


@click.command(name="prior")
@program_argument
@data_argument
@response_option
@click.option(
    "-n",
    "--draws",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Draws to print, or to write with -o.",
)
@engine_options
@click.option("-o", "--output", metavar="FILE", help="Write the draws there as JSON lines.")
@param_option
@json_option
@format_option
@reports_errors
def prior_command(
    prior: str,
    data: str,
    response: str | None,
    draws: int,
    engine: str,
    seed: int | None,
    memory: str | None,
    output: str | None,
    parameters: dict[str, float],
    as_json: bool,
) -> None:
    """What PRIOR says of the trees that DATA's features allow, before the response is looked at."""
    check_output(output)
    program = slp.load(prior, **parameters)
    frame = read_frame(data)
    seed = secrets.randbits(32) if seed is None else seed
    with progress_line() as progress:
        result = program.prior(
            frame, response, engine=engine, seed=seed, draws=draws, memory=memory, progress=progress
        )
        summary = _summary(result, draws, seed)
    if output is not None:
        write_draws(result, output)
    if as_json:
        click.echo(json_text(summary))
        return
    for line in words_lines(program.describe()):
        click.echo(line)
    click.echo(f"\nengine {result.engine}: {result.reason}")
    click.echo(
        f"leaves {summary['mean_leaves']:.4f} expected, depth {summary['mean_depth']:.4f} (exact)"
    )
    click.echo("P(number of leaves):")
    for leaves, probability in summary["leaves"].items():
        if probability >= 0.0005:
            click.echo(f"  {leaves:>4}  {probability:.4f}")
    click.echo("P(feature used):")
    for name, probability in summary["features"].items():
        click.echo(f"  {name}  {probability:.4f}")
    for i, draw in enumerate(result.draws if output is None else [], start=1):
        click.echo(f"\ndraw {i} (seed {seed})")
        click.echo(draw.tree.to_text())


def _summary(result: slp.Posterior, draws: int, seed: int) -> dict[str, Any]:
    return {
        "engine": result.engine,
        "reason": result.reason,
        "tree_count": finite(result.tree_count()),
        "mean_leaves": result.expected_leaves(),
        "mean_depth": result.expected_depth(),
        "leaves": {k: float(p) for k, p in enumerate(result.leaf_distribution()) if k > 0},
        "features": {name: u.probability for name, u in result.split_probabilities().items()},
        "draws": draws,
        "seed": seed,
        "version": slp.__version__,
    }
