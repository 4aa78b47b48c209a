"""`slp.elicit`: values of parameters whose prior has the means that are asked for."""

from __future__ import annotations

import json
import math

import polars as pl
import pytest

import slp

ROWS = pl.DataFrame({"x": [1, 2, 3, 4], "z": [1, 1, 2, 2], "y": ["a", "b", "a", "b"]})
STUMP = ":- use(growtree).\n:- support(max_depth(1)).\n"


def test_a_stump_by_hand() -> None:
    """With one split at most the expected depth is alpha, and there are 1 + alpha leaves."""
    found = slp.elicit(slp.parse(STUMP), ROWS, depth=0.3, seed=1)
    assert found.parameters["alpha"] == pytest.approx(0.3, rel=0.005)
    assert found.means["depth"].value == pytest.approx(found.parameters["alpha"])
    assert found.means["depth"].kind == "exact" and found.reached("depth")
    leaves = slp.elicit(slp.parse(STUMP), ROWS, leaves=1.25, seed=1)
    assert leaves.parameters["alpha"] == pytest.approx(0.25, rel=0.005)


def test_two_means_and_two_parameters() -> None:
    """alpha and beta are found again from the means that they give."""
    program = slp.parse(":- use(growtree).\n:- support(max_depth(2)).\n")
    prior = program.with_parameters(alpha=0.8, beta=0.5).prior(ROWS, draws=0)
    means = {"leaves": prior.expected_leaves(), "depth": prior.expected_depth()}
    found = slp.elicit(program, ROWS, **means, seed=1)
    assert found.parameters == pytest.approx({"alpha": 0.8, "beta": 0.5}, rel=0.05)
    again = program.with_parameters(**found.parameters).prior(ROWS, draws=0)
    assert again.expected_leaves() == pytest.approx(means["leaves"], rel=0.01)
    assert again.expected_depth() == pytest.approx(means["depth"], rel=0.01)


def test_what_cannot_be_reached() -> None:
    found = slp.elicit(slp.parse(STUMP), ROWS, leaves=3, seed=1)
    assert not found.reached("leaves") and found.spans["leaves"][1] <= 2
    assert "3 is not reached" in " ".join(found.lines())
    assert found.parameters["alpha"] > 0.99


def test_named_parameters_and_priors_of_them() -> None:
    program = slp.parse(
        ":- use(growtree).\n:- param(alpha, beta(2, 2)).\n:- support(max_depth(2))."
    )
    found = slp.elicit(program, ROWS, leaves=1.5, seed=1)
    assert found.parameters.keys() == {"alpha"} and found.reached("leaves")
    other = slp.elicit(program, ROWS, leaves=1.6, parameters=["beta"], seed=1)
    assert other.parameters.keys() == {"beta"}
    # alpha stays at its prior's mean
    means = program.with_parameters(alpha=0.5, **other.parameters).prior(ROWS, draws=0)
    assert means.expected_leaves() == pytest.approx(other.means["leaves"].value)


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (STUMP, {}),
        (STUMP, {"leaves": 1.0}),
        (STUMP, {"depth": math.inf}),
        (STUMP, {"leaves": 1.5, "parameters": ["gamma"]}),
        (STUMP, {"leaves": 1.5, "parameters": ["alpha", "beta"]}),
        (":- start(t).\n1/2 :: t --> split(_, _), t, t.\n1/2 :: t --> leaf.", {"leaves": 2}),
    ],
)
def test_refused(text: str, how: dict[str, object]) -> None:
    with pytest.raises(slp.UsageError) as error:
        slp.elicit(slp.parse(text), ROWS, seed=1, **how)
    assert error.value.diagnostics[0].code == "E553"


def test_the_command(slp_run, tmp_path) -> None:
    table, prior = tmp_path / "rows.csv", tmp_path / "stump.slp"
    ROWS.write_csv(table)
    prior.write_text(STUMP)
    words = ["tune", prior, table, "--depth", 0.3, "--seed", 1]
    done = slp_run(*words)
    assert done.code == 0 and "means     depth: 0.3 asked, 0.3" in done.out
    found = json.loads(slp_run(*words, "--json").out)
    value = f"--param alpha={found['parameters']['alpha']!r}"
    assert f"next      slp-sample {prior} {table} {value}\n" in done.out
    assert found["means"]["depth"]["reached"] is True
    unreached = slp_run("tune", prior, table, "--leaves", 5, "--seed", 1)
    assert unreached.code == 0 and "5 is not reached" in unreached.out
    both = slp_run("tune", prior, table, "--leaves", 5, "--grid", "alpha=0.5")
    assert both.code == 2 and "take --grid, or --leaves and --depth" in both.err
