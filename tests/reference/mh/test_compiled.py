"""The core's Metropolis-Hastings against the plain one, its specification."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slp
from slp.constraints import Predicate
from slp.data import table_of
from slp.engines.mcmc.proposals import (
    CutAtEach,
    CutAtRoot,
    CutSequenceAtEach,
    CutSequenceUniformly,
    CutUniformly,
    Proposal,
)
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.engines.shared.core_chains import CoreProposal
from slp.engines.shared.core_limits import core_takes
from slp.errors import SlpError, UsageError
from slp.lower import program_to_tree_grammar
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.reference.boxes import Geometry
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.mh.exact_subtrees import ExactSubtree, SubtreeCharts
from slp.runner import Checkpoint, Phase, Schedule, run
from slp.terms import Text
from slp.trees import check_tree
from tests.reference.mh.core_matrices import (
    Q_EXACT,
    Q_IND,
    Q_SEQ,
    Q_UC,
    CoreExample,
    core_sampler,
    q_n,
    q_seq,
)
from tests.reference.mh.matrices import TOLERANCE, Example, random_examples

BY_PLACE = pytest.mark.parametrize("made", range(60), indirect=True)
PAIRS: list[tuple[CoreProposal, Proposal]] = [
    (Q_IND, CutAtRoot()),
    (Q_UC, CutUniformly()),
    (q_n(4), CutAtEach(4)),
    (Q_SEQ, CutSequenceUniformly()),
    (q_seq(4), CutSequenceAtEach(4)),
]

AFTER_WARM_UP = Phase(warm_up=False, step=1)


@cache
def examples() -> list[Example]:
    return [made for _, made in random_examples(60)]


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Example:
    return examples()[request.param]


@BY_PLACE
def test_proofs_have_the_same_numbers(made: Example) -> None:
    sampler = core_sampler(made.target, [Q_UC])
    states = CoreExample(made).states(sampler, [0])
    for state, proof in zip(states, made.proofs, strict=True):
        assert sampler.holds(state)
        assert (state.n_points, state.n_leaves) == (proof.n_points, proof.n_leaves)
        have = [state.log_draw, state.log_excess, state.log_likelihood]
        want = [proof.log_draw, proof.log_excess, proof.log_likelihood]
        np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-12)


@pytest.mark.thinned(3)
@BY_PLACE
@pytest.mark.parametrize("core, plain", PAIRS, ids=["q_ind", "q_uc", "q_n", "q_seq", "q_seq(4)"])
def test_transitions(made: Example, core: CoreProposal, plain: Proposal) -> None:
    """The exact matrix of the core's code is that of the plain code."""
    for turn in range(plain.period):
        have = CoreExample(made).matrix(core, turn)
        np.testing.assert_allclose(have, made.matrix(plain, turn), rtol=0, atol=TOLERANCE)


@pytest.mark.thinned(3)
@BY_PLACE
@pytest.mark.parametrize("most_boxes", [1, 2, 6, 2**20])
def test_exact_subtrees(made: Example, most_boxes: float) -> None:
    """The same for `q_exact`, at every size of what fits."""
    have = CoreExample(made).matrix(Q_EXACT, most_boxes=most_boxes)
    charts = SubtreeCharts(made.target.process, most_boxes)
    np.testing.assert_allclose(have, made.matrix(ExactSubtree(charts)), rtol=0, atol=TOLERANCE)


def test_q_uc_joins_q_exact_unless_the_table_fits() -> None:
    def names(most_boxes: float) -> set[str]:
        text = ":- use(growtree). :- feature(_, [bins(quantile, 3)])."
        engine = chains(text, "q_exact", most_boxes=most_boxes)
        rng = np.random.default_rng(0)
        _, info = engine.advance(rng, engine.init(rng), 200, AFTER_WARM_UP)
        return {name for name, _ in info.tally}

    assert names(6**3 - 1) == {"q_exact", "q_uc"}
    assert names(6**3) == {"q_exact"}


# --- runs ---------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(60, 3)), 1)
Y = np.where(X[:, 0] + RNG.normal(0, 0.7, 60) > 0, "b", "a")


def chains(text: str, proposal: str = "q_uc", **options: Any) -> CompiledMetropolisHastings:
    """The engine of a program; tests on the finished tree are its to make."""
    program = slp.parse(text).ir
    table = table_of(program, X, Y)
    schema = table.schema(program.support.min_leaf)
    grammar = program_to_tree_grammar(program, schema, tests_on_trees=True)
    return CompiledMetropolisHastings(
        grammar, table, program.constraints, proposal=proposal, **options
    )


def test_states_go_to_data_and_back() -> None:
    engine = chains(":- use(growtree).", "q_uc,q_n(7)")
    rng = np.random.default_rng(1)
    state, _ = engine.advance(rng, engine.init(rng), 50, AFTER_WARM_UP)
    again = engine.load(json.loads(json.dumps(engine.dump(state))))
    assert engine.dump(again) == engine.dump(state)
    for name in ("log_draw", "log_excess", "log_likelihood"):
        assert getattr(again, name) == getattr(state, name)
    assert sum(again.turns) > 0
    assert engine.derivation_from_data(engine.record(state)).n_leaves == state.n_leaves


def test_a_step_leaves_the_state_as_it_was() -> None:
    engine = chains(":- use(growtree).")
    rng = np.random.default_rng(1)
    state = engine.init(rng)
    before = engine.dump(state)
    _, info = engine.advance(rng, state, 1, AFTER_WARM_UP)
    assert engine.dump(state) == before
    assert [move.name for move in info.tally.elements()] == ["q_uc"]


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_draws(threads: int) -> None:
    engine = chains(":- use(growtree).", "q_uc,q_ind,q_n(5)")
    schedule = Schedule(draws=60, chains=3, warm_up=700, thin=20)
    one, many = run(engine, schedule, seed=5), run(engine, schedule, seed=5, threads=threads)
    assert (many.draws, many.tallies) == (one.draws, one.tallies)
    assert one.draws[0] != one.draws[1]
    assert {name for name, _ in one.tallies[0]} == {"q_uc", "q_ind", "q_n(5)"}
    assert sum(one.tallies[0].values()) == 400


def test_a_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    engine, file = chains(":- use(growtree).", "q_uc,q_n(5)"), tmp_path / "run.json"
    fewer = Schedule(draws=20, chains=2, warm_up=300, thin=30)
    more = Schedule(draws=50, chains=2, warm_up=300, thin=30)
    run(engine, fewer, seed=4, checkpoint=Checkpoint(file))
    other = chains(":- use(growtree).", "q_uc,q_n(5)")
    have = run(other, more, seed=4, checkpoint=Checkpoint(file, resume=True))
    assert have.draws == run(engine, more, seed=4).draws
    plain = MetropolisHastings(
        engine.grammar, Geometry(engine.grammar, engine.table), proposal="q_uc,q_n(5)"
    )
    with pytest.raises(UsageError) as caught:
        run(plain, more, seed=4, checkpoint=Checkpoint(file, resume=True))
    assert str(caught.value).startswith(
        f"error[E515]: the checkpoint {file} was made with another kernel"
    )


def test_trees_are_those_of_the_plain_engine() -> None:
    """By the leaves that the table's rows fall into, and the counts there."""
    text = ":- use(growtree_gap). :- constraint(before(x0, x1))."
    engine = chains(text)
    rng = np.random.default_rng(3)
    state = engine.init(rng)
    program = slp.parse(text).ir
    for _ in range(20):
        state, _ = engine.advance(rng, state, 40, AFTER_WARM_UP)
        tree = engine.tree(state)
        assert tree.n_leaves == state.n_leaves
        assert all(found.holds for found in check_tree(tree, program, X, Y))
        want = log_likelihood_of_tree(engine.table, tree)
        assert state.log_likelihood == pytest.approx(want, abs=1e-10)


def test_no_start() -> None:
    engine = chains(
        ":- start(t). 1 :: t --> split(F, V), u, u. 1 :: u --> split(F, V), w, w.\n"
        "1 :: w --> leaf. :- constraint(max_leaves(3))."
    )
    with pytest.raises(SlpError) as caught:
        engine.init(np.random.default_rng(0))
    assert str(caught.value).startswith(
        "error[E517]: no tree to start from was found among 2,000 drawn from the program: "
    )


@pytest.mark.usefixtures("compiled_kernels")
def test_what_the_core_takes() -> None:
    tree, node = (Predicate("python", Text("m:f"), local) for local in (False, True))
    program = slp.parse(":- use(growtree). :- feature(_, [missing(side)]).").ir
    table = table_of(slp.parse(":- use(growtree).").ir, X, Y)
    assert core_takes((tree,), table)
    assert not core_takes((tree, node), table)
    holes = X.astype(float)
    holes[0, 0] = np.nan
    assert core_takes((tree,), table_of(program, holes, Y))
