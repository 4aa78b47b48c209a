"""`infer` and `Posterior`: the results for users, and the scores of users' trees."""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from slp.budgets.memory import format_bytes, parse_memory
from slp.columns import Below, Binned, Is, Nominal
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.engines import infer
from slp.errors import BudgetError, SlpError, UsageError
from slp.ir.tree_grammar import FORBIDDEN, LeafRule, SplitRule, TreeGrammar
from slp.leaves import GammaPoisson, NormalInverseGamma
from slp.reference.enumeration import sums as enumeration
from slp.results.averages.quantiles import LeafMixture, mixture_quantile
from slp.results.posterior import Posterior
from slp.trees import Leaf, Split, Tree
from tests.engines.cases import (
    cells,
    denison,
    growtree,
    make_grammar,
    make_problem,
    make_table,
    numeric,
)

NAMES = (
    "engines are auto, exact, chart, enumerate, mh, smc, modal, search, rjhmc, additive, prolog, "
    "forward, stacked"
)


def run(grammar: TreeGrammar, table: Table, **options: Any) -> Posterior:
    return infer(make_problem(grammar, table), **options)


def square() -> Table:
    """Four rows, (0, 0) a, (0, 1) a, (1, 0) b, (1, 1) a."""
    rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
    return make_table([numeric("x", 2), numeric("z", 2)], rows, [0, 0, 1, 0])


def twins() -> Table:
    """Two features that part three rows alike."""
    rows = [[0, 0], [1, 1], [2, 2]]
    return make_table([numeric("x", 3), numeric("z", 3)], rows, [0, 1, 1])


def stump(feature: str, at: float | str) -> Tree:
    return Tree(Split(feature, Is(at) if isinstance(at, str) else Below(at), Leaf(), Leaf()))


def message(error: pytest.ExceptionInfo[SlpError]) -> str:
    return str(error.value)


# --- options and faults ---------------------------------------------------------------------------


def test_engines_are_named_with_a_reason() -> None:
    table = square()
    auto = run(denison(table, 2.0), table)
    assert auto.engine == "exact"
    assert (
        auto.reason == "the program has a finite tree grammar, so its trees can be summed exactly"
    )
    listed = run(denison(table, 2.0), table, engine="enumerate")
    assert (listed.engine, listed.reason) == ("enumerate", "asked for")
    assert listed.log_evidence == pytest.approx(auto.log_evidence, rel=1e-12)
    assert repr(auto) == "<posterior over trees of y, engine exact>"


@pytest.mark.parametrize(
    ("name", "help"),
    [
        (
            "exat",
            "did you mean `exact`?",
        ),
        ("mhh", "did you mean `mh`?"),
        (None, NAMES),
    ],
)
def test_unknown_engine(name: str | None, help: str) -> None:
    table = square()
    with pytest.raises(UsageError) as error:
        run(denison(table, 2.0), table, engine=name)
    assert message(error) == f"error[E509]: there is no engine {name}\n  help: {help}"


@pytest.mark.parametrize(
    ("option", "value"), [("draws", -1), ("seed", -3), ("draws", 1.5), ("seed", "x"), ("seed", 2.0)]
)
def test_counts_that_are_none(option: str, value: object) -> None:
    table = square()
    with pytest.raises(UsageError) as error:
        run(denison(table, 2.0), table, **{option: value})
    want = f"error[E505]: {option} is {value!r}\n  help: take a whole number from 0 up"
    assert message(error) == want
    posterior = run(denison(table, 2.0), table)
    for call in (posterior.k_best, posterior.sample):
        for count in (-1, 1.5, "x", None):
            with pytest.raises(UsageError, match=r"E505"):
                call(count)


def test_memory_runs_out() -> None:
    table = make_table([numeric("x", 60)], [[i] for i in range(60)], [i % 2 for i in range(60)])
    with pytest.raises(BudgetError) as error:
        run(denison(table, 2.0), table, engine="chart", memory="100 KiB")
    assert message(error) == (
        "error[E501]: the exact engine used up its memory of 100.0 KiB: 64 boxes are done (down to "
        "those of 50 of the 60 distinct rows), at least 1,025 are still to do\n"
        "  help: fewer cuts (`:- feature(_, [bins(quantile, 5)]).`), shallower trees "
        "(`:- support(max_depth(4)).`), larger leaves (`:- support(min_leaf(10)).`), or more memory"
    )


def test_enumeration_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "MOST_DERIVATIONS", 3)
    table = square()
    with pytest.raises(BudgetError) as error:
        run(denison(table, 2.0), table, engine="enumerate")
    assert message(error) == (
        "error[E503]: the engine enumerate gave up after 3 derivations\n"
        "  help: take the engine exact"
    )


@pytest.mark.slow
def test_enumeration_gives_up_before_the_stack_does() -> None:
    n = enumeration.MOST_NESTED + 2
    table = make_table([numeric("x", n)], [[i] for i in range(n)], [i % 2 for i in range(n)])
    with pytest.raises(BudgetError) as error:
        run(denison(table, 2.0), table, engine="enumerate")
    assert message(error) == (
        "error[E503]: the engine enumerate gave up at a derivation with over 150 states on a path\n"
        "  help: take the engine exact"
    )


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate"])
def test_no_tree_is_left(engine: str) -> None:
    table = square()
    steps = tuple(np.full((n, 2), FORBIDDEN, np.int32) for n in cells(table))
    grammar = make_grammar(table, [[SplitRule(0.0, "all", steps)]])
    with pytest.raises(SlpError) as error:
        run(grammar, table, engine=engine)
    assert message(error) == (
        "error[E504]: no tree satisfies the program on this table: nothing is left of the prior\n"
        "  help: loosen the constraints or the support; `slp explain` shows what each state allows"
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [(12, 12), ("12", 12), ("4GiB", 2**32), ("500 MB", 500_000_000), ("1.5g", 3 * 2**29)],
)
def test_memory_sizes(text: int | str, size: int) -> None:
    assert parse_memory(text) == size
    assert parse_memory("999999999999TiB") == sys.maxsize


@pytest.mark.parametrize("text", ["", "lots", "-1", "4 GiBs", "1e9", -5])
def test_memory_that_is_no_size(text: int | str) -> None:
    with pytest.raises(UsageError) as error:
        parse_memory(text)
    assert message(error) == (
        f"error[E502]: {text!r} is not an amount of memory\n"
        "  help: write a number of bytes, or a size such as 500MiB or 4GiB"
    )


def test_sizes_for_people() -> None:
    assert [format_bytes(b) for b in (5, 2048, 3 * 2**29)] == ["5 bytes", "2.0 KiB", "1.5 GiB"]


def test_progress_is_reported() -> None:
    table = square()
    seen: list[tuple[int, str]] = []
    run(
        denison(table, 2.0),
        table,
        engine="chart",
        progress=lambda n, phase: seen.append((n, phase)),
    )
    assert seen == [(0, "finding boxes"), (9, "building the chart")]


# --- trees ----------------------------------------------------------------------------------------


def test_trees_of_ones_own_need_not_be_canonical() -> None:
    posterior = run(denison(square(), 2.0), square(), draws=0)
    want = posterior.log_posterior(stump("x", 0.5))
    assert want == pytest.approx(posterior.log_posterior(stump("x", 0.01)), rel=1e-14)
    for off in (stump("x", 5.0), stump("x", math.nan), stump("w", 0.5), stump("x", "p")):
        assert posterior.log_posterior(off) == posterior.log_prior(off) == -math.inf


def test_probabilities_of_all_trees_sum_to_one() -> None:
    posterior = run(denison(square(), 2.0), square(), draws=0)
    ranked = posterior.k_best(100)
    assert len(ranked) == posterior.tree_count() == 9
    assert sum(math.exp(r.log_posterior) for r in ranked) == pytest.approx(1.0, rel=1e-12)
    assert all(a.log_posterior >= b.log_posterior for a, b in pairwise(ranked))
    best = posterior.map()
    assert best == ranked[0]
    assert posterior.map_tree() == best.tree
    assert posterior.log_posterior(best.tree) == pytest.approx(best.log_posterior, rel=1e-12)
    both = posterior.log_prior(best.tree) + posterior.log_likelihood(best.tree)
    assert posterior.log_evidence is not None
    assert both - posterior.log_evidence == pytest.approx(best.log_posterior, rel=1e-12)


def test_partition_takes_any_feature_that_parts_the_rows_alike() -> None:
    table = twins()
    posterior = run(denison(table, 2.0, "partition"), table)
    x, z = posterior.log_posterior(stump("x", 0.5)), posterior.log_posterior(stump("z", 0.7))
    assert x == z > -math.inf
    each = run(denison(table, 2.0, "each"), table)
    assert each.tree_count() > posterior.tree_count()


def test_of_two_levels_either_may_be_tested() -> None:
    table = make_table([Feature("c", Nominal(("p", "q")))], [[0], [1]], [0, 1])
    posterior = run(denison(table, 2.0), table)
    p = posterior.log_posterior(stump("c", "p"))
    assert p == posterior.log_posterior(stump("c", "q")) > -math.inf


def test_a_threshold_inside_an_occupied_bin_says_nothing() -> None:
    table = make_table([Feature("x", Binned(np.array([1.0, 2.0, 3.0])))], [[0], [2]], [0, 1])
    posterior = run(denison(table, 2.0), table)
    inside = [posterior.log_posterior(stump("x", t)) for t in (1.0, 1.5, 2.0)]
    assert inside[0] == inside[1] == inside[2] > -math.inf
    assert posterior.log_posterior(stump("x", 0.9)) == -math.inf
    assert posterior.log_likelihood(stump("x", 2.5)) == -math.inf


def test_draws_are_kept_and_repeatable() -> None:
    table = square()
    one, two = (run(denison(table, 2.0), table, seed=4, draws=20) for _ in range(2))
    assert one.draws == two.draws
    assert len(one.draws) == 20
    draw = one.draws[0]
    assert draw.log_prior == pytest.approx(one.log_prior(draw.tree), rel=1e-12)
    assert draw.log_likelihood == pytest.approx(one.log_likelihood(draw.tree), rel=1e-12)
    assert one.sample(5, seed=1) == two.sample(5, seed=1)
    assert run(denison(table, 2.0), table, draws=0).draws == []


def test_derivations_of_one_tree_are_summed() -> None:
    """Two leaf rules of weights 1 and 2: the single leaf has two derivations and all the mass."""
    table = make_table([numeric("x", 1)], [[0]], [0])
    grammar = make_grammar(table, [[LeafRule(0.0), LeafRule(math.log(2.0))]], normalise=False)
    posterior = run(grammar, table)
    assert not posterior.derivations_are_trees
    assert posterior.tree_count() == 2
    assert posterior.map().log_posterior == pytest.approx(0.0, abs=1e-12)
    assert [d.log_prior for d in posterior.draws[:2]] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_counts_beyond_the_integers_of_floats_are_floats() -> None:
    table = make_table([numeric("x", 60)], [[i] for i in range(60)], [i % 2 for i in range(60)])
    assert isinstance(run(denison(table, 2.0), table).tree_count(), float)
    assert isinstance(run(denison(square(), 2.0), square()).tree_count(), int)


def test_the_prior_has_no_evidence() -> None:
    table = square()
    grammar = growtree(table, 0.9, 1.0, 4)
    prior = run(grammar, table, likelihood=False)
    assert prior.log_evidence is None
    assert repr(prior) == "<prior over trees of y, engine exact>"
    again = run(grammar, table).prior()
    assert again.expected_leaves() == pytest.approx(prior.expected_leaves(), rel=1e-14)
    assert math.exp(prior.log_posterior(Tree(Leaf()))) == pytest.approx(0.1, rel=1e-12)


def test_majority_is_said_beside_the_evidence() -> None:
    table = square()
    plain = denison(table, 2.0)
    rules = [LeafRule(0.0, ("a",)), *plain.states[0].rules[1:]]
    assert run(plain, table).evidence_note is None
    assert run(make_grammar(table, [rules]), table).evidence_note == (
        "majority looks at the response, so the prior is normalised with it in view; "
        "do not compare this evidence with that of another program"
    )


# --- predictions ----------------------------------------------------------------------------------


def regression() -> tuple[Posterior, Table]:
    leaf = NormalInverseGamma(0.0, 0.5, 2.0, 1.0)
    table = make_table([numeric("x", 4)], [[0], [1], [2], [3]], [0.0, 0.2, 3.0, 3.3], leaf)
    return run(denison(table, 2.0), table), table


def test_classes_are_predicted() -> None:
    table = square()
    posterior = run(denison(table, 2.0), table)
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    proba = posterior.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    assert proba[1, 1] > proba[0, 1]
    assert posterior.predict(X).tolist() == [table.leaf.classes[i] for i in proba.argmax(axis=1)]
    assert posterior.predict_interval(X).shape == (2, 2, 2)


def test_intervals_hold_their_mass() -> None:
    posterior, table = regression()
    X = np.array([[0.0], [2.2], [9.0]])
    have = posterior.predict_interval(X, level=0.8)
    rows = table.new_rows(X)
    mixtures, _ = posterior._result.averages.summary(lambda over: over.leaf_mixtures(rows))
    for mixture, ends in zip(mixtures, have, strict=True):
        mass = mixture.probability @ table.leaf.cdf(mixture.statistics[:, None, :], ends)
        np.testing.assert_allclose(mass, [0.1, 0.9], rtol=1e-9)
    means = posterior.predict(X)
    assert means[0] < means[1] == pytest.approx(means[2], rel=0.5)


def test_intervals_of_counts_are_whole() -> None:
    leaf = GammaPoisson(2.0, 1.0)
    mixture = LeafMixture(np.array([0.5, 0.5]), np.array([[3.0, 9.0, 0.0], [2.0, 0.0, 0.0]]))
    for q in (0.05, 0.5, 0.95):
        have = mixture_quantile(leaf, mixture, q)
        assert have == round(have)
        below, at = (mixture.probability @ leaf.cdf(mixture.statistics, have - d) for d in (1, 0))
        assert below < q <= at


def test_numeric_responses_have_no_classes() -> None:
    posterior, _ = regression()
    X = np.array([[0.0]])
    with pytest.raises(UsageError) as error:
        posterior.predict_proba(X)
    assert message(error) == (
        "error[E506]: the response is numeric, it has no class probabilities\n"
        "  help: use predict or predict_interval"
    )
    with pytest.raises(UsageError) as error:
        posterior.predict_interval(X, level=90)
    assert message(error) == (
        "error[E508]: level is 90\n  help: take a level between 0 and 1, such as 0.9"
    )


def test_summaries_fit_together() -> None:
    posterior = run(denison(square(), 2.0), square())
    leaves, depth = posterior.leaf_distribution(), posterior.depth_distribution()
    assert posterior.expected_leaves() == pytest.approx(leaves @ np.arange(len(leaves)), rel=1e-12)
    assert posterior.expected_depth() == pytest.approx(depth @ np.arange(len(depth)), rel=1e-12)
    use = posterior.split_probabilities()
    assert list(use) == ["x", "z"]
    assert all(0 < u.probability <= u.expected_splits for u in use.values())
    assert sum(u.expected_splits for u in use.values()) == pytest.approx(leaves @ np.arange(5) - 1)
