"""`slp predict PRIOR DATA NEW`: predictions for new rows, averaged over all trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import slp
from slp.cli.common import (
    check_output,
    exit_if_interrupted,
    open_atomic,
    progress_line,
    write_exactly,
)
from slp.cli.known import asked, known_is_told
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
from slp.data import read_columns
from slp.late import late_import
from slp.leaves import label_array, label_text

if TYPE_CHECKING:
    import polars

#: Default probability of the interval of a number.
_LEVEL = 0.9


@click.command(name="predict")
@program_argument
@data_argument
@click.argument("new", metavar="NEW")
@response_option
@click.option("-o", "--output", metavar="FILE", help="Write to FILE (default: standard output).")
@click.option(
    "--interval",
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
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
    new: str,
    response: str | None,
    output: str | None,
    interval: float | None,
    inference: dict[str, Any],
) -> None:
    """Predict new rows, averaged over all trees.

    Writes predictions for the rows of NEW under PRIOR given DATA, as CSV. For classes: the most
    probable class and the probability of each; with --interval also the ends of its credible
    interval. For a numeric response: its mean and the ends of an equal-tailed predictive interval.
    At a limit of time or memory no CSV is written; an error shows what is known of the trees.
    """
    inference = until_deadline(inference)
    check_output(output)
    program = prior.load()
    frame, rows = read_table(data, inference.get("memory")), read_columns(new, rows=False)

    # Standard output is reserved for the table.
    with known_is_told(program.describe, err=True), progress_line() as progress:
        posterior = program.posterior(frame, response, progress=progress, **inference)
        posterior, out = asked(posterior, lambda p: _predictions(p, rows, interval))
    text = out.write_csv()
    if output is None:
        write_exactly(text)
    else:
        with open_atomic(output) as stream:
            stream.write(text)
    exit_if_interrupted(posterior)


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
