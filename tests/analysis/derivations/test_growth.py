"""The checker's time is proportional to the size of a program: paths of states, terms with shared
parts."""

from __future__ import annotations

import pytest

import slp
from slp.analysis.derivations.existence import _ending
from slp.analysis.derivations.states import StateSpace, explore
from slp.analysis.findings import Findings
from slp.errors import SlpError
from slp.ir.program import CallBody, LeafBody, TreeRule
from slp.resolution import Database, RuleInstance, StateRules
from slp.resolution.machine.store import Store
from slp.source import SourceFile, SourceSpan
from slp.terms import Atom, Number, Struct, Term
from tests.growth import assert_linear


def state(i: int) -> Term:
    return Struct("t", (Number(i),))


def path(n: int) -> StateSpace:
    """n states, each of which goes on as the next; the last ends."""
    rule = TreeRule(Number(1), Atom("t"), (), LeafBody(), SourceSpan(SourceFile("", ""), 0, 0))
    space = StateSpace()
    for i in range(n):
        body = CallBody(state(i + 1)) if i + 1 < n else LeafBody()
        space.instances[state(i)] = [RuleInstance(rule, 1.0, body)]
    return space


@pytest.mark.slow
def test_which_states_end_is_found_in_linear_time() -> None:
    database = Database((), {})
    assert _ending(path(50), database) == set(map(state, range(50)))
    assert_linear(lambda n: _ending(path(n), database), 500)


@pytest.mark.slow
def test_a_path_of_nonterminals_is_checked_in_linear_time() -> None:
    def check(n: int) -> None:
        rules = [
            f"0.5 :: t{i} --> leaf.\n0.5 :: t{i} --> split(F, V), t{i + 1}, t{i + 1}.\n"
            for i in range(n)
        ]
        slp.parse(":- start(t0).\n" + "".join(rules) + f"1 :: t{n} --> leaf.")

    assert_linear(check, 60)


@pytest.mark.slow
def test_states_written_out_by_their_numbers_are_checked_in_linear_time() -> None:
    def check(n: int) -> None:
        rules = [
            f"0.5 :: t({i}) --> leaf.\n0.5 :: t({i}) --> split(F, V), t({i + 1}), t({i + 1}).\n"
            for i in range(n)
        ]
        slp.parse(":- start(t(0)).\n" + "".join(rules) + f"1 :: t({n}) --> leaf.")

    assert_linear(check, 60)


@pytest.mark.parametrize("use", ["leaf", "t(X60)"])
def test_a_guard_that_builds_a_term_of_two_to_the_sixty_parts_is_refused(
    use: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    goals = ", ".join(f"X{i + 1} = f(X{i}, X{i})" for i in range(60))
    looked_at = []
    deref = Store.deref
    monkeypatch.setattr(Store, "deref", lambda s, t: (looked_at.append(1), deref(s, t))[1])
    with pytest.raises(SlpError, match="E216"):
        slp.parse(f":- start(t(0)).\n1 :: t(X) --> {{ X0 = X, {goals} }}, {use}.")
    assert len(looked_at) < 200_000, "and not 2^23, where a term becomes too large"


@pytest.mark.slow
@pytest.mark.parametrize("test", ["", ", { V > A }"])
def test_guards_with_many_answers_end_the_exploration(test: str) -> None:
    """A state has 301 instances of a rule: these count, as inferences do, and so do the queries at
    thresholds of those whose children depend on the split."""
    program = slp.parse(
        """:- start(tree(0, 0)). 1/2 :: tree(_, _) --> leaf.
        1/602 :: tree(A, B) --> { between(0, 300, K) }, split(F, V)TEST, tree(A, K), tree(K, B).
        """.replace("TEST", test)
    )
    space = explore(program.ir, StateRules(program.ir), Findings())
    assert not space.complete
    assert 1_000 < 302 * len(space.instances) < 60_000
