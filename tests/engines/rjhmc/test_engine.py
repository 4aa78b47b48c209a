"""Engine `rjhmc` from a program: its trees, predictions, averages, pictures, and commands."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp import plot
from slp.cli.sample import sample_command
from slp.engines import infer
from slp.errors import BudgetError, SlpWarning, UsageError
from slp.messages.numbers import number_text
from slp.trees.soft import SoftTree
from tests.engines.rjhmc.soft_tables import CLASSES, FEW, NUMBERS, drawn, soft


def test_which_engines_read_trees_as_soft() -> None:
    """`rjhmc`, and `auto` where the program declares `h`; all others have hard trees of it."""
    program = slp.parse(":- use(rjhmc). :- support(max_depth(2)).")
    few = CLASSES[:12]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        soft, hard = program.posterior(few, **FEW), program.posterior(few, engine="exact")
        again = infer(program.compile(few), engine="rjhmc", draws=4, options={"warmup": 4})
    assert again.engine == "rjhmc"
    assert soft.engine == "rjhmc" and soft.reason.startswith("the program declares `h`")
    assert isinstance(soft.draws[0].tree, SoftTree)
    assert hard.reason == "asked for; trees are hard, and `h` is not used"
    assert isinstance(hard.map().tree, slp.Tree)
    assert program.posterior(few, engine="best").engine == "exact"
    without = slp.parse(
        ":- start(t). :- support(max_depth(2)). 0.5 :: t --> leaf. "
        "0.5 :: t --> split(F, V, range), t, t."
    )
    assert without.posterior(few).engine == "exact"
    numbers = program.posterior(NUMBERS[:8], engine="exact")
    assert numbers.table.leaf.name == "normal_inverse_gamma"


@pytest.mark.parametrize("index", ["hard", "soft"])
def test_trees_and_averages_of_classes(index: str) -> None:
    found = drawn(":- use(rjhmc).", CLASSES, index=index)
    assert found.engine == "rjhmc" and found.log_evidence is None
    trees = [soft(draw.tree) for draw in found.draws]
    assert len(trees) == 60 and {len(t.leaves()) == t.n_leaves for t in trees} == {True}
    want = np.mean([tree.predict_proba(CLASSES) for tree in trees], axis=0)
    have = found.predict_proba(CLASSES)
    assert have == pytest.approx(want, abs=1e-12) and have.sum(axis=1) == pytest.approx(1.0)
    assert found.expected_leaves() == pytest.approx(np.mean([t.n_leaves for t in trees]))
    assert found.predict_error(CLASSES).shape == (40, 2)
    low, high = np.moveaxis(found.predict_interval(CLASSES[:5])[:, 0], -1, 0)
    assert (low < have[:5, 0]).all() and (have[:5, 0] < high).all()
    for tree in trees[:10]:
        again = SoftTree.from_dict(json.loads(json.dumps(tree.to_dict())))
        assert again == tree and again.to_text() == tree.to_text()
        counts = np.array([[n for _, n in leaf.counts or ()] for leaf in tree.leaves()])
        assert counts.sum() == pytest.approx(40)
    copied = pickle.loads(pickle.dumps(found))
    assert copied.predict_proba(CLASSES) == pytest.approx(have, abs=1e-15)
    assert sum(use.expected_uses for use in found.rule_probabilities()) > 1


@pytest.mark.parametrize("index", ["hard", "soft"])
def test_numbers(index: str) -> None:
    found = drawn(":- use(rjhmc).", NUMBERS, index=index, draws=400, warmup=300)
    assert found.table.leaf.name == "normal_shared"
    y = NUMBERS["y"].to_numpy()
    assert np.mean((found.predict(NUMBERS) - y) ** 2) < 0.3  # of the variance 1.0
    low, high = found.predict_interval(NUMBERS).T
    assert 0.7 < np.mean((low < y) & (y < high))
    trees = [soft(draw.tree) for draw in found.draws]
    want = np.mean([tree.predict(NUMBERS) for tree in trees], axis=0)
    assert found.predict(NUMBERS) == pytest.approx(want)
    assert all(tree.variance is not None and tree.variance > 0 for tree in trees)


def test_arviz() -> None:
    found = drawn(":- use(rjhmc).", CLASSES)
    data = found.to_arviz()
    by_chain = [[d for d in found.draws if d.chain == c] for c in (0, 1)]
    have = data["posterior"]
    for name in ("n_leaves", "depth"):
        want = [[getattr(soft(d.tree), name) for d in own] for own in by_chain]
        assert have["leaves" if name == "n_leaves" else name].values.tolist() == want
    uses = [[[soft(d.tree).uses()[f] for f in ("a", "b")] for d in own] for own in by_chain]
    assert have["splits"].values.tolist() == uses
    fit = data["sample_stats"]["log_marginal_likelihood"].values
    assert fit.tolist() == [[d.log_likelihood for d in own] for own in by_chain]


@pytest.mark.parametrize(("frame", "index"), [(CLASSES, "hard"), (NUMBERS, "soft")])
def test_pictures(frame: pl.DataFrame, index: str) -> None:
    """Each test and each leaf of a tree is written, and chains are drawn."""
    found = drawn(":- use(rjhmc).", frame, index=index)
    tree = next(soft(d.tree) for d in found.draws if d.tree.n_leaves > 1)
    shown = [text.get_text() for text in plot.tree(cast(Any, tree)).texts]
    for split in tree.splits:
        test = f"\N{PLUS-MINUS SIGN} {split.width:.3g} < {number_text(split.threshold)}"
        assert any(test in text for text in shown)
    of_leaves = [
        t for t in shown if t.startswith("mean" if index == "soft" else ("p ", "q ", "no rows"))
    ]
    assert len(of_leaves) == tree.n_leaves
    assert plot.best_trees(found, 2).texts
    assert plot.traces(found) is not None and plot.ranks(found) is not None
    if index == "soft":
        with pytest.raises(UsageError, match="E546"):
            plot.thresholds(found)
        return
    drawn_heights = sum(bar.get_height() for bar in plot.thresholds(found).patches)
    uses = found.split_probabilities()
    highest = max(
        np.histogram(
            [s.threshold for d in found.draws for s in soft(d.tree).splits if s.feature == f],
            48,
            (frame[f].min(), frame[f].max()),
        )[0].max()
        for f in ("a", "b")
    ) / len(found.draws)
    assert -drawn_heights * highest / 0.62 == pytest.approx(
        sum(use.expected_splits for use in uses.values())
    )


@pytest.mark.slow
@pytest.mark.parametrize(("frame", "index"), [(CLASSES, "hard"), (NUMBERS, "soft")])
def test_the_report(frame: pl.DataFrame, index: str, tmp_path: Path) -> None:
    """Trees as lists and as pictures; constraints are checked on the topology; thresholds of splits
    on all features have no picture, and the page says why."""
    found = drawn(":- use(rjhmc). :- support(max_depth(3)).", frame, index=index)
    found.report(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text("utf-8")
    for words in ("trees are soft", "\N{PLUS-MINUS SIGN} ", "holds", "tuning frozen"):
        assert words in page
    assert ("E546" in page) == (index == "soft")
    assert page.count("<svg") >= 5


@pytest.mark.slow
def test_comparisons_and_estimators() -> None:
    """The total of soft trees is no evidence, which the comparison says."""
    programs = {"soft": slp.load("rjhmc"), "hard": slp.load("growtree")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        found = slp.compare(programs, CLASSES, folds=2, seed=1, draws=40)
        X, y = CLASSES.select("a", "b").to_numpy(), CLASSES["y"].to_numpy()
        few = {"random_state": 1, "draws": 60, "warmup": 60}
        fitted = slp.SLPTreeClassifier(program=slp.load("rjhmc"), **few).fit(X, y)
        values = NUMBERS["y"].to_numpy()
        regressor = slp.SLPTreeRegressor(program=slp.load("rjhmc"), **few).fit(X, values)
    assert "does not sum to 1" in str(found)
    assert fitted.score(X, y) > 0.8 and isinstance(fitted.tree_, SoftTree)
    assert regressor.score(X, values) > 0.6


def test_constraints_hold_in_every_draw() -> None:
    text = (
        ":- use(rjhmc, [alpha = 0.9, beta = 0.1]). :- constraint(before(a, b)). "
        ":- constraint(once(b)). :- constraint(max_leaves(5)). :- support(max_depth(3))."
    )
    found = drawn(text, CLASSES, draws=300)
    sizes = set()
    for draw in found.draws:
        tree = soft(draw.tree)
        assert tree.n_leaves <= 5 and tree.depth <= 3
        sizes.add(tree.n_leaves)
        waiting: list[tuple[str, ...]] = [()]
        for node in tree.nodes:
            above = waiting.pop()
            name = getattr(node, "feature", None)
            if name is not None:
                assert name == "a" or ("a" in above and "b" not in above)
                waiting += [(*above, name)] * 2
    assert len(sizes) > 2


def test_the_prior_and_feature_weights() -> None:
    """The root is on `a` with probability 3/4 under weight 3, whatever the rows say: 2,000 draws
    of the prior; a share within 5 standard errors of independent draws times 2."""
    program = slp.parse(":- use(rjhmc, [alpha = 0.8]). :- feature_weight(a, 3).")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        prior = program.prior(CLASSES, engine="rjhmc", seed=3, draws=2000, warmup=200)
    roots = prior.root_probabilities()
    assert roots["a"] + roots["b"] == pytest.approx(0.8, abs=10 * np.sqrt(0.16 / 2000))
    assert roots["a"] == pytest.approx(0.6, abs=10 * np.sqrt(0.24 / 2000))


def test_the_command(tmp_path: Path) -> None:
    table, out = tmp_path / "data.csv", tmp_path / "draws.jsonl"
    CLASSES.write_csv(table)
    few = ["-n", "40", "--warmup", "40", "--seed", "1"]
    told = CliRunner().invoke(
        sample_command, ["rjhmc", str(table), "--engine", "rjhmc", *few, "-o", str(out)]
    )
    assert told.exit_code == 0, told.output
    assert "best tree" in told.output and "+-" in told.output
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(lines) == 40 and all(SoftTree.from_dict(line["tree"]) for line in lines)
    told = CliRunner().invoke(sample_command, ["rjhmc", str(table), *few, "--json"])
    data = json.loads(told.stdout)
    assert data["engine"] == "rjhmc" and data["log_evidence"] is None
    assert SoftTree.from_dict(data["map"]["tree"]).n_leaves == data["map"]["n_leaves"]


def test_rows_of_several_classes_take_several_times_the_memory() -> None:
    """The core has a distinct row once for each of its classes."""
    x = np.arange(2000.0)
    options: dict[str, Any] = {"engine": "rjhmc", "chains": 1, "draws": 2, "warmup": 1, "thin": 1}
    program = slp.load("rjhmc")
    program.posterior(x[:, None], np.where(x % 2, "a", "b"), memory="4MiB", **options)
    four = np.tile(["a", "b", "c", "d"], 2000)
    with pytest.raises(BudgetError, match=r"E501.*: 1 chain on 2,000 distinct rows take 8\.1 MiB"):
        program.posterior(np.repeat(x, 4)[:, None], four, memory="4MiB", **options)


def test_divergent_trajectories_are_told() -> None:
    """In a warning that says how many, where they are more than 1 %."""
    few: dict[str, Any] = {"draws": 300, "warmup": 300, "index": "soft"}
    with pytest.warns(SlpWarning, match=r"W530.* trajectories diverged") as caught:
        found = slp.load("rjhmc", h=1e-4).posterior(NUMBERS, **{**FEW, **few})
    assert found.diagnostics is not None
    moves = found.diagnostics.moves["trajectory"]
    n = sum(moves.values())
    assert moves["failed"] > 0.01 * n
    said = f"{moves['failed']} of {n} trajectories diverged, and at most 1% should: a larger `h`"
    assert any(said in str(w.message) for w in caught)
    fine = drawn(":- use(rjhmc).", NUMBERS, **few).diagnostics
    assert fine is not None and not any("diverged" in words for words in fine.warnings)
