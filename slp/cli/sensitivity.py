"""`slp sensitivity PRIOR DATA`: what the answers of a program owe to its numbers and to each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import numpy as np

import slp
from slp.cli.common import progress_line
from slp.cli.compare import say_compared
from slp.cli.numbers import WholeNumber
from slp.cli.options import (
    NamedProgram,
    data_argument,
    deadline_of,
    json_option,
    memory_option,
    program_argument,
    program_options,
    read_table,
    response_option,
    time_option,
)
from slp.cli.score_text import in_columns
from slp.cli.summary import words_lines
from slp.leaves import label_text
from slp.messages.numbers import number_text
from slp.results import Slope
from slp.source import visible

#: So many rows of the most influence are printed.
_MOST_ROWS = 5

_NOTHING = "no parameter, feature weight, label or concentration of the program varies"


@click.command(name="sensitivity")
@program_argument
@data_argument
@response_option
@click.option(
    "--row",
    "rows",
    type=WholeNumber(min=0),
    multiple=True,
    metavar="N",
    help="Also of what row N of DATA, counted from 0, is told; repeatable.",
)
@memory_option
@time_option
@json_option
@program_options
def sensitivity_command(
    prior: NamedProgram,
    data: str,
    response: str | None,
    rows: tuple[int, ...],
    memory: str | None,
    time: str | None,
    as_json: bool,
) -> None:
    """Tell what answers owe to each number of a program, and to each row.

    For each parameter, feature weight, label and concentration of PRIOR: the derivatives of the log
    evidence given DATA, of the probability that trees use each feature, and of what rows are told;
    and the interval in which the most probable tree stays the most probable one. For each row what
    its response does. All sums are exact, so programs that the engine `exact` refuses are refused.
    """
    limits: dict[str, Any] = {"memory": memory, "time": deadline_of(time)}
    program = prior.load()
    frame = read_table(data, limits)
    with progress_line() as progress:
        found = program.sensitivity(
            frame, response, rows=rows or None, progress=progress, **limits
        )
    say_compared(found, limits["time"], as_json, _lines(found, data))


def _lines(found: slp.Sensitivity, data: str) -> Iterator[str]:
    yield f"data      {data}: {found.n_rows} rows, response {visible(found.response)}"
    yield f"evidence  {found.log_evidence:.4f} exact"
    yield ""
    if found.slopes:
        yield from _table(found)
        yield ""
        for sentence in _columns_in_words(found):
            yield from words_lines(sentence)
    else:
        yield _NOTHING
    yield from _rows_of_influence(found)
    for name, reason in found.not_varied.items():
        yield from words_lines(f"{visible(name)} does not vary: {reason}")
    for note in found.notes:
        yield from words_lines(note)


def _table(found: slp.Sensitivity) -> Iterator[str]:
    columns = [_column(row, label) for row in found.rows for label in _told(found)]
    used = [f"uses {visible(name)}" for name in found.features]
    lines = [["number", "value", "evidence", *used, *columns, "best tree stays"]]
    own = [*found.used.values(), *found.predictions.ravel().tolist()]
    lines.append(["(the answer)", "", f"{found.log_evidence:.4f}", *map(_short, own), ""])
    for slope in found.slopes:
        derived = [slope.log_evidence, *slope.used, *slope.predictions.ravel().tolist()]
        value = visible(slope.label) if slope.kind == "label" else number_text(slope.value)
        lines.append([_name(slope), value, *(f"{x:+.4f}" for x in derived), _stays(slope)])
    return in_columns(lines)


def _told(found: slp.Sensitivity) -> tuple[str, ...]:
    return tuple(label_text(label) for label in found.classes) or ("",)


def _column(row: str, label: str) -> str:
    return f"{row}: {visible(label)}" if label else row


def _short(x: float) -> str:
    return f"{x:.4g}"


def _name(slope: Slope) -> str:
    match slope.kind:
        case "label":
            return f"log label of {visible(slope.name)}"
        case "feature_weight":
            return f"weight of {visible(slope.name)}"
        case "concentration":
            return f"concentration {visible(slope.name)}"
    return visible(slope.name)


def _stays(slope: Slope) -> str:
    stays = slope.stays
    if stays is None:
        return "not known"
    low = "" if stays.changes_below else "at least "
    high = "" if stays.changes_above else "at least "
    factor = "factor " if slope.kind == "label" else ""
    if not stays.changes_below and not stays.changes_above:
        return f"{factor}{stays.low:.4g} to {stays.high:.4g}, all looked at"
    return f"{factor}{low}{stays.low:.4g} to {high}{stays.high:.4g}"


def _columns_in_words(found: slp.Sensitivity) -> Iterator[str]:
    yield (
        "evidence: the derivative of the log evidence (nats); uses: of the probability that the "
        "tree splits on the feature. All are exact, for one unit of the number."
    )
    if found.rows:
        what = "probability of the class" if found.classes else "mean"
        yield f"row: the derivative of the predicted {what}."
    if any(slope.kind == "label" for slope in found.slopes):
        yield (
            "log label: for one unit of the logarithm of the label; the other labels of its state "
            "are rescaled, and sum to what they did."
        )
    yield (
        "best tree stays: the most probable tree is the same between these values, found by "
        "bisection and checked at 20 of them, not proven; `at least`: no farther value was looked "
        "at."
    )
    for slope in found.slopes:
        if slope.why_not:
            yield f"{_name(slope)}: {slope.why_not}"


def _rows_of_influence(found: slp.Sensitivity) -> Iterator[str]:
    influence = found.influence
    if influence is None:
        return
    own = influence.log_evidence
    order = np.argsort(own, kind="stable")[:_MOST_ROWS].tolist()
    told = influence.predictions
    names = [] if told is None else [_column(r, x) for r in found.rows for x in _told(found)]
    lines = [["without the response of", "evidence", *names]]
    for i in order:
        moved = [] if told is None else told[i].ravel().tolist()
        lines.append([f"row {i}", *(f"{x:+.4f}" for x in (own[i], *moved))])
    yield ""
    yield from in_columns(lines)
    yield ""
    yield from words_lines(
        "without the response of: what all responses tell less what the others tell, exact; the "
        f"{len(order)} rows that the others predict worst. `--json` has all {found.n_rows}."
    )
