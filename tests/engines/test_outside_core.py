"""A run whose engine leaves the compiled core for plain code says so, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.compile import compile_problem, compile_program
from slp.engines import registry, run
from slp.engines.mcmc import sample as mh_sample
from slp.engines.modal import run as modal_run
from slp.engines.search import run as search_run
from slp.engines.smc import sample as smc_sample
from slp.source import SourceFile

RNG = np.random.default_rng(3)
X = RNG.integers(0, 5, 40) * 1.0
TABLE = pl.DataFrame({"x": X, "z": RNG.integers(0, 3, 40) * 1.0, "y": np.where(X > 2, "a", "b")})
HEAD = ":- use(growtree). :- response(y). :- support(max_depth(2)). "
BOXES = HEAD + "box(low, x, -inf, 2.5). :- leaf(dirichlet(1)). :- leaf(in(low), dirichlet([1, 4]))."
THRESHOLDS = HEAD + ":- thresholds(x, normal(2, 1))."
PLAIN = "; it runs in Python, as the core "
OF_BOXES = (
    PLAIN + "has leaves with priors of their own in boxes in sums, and in chains without `q_pg`"
)
OF_THRESHOLDS = PLAIN + "weighs no cuts by a density of thresholds"

SMC = {"engine": "smc", "particles": 20, "islands": 4}
MH = {"engine": "mh", "chains": 2, "warmup": 5, "rungs": 1}
PG = {**MH, "proposal": "q_pg"}
MODAL, SEARCH = {"engine": "modal"}, {"engine": "search"}

pytestmark = pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")


def posterior_of(text: str, options: dict[str, Any], draws: int = 4) -> Any:
    return slp.parse(text).posterior(TABLE, draws=draws, seed=1, **options)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The engines whose plain version a run asks for."""
    names: list[str] = []

    def plain_engine(name: str) -> Any:
        names.append(name)
        return registry.plain_engine(name)

    for module in (smc_sample, modal_run, search_run, mh_sample):
        monkeypatch.setattr(module, "plain_engine", plain_engine)
    return names


@pytest.mark.parametrize("options", (SMC, MH, PG, MODAL, SEARCH), ids=str)
@pytest.mark.parametrize("text", (HEAD, BOXES, THRESHOLDS), ids=("plain", "boxes", "thresholds"))
def test_the_reason_says_where_it_runs(
    text: str, options: dict[str, Any], asked: list[str]
) -> None:
    told = {HEAD: "", BOXES: "" if options is MH else OF_BOXES, THRESHOLDS: OF_THRESHOLDS}[text]
    reason = posterior_of(text, options).reason
    assert reason.split("; without moves")[0] == "asked for" + told
    assert bool(asked) == bool(told)


def test_exact_sums_say_it_of_thresholds_alone() -> None:
    in_numpy = OF_THRESHOLDS.replace("; it runs in Python", ", in NumPy")
    for text, told in ((HEAD, ""), (BOXES, ""), (THRESHOLDS, in_numpy)):
        assert posterior_of(text, {"engine": "exact"}, 0).reason == "asked for" + told


def test_members_and_sums_of_trees_say_it_too() -> None:
    stacked = registry.engine_named("stacked")
    for text, told in ((BOXES, ""), (THRESHOLDS, OF_THRESHOLDS)):
        problem = compile_problem(compile_program(SourceFile("test.slp", text)), TABLE)
        why = stacked.outside_core(problem, stacked.Options())
        assert ("" if why is None else PLAIN + why) == told
    numbers = TABLE.with_columns(y=pl.col("x") + pl.col("z"))
    many = THRESHOLDS + " :- trees(2). :- leaf(sum_normal(mean = 0, tau = 1, sigma = 1))."
    found = slp.parse(many).posterior(numbers, draws=4, seed=1, chains=2, warmup=2)
    assert found.engine == "additive" and found.reason.endswith(OF_THRESHOLDS)


def test_missing_kernels_are_told_by_a_warning_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "compiled_core", lambda: None)
    assert posterior_of(THRESHOLDS, MODAL).reason == "asked for"
