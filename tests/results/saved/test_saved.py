"""Saved runs: what is loaded answers as what was saved, to the bit, and what a file holds."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import zipfile
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.cli import slp_command
from slp.cli.common import run as run_command
from slp.columns import Below, Is
from slp.errors import SlpError, UnsupportedError, UsageError
from slp.problem.tree_arrays import arrays_of_trees
from slp.results.record.later import Later
from slp.results.record.parts import Ended
from slp.results.record.result import Result
from slp.results.saved import archive
from slp.results.saved.answers import PARTS
from slp.results.saved.trees import trees_of_members, trees_to_members
from slp.trees import Leaf, Split
from tests.results.saved.damaged import FORMATS
from tests.results.saved.runs import (
    EXACT,
    LEAVES,
    MH,
    MODAL,
    RUNS,
    SOFT_RUNS,
    answers,
    frame,
    new_rows,
    run,
    soft_run,
    told_by,
)

pytestmark = pytest.mark.filterwarnings("ignore")


def members(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as file:
        return set(file.namelist())


@pytest.mark.thinned(7)
@pytest.mark.parametrize("kind", LEAVES)
@pytest.mark.parametrize("name", RUNS)
def test_a_loaded_run_answers_alike(name: str, kind: str, tmp_path: Path) -> None:
    posterior = run(kind, RUNS[name])
    posterior.save(tmp_path / "run.slpz")
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    have, want = answers(loaded), answers(posterior)
    for what, found in want.items():
        assert have[what] == found, what
    assert loaded.record.describe() == posterior.record.describe()
    loaded.save(tmp_path / "again.slpz")
    assert (tmp_path / "again.slpz").read_bytes() == (tmp_path / "run.slpz").read_bytes()
    if kind != "dirichlet":
        return
    for copied in (pickle.loads(pickle.dumps(loaded)), copy.deepcopy(loaded)):
        assert answers(copied) == have


def test_a_saved_search_has_one_tree_and_says_so(tmp_path: Path) -> None:
    posterior = run("dirichlet", RUNS["search"])
    posterior.save(tmp_path / "run.slpz", table=True)
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    assert len(posterior.k_best(4)) == 4
    assert loaded.k_best(1) == posterior.k_best(1) and loaded.map().certified
    with pytest.raises(UnsupportedError, match="E562.*best tree alone"):
        loaded.k_best(4)
    with pytest.raises(UnsupportedError, match="E562.*best tree alone"):
        loaded.rashomon_set(0.5)


@pytest.mark.slow
def test_a_saved_search_has_a_report(tmp_path: Path) -> None:
    run("dirichlet", RUNS["search"]).save(tmp_path / "run.slpz", table=True)
    slp.load_posterior(tmp_path / "run.slpz").report(tmp_path / "run.html")
    assert (tmp_path / "run.html").stat().st_size > 0


def test_every_part_of_a_result_is_in_the_file_or_made_again() -> None:
    by_other_members = {"chosen", "table", "likelihood", "normalised", "seed", "kind"}
    by_other_members |= {"averaged", "draws", "trees_summed"}
    of_other_trees = {"near_best", "log_weight", "log_likelihood", "at_limit"}
    of_other_trees |= {"prior", "drawn_prior", "avoiding", "stacked", "fewer_values"}
    assert {f.name for f in fields(Result)} == {*PARTS} | by_other_members | of_other_trees


def test_a_search_whose_memory_was_full_says_so_once(tmp_path: Path) -> None:
    searched = run("dirichlet", RUNS["search"])
    assert not searched.out_of_memory
    ended = replace(searched._result, ended=Later.known(Ended(out_of_memory=True)))
    posterior = slp.Posterior(ended, searched.predicates, searched.record)
    posterior.save(tmp_path / "run.slpz")
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    assert loaded.out_of_memory and not loaded.interrupted and not loaded.out_of_time
    have, want = answers(loaded), answers(posterior)
    assert have == want and json.loads(have["json"])["out_of_memory"]
    assert "\n".join(have["page"]).count("memory was full") == 1


@pytest.mark.parametrize("name", ["mh", "smc", "modal"])
def test_a_saved_run_tells_what_it_does_not_know_as_the_run_did(name: str, tmp_path: Path) -> None:
    posterior = run("dirichlet", RUNS[name])
    posterior.save(tmp_path / "run.slpz")
    said = []
    for one in (posterior, slp.load_posterior(tmp_path / "run.slpz")):
        with pytest.raises(UsageError, match="E534") as error:
            one.rashomon_set(0.5)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.slow
@pytest.mark.parametrize("index", ["hard", "soft"])
@pytest.mark.parametrize("kind", ["dirichlet", "normal"])
def test_a_loaded_run_of_soft_trees_answers_alike(kind: str, index: str, tmp_path: Path) -> None:
    posterior = soft_run(kind, index)
    posterior.save(tmp_path / "run.slpz", table=index == "hard")
    loaded = slp.load_posterior(tmp_path / "run.slpz", threads=1)
    have, want = answers(loaded), answers(posterior)
    for what, found in want.items():
        assert have[what] == found, what
    tree = posterior.draws[3].tree
    assert loaded.log_likelihood(tree) == posterior.log_likelihood(tree)
    assert loaded.rule_probabilities() == posterior.rule_probabilities()
    assert loaded.to_arviz()["posterior"].equals(posterior.to_arviz()["posterior"])
    loaded.save(tmp_path / "again.slpz", table=index == "hard")
    assert (tmp_path / "again.slpz").read_bytes() == (tmp_path / "run.slpz").read_bytes()
    assert answers(pickle.loads(pickle.dumps(loaded))) == have
    if index == "hard":
        loaded.report(tmp_path / "run.html")
        hard = tree.hardened()  # type: ignore[attr-defined]
        fits = [p.log_likelihood(hard) for p in (loaded, posterior)]
        assert fits[0] == fits[1] and np.isfinite(fits[0])
    with pytest.raises(UnsupportedError, match="E562.*no prior"):
        loaded.prior()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exact", "mh", "rjhmc"])
def test_in_a_new_process(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The commands print the same bytes there, and Python's predictions have the same bits."""
    path, new = tmp_path / "run.slpz", tmp_path / "new.csv"
    posterior = soft_run(*SOFT_RUNS[name]) if name == "rjhmc" else run("dirichlet", RUNS[name])
    posterior.save(path)
    new_rows().write_csv(new)
    commands = [["show", path, "--verbose"], ["predict", path, new]]
    for command in commands:
        words = list(map(str, command))
        assert run_command(slp_command, words) == 0
        want = capfd.readouterr().out
        code = "import sys; from slp.cli import main; sys.exit(main())"
        call = [sys.executable, "-P", "-c", code, *words]
        have = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path)
        assert (have.returncode, have.stdout) == (0, want), have.stderr
    told = pl.read_csv(want.encode())
    assert (told["P(true)"].to_numpy() == posterior.predict_proba(new_rows())[:, 1]).all()


def test_the_rows_of_a_run_of_draws_are_not_in_its_file(tmp_path: Path) -> None:
    posterior = run("dirichlet", MH)
    posterior.save(tmp_path / "run.slpz")
    assert not any(name.startswith("rows/") for name in members(tmp_path / "run.slpz"))
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    own = posterior.map_tree()
    other = slp.Tree(Split("a", Below(0.123), Leaf(), Leaf()))
    assert loaded.log_likelihood(own) == pytest.approx(posterior.log_likelihood(own), rel=1e-12)
    assert loaded.log_prior(own) == pytest.approx(posterior.log_prior(own), rel=1e-12)
    with pytest.raises(UnsupportedError, match="E562.*without its table"):
        loaded.log_likelihood(other)
    with pytest.raises(UnsupportedError, match="E562.*without its table"):
        _ = loaded.table.codes
    for ask in (loaded.log_prior, loaded.log_posterior):
        with pytest.raises(UnsupportedError, match="E562.*weights of its own trees"):
            ask(other)
    with pytest.raises(UnsupportedError, match="E562.*no prior"):
        loaded.prior()
    posterior.save(tmp_path / "whole.slpz", table=True)
    whole = slp.load_posterior(tmp_path / "whole.slpz")
    assert answers(whole) == answers(posterior)
    assert whole.log_likelihood(other) == posterior.log_likelihood(other)
    assert (whole.table.codes == posterior.table.codes).all()


def test_exact_sums_are_made_again_from_all_that_they_need(tmp_path: Path) -> None:
    """The files that the program used are gone, and so is the table; a library prior may change."""
    (tmp_path / "boxes.slp").write_text("box(low, a, -1, 0).\n")
    text = ":- use('boxes.slp'). :- use(growtree, [alpha = 0.6]). :- response(yes).\n"
    text += ":- constraint(constant(low)). :- param(k, 2). :- support(min_leaf(k)).\n"
    (tmp_path / "prior.slp").write_text(text)
    program = slp.load(tmp_path / "prior.slp", k=4)
    posterior = program.posterior(frame()[["a", "b", "colour", "yes"]], seed=1, draws=3)
    assert posterior.engine == "exact"
    posterior.save(tmp_path / "run.slpz")
    (tmp_path / "boxes.slp").unlink()
    (tmp_path / "prior.slp").unlink()
    loaded = slp.load_posterior(tmp_path / "run.slpz", threads=1)
    assert answers(loaded) == answers(posterior)
    assert loaded.reason == posterior.reason
    tree = slp.Tree(Split("a", Below(0.5), Leaf(), Leaf()))
    assert loaded.log_posterior(tree) == posterior.log_posterior(tree)
    assert answers(loaded.prior()) == answers(posterior.prior())
    names = [used.target for used in loaded.record.files]
    assert names == ["", "boxes.slp", "growtree"] and loaded.record.parameters["k"] == 4
    with zipfile.ZipFile(tmp_path / "run.slpz") as file:
        assert text in json.loads(file.read("program.json"))["files"][0]["text"]


@pytest.mark.slow
def test_priors_and_edits_and_predicates(tmp_path: Path) -> None:
    path = tmp_path / "run.slpz"
    columns = frame()[["a", "b", "colour", "yes"]]
    given = slp.Tree(Split("a", Below(0.1), Leaf(), Split("colour", Is("red"), Leaf(), Leaf())))
    edited = slp.parse(":- use(edittree). :- response(yes).", tree=given)
    asked = slp.load("growtree").require(lambda tree: tree.n_leaves < 5)
    mixture = slp.parse(
        ":- start(t). 0.3 :: t --> few. 0.7 :: t --> many. 0.8 :: few --> leaf. "
        "0.2 :: few --> split(F, V), few, few. 0.4 :: many --> leaf. "
        "0.6 :: many --> split(F, V), many, many."
    )
    runs = [edited.posterior(columns, **MH), asked.posterior(columns, **MH)]
    runs += [mixture.posterior(columns, **MH), mixture.posterior(columns, **EXACT)]
    runs += [slp.load("growtree").prior(columns, **(MH | {"engine": "forward"}))]
    for posterior in runs:
        posterior.save(path)
        loaded = slp.load_posterior(path)
        assert answers(loaded) == answers(posterior)
        assert loaded.mixture() == posterior.mixture()
        if posterior.edits is None:
            assert loaded.rule_probabilities() == posterior.rule_probabilities()
            continue
        with pytest.raises(UsageError, match="E531"):
            loaded.rule_probabilities()
        assert loaded.edits is not None and loaded.edits.given == posterior.edits.given
        assert loaded.edits.shares == posterior.edits.shares


def test_draws_for_arviz(tmp_path: Path) -> None:
    posterior = run("dirichlet", MH)
    posterior.save(tmp_path / "run.slpz")
    have, want = slp.load_posterior(tmp_path / "run.slpz").to_arviz(), posterior.to_arviz()
    assert have["posterior"].equals(want["posterior"])
    assert have["sample_stats"].equals(want["sample_stats"])


@pytest.mark.parametrize("classes", [["p", "q"], [True, False], [3, 11]])
def test_classes_keep_their_type(classes: list[Any], tmp_path: Path) -> None:
    X, y = np.arange(12.0).reshape(6, 2), np.array(classes * 3)
    program = slp.parse(":- use(growtree). :- leaf(dirichlet([1, 2])).")
    posterior = program.posterior(X, y, **MH)
    posterior.save(tmp_path / "run.slpz")
    have = slp.load_posterior(tmp_path / "run.slpz").predict(X)
    assert have.dtype == posterior.predict(X).dtype and (have == posterior.predict(X)).all()


def test_a_deep_tree(tmp_path: Path) -> None:
    table = run("dirichlet", MODAL).table
    leaf = Leaf.of(table.leaf, np.array([1.0, 2.0]))
    node: Leaf | Split = leaf
    for i in range(5000):
        node = Split("a", Below(float(i)), leaf, node)
    trees = [slp.Tree(node), slp.Tree(leaf), slp.Tree(Split("colour", Is("red"), leaf, leaf))]
    members = trees_to_members("trees", table, arrays_of_trees(table, trees))
    archive.write_archive(tmp_path / "trees", {}, members)
    read = archive.read_archive(tmp_path / "trees", 2**30)
    assert list(trees_of_members(read, "trees", table)) == trees


# --- versions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*RUNS, *SOFT_RUNS])
@pytest.mark.parametrize("folder", FORMATS, ids=lambda folder: folder.name)
def test_files_of_every_format_are_read(folder: Path, name: str) -> None:
    """Every later version reads them, and predicts as they say."""
    path = folder / f"{name}.slpz"
    want, have = (
        json.loads(path.with_suffix(".json").read_text()),
        told_by(slp.load_posterior(path)),
    )
    assert (have["digest"], have["tree"]) == (want["digest"], want["tree"])
    # Sums made again may be added otherwise. Exponentials and quantiles differ in their last bit
    # between processors.
    for name in ("predict", "interval", "leaves"):
        found = np.asarray(have[name])
        assert found == pytest.approx(np.array(want[name]), rel=1e-12, abs=0), name


def test_there_are_files_of_every_format() -> None:
    every = range(1, archive.FORMAT + 1)
    assert [folder.name for folder in FORMATS] == [f"format_{number}" for number in every]
    for number, folder in zip(every, FORMATS, strict=True):
        for path in folder.glob("*.slpz"):
            with zipfile.ZipFile(path) as file:
                assert json.loads(file.read("manifest.json"))["format"] == number


def test_a_newer_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.slpz"
    monkeypatch.setattr(archive, "FORMAT", 3)
    run("dirichlet", MODAL).save(path)
    monkeypatch.undo()
    with pytest.raises(SlpError, match="E561.*format 3, written by slp.*reads formats up to 2"):
        slp.load_posterior(path)


# --- writing -------------------------------------------------------------------------------------


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.slpz"
    posterior = run("dirichlet", MODAL)
    posterior.save(path)
    before = path.read_bytes()

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", fails)
    with pytest.raises(UsageError, match="E701.*No space left"):
        run("dirichlet", MH).save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    with pytest.raises(UsageError, match="E701"):
        posterior.save(tmp_path / "no folder" / "run.slpz")
    monkeypatch.setattr(archive, "_MOST_BYTES", 2**16)
    with pytest.raises(SlpError, match="E563.*64.0 KiB at most"):
        posterior.save(path)
    nothing = run("dirichlet", MH | {"draws": 0})
    with pytest.raises(UsageError, match="E530"):
        nothing.save(path)


# --- commands ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`slp-sample --save`, `slp show`, `slp predict` with other columns, levels and options."""
    monkeypatch.chdir(tmp_path)
    frame()[["a", "b", "colour", "yes"]].write_csv("data.csv")
    new_rows().write_csv("new.csv")
    new_rows().drop("b").write_csv("less.csv")
    new_rows().with_columns(colour=pl.lit("pink"), more=pl.lit(1)).write_csv("pink.csv")

    def said(line: str) -> tuple[int, str, str]:
        code = run_command(slp_command, line.split())
        out, err = capsys.readouterr()
        return code, out, err

    one = "--engine mh --rungs 1 --seed 2"
    sampled = said(f"sample growtree data.csv {one} -n 40 --save run.slpz --json")
    shown = said("show run.slpz --json")
    want = {k: v for k, v in json.loads(sampled[1]).items() if k != "seconds"}
    assert json.loads(shown[1]) == want and shown[0] == 0
    predicted = said(f"predict growtree data.csv new.csv {one}")
    assert said(f"sample growtree data.csv {one} --save all.slpz")[0] == 0
    assert said("predict all.slpz new.csv") == (0, predicted[1], "")
    code, out, err = said("predict all.slpz less.csv")
    assert (code, out) == (1, "") and "error[E440]" in err
    code, out, err = said("predict all.slpz pink.csv")
    assert code == 0 and "warning[W440]" in err and len(out.splitlines()) == 7
    for line in (
        "predict all.slpz new.csv --seed 3",
        "predict all.slpz data.csv new.csv",
        "predict growtree data.csv",
        "sample growtree data.csv --save-table",
    ):
        code, out, err = said(line)
        assert (code, out) == (2, "") and err.startswith("Usage: ")
    assert said("sample growtree data.csv --save no/run.slpz")[0] == 2
    assert said("sample growtree data.csv -n 0 --save exact.slpz --save-table")[0] == 0
    assert said("show exact.slpz --memory 10KiB")[2].startswith("error[E501]")
