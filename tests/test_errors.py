"""Warnings point at the line of the caller, however deep in the package they come up."""

from __future__ import annotations

import linecache
import sys
import warnings
from collections.abc import Callable
from functools import cached_property
from types import FunctionType

import numpy as np
import pytest

import slp
from slp import kernels
from slp.errors import Diagnostic, SlpWarning, warn
from slp.runner import Schedule, run
from tests.runner.toy import Walk

RNG = np.random.default_rng(3)
X = RNG.random((30, 3))
ONE_CLASS = np.zeros(30, np.int64)
COIN = slp.parse("0.5 :: coin(heads). 0.5 :: coin(tails).")


def warned(act: Callable[[], object]) -> list[tuple[str, str, str]]:
    """Code, file and source line of each warning of slp."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    return [
        (w.message.diagnostic.code, w.filename, linecache.getline(w.filename, w.lineno).strip())
        for w in caught
        if isinstance(w.message, SlpWarning)
    ]


def test_of_a_table_and_of_its_draws() -> None:
    program = slp.parse(":- use(growtree).")

    def few_draws() -> None:
        program.posterior(X, ONE_CLASS, engine="mh", draws=20, warmup=1, seed=1)

    def prior() -> None:
        program.prior(X, ONE_CLASS, engine="mh", draws=20, warmup=1, seed=1)

    for act in (few_draws, prior):
        found = warned(act)
        assert {code for code, _, _ in found} == {"W402", "W530"}
        assert {file for _, file, _ in found} == {__file__}
        (text,) = {text for _, _, text in found}
        assert text.startswith("program.p") and "draws=20" in text


def test_of_auto() -> None:
    wide = RNG.random((40, 4))

    def too_large() -> None:
        slp.load("denison").posterior(wide, wide[:, 0] < 0.5, memory=2**20, draws=4, warmup=1)

    assert ("W540", __file__, body_of(too_large)) in warned(too_large)


def test_of_proofs() -> None:
    def few_draws() -> None:
        COIN.sample_proofs("coin(X)", draws=20, warmup=1, seed=1)

    assert {found[1:] for found in warned(few_draws)} == {(__file__, body_of(few_draws))}


def test_of_a_run_that_was_interrupted() -> None:
    def interrupted() -> None:
        run(Walk(interrupt_at=700), Schedule(draws=2000, chains=2, warm_up=10), seed=2)

    assert warned(interrupted) == [("W510", __file__, body_of(interrupted))]


def test_of_kernels_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLP_KERNELS", raising=False)
    monkeypatch.setitem(sys.modules, "slp._core", None)  # makes its import fail

    def first_use() -> None:
        slp.load("growtree").compile(X, ONE_CLASS)

    kernels._choose_kernels.cache_clear()
    try:
        assert warned(first_use) == [("W590", __file__, body_of(first_use))]
    finally:
        kernels._choose_kernels.cache_clear()


FINDING = Diagnostic("W999", "a finding", severity="warning")


def inside(function: Callable[..., object], module: str = "slp.somewhere") -> Callable[..., object]:
    """The function as one of a module of the package."""
    assert isinstance(function, FunctionType)
    names = {**function.__globals__, "__name__": module}
    return FunctionType(function.__code__, names, closure=function.__closure__)


def test_decorators_of_the_standard_library_are_nobodys_line() -> None:
    class Lazy:
        value = cached_property(inside(lambda self: warn(FINDING)))

    def asked() -> None:
        Lazy().value  # noqa: B018

    assert warned(asked) == [("W999", __file__, "Lazy().value  # noqa: B018")]


def test_a_module_that_is_merely_called_alike_is_a_caller() -> None:
    def act() -> None:
        inside(lambda: warn(FINDING), "slpx")()

    assert warned(act) == [("W999", __file__, body_of(act))]


def test_told_once_a_line_unless_told_otherwise() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warn(FINDING)
        warn(FINDING)
    assert len(caught) == 2


def body_of(function: Callable[..., object]) -> str:
    """The first line of a function's body."""
    code = function.__code__  # type: ignore[attr-defined]
    return linecache.getline(code.co_filename, code.co_firstlineno + 1).strip()
