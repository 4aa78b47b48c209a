"""What the engine modal gives: pruning, tests on finished trees, restarts, roots, refusals."""

from __future__ import annotations

import math
import pickle
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.engines.modal.compiled import grow_in_core
from slp.engines.modal.plain import PlainGrower
from slp.engines.modal.plan import Ending, Grown, Plan
from slp.engines.modal.pruning import Pruning
from slp.errors import SlpError, SlpWarning
from slp.problem.local_process import LocalProcess
from tests.engines.cases import make_problem, random_grammar, random_table
from tests.results.filled import filler_of


def frame(n: int = 60, seed: int = 4) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    a, b, c = rng.integers(0, 9, n), rng.integers(0, 3, n), rng.normal(size=n).round(2)
    y = np.where((a + 3 * (b == 1) > 5) ^ (rng.random(n) < 0.05), "q", "p")
    return pl.DataFrame({"a": a, "b": b, "c": c, "y": y})


def modal(text: str, data: pl.DataFrame | None = None, **options: Any) -> slp.Posterior:
    given = {"engine": "modal", "seed": 1, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(text).posterior(frame() if data is None else data, **given)


# --- pruning --------------------------------------------------------------------------------------


def prunings(grown: Grown, i: int, children: list[tuple[int, int]]) -> list[float]:
    """The values of all prunings below a node."""
    out = [float(grown.log_stop[i] + grown.log_likelihood[i])]
    left, right = children[i]
    if left >= 0:
        out += [
            float(grown.log_split[i]) + a + b
            for a in prunings(grown, left, children)
            for b in prunings(grown, right, children)
        ]
    return out


def test_exact_pruning_is_the_best_of_all_prunings() -> None:
    larger = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        table = random_table(rng, 8)
        problem = make_problem(random_grammar(rng, table), table)
        process = LocalProcess(problem.grammar, problem.boxes)
        grown = PlainGrower(process, Plan(further=2)).grow()
        if not len(grown.feature):
            continue
        pruning = Pruning(grown)
        before = pruning.value[0]
        pruning.prune_best()
        every = prunings(grown, 0, grown.children())
        assert pruning.value[0] == pytest.approx(max(every), abs=1e-9)
        have = pruning.log_weight() + pruning.log_likelihood()
        assert have == pytest.approx(max(every), abs=1e-9)
        larger += pruning.value[0] > before + 1e-9
    assert larger > 10


def three_splits() -> Pruning:
    """The root splits on feature 0, its sides on 1 and 2. The loss of these splits costs 77, 19 and
    1."""
    feature = np.array([0, 1, -1, -1, 2, -1, -1], np.int32)
    codes, zeros, sums = np.zeros(7, np.uint32), np.zeros(7), np.zeros((7, 2))
    fits = np.array([-100.0, -30, -5, -5, -12, -5, -5])
    weights = np.where(feature >= 0, -1.0, 0)
    logs = zeros, fits, weights, zeros
    return Pruning(Grown(Ending.DONE, feature, codes, codes, *logs, sums, sums, np.zeros(3)))


def test_the_cheapest_split_and_feature_go_first() -> None:
    one = three_splits()
    assert one.prune_until(lambda: one.n_leaves <= 3) and one.splits() == [0, 1]
    assert one.prune_until(lambda: one.n_leaves <= 2) and one.splits() == [0]
    other = three_splits()
    assert other.prune_to_features(2) and other.splits() == [0, 1]
    assert other.prune_to_features(1) and other.splits() == [0]


def test_further_growth_finds_what_one_level_hides() -> None:
    """XOR: no single split gains, two levels do."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    data = pl.DataFrame({"a": a, "b": b, "y": np.where(a ^ b, "q", "p")})
    text = ":- use(growtree, [alpha = 0.5])."
    want = slp.parse(text).posterior(data, engine="exact").map()
    for options in ({"further": 2}, {"look_ahead": 2}):
        have = modal(text, data, **options).map()
        assert have.tree.n_leaves == 4
        assert have.log_joint == pytest.approx(want.log_joint)


def test_the_log_joint_is_that_of_the_program() -> None:
    for text in (
        ":- use(growtree).",
        ":- use(pinball).",
        ":- use(bcart_pcfg).",
        ":- use(growtree). :- constraint(constant(low)). box(low, a, 0, 4).",
        ":- use(growtree). :- support([min_leaf(5), max_depth(3)]).",
        ":- use(growtree). :- constraint(once(a)). :- failure(condition).",
    ):
        have = modal(text, frame(14), further=2, restarts=3, roots=2)
        want = slp.parse(text).posterior(frame(14), engine="exact")
        for best in have.k_best(10):
            other = want.log_posterior(best.tree)
            assert other is not None and best.log_joint is not None
            top = want.map()
            assert top.log_joint is not None and top.log_posterior is not None
            joint = top.log_joint - top.log_posterior + other
            assert best.log_joint == pytest.approx(joint, rel=1e-9)
        joints = [t.log_joint or 0.0 for t in have.k_best(10)]
        assert joints == sorted(joints, reverse=True)


# --- constraints ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule",
    [
        "max_leaves(3)",
        "max_features(1)",
        "monotone(a, up)",
        "forbid(a)",
        "first(c)",
        "majority(low, p)",
        "exclusive([a, b])",
        "interaction([[a, b], [c]])",
        "max_cost(2)",
    ],
)
def test_constraints_hold(rule: str) -> None:
    text = f":- use(growtree). :- constraint({rule}). box(low, a, 0, 2)."
    text += " :- cost(a, 1). :- cost(b, 2)."
    text += " :- response(y, [ordinal([p, q])])."
    program = slp.parse(text)
    for options in ({}, {"further": 3}, {"restarts": 3, "roots": 3}):
        found = modal(text, **options)
        for best in found.k_best(10):
            assert all(check.holds for check in best.tree.check(program, frame()))
            assert found.log_prior(best.tree) != -math.inf


def test_a_dead_end_is_undone() -> None:
    """The best root split leaves a side that can neither stop nor be split; another is taken."""
    data = pl.DataFrame({"a": [0, 0, 1, 1, 2, 2], "b": [0, 1] * 3, "y": list("ppqqqq")})
    text = (
        ":- start(t). 1 :: t --> split(F, V, all), s, s. "
        "1 :: s --> {rows(N), N >= 3}, leaf. 0 :: s --> {rows(N), N < 3}, leaf."
    )
    want = slp.parse(text).posterior(data, engine="exact").map()
    assert modal(text, data).map().log_joint == pytest.approx(want.log_joint)


def test_predicates_are_met_by_pruning() -> None:
    program = slp.parse(":- use(growtree).").require(lambda tree: tree.n_leaves <= 2)
    assert program.posterior(frame(), engine="modal", further=3).map().tree.n_leaves <= 2
    local = slp.parse(":- use(growtree).").require(lambda node: node.rows >= 8, local=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        tree = local.posterior(frame(), engine="modal").map().tree
    assert all(check.holds for check in tree.check(local, frame()))


def test_what_no_pruning_mends_is_refused() -> None:
    program = slp.parse(":- use(growtree).").require(lambda tree: tree.n_leaves > 50)
    with pytest.raises(SlpError, match="E538"):
        program.posterior(frame(), engine="modal")


def test_more_trees_that_no_pruning_mends_are_left_out() -> None:
    """A restart may be a leaf at once, and other roots are not `a`."""
    many = slp.parse(":- use(growtree).").require(lambda tree: tree.n_leaves >= 2)
    first = many.posterior(frame(), engine="modal", seed=1).map()
    found = many.posterior(frame(), engine="modal", seed=1, restarts=12)
    assert all(t.tree.n_leaves >= 2 for t in found.k_best(20))
    assert (found.map().log_joint or 0) >= (first.log_joint or 0)
    for root in "abc":  # the greedy tree begins with `a`
        text = slp.parse(":- use(growtree).")
        program = text.require(lambda tree, root=root: tree.to_dict().get("feature") == root)
        found = program.posterior(frame(), engine="modal", seed=1, roots=3)
        assert found.trees_found == 1 and found.map().tree.to_dict()["feature"] == root


def test_no_tree_is_told() -> None:
    text = ":- start(t). 1 :: t --> {rows(N), N > 100}, leaf. 0 :: t --> {rows(N), N =< 100}, leaf."
    with pytest.raises(SlpError, match="E504"):
        modal(text)


# --- options --------------------------------------------------------------------------------------


def test_roots_are_different_features() -> None:
    found = modal(":- use(growtree).", roots=3)
    first = {str(t.tree.to_dict()["feature"]) for t in found.k_best(5) if t.tree.n_leaves > 1}
    assert found.trees_found == 3 and len(first) == 3
    assert sum(draw.weight for draw in found.draws) == pytest.approx(3)
    joints = np.array([t.log_joint for t in found.k_best(3)], float)
    shares = np.exp(joints - np.logaddexp.reduce(joints))
    leaves = np.array([t.tree.n_leaves for t in found.k_best(3)])
    assert found.expected_leaves() == pytest.approx(float(shares @ leaves))


def test_restarts_never_lose_and_depend_on_the_seed() -> None:
    text = ":- use(growtree, [alpha = 0.5])."
    one = modal(text).map().log_joint or 0.0
    many = [modal(text, restarts=12, seed=seed) for seed in (1, 1, 2)]
    assert all((m.map().log_joint or 0.0) >= one for m in many)
    joints = [[t.log_joint for t in m.k_best(20)] for m in many]
    assert joints[0] == joints[1] != joints[2]


@pytest.mark.usefixtures("compiled_kernels")
def test_restarts_draw_three_levels_at_six_temperatures(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[Plan] = []

    def recorded(engine: Any, table: Any, plan: Plan, **how: Any) -> Grown:
        plans.append(plan)
        return grow_in_core(engine, table, plan, **how)

    monkeypatch.setattr("slp.engines.modal.run.grow_in_core", recorded)
    modal(":- use(growtree).", restarts=7)
    assert [plan.drawn_levels for plan in plans] == [0] + 7 * [3]
    assert [plan.temperature for plan in plans] == [1, 1, 2, 4, 8, 16, 32, 1]
    assert len({plan.seed for plan in plans}) == 8


def test_smoothing_changes_predictions_and_tells_no_log_joint() -> None:
    plain, smooth = modal(":- use(growtree)."), modal(":- use(growtree).", smoothing=0.5)
    best = smooth.map()
    assert best.log_joint is None and best.grown
    leaf = next(n for n in best.tree.nodes() if hasattr(n, "summary"))
    assert leaf.predictive is not None
    have = leaf.predictive()["probabilities"]
    X = frame()
    predicted = smooth.predict_proba(X).ravel()
    assert all(np.isclose(p, predicted, rtol=1e-12).any() for p in have.values())
    assert not np.allclose(plain.predict_proba(X), smooth.predict_proba(X))


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"smoothing": 2}, "E505"),
        ({"smoothing": True}, "E505"),
        ({"smoothing": "0.1"}, "E505"),
        ({"smoothing": math.nan}, "E505"),
        ({"without_stop_labels": "yes"}, "E505"),
        ({"without_stop_labels": 2}, "E505"),
        ({"smoothing": 0.1, "further": 1}, "E538"),
        ({"smoothing": 0.1, "look_ahead": 1}, "E538"),
        ({"roots": 0}, "E505"),
        ({"restarts": -1}, "E505"),
        ({"further": 0.5}, "E505"),
    ],
)
def test_wrong_options_are_told(options: dict[str, Any], code: str) -> None:
    with pytest.raises(SlpError, match=code):
        modal(":- use(growtree).", **options)


def test_options_are_numbers_of_numpy_too() -> None:
    have = modal(":- use(growtree).", smoothing=np.float32(0.5), without_stop_labels=np.bool_(True))
    assert (
        have.map_tree()
        == modal(":- use(growtree).", smoothing=0.5, without_stop_labels=True).map_tree()
    )


def test_smoothing_of_numbers_is_refused() -> None:
    data = frame().with_columns(y=pl.Series(np.random.default_rng(1).normal(size=60)))
    with pytest.raises(SlpError, match="E538"):
        modal(":- use(growtree).", data, smoothing=0.1)


@pytest.mark.parametrize(
    "leaf", ["normal_inverse_gamma(0, 1, 2, 1)", "gamma_poisson(1, 1)", "gamma_exponential(1, 1)"]
)
def test_every_leaf_model_is_taken(leaf: str) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 6, 25), rng.integers(0, 6, 25)
    data = pl.DataFrame({"a": a, "b": b, "y": rng.poisson(1 + 6 * (a > 2)) + 1})
    text = f":- use(growtree). :- leaf({leaf}). :- response(y)."
    have = modal(text, data)
    want = slp.parse(text).posterior(data, engine="exact")
    assert have.map().tree.n_leaves >= 2
    other = want.log_posterior(have.map_tree())
    assert other is not None and want.log_evidence is not None
    assert have.map().log_joint == pytest.approx(other + want.log_evidence, rel=1e-9)
    assert np.isfinite(have.predict(data)).all()


# --- faces ----------------------------------------------------------------------------------------


def test_a_prior_has_a_modal_tree_too() -> None:
    found = modal(":- use(growtree).").prior()
    assert not found.likelihood and found.map().tree.n_leaves == 60 or found.map().log_joint


def test_it_is_pickled() -> None:
    found = modal(":- use(growtree).", roots=2)
    copy = pickle.loads(pickle.dumps(found))
    assert [t.tree for t in copy.k_best(3)] == [t.tree for t in found.k_best(3)]
    assert copy.predict_proba(frame()).tolist() == found.predict_proba(frame()).tolist()
    assert copy.log_prior(copy.map_tree()) == found.log_prior(found.map_tree())


def test_the_commands_say_what_it_is(tmp_path: Path) -> None:
    table, draws = tmp_path / "t.csv", tmp_path / "draws.jsonl"
    frame().write_csv(table)
    runner = CliRunner()
    told = runner.invoke(slp_command, ["sample", "growtree", str(table), "--engine", "modal"])
    assert told.exit_code == 0, told.output
    assert "one tree, grown greedily: all averages are over it alone" in told.output
    assert "the engine modal grows trees, and does not sum over all of them" in told.output
    assert "grown greedily, there may be better ones" in told.output
    assert "gains     log posterior" in told.output and "exact" not in told.output
    many = ["sample", "growtree", str(table), "--engine", "modal", "--roots", "3", "-o", str(draws)]
    told = runner.invoke(slp_command, many)
    assert "3 trees, grown greedily: all averages are over these alone" in told.output
    assert len(draws.read_text().splitlines()) == 3
    told = runner.invoke(slp_command, ["map", "growtree", str(table), "--engine", "modal"])
    assert told.exit_code == 0 and "grown greedily" in told.output


def test_best_trees_are_listed_once() -> None:
    found = modal(":- use(growtree).", restarts=10)
    trees = [t.tree for t in islice(found._result.best(), 20)]
    assert len(set(trees)) == len(trees) == found.trees_found


@pytest.mark.slow
def test_a_split_that_must_be_made_gains_nothing() -> None:
    X = np.random.default_rng(2).normal(size=(30, 3)).round(1)
    y = np.where(X[:, 0] > 0, "a", "b")
    options: dict[str, Any] = {"engine": "modal", "roots": 3, "restarts": 6, "seed": 1}
    gains = slp.load("pinball").posterior(X, y, **options).importances()
    assert gains is not None and all(math.isfinite(gain) for gain in gains.values())
    fitted = slp.SLPTreeClassifier("pinball", engine="modal", roots=3, restarts=6, random_state=1)
    assert np.isfinite(fitted.fit(X, y).feature_importances_).all()


def test_gains_sum_to_the_rise_of_the_log_joint() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3)).round(1)
    y = np.where((X[:, 0] > 0) ^ (rng.random(80) < 0.1), "a", "b")
    program = slp.load("growtree")
    grown = program.posterior(X, y, engine="modal")
    leaf = slp.parse(":- use(growtree). :- support(max_depth(0)).").posterior(X, y).map_tree()
    gains, best = grown.importances(), grown.map()
    log_prior = grown.log_prior(leaf)
    assert gains is not None and best.log_joint is not None and log_prior is not None
    rise = best.log_joint - log_prior - grown.log_likelihood(leaf)
    assert best.tree.n_leaves > 1 and sum(gains.values()) == pytest.approx(rise)


def test_importances_are_averages_by_the_weights_of_the_trees() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3)).round(1)
    y = np.where((X[:, 0] + X[:, 1] > 0) ^ (rng.random(60) < 0.1), "a", "b")
    grown = slp.load("growtree").posterior(X, y, engine="modal", roots=3, seed=1)
    alone = {found.scored.tree: found.gains for found in filler_of(grown)._trees}
    shares = {draw.tree: draw.weight / len(alone) for draw in grown.draws}
    importances = grown.importances()
    assert importances is not None and len(shares) == 3 and max(shares.values()) > 0.5
    want = sum(share * alone[tree] for tree, share in shares.items())
    assert list(importances.values()) == pytest.approx(want.tolist())  # type: ignore[union-attr]
