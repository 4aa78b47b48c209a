"""`max_cost` against all trees: what it forbids, what engines sum, and the check of one tree."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp
from slp.constraints import MaxCost
from slp.ir.decisions import FeatureCost

COSTS = {"mri": 120, "blood": 90, "ct": 0.5, "age": 0}
PRICES = " ".join(f":- cost({name}, {amount})." for name, amount in COSTS.items())
FRAME = pl.DataFrame(
    {
        "mri": [1.0, 2, 3, 1, 2],
        "blood": [3.0, 1, 1, 2, 1],
        "ct": ["p", "q", "r", "p", "p"],
        "age": [1.0, 1, 2, 2, 2],
        "ill": ["a", "b", "b", "a", "b"],
    }
)


def paths_of(tree: slp.Tree) -> list[set[str]]:
    """The features on the path to each leaf."""
    return [set(place.above) for place in tree.places() if hasattr(place.node, "summary")]


def fits(tree: slp.Tree, most: float) -> bool:
    return all(sum(COSTS.get(f, 0) for f in path) <= most for path in paths_of(tree))


def log_sum(joints: list[float]) -> float:
    return float(np.logaddexp.reduce(joints))


@cache
def all_trees(prior: str) -> tuple[slp.Posterior, list[slp.ScoredTree]]:
    free = slp.parse(f":- use({prior}).").posterior(FRAME, engine="enumerate", draws=0)
    return free, list(free.k_best(10**6))


@pytest.mark.filterwarnings("ignore::slp.SlpWarning")
@pytest.mark.thinned(4)
@pytest.mark.parametrize("most", [0, 0.5, 120, 120.5, 210])
@pytest.mark.parametrize("prior", ["growtree", "denison", "growtree_all"])
def test_engines_sum_just_the_trees_that_fit(prior: str, most: float) -> None:
    """Under `condition` the others fail, so the evidence is that of the trees left over, relative
    to their share of the prior."""
    free, trees = all_trees(prior)
    left = [t for t in trees if fits(t.tree, most)]
    assert 0 < len(left) < len(trees)
    text = f":- use({prior}). {PRICES} :- constraint(max_cost({most})). :- failure(condition)."
    share = log_sum([free.log_posterior(t.tree) for t in left])
    want = free.log_evidence + share - log_sum([free.log_prior(t.tree) for t in left])
    for engine in ("chart", "exact", *(["enumerate"] if most == 120 else [])):
        have = slp.parse(text).posterior(FRAME, engine=engine, draws=0)
        assert have.tree_count() == len(left), engine
        assert have.log_evidence == pytest.approx(want, abs=1e-10), engine
        assert have.map_tree() is not None


def drawn(program: slp.Program, **options: object) -> slp.Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        return program.posterior(FRAME, seed=1, **options)


#: Few steps are enough for so few trees.
STEPS = {"mh": {"warmup": 1000, "thin": 20}}
LIMITED = f"{PRICES} :- constraint(max_cost(120))."


@pytest.mark.parametrize("failure", ["", ":- failure(condition)."])
@pytest.mark.parametrize("engine", ["chart", "mh", "smc", "modal", "search"])
def test_engines_give_trees_that_fit(engine: str, failure: str) -> None:
    program = slp.parse(f":- use(growtree). {LIMITED} {failure}")
    exact = program.posterior(FRAME, engine="exact", draws=0)
    sampled = engine in ("mh", "smc")
    found = drawn(
        program, engine=engine, **({"draws": 500} if sampled else {}), **STEPS.get(engine, {})
    )
    trees = [d.tree for d in found.draws] if sampled else [found.map_tree()]
    assert all(fits(tree, 120) for tree in trees)
    assert any(tree.n_leaves > 1 for tree in trees)
    if engine == "search":
        assert found.map().log_joint == pytest.approx(exact.map().log_joint)
    if sampled:
        error = found.log_evidence_error
        assert abs(found.log_evidence - exact.log_evidence) < 5 * error


def test_edits_end_in_trees_that_fit() -> None:
    given = slp.Tree.from_dict({"feature": "age", "threshold": 1.5, "left": {}, "right": {}})
    program = slp.parse(f":- use(edittree, [p = 0.8]). {LIMITED}", tree=given)
    trees = [d.tree for d in drawn(program, draws=300, thin=10, warmup=100).draws]
    assert all(fits(tree, 120) for tree in trees)
    free = slp.parse(":- use(edittree, [p = 0.8]).", tree=given)
    assert not all(fits(d.tree, 120) for d in drawn(free, draws=300, thin=10, warmup=100).draws)


@pytest.mark.slow
def test_many_sets_of_features_are_too_many_states() -> None:
    """The exact engine refuses them; `mh` makes the states that it meets."""
    names = [f"f{i}" for i in range(30)]
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({n: rng.normal(size=60) for n in names} | {"y": ["a", "b"] * 30})
    prices = " ".join(f":- cost({n}, {100 + i})." for i, n in enumerate(names))
    program = slp.parse(f":- use(growtree). {prices} :- constraint(max_cost(1000)).")
    with pytest.raises(slp.SlpError, match="E304"):
        program.posterior(frame, engine="exact")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        found = program.posterior(
            frame, engine="mh", seed=1, draws=20, warmup=20, chains=1, rounds=1
        )
    assert all(check.holds for d in found.draws for check in d.tree.check(program))


def test_a_sum_of_costs_beyond_the_largest_float_is_told() -> None:
    prices = "".join(f":- cost({name}, 1.7e308). " for name in "abc")
    program = slp.parse(f":- use(growtree). {prices} :- constraint(max_cost(1.7e308)).")
    below = {"feature": "b", "threshold": 1, "left": {}, "right": {}}
    tree = slp.Tree.from_dict({"feature": "a", "threshold": 1, "left": below, "right": {}})
    (check,) = tree.check(program)
    assert not check.holds
    assert "the path costs more than 1.7976931348623157e308" in check.counterexample


# --- the automaton -----------------------------------------------------------------------------


def states_after(limit: MaxCost, *features: str) -> list[str]:
    """The states on a path in words, up to the split that is refused."""
    automaton = limit.automaton()
    told, state = [automaton.describe(automaton.start)], automaton.start
    for feature in features:
        step = automaton.step(state, feature, None)
        if step is None:
            return [*told, "refused"]
        assert step[0] == step[1]
        state = step[0]
        told.append(automaton.describe(state))
    return told


def limit(most: float, **costs: float) -> MaxCost:
    return MaxCost(most, tuple(FeatureCost(f, amount) for f, amount in costs.items()))


def test_states_in_words() -> None:
    some = limit(200, mri=120, blood=90, ct=70)
    assert states_after(some, "age", "ct", "ct", "mri", "mri", "blood") == [
        "cost 0",
        "cost 0",
        "cost 70 (ct)",
        "cost 70 (ct)",
        "too dear: blood",
        "too dear: blood",
        "refused",
    ]


def test_what_can_forbid_nothing_is_one_state() -> None:
    some = limit(200, mri=120, blood=90, ct=70)
    both = [states_after(some, *path)[-1] for path in (["mri"], ["mri", "ct"], ["ct", "mri"])]
    assert both == ["too dear: blood"] * 3
    free = limit(300, mri=120, ct=70).automaton()
    assert free.describe(free.start) == ""


def test_a_feature_above_the_limit_is_refused_at_once() -> None:
    want = ["too dear: mri", "too dear: mri", "refused"]
    assert states_after(limit(10, mri=120, ct=5), "ct", "mri") == want


def test_costs_are_added_as_decimal_numbers() -> None:
    """In floating point 0.1 + 0.2 is above 0.3."""
    some = limit(0.3, a=0.1, b=0.2)
    assert not some.can_be_broken("ab")
    assert limit(0.3, a=0.1, b=0.21).can_be_broken("ab")
    assert limit(1e300, a=1e300, b=1e-300).can_be_broken("ab")


def test_only_features_of_the_table_count() -> None:
    assert not limit(100, a=90, b=90).can_be_broken(["a", "c"])


# --- words and checks --------------------------------------------------------------------------


def test_the_constraint_in_words() -> None:
    assert limit(200, mri=120, ct=0.5).words() == (
        "The features of each path cost at most 200 together, each once: mri 120, ct 0.5."
    )
    assert limit(2).words() == "The features of each path cost at most 2 together, each once."
    many = limit(2, **{f"f{i}": 1 for i in range(10)})
    assert many.words().endswith("f7 1, and 2 more.")


def test_the_check_of_a_tree_tells_where_it_costs_too_much() -> None:
    program = slp.parse(f":- use(growtree). {PRICES} :- constraint(max_cost(200)).")
    leaf: dict[str, object] = {}
    mri = {"feature": "mri", "threshold": 1.5, "left": leaf, "right": leaf}
    age = {"feature": "age", "threshold": 1.5, "left": mri, "right": leaf}
    blood = {"feature": "blood", "threshold": 1.5, "left": leaf, "right": age}
    (found,) = slp.Tree.from_dict(blood).check(program)
    assert found.to_dict() == {
        "constraint": "The features of each path cost at most 200 together, each once: mri 120, "
        "blood 90, ct 0.5, age 0.",
        "span": program.ir.constraints[0].span.to_dict(),
        "holds": False,
        "counterexample": "at right.left (1.5 <= blood, age < 1.5): with `mri < 1.5` the path "
        "costs 210: blood 90, mri 120",
        "path": "right.left",
        "witness": {"path": "right.left"},
    }
    again = {"feature": "mri", "threshold": 2.5, "left": mri, "right": leaf}
    (found,) = slp.Tree.from_dict(again).check(program)
    assert found.holds


def test_the_check_adds_decimal_numbers() -> None:
    program = slp.parse(
        ":- use(growtree). :- cost(a, 0.1). :- cost(b, 0.2). :- cost(c, 9). "
        ":- constraint(max_cost(0.3))."
    )
    b = {"feature": "b", "threshold": 1.5, "left": {}, "right": {}}
    (found,) = slp.Tree.from_dict({"feature": "a", "threshold": 1, "left": b, "right": {}}).check(
        program
    )
    assert found.holds


def test_a_file_prices_and_the_program_limits(tmp_path: Path) -> None:
    """The program's own cost overrides that of the file, and numbers may be arithmetic."""
    (tmp_path / "prices.slp").write_text(":- cost(mri, 120). :- cost(ct, 10).")
    (tmp_path / "p.slp").write_text(
        ":- use(growtree). :- use('prices.slp'). :- param(unit, 3). :- cost(mri, 2 * unit). "
        ":- constraint(max_cost(4 * unit))."
    )
    (have,) = slp.load(tmp_path / "p.slp").ir.constraints
    assert have == MaxCost(12.0, (FeatureCost("mri", 6.0), FeatureCost("ct", 10.0)))


def test_the_expansion_keeps_costs() -> None:
    program = slp.parse(f":- use(growtree). {PRICES} :- constraint(max_cost(200)).")
    assert ":- cost(mri, 120)." in program.expand()
    assert ":- constraint(max_cost(200))." in program.expand()
