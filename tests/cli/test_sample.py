"""`slp-sample`: the contract of its JSON, its summary, its draws."""

from __future__ import annotations

import json
import math
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

import slp
from tests.cli.conftest import HABERMAN
from tests.cli.keys import KEYS, MAP_KEYS


def test_trees_that_prolog_proposes(slp_run, table: Path, janus: ModuleType) -> None:
    """`--engine prolog`: the same keys, and the same summary but for the engine's name."""
    short = ("--seed", 3, "-n", 20, "--warmup", 10, "--thin", 1)
    result = slp_run("slp-sample", "growtree", table, "--engine", "prolog", "--json", *short)
    have = json.loads(result.out)
    assert result.code == 0 and set(have) == KEYS and set(have["map"]) == MAP_KEYS
    assert (have["engine"], have["draws"]) == ("prolog", 20)
    assert have["reason"].startswith("asked for")
    summary = slp_run("slp-sample", "growtree", table, "--engine", "prolog", *short).out
    assert "engine    prolog: asked for" in summary
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
    assert have["features"].keys() == have["features_error"].keys() == {"age", "dose"}
    for name, use in posterior.split_probabilities().items():
        assert have["features"][name] == pytest.approx(use.probability, rel=1e-12)
        assert have["features_error"][name] == use.probability_error == 0
        assert have["features_prior"][name] == use.prior_probability
        assert have["features_prior_error"][name] == use.prior_probability_error == 0
    assert have["features_prior_kind"] == "exact"
    assert (have["n_rows"], have["n_features"], have["draws"], have["seed"]) == (6, 2, 0, 3)
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


#: A side of one row fails, as it must split.
BACKTRACKING = """
:- failure(backtrack).
:- start(root).
1 :: root --> split(_, _), side, leafy.
1 :: side --> split(_, _), leafy, leafy.
0.5 :: leafy --> leaf.
0.5 :: leafy --> split(_, _), leafy, leafy.
"""


@pytest.mark.parametrize("engine", ["smc", "forward"])
def test_draws_with_weights_have_shares_that_average(
    slp_run, table: Path, tmp_path: Path, engine: str
) -> None:
    out = tmp_path / "draws.jsonl"
    prior: Path | str = "growtree"
    if engine == "forward":
        prior = tmp_path / "backtracking.slp"
        prior.write_text(BACKTRACKING)
    options = ("--seed", 1, "-n", 60, "--json", "-o", out)
    shown = json.loads(slp_run("slp-sample", prior, table, "--engine", engine, *options).out)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    shares = [line["share"] for line in lines]
    assert sum(shares) == pytest.approx(1) and len(set(shares)) > 1
    leaves = [slp.Tree.from_dict(line["tree"]).n_leaves for line in lines]
    mean = sum(s * n for s, n in zip(shares, leaves, strict=True))
    assert mean == pytest.approx(shown["mean_leaves"])
    slp_run("slp-sample", prior, table, "--engine", "mh", "--warmup", 10, *options)
    assert all("share" not in json.loads(line) for line in out.read_text().splitlines())


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
        r"^evidence  log P\(y \| features\) = -\d+\.\d+, exact$",
        r"^MAP tree  posterior probability 0\.\d+, \d+ leaves$",
        r"^features  probability that a tree splits on it, splits expected$",
        r"^ {10}age +\d\.\d{4} \(prior \d\.\d{4}[^)]*\)  \d\.\d{4}$",
        r"^ {10}the prior's probabilities are (exact|estimates from 1,000 independent draws)$",
        r"^leaves    \d\.\d+ expected$",
        r"^fit       this tree is right for 2\d\d of the table's 306 rows \(the class \d "
        r"alone: 225\)$",
        r"^data      .*haberman.csv: 306 rows, 3 features; \d+ distinct rows, ",
        r"^prior     A tree starts as tree\(0\)\.$",
        r"^engine    exact: ",
        r"^draws     none were made: exact sums need none, and -o FILE writes some$",
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


SHORT = ("--engine", "mh", "--rungs", 1, "--seed", 1, "--warmup", 5, "--thin", 1)


def test_what_has_not_converged_is_not_shown_as_if_it_had(slp_run, table: Path) -> None:
    """No error bars, one warning, and a command that works when it is copied and runs longer."""
    odd = table.rename(table.with_name("a table.csv"))
    options = ("--param", "alpha=0.5", "-n", 40, "--jobs", 1, "--proposal", "q_uc")
    result = slp_run("slp-sample", "growtree", odd, "-y", "y", *SHORT, *options)
    lines = result.out.splitlines()
    assert lines[0] == "trust     NOT CONVERGED: do not use these numbers; run longer:"
    assert re.fullmatch(r" {10}R-hat \d.*, \d+ effective draws \(400 needed\)", lines[3])
    assert "+-" not in result.out and re.search(
        r"^ {10}dose +\d\.\d{4}\? \(prior \d\.\d{4}\)  \d", result.out, re.M
    )
    assert result.err.count("warning") == 1
    label, command = lines[1].split(maxsplit=1)
    words = shlex.split(command)
    assert label == "next" and words[1:3] == ["growtree", str(odd)]
    given = dict(zip(words[3::2], words[4::2], strict=True))
    assert given == {
        "--response": "y",
        "--draws": "2000",
        "--engine": "mh",
        "--seed": "1",
        "--warmup": "50",
        "--thin": "10",
        "--rungs": "1",
        "--proposal": "q_uc",
        "--jobs": "1",
        "--param": "alpha=0.5",
    }
    longer = slp_run("slp-sample", *words[1:])
    assert longer.code == 0 and longer.out.startswith(
        "trust     estimate, converged: R-hat at most"
    )
    assert "+-" in longer.out and longer.err == ""


def test_an_infinite_r_hat_is_a_word_on_the_page_and_null_in_json(
    slp_run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of chains which do not move, and differ."""
    monkeypatch.setattr("slp.results.trust.diagnostics.r_hat", lambda values: math.inf)
    words = ("slp-sample", "growtree", table, "--engine", "mh", "--rungs", 1, "-n", 16, "--seed", 1)
    page = slp_run(*words)
    assert "R-hat is infinite for the log posterior, infinite for leaves, " in page.err
    assert "\n          R-hat infinite (at most 1.01 is good), " in page.out
    found = json.loads(slp_run(*words, "--json").out)["diagnostics"]["convergence"]
    assert all(quantity["r_hat"] is None for quantity in found.values())


def test_ladders_that_have_not_converged_are_run_for_more_rounds(slp_run, table: Path) -> None:
    """The command works when it is copied; then the evidence is given with its error."""
    options = ("--engine", "mh", "--seed", 1, "--thin", 2, "-n", 40, "--jobs", 1)
    result = slp_run("slp-sample", "growtree", table, *options)
    lines = result.out.splitlines()
    assert lines[0] == "trust     NOT CONVERGED: do not use these numbers; run longer:"
    assert "run again with --rounds 4 --draws 2000 (in Python: rounds=4, " in result.err
    told = r"^evidence  .* = \S+, estimate \(not converged, its error is not known\)$"
    assert re.search(told, result.out, re.MULTILINE) and "standard error" not in result.out
    words = shlex.split(lines[1].split(maxsplit=1)[1])
    given = dict(zip(words[3::2], words[4::2], strict=True))
    assert (given["--rounds"], given["--draws"], given["--thin"]) == ("4", "2000", "2")
    longer = slp_run("slp-sample", *words[1:]).out
    assert longer.startswith("trust     estimate, converged: R-hat at most")
    assert longer.splitlines()[1].startswith("evidence")
    told = r"^tempering barrier \d\.\d\d, 4 ladders of \d+ rungs, .* round trips each"
    assert re.search(told, longer, re.MULTILINE)
    evidence = (
        r"^evidence  log P\(y \| features\) = -\d+\.\d+, estimate, Monte Carlo standard error 0\.0"
    )
    assert re.search(evidence, longer, re.MULTILINE)


def test_too_few_draws_to_tell(slp_run, table: Path) -> None:
    result = slp_run("slp-sample", "growtree", table, *SHORT, "-n", 4)
    assert result.out.startswith("trust     NOT KNOWN: too few draws to tell")
    assert "+-" not in result.out
    ladders = ("--engine", "mh", "-n", 4, "--warmup", 100, "--thin", 100, "--seed", 1)
    page = slp_run("slp-sample", "growtree", table, *ladders).out
    assert re.search(r"= -\d+\.\d+, estimate \(too few draws to tell its error\)", page)


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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("W530", "--engine mh --rungs 1 -n 20 --warmup 10 --thin 1"),
        ("W530", "--engine mh --rungs 3 -n 40 --warmup 1 --thin 1 --rounds 1"),
        ("W530", "--engine smc --islands 4 --particles 10"),
        ("W542", "--engine exact --chains 8"),
        ("W542", "--engine exact --islands 9"),
        ("W544", "--engine mh --rungs 1 --memory 100KiB --warmup 10 --thin 1 -n 5000"),
    ],
)
def test_the_line_of_a_warning_works_when_it_is_copied(
    slp_run, table: Path, code: str, options: str
) -> None:
    """The options in its help, put behind the command, run and give no error; what is asked for
    in Python is the same."""
    given = ["slp-sample", "growtree", str(table), "--seed", "1", *options.split()]
    said = slp_run(*given).err
    (help,) = re.findall(rf"^warning\[{code}\].*\n  help: (.*)$", said, re.MULTILINE)
    flags = re.search(r"with (--.*?) \(in Python: (.*?)\)|take (--.*?) \(in Python: (.*?)\)", help)
    assert flags is not None, help
    words = (flags[1] or flags[3]).split()
    again = slp_run(*given, *words)
    assert again.code == 0 and "error" not in again.err
    assert code == "W530" or code not in again.err
    keywords = eval(f"dict({flags[2] or flags[4]})")
    assert {f"--{name}": str(value) for name, value in keywords.items()} == dict(
        zip(words[::2], words[1::2], strict=True)
    )
