"""`slp new` on columns that may not be what they seem: numbers in text, zeros, orders, copies."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slp
from slp.program import first_program
from tests.cli.test_new import CLASSES, N, table
from tests.cli.test_new_events import AGES


def questions(frame: object, response: str | None = "y") -> str:
    text = first_program(frame, response)
    assert slp.parse(text).warnings == ()
    return text


WRITTEN = [
    ("{:.1f} %", ",", "[unit('%'), decimal(comma)]"),
    ("{:.1f}%", ".", "[unit('%')]"),
    ("{:.0f} mg", ".", "[unit(mg)]"),
    ("{:.2f} mg/l", ".", "[unit('mg/l')]"),
    ("{:.1f} kg/m2", ".", "[unit('kg/m2')]"),
    ("{:.1f}\u00b0C", ".", "[unit('\u00b0C')]"),
    ("$ {:.2f}", ".", "[unit($)]"),
    ("{:.0f} years", ".", "[unit(years)]"),
    ("{:.2f}", ",", "[decimal(comma)]"),
]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("form", "sign", "declared"), WRITTEN)
def test_numbers_in_text_are_noted(form: str, sign: str, declared: str) -> None:
    numbers = [form.format(v) for v in np.linspace(3, 71, N)]
    frame = pl.DataFrame({"age": AGES, "x": [v.replace(".", sign) for v in numbers], "y": CLASSES})
    text = questions(frame)
    assert f"%:- feature(x, {declared})." in text
    assert ":- ignore(x)." in text
    plain = [float(re.search(r"[0-9.]+", v)[0]) for v in numbers]  # type: ignore[index]
    used = slp.parse(f":- use(growtree). :- feature(x, {declared}).")
    have = used.posterior(frame, draws=0, seed=1)
    want = used.posterior(frame.with_columns(pl.Series("x", plain)), draws=0, seed=1)
    assert have.log_evidence == want.log_evidence


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["1 day", "3 days", "2 weeks"], "the units day, days and weeks"),
        (["10 mg", "20 mg", "none", "5 mg"], "hold something else"),
        (["1,234", "2,500", "10,000"], "a comma for thousands"),
        (["3A", "3B", "12A"], None),
        (["1st", "2nd", "3rd"], None),
        (["a1", "a2", "b1"], None),
    ],
)
def test_text_that_no_line_reads(cells: list[str], told: str | None) -> None:
    text = questions(table(x=(cells * N)[:N], y=CLASSES))
    assert not re.search(r"feature\(x, \[(unit|decimal)", text)
    shown = " ".join(line.removeprefix("% ") for line in text.splitlines())
    assert ("seems to hold numbers" in shown) == (told is not None)
    assert told is None or told in shown


@pytest.mark.parametrize(
    ("values", "odd"),
    [
        ([0, *range(44, 83)], True),
        ([0.0] * 15 + [v / 10 for v in range(180, 205)], True),
        (list(range(N)), False),
        ([i % 6 for i in range(N)], False),
        ([0, 10, 20, 50] * (N // 4), False),
        ([0] * 30 + list(range(50, 60)), False),
        ([-1, *([0] * 9), *range(60, 90)], False),
        (list(range(1, N + 1)), False),
    ],
)
def test_zeros_for_missing_values_are_noted(values: list[float], odd: bool) -> None:
    text = questions(table(x=values, y=CLASSES))
    assert ("%:- feature(x, [numeric, missing(side)])." in text) == odd


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "order",
    [
        ["low", "medium", "high"],
        ["Low", "Moderate", "High", "Very high"],
        ["I", "II", "III", "IV"],
        ["stage i", "stage ii", "stage iii"],
        ["IIa", "IIb", "IIIa", "IV"],
        ["grade 1", "grade 2", "grade 10"],
        ["T1", "T2", "T3", "T4"],
        ["<20", "20-29", "30-39", "40+"],
        ["S", "M", "L", "XL"],
        ["none", "mild", "moderate", "severe"],
        ["never", "rarely", "sometimes", "often", "always"],
        ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"],
        ["1 low", "2 mid", "3 high"],
    ],
)
def test_ordered_words_are_noted(order: list[str]) -> None:
    cells = [order[(7 * i + i // 3) % len(order)] for i in range(N)]
    text = questions(table(x=cells, y=CLASSES))
    (line,) = [k for k in text.splitlines() if k.startswith("%:- feature(x, [ordinal(")]
    program = slp.parse(f":- use(growtree). {line.removeprefix('%')}")
    assert program.ir.orders == {"x": tuple(order)}
    assert ":- feature(x, [categorical])." in text
    response = first_program(table(z=cells), "z")
    shown = line.split("ordinal([")[1].split("])")[0]
    assert f"[ordinal([{shown}])])" in response or len(line) > 80


@pytest.mark.parametrize(
    "levels", [["a", "b", "c"], ["high", "low"], ["red", "low", "high"], ["A11", "A12", "A13"]]
)
def test_other_words_are_not(levels: list[str]) -> None:
    text = questions(table(x=[levels[i % len(levels)] for i in range(N)], y=CLASSES))
    assert "ordinal" not in text


def test_types_that_list_their_categories() -> None:
    cells = ["b", "a", "c", "a"] * (N // 4)
    enum = table(x=pl.Series(cells, dtype=pl.Enum(["c", "a", "b"])), y=CLASSES)
    assert "%:- feature(x, [ordinal([c, a, b])])." in questions(enum)
    frame = table(y=CLASSES).to_pandas()
    frame["x"] = pd.Categorical(cells, ["c", "a", "b"], ordered=True)
    text = questions(frame)
    assert "\n:- feature(x, [ordinal([c, a, b])])." in text
    frame.loc[3, "x"] = None
    assert "\n:- ignore(x)." in questions(frame)


A = [(3 * i) % 8 for i in range(N)]
SAME = {
    "equal": (A, A, "`b` has the same values as `a`"),
    "another unit": (A, [2.54 * v for v in A], "`b` and `a` tell the same"),
    "turned round": (A, [-v for v in A], "`b` and `a` tell the same"),
    "names for numbers": (A, [f"level {chr(97 + (5 * v) % 8)}" for v in A], "tell the same"),
    "other names": ([f"k{v}" for v in A], [f"m{7 - v}" for v in A], "tell the same"),
    "other": (A, [(5 * i + i // 7) % 8 for i in range(N)], None),
    "numbers that are names": (A, [(5 * v) % 8 for v in A], None),
}


@pytest.mark.parametrize("case", SAME)
def test_columns_that_say_the_same_are_noted(case: str) -> None:
    a, b, told = SAME[case]
    text = questions(table(a=a, b=b, y=CLASSES))
    assert ("%:- ignore(b)." in text) == (told is not None)
    assert told is None or told in text


NOISE = np.random.default_rng(2).normal(50, 9, N)
AGAIN = [
    (NOISE, (NOISE * 2.2046).round(1), True),
    (NOISE, (NOISE * 1.8 + 32).round(0), True),
    (NOISE, np.exp(NOISE / 9), True),
    (NOISE, 100 - NOISE, True),
    (CLASSES, [c == "yes" for c in CLASSES], True),
    (["a", "b", "c", "d"] * (N // 4), [3, 1, 4, 2] * (N // 4), True),
    (NOISE, NOISE + np.random.default_rng(3).normal(0, 3, N), False),
    (CLASSES, [i % 3 for i in range(N)], False),
]


@pytest.mark.parametrize(("y", "x", "again"), AGAIN)
def test_the_response_in_other_units_is_noted(y: object, x: object, again: bool) -> None:
    text = questions(table(x=x, y=y))
    assert ("%:- ignore(x)." in text) == again
