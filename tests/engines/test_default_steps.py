"""The default length of a run: constant on small tables and bounded on large ones. It depends on
the program and the table alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import slp
from slp.engines.mcmc import default_steps as steps
from slp.engines.mcmc.default_proposal import proposal_of
from slp.engines.mcmc.options import TreeChainOptions
from slp.engines.mcmc.sample import tree_sampler
from slp.runner.effort import LEVELS, level_of

pytestmark = [
    pytest.mark.usefixtures("compiled_kernels"),
    pytest.mark.filterwarnings("ignore::slp.SlpWarning"),
]


def found(text: str, n: int = 200, d: int = 3, **options: object) -> tuple[int, int]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    program = slp.parse(text)
    model = program.compile(X, X[:, 0] > 0)
    sampling = TreeChainOptions(rungs=1, **options)  # type: ignore[arg-type]
    sampler = tree_sampler(model, sampling, True)
    level = level_of(sampling.effort)
    return steps.default_steps(sampler, model.grammar, proposal_of(model, sampling), level)


def _bound(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    level = replace(LEVELS["default"], untempered=seconds)
    monkeypatch.setitem(LEVELS, "default", level)


@pytest.mark.slow
def test_small_tables_have_the_full_numbers(tmp_path: Path) -> None:
    growtree = ":- use(growtree)."
    assert found(growtree) == found(growtree, 700, 8) == (20_000, 1000)
    assert found(growtree, proposal="q_exact") == (1000, 10)
    for prior in ("denison", "gmt", "growtree_gap", "pinball"):
        assert found(f":- use({prior}).", 700, 8) == (20_000, 1000)


def test_on_large_tables_both_are_lessened_by_one_factor() -> None:
    n, d = 22_000, 4
    assert found(":- use(growtree).", n, d, proposal="q_uc") == (20_000, 1000)
    of_step = (500 + 30 * d + 2.5 * n + 20 * d * n) * 1e-9  # `partition`
    share = 120 / (2_080_000 * of_step)
    want = (round(20_000 * share), round(1000 * share))
    assert want[1] < 100
    assert found(":- use(bcart_pcfg).", n, d, proposal="q_uc") == want


@pytest.mark.slow
def test_tree_moves_take_several_times_as_long() -> None:
    n, d = 100_000, 4
    of_step = (500 + 30 * d + 2.5 * n) * 1e-9
    for proposal, times in (
        ("q_uc", 1.0),
        ("cgm", 1.5),
        ("q_uc:3,informed", 0.75 + (8 + d * (n - 1) / 4000) / 4),
    ):
        share = min(1.0, 120 / (2_080_000 * of_step * times))
        want = (round(20_000 * share), round(1000 * share))
        assert found(":- use(growtree).", n, d, proposal=proposal) == want


def test_neither_draws_nor_chains_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    _bound(monkeypatch, 0.05)
    X = np.random.default_rng(0).normal(size=(200, 3))
    program = slp.parse(":- use(growtree).")

    def schedule(**options: object) -> tuple[int, int]:
        own = program.posterior(X, X[:, 0] > 0, engine="mh", rungs=1, seed=1, **options).schedule  # type: ignore[arg-type]
        assert own is not None
        return own.warm_up, own.thin

    short = schedule(draws=8)
    assert 1 < short[0] < 1000 and 1 < short[1] < 50
    assert schedule(draws=20) == schedule(draws=8, chains=2) == short
    assert schedule(draws=8, warmup=7) == (7, short[1])
    assert schedule(draws=8, thin=3) == (short[0], 3)


def test_never_fewer_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    _bound(monkeypatch, 1e-9)
    assert found(":- use(growtree).") == (1, 1)


@pytest.mark.parametrize(
    ("text", "of_a_row"),
    [
        (":- use(growtree).", 2.5),
        (":- use(denison).", 2.5 + 3 * 0.5),
        (":- use(bcart_pcfg).", 2.5 + 3 * 20),
        (":- use(pinball).", 2.5 + 8),
        (":- use(growtree). :- constraint(once(x0)). box(b, x0, 0, 1).", 2.5),
        (":- use(growtree). :- constraint(constant(b)). box(b, x0, 0, 1).", 2.5 + 1.5),
    ],
)
def test_what_a_step_reads(text: str, of_a_row: float) -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    program = slp.parse(text)
    model = program.compile(X, X[:, 0] > 0)
    sampler = tree_sampler(model, TreeChainOptions(), True)
    seconds = steps.seconds_of_step(sampler, model.grammar)
    assert seconds == pytest.approx((500 + 30 * 3 + of_a_row * 200) * 1e-9)
