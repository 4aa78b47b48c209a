"""`slp cv PRIOR DATA`: how well a program predicts held-out rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import numpy as np

import slp
from slp.cli.common import check_output, open_atomic, progress_line
from slp.cli.compare import say_compared
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
from slp.cli.score_text import score_text, survival_texts, survival_words
from slp.cli.summary import words_lines
from slp.late import late_import
from slp.leaves import label_array, label_text


@click.command(name="cv")
@program_argument
@data_argument
@response_option
@folds_option(2, 10, "Folds of cross-validation. Each is one run.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the prediction of each row to FILE, as CSV."
)
@draws_option("Number of draws of each run of a sampler.")
@comparison_options
@json_option
@program_options
def cv_command(
    prior: NamedProgram,
    data: str,
    response: str | None,
    folds: int,
    output: str | None,
    draws: int,
    as_json: bool,
    inference: dict[str, Any],
) -> None:
    """Cross-validate a program.

    Each row of DATA is predicted by a run of PRIOR on the rows of the other folds. Prints the mean
    log predictive probability of a row, and its error over folds; for classes also the accuracy,
    for numbers the root mean squared error, for durations the concordance and the Brier score.
    """
    inference = until_deadline(inference)
    check_output(output)
    program = prior.load()
    frame = read_table(data, inference)
    with progress_line() as progress:
        found = slp.cv(
            program, frame, response, folds=folds, draws=draws, progress=progress, **inference
        )
    if output is not None:
        with open_atomic(output) as stream:
            stream.write(_predictions(found).write_csv())
    say_compared(found, inference["time"], as_json, _lines(found, data))


def _predictions(found: slp.CrossValidation) -> Any:
    """A row for each row of the table: its fold, and what the run without it tells."""
    told = found.predictions
    columns: dict[str, Any] = {"fold": found.fold_of + 1}
    if found.classes:
        columns[found.response] = label_array(found.classes)[told.argmax(axis=1)]
        names = (f"P({label_text(label)})" for label in found.classes)
        columns |= dict(zip(names, told.T, strict=True))
    else:
        columns[found.response] = told
    return late_import("polars").DataFrame(columns)


def _lines(found: slp.CrossValidation, data: str) -> Iterator[str]:
    score = found.held_out
    if not found.converged:
        yield (
            f"trust     {found.standing.upper()}: do not use these numbers; some folds need longer "
            "runs"
        )
    yield f"data      {data}: {found.n_rows} rows, response {found.response}"
    log_predictive = score_text(score.log_predictive, score.log_predictive_error, score)
    yield f"scores    log predictive  {log_predictive}"
    if score.accuracy is not None:
        yield f"          accuracy        {score_text(score.accuracy, score.accuracy_error, score)}"
    if score.rmse is not None:
        yield f"          RMSE            {score_text(score.rmse, score.rmse_error, score)}"
    if score.survival is not None:
        concordance, brier = survival_texts(score)
        yield f"          concordance     {concordance}"
        yield f"          Brier           {brier}"
        told = zip(score.survival.times, score.survival.brier_at, strict=True)
        for i, (time, at) in enumerate(told):
            yield f"{'' if i else 'Brier':<10}at {time:<12.6g} {at:.4f}"
    yield "folds     rows  log predictive  engine"
    for fold in found.folds:
        mark = "" if fold.converged else "?"
        value = f"{fold.log_predictive:.4f}{mark}"
        yield f"          {fold.rows:<6}{value:<16}{fold.engine}"
    kind = "probability" if found.classes else "density"
    censored = " (of a censored one, of P(longer))" if score.survival is not None else ""
    yield from words_lines(
        f"log predictive: the mean over rows of log of the {kind} of the row's response"
        f"{censored}, given the "
        f"rows of the other folds (nats); {len(found.folds)} folds of seed {found.seed}; +-: "
        "standard error over folds."
    )
    if score.survival is not None:
        for sentence in survival_words(score.survival):
            yield from words_lines(sentence)
    worst = np.argmin([fold.log_predictive for fold in found.folds])
    if found.folds[worst].log_predictive == -np.inf:
        yield from words_lines(f"fold {worst + 1} has a row whose response got the probability 0.")
