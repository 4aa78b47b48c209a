"""Engine `rjhmc` from a program: what it refuses, its trees, predictions, numbers, and commands."""

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
from scipy.special import gammaln
from scipy.stats import norm

import slp
from slp import plot
from slp.cli.sample import sample_command
from slp.engines import infer
from slp.errors import BudgetError, SlpWarning, UnsupportedError, UsageError
from slp.results import Posterior
from slp.trees.soft import SoftTree

RNG = np.random.default_rng(7)
A, B = RNG.uniform(0, 10, 40), RNG.normal(size=40)
CLASSES = pl.DataFrame({"a": A, "b": B, "y": np.where(A + RNG.normal(size=40) > 5, "q", "p")})
NUMBERS = pl.DataFrame({"a": A, "b": B, "y": np.where(A > 5, 3.0, 1.0) + 0.2 * RNG.normal(size=40)})
FEW: dict[str, Any] = {"seed": 1, "draws": 60, "warmup": 60, "chains": 2}


def drawn(text: str, frame: pl.DataFrame, **options: Any) -> Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(text).posterior(frame, **{**FEW, **options})


def soft(tree: Any) -> SoftTree:
    return cast(SoftTree, tree)


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
        (":- use(rjhmc). :- constraint(prolog(ok)). ok(_).", {"allow_code": True}, "E539"),
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


def test_other_engines_refuse_its_leaf_model() -> None:
    for engine in ("auto", "exact", "mh", "modal"):
        with pytest.raises(UnsupportedError, match=r"E539|E545"):
            drawn(":- use(growtree). :- leaf(normal_shared(0, 1, 2, 2)).", NUMBERS, engine=engine)


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


def test_the_likelihood_of_draws_is_that_of_equation_10() -> None:
    found = drawn(":- use(rjhmc).", CLASSES)
    leaf = found.table.leaf
    assert leaf.classes == ("p", "q")
    for draw in list(found.draws)[:20]:
        n = np.array([[k for _, k in leaf.counts or ()] for leaf in soft(draw.tree).leaves()])
        want = (gammaln(1 + n).sum(axis=1) + gammaln(2) - gammaln(2 + n.sum(axis=1))).sum()
        assert draw.log_likelihood == pytest.approx(want)


def test_the_likelihood_of_draws_is_that_of_equation_12() -> None:
    """Of all rows, those with the same values among them."""
    twice = pl.concat([NUMBERS, NUMBERS.with_columns(pl.col("y") + 0.3)])
    found = drawn(":- use(rjhmc).", twice, draws=20)
    y = twice["y"].to_numpy()
    for draw in found.draws:
        tree = soft(draw.tree)
        want = norm.logpdf(y, tree.predict(twice), np.sqrt(tree.variance or 0.0)).sum()
        assert draw.log_likelihood == pytest.approx(want)


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


def test_hardened_trees() -> None:
    found = drawn(":- use(rjhmc, [h = 0.000001]).", CLASSES)
    draw = found.draws[-1]
    hard = soft(draw.tree).hardened()
    assert isinstance(hard, slp.Tree) and hard.n_leaves == draw.tree.n_leaves
    softer = drawn(":- use(rjhmc).", CLASSES, index="soft")
    split = next(d.tree for d in softer.draws if d.tree.n_leaves > 1)
    with pytest.raises(UsageError, match="E546"):
        soft(split).hardened()


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
        test = f"\N{PLUS-MINUS SIGN} {split.width:.3g} < {split.threshold:.6g}"
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


def gated(frame: pl.DataFrame, tree: SoftTree, hard: bool) -> np.ndarray:
    """The probability that each row reaches the leaves of one split, shape (n, 2), by hand."""
    (split,) = tree.splits
    x = frame[split.feature].to_numpy()
    if hard:
        left = (x < split.threshold).astype(np.float64)
    else:
        left = 1 / (1 + np.exp((x - split.threshold) / split.width))
    return np.stack([left, 1 - left], axis=1)


def of_one_split(found: Posterior) -> SoftTree:
    return next(soft(d.tree) for d in found.draws if d.tree.n_leaves == 2)


def test_what_hardening_changes_in_the_likelihood_of_classes() -> None:
    found = drawn(":- use(rjhmc, [h = 0.1]).", CLASSES)
    tree = of_one_split(found)
    by_class = np.stack([(CLASSES["y"] == c).to_numpy() for c in ("p", "q")], axis=1)

    def by_hand(hard: bool) -> float:
        n = gated(CLASSES, tree, hard).T @ by_class
        return float((gammaln(1 + n).sum(axis=1) + gammaln(2) - gammaln(2 + n.sum(axis=1))).sum())

    change = found.log_likelihood(tree.hardened()) - found.log_likelihood(tree)
    assert change == pytest.approx(by_hand(True) - by_hand(False)) and abs(change) > 1e-3


def test_what_hardening_changes_in_the_likelihood_of_numbers() -> None:
    """With the mean of each leaf and the variance of the soft tree; of all rows, those with the
    same values among them."""
    twice = pl.concat([NUMBERS, NUMBERS.with_columns(pl.col("y") + 0.3)])
    found = drawn(":- use(rjhmc, [h = 0.1]).", twice)
    tree = of_one_split(found)
    mu, sd = [leaf.mean for leaf in tree.leaves()], np.sqrt(tree.variance or 0.0)

    def by_hand(hard: bool) -> float:
        means = gated(twice, tree, hard) @ np.array(mu, np.float64)
        return float(norm.logpdf(twice["y"].to_numpy(), means, sd).sum())

    hard = tree.hardened()
    change = found.log_likelihood(hard) - found.log_likelihood(tree)
    assert change == pytest.approx(by_hand(True) - by_hand(False)) and abs(change) > 1e-3
    copied = slp.Tree.from_dict(json.loads(json.dumps(hard.to_dict())))
    assert copied == hard and found.log_likelihood(copied) == found.log_likelihood(hard)
    larger = next(soft(d.tree) for d in found.draws if d.tree.n_leaves > 3)
    leaves = {leaf.summary["mean"] for leaf in larger.hardened().leaves()}
    assert leaves == {leaf.mean for leaf in larger.leaves()}
    own = larger.hardened().predict(twice)
    want = norm.logpdf(twice["y"].to_numpy(), own, np.sqrt(larger.variance or 0.0)).sum()
    assert found.log_likelihood(larger.hardened()) == pytest.approx(want)


@pytest.mark.parametrize("index", ["hard", "soft"])
@pytest.mark.parametrize("frame", [CLASSES, NUMBERS])
def test_the_likelihood_of_a_soft_tree_of_another_run(frame: pl.DataFrame, index: str) -> None:
    one, other = (drawn(":- use(rjhmc).", frame, index=index, seed=s, draws=20) for s in (1, 2))
    own = {draw.tree for draw in one.draws}
    strange = [draw for draw in other.draws if draw.tree not in own]
    assert len(strange) > 10
    for draw in strange:
        assert one.log_likelihood(draw.tree) == pytest.approx(draw.log_likelihood)


def test_trees_whose_likelihood_is_not_known() -> None:
    """Of numbers those without means and a variance, in words; of features that the table has not
    as for hard trees; of classes every tree has one."""
    found = drawn(":- use(rjhmc).", NUMBERS)
    tree = of_one_split(found)
    said = r"E546.*means of its leaves and its variance"
    stump = slp.Tree.from_dict({"n": 40, "mean": 2.0})
    flat = slp.Tree.from_dict({"mean": 2.0, "variance": 0.0})
    for one in (tree.skeleton(), tree.without_outcomes(), stump, flat):
        with pytest.raises(UsageError, match=said):
            found.log_likelihood(cast(slp.Tree, one))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        program = slp.load("rjhmc")
        prior = program.prior(NUMBERS, engine="rjhmc", **FEW)
        of_classes = program.prior(CLASSES, engine="rjhmc", **FEW)
    with pytest.raises(UsageError, match=said):
        prior.log_likelihood(prior.draws[0].tree)
    draw = of_classes.draws[0]
    assert of_classes.log_likelihood(draw.tree) == pytest.approx(draw.log_likelihood)
    other = drawn(":- use(rjhmc).", NUMBERS.rename({"a": "c", "b": "d"}))
    strange = of_one_split(other)
    assert found.log_likelihood(cast(slp.Tree, strange)) == -np.inf
    assert found.log_likelihood(strange.hardened()) == -np.inf


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


def test_columns_that_are_no_numbers() -> None:
    """The advice is one that the engine takes."""
    named = CLASSES.select(pl.Series("k", ["u", "v"] * 20), "a", "b", "y")
    with pytest.raises(slp.SlpError, match=r"E154.*`k` is categorical") as caught:
        drawn(":- use(rjhmc).", named)
    assert "ignore(k)" in str(caught.value) and "forbid" not in str(caught.value)
    assert drawn(":- use(rjhmc). :- ignore(k).", named, draws=4).engine == "rjhmc"
    with pytest.raises(slp.SlpError, match=r"E154.*`k` is categorical(.|\n)*forbid\(k\)"):
        drawn(":- use(rjhmc).", named, engine="exact")
    holes = CLASSES.with_columns(a=pl.Series([None, *A[1:].tolist()]))
    said = r"E155.*soft trees cannot go with missing values(.|\n)*or take an engine of hard trees"
    with pytest.raises(slp.SlpError, match=said):
        drawn(":- use(rjhmc). :- feature(a, [missing(side)]).", holes)
