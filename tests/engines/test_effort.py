"""Effort: what each level sets, and that other options win over it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.engines import choose as choice
from slp.engines.mcmc import default_steps as steps
from slp.engines.mcmc.default_proposal import proposal_of
from slp.engines.mcmc.options import TreeChainOptions
from slp.engines.mcmc.rounds import EnoughRounds
from slp.engines.mcmc.sample import tree_sampler
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.engines.shared import choices
from slp.engines.shared.size import estimate_size
from slp.engines.smc.options import FilterOptions
from slp.results.record.size import MOST_SPLITS
from slp.results.trust.doubts import longer_run
from slp.runner import Schedule
from slp.runner.effort import LEVELS, level_of, next_level

pytestmark = [
    pytest.mark.usefixtures("compiled_kernels"),
    pytest.mark.filterwarnings("ignore::slp.SlpWarning"),
]

QUICK, DEFAULT, THOROUGH = LEVELS.values()
GROWTREE = slp.parse(":- use(growtree).")


def table(n: int = 30, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.random((n, d))
    return X, ((X[:, 0] < 0.5) ^ (rng.random(n) < 0.2)).astype(np.int64)


def test_levels_have_an_order() -> None:
    assert [level.name for level in LEVELS.values()] == ["quick", "default", "thorough"]
    for shorter in (QUICK, DEFAULT):
        longer = next_level(shorter)
        assert longer is not None
        for name in ("sums", "first_round", "run", "nearly_there", "untempered", "particles"):
            assert getattr(shorter, name) <= getattr(longer, name)
        assert shorter.run < longer.run
    assert next_level(THOROUGH) is None


@pytest.mark.parametrize("wrong", ["fast", "Quick", 3, None])
def test_another_name_is_refused(wrong: Any) -> None:
    with pytest.raises(slp.UsageError, match="E554.*there is no effort"):
        GROWTREE.posterior(*table(), effort=wrong)
    with pytest.raises(slp.UsageError, match="did you mean .?quick"):
        GROWTREE.posterior(*table(), engine="mh", effort="quik")


def scan_steps(level: str, n: int, d: int, **options: Any) -> steps.ScanSteps:
    problem = GROWTREE.compile(*table(n, d))
    given = TreeChainOptions(effort=level, **options)
    sampler = tree_sampler(problem, replace(given, rungs=1), True)
    proposal = proposal_of(problem, given)
    return steps.scan_steps(sampler, problem.grammar, proposal, level_of(level), given.thin)


@pytest.mark.slow
def test_the_first_round_of_ladders_is_bounded_by_estimate() -> None:
    """4 x 252 + 2000 scans of 12 rungs."""
    for n, d in ((200, 3), (20_000, 4)):
        made = {name: scan_steps(name, n, d) for name in LEVELS}
        for name, found in made.items():
            one_step = found.seconds / found.in_scan
            most = level_of(name).first_round / (3008 * 12 * one_step)
            assert found.in_scan == max(1, min(100, round(most)))
        assert made["quick"].in_scan < made["default"].in_scan <= made["thorough"].in_scan
    assert made["default"].in_scan < made["thorough"].in_scan
    assert scan_steps("thorough", 200, 3, thin=2).in_scan == 2


def test_other_options_win() -> None:
    how = {"engine": "mh", "draws": 40, "seed": 1, "chains": 2, "rungs": 3}
    both = [
        GROWTREE.posterior(*table(), **how, effort=name, warmup=40, thin=2, rounds=1)
        for name in ("quick", "thorough")
    ]
    assert both[0].schedule == both[1].schedule
    assert [d.tree for d in both[0].draws] == [d.tree for d in both[1].draws]


def test_the_default_level_is_that_of_no_level() -> None:
    how = {"engine": "mh", "draws": 8, "seed": 1, "chains": 2, "rungs": 1}
    plain, named = (GROWTREE.posterior(*table(), **how, **e) for e in ({}, {"effort": "default"}))
    assert [d.tree for d in plain.draws] == [d.tree for d in named.draws]
    assert plain.schedule == named.schedule


def test_particles_and_soft_steps() -> None:
    assert [FilterOptions(effort=name).n_particles for name in LEVELS] == [250, 1000, 1000]
    assert FilterOptions(effort="quick", particles=7).n_particles == 7
    assert [SoftTreeOptions(effort=name).steps(100) for name in LEVELS] == [
        (1400, 5),
        (5000, 50),
        (5000, 50),
    ]
    assert SoftTreeOptions(effort="quick", thin=3).steps(100) == (1000, 3)
    assert SoftTreeOptions(effort="quick").steps(10**6)[1] == 1
    found = GROWTREE.posterior(*table(), engine="smc", effort="quick", seed=1, draws=4000)
    assert len(found.draws) == 8 * 250


# --- rounds -------------------------------------------------------------------------------------


def _result(r_hat: float, trips: int, rounds: int) -> Any:
    tempering = SimpleNamespace(
        ladders=[SimpleNamespace(powers=range(10))] * 4, enough_round_trips=trips >= 5
    )
    found = SimpleNamespace(
        out_of_time=False,
        draws=(500,) * 4,
        tempering=tempering,
        effective_needed=400,
        standing="not converged",
        nearly_agrees=trips >= 5 and r_hat <= 1.05,
    )
    schedule = Schedule(2000, 4, 252, 1, rounds)
    return SimpleNamespace(diagnostics=lambda: found, schedule=schedule)


@pytest.mark.parametrize(
    "r_hat, trips, enough", [(1.02, 9, False), (1.2, 9, True), (1.02, 4, True)]
)
def test_a_run_goes_on_where_its_chains_nearly_agree(r_hat, trips, enough) -> None:
    """40 rungs, 252 + 500 r scans: the next round, the third, would be of 2,010 seconds."""
    scan: Any = SimpleNamespace(seconds=40 * (252 + 1500) ** -1 / 40)
    limit = EnoughRounds(most=30.0, nearly_there=50.0)
    assert limit(_result(r_hat, trips, 2), scan) is enough
    assert EnoughRounds(50.0, 50.0)(_result(r_hat, trips, 2), scan) is False
    assert EnoughRounds(30.0, 30.0)(_result(r_hat, trips, 2), scan) is True


def test_the_longer_run_is_of_the_next_level() -> None:
    def longer(draws: int = 2000, near: bool = False, **given: object) -> dict[str, object]:
        found: Any = SimpleNamespace(
            tempering=1, out_of_time=False, nearly_agrees=near, source="chains", moves={}
        )
        return longer_run(Schedule(draws, rounds=2), draws, found, given).options

    assert longer(effort="quick") == longer(effort="quick", near=True) == {"effort": "default"}
    assert longer() == longer(effort="default", chains=4) == {"effort": "thorough"}
    assert longer(draws=40, effort="quick") == {"effort": "default", "draws": 2000}
    # `thorough` makes no more rounds than `default` has made, or there is no next level.
    assert longer(near=True) == longer(effort="thorough") == {"rounds": 6}
    assert longer(rounds=2) == longer(thin=5, effort="quick") == {"rounds": 6}


# --- sums ---------------------------------------------------------------------------------------


def chosen(problem: Any, level: str, seconds: float | None = None) -> Any:
    request: Any = SimpleNamespace(
        memory=2**30, likelihood=True, advise=False, deadline=slp.budgets.Deadline(seconds)
    )
    return choice.choose(problem, request, "auto", level_of(level))


def test_auto_takes_sums_that_the_level_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = GROWTREE.compile(*table())
    size = estimate_size(problem)
    assert size is not None and 0 < size.seconds < QUICK.sums
    assert [chosen(problem, name).engine for name in LEVELS] == ["exact"] * 3
    monkeypatch.setitem(LEVELS, "quick", replace(QUICK, sums=size.seconds / 2))
    found = chosen(problem, "quick")
    assert found.engine == "mh" and found.beyond_effort
    assert found.reason.endswith("of one core of effort quick")
    assert "engine='exact'" in str(choices.draws_instead(found).help)
    assert chosen(problem, "default").engine == "exact"
    # A limit of time decides in its place.
    assert chosen(problem, "quick", seconds=100.0).engine == "exact"


def test_sums_of_five_minutes_are_not_taken_by_default() -> None:
    """The known case has 160 rows; 100 are beyond the limit too."""
    rng = np.random.default_rng(3)
    columns = {name: rng.normal(size=100).round(2) for name in ("a", "b")}
    frame = pl.DataFrame({**columns, "y": np.where(columns["a"] > 0, "p", "q")})
    missing = pl.when(pl.Series(rng.random(100) < 0.2)).then(None).otherwise(pl.col("a"))
    frame = frame.with_columns(missing.alias("a"))
    program = slp.parse(":- use(growtree). :- feature(a, [missing(side)]).")
    problem = program.compile(frame)
    size = estimate_size(problem)
    assert size is not None and size.fits(2**40, MOST_SPLITS) and size.seconds > DEFAULT.sums
    request = SimpleNamespace(
        memory=2**42, likelihood=True, advise=False, deadline=slp.budgets.Deadline()
    )
    found = choice.choose(problem, request, "auto", DEFAULT)  # type: ignore[arg-type]
    assert found.engine == "mh" and "more than the 2 min of one core" in found.reason


def test_effort_is_used_by_the_choice_of_auto_alone() -> None:
    def warned(**how: Any) -> str:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert GROWTREE.posterior(*table(), effort="quick", **how).engine == "exact"
        return " ".join(str(w.message) for w in caught)

    assert warned() == ""
    assert "the engine exact does not use effort" in warned(engine="exact")


# --- the first answer ---------------------------------------------------------------------------


class Told:
    def __init__(self) -> None:
        self.found: list[Any] = []

    def __call__(self, done: int, phase: str) -> None:
        if phase.startswith("sampling"):
            self.found.append("sampling")

    def first_answer(self, found: Any) -> None:
        self.found.append(found)


@pytest.mark.parametrize("own", [{"engine": "mh", "thin": 1, "rungs": 3}, {"engine": "smc"}])
def test_a_modal_tree_is_told_before_the_draws(own: dict[str, Any]) -> None:
    told = Told()
    how: dict[str, Any] = {**own, "seed": 1, "draws": 40, "effort": "quick"}
    posterior = GROWTREE.posterior(*table(), progress=told, **how)
    first, second, *_ = told.found
    best = GROWTREE.posterior(*table(), engine="modal").map()
    assert (first.tree, first.log_joint) == (best.tree, best.log_joint) and second == "sampling"
    plain = GROWTREE.posterior(*table(), **how)
    assert [d.tree for d in plain.draws] == [d.tree for d in posterior.draws]


@pytest.mark.parametrize(
    "text",
    [
        ":- use(growtree). :- constraint(max_leaves(3)). :- failure(backtrack).",
        ':- use(growtree). :- constraint(python("math:isfinite")).',
    ],
)
def test_none_is_told_where_none_is_grown(text: str) -> None:
    told = Told()
    how: dict[str, Any] = {"engine": "mh", "draws": 4, "warmup": 4, "thin": 1, "seed": 1}
    try:
        slp.parse(text).posterior(*table(6), progress=told, allow_code=True, **how)
    except slp.SlpError as error:
        assert "python" in text and error
    assert set(told.found) <= {"sampling"}


def test_none_is_told_of_a_prior() -> None:
    told = Told()
    GROWTREE.prior(*table(), progress=told, engine="mh", draws=4, warmup=4, thin=1, seed=1)
    assert set(told.found) == {"sampling"}
