"""`slp predict PRIOR DATA NEW`, `slp predict RUN NEW`: predictions for new rows, averaged over all
trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import slp
from slp.cli.common import (
    check_output,
    exit_if_interrupted,
    open_atomic,
    progress_line,
    say,
    write_exactly,
)
from slp.cli.numbers import RealNumber
from slp.cli.options import (
    NamedProgram,
    data_argument,
    inference_options,
    program_argument,
    program_options,
    read_table,
    response_option,
    until_deadline,
)
from slp.cli.partial_results import asked, known_is_told
from slp.late import late_import
from slp.leaves import label_array, label_text
from slp.source import visible

if TYPE_CHECKING:
    import polars

#: The options of a saved run, by their names in Python: those that limit exact sums, and others.
_LIMITS = ("memory", "time", "threads")
_OF_SAVED_RUNS = (*_LIMITS, "prior", "data", "output", "interval", "message_format")

#: Default probability of the interval of a number.
_LEVEL = 0.9


@click.command(name="predict")
@program_argument
@data_argument
@click.argument("new", metavar="NEW", required=False)
@response_option
@click.option("-o", "--output", metavar="FILE", help="Write to FILE (default: standard output).")
@click.option(
    "--interval",
    "--level",
    type=RealNumber(0, 1, min_open=True, max_open=True),
    metavar="LEVEL",
    help="Probability of the intervals. For a numeric response they are predictive intervals "
    "(default: 0.9). For classes they are credible intervals of each class's probability "
    "(default: none). They do not include the Monte Carlo error.",
)
@inference_options
@program_options
def predict_command(
    prior: NamedProgram,
    data: str,
    new: str | None,
    response: str | None,
    output: str | None,
    interval: float | None,
    inference: dict[str, Any],
) -> None:
    """Predict new rows, averaged over all trees.

    Writes predictions for the rows of NEW under PRIOR given DATA, as CSV. In place of PRIOR and
    DATA there may be one saved run, a file NAME.slpz: `slp predict run.slpz NEW`. For classes: the
    most
    probable class and the probability of each; with --interval also the ends of its credible
    interval. For a numeric response: its mean, of durations its median, and the ends of an
    equal-tailed predictive interval.
    At a limit of time or memory no CSV is written; an error shows what is known of the trees.
    """
    saved = _is_saved(prior.name, new)
    inference = until_deadline(inference)
    check_output(output)
    rows = read_table(new or data, inference, rows=False)
    if saved:
        limits = {name: inference.get(name) for name in _LIMITS}
        posterior = slp.load_posterior(prior.name, **limits)
        words = posterior.record.describe
    else:
        program = prior.load()
        frame, words = read_table(data, inference), program.describe

    # Standard output is reserved for the table.
    with known_is_told(words, err=True), progress_line() as progress:
        if not saved:
            posterior = program.posterior(frame, response, progress=progress, **inference)
        posterior, out = asked(posterior, lambda p: _predictions(p, rows, interval))
    if posterior.table.leaf.point == "median":
        say(f"{visible(posterior.table.response)}: the predicted median", err=True)
    text = out.write_csv()
    if output is None:
        write_exactly(text)
    else:
        with open_atomic(output) as stream:
            stream.write(text)
        say(f"{output} written", err=True)
    exit_if_interrupted(posterior)


def _is_saved(name: str, new: str | None) -> bool:
    """Whether the first argument is a saved run, to which few options apply."""
    if (new is None) != name.endswith(".slpz"):
        raise click.UsageError("give PRIOR DATA NEW, or a saved run and new rows: RUN.slpz NEW")
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if new is None and given and parameter.name not in _OF_SAVED_RUNS:
            raise click.UsageError(f"a saved run takes no {parameter.opts[0]}")
    return new is None


def _predictions(posterior: slp.Posterior, rows: Any, interval: float | None) -> polars.DataFrame:
    table = posterior.table
    if not table.leaf.classes:
        low, high = posterior.predict_interval(rows, interval or _LEVEL).T
        columns = {table.response: posterior.predict(rows), "lower": low, "upper": high}
        return _frame(columns)
    probabilities = posterior.predict_proba(rows)
    best = label_array(table.leaf.classes)[probabilities.argmax(axis=1)]
    columns = {table.response: best}
    names = [f"P({label_text(label)})" for label in table.leaf.classes]
    columns |= {name: probabilities[:, i] for i, name in enumerate(names)}
    if interval is not None:
        ends = posterior.predict_interval(rows, interval)
        for i, name in enumerate(names):
            columns |= {f"lower {name}": ends[:, i, 0], f"upper {name}": ends[:, i, 1]}
    return _frame(columns)


def _frame(columns: dict[str, Any]) -> polars.DataFrame:
    frame: polars.DataFrame = late_import("polars").DataFrame(columns)
    return frame
