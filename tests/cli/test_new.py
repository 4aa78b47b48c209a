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
from slp.lsp.checks import Job, check
from slp.lsp.tables import named_in
from slp.program import find_mistakes, first_program
from slp.source import SourceFile
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
    missing = "1 of 40 cells missing; to use it, take these rows out, or this line in its place:"
    found = ("numbers the rows", "names the rows", "one value only", missing)
    for words in (*found, "row 1 holds `?`", "seems to hold dates"):
        assert words in text
    assert [f.name for f in program.features] == ["age", "dose"]
    assert slp.parse(first_program(odd, "dose")).ir.response == "dose"


def test_the_line_that_a_column_with_missing_cells_needs_is_there() -> None:
    """Put in place of the one that leaves the column out, it runs, for numbers and for an order."""
    cells = ["small" if i % 3 else "large" if i % 2 else None for i in range(N)]
    holes = table(
        weight=[None if i % 5 == 0 else i % 11 for i in range(N)],
        outcome=CLASSES,
    ).to_pandas()
    holes["size"] = pd.Categorical(cells, ["small", "middle", "large"], ordered=True)
    holes = holes[["age", "weight", "size", "outcome"]]
    lines = first_program(holes).splitlines()
    for name, kind in (("weight", "numeric"), ("size", "ordinal([small, middle, large])")):
        i = next(i for i, line in enumerate(lines) if line.startswith(f":- ignore({name})."))
        assert lines[i + 1].startswith(f"%:- feature({name}, [{kind}, missing(side)]).")
        lines[i : i + 2] = [lines[i + 1][1:]]
    posterior = slp.parse("\n".join(lines)).posterior(holes, draws=0, engine="exact")
    assert {"weight", "size"} <= set(posterior.split_probabilities())


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


@pytest.mark.parametrize(
    ("program", "table", "want"),
    [
        ("prior.slp", "t.csv", "t.csv"),
        ("prior.slp", "own data/t.csv", "own data/t.csv"),
        ("programs/prior.slp", "programs/t.csv", "t.csv"),
        ("programs/prior.slp", "t.csv", None),  # outside the program's folder
    ],
)
def test_editors_find_the_table(
    slp_run, tmp_path: Path, monkeypatch, program: str, table: str, want: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (Path(program), Path(table)):
        path.parent.mkdir(exist_ok=True)
    Path(table).write_text("age,dose,y\n1,5,a\n2,5,a\n3,6,b\n4,7,b\n5,5,a\n6,7,b\n")
    assert slp_run("new", table, "-o", program).code == 0
    named = named_in(SourceFile.read(program))
    assert (None if named is None else named[0]) == want
    assert check(Job(Path(program).read_text(), tmp_path / program)).found == ()
