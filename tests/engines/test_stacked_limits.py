"""What members stacked by prediction tell where a limit of time or memory ends or shortens them:
no remedy is an option of chains that stacking does not take."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.engines.stacked import run as stacking
from slp.errors import SlpWarning, warn
from slp.messages.inference import NOTHING_DRAWN
from slp.messages.results import KEPT_EVERY
from slp.runner import NothingDrawnError, loop

PROGRAM = ":- use(growtree). :- support(max_depth(2)). :- response(y)."
QUICK: dict[str, Any] = {"engine": "stacked", "members": 8, "draws": 16, "effort": "quick"}


def table() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 2)).round(1)
    return pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": np.where(x[:, 0] > 0, "yes", "no")})


def told_by(**options: Any) -> tuple[slp.Posterior, list[slp.Diagnostic]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SlpWarning)
        found = slp.parse(PROGRAM).posterior(table(), seed=1, **QUICK, **options)
    messages = [w.message for w in caught]
    return found, [m.diagnostic for m in messages if isinstance(m, SlpWarning)]


def test_a_warm_up_that_the_clock_cut_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing of chains that have not converged, which the same warning of chains has."""
    monkeypatch.setattr(loop, "_WARM_UP_SHARE", 0.0)
    found, said = told_by(time=300)
    assert not found.out_of_time and found.trust.by_clock
    assert "depends on the clock" in found.reason and found.engine == "stacked"
    assert [finding.code for finding in said] == ["W543"]
    assert "converged" not in said[0].message and "warmup" not in str(said[0].help)


def without_options_of_chains(finding: slp.Diagnostic) -> str:
    help = finding.help
    assert help is not None and not any(name in help for name in ("chains", "warmup", "thin"))
    return help


def members_run(monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any]) -> None:
    engine = stacking.engine_named("mh")
    stub = SimpleNamespace(Options=engine.Options, refusal=engine.refusal, run=run)
    monkeypatch.setattr(stacking, "engine_named", lambda _: stub)


def test_too_little_memory_for_members() -> None:
    with pytest.raises(slp.BudgetError, match="E501") as caught:
        told_by(memory="200KiB")
    assert "`members`" in without_options_of_chains(caught.value.diagnostics[0])


def test_too_little_time_for_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best tree of a member, which the error of chains has, is none of the stack."""
    remedy = "smaller `warmup` and `thin` (of trees: by effort quick)"
    error = NothingDrawnError(NOTHING_DRAWN(time="1 s", how_far="", remedy=remedy), [])
    error.known = object()

    def run(*_: Any) -> None:
        raise error

    members_run(monkeypatch, run)
    with pytest.raises(slp.BudgetError, match="E540") as caught:
        told_by()
    assert "`members`" in without_options_of_chains(caught.value.diagnostics[0])
    assert caught.value.known is None


def test_draws_that_did_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    members = stacking.engine_named("mh").run

    def run(*of: Any) -> Any:
        warn(KEPT_EVERY(every=2, kept=8, wanted=16, thin=20))
        return members(*of)

    members_run(monkeypatch, run)
    _, said = told_by()
    assert [finding.code for finding in said] == ["W544"]
    assert "`draws`" in without_options_of_chains(said[0])
