"""Ordered categoricals of pandas are as declared `ordinal`; polars' Enum is noted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slp

N = 30
RNG = np.random.default_rng(8)
CODES = RNG.integers(0, 3, N)
X = RNG.normal(size=N).round(2)
Y = np.where(RNG.random(N) < 0.2 + 0.3 * CODES, "a", "b")


def frame(levels: Sequence[Any], ordered: bool = True, codes: Any = CODES) -> pd.DataFrame:
    cells = pd.Categorical.from_codes(codes, categories=list(levels), ordered=ordered)
    return pd.DataFrame({"s": cells, "x": X, "y": Y})


ORDERS: dict[str, tuple[list[Any], str]] = {
    "names": (["low", "mid", "high"], "[low, mid, high]"),
    "a level that no row has": (["none", "low", "mid", "high"], "[none, low, mid, high]"),
    "whole numbers": ([1, 2, 10], "[1, 2, 10]"),
    "reals": ([0.5, 1.5, 4.0], "[0.5, 1.5, 4]"),
    "falling numbers": ([10, 2, 1], "[1, 2, 10]"),
    "text of numbers": (["1", "2", "3"], "[1, 2, 3]"),
    "capitals": (["I", "II", "III"], "['I', 'II', 'III']"),
}
DECLARED = {"": "", "side": "missing(side), ", "all": ""}


@pytest.mark.thinned(4)
@pytest.mark.parametrize("missing", DECLARED)
@pytest.mark.parametrize("order", ORDERS)
def test_an_ordered_categorical_is_as_declared(order: str, missing: str) -> None:
    levels, declared = ORDERS[order]
    codes = CODES if not missing else np.where(np.arange(N) % 5 == 0, -1, CODES)
    own = frame(levels, codes=codes)
    of_all = ":- feature(_, [missing(side)]). " * (missing == "all")
    of_s = ":- feature(s, [missing(side)]). " * (missing == "side")
    have = slp.parse(f":- use(growtree). {of_all}{of_s}").posterior(own, draws=5, seed=1)
    plain = own.assign(s=own["s"].astype(object))
    text = f":- use(growtree). {of_all}:- feature(s, [{DECLARED[missing]}ordinal({declared})])."
    want = slp.parse(text).posterior(plain, draws=5, seed=1)
    assert have.log_evidence == want.log_evidence
    assert have.map_tree() == want.map_tree()
    assert have.table.notes == want.table.notes
    new = plain.dropna().head(8)
    for rows in (new, own.dropna().head(8)):
        assert (have.predict_proba(rows) == want.predict_proba(rows)).all()


def test_declarations_and_types_that_are_not_ordinal() -> None:
    def kind(table: Any, text: str = "") -> str:
        program = slp.parse(f":- use(growtree). {text}")
        with np.errstate(all="ignore"):
            return program.posterior(table, "y", draws=0, seed=1).table.features[0].kind.word

    names = ["low", "mid", "high"]
    assert kind(frame(names)) == "ordinal"
    assert kind(frame(names, ordered=False)) == "categorical"
    assert kind(frame(names), ":- feature(s, [categorical]).") == "categorical"
    assert kind(frame(names), ":- feature(s, [subsets]).") == "categorical"
    assert kind(frame([1, 2, 3]), ":- feature(s, [numeric]).") == "numeric"
    assert kind(frame(names), ":- feature(s, [missing(level)]).") == "categorical"
    assert kind(frame(names), ":- feature(_, [missing(level)]).") == "categorical"
    assert kind(frame(names), ":- feature(_, [new(error)]).") == "ordinal"
    odd = frame([2, 10, 1])
    posterior = slp.load("growtree").posterior(odd, "y", draws=0, seed=1)
    assert posterior.table.features[0].kind.word == "categorical"
    assert "categories in an order that is not used" in posterior.table.notes[1]


def test_the_classes_of_an_ordered_response_stay_sorted() -> None:
    table = frame(["low", "mid", "high"])[["x", "s"]]
    posterior = slp.load("growtree").posterior(table, "s", draws=0, seed=1)
    assert list(posterior.table.leaf.classes) == ["high", "low", "mid"]


def test_a_new_level_is_an_error_and_runs_are_saved(tmp_path: Path) -> None:
    own = frame(["low", "mid", "high"])
    posterior = slp.load("growtree").posterior(own, draws=0, seed=1)
    with pytest.raises(slp.DataError, match="E438"):
        posterior.predict(pd.DataFrame({"s": ["top"], "x": [0.0]}))
    posterior.save(tmp_path / "run.slpz", table=True)
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    assert (loaded.predict_proba(own) == posterior.predict_proba(own)).all()


def test_a_rule_that_names_a_level_needs_the_declaration() -> None:
    rules = "1/2 :: t --> split(s, mid), t, t. 1/2 :: t --> leaf. :- start(t). "
    own = frame(["low", "mid", "high"])
    with pytest.raises(slp.DataError, match="E157"):
        slp.parse(rules).posterior(own, draws=0)
    for kind in ("ordinal([low, mid, high])", "categorical"):
        slp.parse(f"{rules} :- feature(s, [{kind}]).").posterior(own, draws=0, seed=1)


def test_an_estimator_takes_the_order() -> None:
    own = frame(["low", "mid", "high"])
    fitted = slp.SLPTreeClassifier(random_state=1).fit(own[["s", "x"]], own["y"])
    assert fitted.posterior_.table.features[0].kind.word == "ordinal"
    half = fitted.predict_proba(own[["s", "x"]].head(5))
    assert np.allclose(half, fitted.predict_proba(own[["s", "x"]])[:5], rtol=1e-12)


def test_an_enum_of_polars_is_noted() -> None:
    names = ["low", "mid", "high"]
    cells = pl.Series([names[c] for c in CODES], dtype=pl.Enum(names))
    table = pl.DataFrame({"s": cells, "x": X, "y": Y})
    posterior = slp.load("growtree").posterior(table, draws=0, seed=1)
    assert posterior.table.features[0].kind.word == "categorical"
    (note,) = [n for n in posterior.table.notes if "s (low, mid, high)" in n]
    assert "declare them `ordinal([...])`" in note
    for kind in ("categorical", "ordinal([low, mid, high])"):
        program = slp.parse(f":- use(growtree). :- feature(s, [{kind}]).")
        notes = program.posterior(table, draws=0, seed=1).table.notes
        assert not any("is not used" in n for n in notes)
