"""`slp new` on durations: it asks which codes of a column are events, and never guesses."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import slp
from slp.program import first_program
from tests.cli.test_new import CLASSES, TABLES, N, table

TIMES = np.linspace(1, 8, N)
AGES = [20 + i % 6 for i in range(N)]
HALF = np.array([1, 0] * (N // 2))
FIRST = {"1/2": (HALF + 1, "2"), "0/1": (HALF, "1"), "truths": (HALF == 1, "true")}
WORDS = [
    ("yes", "no", "yes"),
    ("Yes", "No", "'Yes'"),
    ("Y", "N", "'Y'"),
    ("TRUE", "FALSE", "'TRUE'"),
    ("dead", "alive", "dead"),
    ("1:DECEASED", "0:LIVING", "'1:DECEASED'"),
    ("event", "censored", "event"),
    ("relapse", "no relapse", "relapse"),
    ("died of disease", "alive", "'died of disease'"),
]
FIRST |= {f"{a}/{b}": ([a if h else b for h in HALF], code) for a, b, code in WORDS}
NAMES = [
    ("time", "status"),
    ("futime", "fustat"),
    ("os_months", "dead"),
    ("survival", "death"),
    ("days", "died"),
    ("Overall Survival (Months)", "Overall Survival Status"),
    ("tte", "event"),
    ("tenure", "Churn"),
    ("duration", "failed"),
    ("lifetime", "delta"),
    ("pfs", "progressed"),
    ("rfs", "relapse"),
    ("fu_time", "death_event"),
    ("T", "E"),
    ("years", "vital_status"),
]


def offered_in(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("%:- response(")]


@pytest.mark.thinned(6)
@pytest.mark.parametrize("coding", FIRST)
@pytest.mark.parametrize(("time", "status"), NAMES)
def test_events_are_asked_for(time: str, status: str, coding: str) -> None:
    cells, code = FIRST[coding]
    frame = pl.DataFrame({"age": AGES, time: TIMES, status: cells})
    text = first_program(frame)
    assert "% QUESTION: does" in text and "Until you say so" in text
    (line,) = [k for k in offered_in(text) if ", event(" in k]
    assert line.endswith(f", {code})).")
    program = slp.parse(text).ir
    assert (program.response, program.event, program.ignored) == (status, None, (time,))
    leaf = text.splitlines()[text.splitlines().index(line) + 1].removeprefix("%")
    answered = slp.parse(f":- use(growtree). {line.removeprefix('%')} {leaf}")
    assert answered.ir.response == time
    plain = frame.with_columns(pl.Series(status, HALF))
    want = slp.parse(f":- use(growtree). :- response('{time}', event('{status}')). {leaf}")
    found = (answered.posterior(frame, draws=0, seed=1), want.posterior(plain, draws=0, seed=1))
    assert found[0].log_evidence == found[1].log_evidence


@pytest.mark.parametrize("cells", [HALF, HALF == 1, [("no", "yes")[h] for h in HALF]])
@pytest.mark.parametrize(("status", "both"), [("cens", True), ("censored", True), ("alive", False)])
def test_reversed_events_are_asked_for(status: str, both: bool, cells: object) -> None:
    lines = [k for k in offered_in(first_program(table(time=TIMES, **{status: cells})))]
    codes = [re.search(r", (\w+)\)\)\.", line)[1] for line in lines]  # type: ignore[index]
    assert codes[0] in ("0", "false", "no")
    assert codes[1:] == (
        ["1" if codes[0] == "0" else {"false": "true", "no": "yes"}[codes[0]]] * both
    )


@pytest.mark.parametrize(
    "columns",
    [
        {"time": TIMES, "smoking_status": HALF},
        {"time": TIMES, "marital_status": ["single", "married"] * (N // 2)},
        {"weight": TIMES, "status": HALF},
        {"time": HALF, "status": HALF},
        {"time": TIMES - 3, "status": HALF},
        {"birth_year": TIMES + 1900, "died": HALF},
        {"time": TIMES, "status": [1] * N},
        {"time": TIMES, "status": np.arange(N) % 7},
        {"time": TIMES, "status": HALF / 2},
        {"time": TIMES, "status": HALF, "y": CLASSES},
        {f"years_{i}": TIMES + i for i in range(6)} | {"attrition": HALF},
    ],
)
def test_what_is_no_duration_is_not_asked_for(columns: dict[str, object]) -> None:
    assert "QUESTION" not in first_program(table(**columns), None)


def test_the_response_may_be_named_in_a_pair() -> None:
    text = first_program(TABLES["durations"], "time")
    program = slp.parse(text).ir
    assert (program.response, program.ignored) == ("time", ("status",))
    assert "`time` by itself is the response and `status` is not used" in " ".join(
        line.removeprefix("% ") for line in text.splitlines()
    )
    assert offered_in(text)[0] == "%:- response(time, event(status, 1))."
    assert "QUESTION" not in first_program(TABLES["durations"], "dose")


def test_several_durations_and_codes_are_asked_for() -> None:
    lines = offered_in(first_program(TABLES["two durations"]))
    assert lines == [
        "%:- response(os, event(os_event, 1)).",
        "%:- response(pfs, event(pfs_event, event)).",
    ]
    lines = offered_in(first_program(TABLES["three codes"]))
    assert lines[:2] == [
        "%:- response(time, event(status, [1, 2])).",
        "%:- response(time, event(status, 2, [0, 1])).",
    ]


def test_rows_that_cannot_be_durations_are_told() -> None:
    times = [0.0, None, *TIMES[2:].tolist()]
    text = first_program(table(time=times, status=HALF))
    assert "2 rows without one of the two, or with a duration of 0" in text
