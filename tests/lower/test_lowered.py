"""The parts of a program that its grammar contains, the size of the grammar, and the schema without
a table."""

from __future__ import annotations

import pytest

from slp.ir.grammar_text import grammar_to_text
from slp.ir.schema import ANY_FEATURE
from slp.ir.tree_grammar import OUTSIDE, SplitRule
from slp.lower import program_to_tree_grammar, schema_of_program
from tests.lower.programs import GROWTREE, checked, numeric, printed

# --- what is carried over ----------------------------------------------------------------------


def test_declarations_go_into_the_grammar() -> None:
    text = (
        GROWTREE
        + """
        :- feature_weight(bmi, 3).
        :- support(min_leaf(5)).
        :- support(max_depth(1)).
        :- failure(condition).
        :- constraint(max_leaves(3)).
    """
    )
    grammar = program_to_tree_grammar(checked(text), numeric("age", "bmi", most_leaves=9))
    assert grammar.feature_weights.tolist() == [1.0, 3.0]
    assert grammar.min_leaf == 5
    assert grammar.failure == "condition"
    assert grammar.max_leaves == 3
    assert not grammar.normalised
    assert [len(state.rules) for state in grammar.states] == [2, 1]  # no split below depth 1


NORMALISED = [
    ("", True),
    (":- constraint(once(age)).", True),
    (":- failure(condition).", True),
    (":- failure(condition).\n:- constraint(once(age)).", False),
    (":- constraint(max_leaves(2)).", False),
    (":- support(min_leaf(2)).", True),
    (":- support(max_depth(2)).", True),
]


@pytest.mark.parametrize(("more", "want"), NORMALISED)
def test_normalised_is_claimed_only_where_no_derivation_can_fail(more: str, want: bool) -> None:
    program = checked(GROWTREE + more)
    assert program_to_tree_grammar(program, numeric("age", "bmi")).normalised is want


@pytest.mark.parametrize(
    ("prior", "want"),
    [
        ("growtree", True),
        ("growtree_all", True),
        ("growtree_gap", True),
        ("gmt", False),
        ("denison", False),
        ("bcart_pcfg", False),
        ("pinball", False),
    ],
)
def test_which_library_priors_sum_to_one(prior: str, want: bool) -> None:
    program = checked(f":- use({prior}).")
    assert program_to_tree_grammar(program, numeric("age", most_leaves=5)).normalised is want


def test_a_state_that_must_split_may_fail() -> None:
    text = ":- start(t).\n1 :: t --> split(F, V), s, s.\n1 :: s --> leaf."
    assert not program_to_tree_grammar(checked(text), numeric("age")).normalised


def test_rules_of_weight_zero_are_left_out() -> None:
    program = checked(":- use(growtree, [alpha = 1, beta = 1]).")
    grammar = program_to_tree_grammar(program, numeric("age", most_leaves=4))
    assert [type(r) for r in grammar.states[0].rules] == [SplitRule]
    assert [r.log_weight for r in grammar.states[0].rules] == [0.0]


def test_rules_keep_their_place_in_the_program() -> None:
    program = checked(":- start(t).\n1 :: t --> leaf.")
    span = program_to_tree_grammar(program, numeric("age")).states[0].rules[0].span
    assert span is not None and span.text.startswith("1 :: t --> leaf")


# --- sizes -------------------------------------------------------------------------------------


def test_states_of_pinball_are_those_that_the_table_can_owe() -> None:
    """count(0..n-1), owe(1..n), share(K, J) for 1 <= J < K <= n: n + n + n(n-1)/2."""
    n = 20
    grammar = program_to_tree_grammar(checked(":- use(pinball)."), numeric("age", most_leaves=n))
    assert len(grammar.states) == n + n + n * (n - 1) // 2


def test_states_of_constraints_multiply_only_where_they_can_be_reached() -> None:
    text = GROWTREE + ":- constraint(once(a)).\n:- constraint(once(b))."
    grammar = program_to_tree_grammar(checked(text), numeric("a", "b", "c", most_leaves=4))
    assert len(grammar.states) == 1 + 3 + 4 + 4  # sets of used features by depth


def test_constraints_on_absent_features_cost_nothing() -> None:
    text = GROWTREE + ":- constraint(once(x)).\n:- constraint(exclusive([age, x]))."
    with_them = program_to_tree_grammar(checked(text), numeric("age", "bmi"))
    without = program_to_tree_grammar(checked(GROWTREE), numeric("age", "bmi"))
    assert grammar_to_text(with_them) == grammar_to_text(without)


def test_no_feature_at_all() -> None:
    assert printed(GROWTREE, numeric(most_leaves=5)) == "0: tree(0)  (start)\n    0.5 leaf\n"


def test_a_program_that_names_every_feature() -> None:
    """Nothing is expanded for "any other feature" where there is none."""
    text = GROWTREE + "box(b, age, 0, 1).\n:- constraint(forbid(age, within(b)))."
    grammar = program_to_tree_grammar(checked(text), numeric("age", most_leaves=3))
    assert sorted(s.name for s in grammar.states if "tree(1)" in s.name) == [
        "tree(1)",
        "tree(1), age < 1",
        "tree(1), age >= 0",
        "tree(1), off b",
    ]


# --- a schema without a table ------------------------------------------------------------------


def test_the_schema_of_a_program_has_its_features_and_one_for_all_others() -> None:
    text = (
        GROWTREE
        + """
        box(infant, age, 0, 24).
        :- feature(colour, [categorical]).
        :- ignore(id).
        :- feature_weight(bmi, 2).
        :- constraint(constant(infant)).
        :- constraint(interaction([[age, sex, height, weight], [bmi]])).
        :- constraint(forbid(weight, within(infant))).
        :- constraint(before(height, weight)).
    """
    )
    schema = schema_of_program(checked(text))
    named = ("colour", "bmi", "age", "sex", "height", "weight")
    assert schema.features == (*named, ANY_FEATURE)
    assert schema.levels == ((ANY_FEATURE,), *[None] * 6)
    assert schema.most_leaves == 8
    assert not schema.from_table


def test_features_that_guards_bind_are_found_without_a_table() -> None:
    text = """
        :- start(t).
        1/2 :: t --> { first(F) }, split(F, V), leaf, leaf.
        1/2 :: t --> leaf.
        first(age).
    """
    program = checked(text)
    grammar = program_to_tree_grammar(program, schema_of_program(program))
    assert grammar.features == ("age", ANY_FEATURE)
    rule = grammar.states[0].rules[0]
    assert isinstance(rule, SplitRule)
    assert [t.tolist() for t in rule.transitions] == [[[1, 1]], [[OUTSIDE, OUTSIDE]]]
