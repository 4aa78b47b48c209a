"""`slp predict PRIOR DATA NEW`, `slp predict RUN NEW`: predictions for new rows, averaged over all
trees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np
from click.core import ParameterSource
from numpy.typing import NDArray

import slp
from slp.cli.common import (
    check_output,
    exit_if_interrupted,
    open_atomic,
    progress_line,
    say,
    write_exactly,
)
from slp.cli.file_arguments import file_argument
from slp.cli.numbers import RealNumber, WholeNumber, given_times
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
from slp.errors import UsageError
from slp.late import late_import
from slp.leaves import label_array, label_text
from slp.messages.decisions import LOSS_GIVEN_TWICE, LOSS_TEXT
from slp.messages.numbers import number_text
from slp.results import refuse_stacking
from slp.source import visible

if TYPE_CHECKING:
    import polars

#: The options of a saved run, by their names in Python: those that limit exact sums, and others.
_LIMITS = ("memory", "time", "threads")
_OF_DRAWS = ("draws", "draws_to", "kind", "seed")
_OF_SAVED_RUNS = (
    *_LIMITS,
    *_OF_DRAWS,
    *("prior", "data", "output", "interval", "times", "loss", "message_format"),
)

#: Files of draws, by their endings.
_FORMATS = (".parquet", ".csv")
#: Columns beside the response, which has another name if it is called so.
_TAKEN = ("draw", "row", "expected loss", "lower", "upper")
#: Default probability of the interval of a number.
_LEVEL = 0.9


@click.command(name="predict")
@program_argument
@data_argument
@file_argument("new", metavar="NEW", required=False)
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
@click.option(
    "--times",
    metavar="T,T,...",
    callback=given_times,
    help="Of durations also P(longer) at these times, as columns P(> T).",
)
@click.option(
    "--loss",
    multiple=True,
    metavar="TRUTH,SAID,LOSS",
    help="What it costs to say the class SAID where TRUTH is true, once for each pair; others cost "
    "1, right ones 0. In place of the losses that the program declares.",
)
@click.option(
    "--draws",
    type=WholeNumber(min=1),
    metavar="N",
    help="Number of draws of what is predicted, which --draws-to FILE takes (default: none).",
)
@click.option(
    "--draws-to",
    metavar="FILE",
    help="Write the draws to FILE, .parquet or .csv: `draw` and `row`, both from 0, and the value, "
    "or the probability of each class.",
)
@click.option(
    "--kind",
    type=click.Choice(["mean", "outcome"]),
    default="mean",
    show_default=True,
    help="What is drawn: the mean (class probabilities), or an outcome.",
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
    times: list[float],
    loss: tuple[str, ...],
    draws: int | None,
    draws_to: str | None,
    kind: Literal["mean", "outcome"],
    inference: dict[str, Any],
) -> None:
    """Predict new rows, averaged over all trees.

    Writes predictions for the rows of NEW under PRIOR given DATA, as CSV. In place of PRIOR and
    DATA there may be one saved run, a file NAME.slpz: `slp predict run.slpz NEW`. For classes: the
    most probable class and the probability of each; with --interval also the ends of its credible
    interval. With losses, of the program or of --loss, the class of least expected loss stands in
    place of the most probable one, and its expected loss behind it. For a numeric response: its
    mean, of durations its median, and the ends of an equal-tailed predictive interval; with --times
    also the survival of durations.
    With --draws N --draws-to FILE also N draws of trees and of the parameters of their leaves, and
    what they say of each row; --seed makes them again.
    At a limit of time or memory no CSV is written; an error shows what is known of the trees.
    """
    saved = _is_saved(prior.name, new)
    inference = until_deadline(inference)
    check_output(output)
    _check_draws(draws, draws_to, output)
    if draws is not None:
        refuse_stacking(inference["engine"], "draws of what is predicted")
    if saved and draws is None and _is_given("seed"):
        raise click.UsageError("a saved run takes --seed for its --draws alone")
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
        posterior, out = asked(posterior, lambda p: _predictions(p, rows, interval, times, loss))
        if draws is not None and draws_to is not None:
            drawn = posterior.predict_draws(rows, kind, draws, inference.get("seed"))
            _write_draws(posterior, drawn, draws_to)
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
        given = _is_given(str(parameter.name))
        if new is None and given and parameter.name not in _OF_SAVED_RUNS:
            raise click.UsageError(f"a saved run takes no {parameter.opts[0]}")
    return new is None


def _predictions(
    posterior: slp.Posterior,
    rows: Any,
    interval: float | None,
    times: list[float],
    loss: tuple[str, ...],
) -> polars.DataFrame:
    table = posterior.table
    told = posterior.survival(rows, times) if times else np.zeros((0, 0))
    survival = {f"P(> {number_text(t)})": own for t, own in zip(times, told.T, strict=True)}
    if not table.leaf.classes:
        if loss:
            posterior.decide(rows)  # raises that there is nothing to decide
        low, high = posterior.predict_interval(rows, interval or _LEVEL).T
        columns = {_name(posterior): posterior.predict(rows), "lower": low, "upper": high}
        return _frame(columns | survival)
    probabilities = posterior.predict_proba(rows)
    columns = _decided(posterior, rows, probabilities, loss)
    names = [f"P({label_text(label)})" for label in table.leaf.classes]
    columns |= {name: probabilities[:, i] for i, name in enumerate(names)}
    if interval is not None:
        ends = posterior.predict_interval(rows, interval)
        for i, name in enumerate(names):
            columns |= {f"lower {name}": ends[:, i, 0], f"upper {name}": ends[:, i, 1]}
    return _frame(columns)


def _check_draws(draws: int | None, draws_to: str | None, output: str | None) -> None:
    """Raise click.UsageError unless both are given, or none, and the file is not that of the
    predictions."""
    if (draws is None) != (draws_to is None):
        raise click.UsageError("--draws N and --draws-to FILE go together")
    if draws_to is None:
        if _is_given("kind"):
            raise click.UsageError("--kind is of the draws that --draws N makes")
        return
    if Path(draws_to).suffix.lower() not in _FORMATS:
        raise click.UsageError(f"--draws-to FILE ends in {' or '.join(_FORMATS)}: {draws_to}")
    check_output(draws_to)
    if output is not None and Path(output).resolve() == Path(draws_to).resolve():
        raise click.UsageError(f"--output and --draws-to name the same file: {output}")


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def _write_draws(posterior: slp.Posterior, drawn: NDArray[Any], file: str) -> None:
    """Draws of rows, shape (n, m), or (n, m, C) of classes, one line for each draw and row."""
    n, m = drawn.shape[:2]
    columns: dict[str, Any] = {"draw": np.repeat(np.arange(n), m), "row": np.tile(np.arange(m), n)}
    if drawn.ndim == 2:
        columns[_name(posterior)] = drawn.ravel()
    else:
        for c, label in enumerate(posterior.table.leaf.classes):
            columns[f"P({label_text(label)})"] = drawn[:, :, c].ravel()
    frame = _frame(columns)
    with open_atomic(file) as stream:
        if file.lower().endswith(".csv"):
            stream.write(frame.write_csv())
        else:
            frame.write_parquet(stream.buffer)
    say(f"{file} written", err=True)


def _decided(
    posterior: slp.Posterior, rows: Any, probabilities: Any, loss: tuple[str, ...]
) -> dict[str, Any]:
    """The class of each row: the most probable one, or under losses the decision, with its expected
    loss."""
    table = posterior.table
    if not loss and table.leaf.loss is None:
        return {_name(posterior): label_array(table.leaf.classes)[probabilities.argmax(axis=1)]}
    found = posterior.decide(rows, _losses(posterior, loss) if loss else None)
    if found.tied.any():
        n = int(found.tied.sum())
        told = f"{n:,} of {len(found.tied):,} decisions are tied: the first class is given"
        say(told, err=True)
    return {_name(posterior): found.decision, "expected loss": found.expected_loss}


def _losses(posterior: slp.Posterior, given: tuple[str, ...]) -> dict[tuple[Any, Any], float]:
    """The losses of `--loss TRUTH,SAID,LOSS`; a class may have commas.

    Raises
    ------
    UsageError
        E564: a text is no such loss, or names a pair again.
    """
    label = {label_text(c): c for c in posterior.table.leaf.classes}
    out: dict[tuple[Any, Any], float] = {}
    for text in given:
        parts = text.split(",")
        if len(parts) < 3 or not _is_number(parts[-1]):
            raise UsageError(LOSS_TEXT(text=text))
        pairs = [(",".join(parts[:i]), ",".join(parts[i:-1])) for i in range(1, len(parts) - 1)]
        truth, said = next((p for p in pairs if p[0] in label and p[1] in label), pairs[0])
        pair = label.get(truth, truth), label.get(said, said)
        if pair in out:
            raise UsageError(LOSS_GIVEN_TWICE(truth=truth, said=said))
        out[pair] = float(parts[-1])
    return out


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _name(posterior: slp.Posterior) -> str:
    """The column of the response."""
    response = posterior.table.response
    return f"response {response}" if response in _TAKEN else response


def _frame(columns: dict[str, Any]) -> polars.DataFrame:
    frame: polars.DataFrame = late_import("polars").DataFrame(columns)
    return frame
