"""Pages of the report on small tables, each made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl
import pytest

import slp
from slp.program import first_program
from slp.report import report_html

SCRIPT = "<script>document.title='taken'</script>"
ATTRIBUTE = '"><img src=x onerror=alert(1)>'
END = "</style></title>&amp;$x$"

_KNOWN = """
:- use(growtree). :- support(min_leaf(3)).
box(infant, age, 0, 24). :- constraint(constant(infant)). :- constraint(forbid(dose, below(1))).
"""
_AGES = [3, 8, 15, 20, 30, 36, 40, 48, 55, 60, 66, 72]
_DOSES = [3, 1, 2, 3, 1, 3, 1, 3, 2, 1, 3, 2]
_ILL = ["no", "no", "no", "no", "no", "yes", "no", "yes", "yes", "no", "yes", "yes"]


def patients(**names: str) -> pl.DataFrame:
    frame = pl.DataFrame({"age": _AGES * 2, "dose": _DOSES * 2, "ill": _ILL * 2})
    return frame.rename(names)


def _numbers() -> pl.DataFrame:
    rng = np.random.default_rng(2)
    x = np.arange(24)
    return pl.DataFrame({"x": x, "z": rng.integers(0, 3, 24), "y": 40.0 * (x > 11) + x / 7})


def _durations() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    ward = ["a", "b", "c"] * 8
    time = rng.exponential(20, 24).round(1) + 1
    return pl.DataFrame({"ward": ward, "age": _AGES * 2, "time": time, "died": [1, 1, 0] * 8})


def _run(name: str) -> slp.Posterior:
    if name == "classes":
        return slp.parse(_KNOWN).posterior(patients(), seed=1)
    if name == "draws":
        options = {"engine": "mh", "seed": 1, "draws": 200, "chains": 2, "warmup": 100}
        return slp.parse(_KNOWN).posterior(patients(), **options)  # type: ignore[arg-type]
    if name == "prior":
        return slp.parse(_KNOWN).prior(patients(), seed=1)
    if name == "one tree":
        return slp.parse(_KNOWN).posterior(patients(), engine="modal", seed=1)
    if name == "hostile":
        frame = patients(age=SCRIPT, dose=ATTRIBUTE, ill=END)
        frame = frame.with_columns(pl.col(END).replace({"yes": f"{SCRIPT}\u202e", "no": ATTRIBUTE}))
        text = first_program(frame, END) + f"% {SCRIPT} {END}\n"
        return slp.parse(text, f"{SCRIPT}.slp").posterior(frame, seed=1)
    frame = {"numbers": _numbers, "durations": _durations}[name]()
    return slp.parse(first_program(frame)).posterior(frame, seed=1)


@cache
def run_of(name: str) -> slp.Posterior:
    return _run(name)


@cache
def page_of(name: str) -> str:
    return report_html(run_of(name), f"slp report {name} --seed 1")


@pytest.fixture(scope="session")
def page() -> Callable[[str], str]:
    """The report of one of the runs, by its name."""
    return page_of


@pytest.fixture(scope="session")
def posterior() -> Callable[[str], slp.Posterior]:
    """One of the runs, by its name."""
    return run_of
