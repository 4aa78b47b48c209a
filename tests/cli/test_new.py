"""`slp new`: the program that it writes runs as it stands, and so does each line that it offers."""

from __future__ import annotations

import random
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slp
from slp.cli import slp_command
from slp.cli.common import run
from slp.data import read_columns
from slp.errors import SlpWarning
from slp.program import find_mistakes, first_program
from slp.syntax import format_program, parse_program

ROOT = Path(__file__).resolve().parents[2]
ATOM_OF_CODE = "x').\n:- constraint(python(\"os:getcwd\")).\n%'"


def table(n: int = 40, **columns: object) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    given = {"age": rng.integers(20, 60, n), "dose": rng.normal(size=n).round(2)}
    return pl.DataFrame({**given, **columns})


N = 40
CLASSES = ["no", "yes"] * (N // 2)
TABLES = {
    "classes": table(y=CLASSES),
    "three classes": table(y=["low", "mid", "high", "mid"] * (N // 4)),
    "numbers": table(y=np.linspace(-3, 1e9, N)),
    "counts": table(y=np.arange(N) * 2),
    "all the same": table(y=[1.5] * N),
    "durations": table(time=np.linspace(1, 8, N), status=[1, 0] * (N // 2)),
    "truths": table(sick=[True, False] * (N // 2), y=CLASSES),
    "text": table(ward=["a", "B b", "it's", "%"] * (N // 4), y=CLASSES),
    "hostile names": table(y=CLASSES).rename({"age": ATOM_OF_CODE, "dose": "<script>"}),
    "hostile response": table(y=CLASSES).rename({"y": ATOM_OF_CODE}),
    "hostile levels": table(level=[ATOM_OF_CODE, "\u202e", "a\nb", "c"] * (N // 4), y=CLASSES),
    "names of Prolog": table(y=CLASSES).rename({"age": "[]", "dose": "_", "y": ":-"}),
    "durations in words": table(os_months=np.linspace(1, 8, N), dead=CLASSES),
    "two durations": table(
        os=np.linspace(1, 8, N),
        os_event=[1, 0] * (N // 2),
        pfs=np.linspace(1, 5, N),
        pfs_event=["event", "censored"] * (N // 2),
    ),
    "three codes": table(time=np.linspace(1, 8, N), status=[0, 1, 2, 0] * (N // 4)),
    "censoring": table(futime=np.linspace(1, 8, N), cens=["TRUE", "FALSE"] * (N // 2)),
    "numbers in text": table(
        fat=[f"{i / 7:.1f} %".replace(".", ",") for i in range(N)],
        mass=[f"{i % 9} mg" for i in range(N)],
        y=CLASSES,
    ),
    "a response in text": table(y=[f"{i / 7:.2f} kg" for i in range(N)]),
    "zeros": table(glucose=[0, *range(44, 83)], y=CLASSES),
    "ordered words": table(
        risk=["low", "medium", "high", "low"] * (N // 4),
        stage=["I", "II", "III", None] * (N // 4),
        y=["poor", "fair", "good", "good"] * (N // 4),
    ),
    "the same twice": table(a=[i % 7 for i in range(N)], y=CLASSES).with_columns(
        b=pl.col("a"), c=-2.5 * pl.col("a"), yes=pl.col("y") == "yes"
    ),
    "the response again": table(euro=np.arange(N) * 1.5, y=np.arange(N) * 1.62),
    "an enum": table(
        size=pl.Series(["b", "a", "c", "a"] * (N // 4), dtype=pl.Enum(["c", "a", "b"])), y=CLASSES
    ),
    "small": pl.DataFrame({"a": [1, 2, 3], "y": ["u", "v", "v"]}),
}


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", TABLES)
def test_the_program_runs_as_it_stands(name: str) -> None:
    text = first_program(TABLES[name])
    program = slp.parse(text)
    assert program.warnings == ()
    posterior = program.posterior(TABLES[name], engine="modal", seed=1)
    assert posterior.map_tree().n_leaves >= 1
    assert format_program(parse_program(program.source)) == text
    assert [c for c in program.ir.constraints] == []


@pytest.mark.thinned(12)
@pytest.mark.parametrize("name", TABLES)
def test_each_offered_line_is_right(name: str, tmp_path: Path) -> None:
    lines = first_program(TABLES[name]).splitlines()
    offered = [i for i, line in enumerate(lines) if re.match(r"%(:-|box)", line)]
    assert offered
    for i in offered:
        line = lines[i].removeprefix("%")
        directive = re.match(r":- (support|response|leaf)", line)
        kept = [k for k in lines if directive is None or not k.startswith(directive[0])]
        if "constant(middle)" in line:
            line += "\n" + lines[i - 1].removeprefix("%")
        if "gamma_exponential" in line:
            continue  # it stands below the response that it goes with
        if ", event(" in line:
            line += "\n" + lines[i + 1].removeprefix("%")
            kept = [k for k in kept if not k.startswith(":- leaf")]
        column = re.match(r":- (?:feature\((.+?), \[|ignore\((.+)\)\.$)", line)
        if column is not None:
            own = tuple(
                f":- {k}({column[1] or column[2]}{e}"
                for k, e in (("feature", ","), ("ignore", ")"))
            )
            kept = [k for k in kept if not k.startswith(own)]
        path = tmp_path / "prior.slp"
        path.write_text("\n".join([*kept, line, ""]))
        found = [f for f in find_mistakes(path, TABLES[name]) if f.severity == "error"]
        assert found == [], line


def test_the_roles_of_columns() -> None:
    odd = table(
        id=np.arange(N) + 7,
        name=[f"patient {i}" for i in range(N)],
        site=["Ulm"] * N,
        weight=[None, *range(N - 1)],
        dose_2=["?", *(str(i % 9) for i in range(N - 1))],
        day=[f"2024-03-{i % 28 + 1:02}" for i in range(N)],
        seen=pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 9), eager=True),
        outcome=CLASSES,
        last=[3.5] * N,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlpWarning)
        text = first_program(odd)
    program = slp.parse(text).ir
    assert program.response == "outcome"
    left_out = ("id", "name", "site", "weight", "dose_2", "day", "seen", "last")
    assert program.ignored == left_out
    missing = "1 of 40 cells missing; to use it, declare missing(side), or take these rows out"
    found = ("numbers the rows", "names the rows", "one value only", missing)
    for words in (*found, "row 1 holds `?`", "seems to hold dates"):
        assert words in text
    assert [f.name for f in program.features] == ["age", "dose"]
    assert slp.parse(first_program(odd, "dose")).ir.response == "dose"


def test_missing_values_of_text_are_a_level() -> None:
    holes = table(
        savings=[None if i % 5 == 0 else ("little", "rich")[i % 2] for i in range(N)],
        paid=[None if i % 7 == 0 else i % 3 == 0 for i in range(N)],
        lost=["missing" if i % 2 else None for i in range(N)],
        outcome=CLASSES,
    )
    text = first_program(holes)
    assert ":- feature(savings, [categorical, missing(level)])." in text
    assert "2 levels: little, rich; 8 of 40 cells missing, one more level" in text
    assert ":- feature(paid, [categorical, missing(level)])." in text
    assert ":- ignore(lost).  % `missing` is a value" in text
    posterior = slp.parse(text).posterior(holes, engine="modal", seed=1)
    assert posterior.predict(holes.drop("outcome")).shape == (N,)


@pytest.mark.parametrize(
    ("columns", "response", "code"),
    [
        ({"y": [None, *CLASSES[1:]]}, None, "E420"),
        ({"y": CLASSES}, "z", "E425"),
        ({"y": CLASSES, "age": [1] * N, "dose": [2] * N}, None, "E424"),
    ],
)
def test_what_cannot_run_is_told(
    columns: dict[str, object], response: str | None, code: str
) -> None:
    with pytest.raises(slp.SlpError) as caught:
        first_program(table(**columns), response)
    assert caught.value.diagnostics[0].code == code


@pytest.mark.slow
def test_random_names_parse(tmp_path: Path) -> None:
    signs = "aZ_0 ,.'\"\\%()[]{}|:-+*/!;\n\t\x00\x1b\u202e\u2028é日<>&$"
    draw = random.Random(19)
    for _ in range(60):
        made = {"".join(draw.choices(signs, k=draw.randint(1, 6))) for _ in range(4)}
        names = [name for name in sorted(made) if name.strip()][:3]
        frame = pl.DataFrame({name: [1.0, 2.5, 2.0, 7.0] for name in names} | {"y": list("abab")})
        if len(names) < 2:
            continue
        program = slp.parse(first_program(frame, "y")).ir
        assert [f.name for f in program.features] == names
        assert program.constraints == ()


def test_a_file_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = ROOT / "examples" / "iris" / "iris.csv"
    assert run(slp_command, ["new", str(data), "-o", "prior.slp"]) == 0
    written = Path("prior.slp").read_text()
    assert written == first_program(read_columns(data), data=str(data))
    Path("prior.slp").write_text("mine")
    assert run(slp_command, ["new", str(data), "-o", "prior.slp"]) == 2
    assert Path("prior.slp").read_text() == "mine"
    assert run(slp_command, ["new", str(data), "-o", "prior.slp", "--force"]) == 0
    assert Path("prior.slp").read_text() == written


# --- durations ---------------------------------------------------------------------------------

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


# --- questions about columns -------------------------------------------------------------------


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
