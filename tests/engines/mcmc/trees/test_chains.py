"""The engine in the loop: agreement with enumeration, checkpoints, starts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

from slp.constraints import MaxFeatures, Monotone
from slp.data.table import Table
from slp.engines.derivations import TreeProof
from slp.engines.mcmc.mixture import MixtureState
from slp.engines.mcmc.trees.chains import MetropolisHastings
from slp.errors import SlpError, SlpWarning, UsageError
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.boxes import Geometry
from slp.runner import Checkpoint, Phase, Schedule, Tally, run
from tests.engines.cases import denison, growtree, make_table, numeric
from tests.engines.mcmc.trees.matrices import all_proofs

GLOBAL = (MaxFeatures(1), Monotone("z", "up"))


def small_table(y: tuple[int, ...] = (0, 1, 0, 1, 1)) -> Table:
    rows = [[0, 0], [1, 1], [2, 0], [3, 1], [1, 0]]
    return make_table([numeric("x", 4), numeric("z", 2)], rows, y)


def engine(
    grammar: TreeGrammar, table: Table, constraints: tuple[Constraint, ...] = (), **options: object
) -> MetropolisHastings:
    return MetropolisHastings(grammar, Geometry(grammar, table), constraints, **options)  # type: ignore[arg-type]


def summaries(proof: TreeProof) -> list[float]:
    """Numbers that a chain must get right: leaves, likelihood, rows of the first leaf."""
    leaf = next(node for node in proof.preorder() if not node.parts)
    return [proof.n_leaves, proof.log_likelihood, leaf.goal.box.bit_count()]


#: Each run makes 3 comparisons; that any of them fails by chance has probability 0.001.
CASES = [
    ("growtree", (), "q_uc"),
    ("growtree", (), "q_n(6):1,q_ind:0.5"),
    ("growtree", GLOBAL, "q_uc:0.8,q_ind:0.2"),
    ("denison", (), "q_exact"),
    ("denison", GLOBAL[:1], "q_uc"),
    ("max_leaves", GLOBAL[1:], "q_exact:0.5,q_n(4)"),
]
RUNS, BATCHES = 3 * len(CASES), 25
LIMIT = float(student.ppf(1 - 0.001 / RUNS / 2, BATCHES - 1))


@pytest.mark.slow
@pytest.mark.parametrize(("prior", "constraints", "proposal"), CASES)
def test_long_runs_agree_with_enumeration(
    prior: str, constraints: tuple[Constraint, ...], proposal: str
) -> None:
    """By batch means: they differ from the exact mean by less than a t quantile."""
    table = small_table()
    grammar = growtree(table, 0.9, 0.6, 4) if prior == "growtree" else denison(table, 2.0)
    if prior == "max_leaves":
        grammar = replace(grammar, max_leaves=3)
    chains = engine(grammar, table, constraints, proposal=proposal)
    target = chains.target
    proofs = [proof for proof in all_proofs(chains.process) if target.holds(proof)]
    scores = np.array([target.log_score(proof) for proof in proofs])
    probability = np.exp(scores - np.logaddexp.reduce(scores))
    want = probability @ np.array([summaries(proof) for proof in proofs])
    numbers = {proof.key(): summaries(proof) for proof in proofs}

    result = run(chains, Schedule(6000, chains=1, warm_up=200), seed=11)
    have = np.array([numbers[tuple(map(tuple, draw))] for draw in result.draws[0]])
    batches = have.reshape(BATCHES, -1, 3).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / np.sqrt(BATCHES)
    assert (np.abs(batches.mean(axis=0) - want) < LIMIT * error + 1e-12).all()
    assert (error < 0.25).all()


def test_the_prior() -> None:
    table = small_table()
    chains = engine(growtree(table, 0.9, 0.6, 4), table, likelihood=False)
    result = run(chains, Schedule(3000, chains=1, warm_up=0), seed=1)
    assert result.tallies[0]["q_uc", "accepted"] > 2000  # counts alone can reject
    assert result.tallies[0]["q_uc", "failed"] == 0


def test_failures_are_counted() -> None:
    table = small_table()
    chains = engine(growtree(table, 0.9, 0.6, 4), table, GLOBAL)
    tally = run(chains, Schedule(500, chains=1, warm_up=0), seed=1).tallies[0]
    assert tally["q_uc", "failed"] > 50
    assert sum(tally.values()) == 500


def test_draws_do_not_depend_on_threads_or_on_what_was_met_before() -> None:
    table = small_table()
    grammar = denison(table, 2.0)
    schedule = Schedule(400, chains=4, warm_up=50)
    want = run(engine(grammar, table, GLOBAL), schedule, seed=3).draws
    other = engine(grammar, table, GLOBAL)
    run(other, schedule, seed=99)
    assert run(other, schedule, seed=3, threads=3).draws == want


class Interrupted(MetropolisHastings):
    steps = 0

    def step(
        self, rng: np.random.Generator, state: MixtureState[TreeProof], phase: Phase
    ) -> tuple[MixtureState[TreeProof], Tally]:
        self.steps += 1
        if self.steps == 650:
            raise KeyboardInterrupt
        return super().step(rng, state, phase)


def test_a_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    table = small_table()
    grammar, file = growtree(table, 0.9, 0.6, 4), tmp_path / "run.json"
    schedule = Schedule(1000, chains=2, warm_up=130)
    options = {"proposal": "q_uc:0.6,q_n(3):0.4"}
    want = run(engine(grammar, table, GLOBAL, **options), schedule, seed=3)
    broken = Interrupted(grammar, Geometry(grammar, table), GLOBAL, proposal=options["proposal"])
    with pytest.warns(SlpWarning):
        run(broken, schedule, seed=3, checkpoint=Checkpoint(file, every=0))
    again = Checkpoint(file, resume=True)
    have = run(engine(grammar, table, GLOBAL, **options), schedule, seed=3, checkpoint=again)
    assert have.draws == want.draws
    assert have.tallies == want.tallies


def test_a_state_comes_back_to_the_last_bit() -> None:
    table = small_table()
    chains = engine(growtree(table, 0.9, 0.6, 4), table)
    rng = np.random.default_rng(0)
    state = chains.init(rng)
    for _ in range(50):
        state, _ = chains.step(rng, state, Phase(warm_up=False, step=1))
        back = chains.load(chains.dump(state))
        assert back.turns == state.turns
        for name in ("log_draw", "log_excess", "log_likelihood", "n_points", "n_leaves"):
            assert getattr(back.derivation, name) == getattr(state.derivation, name)


@pytest.mark.parametrize(
    ("what", "other"),
    [
        ("program", lambda: engine(growtree(small_table(), 0.9, 0.7, 4), small_table())),
        ("program", lambda: engine(growtree(small_table(), 0.9, 0.6, 4), small_table(), GLOBAL)),
        (
            "table",
            lambda: engine(growtree(small_table(), 0.9, 0.6, 4), small_table((1, 1, 0, 1, 1))),
        ),
        (
            "proposal",
            lambda: engine(growtree(small_table(), 0.9, 0.6, 4), small_table(), proposal="q_ind"),
        ),
        (
            "target",
            lambda: engine(growtree(small_table(), 0.9, 0.6, 4), small_table(), likelihood=False),
        ),
    ],
)
def test_another_run_is_refused(tmp_path: Path, what: str, other: object) -> None:
    table, schedule = small_table(), Schedule(10, chains=1, warm_up=0)
    file = tmp_path / "run.json"
    chains = engine(growtree(table, 0.9, 0.6, 4), table)
    run(chains, schedule, seed=3, checkpoint=Checkpoint(file))
    again = Checkpoint(file, resume=True)
    run(engine(growtree(table, 0.9, 0.6, 4), table), schedule, seed=3, checkpoint=again)
    with pytest.raises(UsageError, match=f"was made with another {what}"):
        run(other(), schedule, seed=3, checkpoint=again)  # type: ignore[operator]


def test_trees() -> None:
    table = small_table()
    chains = engine(denison(table, 2.0), table)
    trees = [chains.tree(proof) for proof in all_proofs(chains.process)]
    assert len(set(trees)) == len(trees)
    assert Counter(tree.n_leaves for tree in trees)[1] == 1


def test_a_start_is_found_where_most_trees_break_a_constraint() -> None:
    """Trees of growtree with alpha 1 and beta 0 never stop of themselves before they must, but for
    a label of 1e-9."""
    table = small_table()
    grammar = replace(growtree(table, 1 - 1e-9, 0.0, 4), max_leaves=2)
    for seed in range(5):
        state = engine(grammar, table).init(np.random.default_rng(seed))
        assert state.derivation.n_leaves <= 2


@pytest.mark.parametrize(
    ("kind", "message", "help"),
    [
        (
            "constraint",
            "2,000 of them break a constraint on the finished tree, the others fail",
            "loosen the constraints on the finished tree, or have fewer cuts (bins)",
        ),
        (
            "dead end",
            "every one came to a box where no rule applies",
            "loosen the constraints or the support; `slp explain` shows what each state allows",
        ),
    ],
)
def test_no_start(kind: str, message: str, help: str) -> None:
    table = small_table()
    grammar = denison(table, 2.0)
    if kind == "constraint":
        grammar = replace(grammar, max_leaves=0)
    else:
        split = grammar.states[0].rules[1]
        grammar = replace(grammar, states=(replace(grammar.states[0], rules=(split,)),))
    with pytest.raises(SlpError) as caught:
        engine(grammar, table).init(np.random.default_rng(0))
    assert str(caught.value) == (
        "error[E517]: no tree to start from was found among 2,000 drawn from the program: "
        f"{message}\n  help: {help}"
    )
