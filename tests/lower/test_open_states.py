"""Open states, made on demand, equal those of a listing."""

from __future__ import annotations

import numpy as np
import pytest

from slp.errors import SlpError, UnsupportedError
from slp.ir.grammar_text import grammar_to_text
from slp.ir.schema import Schema
from slp.ir.tree_grammar import CallRule, LeafRule, OpenStates, SplitRule, TreeGrammar
from slp.lower import expansion, lowering, program_to_tree_grammar
from slp.lower.endings import calls_end
from slp.lower.least_leaves import LeastLeaves
from slp.resources import prior_names
from slp.syntax import parse_term
from tests.lower.programs import checked, numeric

_BOX = "box(b, age, 20, 40). :- constraint(constant(b)). :- constraint(once(bmi))."


@pytest.fixture
def few_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves open all but five states."""
    monkeypatch.setattr(lowering, "FIRST_STATES", 5)


def opened(text: str, schema: Schema) -> tuple[TreeGrammar, OpenStates]:
    """A grammar with open states, and these."""
    grammar = program_to_tree_grammar(checked(text), schema)
    assert isinstance(grammar.states, OpenStates)
    return grammar, grammar.states


def assert_same_rules(a: TreeGrammar, s: int, b: TreeGrammar, t: int) -> dict[int, int]:
    """Two states have equal rules, by names of states; returns what state of `b` each of `a` is."""
    one, other = a.states[s], b.states[t]
    assert one.name == other.name and len(one.rules) == len(other.rules)
    same: dict[int, int] = {}
    for x, y in zip(one.rules, other.rules, strict=True):
        assert type(x) is type(y) and x.log_weight == y.log_weight
        if isinstance(x, LeafRule) and isinstance(y, LeafRule):
            assert x == y
        elif isinstance(x, CallRule) and isinstance(y, CallRule):
            same[x.state] = y.state
        elif isinstance(x, SplitRule) and isinstance(y, SplitRule):
            assert x.measure == y.measure
            for f, g in zip(x.transitions, y.transitions, strict=True):
                assert f.shape == g.shape and ((f < 0) == (g < 0)).all()
                assert (f[f < 0] == g[g < 0]).all()
                same.update(zip(f[f >= 0].tolist(), g[g >= 0].tolist(), strict=True))
    return same


@pytest.mark.slow
@pytest.mark.parametrize("prior", prior_names())
def test_every_prior_of_the_library_starts_on_a_million_rows(prior: str) -> None:
    schema = numeric("age", "bmi", most_leaves=1_000_000)
    grammar = program_to_tree_grammar(checked(f":- use({prior})."), schema)
    assert len(grammar.first_states()) <= expansion.FIRST_STATES
    assert isinstance(grammar.states, OpenStates) == (prior not in ("denison", "bcart_pcfg"))
    assert grammar.normalised == prior.startswith(("growtree", "default"))


@pytest.mark.parametrize(
    "text",
    [
        f":- use(growtree). {_BOX}",
        ":- use(pinball).",
        f":- use(pinball). {_BOX} :- support(max_depth(3)).",
        f":- use(growtree). {_BOX} :- failure(condition).",
        ":- start(t(0, a)). 1/(2+D) :: t(D, X) --> split(F, V), {F == age, V < 50}, t(D+1, b), "
        "t(D+1, X). 1 :: t(D, X) --> leaf. :- weights.",
    ],
)
def test_open_states_are_those_of_the_listing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = numeric("age", "bmi", most_leaves=12)
    closed = program_to_tree_grammar(checked(text), schema)
    monkeypatch.setattr(lowering, "FIRST_STATES", 5)
    grammar, states = opened(text, schema)
    assert grammar.normalised == closed.normalised
    for a, b in zip(grammar.breakpoints, closed.breakpoints, strict=True):
        assert np.array_equal(a, b)
    # From the last state found back to the first, so that numbers are not those of a listing.
    same, waiting = {0: 0}, [0]
    while waiting:
        s = waiting.pop()
        if closed.states[same[s]].level == closed.horizon:
            continue  # a listing leaves out its split rules
        for found, it_is in assert_same_rules(grammar, s, closed, same[s]).items():
            if found not in same:
                same[found] = it_is
                waiting.append(found)
            assert same[found] == it_is
    assert len(same) == len(closed.all_states())
    assert grammar_to_text(grammar.listed()) == grammar_to_text(closed)
    assert states.listed() is states.listed()


def test_splits_above_the_horizon_are_counted_by_cuts_too() -> None:
    schema = Schema(("age",), (None,), 1_000_000, most_cuts=6)
    grammar = program_to_tree_grammar(checked(":- use(growtree)."), schema)
    assert (len(grammar.all_states()), grammar.horizon) == (7, 6)


ENDING = [
    ("up(K) --> { K < 10 }, up(K+1)", True),
    ("up(K) --> { 10 >= 2*K }, up(1+K)", True),
    ("up(K) --> { M is K+1, M < 10 }, up(M)", True),
    ("up(K) --> { K > 0 }, up(K-1)", True),
    ("up(K, N) --> { K < N - 1 }, up(K+2, N)", True),
    ("up(K) --> up(K+1)", False),
    ("up(K) --> { K > 10 }, up(K+1)", False),
    ("up(K) --> { K < inf }, up(K+1)", False),
    ("up(K) --> { K < 10 }, up(K-1)", False),
    ("up(K) --> { K < 10 }, up(K)", False),
    ("up(K) --> { K < 10 }, up(K+0)", False),
    ("up(K) --> { K < 10 }, up(2*K)", False),
    ("up(K, N) --> { K < N }, up(K+1, N+1)", False),
    ("up(K) --> { K < 10 }, down(K+1). 1 :: down(K) --> up(K)", False),
    ("up(K) --> { K < 10 }, up(K+1). 1 :: up(K) --> { K > 0 }, up(K-1)", False),
]


@pytest.mark.parametrize(("rules", "ends"), ENDING)
def test_whether_calls_end_is_decided_from_guards(rules: str, ends: bool) -> None:
    program = checked(f":- start(leaf0). 1 :: leaf0 --> leaf. 1/2 :: {rules}.")
    assert calls_end(program, {"most_leaves": 10}) == ends


LEAST = [
    (":- use(pinball).", ["count(4)", "owe(3)", "share(5, 2)"], [5, 3, 5]),
    (":- use(growtree).", ["tree(7)"], [1]),
    (
        ":- start(t(3)). 1/2 :: t(K) --> split(F, V), t(K-1), t(K-1). 1/2 :: t(K) --> leaf.",
        ["t(3)"],
        [1],
    ),
    (
        ":- start(t(3)). 1 :: t(1) --> leaf. "
        "1 :: t(K) --> {K > 1, M is K-1}, split(F, V), t(1), t(M).",
        ["t(3)", "t(9)"],
        [3, 9],
    ),
]


@pytest.mark.parametrize(("text", "goals", "least"), LEAST)
def test_leaves_are_bounded_from_below(text: str, goals: list[str], least: list[int]) -> None:
    program = checked(text + " :- weights." if "use" not in text else text)
    bounds = LeastLeaves(program, {**program.parameters, "most_leaves": 99})
    assert [bounds.of(parse_term(goal)) for goal in goals] == least


def test_states_whose_thresholds_differ_are_listed(few_at_first: None) -> None:
    text = ":- start(t(0)). 1/2 :: t(D) --> leaf. "
    text += "1/2 :: t(D) --> split(F, V), {V < D}, t(D+1), t(D+1)."
    grammar = program_to_tree_grammar(checked(text), numeric("age", most_leaves=9))
    assert len(grammar.all_states()) == 9


def test_a_budget_of_states_is_spent(few_at_first: None, monkeypatch: pytest.MonkeyPatch) -> None:
    grammar, states = opened(":- use(growtree).", numeric("age", most_leaves=1000))
    monkeypatch.setattr(expansion, "MOST_STATES", 10)
    assert [states[s].name for s in range(5, 15)] == [f"tree({s})" for s in range(5, 15)]
    with pytest.raises(UnsupportedError) as caught:
        states[15]
    (found,) = caught.value.diagnostics
    assert found.code == "E304"
    assert "the first argument of `tree/1` grows (16 values so far)" in found.message
    with pytest.raises(UnsupportedError) as caught:
        grammar.listed()
    (found,) = caught.value.diagnostics
    assert found.code == "E304"
    assert "more than 10 states are reached; the first argument of `tree/1`" in found.message


MANY_ANSWERS = """:- start(tree(0, 0)). 1/2 :: tree(_, _) --> leaf.
1/602 :: tree(A, B) --> { between(0, 300, K) }, split(F, V), tree(A, K), tree(K, B)."""


@pytest.mark.slow
def test_guards_with_many_answers_leave_states_open() -> None:
    """Each of the 90,601 states has 302 rules: these count when states are listed, too."""
    grammar, _ = opened(MANY_ANSWERS, numeric("age", most_leaves=80))
    listed = len(grammar.first_states())
    assert (listed - 1) * 302 < expansion.FIRST_RULES <= listed * 302


@pytest.mark.slow
def test_a_budget_of_rules_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "FIRST_RULES", 1000)
    monkeypatch.setattr(expansion, "MOST_RULES", 2000)
    grammar, states = opened(MANY_ANSWERS, numeric("age", most_leaves=80))
    for ask in (lambda: [states[s] for s in range(9)], grammar.listed):
        with pytest.raises(UnsupportedError) as caught:
            ask()
        (found,) = caught.value.diagnostics
        assert found.code == "E304"
        assert "more than 2,000 rules are reached" in found.message
        assert "the first argument of `tree/2` grows (301 values so far)" in found.message
        assert found.span is not None and found.span.text.startswith("1/602 :: tree(A, B)")


def test_a_fault_of_a_later_state_comes_when_it_is_reached(few_at_first: None) -> None:
    text = ":- start(t(0)). :- weights. 1/2 - D/800 :: t(D) --> leaf. "
    text += "1/2 :: t(D) --> split(F, V), t(D+1), t(D+1)."
    _, states = opened(text, numeric("age", most_leaves=1000))
    for s in range(401):
        states[s]
    with pytest.raises(SlpError, match="E220"):
        states[401]


def test_later_states_are_held_to_what_was_promised(few_at_first: None) -> None:
    """From depth 400 on no leaf is left, and a derivation fails where nothing can be split."""
    text = ":- start(t(0)). max(0, min(1/2, 200 - D/2)) :: t(D) --> leaf. "
    text += "1 - max(0, min(1/2, 200 - D/2)) :: t(D) --> split(F, V), t(D+1), t(D+1)."
    grammar, states = opened(text, numeric("age", most_leaves=1000))
    assert grammar.normalised
    assert [len(states[s].rules) for s in range(400)] == [2] * 400
    with pytest.raises(UnsupportedError, match="E304"):
        states[400]


@pytest.mark.parametrize(
    ("kept", "features", "codes"),
    [
        ("V = [F|U]", "abc", ["W304"]),
        ("V = [F|U]", "a", []),  # their lengths differ
        ("sort([F|U], V)", "abc", []),
    ],
)
def test_lists_that_differ_in_order(
    kept: str, features: str, codes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lowering, "FIRST_STATES", 200)
    rule = f"1/2 :: t(U) --> split(F, _), {{ {kept} }}, t(V), t(V)."
    program = checked(f":- start(t([])). {rule} 1/2 :: t(_) --> leaf.")
    states = program_to_tree_grammar(program, numeric(*features, most_leaves=400)).states
    assert [d.code for d in getattr(states, "findings", [])] == codes


def test_the_listing_of_states_tells_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "TOLD_EACH", 1)
    told: list[tuple[int, str]] = []
    program_to_tree_grammar(
        checked(":- use(growtree)."),
        numeric("a", most_leaves=250),
        progress=lambda n, phase: told.append((n, phase)),
    )
    assert told == [(n, "listing states") for n in range(1, 251)]
