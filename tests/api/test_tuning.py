"""`slp.cv` and `slp.tune`: their numbers against runs by hand, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp

FRAME = pl.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7, 8], "y": list("ppqppqqq")})
NUMBERS = FRAME.with_columns(y=pl.Series([0.1, 0.4, -0.3, 2.0, 1.1, 0.7, 3.0, 2.5]))
GROW = ":- use(growtree, [alpha = 0.5, beta = 0])."


@pytest.mark.parametrize("frame", [FRAME, NUMBERS], ids=["classes", "numbers"])
def test_each_row_is_predicted_without_its_fold(frame: pl.DataFrame) -> None:
    leaf = ":- leaf(normal_inverse_gamma(0, 1, 2, 1))."
    program = slp.parse(GROW if frame is FRAME else f"{GROW} {leaf}")
    found = slp.cv(program, frame, folds=4, seed=3)
    assert sorted(np.bincount(found.fold_of).tolist()) == [2, 2, 2, 2]
    for k, fold in enumerate(found.folds):
        held = found.fold_of == k
        posterior = program.posterior(frame.filter(~held))
        new = frame.filter(held)
        want = posterior.predict_proba(new) if frame is FRAME else posterior.predict(new)
        assert found.predictions[held] == pytest.approx(want, rel=1e-12)
        assert (fold.rows, fold.engine, fold.converged) == (2, "exact", True)
    if frame is FRAME:
        own = np.array([found.classes.index(label) for label in frame["y"]])
        logs = np.log(found.predictions[np.arange(8), own])
        assert found.held_out.log_predictive == pytest.approx(logs.mean(), rel=1e-12)
        assert found.held_out.accuracy == np.mean(found.predictions.argmax(axis=1) == own)
    else:
        squared = (found.predictions - frame["y"].to_numpy()) ** 2
        assert found.classes == ()
        assert found.held_out.rmse == pytest.approx(squared.mean() ** 0.5, rel=1e-12)


def test_a_grid_is_scored_by_the_evidence() -> None:
    program = slp.load("growtree", beta=2.0)
    found = slp.tune(program, FRAME, grid={"alpha": [0.2, 0.9], "beta": [0, 1, 1]}, seed=1)
    assert found.points == (
        {"alpha": 0.2, "beta": 0.0},
        {"alpha": 0.2, "beta": 1.0},
        {"alpha": 0.9, "beta": 0.0},
        {"alpha": 0.9, "beta": 1.0},
    )
    scores = []
    for point, told in zip(found.points, found.comparison.programs, strict=True):
        want = program.with_parameters(**point).posterior(FRAME).log_evidence
        score = found.score(told)
        assert score is not None and score.kind == "exact" and score.value == want
        scores.append(score.value)
    assert found.best == found.points[int(np.argmax(scores))]
    assert found.to_dict()["programs"][1]["parameters"] == {"alpha": 0.2, "beta": 1.0}


def test_parameters_that_the_grid_leaves_out_keep_their_values() -> None:
    program = slp.load("growtree", beta=2.0)
    found = slp.tune(program, FRAME, grid={"alpha": [0.9]}, seed=1).comparison.programs[0]
    want = slp.load("growtree", alpha=0.9, beta=2.0).posterior(FRAME).log_evidence
    assert found.log_evidence is not None and found.log_evidence.value == want


def test_a_grid_is_scored_by_held_out_rows() -> None:
    program = slp.load("growtree")
    found = slp.tune(program, FRAME, grid={"alpha": [0.01, 0.5, 0.95]}, by="cv", folds=4, seed=3)
    want = []
    for alpha in (0.01, 0.5, 0.95):
        told = slp.cv(slp.load("growtree", alpha=alpha), FRAME, folds=4, seed=3)
        want.append(told.held_out.log_predictive)
    have = [found.score(told) for told in found.comparison.programs]
    assert [s.value for s in have if s is not None] == pytest.approx(want, rel=1e-12)
    assert found.best == {"alpha": (0.01, 0.5, 0.95)[int(np.argmax(want))]}


def test_a_program_that_looks_at_the_response_is_tuned_by_held_out_rows_alone() -> None:
    program = slp.parse(":- use(growtree). box(b, a, 5, inf). :- constraint(majority(b, q)).")
    with pytest.raises(slp.UsageError, match="E553.*majority looks at the response"):
        slp.tune(program, FRAME, grid={"alpha": [0.5, 0.9]})
    found = slp.tune(program, FRAME, grid={"alpha": [0.5, 0.9]}, by="cv", folds=2, seed=1)
    assert found.best is not None and math.isfinite(found.best["alpha"])


@pytest.mark.parametrize(
    ("grid", "options", "code", "words"),
    [
        ({}, {}, "E553", "no parameter"),
        ({"alpha": []}, {}, "E553", "no value of `alpha`"),
        ({"alpha": range(1, 1002)}, {}, "E553", "1001 combinations"),
        ({"alfa": [0.5]}, {}, "E106", "alfa"),
        ({"alpha": [0.5]}, {"by": "luck"}, "E553", "by 'luck'"),
        ({"alpha": [0.5]}, {"by": "cv", "folds": 9}, "E551", "9 folds"),
        ({"alpha": [0.5]}, {"checkpoint": "run.json"}, "E552", "checkpoint"),
        ({"alpha": [0.5]}, {"engine": "modal"}, "E553", "modal"),
    ],
)
def test_grids_that_are_refused(
    grid: dict[str, Any], options: dict[str, Any], code: str, words: str
) -> None:
    with pytest.raises(slp.SlpError, match=rf"{code}.*{words}"):
        slp.tune(slp.load("growtree"), FRAME, grid=grid, seed=1, **options)


@pytest.mark.parametrize("folds", [0, 1, 9, 2.0])
def test_folds_that_are_refused(folds: Any) -> None:
    with pytest.raises(slp.UsageError, match="E551"):
        slp.cv(slp.load("growtree"), FRAME, folds=folds)
