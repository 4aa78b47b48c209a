"""`slp sensitivity PRIOR DATA`: what answers owe to each number of a program, and to each row."""

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
from slp.source import visible

#: So many rows of the most influence are printed.
_MOST_ROWS = 5
#: So many numbers stand beside each other.
_BESIDE = 8

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
        found = program.sensitivity(frame, response, rows=rows or None, progress=progress, **limits)
    say_compared(found, limits["time"], as_json, _lines(found, data))


def _lines(found: slp.Sensitivity, data: str) -> Iterator[str]:
    yield f"data      {data}: {found.n_rows} rows, response {visible(found.response)}"
    yield f"evidence  {found.log_evidence:.4f} exact"
    yield ""
    if found.slopes:
        yield from _table(found)
        yield ""
        yield from _answers(found)
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
    """The numbers, each with the derivative of the log evidence and the interval."""
    lines = [["", "number", "value", "evidence", "best tree stays"]]
    for i, slope in enumerate(found.slopes, 1):
        value = visible(slope.label) if slope.kind == "label" else number_text(slope.value)
        evidence = f"{slope.log_evidence:+.4f}"
        lines.append([str(i), visible(slope.words), value, evidence, slope.interval])
    return in_columns(lines)


def _answers(found: slp.Sensitivity) -> Iterator[str]:
    """What trees use and rows are told, with the derivatives by each number."""
    names = [f"uses {visible(name)}" for name in found.features]
    names += [_column(row, label) for row in found.rows for label in _told(found)]
    now = [*found.used.values(), *found.predictions.ravel().tolist()]
    by = [[*s.used, *s.predictions.ravel().tolist()] for s in found.slopes]
    for first in range(0, len(by), _BESIDE):
        some = by[first : first + _BESIDE]
        lines = [["answer", "now", *(f"by {first + i}" for i in range(1, len(some) + 1))]]
        for i, name in enumerate(names):
            lines.append([name, f"{now[i]:.4f}", *(f"{own[i]:+.4f}" for own in some)])
        if first:
            yield ""
        yield from in_columns(lines)


def _told(found: slp.Sensitivity) -> tuple[str, ...]:
    return tuple(label_text(label) for label in found.classes) or ("",)


def _column(row: str, label: str) -> str:
    return f"{row}: {visible(label)}" if label else row


def _columns_in_words(found: slp.Sensitivity) -> Iterator[str]:
    yield (
        "evidence: the derivative of the log evidence by the number (nats); by 1, 2, ...: those of "
        "the answers, which are the probability that the tree splits on a feature"
        + (", and what a row is told. " if found.rows else ". ")
        + "All are exact."
    )
    if any(slope.kind == "label" for slope in found.slopes):
        yield (
            "log label: by the logarithm of the label, where the other labels of its state are "
            "rescaled, and sum to what they did."
        )
    yield (
        "best tree stays: where the most probable tree stays the most probable one, found by "
        "bisection and checked at 20 values, not proven."
    )
    for why_not in dict.fromkeys(s.why_not for s in found.slopes if s.why_not):
        names = [visible(s.words) for s in found.slopes if s.why_not == why_not]
        yield f"{', '.join(names)}: {why_not}"


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
        lines.append([f"row {influence.rows[i]}", *(f"{x:+.4f}" for x in (own[i], *moved))])
    yield ""
    yield from in_columns(lines)
    yield ""
    yield from words_lines(
        "without the response of: what all responses tell less what the others tell, exact; the "
        f"{len(order)} rows that the others predict worst. `--json` has all {found.n_rows}."
    )
