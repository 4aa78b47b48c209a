"""`slp map PRIOR DATA`: the most probable trees."""

from __future__ import annotations

from typing import Any

import click

import slp
from slp import load
from slp.budgets import check_room_for_file
from slp.cli.common import (
    data_argument,
    exit_if_interrupted,
    format_option,
    include_option,
    json_option,
    param_option,
    program_argument,
    progress_line,
    reports_errors,
    response_option,
    say,
    say_text,
    write_exactly,
)
from slp.cli.inference_options import inference_options, until_deadline
from slp.cli.json_text import json_text
from slp.cli.known import asked, known_is_told, known_lines, known_to_json
from slp.cli.summary import leaves_text, size_to_json, standing
from slp.data import read_columns
from slp.results import Candidate, Known

__all__ = ["map_command"]


@click.command(name="map")
@program_argument
@data_argument
@response_option
@click.option(
    "--best",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="K",
    help="Number of trees, the most probable first.",
)
@inference_options
@param_option
@include_option
@json_option
@format_option
@reports_errors
def map_command(
    prior: str,
    data: str,
    response: str | None,
    best: int,
    parameters: dict[str, float],
    include: tuple[str, ...],
    as_json: bool,
    inference: dict[str, Any],
) -> None:
    """Print the most probable trees.

    The K most probable trees under PRIOR given DATA, with their posterior probabilities.
    """
    inference = until_deadline(inference)
    program = load(prior, include=include, **parameters)
    check_room_for_file(data, inference.get("memory"))
    frame = read_columns(data)

    def tell(known: Known, limit: str) -> None:
        if as_json:
            write_exactly(json_text(known_to_json(known, limit)) + "\n")
        else:
            for line in known_lines(known, limit, program.describe()):
                say(line)

    with known_is_told(tell), progress_line() as progress:
        posterior = program.posterior(frame, response, progress=progress, **inference)
        posterior, trees = asked(posterior, lambda p: p.k_best(best))
    if as_json:
        found = [
            {
                "tree": t.tree.to_dict(predictive=True),
                "log_joint": t.log_joint,
                "log_posterior": t.log_posterior,
                "n_leaves": t.tree.n_leaves,
                "edits": _edits(posterior, t),
            }
            for t in trees
        ]
        result = {
            "engine": posterior.engine,
            "reason": posterior.reason,
            "depends_on_clock": posterior.choice.by_clock or posterior.out_of_time,
            "size": size_to_json(posterior),
            "normalised": posterior.normalised,
            "certified": all(t.certified for t in trees),
            "best": found,
            "version": slp.__version__,
        }
        write_exactly(json_text(result) + "\n")
    else:
        say(f"engine {posterior.engine}: {posterior.reason}")
        for i, t in enumerate(trees, start=1):
            say("", f"{i}. {standing(t)}{leaves_text(t.tree.n_leaves)}")
            for words in _edits(posterior, t) or ():
                say(words)
            say_text(t.tree.to_text())
    exit_if_interrupted(posterior)


def _edits(posterior: slp.Posterior, found: Candidate) -> list[str] | None:
    """The differences of a tree from the one given to `edittree`, in words; None for other
    programs."""
    edits = posterior.edits
    return None if edits is None else [str(e) for e in found.tree.edits_from(edits.given)]
