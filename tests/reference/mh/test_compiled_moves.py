"""The core's tree moves against the plain ones, their specification."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp
from slp.data import table_of
from slp.engines.mcmc.mixture import weight_at
from slp.engines.mcmc.proposals import metropolis_hastings
from slp.engines.shared.core_chains import CoreProposal, core_proposal
from slp.engines.shared.core_limits import core_moves
from slp.engines.shared.proposal_names import Named, read_names
from slp.lower import program_to_tree_grammar
from slp.reference.boxes import Geometry
from slp.reference.derivations import TreeProof
from slp.reference.local_process import LocalProcess
from slp.reference.mh.moves import TREE_MOVES
from slp.reference.mh.proof import grow
from slp.reference.mh.target import Target
from slp.reference.tree_tests import tree_tests
from slp.runner import Checkpoint, Schedule, run
from slp.runner.randomness import RandomNumbers
from tests.reference.mh.core_matrices import (
    CoreExample,
    choices_of,
    core_sampler,
    every_script,
)
from tests.reference.mh.every_outcome import outcomes
from tests.reference.mh.matrices import TOLERANCE, Example, random_examples
from tests.reference.mh.test_compiled import chains
from tests.reference.mh.zoo import (
    CONSTRAINTS,
    PRIORS,
    from_program,
    pairs,
    with_nodes_that_cannot_stop,
)

BY_NAME = pytest.mark.parametrize("name", list(TREE_MOVES))
N_EXAMPLES = 18


@cache
def examples() -> list[Example]:
    found = [made for _, made in random_examples(30, least=8, most=60)]
    return [made for made in found if core_moves(made.target.process.grammar, "cgm")]


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Example:
    return examples()[request.param]


def core_of(name: str) -> CoreProposal:
    return core_proposal(Named(name, None, 1.0))


def check_matrix(made: Example, name: str) -> None:
    have = CoreExample(made).matrix(core_of(name))
    np.testing.assert_allclose(have, made.matrix(TREE_MOVES[name]), rtol=0, atol=TOLERANCE)


def test_examples_are_varied() -> None:
    assert len(examples()) == N_EXAMPLES
    grammars = [made.target.process.grammar for made in examples()]
    assert {g.normalise for g in grammars} == {True, False}
    assert {g.failure for g in grammars} == {"restrict", "condition"}
    assert any(made.target.power not in (0, 1) for made in examples())


@pytest.mark.thinned(4)
@BY_NAME
@pytest.mark.parametrize("made", range(N_EXAMPLES), indirect=True)
def test_random_grammars(made: Example, name: str) -> None:
    check_matrix(made, name)


@pytest.mark.thinned(13)
@BY_NAME
@pytest.mark.parametrize(
    ("prior", "constraint"), [(p, c) for p, c in pairs() if p not in ("pinball", "two derivations")]
)
def test_programs(prior: str, constraint: str, name: str) -> None:
    check_matrix(from_program(prior, constraint), name)


@BY_NAME
def test_nodes_that_cannot_stop(name: str) -> None:
    check_matrix(with_nodes_that_cannot_stop(), name)


@pytest.mark.parametrize("power", [0.0, 0.3, 1.0])
def test_weights_of_a_mixture_by_the_power(power: float) -> None:
    named = read_names("q_uc:2,cgm:3,informed:4,q_n(2),q_ind,perturb,twig:2")
    mixture = [core_proposal(one) for one in named]
    made = examples()[0]
    sampler = core_sampler(made.target, mixture)
    state = CoreExample(made).states(sampler, [0] * len(mixture))[0]
    _, _, probabilities = sampler.scripted(state, [], power, None)
    want = [weight_at(one.full_name, one.weight, power) for one in named]
    np.testing.assert_allclose(probabilities[0], np.array(want) / sum(want), rtol=1e-12)


# --- larger trees: the row of one proof -----------------------------------------------------------


@cache
def large_target(prior: str, constraint: str) -> Target:
    rng = np.random.default_rng(7)
    rows = pl.DataFrame(
        {
            "x0": rng.integers(0, 7, 14),
            "x1": np.round(rng.normal(size=14), 1),
            "x2": rng.choice(list("pqrs"), 14),
            "y": rng.choice(["a", "b"], 14),
        }
    )
    text = f"{PRIORS[prior]} {CONSTRAINTS[constraint]} :- response(y, [ordinal([a, b])])."
    program = slp.parse(text).ir
    table = table_of(program, rows, None)
    schema = table.schema(program.support.min_leaf)
    grammar = program_to_tree_grammar(program, schema, tests_on_trees=True)
    process = LocalProcess(grammar, Geometry(grammar, table))
    tests = tree_tests(grammar, program.constraints, process.geometry)
    return Target(process, 0.7, tests)


def some_proofs(target: Target) -> list[TreeProof]:
    """Proofs of five to nine leaves, by independent draws."""
    random, root = RandomNumbers(np.random.default_rng(3)), target.process.root
    found: list[TreeProof] = []
    for _ in range(20_000):
        proof = grow(target.process, random, root, end_early=0.3)
        if proof is not None and 5 <= proof.n_leaves <= 9 and target.holds(proof):
            found.append(proof)
            if len(found) == 8:
                break
    return found


@pytest.mark.thinned(13)
@BY_NAME
@pytest.mark.parametrize(
    ("prior", "constraint"),
    [
        ("growtree", "none"),
        ("growtree_gap", "max_features"),
        ("denison", "once"),
        ("bcart_pcfg", "none"),
        ("gmt", "support"),
    ],
)
def test_rows_of_larger_trees(prior: str, constraint: str, name: str) -> None:
    target = large_target(prior, constraint)
    geometry = target.process.geometry
    sampler = core_sampler(target, [core_of(name)])
    for old in some_proofs(target):
        want: Counter[tuple[int, ...]] = Counter()
        for probability, new in outcomes(
            lambda random, old=old: metropolis_hastings(random, target, TREE_MOVES[name], old)[0]
        ):
            want[tuple(choices_of(geometry, new))] += probability
        state = sampler.restore(np.array(choices_of(geometry, old), np.int32), [0])
        have: Counter[tuple[int, ...]] = Counter()
        for probability, reached in every_script(
            lambda script, at=state: sampler.scripted(at, script, target.power, None)
        ):
            have[tuple(reached.choices().tolist())] += probability
        assert {k for k, p in have.items() if p > TOLERANCE} == {
            k for k, p in want.items() if p > TOLERANCE
        }
        for key, probability in want.items():
            assert have[key] == pytest.approx(probability, abs=TOLERANCE)


# --- runs ---------------------------------------------------------------------------------------

EVERY = "cgm,wu,rotate,perturb,informed,twig,q_uc"


def test_threads_do_not_change_draws() -> None:
    engine = chains(":- use(growtree).", EVERY)
    schedule = Schedule(draws=40, chains=3, warm_up=300, thin=20)
    one, many = run(engine, schedule, seed=5), run(engine, schedule, seed=5, threads=3)
    assert (many.draws, many.tallies) == (one.draws, one.tallies)
    assert {name for name, _ in one.tallies[0]} == {*TREE_MOVES, "q_uc"}
    assert all(("accepted" in {o for n, o in one.tallies[0] if n == name}) for name in TREE_MOVES)


def test_a_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    fewer, more = (Schedule(draws=n, chains=2, warm_up=200, thin=10) for n in (10, 30))
    run(chains(":- use(growtree).", EVERY), fewer, seed=4, checkpoint=Checkpoint(file))
    engine = chains(":- use(growtree).", EVERY)
    have = run(engine, more, seed=4, checkpoint=Checkpoint(file, resume=True))
    assert have.draws == run(engine, more, seed=4).draws


def test_programs_with_several_derivations_run_in_python() -> None:
    rows = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": list("abab")})
    for prior in ("growtree", "pinball", "two derivations"):
        grammar = from_program(prior, "none").target.process.grammar
        assert core_moves(grammar, "q_uc,cgm") == (prior == "growtree")
        assert core_moves(grammar, "q_uc")
    posterior = slp.parse(":- use(pinball).").posterior(
        rows, engine="mh", proposal="q_uc,cgm", draws=8, warmup=10, thin=2, seed=1
    )
    assert posterior.diagnostics is not None
    assert set(posterior.diagnostics.moves) == {"q_uc", "cgm"}
