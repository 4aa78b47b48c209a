"""Runs over sums of trees: seeds, threads, checkpoints, time, saved runs, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.engines.additive.chains import parts_of, record_of
from slp.engines.additive.core_sums import SumParts
from tests.engines.additive.closed_forms import table_of

_SHORT = {"seed": 4, "draws": 40, "warmup": 10, "thin": 2, "chains": 3}

pytestmark = [
    pytest.mark.usefixtures("compiled_kernels"),
    pytest.mark.filterwarnings("ignore:.*W530"),
    pytest.mark.filterwarnings("ignore:.*W510"),
]


def posterior(text: str = ":- trees(5).", classes: bool = False, **options: Any) -> slp.Posterior:
    frame, y = table_of(40, seed=1)
    response = np.where(y > 0, "b", "a") if classes else y
    return slp.parse(text).posterior(frame, response, **{**_SHORT, **options})


@pytest.mark.parametrize("classes", [False, True])
def test_draws_depend_on_the_seed_alone(classes: bool) -> None:
    one = [draw.tree.to_dict() for draw in posterior(classes=classes, threads=1).draws]
    assert one == [draw.tree.to_dict() for draw in posterior(classes=classes, threads=3).draws]
    assert one != [draw.tree.to_dict() for draw in posterior(classes=classes, seed=5).draws]


@pytest.mark.parametrize("classes", [False, True])
def test_a_resumed_run_is_the_whole_run(classes: bool, tmp_path: Path) -> None:
    """The first part ends after fewer draws."""
    whole = [draw.tree.to_dict() for draw in posterior(classes=classes).draws]
    checkpoint = tmp_path / "run.json"
    posterior(classes=classes, draws=21, checkpoint=checkpoint)
    rest = posterior(classes=classes, checkpoint=checkpoint, resume=True)
    assert [draw.tree.to_dict() for draw in rest.draws] == whole


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.json"
    posterior(checkpoint=checkpoint)
    with pytest.raises(slp.SlpError, match="E51"):
        posterior(":- trees(6).", checkpoint=checkpoint, resume=True)


def test_time_ends_a_run() -> None:
    with pytest.warns(slp.SlpWarning):
        found = posterior(time=1.5, draws=1_000_000)
    assert found.out_of_time and 0 < len(found.draws) < 1_000_000


@pytest.mark.parametrize("classes", [False, True])
def test_a_saved_run_answers_alike(classes: bool, tmp_path: Path) -> None:
    frame, _ = table_of(40, seed=1)
    found = posterior(classes=classes)
    found.save(tmp_path / "run.slpz")
    read = slp.load_posterior(tmp_path / "run.slpz")
    assert read.trees_summed == found.trees_summed == 5
    np.testing.assert_array_equal(read.predict(frame), found.predict(frame))
    np.testing.assert_array_equal(read.predict_interval(frame), found.predict_interval(frame))
    assert read.split_probabilities() == found.split_probabilities()
    assert read.draws[3].tree.to_dict() == found.draws[3].tree.to_dict()
    with pytest.raises(slp.SlpError, match="E578"):
        read.map_tree()


def test_the_prior_of_a_sum() -> None:
    """Trees are independent: any of M splits on a feature with 1 - (1 - p)^M, and the sum at a row
    has the variance M tau^2."""
    frame, y = table_of(10, seed=3)
    trees = ":- use(growtree, [alpha = 0.4, beta = 1]). :- support(max_depth(2))."
    leaf = ":- leaf(sum_normal(mean = 1, tau = 0.5, sigma = 1))."
    one = slp.parse(trees).prior(frame, y, engine="exact").split_probabilities()
    program = slp.parse(f"{trees} :- trees(3). {leaf}")
    prior = program.prior(frame, y, seed=1, draws=8000, warmup=100, thin=5)
    for name, use in prior.split_probabilities().items():
        want = 1 - (1 - one[name].probability) ** 3
        assert abs(use.probability - want) < 4.5 * use.probability_error
    averages = prior._result.averages
    values = np.concatenate(list(averages.predictions_by_tree(prior.table.new_rows(frame))), axis=1)
    squares = (values - 1) ** 2
    assert (np.abs(averages.mean(values) - 1) < 4.5 * averages.error(values)).all()
    assert (np.abs(averages.mean(squares) - 0.75) < 4.5 * averages.error(squares)).all()
    beside = program.posterior(frame, y, **_SHORT)
    for name, use in beside.split_probabilities().items():
        want = 1 - (1 - one[name].probability) ** 3
        error = use.prior_probability_error
        assert abs(use.prior_probability - want) < 4.5 * error
    assert "draws of chains" in beside.prior_uses_note


def test_records_come_back() -> None:
    """Choices of sets of levels are numbers of any size."""
    of = (
        np.array([2, 1], np.int32),
        np.array([0.5, -1.25, 3.0]),
        np.array([1.0, 2, 2]),
        0.7,
        -12.5,
    )
    for choices in (
        np.array([[1, 0, 2, 3], [0, -1, 0, 0], [0, -1, 0, 0]], np.int32),
        np.array([[1, 0, 2**70, 3], [0, -1, 0, 0], [0, -1, 0, 0]], object),
    ):
        back = parts_of(record_of(SumParts(choices, *of)))
        np.testing.assert_array_equal(back.choices, choices)
        np.testing.assert_array_equal(back.values, of[1])
        assert back.variance == 0.7 and back.log_likelihood == -12.5


def test_what_is_asked_of_one_tree_is_refused() -> None:
    frame, _ = table_of(40, seed=1)
    found = posterior()
    tree = slp.Tree.from_dict({"mean": 1.0})
    for ask in (
        found.map_tree,
        lambda: found.k_best(2),
        lambda: found.log_posterior(tree),
        lambda: found.log_likelihood(tree),
        found.rule_probabilities,
        found.root_probabilities,
        lambda: found.proximity(frame[:2]),
        found.representative_tree,
        lambda: found.sample_paths(frame[:2]),
        lambda: found.probability("tree(T), uses(T, x0)"),
    ):
        with pytest.raises(slp.SlpError, match="E578"):
            ask()
    assert found.log_evidence is None and found.tree_count() is None
    assert found.expected_leaves() >= 5 and found.mixture() == []


@pytest.mark.parametrize("engine", ["exact", "mh", "smc", "modal", "search", "rjhmc", "stacked"])
def test_other_engines_refuse_sums(engine: str) -> None:
    with pytest.raises(slp.SlpError, match="E577"):
        posterior(engine=engine, draws=10)


def test_other_responses_are_refused() -> None:
    frame, y = table_of(30, seed=1)
    program = slp.parse(":- trees(3).")
    with pytest.raises(slp.SlpError, match="E577"):
        program.posterior(frame, np.digitize(y, [-0.5, 0.5]).astype(str), seed=1)
    weighed = frame.with_columns(w=pl.lit(0.5))
    with pytest.raises(slp.SlpError, match="E577"):
        slp.parse(":- trees(3). :- row_weight(w).").posterior(weighed, y > 0, seed=1)
    with pytest.raises(slp.SlpError, match="E577"):
        slp.parse(":- trees(10000).").posterior(frame, y, seed=1, memory="1MiB")
    table = frame.with_columns(pl.Series("y", y))
    with pytest.raises(slp.SlpError, match="E577"):
        program.learn(table)


def test_whole_weights_are_repeated_rows() -> None:
    """Of classes: the same latent responses are drawn."""
    frame, y = table_of(12, seed=1)
    classes = np.where(y > 0, "b", "a")
    weights = np.arange(12) % 3 + 1
    weighed = frame.with_columns(pl.Series("w", weights))
    options = {**_SHORT, "draws": 2000}
    one = slp.parse(":- trees(2). :- row_weight(w).").posterior(weighed, classes, **options)
    many = slp.parse(":- trees(2).").posterior(
        frame[np.repeat(np.arange(12), weights)], np.repeat(classes, weights), **options
    )
    np.testing.assert_allclose(one.predict_proba(frame), many.predict_proba(frame), rtol=1e-9)


def test_missing_values_and_levels() -> None:
    """Columns of any kind; a new level goes the larger way or is averaged over both."""
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "a": [None if i % 7 == 0 else float(i % 5) for i in range(40)],
            "c": [("u", "v", "w")[i % 3] for i in range(40)],
        }
    )
    y = np.array([i % 5 + 2.0 * (i % 3 == 1) for i in range(40)]) + 0.1 * rng.normal(size=40)
    text = (
        ":- trees(5). :- feature(a, [missing(side)]). "
        ":- feature(c, [subsets(ordered), new(average)])."
    )
    found = slp.parse(text).posterior(frame, y, **{**_SHORT, "warmup": 200})
    new = pl.DataFrame({"a": [None, 2.0], "c": ["v", "z"]})
    told = found.predict(new)
    assert np.isfinite(told).all()
    assert np.corrcoef(found.predict(frame), y)[0, 1] > 0.8
