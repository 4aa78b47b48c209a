"""`slp plot`: files of pictures, saved runs, and usage."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import slp
import slp.plot
from slp.cli import slp_command
from slp.cli.common import run
from slp.cli.pictures import KINDS

TABLE = "age,dose,ill\n" + "".join(
    f"{20 + i},{i % 4},{'yes' if i * 7 % 9 > 3 or i > 25 else 'no'}\n" for i in range(40)
)
PRIOR = ":- use(growtree).\nbox(mid, age, 30.5, 40.5).\n:- constraint(constant(mid)).\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("prior.slp").write_text(PRIOR)
    Path("data.csv").write_text(TABLE)
    return tmp_path


def plot(*arguments: str) -> int:
    return run(slp_command, ["plot", *arguments])


@pytest.mark.thinned(8)
@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("evidence", "survival")])
def test_every_kind_is_drawn(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [] if kind == "sensitivity" else ["-n", "40", "--seed", "1"]
    if kind in ("traces", "ranks", "swaps", "round-trips"):
        arguments += ["--engine", "mh", "--rounds", "6"]
    code = plot(kind, "prior.slp", "data.csv", "-o", "p.svg", *arguments)
    said = capsys.readouterr()
    assert code == 0, said.err
    assert said.out == "" and said.err.endswith("p.svg written\n")
    assert Path("p.svg").read_text().startswith("<?xml")
    assert [p.name for p in Path().iterdir() if p.name.startswith(".")] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "begins"), [("p.svg", b"<?xml"), ("p.PNG", b"\x89PNG"), ("p.pdf", b"%PDF")]
)
def test_the_ending_says_the_format(name: str, begins: bytes) -> None:
    assert plot("leaves", "prior.slp", "data.csv", "-o", name) == 0
    assert Path(name).read_bytes().startswith(begins)


def test_it_is_the_picture_of_python() -> None:
    import polars as pl

    assert plot("tree", "prior.slp", "data.csv", "-o", "p.svg") == 0
    posterior = slp.load("prior.slp").posterior(pl.read_csv("data.csv"), engine="best")
    tree, boxes = posterior.map_tree(), posterior.record.boxes
    want = slp.plot.picture_bytes(lambda: slp.plot.tree(tree, boxes=boxes))
    assert Path("p.svg").read_bytes() == want


def test_programs_by_their_evidence() -> None:
    assert plot("evidence", "prior.slp", "growtree", "data.csv", "-o", "p.svg") == 0
    text = Path("p.svg").read_text()
    assert ">prior.slp<" in text and ">growtree<" in text and text.count("exact</text>") == 2


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["exact", "mh"])
def test_a_saved_run_is_drawn(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    import polars as pl

    frame = pl.read_csv("data.csv")
    found = slp.load("prior.slp").posterior(frame, engine=engine, seed=1, draws=40)
    found.save("run.slpz")
    for kind in ("tree", "best-trees", "features", "thresholds"):
        assert plot(kind, "run.slpz", "-o", f"{kind}.svg") == 0, capsys.readouterr().err
    assert "contains mid" in Path("tree.svg").read_text()
    assert "prior, exact" in Path("features.svg").read_text()
    assert plot("calibration", "run.slpz", "--new", "data.csv", "-o", "c.svg") == 0
    assert "40 rows, those of --new" in Path("c.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tree", "prior.slp", "data.csv"], "Missing option '-o'"),
        (["tree", "prior.slp", "data.csv", "-o", "p.jpg"], "ends in .svg, .png, .pdf"),
        (["tree", "data.csv", "-o", "p.svg"], "give tree PRIOR DATA"),
        (["tree", "growtree", "run.slpz", "-o", "p.svg"], "give tree PRIOR DATA"),
        (["tree", "prior.slp", "data.csv", "-o", "p.svg", "--best", "2"], "takes no --best"),
        (["leaves", "run.slpz", "-o", "p.svg", "--seed", "1"], "takes no --seed"),
        (["evidence", "data.csv", "-o", "p.svg"], "PRIOR... DATA"),
        (["pie", "prior.slp", "data.csv", "-o", "p.svg"], "there is no picture `pie`"),
        (["heat-map", "prior.slp", "data.csv", "-o", "p.svg", *["--feature", "age"] * 3], "two"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert plot(*arguments) == 2
    assert words in re.sub(r"\s+", " ", capsys.readouterr().err)
    assert not Path("p.svg").exists()


def test_an_error_leaves_the_old_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.svg").write_text("old")
    assert plot("swaps", "prior.slp", "data.csv", "-o", "p.svg") == 1
    assert "E571" in capsys.readouterr().err
    assert Path("p.svg").read_text() == "old"


@pytest.mark.slow
def test_a_sampler_stands_beside_the_prior_by_auto() -> None:
    """A second run of the chains would take as long as the first."""
    arguments = ["--engine", "mh", "--rounds", "6", "-n", "40", "--seed", "1"]
    assert plot("features", "prior.slp", "data.csv", "-o", "p.svg", *arguments) == 0
    text = Path("p.svg").read_text()
    assert "prior, exact" in text and "posterior, estimate from 40 draws" in text


@pytest.mark.slow
def test_a_saved_run_without_its_table_takes_rows(capsys: pytest.CaptureFixture[str]) -> None:
    import polars as pl

    frame = pl.read_csv("data.csv")
    found = slp.load("prior.slp").posterior(frame, engine="mh", seed=1, draws=40)
    found.save("run.slpz")
    assert plot("heat-map", "run.slpz", "-o", "p.svg") == 1
    assert "E562" in capsys.readouterr().err
    for kind in ("heat-map", "dependence"):
        assert plot(kind, "run.slpz", "--new", "data.csv", "-o", "p.svg") == 0


def test_names_are_checked_before_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_of_an_engine(*_: object, **__: object) -> None:
        raise AssertionError("it runs")

    monkeypatch.setattr(slp.Program, "posterior", run_of_an_engine)
    given = ["dependence", "prior.slp", "data.csv", "-o", "p.svg"]
    assert plot(*given, "--feature", "Age") == 2
    assert "did you mean `age`?" in capsys.readouterr().err
    assert plot(*given, "--class", "yess") == 2
    assert "did you mean `yes`?" in capsys.readouterr().err
    Path("data.csv").write_text(TABLE.replace("yes", "1.5").replace("no", "2.5"))
    assert plot(*given, "--class", "1.5") == 2
    assert "the response `ill` is numeric" in capsys.readouterr().err
