"""Trees that SWI-Prolog proposes: the derivations of the grammar, invariant transitions, chains.

Statistical tests have fixed seeds; each errs once in 10,000.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import chisquare

import slp
from slp.engines.mcmc import proposals
from slp.engines.mcmc.proposals import CutAtEach, CutAtRoot, CutUniformly, Proposal
from slp.errors import SlpError, SlpWarning
from slp.messages.proofs import NO_JANUS
from slp.problem.problem import Problem
from slp.reference.boxes import Geometry
from slp.reference.derivations import TreeProof
from slp.reference.local_process import LocalProcess
from slp.reference.mh.target import Target
from slp.reference.prolog import PrologMetropolisHastings, PrologProcess
from slp.reference.prolog import process as processes
from slp.reference.tree_tests import tree_tests
from slp.resolution import Limits
from slp.resources import prior_names
from slp.swipl import bridge
from slp.trees import Leaf, Split
from tests.operands import operand
from tests.reference.mh.matrices import Example, all_proofs, example
from tests.resolution.table_programs import (
    MUST,
    PATIENTS,
    TABLE,
    can_be_expanded,
    prior_text,
    tree_text,
)
from tests.results.filled import filler_of
from tests.spec.cases import random_case
from tests.spec.example import TreeKey
from tests.swipl.resolution.test_safety import GOALS

TOLERANCE = 1e-12
CUTS: list[tuple[Proposal[Target, TreeProof], int]] = [
    *((CutUniformly(), 0), (CutAtRoot(), 0)),
    *((CutAtEach(3), turn) for turn in range(3)),
]

every_prior = pytest.mark.parametrize("name", prior_names())


@pytest.fixture(autouse=True)
def _needs_janus(janus: ModuleType) -> None:
    """Skip or fail where SWI-Prolog is missing."""


def process_of(model: Problem) -> PrologProcess:
    geometry = Geometry(model.grammar, model.table)
    source = processes.expanded(model.program, geometry)
    return PrologProcess(model.program, source, model.grammar, geometry, allow_code=False)


def model_of(text: str, table: pl.DataFrame = PATIENTS) -> Problem:
    return slp.parse(text).compile(table)


def posterior(text: str, table: pl.DataFrame = PATIENTS, **options: Any) -> slp.Posterior:
    told = {"engine": "prolog", "seed": 2, "draws": 8, "warmup": 10, "thin": 1, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(text).posterior(table, **told)


def described(process: LocalProcess, proof: TreeProof) -> list[tuple[object, ...]]:
    """Every choice of a proof, by what it means; not the numbers of states, which are its own."""
    out: list[tuple[object, ...]] = []
    for node in proof.preorder():
        out.append((node.box, type(node.goal.rules[node.rule].rule)))
        if node.cut is not None:
            cut = process.geometry.cuts[node.cut]
            out.append((cut.feature, cut.test))
    return out


def assert_same(have: LocalProcess, want: LocalProcess) -> None:
    """The same proofs in the same order, with the same choice points, weights and likelihoods."""
    pairs = list(zip(all_proofs(have), all_proofs(want), strict=True))
    for one, other in pairs:
        assert described(have, one) == described(want, other)
        assert one.n_points == other.n_points
        for number in ("log_draw", "log_excess", "log_likelihood"):
            assert math.isclose(getattr(one, number), getattr(other, number), abs_tol=1e-11)


@cache
def random_models() -> list[Problem]:
    """Of programs without constraints: guards, states, helpers, all measures, both failures."""
    cases = (random_case(seed, 150) for seed in range(45))
    return [c.model for c in cases if c.spec.derivations and can_be_expanded(c.model.program)]


# --- what is drawn from -------------------------------------------------------------------------


@pytest.mark.thinned(3)
@every_prior
def test_library_priors_have_the_proofs_of_the_grammar(name: str) -> None:
    model = model_of(prior_text(name), TABLE)
    assert_same(
        process_of(model), LocalProcess(model.grammar, Geometry(model.grammar, model.table))
    )


@pytest.mark.slow
def test_random_programs_have_the_proofs_of_the_grammar() -> None:
    assert len(random_models()) > 12
    for model in random_models():
        plain = LocalProcess(model.grammar, Geometry(model.grammar, model.table))
        assert_same(process_of(model), plain)


def random_examples() -> Iterator[Example]:
    for model in random_models():
        made = example(process_of(model))
        if made is not None and 3 <= len(made.proofs) <= 12:
            yield made


def drifts(made: Example) -> list[float]:
    return [made.drift(proposal, turn) for proposal, turn in CUTS]


@pytest.mark.thinned(3)
@every_prior
def test_library_priors_are_left_invariant(name: str) -> None:
    """By the transition matrices of the code that runs, all outcomes of chance tried."""
    ignored = ":- ignore(sex)." if name == "rjhmc" else ""
    made = example(process_of(model_of(f":- use({name}). {ignored} :- support(max_depth(2)).")))
    assert made is not None and len(made.proofs) > 4
    assert max(drifts(made)) < TOLERANCE


@pytest.mark.slow
def test_random_programs_are_left_invariant(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = list(random_examples())
    assert len(examples) > 4
    assert max(max(drifts(made)) for made in examples) < TOLERANCE
    monkeypatch.setattr(proposals, "log_count_ratio", lambda new, old: 0.0)
    assert max(made.drift(CutUniformly()) for made in examples) > 1e-3


def test_tests_on_the_finished_tree() -> None:
    """`max_leaves`, `max_features` and `monotone` are asked of every tree proposed."""
    text = (
        ":- use(growtree). :- response(ill, [ordinal([no, yes])]). "
        ":- constraint(max_leaves(3)). :- constraint(monotone(age, up))."
    )
    program = slp.parse(text)
    model = program.compile(PATIENTS)
    geometry = Geometry(model.grammar, model.table)
    chains = PrologMetropolisHastings(program.ir, geometry)
    tests = tree_tests(model.grammar, program.ir.constraints, geometry)
    proofs = all_proofs(chains.process)
    made = Example(chains.target, proofs)
    assert len(tests) == 2 and 4 < len(made.proofs) < len(proofs)
    assert max(drifts(made)) < TOLERANCE


def test_likelihoods_are_those_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The core scores leaves; where it is missing, NumPy does."""
    columns = {"classes": TABLE["ill"], "numbers": TABLE["dose"] / 3.0}
    for column in columns.values():
        model = model_of(":- use(growtree).", TABLE.with_columns(ill=column))
        here, core = process_of(model), process_of(model)
        monkeypatch.setattr(here, "_leaves", None)
        for box in range(1, core.geometry.root + 1):
            assert math.isclose(core.log_marginal(box, 0), here.log_marginal(box, 0), rel_tol=1e-12)


# --- chains -------------------------------------------------------------------------------------


def test_a_seed_draws_the_same_again() -> None:
    first, again, other = (posterior(":- use(growtree).", TABLE, seed=i).draws for i in (5, 5, 6))
    assert [d.tree for d in first] == [d.tree for d in again] != [d.tree for d in other]


@pytest.mark.parametrize("name", ["growtree", "pinball"])
def test_long_runs_agree_with_enumeration(name: str) -> None:
    found = posterior(f":- use({name}).", draws=600, warmup=50, thin=10, proposal="q_uc,q_ind:0.2")
    everything = slp.parse(f":- use({name}).").posterior(PATIENTS, engine="enumerate")
    have = Counter(draw.tree for draw in found.draws)
    want = {tree: 600 * math.exp(everything.log_posterior(tree)) for tree in have}  # type: ignore[arg-type]
    often = [tree for tree in want if want[tree] >= 5]
    rest = 600 - sum(have[tree] for tree in often), 600 - sum(want[tree] for tree in often)
    cells = [(have[tree], want[tree]) for tree in often] + [rest] * (rest[1] > 1e-6)
    assert len(cells) > 3
    assert chisquare(*zip(*cells, strict=True)).pvalue > 1e-4


def test_the_posterior_is_like_that_of_mh() -> None:
    """Its kind, its numbers and their names; what is not known is None."""
    found, other = posterior(":- use(growtree)."), posterior(":- use(growtree).", engine="mh")
    assert found._result.kind == other._result.kind == "trees"
    assert (found.engine, found.reason) == (
        "prolog",
        "asked for; without moves from tree to tree: with this engine they run in Python, where "
        "they are slow",
    )
    assert found.draws[0].log_prior is not None and found.log_evidence is None
    assert found.derivations_are_trees and len(found.draws) == 8
    tree = found.draws[0].tree
    want = slp.parse(":- use(growtree).").posterior(PATIENTS, draws=0).log_prior(tree)
    assert found.log_prior(tree) == pytest.approx(want, rel=1e-12)
    assert found.prior().draws


def test_tempered_chains_and_checkpoints(tmp_path: Path) -> None:
    kept = {"checkpoint": tmp_path / "run.json", "rungs": 2}
    whole = posterior(":- use(growtree).", rungs=2, draws=24).draws
    posterior(":- use(growtree).", **kept)
    resumed = posterior(":- use(growtree).", draws=24, resume=True, **kept).draws
    assert [d.tree for d in resumed] == [d.tree for d in whole]
    with pytest.raises(SlpError, match=r"E51\d"):
        posterior(":- use(growtree, [alpha = 0.5]).", draws=24, resume=True, **kept)


def test_programs_without_a_tree_grammar() -> None:
    """A threshold in the state, so there are endlessly many: each is to lie near the one above."""
    text = """
    :- start(t(30)).
    0.6 :: t(U) --> split(F, V), { F = sex ; abs(V - U) < 25 }, near(F, V, U), near(F, V, U).
    0.4 :: t(_) --> leaf.
    1 :: near(sex, _, U) --> t(U).
    1 :: near(F, V, _) --> { F \\= sex }, t(V).
    """
    program = slp.parse(text)
    with pytest.raises(SlpError, match="E231"):
        program.posterior(PATIENTS)
    found = posterior(text, draws=100)
    assert len({d.tree for d in found.draws}) > 5
    assert not found.derivations_are_trees and found.draws[0].log_prior is None
    chains = filler_of(found).sampler
    have: defaultdict[str, float] = defaultdict(float)
    for proof in all_proofs(chains.process):
        have[tree_text(tree_key(chains.tree(proof).root))] += math.exp(proof.log_weight)
    asked = slp.parse(program.expand(PATIENTS)).query("prior(Tree)").answers
    want = {str(answer["Tree"]): answer.mass for answer in asked}
    assert len(want) > 10 and have == pytest.approx(want, rel=1e-11)


def tree_key(node: Leaf | Split) -> TreeKey:
    if not isinstance(node, Split):
        return "leaf"
    return node.feature, operand(node.test), tree_key(node.left), tree_key(node.right)


def test_guards_with_the_libraries_of_prolog() -> None:
    """Before a split and in a helper behind it, with leave; other engines say who can."""
    rules = (
        ":- start(t(0)).\n0.6 :: t(D) --> {{ {before} }}, split(F, V), {{ near(V) }}, t(E), t(E).\n"
    )
    rules += "0.4 :: t(_) --> leaf.\nnear(V) :- {behind}.\n"
    plain = rules.format(before="E is D + 1, E < 3", behind="abs(V - 30) < 20")
    text = rules.format(
        before="prolog(succ(D, E)), E < 3",
        behind="prolog(foldl([X, A, B]>>(B is A + X), [V, -30], 0, S)), abs(S) < 20",
    )
    table = PATIENTS.drop("sex")
    found = posterior(text, table, allow_code=True)
    assert_same(filler_of(found).sampler.process, process_of(model_of(plain, table)))
    want = "error[E263]: `prolog(...)` can do whatever SWI-Prolog can, and is refused\n"
    assert refused(text, table).startswith(f"{want} --> <text>:4:1\n")
    for engine in ("auto", "mh"):
        assert "E264]: `prolog(...)` needs SWI-Prolog\n" in refused(text, table, engine=engine)


# --- what is refused ----------------------------------------------------------------------------


def refused(text: str, table: pl.DataFrame = PATIENTS, **options: Any) -> str:
    with pytest.raises(SlpError) as caught:
        posterior(text, table, **options)
    return str(caught.value)


def test_constraints_at_the_split_are_refused() -> None:
    assert refused(":- use(growtree).\n:- constraint(once(age)).") == (
        "error[E163]: constraints, priors of boxes and `edittree` have no expansion on a table\n"
        " --> <text>:2:1\n"
        "1 | :- use(growtree).\n"
        "2 | :- constraint(once(age)).\n"
        "  | ^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  help: engines other than `prolog` run the whole program, as `slp-sample` does by itself"
    )


def test_q_exact_is_refused() -> None:
    assert refused(":- use(growtree).", proposal="q_exact") == (
        "error[E516]: q_exact sums over subtrees, which are drawn one by one in SWI-Prolog\n"
        "  help: take q_uc, q_ind or q_n(20), or another engine"
    )


def test_no_tree_to_start_from() -> None:
    assert "E517]: no tree to start from was found" in refused(
        ":- start(t). 1 :: t --> split(_, _), leaf, leaf. :- constraint(monotone(age, down)). "
        ":- response(ill, [ordinal([no, yes])]).",
        PATIENTS.drop("sex"),
    )


def test_an_endless_guard_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = ":- start(t(1)). 1 :: t(X) --> { count(X) }, leaf. count(X) :- X < 3000, Y is X + 1, "
    slow += "count(Y). count(3000)."
    monkeypatch.setattr(processes, "_limits", lambda geometry: Limits(100, 1000))
    assert "E214]: gave up after 100 inferences" in refused(slow)


@pytest.mark.parametrize("goal", GOALS)
def test_goals_that_break_out_are_refused(goal: str, tmp_path: Path) -> None:
    """Before a split, behind it, and in a helper; called as they are, or put together."""
    seen, file = tmp_path / "seen", tmp_path / "file.pl"
    file.write_text(f":- initialization(shell('touch {seen}')).\n")
    goal = goal.format(seen=seen, file=file)
    for guard in (goal, f"G = ({goal}), call(G)", "helped"):
        for body in (f"{{ {guard} }}, leaf", f"split(_, _), {{ {guard} }}, leaf, leaf"):
            with pytest.raises(SlpError):
                posterior(f":- start(t). 1 :: t --> {body}.\nhelped :- {goal}.\n")
    assert not seen.exists()


def test_without_janus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "_janus", bridge._janus.__wrapped__)
    monkeypatch.delitem(sys.modules, "janus_swi")
    monkeypatch.setattr(bridge, "find_spec", lambda name: None)
    want = "error[E260]: SWI-Prolog cannot be reached, as janus-swi is not installed\n"
    assert refused(":- use(growtree).") == f"{want}  help: {NO_JANUS.help}"


def test_a_split_that_fails_by_condition() -> None:
    """MUST fails where the younger side cannot be split: the other five derivations are left."""
    made = example(process_of(model_of(MUST)))
    assert made is not None and len(made.proofs) == 5
    np.testing.assert_allclose(sum(math.exp(p.log_weight) for p in made.proofs), 5 / 6)


def test_lists_of_the_program_are_its_own() -> None:
    """The expansion on a table does not take the program's member/2 and append/3 for its own."""
    text = (
        ":- use(growtree). :- support(max_depth(1)).\n"
        "member(none, none). append(none, none, none). memberchk(none, none).\n"
    )
    table = pl.DataFrame({"x": [1, 2, 3, 4], "y": ["a", "a", "b", "b"]})
    drawn = slp.parse(text).posterior(table, engine="prolog", draws=4, chains=1, warmup=2, seed=1)
    assert len(drawn.sample(2, seed=1)) == 2
