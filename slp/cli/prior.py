"""`slp prior PRIOR DATA`: summaries of the prior on a table's features, and draws."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

import slp
from slp.cli.as_json import prior_to_json, sum_of_weights, write_draws
from slp.cli.common import (
    check_output,
    exit_if_interrupted,
    progress_line,
    reader_may_leave,
    say,
    say_text,
)
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
from slp.cli.partial_results import asked, known_is_told
from slp.cli.summary import words_lines
from slp.results import Draw, estimate_text

if TYPE_CHECKING:
    from slp.results import Diagnostics

#: Least number of draws of a sampler, for its estimates. Fewer may be shown.
_LEAST_DRAWN = 2000


@click.command(name="prior")
@program_argument
@data_argument
@response_option
@draws_option("Number of draws to print, or to write with -o.", default=3)
@inference_options
@draws_file_option
@json_option
@program_options
def prior_command(
    prior: NamedProgram,
    data: str,
    response: str | None,
    draws: int,
    output: str | None,
    as_json: bool,
    inference: dict[str, Any],
) -> None:
    """Describe the prior on the features of DATA.

    Prints the prior distribution of trees on these features, without the likelihood, and draws from
    it.
    """
    inference = until_deadline(inference)
    check_output(output)
    program = prior.load()
    frame = read_table(data, inference)

    words = partial(program.describe, fine_print=False)
    with known_is_told(words, as_json=as_json), progress_line() as progress:
        result = program.prior(
            frame,
            response,
            draws=max(draws, _LEAST_DRAWN),
            progress=progress,
            **inference,
        )
        result, summary = asked(result, lambda r: prior_to_json(r, draws))
        shown = summary["draws"]
    with reader_may_leave(output):
        if as_json:
            write_json(summary)
        else:
            _print_summary(result, summary, words())
    # The draws come after the summary, which stays if time or memory ends then.
    chosen = _evenly(result.draws, shown) if shown else []
    if output is not None:
        write_draws(chosen, output, sum_of_weights(result, chosen))
    elif not as_json:
        for i, draw in enumerate(chosen, start=1):
            say("", f"draw {i} (seed {result.seed})")
            say_text(draw.tree.to_text())
    exit_if_interrupted(result)


def _print_summary(result: slp.Posterior, summary: dict[str, Any], words: str) -> None:
    say(*words_lines(words))
    say("", f"engine {result.engine}: {result.reason}")
    found, exact = result.diagnostics, result.trust.kind == "exact"
    say(
        f"leaves {_estimate(summary, 'mean_leaves', found)} expected, "
        f"depth {_estimate(summary, 'mean_depth', found)}{_standing(found, exact)}"
    )
    say("P(number of leaves):")
    for leaves, probability in summary["leaves"].items():
        if probability >= 0.0005:
            say(f"  {leaves:>4}  {probability:.4f}")
    say("P(feature used):")
    for name, probability in summary["features"].items():
        error = summary["features_error"][name]
        told = estimate_text(probability, error, found, drawn=result.uses_are_drawn)
        say(f"  {name}  {told}")


def _evenly(draws: Sequence[Draw], n: int) -> list[Draw]:
    """`n` of the draws, spread evenly over the chains."""
    step = len(draws) / n
    return [draws[int(i * step)] for i in range(n)]


def _estimate(summary: dict[str, Any], key: str, found: Diagnostics | None) -> str:
    error = summary[f"{key}_error"]
    return estimate_text(summary[key], error, found, drawn=bool(error))


def _standing(found: Diagnostics | None, exact: bool) -> str:
    if found is None:
        return " (exact)" if exact else " (estimate)"
    if found.converged:
        return ""
    return f" (? {found.standing}: do not use these numbers, run longer)"
