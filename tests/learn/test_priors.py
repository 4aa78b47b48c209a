"""Dirichlet priors of labels, and several starts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import dirichlet

import slp
from slp.cli import slp_command
from slp.learn.label_priors import LabelPrior
from tests.learn.test_labels import DICE, DOUBLE, HMM, after, log_likelihood
from tests.learn.test_networks import ALARM


def test_counts_and_pseudo_counts() -> None:
    """Labels are counts plus the concentration less 1, divided by their sum."""
    text = "0.2 :: c(a). 0.5 :: c(b). 0.3 :: c(d). 0 :: c(e).\n0.5 :: t(x). 0.5 :: t(y).\n"
    text += "p(X, Y) :- c(X), t(Y).\n"
    goals = ["5 :: p(a, x)", "p(b, x)"]
    found = slp.parse(text).learn(*goals, concentration={"": 1.5, "t": 3})
    want = {"c(a)": 5.5 / 7.5, "c(b)": 1.5 / 7.5, "c(d)": 0.5 / 7.5, "c(e)": 0.0}
    want |= {"t(x)": 8 / 10, "t(y)": 2 / 10}
    assert after(found) == pytest.approx(want, abs=1e-6)
    have = dirichlet([1.5] * 3).logpdf([0.2, 0.5, 0.3]) + dirichlet([3, 3]).logpdf([0.5, 0.5])
    assert found.log_priors[0] == pytest.approx(have)
    plain = slp.parse(text).learn(*goals)
    assert plain.log_priors == () and after(plain)["c(d)"] == 0


def test_labels_that_no_observation_uses_become_equal() -> None:
    goals = ["3 :: w(1, 1, 1)", "w(1, 0, 0)"]
    found = slp.parse(ALARM).learn(*goals, concentration=2)
    assert after(found)["al(0, 1, 1)"] == 0.5
    assert [one.name for one in found.not_learned] == ["al(0, 0, 1)"]


@pytest.mark.parametrize("concentration", [1.2, 4.0])
def test_failures_and_a_prior(concentration: float) -> None:
    """The posterior mode of rising dice, against small changes."""
    seen = {"rising(1, 2)": 4.0, "rising(1, 3)": 1.0, "rising(2, 3)": 2.0}
    goals = [f"{n} :: {y}" for y, n in seen.items()]
    program = slp.parse(DICE.format(a=0.4, b=0.3, c=0.3))
    found = program.learn(*goals, concentration=concentration, tolerance=1e-12)
    both = [x + y for x, y in zip(found.log_likelihoods, found.log_priors, strict=True)]
    assert all(b >= a - 1e-10 for a, b in zip(both, both[1:], strict=False))
    label = list(after(found).values())

    def log_posterior(values: list[float]) -> float:
        text = DICE.format(a=values[0], b=values[1], c=values[2])
        own = log_likelihood(slp.parse(text), "rising(_, _)", seen)
        return own + float(dirichlet([concentration] * 3).logpdf(values))

    assert both[-1] == pytest.approx(log_posterior(label), abs=1e-6)
    for i, j in ((0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)):
        other = list(label)
        other[i] += 1e-3
        other[j] -= 1e-3
        assert log_posterior(other) < both[-1]


def test_concentration_1_is_no_prior() -> None:
    prior = LabelPrior(1.0)
    assert prior.log_density([0.0, 1.0]) == 0.0
    assert prior.mode([0.0, 0.0]) is None and prior.mode([1.0, 3.0]) == [0.25, 0.75]
    assert LabelPrior(2.0).log_density([0.0, 1.0]) == -math.inf


@pytest.mark.parametrize(
    "concentration", [0.5, 1e7, 1e308, math.nan, math.inf, True, {"coin": 2, "tossed": 2}]
)
def test_concentrations_that_are_refused(concentration: float | Mapping[str, float]) -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(DOUBLE).learn("double(h)", concentration=concentration)
    assert caught.value.diagnostics[0].code == "E292"


def test_the_largest_concentration() -> None:
    """The log density of two labels of 1/2 is near that of a normal distribution with variance
    1 / (8 a + 4): log sqrt((8 a + 4) / (2 pi)), up to the order of 1 / a."""
    found = slp.parse(DOUBLE).learn("9 :: double(h)", "double(t)", concentration=1e6)
    want = 0.5 * math.log((8e6 + 4) / (2 * math.pi))
    assert found.log_priors[-1] == pytest.approx(want, abs=1e-4) and found.converged
    assert after(found)["coin(h)"] == pytest.approx(0.5, abs=1e-4)


#: The states of the hidden chain may change names, and some starts end at a saddle.
SADDLE = HMM
for before, now in (("0.7", "0.5"), ("0.3", "0.5"), ("0.4", "0.5"), ("0.6", "0.5"), ("0.9", "0.5")):
    SADDLE = SADDLE.replace(before, now)
SADDLE = SADDLE.replace("0.1", "0.5")
WORDS = ["5 :: hmm([x, x, x, x])", "4 :: hmm([y, y, y, y])", "hmm([x, x, y, y])"]


def test_several_starts_leave_a_saddle() -> None:
    """With all labels alike, states are alike and stay so."""
    program = slp.parse(SADDLE)
    one = program.learn(*WORDS, failures=False)
    found = program.learn(*WORDS, failures=False, starts=4, seed=1)
    assert found.starts[0] == pytest.approx(one.log_likelihoods[-1])
    assert found.log_likelihoods[-1] == max(found.starts) > found.starts[0] + 5
    again = program.learn(*WORDS, failures=False, starts=4, seed=1)
    other = program.learn(*WORDS, failures=False, starts=4, seed=2)
    assert again.text == found.text and again.starts == found.starts != other.starts
    assert found.seed == 1 and one.seed is None and one.starts == ()


@pytest.mark.parametrize(
    "options", [{"concentration": 2}, {"starts": 2}, {"errors": True}, {"given": "X > 1"}]
)
def test_options_of_goals_are_none_of_tables(options: dict[str, object]) -> None:
    frame = pl.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(":- use(growtree).").learn(frame, **options)
    assert caught.value.diagnostics[0].code == "E292"


def test_a_start_draws_parameters() -> None:
    text = DOUBLE.replace("0.5 :: coin(h)", ":- param(p, 0.5).\np :: coin(h)")
    text = text.replace("0.5 :: coin(t)", "1 - p :: coin(t)")
    found = slp.parse(text).learn("36 :: double(h)", "16 :: double(t)", starts=3, seed=0)
    assert found.starts == pytest.approx([found.starts[0]] * 3)  # one maximum
    assert after(found)["p"] == pytest.approx(0.6, abs=1e-4)


def test_the_command(tmp_path: Path) -> None:
    program, data = tmp_path / "double.slp", tmp_path / "seen.pl"
    program.write_text(DOUBLE)
    data.write_text("36 :: double(h). 16 :: double(t).")
    command = ["learn", str(program), str(data)]
    more = ["--concentration", "3", "--concentration", "coin=1.5", "--starts", "2", "--seed", "7"]
    lines = CliRunner().invoke(slp_command, [*command, *more]).output.splitlines()
    assert lines[2].startswith("log prior density ")
    what = "log-likelihood plus log prior density"
    assert lines[3].startswith(f"best of 2 starts, seed 7: {what}")
    bad = CliRunner().invoke(slp_command, [*command, "--concentration", "x"])
    assert bad.exit_code == 2 and "E292" in bad.output
    for name, what in (("coin=", "`coin`"), ("", "all predicates")):
        twice = ["--concentration", f"{name}2", "--concentration", f"{name}3"]
        bad = CliRunner().invoke(slp_command, [*command, *twice])
        assert bad.exit_code == 2 and f"two concentrations are given for {what}" in bad.output
