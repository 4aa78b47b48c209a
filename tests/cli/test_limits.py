"""Commands at a limit of time: what goes on with draws, what is told, and when the clock starts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import polars
import pytest

import slp
from slp.budgets import Deadline
from slp.cli.common import run
from slp.cli.sample import sample_command
from slp.engines.exact.distribution import CompiledChart
from slp.errors import Diagnostic, TimeOverError
from slp.messages.inference import NOTHING_BEGUN, OR_MODAL
from slp.runner import NothingDrawnError, out_of_time_in_words

pytestmark = pytest.mark.usefixtures("compiled_kernels")

QUICK = ("--warmup", 50, "--thin", 2, "--seed", 1)
HELP = "give it more time"


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch):
    """`ends("best")`: the compiled sums that are asked by that name end with their time."""

    def patch(name: str) -> None:
        def over(self: CompiledChart, *asked: object) -> object:
            raise TimeOverError(Diagnostic("E540", "the time of 1 h is over", help=HELP))

        method = callable(getattr(CompiledChart, name))
        monkeypatch.setattr(CompiledChart, name, over if method else property(over))

    return patch


# --- what goes on with draws ---------------------------------------------------------------------


def test_predictions_go_on_with_independent_draws(
    slp_run, table: Path, tmp_path: Path, ends
) -> None:
    ends("predictions")
    out = tmp_path / "out.csv"
    result = slp_run("predict", "growtree", table, table, "--time", "1h", "--seed", 1, "-o", out)
    assert result.code == 0 and len(polars.read_csv(out)) == 6
    assert result.err.startswith(
        "warning[W540]: new rows are predicted by 1,000 independent draws of trees: the time of 1 h"
    )
    assert "give it more time; `predict_error` has the Monte Carlo error" in result.err


def test_predictions_by_draws_where_sums_take_long(
    slp_run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slp.results.averages.sums._MOST_SECONDS", 0.0)
    out = tmp_path / "out.csv"
    result = slp_run("predict", "growtree", table, table, "--seed", 1, "-o", out)
    assert result.code == 0 and len(polars.read_csv(out)) == 6
    assert result.err.startswith(
        "warning[W550]: 6 new rows are predicted by 1,000 independent draws of trees, as exact sums"
    )
    assert "the largest Monte Carlo standard error of a prediction is 0.0" in result.err
    options = ("--format", "json")
    told = slp_run("predict", "growtree", table, table, "-o", out, *options).err
    assert '"code": "W550"' in told
    asked = slp_run("predict", "growtree", table, table, "--engine", "exact", "-o", out)
    assert asked.code == 0 and "W550" not in asked.err


def test_predictions_of_an_engine_that_was_asked_for(slp_run, table: Path, ends) -> None:
    """Standard output is for the table; what is known of the trees goes beside the error."""
    ends("predictions")
    options = ("--time", "1h", "--engine", "exact")
    result = slp_run("predict", "growtree", table, table, *options)
    assert result.code == 1 and result.out == ""
    assert result.err.startswith("unfinished: the time of 1 h is over\nnot known are ")
    assert "\nevidence  the log evidence is -" in result.err
    assert "\nbest tree  so far, " in result.err
    assert result.err.endswith(f"error[E540]: the time of 1 h is over\n  help: {HELP}\n")


def test_a_prior_goes_on_with_independent_draws(slp_run, table: Path, ends) -> None:
    whole = json.loads(slp_run("prior", "growtree", table, "--json").out)
    ends("leaf_distribution")
    found = json.loads(slp_run("prior", "growtree", table, "--json", "--seed", 1).out)
    assert found["depends_on_clock"] and found["reason"].endswith("the answer depends on the clock")
    assert sum(found["leaves"].values()) == pytest.approx(1)
    assert found["leaves"] != whole["leaves"] and found["features"] == whole["features"]


def test_a_prior_by_an_engine_that_was_asked_for(slp_run, table: Path, ends) -> None:
    ends("leaf_distribution")
    options = ("--time", "1h", "--engine", "exact")
    page = slp_run("prior", "growtree", table, *options)
    assert page.code == 1 and page.out.startswith("unfinished: the time of 1 h is over\n")
    assert "evidence" not in page.out and "\nbest tree  so far, " in page.out
    labels = re.findall(r"^(best tree|data|prior|engine) ", page.out, re.MULTILINE)
    assert labels == ["best tree", "data", "prior", "engine"]
    found = json.loads(slp_run("prior", "growtree", table, *options, "--json").out)
    assert found["depends_on_clock"] and found["map"] is not None and found["features"] is None


@pytest.mark.parametrize("name", ["best", "usage"])
def test_a_summary_goes_on_with_independent_draws(slp_run, table: Path, ends, name: str) -> None:
    """The evidence, which is known, stays exact, and so does what is known of a tree.

    Two probabilities are within 5 of their errors. By chance that fails for one in two million of
    them.
    """
    whole = json.loads(slp_run("sample", "growtree", table, "--json").out)
    ends(name)
    found = json.loads(slp_run("sample", "growtree", table, "--json", "--seed", 1).out)
    assert found["engine"] == "exact" and found["depends_on_clock"]
    assert found["reason"].endswith("in their place: the answer depends on the clock")
    for key in ("log_evidence", "log_evidence_kind", "tree_count"):
        assert found[key] == whole[key]
    best = found["map"]
    assert best["log_posterior"] == best["log_joint"] - found["log_evidence"]
    # 1,000 draws of this table's few trees meet the best one.
    assert best["log_joint"] == pytest.approx(whole["map"]["log_joint"], abs=1e-12)
    assert best["certified"] == (name == "usage")
    for feature, want in whole["features"].items():
        error = found["features_error"][feature]
        assert (error > 0) == (name == "usage")
        assert abs(found["features"][feature] - want) <= 5 * error
    page = slp_run("sample", "growtree", table, "--seed", 1).out
    by_draws = "trust     exact: sums over all trees; features and leaves: averages over"
    assert (by_draws in page) == (name == "usage")
    assert ("\nbest tree of those drawn, there may be better ones" in page) == (name == "best")


def test_draws_that_take_too_long_are_those_that_answered(
    slp_run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends
) -> None:
    real = CompiledChart.draw

    def draw(self: CompiledChart, n: int, rng: object) -> object:
        if n > 1000:
            raise TimeOverError(Diagnostic("E540", "the time of 1 h is over", help=HELP))
        return real(self, n, rng)

    monkeypatch.setattr(CompiledChart, "draw", draw)
    ends("usage")
    options = ("-n", 1500, "--seed", 1, "-o", tmp_path / "draws")
    result = slp_run("sample", "growtree", table, *options)
    assert result.code == 0
    assert "warning[W541]: the time is over: 1000 of 1500 independent draws are there" in result.err
    assert "\ndraws     1000 of 1500 independent draws, seed 1, written to " in result.out
    assert len((tmp_path / "draws").read_text().splitlines()) == 1000
    assert json.loads(slp_run("sample", "growtree", table, *options, "--json").out)["draws"] == 1000


def test_a_number_of_trees_that_takes_too_long_is_left_out(slp_run, table: Path, ends) -> None:
    whole = json.loads(slp_run("sample", "growtree", table, "--json").out)
    ends("tree_count")
    found = json.loads(slp_run("sample", "growtree", table, "--json").out)
    note = f"numbers of trees are left out: the time of 1 h is over; {HELP}"
    assert found["tree_count"] is None and note in found["notes"]
    assert found["map"] == whole["map"] and found["features"] == whole["features"]
    page = slp_run("sample", "growtree", table).out
    assert f"trees     {note}" in re.sub(r"\n {12}", " ", page)


def test_a_map_goes_on_with_a_search(slp_run, table: Path, ends) -> None:
    ends("best")
    found = json.loads(slp_run("map", "growtree", table, "--time", "1h", "--json").out)
    assert found["engine"] == "search" and found["depends_on_clock"]
    assert found["certified"] and len(found["best"]) == 1  # the search ends on a small table


@pytest.mark.parametrize(("hours", "left"), [(9, True), (11, False)])
def test_draws_take_the_time_that_sums_leave(
    monkeypatch: pytest.MonkeyPatch, hours: int, left: bool
) -> None:
    """Of 10 hours some pass after the evidence is known: after 9 there is time for draws alone."""

    def usage(self: CompiledChart) -> None:
        # The core would not look at the clock: a pass over this table is too short.
        self.passes.hold("looking at features", 0, ("total", True))

    monkeypatch.setattr(CompiledChart, "expected_splits", usage)
    table = polars.DataFrame({"x": [1, 2, 3, 4, 5, 6], "y": [0, 0, 1, 0, 1, 1]})
    deadline = Deadline(36000.0)
    posterior = slp.parse(":- use(growtree).").posterior(table, seed=1, time=deadline)
    deadline._watch.spent += hours * 3600
    if not left:
        with pytest.raises(TimeOverError, match="E540"):
            posterior.expected_leaves()
        return
    with pytest.warns(slp.SlpWarning, match="(?s)W540.*time of 10 h.*give it more time"):
        assert posterior.expected_leaves_error() > 0
    with pytest.raises(TimeOverError):  # no sums begin after the draws
        posterior._result.averages.distribution.passes.hold("counting", 0, ("total", True))


def test_components_of_a_mixture_are_left_out_alone(
    slp_run, table: Path, tmp_path: Path, ends
) -> None:
    """What is known beside them is told: the features, the best tree."""
    program = tmp_path / "mixture.slp"
    program.write_text(
        ":- start(tree).\n0.5 :: tree --> simple.\n0.5 :: tree --> rich.\n"
        "0.9 :: simple --> leaf.\n0.1 :: simple --> split(_, _), simple, simple.\n"
        "0.5 :: rich --> leaf.\n0.5 :: rich --> split(_, _), rich, rich.\n"
    )
    whole = json.loads(slp_run("slp-sample", program, table, "--json").out)
    assert len(whole["rules"]) == 2
    ends("rule_uses")
    found = json.loads(slp_run("slp-sample", program, table, "--json").out)
    assert found["rules"] is None and found["features"] == whole["features"]
    note = f"components of the mixture are left out: the time of 1 h is over; {HELP}"
    assert note in found["notes"]
    page = slp_run("slp-sample", program, table).out
    assert f"mixture   {note}" in re.sub(r"\n {12}", " ", page)


# --- what is told --------------------------------------------------------------------------------


def next_of(page: str) -> tuple[list[str], str]:
    """The command that a page proposes, and the line below it."""
    lines = page.splitlines()
    (place,) = (i for i, line in enumerate(lines) if line.startswith("next"))
    return lines[place].split()[1:], lines[place + 1].strip()


def test_the_longer_command_has_a_longer_time(slp_run, table: Path) -> None:
    options = ("--engine", "mh", "-n", 8, *QUICK)
    words, takes = next_of(slp_run("slp-sample", "growtree", table, *options, "--time", "2m").out)
    assert words[words.index("--time") + 1] == "480s"
    assert takes == "(it takes 8 min at most)"
    words, takes = next_of(slp_run("slp-sample", "growtree", table, *options).out)
    assert "--time" not in words and takes.startswith("(it takes about ")


def test_the_longer_command_samples_where_more_time_would_be_exact(
    slp_run, table: Path, ends
) -> None:
    """There the options of samplers would do nothing; how long exact sums take is said below."""
    ends("log_total")
    page = slp_run("slp-sample", "growtree", table, "--time", "1h", "-n", 8, *QUICK).out
    words, _ = next_of(page)
    assert words[words.index("--engine") + 1] == "mh"
    assert "(exact sums take about 1 s, an estimate: leave --time out for them)" in page


def test_a_warm_up_that_ends_early_speaks_of_no_exact_sums(
    slp_run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer depends on the clock, but `auto` would not choose exact sums with more time."""
    monkeypatch.setattr("slp.engines.choose.MOST_SPLITS", 0)
    options = ("--time", "3s", "-n", 8, "--warmup", 10**9, "--rungs", 1, "--seed", 1)
    page = slp_run("slp-sample", "growtree", table, *options).out
    assert "warm-up ended after" in " ".join(page.split())
    words, _ = next_of(page)
    assert "--engine" not in words and "exact sums take" not in page


@pytest.mark.slow
def test_draws_without_time_for_statistics(
    slp_run, table: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """SciPy is not imported where the time is over before: the run would end late."""
    monkeypatch.setattr("slp.results.record.drawn.time_for_statistics", lambda deadline: False)
    # A call would raise TypeError.
    monkeypatch.setattr("slp.results.trust.convergence.array_stats", None)
    options = ("--engine", "mh", "-n", 40, *QUICK)
    run = slp_run("slp-sample", "growtree", table, *options, "--save", tmp_path / "run.slpz")
    assert run.code == 0
    assert run.out.startswith("trust     NOT KNOWN: no time was left to tell, do not use these")
    assert "(no time was left to tell its error)" in run.out
    found = json.loads(slp_run("slp-sample", "growtree", table, *options, "--json").out)
    assert found["mean_leaves"] > 1 and found["mean_leaves_error"] is None
    kinds = found["diagnostics"]["convergence"]
    assert set(kinds) == {"log_posterior", "leaves", "depth", "predictions"}
    assert all(set(of.values()) == {None} for of in kinds.values())
    report = tmp_path / "report.html"
    assert slp_run("report", "growtree", table, *options, "-o", report).code == 0
    assert "no time was left to tell how good they are" in report.read_text()


def test_independent_draws_need_no_statistics(
    slp_run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--engine", "forward", "-n", 1000, "--seed", 1, "--json")
    usual = json.loads(slp_run("prior", "growtree", table, *options).out)
    monkeypatch.setattr("slp.results.record.drawn.time_for_statistics", lambda deadline: False)
    monkeypatch.setattr("slp.results.trust.convergence.array_stats", None)
    found = json.loads(slp_run("prior", "growtree", table, *options).out)
    assert found["mean_leaves"] == usual["mean_leaves"]
    assert found["mean_leaves_error"] == pytest.approx(usual["mean_leaves_error"], rel=0.15)
    page = slp_run("prior", "growtree", table, *options[:-1]).out
    assert " +- " in page and "not converged" not in page


def test_weighted_draws_need_no_statistics(
    slp_run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slp.results.record.drawn.time_for_statistics", lambda deadline: False)
    options = ("--engine", "smc", "-n", 40, "--islands", 8, "--seed", 1, "--json")
    found = json.loads(slp_run("slp-sample", "growtree", table, *options).out)
    assert found["mean_leaves_error"] > 0


def test_the_time_ends_in_a_further_round() -> None:
    assert "8 of 10 draws are there" in out_of_time_in_words(2, 8, 10).message
    found = out_of_time_in_words(2, 12, 10)
    assert found.code == "W541" and found.message == (
        "the time of 2 s is over in a further round: its 12 draws are there"
    )


def test_draws_are_told_where_they_are_made(slp_run, table: Path, tmp_path: Path) -> None:
    page = slp_run("slp-sample", "growtree", table, "-n", 7).out
    assert "\ndraws     none were made: exact sums need none, and -o FILE writes some\n" in page
    out = tmp_path / "draws"
    page = slp_run("slp-sample", "growtree", table, "-n", 7, "--seed", 1, "-o", out).out
    assert f"\ndraws     7 independent draws, seed 1, written to {out}\n" in page
    result = slp_run("slp-sample", "growtree", table, "-n", 10**12)
    assert result.code == 2 and result.err == (
        "error[E505]: draws is 1000000000000\n  help: take a whole number from 0 to 100,000,000\n"
    )


@pytest.mark.slow
def test_options_of_samplers_where_exact_runs(slp_run, table: Path) -> None:
    options = ("--chains", 3, "--warmup", 5)
    assert slp_run("slp-sample", "growtree", table, *options).err == (
        "warning[W542]: the engine exact does not use chains and warmup\n"
        "  help: leave them out, or take --engine mh (in Python: engine='mh')\n"
    )
    assert "W542" not in slp_run("slp-sample", "growtree", table, "--engine", "mh", *options).err


@pytest.mark.parametrize("engine", ["mh", "smc"])
@pytest.mark.parametrize("left", [True, False])
def test_time_that_is_over_before_the_first_draw(
    slp_run, table: Path, monkeypatch, engine: str, left: bool
) -> None:
    """The tree that a chain would begin at is told, if there is time for one."""

    def over(*run: object, deadline: Deadline, **options: object) -> object:
        deadline._watch.spent += 0 if left else 7200
        raise NothingDrawnError(NOTHING_BEGUN(time="1 h"), [], nothing_begun=True)

    monkeypatch.setattr("slp.engines.shared.drawing.run", over)
    options = ("--engine", engine, "--time", "1h", "--seed", 1)
    page = slp_run("slp-sample", "growtree", table, *options)
    assert page.code == 1 and page.err == (
        "error[E540]: the time of 1 h was over before the first draw could begin\n"
        f"  help: give it more time{OR_MODAL if engine == 'smc' else ''}\n"
    )
    assert page.out.startswith("unfinished: the time of 1 h was over before the first draw could")
    sooner = f"growtree {table} --engine modal --time 1h --seed 1\n"
    assert page.out.endswith(sooner) == (engine == "smc")
    found = left and engine == "mh"
    assert ("\nbest tree  so far, of those drawn, " in page.out) == found
    assert ("\nbest tree  none was looked at\n" in page.out) != found
    assert re.findall(r"^(data|prior|engine) ", page.out, re.MULTILINE) == [
        "data",
        "prior",
        "engine",
    ]


# --- when the clock starts -----------------------------------------------------------------------


def test_the_time_runs_since_the_command_began(table: Path, capsys) -> None:
    words = ["growtree", str(table), "--time", "90s"]
    assert run(sample_command, words, began=time.monotonic() - 100) == 1
    assert "error[E540]: the time of 1 min 30 s is over reading " in capsys.readouterr().err
    assert run(sample_command, words) == 0


IMPORTS_TAKE_LONG = """
import builtins, sys, time
real, late = time.monotonic, [0.0]
time.monotonic = lambda: real() + late[0]
modules = sys.argv.pop(1).split(",")

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name in modules:
            late[0] += 50.0

sys.meta_path.insert(0, Slow())
from slp.cli import sample_main
sample_main()
"""


@pytest.mark.slow
def test_imports_take_of_the_time(table: Path) -> None:
    """Two imports take 50 s each, by a clock that says so."""
    script = [sys.executable, "-P", "-c", IMPORTS_TAKE_LONG, "click,numpy"]
    done = subprocess.run(
        [*script, "growtree", str(table), "--time", "90s"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[E540]: the time of 1 min 30 s is over reading " in done.stderr


@pytest.mark.slow
def test_a_search_for_a_tree_has_its_time_for_itself(tmp_path: Path) -> None:
    """`slp check FILE DATA` searches for 2 s: no import takes of them."""
    program, rows = tmp_path / "p.slp", tmp_path / "rows.csv"
    text = ":- use(growtree).\nbox(b, a, 0, 9).\n:- constraint(constant(b)).\n"
    program.write_text(text + ":- constraint(majority(b, yes)).\n")
    rows.write_text("a,ill\n1,no\n2,no\n3,yes\n4,no\n")
    check = (
        IMPORTS_TAKE_LONG.replace("sample_main", "check_main")
        .replace(
            "from slp.cli import check_main",
            "from slp.cli import slp_command\nfrom slp.cli.common import run",
        )
        .replace("check_main()", "run(slp_command, sys.argv[1:])")
    )
    script = [
        sys.executable,
        "-P",
        "-c",
        check,
        "slp.trees.check",
        "check",
        str(program),
        str(rows),
    ]
    done = subprocess.run(script, capture_output=True, text=True)
    assert "error[E504]: no tree satisfies the program on this table" in done.stdout
