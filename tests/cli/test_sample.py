"""`slp-sample`: the contract of its JSON, its summary, its draws, its exit codes."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import slp
from slp.errors import BudgetError, Diagnostic
from tests.cli.conftest import HABERMAN

KEYS = {
    "engine",
    "reason",
    "size",
    "n_rows",
    "n_features",
    "log_evidence",
    "log_evidence_bounds",
    "depends_on_clock",
    "left_out",
    "notes",
    "tree_count",
    "map",
    "mean_leaves",
    "mean_leaves_error",
    "features",
    "features_error",
    "rules",
    "edits",
    "diagnostics",
    "interrupted",
    "draws",
    "seed",
    "seconds",
    "version",
}
MAP_KEYS = {
    "tree",
    "log_joint",
    "normalised",
    "log_posterior",
    "upper_bound",
    "certified",
    "n_leaves",
}


def test_trees_that_prolog_proposes(slp_run, table: Path, janus: ModuleType) -> None:
    """`--engine prolog`: the same keys, and the same summary but for the engine's name."""
    short = ("--seed", 3, "-n", 20, "--warmup", 10, "--thin", 1)
    result = slp_run("slp-sample", "growtree", table, "--engine", "prolog", "--json", *short)
    have = json.loads(result.out)
    assert result.code == 0 and set(have) == KEYS and set(have["map"]) == MAP_KEYS
    assert (have["engine"], have["reason"], have["draws"]) == ("prolog", "asked for", 20)
    summary = slp_run("slp-sample", "growtree", table, "--engine", "prolog", *short).out
    assert "engine    prolog: asked for\n" in summary
    assert "draws     20 draws of 4 chains, seed 3\n" in summary


def test_json_says_what_the_library_says(slp_run, table: Path) -> None:
    result = slp_run("slp-sample", "growtree", table, "--json", "--seed", 3, "-n", 5)
    have = json.loads(result.out)
    assert (result.code, result.err) == (0, "")
    assert set(have) == KEYS and set(have["map"]) == MAP_KEYS
    import polars

    posterior = slp.load("growtree").posterior(polars.read_csv(table), seed=3)
    assert have["log_evidence"] == pytest.approx(posterior.log_evidence, rel=1e-12)
    assert have["map"]["tree"] == posterior.map_tree().to_dict(predictive=True)
    assert have["tree_count"] == posterior.tree_count()
    assert have["mean_leaves"] == pytest.approx(posterior.expected_leaves(), rel=1e-12)
    assert have["features"].keys() == {"age", "dose"}
    assert (have["n_rows"], have["n_features"], have["draws"], have["seed"]) == (6, 2, 5, 3)
    joint = have["map"]["log_joint"] - have["log_evidence"]
    assert have["map"]["log_posterior"] == pytest.approx(joint, rel=1e-12)


def test_draws_are_whole_lines_and_the_same_for_the_same_seed(
    slp_run, table: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    for path in (first, second):
        assert slp_run("slp-sample", "denison", table, "-n", 7, "--seed", 1, "-o", path).code == 0
    assert first.read_text() == second.read_text()
    lines = [json.loads(line) for line in first.read_text().splitlines()]
    assert [line["draw"] for line in lines] == list(range(7))
    import polars

    posterior = slp.load("denison").posterior(polars.read_csv(table), draws=0)
    for line in lines:
        tree = slp.Tree.from_dict(line["tree"])
        assert line["log_prior"] == pytest.approx(posterior.log_prior(tree), rel=1e-9)
        assert line["log_likelihood"] == pytest.approx(posterior.log_likelihood(tree), rel=1e-9)


def test_no_draws_when_none_are_asked_for(slp_run, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "draws.jsonl"
    assert slp_run("slp-sample", "growtree", table, "-n", 0, "-o", out).code == 0
    assert out.read_text() == ""


def test_summary_names_data_prior_engine_and_evidence(slp_run) -> None:
    result = slp_run(
        "slp-sample", HABERMAN / "prior.slp", HABERMAN / "haberman.csv", "--seed", 1, "-n", 2
    )
    assert result.code == 0
    for want in (
        r"^trust     exact: sums over all trees$",
        r"^evidence  log P\(y \| features\) = -\d+\.\d+$",
        r"^MAP tree  posterior probability 0\.\d+, \d+ leaves$",
        r"^features  probability that a tree splits on it, splits expected$",
        r"^leaves    \d\.\d+ expected$",
        r"^fit       this tree is right for 2\d\d of the table's 306 rows \(always \d: 225\)$",
        r"^data      .*haberman.csv: 306 rows, 3 features; \d+ distinct rows, ",
        r"^prior     A tree starts as tree\(0\)\.$",
        r"^engine    exact: ",
        r"^draws     2 independent draws, seed 1$",
        r"^time      \d+\.\d\d s$",
    ):
        assert re.search(want, result.out, re.MULTILINE), want
    labels = re.findall("^[a-zM][a-zA-Z ]{8} ", result.out, re.MULTILINE)
    first = ["trust", "evidence", "MAP tree", "features", "leaves", "fit", "data", "prior"]
    assert [label.strip() for label in labels[:8]] == first


def test_fine_print_is_for_those_who_ask(slp_run, table: Path) -> None:
    told = slp_run("slp-sample", "growtree", table, "-n", 0).out
    assert "scaled up" not in told and "log joint" not in told
    verbose = slp_run("slp-sample", "growtree", table, "-n", 0, "--verbose").out
    assert "the probabilities of the others are scaled up" in verbose
    assert re.search(r"^MAP tree  posterior .*, log joint -\d", verbose, re.MULTILINE)
    assert "scaled up" in slp_run("explain", "growtree").out


SHORT = ("--engine", "mh", "--seed", 1, "--warmup", 5, "--thin", 1)


def test_what_has_not_converged_is_not_shown_as_if_it_had(slp_run, table: Path) -> None:
    """No error bars, one warning, and a command that works when it is copied and runs longer."""
    odd = table.rename(table.with_name("a table.csv"))
    options = ("--param", "alpha=0.5", "-n", 40, "--jobs", 1)
    result = slp_run("slp-sample", "growtree", odd, "-y", "y", *SHORT, *options)
    lines = result.out.splitlines()
    assert lines[0] == "trust     NOT CONVERGED: do not use these numbers; run ten times longer:"
    assert re.fullmatch(r" {10}R-hat \d.*, \d+ effective draws \(400 needed\)", lines[2])
    assert "+-" not in result.out and re.search(r"^ {10}dose +\d\.\d{4}\?  ", result.out, re.M)
    assert result.err.count("warning") == 1
    label, command = lines[1].split(maxsplit=1)
    words = shlex.split(command)
    assert label == "next" and words[1:3] == ["growtree", str(odd)]
    given = dict(zip(words[3::2], words[4::2], strict=True))
    assert given == {
        "--response": "y",
        "--draws": "1000",
        "--engine": "mh",
        "--seed": "1",
        "--warmup": "50",
        "--thin": "10",
        "--jobs": "1",
        "--param": "alpha=0.5",
    }
    longer = slp_run("slp-sample", *words[1:])
    assert longer.code == 0 and longer.out.startswith(
        "trust     estimate, converged: R-hat at most"
    )
    assert "+-" in longer.out and longer.err == ""


def test_too_few_draws_to_tell(slp_run, table: Path) -> None:
    result = slp_run("slp-sample", "growtree", table, *SHORT, "-n", 4)
    assert result.out.startswith("trust     NOT KNOWN: too few draws to tell")
    assert "+-" not in result.out


def test_chains_are_looked_into_with_verbose(slp_run, table: Path) -> None:
    options = (*SHORT, "-n", 40, "--proposal", "q_n(9)")
    told = slp_run("slp-sample", "growtree", table, *options).out
    assert "moves " not in told and "log posterior" not in told
    verbose = slp_run("slp-sample", "growtree", table, *options, "--verbose").out
    words = r"q_n\(9\): \d+\.\d\d% accepted, .*% failed, nothing to propose in \d+\.\d\d% of moves"
    assert re.search(rf"^moves     {words}$", verbose, re.MULTILINE)
    assert re.search(r"^ {10}log posterior  ", verbose, re.MULTILINE)


def test_parameters_and_response_from_the_command_line(slp_run, table: Path) -> None:
    low = slp_run("slp-sample", "growtree", table, "--json", "-n", 0, "--param", "alpha=0.001")
    assert json.loads(low.out)["mean_leaves"] < 1.1
    other = slp_run("slp-sample", "growtree", table, "--json", "-n", 0, "-y", "dose")
    assert set(json.loads(other.out)["features"]) == {"age", "y"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["growtree", "nosuch.csv"], 1, "error[E401]: cannot read nosuch.csv"),
        (["growtre", "TABLE"], 1, "did you mean 'growtree'?"),
        (["no/such.slp", "TABLE"], 1, "error[E001]: cannot read no/such.slp"),
        (["growtree", "TABLE", "-y", "dosis"], 1, "dose"),
        (["growtree", "TABLE", "--engine", "exakt"], 2, "did you mean exact?"),
        (["growtree", "TABLE", "--memory", "lots"], 2, "error[E502]"),
        (
            ["growtree", HABERMAN / "haberman.csv", "--memory", "1MiB", "--engine", "exact"],
            1,
            "error[E501]",
        ),
        (["growtree", "TABLE", "--time", "soon"], 2, "error[E542]"),
        (["growtree", "TABLE", "--jobs", "0"], 2, "--jobs"),
        (["growtree", "TABLE", "--param", "alpha"], 2, "alpha=0.9"),
        (["growtree", "TABLE", "--param", "alfa=1"], 1, "did you mean `alpha`?"),
        (["growtree", "TABLE", "-n", "-1"], 2, "-1"),
        (["growtree"], 2, "Missing argument 'DATA'"),
        (["growtree", "TABLE", "--nonsense"], 2, "--nonsense"),
        (["growtree", "TABLE", "-o", "no/such/folder/x"], 2, "error[E701]: cannot write"),
    ],
)
def test_faults_have_a_message_and_a_code(
    slp_run, table: Path, arguments: list[object], code: int, message: str
) -> None:
    result = slp_run("slp-sample", *[table if a == "TABLE" else a for a in arguments])
    assert result.code == code
    assert message in result.err
    assert "Traceback" not in result.err


def test_errors_as_json(slp_run, table: Path, tmp_path: Path) -> None:
    program = tmp_path / "bad.slp"
    program.write_text(":- use(growtree).\n:- constraint(constant(nobody)).\n")
    result = slp_run("slp-sample", program, table, "--format", "json")
    assert result.code == 1
    (found,) = json.loads(result.err)["diagnostics"]
    assert found["severity"] == "error" and found["span"]["line"] == 2


@pytest.mark.usefixtures("compiled_kernels")
def test_what_is_certain_when_the_budget_is_reached(slp_run) -> None:
    few = ["slp-sample", "growtree", HABERMAN / "haberman.csv", "--engine", "exact"]
    few += ["--memory", "1MiB"]
    assert "; the log evidence is certainly at least -1" in slp_run(*few).err
    found = json.loads(slp_run(*few, "--format", "json").err)
    assert found["diagnostics"][0]["code"] == "E501"
    low, high = found["log_evidence_bounds"]
    assert -300 < low < high < 0


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("command", ["slp-sample", "map"])
def test_what_is_known_at_a_limit_is_told(slp_run, command: str) -> None:
    """Bounds and the best tree so far, with exit code 1 and the error beside it."""
    words = [command, "growtree", HABERMAN / "haberman.csv", "--engine", "exact"]
    page = slp_run(*words, "--memory", "1MiB")
    assert page.code == 1 and page.err.startswith("error[E501]: the exact engine used up ")
    assert page.out.startswith("unfinished: the exact engine used up its memory of 1.0 MiB")
    assert "\nevidence  the log evidence is certainly at least -1" in page.out
    assert "\nbest tree  so far, of those drawn, there may be better ones; log joint -1" in page.out
    result = slp_run(*words, "--memory", "1MiB", "--json")
    have = json.loads(result.out)
    assert result.code == 1 and set(have) >= KEYS - {"seconds"}
    assert have["log_evidence"] is have["features"] is have["tree_count"] is None
    low, high = have["log_evidence_bounds"]
    assert -300 < low < high < 0
    assert have["map"]["log_joint"] < 0 and have["map"]["certified"] is False
    assert have["notes"][0].startswith("the exact engine used up its memory of 1.0 MiB")
    assert have["notes"][1].startswith("not known are ")


@pytest.mark.usefixtures("compiled_kernels")
def test_what_is_known_when_a_later_pass_ends(slp_run, table: Path, monkeypatch) -> None:
    """The evidence is known, the best tree is not."""
    known = json.loads(slp_run("slp-sample", "growtree", table, "--json").out)["log_evidence"]

    def over(self: object, k: int) -> None:
        raise BudgetError(Diagnostic("E540", "the time is over"))

    monkeypatch.setattr("slp.infer.exact_posterior.ExactPosterior.k_best", over)
    result = slp_run("slp-sample", "growtree", table, "--json")
    have = json.loads(result.out)
    assert result.code == 1 and have["log_evidence"] == known and have["map"] is not None


def test_warnings_go_to_standard_error(slp_run, table: Path, tmp_path: Path) -> None:
    program = tmp_path / "far.slp"
    program.write_text(
        ":- use(growtree).\nbox(far, age, 100, 200).\n:- constraint(constant(far)).\n"
    )
    result = slp_run("slp-sample", program, table, "--json", "-n", 0)
    assert result.code == 0
    assert "warning[" in result.err and "far" in result.err
    assert math.isfinite(json.loads(result.out)["log_evidence"])


def test_a_failed_write_leaves_the_old_file(slp_run, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "draws.jsonl"
    out.write_text("old")
    assert slp_run("slp-sample", "growtree", "nosuch.csv", "-o", out).code == 1
    assert out.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_a_place_that_cannot_be_written_is_told_before_the_run(
    slp_run, table: Path, tmp_path: Path
) -> None:
    for out, why in ((tmp_path, "Is a directory"), (tmp_path / "no" / "x", "No such file")):
        result = slp_run("slp-sample", "growtree", "nosuch.csv", "-o", out)
        assert result.code == 2
        assert result.err.startswith(f"error[E701]: cannot write {out}: {why}")


def test_links_and_devices_stay_what_they_are(slp_run, table: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    assert slp_run("slp-sample", "growtree", table, "-n", 2, "-o", tmp_path / "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert len((tmp_path / "file").read_text().splitlines()) == 2
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert slp_run("slp-sample", "growtree", table, "-n", 2, "-o", pipe).code == 0
    assert pipe.is_fifo()
    assert len(os.read(reader, 65536).splitlines()) == 2
    os.close(reader)


@pytest.mark.parametrize("command", [["sample"], ["prior"], ["sample", "--json"]])
def test_a_reader_that_leaves_loses_no_draws(
    command: list[str], table: Path, tmp_path: Path
) -> None:
    """As `slp-sample ... -o draws | head` does."""
    program = "from slp.cli import main; main()"
    words = [*command, "growtree", str(table), "-n", "20", "--seed", "1", "-o", "draws"]
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait()) == ("", 0)
    assert len((tmp_path / "draws").read_text().splitlines()) == 20


def test_a_reader_that_leaves_is_no_failure(table: Path, tmp_path: Path) -> None:
    program = "from slp.cli import sample_main; sample_main()"
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", program, "growtree", str(table), "-n", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait()) == ("", 0)


def test_a_full_disk_is_no_bug_of_ours(table: Path) -> None:
    command = "from slp.cli import sample_main; sample_main()"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", command, "growtree", str(table), "-n", "0"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=table.parent,  # not the checkout, whose slp is not the installed one
        )
    assert (done.returncode, done.stderr) == (
        2,
        "cannot write standard output: No space left on device\n",
    )


def test_a_bug_of_ours_exits_with_70(slp_run, table: Path, monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(import_module("slp.cli.sample"), "read_columns", broken)
    result = slp_run("slp-sample", "growtree", table)
    assert result.code == 70
    assert "This is a bug in slp" in result.err


def test_notes_stand_beside_the_numbers_they_qualify(slp_run, table: Path, tmp_path: Path) -> None:
    program = tmp_path / "majority.slp"
    program.write_text(
        ":- use(growtree).\nbox(low, dose, -inf, 5.5).\n:- constraint(majority(low, a)).\n"
    )
    result = slp_run("slp-sample", program, table, "--json", "-n", 0)
    (note,) = json.loads(result.out)["notes"]
    assert note.startswith("majority looks at the response")
    assert note in " ".join(slp_run("slp-sample", program, table, "-n", 0).out.split())
    pinball = json.loads(slp_run("slp-sample", "pinball", table, "--json", "-n", 0).out)
    assert pinball["notes"] == []


def test_edits_of_a_given_tree(slp_run, table: Path, tmp_path: Path) -> None:
    """Said by every command that runs an engine."""
    (tmp_path / "t0.json").write_text('{"feature": "age", "threshold": 3, "left": {}, "right": {}}')
    prior = tmp_path / "prior.slp"
    prior.write_text(":- use(edittree, [tree = 't0.json', p = 0.7]).")
    options = ("--seed", 1, "--warmup", 50, "--thin", 2)
    out = tmp_path / "draws.jsonl"
    have = json.loads(
        slp_run("slp-sample", prior, table, *options, "-n", 200, "--json", "-o", out).out
    )
    assert set(have) == KEYS and have["engine"] == "mh"
    assert have["map"]["log_joint"] is None
    edits = have["edits"]
    assert set(edits) == {"given", "mean", "mean_error", "numbers", "shares", "map"}
    assert edits["given"]["feature"] == "age"
    assert sum(edits["numbers"].values()) == pytest.approx(1)
    assert edits["mean"] == pytest.approx(sum(int(k) * p for k, p in edits["numbers"].items()))
    assert all(0.01 <= share["probability"] <= 1 for share in edits["shares"])
    assert json.loads(out.read_text().splitlines()[0])["log_weight"] is None

    page = slp_run("slp-sample", prior, table, *options, "-n", 200)
    assert re.search(
        r"^best tree drawn most often, there may be better ones; \d+ lea", page.out, re.M
    )
    assert re.search(r"^edited    ", page.out, re.M)
    assert re.search(
        r"^edits     \d\.\d+(\?| \+- \d.*) expected; P\(given tree\) 0\.\d+$", page.out, re.M
    )
    best = json.loads(slp_run("map", prior, table, *options, "--json").out)["best"]
    assert best[0]["log_joint"] is None and isinstance(best[0]["edits"], list)
    assert "drawn most often" in slp_run("map", prior, table, *options).out
    assert slp_run("predict", prior, table, table, *options).out.count("\n") == 7
    assert json.loads(slp_run("prior", prior, table, *options, "--json").out)["edits"]
    refused = slp_run("slp-sample", prior, table, "--engine", "exact")
    assert (refused.code, "error[E301]" in refused.err) == (1, True)


@pytest.mark.parametrize("command", [("slp-sample",), ("prior",)])
def test_no_room_for_draws_costs_the_draws_alone(
    slp_run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """Draws of an exact engine are made last: the summary is out by then."""

    def no_room(draws: object, output: str) -> None:
        raise BudgetError(Diagnostic("E501", "no room for draws"))

    module = "slp.cli.sample" if command[0] == "slp-sample" else "slp.cli.prior"
    monkeypatch.setattr(import_module(module), "write_draws", no_room)
    to = tmp_path / "draws.jsonl"
    result = slp_run(*command, "growtree", table, "-o", to)
    assert result.code == 1 and "error[E501]: no room for draws" in result.err
    assert "features" in result.out or "P(" in result.out
    assert not to.exists()
    asked = slp_run(*command, "growtree", table, "-o", to, "--json")
    assert asked.code == 1 and json.loads(asked.out)["engine"] == "exact"


VAST = 99999999999999999999


@pytest.mark.parametrize(
    "options",
    [
        ["-n", VAST],
        ["--chains", VAST],
        ["--chains", 1000000000, "--time", "2s"],
        ["--warmup", VAST],
        ["--thin", VAST],
        ["--rungs", VAST],
        ["--jobs", VAST],
        ["--proposal", f"q_n({VAST})"],
    ],
)
def test_whole_numbers_that_cannot_fit_are_refused(slp_run, table: Path, options: list) -> None:
    result = slp_run("slp-sample", "growtree", table, "--engine", "mh", *options)
    assert result.code == 2 and result.out == ""
    assert result.err.startswith(("error[E505]", "error[E516]"))


def test_a_seed_may_be_any_whole_number(slp_run, table: Path) -> None:
    options = ("--engine", "mh", "-n", 4, "--warmup", 10, "--thin", 1, "--seed", VAST)
    assert slp_run("slp-sample", "growtree", table, *options).code == 0
