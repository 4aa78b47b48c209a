"""Splits between levels in the order of their responses: against sums over all trees written down
here, on every engine, and what is refused."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns import In, OrderedSubsets
from slp.leaves import LeafModel
from slp.problem.core import beyond_core
from slp.trees import Leaf, Split, Tree

FRAME = pl.DataFrame(
    {
        "town": list("abcdabcdabc"),
        "size": [1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 1],
        "y": ["n", "y", "n", "y", "n", "y", "n", "y", "y", "n", "n"],
    }
)
#: Other responses of the same rows, with what puts levels in order, written down again.
RESPONSES = {
    "two classes": ["n", "y", "n", "y", "n", "y", "n", "y", "y", "n", "n"],
    "three classes": ["n", "y", "n", "y", "n", "y", "n", "z", "z", "n", "z"],
    "numbers": [0.25, 1.5, 0.5, 2.75, 0.5, 1.0, 0.25, 2.5, 1.5, 0.0, 0.5],
    "counts": [0, 3, 1, 5, 0, 2, 1, 4, 2, 0, 1],
}
LEAVES = {"counts": ":- leaf(gamma_poisson(1, 1))."}
RULES = "0.5 :: t --> split(F, V), t, t.\n0.5 :: t --> leaf.\n:- start(t).\n"
Rows = tuple[int, ...]


def program(more: str = "", said: str = "subsets(ordered)", rules: str = RULES) -> slp.Program:
    return slp.parse(f"{rules}:- feature(town, [{said}]).\n{more}")


def frame_of(response: str) -> pl.DataFrame:
    return FRAME.with_columns(y=pl.Series(RESPONSES[response]))


class ByHand:
    """Sums over all trees, of weight times likelihood to a power."""

    def __init__(self, frame: pl.DataFrame, leaf: LeafModel, power: float, ordered: bool) -> None:
        self.town, self.size = frame["town"].to_list(), frame["size"].to_list()
        y = frame["y"]
        self.y = y.to_list()
        self.labels = sorted(set(self.y)) if y.dtype == pl.String else None
        coded = [self.labels.index(v) for v in self.y] if self.labels else self.y
        self.leaf, self.power, self.ordered = leaf, power, ordered
        self.statistics = leaf.statistics(np.array(coded, np.float64))
        self.done: dict[Rows, float] = {}

    def total(self, rows: Rows) -> float:
        if rows not in self.done:
            own = self.statistics[list(rows)].sum(axis=0)
            leaf = math.exp(self.power * float(self.leaf.log_marginal(own)))
            cuts = list(self.cuts(rows))
            below = sum(p * self.total(a) * self.total(b) for p, a, b in cuts)
            self.done[rows] = 0.5 * leaf + 0.5 * below if cuts else leaf
        return self.done[rows]

    def cuts(self, rows: Rows) -> Iterator[tuple[float, Rows, Rows]]:
        towns = sorted({self.town[r] for r in rows})
        groups = list(self.groups(rows, towns))
        by_size = {self.size[r] for r in rows} == {1, 2}
        feature = 1 / ((len(groups) > 0) + by_size) if groups or by_size else 0
        if by_size:
            yield feature, *parted(rows, {r for r in rows if self.size[r] == 1})
        for group in groups:
            share = 1 / (2 ** (len(towns) - 1) - 1)
            yield feature * share, *parted(rows, {r for r in rows if self.town[r] in group})

    def groups(self, rows: Rows, towns: list[str]) -> Iterator[set[str]]:
        if not self.ordered:
            for chosen in product([False, True], repeat=len(towns) - 1):
                if any(chosen):
                    yield {t for t, inside in zip(towns[1:], chosen, strict=True) if inside}
            return
        scores = self.scores(rows, towns)
        order = sorted(towns, key=lambda t: (scores[t], t))
        for i in range(1, len(order)):
            if scores[order[i - 1]] != scores[order[i]]:
                yield set(order[:i])

    def scores(self, rows: Rows, towns: list[str]) -> dict[str, tuple[float, ...]]:
        of = {t: [self.y[r] for r in rows if self.town[r] == t] for t in towns}
        if self.labels is None:
            return {t: (round(float(np.mean(y)), 12),) for t, y in of.items()}
        shares = np.array([[y.count(c) / len(y) for c in self.labels] for y in of.values()])
        if len(self.labels) == 2:
            return {t: (own[1],) for t, own in zip(towns, shares.tolist(), strict=True)}
        n = np.array([len(y) for y in of.values()])
        far = shares - (n @ shares) / n.sum()
        _, sizes, axes = np.linalg.svd(np.sqrt(n)[:, None] * far)
        longest = axes[[i for i, size in enumerate(sizes) if size > sizes[0] * (1 - 1e-9)]]
        near = [round(float((longest[:, c] ** 2).sum()), 9) for c in range(len(self.labels))]
        first = longest[:, near.index(max(near))] @ longest
        return {t: (round(float(s @ first), 9), *s) for t, s in zip(towns, shares, strict=True)}


def parted(rows: Rows, left: set[int]) -> tuple[Rows, Rows]:
    return tuple(r for r in rows if r in left), tuple(r for r in rows if r not in left)


def log_evidence_by_hand(frame: pl.DataFrame, leaf: LeafModel, ordered: bool = True) -> float:
    every = tuple(range(len(frame)))
    likely, prior = (ByHand(frame, leaf, power, ordered).total(every) for power in (1.0, 0.0))
    return math.log(likely / prior)


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("engine", ["exact", "enumerate"])
def test_sums_over_all_trees(engine: str, response: str) -> None:
    frame = frame_of(response)[:8]
    posterior = program(LEAVES.get(response, "")).posterior(frame, engine=engine, draws=0)
    want = log_evidence_by_hand(frame, posterior.table.leaf)
    assert posterior.log_evidence == pytest.approx(want, abs=1e-9)


def test_sums_by_hand_are_those_of_subsets_too() -> None:
    """The same sums with all partitions: so the weight of a cut is that of `subsets`."""
    posterior = program(said="subsets").posterior(FRAME, engine="exact", draws=0)
    want = log_evidence_by_hand(FRAME, posterior.table.leaf, ordered=False)
    assert posterior.log_evidence == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize(
    "response",
    [pytest.param(r, marks=[pytest.mark.slow] * (r != "two classes")) for r in RESPONSES],
)
def test_samplers_agree_with_exact_sums(response: str) -> None:
    frame = frame_of(response)
    own = program(LEAVES.get(response, ""))
    exact = own.posterior(frame, engine="exact", draws=0)
    want = {f: use.probability for f, use in exact.split_probabilities().items()}
    steps = {"warmup": 1000, "thin": 10}
    for engine, how in (("mh", {"draws": 2000, **steps}), ("smc", {"draws": 1000})):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", slp.SlpWarning)
            found = own.posterior(frame, engine=engine, seed=1, **how)
        for feature, use in found.split_probabilities().items():
            assert use.probability == pytest.approx(want[feature], abs=0.08), (engine, feature)
    best = exact.k_best(1)[0].tree
    search = own.posterior(frame, engine="search", draws=0)
    assert exact.log_posterior(search.map_tree()) == pytest.approx(exact.log_posterior(best))


def test_the_order_has_the_best_of_all_partitions() -> None:
    """Of two classes and of numbers, by the sum of squares (Fisher 1958)."""
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(6), 4)
    for y in (rng.integers(2, size=24).astype(float), rng.normal(size=24)):
        means = np.array([y[codes == c].mean() for c in range(6)])
        kind = OrderedSubsets(tuple("abcdef"))
        present = [(c, 1 << c) for c in range(6)]
        cuts = list(kind.cuts(present, lambda boxes, means=means: means))
        assert len(cuts) == len(set(means.tolist())) - 1

        def squares(group: int, y: np.ndarray = y) -> float:
            inside = (group >> codes & 1).astype(bool)
            return sum(float(((part - part.mean()) ** 2).sum()) for part in (y[inside], y[~inside]))

        best = min(squares(group) for group in range(1, 63))
        assert min(squares(low) for low, _, _ in cuts) == pytest.approx(best)
        assert all(low & 1 and low | high == 63 and low == left for low, high, left in cuts)


def test_trees_in_all_forms(tmp_path: Path) -> None:
    posterior = program().posterior(FRAME, engine="exact", seed=1, draws=50)
    assert beyond_core(posterior.table) is None
    for scored in posterior.k_best(20):
        assert all(r.holds for r in scored.tree.check(program(), FRAME, "y"))
        again = Tree.from_dict(scored.tree.to_dict())
        assert posterior.log_posterior(again) == pytest.approx(scored.log_posterior, abs=1e-9)
    posterior.save(tmp_path / "run.slpz")
    again = slp.load_posterior(tmp_path / "run.slpz")
    assert again.map_tree() == posterior.map_tree()
    found = [p.predict_proba(FRAME.drop("y")) for p in (again, posterior)]
    np.testing.assert_allclose(*found, rtol=1e-12)
    new = posterior.predict_proba(pl.DataFrame({"town": ["d"], "size": [1]}))
    assert 0 < new[0, 0] < 1


def test_a_partition_against_the_order_is_no_cut() -> None:
    posterior = program().posterior(FRAME, engine="exact", draws=0)  # c < a < b < d
    within, across, turned = (
        Tree(Split("town", In(left, right), Leaf(), Leaf()))
        for left, right in (("ac", "bd"), ("ad", "bc"), ("bd", "ac"))
    )
    assert posterior.log_posterior(within) > -math.inf
    assert posterior.log_posterior(across) == -math.inf
    assert posterior.log_posterior(turned) == posterior.log_posterior(within)


def test_it_looks_at_the_response() -> None:
    posterior = program().posterior(FRAME, engine="exact", draws=0)
    assert "subsets(ordered) looks at the response" in posterior.no_bayes_factor
    assert "order of the response" in program().explain()
    plain = program(said="subsets").posterior(FRAME, engine="exact", draws=0)
    assert plain.no_bayes_factor is None


@pytest.mark.parametrize(
    "engine", ["exact", pytest.param("mh", marks=pytest.mark.slow), "smc", "modal", "search"]
)
def test_more_levels_than_subsets_take(engine: str, tmp_path: Path) -> None:
    """Seventy levels, half of them with another class: `subsets` refuses them, and the order finds
    them in one split."""
    towns = [f"t{i:02}" for i in range(70)]
    frame = pl.DataFrame({"town": towns * 3, "y": [i % 2 for i in range(70)] * 3})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        posterior = program().posterior(frame, engine=engine, seed=1, draws=20)
    tree = posterior.map_tree()
    assert tree.n_leaves == 2
    assert set(tree.root.test.levels) in ({*towns[::2]}, {*towns[1::2]})
    assert (posterior.predict(frame.drop("y")) == frame["y"].to_numpy()).all()
    assert Tree.from_dict(tree.to_dict()) == tree
    posterior.save(tmp_path / "run.slpz")
    assert slp.load_posterior(tmp_path / "run.slpz").map_tree() == tree
    with pytest.raises(slp.DataError, match="E446"):
        program(said="subsets(12)").posterior(frame)


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        ("mh", {"chains": 3, "draws": 60, "warmup": 100, "thin": 2, "rounds": 1, "rungs": 1}),
        ("smc", {"islands": 4, "draws": 40, "particles": 50}),
        ("exact", {"draws": 20}),
        ("modal", {}),
    ],
)
def test_no_number_of_threads_changes_a_result(engine: str, options: dict[str, int]) -> None:
    """Orders of levels have numbers by the box that asks first; no answer depends on them."""
    rng = np.random.default_rng(0)
    town, size = rng.integers(20, size=120), rng.integers(3, size=120)
    y = rng.random(120) < np.where(town % 2 == 0, 0.2, 0.8)
    frame = pl.DataFrame({"town": [f"t{i:02}" for i in town], "size": size, "y": y.astype(int)})
    own = program(rules=":- use(growtree).\n:- support(max_depth(1)).\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        found = [
            own.posterior(frame, engine=engine, seed=3, threads=threads, **options)
            for threads in (1, 2, 1)
        ]
        trees = [posterior.sample(20, seed=1) for posterior in found]
        proba = [posterior.predict_proba(frame.drop("y")).tobytes() for posterior in found]
    assert trees[0] == trees[1] == trees[2]
    assert proba[0] == proba[1] == proba[2]
    best = [(p.map_tree(), p.log_posterior(p.map_tree())) for p in found]
    assert best[0] == best[1] == best[2]


def test_a_checkpoint_holds_the_levels_and_no_numbers_of_orders(tmp_path: Path) -> None:
    """A run goes on in another process, where orders have other numbers."""
    rng = np.random.default_rng(0)
    town = rng.integers(40, size=160)
    y = rng.random(160) < np.where(town % 2 == 0, 0.2, 0.8)
    frame = pl.DataFrame({"town": [f"t{i:02}" for i in town], "y": y.astype(int)})
    how: dict[str, Any] = {"engine": "mh", "chains": 2, "warmup": 50, "thin": 3, "seed": 4}
    how |= {"rounds": 1, "rungs": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        whole = program().posterior(frame, draws=60, **how)
        part = {"checkpoint": tmp_path / "half", "draws": 20}
        program().posterior(frame, **part, **how)
        again = program().posterior(frame, **{**part, "draws": 60, "resume": True}, **how)
        assert whole.sample(60, seed=1) == again.sample(60, seed=1)


def test_what_is_refused() -> None:
    rule = "0.5 :: t --> split(F, V, all), t, t.\n0.5 :: t --> leaf.\n:- start(t).\n"
    with pytest.raises(slp.DataError, match=r"E155.*the measure `all`"):
        program(rules=rule).posterior(FRAME)
    rule = "0.5 :: t --> split(F, V), { V = [a|_] }, t, t.\n0.5 :: t --> leaf.\n:- start(t).\n"
    with pytest.raises(slp.DataError, match=r"E155.*what its split asks"):
        program(rules=rule).posterior(FRAME)
    for wrong in (
        "subsets(orderly)",
        "subsets(ordered), missing(side)",
        "subsets(ordered), numeric",
    ):
        with pytest.raises(slp.ProgramError):
            program(said=wrong)


@pytest.mark.parametrize(
    "said", ["subsets(ordered), missing(level)", "subsets(ordered), new(error)"]
)
def test_missing_and_new_levels(said: str) -> None:
    towns = [None if t == "d" and "missing" in said else t for t in FRAME["town"]]
    frame = FRAME.with_columns(town=pl.Series(towns))
    posterior = program(said=said).posterior(frame, engine="exact", draws=0)
    assert posterior.predict_proba(frame.drop("y")).shape == (11, 2)
    new = pl.DataFrame({"town": ["pink"], "size": [1]})
    if "error" in said:
        with pytest.raises(slp.DataError, match="E445"):
            posterior.predict_proba(new)
    else:
        with pytest.warns(slp.SlpWarning, match="W440"):
            assert 0 < posterior.predict_proba(new)[0, 0] < 1


@pytest.mark.slow
def test_a_thousand_levels_of_noise() -> None:
    """A factor that tells nothing, beside a feature of two values, is not used, and costs nothing
    on new rows."""
    programs = [
        slp.parse(f":- use(growtree).\n{said}")
        for said in (":- ignore(town).", ":- feature(town, [subsets(ordered)]).")
    ]
    for seed in range(3):
        rng = np.random.default_rng(seed)
        tables = []
        for _ in range(2):
            town, size = rng.integers(1000, size=2000), rng.integers(2, size=2000)
            y = (rng.random(2000) < np.where(size == 1, 0.7, 0.3)).astype(int)
            names = [f"t{code:03}" for code in town]
            tables.append(pl.DataFrame({"town": names, "size": size, "y": y}))
        train, new = tables
        losses, used = [], []
        for own in programs:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", slp.SlpWarning)
                posterior = own.posterior(train, engine="mh", seed=1, draws=40, chains=1)
                p = posterior.predict_proba(new.drop("y"))[np.arange(2000), new["y"].to_numpy()]
            losses.append(-float(np.log(p).mean()))
            used.append(posterior.split_probabilities().get("town"))
        assert used[1] is not None
        assert used[1].probability == 0.0
        assert losses[1] < losses[0] + 0.002
