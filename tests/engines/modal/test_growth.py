"""The growth of modal trees: decisions against enumeration, the core against the specification."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

import slp
from slp.compile import compile_problem
from slp.engines.shared.growth.core import core_engine, grow_in_core
from slp.engines.shared.growth.plan import Ending, Grown, Plan
from slp.leaves import Dirichlet
from slp.problem.problem import Problem
from slp.reference.boxes import Geometry
from slp.reference.enumeration.derivations import Derivation, _derive
from slp.reference.local_process import LocalProcess
from slp.reference.modal.growth import PlainGrower
from tests.engines.cases import make_problem, random_grammar, random_table, with_groups

#: Programs in which the label of stopping on a side is exact.
EXACT_LABELS = [
    ":- use(growtree, [alpha = 0.7]).",
    ":- use(growtree_gap). :- feature_weight(a, 3).",
    ":- use(growtree_all). :- leaf(dirichlet([2, 0.5])).",
    ":- use(gmt).",
    ":- use(denison, [phi = 1.5]).",
    ":- use(bcart_pcfg, [phi = 1.5]).",
    ":- start(t). 0.4 :: t --> leaf. 0.6 :: t --> s. 0.3 :: s --> leaf. "
    "0.7 :: s --> split(F, V, all), t, t.",
]
#: That program has two leaf rules, of which the worth of a side as a leaf takes the better one.
TWO_LEAF_RULES = EXACT_LABELS[-1]


def small_problem(text: str, seed: int, n: int = 5) -> Problem:
    rng = np.random.default_rng(seed)
    columns = {
        "a": rng.integers(0, 4, n),
        "b": rng.integers(0, 2, n),
        "c": rng.choice(list("pqr"), n),
    }
    frame = pl.DataFrame({**columns, "y": rng.choice(["n", "y"], n)})
    if frame["y"].n_unique() < 2:
        frame[0, "y"] = "y" if frame[0, "y"] == "n" else "n"
    return compile_problem(slp.parse(text).ir, frame)


def depth(d: Derivation) -> int:
    return 0 if d.left is None or d.right is None else 1 + max(depth(d.left), depth(d.right))


@cache
def boxes_of(problem: Problem) -> Geometry:
    """The boxes of a problem, whose cuts keep their numbers."""
    return Geometry(problem.grammar, problem.table)


def log_joint(problem: Problem, d: Derivation) -> float:
    boxes, stack = [], [d]
    while stack:
        at = stack.pop()
        if at.left is None or at.right is None:
            boxes.append(at.box)
        else:
            stack += [at.left, at.right]
    statistics = boxes_of(problem).statistics(boxes)
    return d.log_weight + float(problem.table.leaf.log_marginal(statistics).sum())


def scores_by_enumeration(
    problem: Problem, process: LocalProcess, box: int, state: int, look_ahead: int
) -> dict[tuple[int, int] | None, float]:
    """The score of stopping (None) and of each split (feature, rows of the left side): sums of
    weight times likelihood over the derivations with at most `look_ahead` splits below a side."""
    out: dict[tuple[int, int] | None, float] = {None: -math.inf}
    for d in _derive(process, process.goal(box, state), 0):
        if depth(d) > look_ahead + 1:
            continue
        joint = log_joint(problem, d)
        if d.split is None:
            out[None] = max(out[None], joint)
            continue
        key = boxes_of(problem).cuts[d.split.cut].feature, d.split.left
        combine = np.logaddexp if look_ahead else max  # type: ignore[assignment]
        out[key] = float(combine(out.get(key, -math.inf), joint))
    return out


def decided(
    problem: Problem, grower: PlainGrower, grown: Grown
) -> Iterator[tuple[int, int, tuple[int, int] | None, float]]:
    """Box, state, decision and gain of each node of a tree without failed splits."""
    children = grown.children()
    stack = [(0, boxes_of(problem).root, problem.grammar.start)]
    while stack:
        i, box, state = stack.pop()
        if grown.feature[i] < 0:
            yield box, state, None, 0.0
            continue
        cut = (int(grown.feature[i]), int(grown.low[i]))
        own = [s for s in grower.options(box, state).splits if (s.feature, s.low) == cut]
        split = max(own, key=lambda s: s.log_weight)
        yield box, state, (split.feature, split.left), float(grown.gain[i])
        left, right = children[i]
        stack += [(left, split.left, split.left_state), (right, split.right, split.right_state)]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("text", "look_ahead"),
    [(t, k) for t in EXACT_LABELS for k in (0, 1, 2) if t != TWO_LEAF_RULES or k == 0],
)
def test_each_node_takes_the_best_option_of_an_enumeration(text: str, look_ahead: int) -> None:
    splits = 0
    for seed in range(4):
        problem = small_problem(text, seed)
        process = LocalProcess(problem.grammar, boxes_of(problem))
        for further in (0, 2):  # further growth makes splits that lose, the best of them
            grower = PlainGrower(process, Plan(look_ahead=look_ahead, further=further))
            grown = grower.grow()
            assert grown.ending is Ending.DONE
            for box, state, decision, gain in decided(problem, grower, grown):
                scores = scores_by_enumeration(problem, process, box, state, look_ahead)
                if decision is not None:
                    splits += 1
                    assert scores[decision] - scores[None] == pytest.approx(gain, abs=1e-9)
                    stop = scores.pop(None)
                    assert further or scores[decision] > stop
                if not further or decision is not None:
                    assert scores[decision] >= max(scores.values()) - 1e-8
    assert splits


@pytest.mark.parametrize("smoothing", [0.0, 0.25])
def test_the_papers_score_has_no_label_of_stopping(smoothing: float) -> None:
    """By hand (the paper's equations 3 and 5): weight of the split times both likelihoods. Under
    smoothing the sides of the root are still scored by the root's prior."""
    problem = small_problem(":- use(gmt).", 3, n=12)
    plan = Plan(stop_labels=False, smoothing=smoothing)
    grown = PlainGrower(LocalProcess(problem.grammar, boxes_of(problem)), plan).grow()
    q, d = 0.95, 3
    scores = np.full(d, -np.inf)
    leaf, splits = problem.table.leaf, boxes_of(problem).splits(boxes_of(problem).root)
    of = [boxes_of(problem).cuts[s.cut].feature for s in splits]
    for f, split in zip(of, splits, strict=True):
        fits = leaf.log_marginal(boxes_of(problem).statistics([split.left, split.right])).sum()
        scores[f] = max(scores[f], math.log(q / d / of.count(f)) + fits)
    assert grown.root_scores == pytest.approx(scores)
    stop = (
        math.log(1 - q)
        + leaf.log_marginal(boxes_of(problem).statistics([boxes_of(problem).root]))[0]
    )
    assert (grown.feature[0] >= 0) == (scores.max() > stop)


def test_smoothing_gives_each_side_a_share_of_its_counts() -> None:
    text, plan = ":- use(growtree).", Plan(smoothing=0.25)
    for seed in range(6):
        problem = small_problem(text, seed, n=14)
        grown = PlainGrower(LocalProcess(problem.grammar, boxes_of(problem)), plan).grow()
        assert isinstance(problem.table.leaf, Dirichlet)
        assert grown.added[0].tolist() == [0, 0]
        for i, (left, right) in enumerate(grown.children()):
            model = Dirichlet(("n", "y"), (1 + grown.added[i]).tolist())
            assert grown.log_likelihood[i] == pytest.approx(model.log_marginal(grown.statistics[i]))
            for side in (left, right) if left >= 0 else ():
                want = grown.added[i] + 0.25 * grown.statistics[side]
                assert grown.added[side] == pytest.approx(want)


def test_options_are_drawn_in_proportion(seed: int = 5) -> None:
    """4000 draws at the root: each share within 4.5 standard errors of exp(score / 2) / sum; of 12
    options one fails by chance once in 10,000."""
    problem = small_problem(":- use(growtree, [alpha = 0.6]).", seed, n=8)
    process = LocalProcess(problem.grammar, boxes_of(problem))
    grower = PlainGrower(process, Plan())
    options = grower.options(process.root.box, process.root.state)
    scores = {s.key: grower.score(problem.table.leaf, s, 0) for s in options.splits}
    stop = options.leaves[0] + grower.log_likelihood(
        problem.table.leaf, process.root.box, process.root.state
    )
    keys, values = [None, *scores], np.array([stop, *scores.values()])
    want = np.exp((values - values.max()) / 2)
    want /= want.sum()
    counts = dict.fromkeys(keys, 0)
    n, engine = 4000, core_engine(problem)
    for i in range(n):
        plan = Plan(drawn_levels=1, temperature=2.0, seed=i * 7919 + 1)
        grown = grow_in_core(engine, problem.table, plan, room=2**28)
        first = grown.feature[0]
        counts[None if first < 0 else (0, int(first), int(grown.low[0]))] += 1
    for key, p in zip(keys, want.tolist(), strict=True):
        assert abs(counts[key] - n * p) <= 4.5 * math.sqrt(n * p * (1 - p)) + 1


def random_plan(rng: np.random.Generator, problem: Problem) -> Plan:
    plan = Plan(
        likelihood=bool(rng.integers(4)),
        stop_labels=bool(rng.integers(2)),
        look_ahead=int(rng.choice([0, 0, 0, 1, 2])),
        further=int(rng.choice([0, 0, 1, 3])),
        drawn_levels=int(rng.choice([0, 0, 2])),
        temperature=float(rng.choice([1.0, 4.0])),
        seed=int(rng.integers(2**63)),
        root_feature=int(rng.choice([-1, -1, 0])),
    )
    smooth = isinstance(problem.table.leaf, Dirichlet) and not plan.look_ahead
    return replace(plan, smoothing=0.3) if smooth and rng.integers(3) == 0 else plan


@pytest.mark.usefixtures("compiled_kernels")
def test_the_core_grows_the_trees_of_the_specification() -> None:
    """Random grammars with every rule, measure, constraint and leaf model; dead ends among them.
    `docs/design/modal.md` has the result of many more."""
    endings, failed = set(), 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        table = random_table(rng, 9)
        problem = make_problem(random_grammar(rng, table), table)
        plan = random_plan(rng, problem)
        want = PlainGrower(LocalProcess(problem.grammar, boxes_of(problem)), plan).grow()
        for threads in (1, 2):
            have = grow_in_core(core_engine(problem), table, plan, room=2**30, threads=threads)
            same_tree(have, want, seed)
        endings.add(want.ending)
        failed += want.ending is Ending.NO_TREE
    assert endings == {Ending.DONE, Ending.NO_TREE} and failed < 100


@pytest.mark.usefixtures("compiled_kernels")
def test_the_core_grows_the_trees_of_the_specification_with_groups_of_features() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        table = random_table(rng, 9)
        problem = make_problem(with_groups(rng, random_grammar(rng, table), table), table)
        plan = random_plan(rng, problem)
        want = PlainGrower(LocalProcess(problem.grammar, boxes_of(problem)), plan).grow()
        same_tree(
            grow_in_core(core_engine(problem), table, plan, room=2**30, threads=1), want, seed
        )


#: Leaf models, with values of the response that have equal means and unequal sums in doubles.
RESPONSES: list[tuple[str, list[object], str]] = [
    ("dirichlet(1)", list("ny"), "response(y)"),
    ("dirichlet(0.5)", list("nwyz"), "response(y)"),
    ("normal_inverse_gamma(0, 1, 2, 1)", [0.1, 0.2, 0.3, 0.7, 1.1], "response(y)"),
    ("normal_linear([z])", [0.1, 0.2, 0.3, 0.7, 1.1], "response(y)"),
    ("gamma_poisson(1, 1)", [0, 1, 2, 5], "response(y)"),
    ("gamma_exponential(1, 1)", [0.1, 0.3, 0.7, 1.5], "response(y, event(e))"),
    ("piecewise_exponential(1, 1, [0.5, 1])", [0.1, 0.3, 0.7, 1.5], "response(y, event(e))"),
]
QUICK = ("dirichlet(1)", "normal_inverse_gamma(0, 1, 2, 1)")


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize(
    ("leaf", "values", "response"),
    [pytest.param(*r, id=r[0], marks=[pytest.mark.slow] * (r[0] not in QUICK)) for r in RESPONSES],
)
def test_the_core_orders_levels_as_the_specification_does(
    leaf: str, values: list[object], response: str
) -> None:
    """Scores are the same to the last bit: a cut lies between any two that differ."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(8, 70)), int(rng.integers(2, 30))
        events = {"e": rng.integers(0, 2, n)} if "event" in response else {}
        weights = {"w": rng.choice([0.5, 1.5, 0.1, 1.0], n)} if seed % 2 else {}
        regressor = {"z": rng.normal(size=n).round(1)} if "[z]" in leaf else {}
        frame = pl.DataFrame(
            {
                "a": rng.integers(0, 3, n),
                "b": [f"b{code:02}" for code in rng.integers(k, size=n)],
                "c": rng.choice(list("pqr"), n),
                "y": [values[i] for i in rng.integers(len(values), size=n)],
                **events,
                **weights,
                **regressor,
            }
        )
        said = f":- leaf({leaf}). :- {response}. {':- row_weight(w).' if weights else ''}"
        rule = EXACT_LABELS[0] if seed % 3 else EXACT_LABELS[-1].replace(", all", "")
        text = f"{rule} :- feature(b, [subsets(ordered)]). :- feature(c, [subsets]). {said}"
        problem = compile_problem(slp.parse(text).ir, frame)
        plan = random_plan(rng, problem)
        want = PlainGrower(LocalProcess(problem.grammar, boxes_of(problem)), plan).grow()
        for threads in (1, 2):
            engine = core_engine(problem)
            have = grow_in_core(engine, problem.table, plan, room=2**30, threads=threads)
            same_tree(have, want, seed)


def same_tree(have: Grown, want: Grown, seed: int = 0) -> None:
    assert have.ending is want.ending, seed
    for name in ("feature", "low", "high"):
        assert getattr(have, name).tolist() == getattr(want, name).tolist(), seed
    for name in (
        "log_stop",
        "log_likelihood",
        "log_split",
        "gain",
        "statistics",
        "added",
        "root_scores",
    ):
        have_values, want_values = getattr(have, name), getattr(want, name)
        np.testing.assert_allclose(have_values, want_values, rtol=1e-10, atol=1e-9, err_msg=name)


#: The root reaches n^2 / 2 states. In the second the labels are renormalised; in the third a split
#: on `a` begins with calls of a weight of e^-25.
MANY_STATES = [
    ":- use(pinball).",
    ":- start(count(0)). 0.7 :: count(I) --> owe(I+1). "
    "0.3 :: count(I) --> { I + 1 < most_leaves }, count(I+1). 1 :: owe(1) --> leaf. "
    "1 :: owe(K) --> { K > 1 }, share(K, 1). 1 / (K-J) :: share(K, J) --> split(F, V), owe(J), "
    "owe(K-J). 1 - 1 / (K-J) :: share(K, J) --> { J < K - 1 }, share(K, J+1).",
    ":- weights. :- start(count(0)). 0.5 :: count(I) --> owe(I+1). "
    "0.1 :: count(I) --> { I + 1 < most_leaves }, count(I+1). 1 :: owe(1) --> leaf. "
    "1 :: owe(K) --> { K > 1 }, share(K, 1). 1 :: end --> leaf. "
    "1 / (K-J) :: share(K, J) --> { K < 12 }, split(b, V), end, end. "
    "1 / (K-J) :: share(K, J) --> { K >= 12 }, split(a, V), end, end. "
    "1 - 1 / (K-J) :: share(K, J) --> { J < K - 1 }, share(K, J+1).",
]


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("text", MANY_STATES)
def test_states_of_little_weight_change_no_tree(text: str) -> None:
    """The specification looks at all states."""
    n = 48 if text == MANY_STATES[2] else 24
    a, b, c = np.arange(n) // (n // 2), np.arange(n) % 2, np.arange(n) % (n // 2) // 2
    X = pl.DataFrame({"a": a, "b": b, "c": c})
    plans = [
        Plan(),
        Plan(further=2),
        Plan(smoothing=0.3),
        Plan(root_feature=1),
        *(Plan(drawn_levels=2, temperature=t, seed=7) for t in (1.0, 4.0, 32.0)),
    ]
    problem = compile_problem(slp.parse(text).ir, X, np.where(a == 1, "y", "n"), few_states=True)
    process = LocalProcess(problem.grammar, boxes_of(problem))
    for plan in plans:
        have = [
            grow_in_core(core_engine(problem), problem.table, plan, room=2**30, threads=threads)
            for threads in (1, 2)
        ]
        want = PlainGrower(process, plan).grow()
        for grown in have:
            same_tree(grown, want)
        assert plan != Plan() or want.feature.tolist() == [0, -1, -1]


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("leaf", ["dirichlet(1)", "normal_inverse_gamma(0, 0.1, 2, 1)"])
def test_any_number_of_threads_grows_the_same_tree(leaf: str) -> None:
    """Large goals are shared by features, waves by goals."""
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(6000, 5)), rng.integers(0, 5, (6000, 2))])
    noise = rng.normal(size=6000)
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * X[:, 5] + 0.5 * noise
    response = y if leaf.startswith("normal") else np.where(y > 0, "p", "q")
    text = f":- use(growtree_gap). :- leaf({leaf})."
    problem = compile_problem(slp.parse(text).ir, X, response)
    one, *others = (
        grow_in_core(core_engine(problem), problem.table, Plan(further=2), room=2**30, threads=n)
        for n in (1, 2, 8)
    )
    assert len(one.feature) > 20
    for other in others:
        for name in ("feature", "low", "high", "log_split", "gain", "log_likelihood"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


@pytest.mark.usefixtures("compiled_kernels")
def test_a_growth_that_is_stopped_has_what_was_decided() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 4))
    problem = compile_problem(slp.parse(":- use(growtree).").ir, X, X[:, 0] * X[:, 1] > 0)
    polls = iter([True, False])
    plan = Plan(look_ahead=1)
    engine = core_engine(problem)
    found = grow_in_core(
        engine, problem.table, plan, room=2**30, poll=lambda *_: next(polls, False)
    )
    assert found.ending is Ending.STOPPED and -2 in found.feature
    assert np.isfinite(found.log_stop).all()


@pytest.mark.usefixtures("compiled_kernels")
def test_a_budget_that_is_too_small_ends_the_growth() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 4))
    problem = compile_problem(slp.parse(":- use(growtree).").ir, X, X[:, 0] > 0)
    for room in (1000, 30_000, 100_000):
        found = grow_in_core(core_engine(problem), problem.table, Plan(), room=room, threads=2)
        assert found.ending is Ending.OUT_OF_BUDGET
