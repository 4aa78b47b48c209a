"""What the engine `rjhmc` refuses in words, and numbers that it does not take."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import UnsupportedError, UsageError
from tests.engines.rjhmc.soft_tables import CLASSES, NUMBERS, drawn, soft


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (":- use(growtree).", {"engine": "rjhmc"}, "E539.*feature_then_cut"),
        (":- use(rjhmc). :- constraint(constant(b)). box(b, a, 0, 2).", {}, "E539.*`constant`"),
        (
            ":- use(rjhmc). :- constraint(forbid(a, within(b))). box(b, a, 0, 2).",
            {},
            "E539.*`within`",
        ),
        (":- use(rjhmc). :- constraint(max_features(1)).", {}, "E539.*`max_features`"),
        (":- use(rjhmc). :- constraint(majority(b, p)). box(b, a, 0, 2).", {}, "E539"),
        (
            ":- use(rjhmc). :- constraint(monotone(a, up)). :- response(y, [ordinal([p, q])]).",
            {},
            "E539",
        ),
        (
            ':- use(rjhmc). :- constraint(python("math:isnan")).',
            {"allow_code": True},
            "E539",
        ),
        (
            ":- start(t). :- param(h, 0.1). 0.5 :: t --> leaf. "
            "0.5 :: t --> split(F, V, range), {V > 3}, t, t.",
            {},
            "E539",
        ),
        (":- use(rjhmc). :- support(min_leaf(3)).", {}, "E539.*`min_leaf`"),
        (":- use(rjhmc). :- support(min_weight(3)).", {}, "E539.*`min_weight`"),
        (":- use(rjhmc). :- feature(a, [cuts([2, 4])]).", {}, "E154.*`a` is cut or binned"),
        (":- use(rjhmc). :- feature(a, [categorical]).", {}, "E154.*`a` is categorical"),
        (":- use(rjhmc, [h = 0]).", {}, "E539.*`h` is 0"),
        (":- use(rjhmc). :- constraint(forbid(a)).", {"index": "soft"}, "E539.*index=soft"),
        (":- use(rjhmc). of_group(a, kin).", {"index": "soft"}, "E539.*index=soft"),
        (":- use(rjhmc).", {"index": "other"}, "E539.*index is 'other'"),
        (":- use(rjhmc).", {"first_h": -1.0}, "E539.*first_h is -1.0"),
        (
            ":- start(t). :- param(h, 0.1). 0.5 :: t --> leaf. "
            "0.3 :: t --> split(F, V, range), t, t. 0.2 :: t --> split(F, V, range), t, leaf.",
            {},
            "E539.*one derivation",
        ),
        (
            ":- start(t). :- param(h, 0.1). 0.5 :: t --> {rows(N), N > 3}, leaf. "
            "0.5 :: t --> split(F, V, range), t, t.",
            {},
            "E539.*`rows`|E2",
        ),
        (
            ":- start(t). 0.5 :: t --> leaf. 0.5 :: t --> split(F, V, range), t, t.",
            {"engine": "rjhmc"},
            "E539.*how wide",
        ),
    ],
)
def test_it_refuses_in_words(text: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(slp.SlpError, match=words):
        drawn(text, CLASSES, **options)


@pytest.mark.usefixtures("janus")
def test_it_refuses_code_of_prolog() -> None:
    with pytest.raises(slp.SlpError, match="E539"):
        drawn(":- use(rjhmc). :- constraint(prolog(ok)). ok(_).", CLASSES, allow_code=True)


def test_other_engines_refuse_its_leaf_model() -> None:
    for engine in ("auto", "exact", "mh", "modal"):
        with pytest.raises(UnsupportedError, match=r"E539|E545"):
            drawn(":- use(growtree). :- leaf(normal_shared(0, 1, 2, 2)).", NUMBERS, engine=engine)


def test_predictions_that_a_soft_tree_does_not_make() -> None:
    classes, numbers = (soft(drawn(":- use(rjhmc).", f).draws[0].tree) for f in (CLASSES, NUMBERS))
    with pytest.raises(UsageError, match=r"E546.*predicts numbers(.|\n)*call `predict`"):
        numbers.predict_proba(NUMBERS)
    with pytest.raises(UsageError, match=r"E546.*predicts classes(.|\n)*call `predict_proba`"):
        classes.predict(CLASSES)
    for tree in (classes.without_outcomes(), numbers.without_outcomes()):
        for ask in (tree.predict, tree.predict_proba):
            with pytest.raises(UsageError, match=r"E546.*of a prior(.|\n)*of a posterior"):
                ask(CLASSES)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", ["trajectories", "leapfrogs", "warmup"])
@pytest.mark.parametrize("value", [-3, 2**33, "x", 1.5])
def test_counts_that_it_does_not_take(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=rf"E505.*{name} is {value!r}"):
        drawn(":- use(rjhmc).", CLASSES, **{name: value})


def test_no_trajectory_is_no_hmc() -> None:
    with pytest.raises(UsageError, match=r"E505.*trajectories is 0(.|\n)*from 1 up"):
        drawn(":- use(rjhmc).", CLASSES, trajectories=0)
    of_numpy: dict[str, Any] = {"trajectories": np.int64(1), "leapfrogs": np.int32(3)}
    assert len(drawn(":- use(rjhmc).", CLASSES, draws=4, **of_numpy).draws) == 4


def test_h_falls_and_does_not_rise() -> None:
    with pytest.raises(UnsupportedError, match=r"E539.*first_h is 0\.01.*0\.05(.|\n)*from 0\.05"):
        drawn(":- use(rjhmc).", CLASSES, first_h=0.01)
    for first in (0.05, 0.5):
        assert len(drawn(":- use(rjhmc).", CLASSES, draws=4, first_h=first).draws) == 4


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        ("constant(b)", "`constant`"),
        ("forbid(a, within(b))", "`within`"),
        ("majority(b, p)", "`majority`"),
    ],
)
def test_a_constraint_is_refused_once(constraint: str, said: str) -> None:
    """And guards of the program's own rules are told where there are some."""
    with pytest.raises(UnsupportedError) as caught:
        drawn(f":- use(rjhmc). :- constraint({constraint}). box(b, a, 0, 2).", CLASSES)
    assert said in str(caught.value) and str(caught.value).count("E539") == 1


def test_columns_that_are_no_numbers() -> None:
    """The advice is one that the engine takes."""
    named = CLASSES.select(pl.Series("k", ["u", "v"] * 20), "a", "b", "y")
    with pytest.raises(slp.SlpError, match=r"E154.*`k` is categorical") as caught:
        drawn(":- use(rjhmc).", named)
    assert "ignore(k)" in str(caught.value) and "forbid" not in str(caught.value)
    assert drawn(":- use(rjhmc). :- ignore(k).", named, draws=4).engine == "rjhmc"
    with pytest.raises(slp.SlpError, match=r"E154.*`k` is categorical(.|\n)*forbid\(k\)"):
        drawn(":- use(rjhmc).", named, engine="exact")
    holes = CLASSES.with_columns(a=pl.Series([None, *CLASSES["a"][1:].to_list()]))
    said = r"E155.*soft trees cannot go with missing values(.|\n)*or take an engine of hard trees"
    with pytest.raises(slp.SlpError, match=said):
        drawn(":- use(rjhmc). :- feature(a, [missing(side)]).", holes)


def test_rows_to_predict_miss_no_value() -> None:
    """Every average of theirs would be NaN."""
    found = drawn(":- use(rjhmc). :- feature(_, [missing(side), new(average)]).", CLASSES, draws=4)
    new = CLASSES.drop("y").with_columns(a=pl.Series([None, *CLASSES["a"][1:].to_list()]))
    for ask in (found.predict_proba, found.predict, found.predict_interval, found.predict_error):
        with pytest.raises(slp.SlpError, match=r"E442.*misses `a`, and soft trees"):
            ask(new)
