"""`:- failure(backtrack).`: draws against the enumerated process of backtracking and against the
stochastic resolution of Python and SWI-Prolog, chains, the evidence, and what is refused."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

import slp
from slp.engines.mcmc.proposals import (
    CutAtEach,
    CutAtRoot,
    CutSequenceAtEach,
    CutSequenceUniformly,
    CutUniformly,
)
from slp.errors import NoTreeError, ProgramError, SlpError, SlpWarning, UnsupportedError, UsageError
from slp.reference.mh import backtracking
from slp.reference.mh.provable import Provable
from slp.runner.randomness import RandomNumbers
from tests.reference.mh.backtracks import (
    PROGRAMS,
    WITHOUT_TESTS,
    Backtracking,
    TooLongError,
    of_program,
    of_seed,
    rows,
)
from tests.reference.mh.every_outcome import outcomes

TOLERANCE = 1e-12
every_program = pytest.mark.parametrize("name", PROGRAMS)
WITH_TESTS = [name for name in PROGRAMS if name not in WITHOUT_TESTS]
PATIENTS = pl.DataFrame(
    {"age": [10, 20, 40, 70], "sex": ["f", "m", "m", "f"], "ill": ["no", "no", "yes", "yes"]}
)
MUST = """
:- failure(backtrack).
:- start(tree).
1   :: tree --> split(age, _), part, leaf.
1/2 :: part --> leaf.
1/2 :: part --> again.
1   :: again --> split(sex, _), leaf, leaf.
"""


@cache
def example(name: str) -> Backtracking:
    return of_program(name)


def of_draws(found: Backtracking) -> tuple[NDArray[np.float64], float]:
    """The probability that each proof is drawn, and that none is, by every outcome."""
    drawn, failed = np.zeros(len(found.proofs)), 0.0
    for probability, proof in outcomes(found.target.fresh):
        if proof is None:
            failed += probability
        else:
            drawn[found.number[proof.key()]] += probability
    return drawn, failed


# --- the process --------------------------------------------------------------------------------


@every_program
def test_draws_are_those_of_the_process(name: str) -> None:
    drawn, failed = of_draws(example(name))
    assert np.abs(drawn - example(name).prior).max() < TOLERANCE and failed == 0


def test_draws_are_those_of_the_process_on_random_grammars() -> None:
    """Where the recursion is short: chronological backtracking takes exponential time."""
    seen = went_back = 0
    for seed in range(1, 400):
        try:
            found = Backtracking(of_seed(seed), most=300)
        except TooLongError:
            continue
        if not 2 <= len(found.proofs) <= 20:
            continue
        drawn, failed = of_draws(found)
        assert np.abs(drawn - found.prior).max(initial=0) < TOLERANCE, seed
        assert abs(failed - found.failed) < TOLERANCE
        local = np.exp([proof.log_draw for proof in found.proofs])
        seen, went_back = seen + 1, went_back + bool(np.abs(local - found.prior).max() > 1e-6)
    assert seen >= 20 and went_back >= 5


def test_the_example_of_the_page_on_queries() -> None:
    """`age < 15` leaves one row that cannot split, so `part` is drawn again: that tree has 1/3, and
    each of the four others 1/6."""
    prior = slp.parse(MUST).prior(PATIENTS, draws=4000, seed=1)
    assert prior.engine == "forward"
    counts = Counter(draw.tree for draw in prior.draws)
    assert len(counts) == 5
    (first, most), *others = counts.most_common()
    assert first.n_leaves == 2 and "15" in str(first)
    assert chisquare([most, *(n for _, n in others)], [4000 / 3, *[4000 / 6] * 4]).pvalue > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["python", "prolog"])
@pytest.mark.parametrize("name", ["majority", "leaves", "box and leaves"])
def test_stochastic_resolution_draws_the_same(
    name: str, engine: str, request: pytest.FixtureRequest
) -> None:
    """The same choices as labelled clauses, the test of the tree as a goal after them: the
    chronological backtracking of a resolution engine, which knows nothing of trees."""
    if engine == "prolog":
        request.getfixturevalue("janus")
    found = example(name)
    drawn = slp.parse(found.clauses()).draw(
        "prior(T)", 4000, failure="backtracking", seed=1, engine=engine
    )
    counts = Counter(str(answer["T"]) for answer in drawn.answers)
    observed = [counts[found.term(proof)] for proof in found.proofs]
    assert sum(observed) == 4000
    assert chisquare(observed, 4000 * found.prior).pvalue > 1e-4


@every_program
def test_one_proof_after_the_other_is_without_repetition(name: str) -> None:
    """Asked for further proofs, the process comes to every one of them once."""
    found = example(name)
    process = found.process
    drawn = backtracking.proofs(
        process, Provable(process), RandomNumbers(np.random.default_rng(1)), process.root
    )
    keys = [proof.key() for proof in drawn]
    assert len(set(keys)) == len(keys) >= len(found.proofs)
    assert set(found.number) <= set(keys)


# --- chains -------------------------------------------------------------------------------------


@pytest.mark.slow
@every_program
def test_the_independence_sampler_leaves_the_posterior_invariant(name: str) -> None:
    matrix = example(name).matrix(CutAtRoot())
    posterior = example(name).posterior
    assert np.abs(matrix.sum(axis=1) - 1).max() < TOLERANCE
    assert np.abs(posterior @ matrix - posterior).max() < TOLERANCE


@pytest.mark.slow
@every_program
def test_cuts_of_the_sequence_leave_the_posterior_invariant(name: str) -> None:
    posterior = example(name).posterior
    for proposal, turn in (
        (CutSequenceUniformly(), 0),
        *((CutSequenceAtEach(6), k) for k in range(6)),
    ):
        matrix = example(name).matrix(proposal, turn)
        assert np.abs(matrix.sum(axis=1) - 1).max() < TOLERANCE
        assert np.abs(posterior @ matrix - posterior).max() < TOLERANCE


@pytest.mark.parametrize("name", ["majority"])
def test_without_tests_of_the_tree_every_proposal_does(name: str) -> None:
    posterior = example(name).posterior
    for proposal, turn in ((CutUniformly(), 0), *((CutAtEach(6), k) for k in range(6))):
        matrix = example(name).matrix(proposal, turn)
        assert np.abs(posterior @ matrix - posterior).max() < TOLERANCE


#: Total variation between what chains of a proposal converge to and the posterior, as
#: docs/proof-sampling.md tells them.
BIAS = {
    ("leaves", "q_uc"): 0.0120,
    ("leaves", "q_n"): 0.0267,
    ("box and leaves", "q_uc"): 0.0184,
    ("box and leaves", "q_n"): 0.0378,
    ("features", "q_uc"): 0.0,
    ("features", "q_n"): 0.0,
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "proposal"), BIAS)
def test_the_bias_of_the_published_proposals(name: str, proposal: str) -> None:
    found = example(name)
    if proposal == "q_uc":
        matrix = found.matrix(CutUniformly())
    else:
        most = max(proof.n_points for proof in found.proofs)
        cycle = [found.matrix(CutAtEach(most), k) for k in range(most)]
        matrix = np.linalg.multi_dot(cycle)
    limit = np.linalg.matrix_power(matrix, 2**12)[0]
    assert np.abs(limit @ matrix - limit).max() < TOLERANCE
    assert abs(np.abs(limit - found.posterior).sum() / 2 - BIAS[name, proposal]) < 5e-5


def program_of(name: str) -> tuple[slp.Program, pl.DataFrame]:
    text, n = PROGRAMS[name]
    return slp.parse(f"{text} :- response(y, [ordinal([a, b])])."), rows(n)


@pytest.mark.slow
@every_program
def test_chains_draw_from_the_posterior(name: str) -> None:
    """The mean number of leaves, within five errors."""
    program, table = program_of(name)
    found = example(name)
    want = float(found.posterior @ [proof.n_leaves for proof in found.proofs])
    drawn = program.posterior(table, engine="mh", seed=1, draws=2000, warmup=100, thin=5)
    assert list(drawn.diagnostics.acceptance) == ["q_ind"]  # type: ignore[union-attr]
    assert abs(drawn.expected_leaves() - want) < 5 * drawn.expected_leaves_error() + 1e-9


@every_program
def test_draws_of_the_prior_tell_the_evidence_and_the_posterior(name: str) -> None:
    """Within five errors."""
    program, table = program_of(name)
    found = example(name)
    want = float(found.posterior @ [proof.n_leaves for proof in found.proofs])
    drawn = program.posterior(table, seed=1, draws=4000)
    assert drawn.engine == "forward" and drawn.log_evidence_kind == "estimate"
    assert drawn.log_evidence is not None and drawn.log_evidence_error is not None
    assert abs(drawn.log_evidence - found.log_evidence) < 5 * drawn.log_evidence_error
    assert 0 < drawn.log_evidence_error < 0.05
    assert abs(drawn.expected_leaves() - want) < 5 * drawn.expected_leaves_error() + 1e-9
    tree = drawn.draws[0].tree
    assert drawn.draws[0].log_prior is None and drawn.draws[0].log_weight is None
    assert drawn.log_prior(tree) is None
    assert "no bias" in str(drawn.evidence_note)


def test_a_program_in_which_nothing_fails_is_that_of_restrict() -> None:
    """Every engine takes it, with the same numbers."""
    text = ":- use(growtree). box(b, x0, 1.5, 2.5). :- constraint(constant(b)). "
    restrict = slp.parse(text).posterior(rows(5))
    backtrack = slp.parse(text + ":- failure(backtrack).").posterior(rows(5))
    assert backtrack.engine == restrict.engine == "exact"
    assert backtrack.log_evidence == restrict.log_evidence


def test_predicates_of_the_tree_make_draws_go_back() -> None:
    """Trees of two leaves or more, one split of each: as without the predicate, given that the root
    splits, because its rule is the last choice to be drawn again."""
    program = slp.parse(":- use(growtree). :- failure(backtrack).")
    table = pl.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    seen = program.require(lambda tree: tree.n_leaves > 1).prior(table, draws=50, seed=1)
    assert {draw.tree.n_leaves for draw in seen.draws} == {2}


def test_runs_are_resumed(tmp_path: Path) -> None:
    program, table = program_of("leaves")
    options: dict[str, Any] = {"engine": "mh", "seed": 1, "draws": 40, "warmup": 5, "thin": 2}
    kept = {"checkpoint": tmp_path / "run.json"}
    with pytest.warns(SlpWarning, match="W530"):
        whole = program.posterior(table, **options)
        program.posterior(table, **options, **kept)
        again = program.posterior(table, **options, **kept, resume=True)
    assert [d.tree for d in again.draws] == [d.tree for d in whole.draws]


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate", "smc", "modal", "search"])
def test_engines_that_need_weights_refuse(engine: str) -> None:
    program, table = program_of("leaves")
    with pytest.raises(UnsupportedError, match="E548") as error:
        program.posterior(table, engine=engine)
    assert f"the engine {engine} needs them" in str(error.value)


def test_learning_and_the_best_tree_are_refused() -> None:
    program, table = program_of("leaves")
    with pytest.raises(UnsupportedError, match="E548"):
        program.learn(table)
    with pytest.raises(UnsupportedError, match="the search for the best tree needs them"):
        program.posterior(table, engine="best")


def test_expansion_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="E163") as error:
        slp.parse(MUST).expand(PATIENTS)
    assert "slp query --failure backtracking" in str(error.value)


def test_proposals_that_do_not_cut_are_refused() -> None:
    program, table = program_of("leaves")
    with pytest.raises(UsageError, match="E548"):
        program.posterior(table, engine="mh", proposal="cgm")
    with pytest.raises(UsageError, match="E548"):
        program.posterior(table, engine="mh", rungs=3)


@pytest.mark.parametrize("proposal", ["q_uc", "q_n(3)"])
def test_published_proposals_are_marked(proposal: str) -> None:
    program, table = program_of("leaves")
    with pytest.warns(SlpWarning, match="W546"):
        drawn = program.posterior(
            table, engine="mh", proposal=proposal, draws=20, warmup=0, thin=1, seed=1
        )
    assert f"{proposal} is not known to leave the posterior invariant" in drawn.reason


@pytest.mark.parametrize(("name", "proposal"), [("majority", "q_uc"), ("leaves", "q_seq")])
def test_proposals_that_are_invariant_are_not_marked(
    name: str, proposal: str, recwarn: pytest.WarningsRecorder
) -> None:
    program, table = program_of(name)
    options: dict[str, Any] = {"draws": 20, "warmup": 0, "thin": 1, "seed": 1}
    drawn = program.posterior(table, engine="mh", proposal=proposal, **options)
    assert "invariant" not in drawn.reason
    assert not [w for w in recwarn if "W546" in str(w.message)]


def test_weights_are_refused() -> None:
    with pytest.raises(ProgramError, match="E102"):
        slp.parse(":- failure(backtrack). :- use(denison).")


def test_no_tree() -> None:
    """Three leaves on two rows."""
    text = ":- failure(backtrack). :- start(t). 1 :: t --> split(_, _), l, s. 1 :: l --> leaf. "
    text += "1 :: s --> split(_, _), l, l."
    with pytest.raises(NoTreeError, match="E517"):
        slp.parse(text).prior(rows(2))


def test_a_draw_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backtracking, "MOST_RETURNS", 1)
    program, table = program_of("leaves")
    with pytest.raises(SlpError, match="E547"):
        program.prior(table, draws=500, seed=1)


def test_deep_trees_are_proved_without_deep_calls() -> None:
    """Of 71 rows every split must take one off, or the last ones cannot split."""
    text = """
    :- failure(backtrack).
    :- start(t(70)).
    1 :: t(N) --> { N > 0 }, split(_, _), l, t(N-1).
    1 :: t(0) --> leaf.
    1 :: l --> leaf.
    """
    table = pl.DataFrame({"x": list(range(71)), "y": [*"ab" * 35, "a"]})
    prior = slp.parse(text).prior(table, draws=2, seed=1)
    assert [draw.tree.depth for draw in prior.draws] == [70, 70]
