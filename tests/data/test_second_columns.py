"""Codes of events: the same table in 0 and 1 gives the same posterior, and faults have a code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slp
from slp.cli import slp_command
from slp.cli.common import run

N = 24
RNG = np.random.default_rng(5)
TIMES = (RNG.exponential(size=N) + 0.1).round(2)
AGES = RNG.integers(20, 60, N)
SEEN = RNG.integers(0, 2, N)


def program(event: str, leaf: str = "gamma_exponential(1, 1)") -> slp.Program:
    return slp.parse(f":- use(growtree). :- response(time, {event}). :- leaf({leaf}).")


def table(status: object) -> pl.DataFrame:
    return pl.DataFrame({"age": AGES, "time": TIMES, "status": status})


def words(yes: str, no: str) -> list[str]:
    return [yes if s else no for s in SEEN]


CODINGS = {
    "1/2": (SEEN + 1, "event(status, 2)"),
    "2/1": (2 - SEEN, "event(status, 1)"),
    "reals": (SEEN + 1.0, "event(status, 2)"),
    "text of numbers": (words("2", "1"), "event(status, 2)"),
    "yes/no": (words("yes", "no"), "event(status, yes)"),
    "reversed": (1 - SEEN, "event(status, 0)"),
    "truths": (SEEN == 1, "event(status)"),
    "truths, named": (SEEN == 1, "event(status, true)"),
    "TRUE/FALSE": (words("TRUE", "FALSE"), "event(status)"),
    "TRUE/FALSE, named": (words("TRUE", "FALSE"), "event(status, 'TRUE')"),
    "True/False, named": (words("True", "False"), "event(status, true)"),
    "still censored": (SEEN == 0, "event(status, false)"),
    "words": (words("died of it", "alive"), "event(status, 'died of it')"),
    "spaces": (words(" dead", "alive "), "event(status, dead)"),
    "two events": (SEEN * (2 + np.arange(N) % 2), "event(status, [2, 3])"),
    "two that are not": (SEEN * 5 + (1 - SEEN) * (np.arange(N) % 2), "event(status, 5, [0, 1])"),
    "codes that are not there": (SEEN, "event(status, [1, 9], [0, 8])"),
}


@pytest.mark.thinned(5)
@pytest.mark.parametrize("leaf", ["gamma_exponential(1, 1)", "piecewise_exponential(1, 2, [0.5])"])
@pytest.mark.parametrize("coding", CODINGS)
def test_a_coding_gives_the_posterior_of_0_and_1(coding: str, leaf: str) -> None:
    status, event = CODINGS[coding]
    have = program(event, leaf).posterior(table(status), draws=5, seed=1)
    want = program("event(status)", leaf).posterior(table(SEEN), draws=5, seed=1)
    assert have.log_evidence == want.log_evidence
    assert have.map_tree() == want.map_tree()
    assert have.sample(3, seed=2) == want.sample(3, seed=2)
    new = pl.DataFrame({"age": [20, 40, 60]})
    assert list(have.predict(new)) == list(want.predict(new))


@pytest.mark.parametrize("coding", ["1/2", "yes/no", "two that are not"])
def test_a_saved_run_keeps_its_codes(coding: str, tmp_path: Path) -> None:
    status, event = CODINGS[coding]
    posterior = program(event).posterior(table(status), draws=5, seed=1)
    posterior.save(tmp_path / "run.slpz", table=True)
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    assert loaded.log_evidence == posterior.log_evidence
    new = pl.DataFrame({"age": [20, 40, 60]})
    assert list(loaded.predict(new)) == list(posterior.predict(new))


FAULTS = [
    (SEEN + 1, "event(status, 3)", "E427", "holds no `3`, the declared code of events"),
    (SEEN + 1, "event(status, [2, 3])", "E427", "event(status, [2, 3], 1)"),
    (np.arange(N) % 3, "event(status, 2)", "E427", "event(status, 2, [0, 1])"),
    (np.arange(N) % 3, "event(status, 2, 0)", "E427", "holds `1` in row 2, which is none of"),
    (SEEN + 1, "event(status)", "E427", "as in event(status, "),
    (words("it's", "b"), "event(status)", "E427", "event(status, "),
    ([None, *SEEN[1:].tolist()], "event(status, 1)", "E420", "without it a duration"),
    (SEEN, "event(status, X)", "E102", "`X` is a variable"),
    (SEEN, "event(status, [1, 1])", "E102", "each once"),
    (SEEN, "event(status, 1, 1)", "E102", "each once"),
    (SEEN, "event(status, [])", "E102", "each once"),
    (SEEN, "event(status, 1, 0, 2)", "E102", "the second argument of `response`"),
    (SEEN, "event(status, f(1))", "E102", "a code of events is a name"),
]


@pytest.mark.parametrize(("status", "event", "code", "told"), FAULTS)
def test_faults_of_codes(status: object, event: str, code: str, told: str) -> None:
    with pytest.raises(slp.SlpError) as caught:
        program(event).posterior(table(status), draws=0)
    assert caught.value.diagnostics[0].code == code
    assert told in str(caught.value)


def test_the_codes_are_said() -> None:
    assert "whose end was seen where status is 2." in str(program("event(status, 2)").explain())
    told = str(program("event(status, [2, dead], 1)").explain())
    assert "whose end was seen where status is 2 or dead." in told


def test_programs_that_read_events_alike_compare() -> None:
    both = {"one": program("event(status)"), "other": program("event(status, 1)")}
    one, other = slp.compare(both, table(SEEN), folds=0, seed=1).programs
    assert one.log_evidence == other.log_evidence
    wrong = {"one": program("event(status)"), "other": program("event(status, 0)")}
    with pytest.raises(slp.SlpError, match="E550"):
        slp.compare(wrong, table(SEEN), folds=0, seed=1)


def test_an_estimator_reads_the_codes() -> None:
    X = pd.DataFrame({"age": AGES, "status": SEEN + 1})
    y = pd.Series(TIMES, name="time")
    have, want = (
        slp.SLPTreeRegressor(
            f":- use(growtree). :- response(time, {event}). :- leaf(gamma_exponential(1, 1)).",
            random_state=1,
        )
        for event in ("event(status, 2)", "event(status)")
    )
    have.fit(X, y)
    want.fit(X.assign(status=SEEN), y)
    assert have.posterior_.log_evidence == want.posterior_.log_evidence


def test_the_commands_read_the_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table(SEEN + 1).write_csv("t.csv")
    text = (
        ":- use(growtree). :- leaf(gamma_exponential(1, 1)). :- response(time, event(status{})). "
    )
    Path("p.slp").write_text(text.format(", 2"))
    Path("q.slp").write_text(text.format(", 4"))
    assert run(slp_command, ["check", "p.slp", "t.csv"]) == 0
    assert run(slp_command, ["check", "q.slp", "t.csv"]) == 1
    assert "error[E427]" in capsys.readouterr().out
