"""Programs lowered to tree grammars: small ones printed in full, cells and sizes."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
import pytest

from slp.ir.grammar_text import grammar_to_text
from slp.ir.schema import ANY_FEATURE, Schema
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE, LeafRule, SplitRule, cell_of
from slp.lower import program_to_tree_grammar, schema_of_program
from tests.lower.programs import GROWTREE, checked, numeric


def printed(text: str, schema: Schema) -> str:
    return grammar_to_text(program_to_tree_grammar(checked(text), schema)) + "\n"


# --- small grammars in full --------------------------------------------------------------------


def test_growtree_has_one_state_for_each_depth_up_to_the_horizon() -> None:
    grammar = program_to_tree_grammar(checked(GROWTREE), numeric("age", "bmi", most_leaves=3))
    assert grammar_to_text(grammar) + "\n" == dedent("""\
        0: tree(0)  (start)
            0.5 split by feature_then_cut
                age, bmi: 1, 1
            0.5 leaf
        1: tree(1)
            0.25 split by feature_then_cut
                age, bmi: 2, 2
            0.75 leaf
        2: tree(2)
            0.833333 leaf
        """)
    assert grammar.horizon == 2
    assert grammar.start == 0
    assert grammar.normalise and grammar.normalised
    assert grammar.features == ("age", "bmi")
    assert [b.tolist() for b in grammar.breakpoints] == [[], []]


def test_denison_is_one_state() -> None:
    grammar = program_to_tree_grammar(checked(":- use(denison)."), numeric("age", most_leaves=150))
    assert grammar_to_text(grammar) + "\n" == dedent("""\
        0: tree  (start)
            0.135335 split by each
                age: 0, 0
            1 leaf
        """)
    assert not grammar.normalise and not grammar.normalised


def test_constant_box_in_full() -> None:
    text = GROWTREE + "box(infant, age, 0, 24).\n:- constraint(constant(infant))."
    assert printed(text, numeric("age", "bmi", most_leaves=2)) == dedent("""\
        0: tree(0), contains infant  (start)
            0.5 split by feature_then_cut
                age at (-inf, 0]: 1, 2
                age at (0, 24): forbidden
                age at [24, inf): 2, 1
                bmi: forbidden
            0.5 leaf
        1: tree(1)
            0.75 leaf
        2: tree(1), contains infant
            0.75 leaf
        """)


def test_majority_tests_the_leaves_whose_region_meets_the_box() -> None:
    text = GROWTREE + "box(infant, age, 0, inf).\n:- constraint(majority(infant, well))."
    grammar = program_to_tree_grammar(checked(text), numeric("age", most_leaves=2))
    assert grammar_to_text(grammar) + "\n" == dedent("""\
        0: tree(0), meets infant  (start)
            0.5 split by feature_then_cut
                age at (-inf, 0]: 1, 2
                age at (0, inf): 2, 2
            0.5 leaf, if no class has more rows than well
        1: tree(1)
            0.75 leaf
        2: tree(1), meets infant
            0.75 leaf, if no class has more rows than well
        """)
    assert not grammar.normalised


def test_calls_do_not_use_up_the_horizon() -> None:
    text = """
        :- start(a).
        1 :: a --> b.
        1 :: b --> c.
        1/2 :: c --> split(F, V), a, leaf.
        1/2 :: c --> leaf.
    """
    assert printed(text, numeric("age", most_leaves=2)) == dedent("""\
        0: a  (start)
            1 go on as 1
        1: b
            1 go on as 2
        2: c
            0.5 split by feature_then_cut
                age: 0, 3
            0.5 leaf
        3: leaf
            1 leaf
        """)


def test_a_state_met_again_at_the_horizon_keeps_the_split_rules_of_its_first_level() -> None:
    text = ":- start(a).\n1/2 :: a --> split(F, V), a, b.\n1/2 :: a --> leaf.\n1 :: b --> leaf."
    grammar = program_to_tree_grammar(checked(text), numeric("age", most_leaves=2))
    assert [len(state.rules) for state in grammar.states] == [2, 1]


def test_a_state_called_again_at_the_horizon_keeps_its_split_rules() -> None:
    text = ":- start(a).\n1/2 :: a --> split(F, V), b, b.\n1/2 :: a --> leaf.\n1 :: b --> a."
    grammar = program_to_tree_grammar(checked(text), numeric("age", most_leaves=2))
    assert [len(state.rules) for state in grammar.states] == [2, 1]


def test_with_one_leaf_at_most_there_is_no_split_rule() -> None:
    assert printed(GROWTREE, numeric("age", most_leaves=1)) == "0: tree(0)  (start)\n    0.5 leaf\n"


# --- guards and arguments ----------------------------------------------------------------------


def test_guards_behind_the_split_cut_thresholds_and_choose_children() -> None:
    text = """
        :- start(tree).
        1/2 :: tree --> split(F, V), { F = age, part(V, S) }, side(S), leaf.
        1/2 :: tree --> leaf.
        1 :: side(_) --> leaf.
        part(V, young) :- V =< 18.
        part(V, old) :- V > 65.
    """
    assert printed(text, numeric("age", "bmi", most_leaves=2)) == dedent("""\
        0: tree  (start)
            0.5 split by feature_then_cut
                age at (-inf, 18]: 1, 2
                age at (18, 65]: forbidden
                age at (65, inf): 3, 2
                bmi: forbidden
            0.5 leaf
        1: side(young)
            1 leaf
        2: leaf
            1 leaf
        3: side(old)
            1 leaf
        """)


def test_a_feature_bound_by_the_head_leaves_the_others_outside() -> None:
    text = """
        :- start(on(age)).
        1 :: on(F) --> split(F, V), leaf, leaf.
        0 :: on(F) --> leaf.
    """
    grammar = program_to_tree_grammar(checked(text), numeric("bmi", "age", most_leaves=4))
    (rule,) = grammar.states[0].rules
    assert isinstance(rule, SplitRule)
    bmi, age = rule.transitions
    assert bmi.tolist() == [[OUTSIDE, OUTSIDE]]
    assert age.tolist() == [[1, 1]]
    assert bmi.dtype == age.dtype == np.int32


def test_outside_wins_over_forbidden() -> None:
    text = """
        :- constraint(forbid(bmi)).
        :- start(t).
        1/2 :: t --> split(age, V), { V > 3 }, leaf, leaf.
        1/2 :: t --> split(F, V), leaf, leaf.
    """
    grammar = program_to_tree_grammar(checked(text), numeric("age", "bmi", most_leaves=4))
    first, second = grammar.states[0].rules
    assert isinstance(first, SplitRule) and isinstance(second, SplitRule)
    assert first.transitions[1].tolist() == [[OUTSIDE, OUTSIDE]]
    assert first.transitions[0].tolist() == [[FORBIDDEN] * 2, [FORBIDDEN] * 2, [1, 1]]
    assert second.transitions[1].tolist() == [[FORBIDDEN, FORBIDDEN]]
    assert second.transitions[0].tolist() == [[1, 1]] * 3  # cut where the first rule is


def test_two_proofs_of_a_guard_are_two_rules() -> None:
    text = """
        :- start(t).
        :- weights.
        1 :: t --> { likes(F) }, split(F, V), leaf, leaf.
        1 :: t --> leaf.
        likes(age). likes(bmi). likes(age).
    """
    grammar = program_to_tree_grammar(checked(text), numeric("age", "bmi"))
    proposed = [
        tuple(t[0, 0] != OUTSIDE for t in rule.transitions)
        for rule in grammar.states[0].rules
        if isinstance(rule, SplitRule)
    ]
    assert proposed == [(True, False), (False, True), (True, False)]


def test_most_leaves_is_known_to_guards() -> None:
    text = """
        :- start(t(1)).
        :- weights.
        1 :: t(K) --> { K < most_leaves }, t(K+1).
        1 :: t(_) --> leaf.
    """
    assert len(program_to_tree_grammar(checked(text), numeric("age", most_leaves=7)).states) == 7


def test_levels_of_a_categorical_feature_each_have_a_cell() -> None:
    text = """
        :- start(t).
        1/2 :: t --> split(F, V), { F = colour, V = red }, leaf, t.
        1/2 :: t --> leaf.
    """
    schema = Schema(("colour", "age"), (("blue", "red"), None), 3)
    grammar = program_to_tree_grammar(checked(text), schema)
    rule = grammar.states[0].rules[0]
    assert isinstance(rule, SplitRule)
    assert rule.transitions[0].tolist() == [[FORBIDDEN, FORBIDDEN], [1, 0]]
    assert grammar_to_text(grammar).splitlines()[1:5] == [
        "    0.5 split by feature_then_cut",
        "        colour = blue: forbidden",
        "        colour = red: 1, 0",
        "        age: forbidden",
    ]


def test_a_constraint_that_looks_at_no_level_holds_for_all_of_them() -> None:
    schema = Schema(("colour",), (("blue", "green", "red"),), 3)
    text = GROWTREE + ":- constraint(once(colour))."
    grammar = program_to_tree_grammar(checked(text), schema)
    first = grammar.states[0].rules[0]
    assert isinstance(first, SplitRule)
    assert first.transitions[0].tolist() == [[1, 1]] * 3
    assert [type(r) for r in grammar.states[1].rules] == [LeafRule]  # nothing left to split on


# --- cells -------------------------------------------------------------------------------------


def test_every_table_is_cut_at_the_union_of_all_breakpoints() -> None:
    text = """
        box(a, age, 10, 20).
        box(b, age, 20, 30).
        :- use(growtree, [alpha = 0.5, beta = 1]).
        :- constraint(constant(a)).
        :- constraint(forbid(bmi, within(b))).
    """
    grammar = program_to_tree_grammar(checked(text), numeric("age", "bmi", most_leaves=4))
    assert [b.tolist() for b in grammar.breakpoints] == [[10.0, 20.0, 30.0], []]
    for _, rule in grammar.rules():
        if isinstance(rule, SplitRule):
            assert [t.shape for t in rule.transitions] == [(7, 2), (1, 2)]


def test_guards_of_different_states_and_boxes_are_cut_together() -> None:
    text = """
        :- start(t(1)).
        box(b, age, 20, 40).
        :- constraint(constant(b)).
        1/2 :: t(K) --> split(F, V), { K < 3, V >= 10*K }, t(K+1), t(K+1).
        1/2 :: t(_) --> leaf.
    """
    grammar = program_to_tree_grammar(checked(text), numeric("age", most_leaves=9))
    assert [b.tolist() for b in grammar.breakpoints] == [[10.0, 20.0, 40.0]]
    by_name = {state.name: state for state in grammar.states}

    def allowed(name: str) -> list[bool]:
        rule = by_name[name].rules[0]
        assert isinstance(rule, SplitRule)
        return [left != FORBIDDEN for left in rule.transitions[0][:, 0].tolist()]

    # cells: below 10, 10, (10, 20), 20, (20, 40), 40, above
    assert allowed("t(1), contains b") == [False, True, True, True, False, True, True]
    assert allowed("t(2), contains b") == [False, False, False, True, False, True, True]
    assert allowed("t(2)") == [False, False, False, True, True, True, True]


@pytest.mark.parametrize(
    ("threshold", "cell"), [(-1.0, 0), (10.0, 1), (15.0, 2), (20.0, 3), (30.0, 5), (31.0, 6)]
)
def test_cells_are_numbered_as_tree_grammar_says(threshold: float, cell: int) -> None:
    text = "box(a, age, 10, 20).\n" + GROWTREE + ":- constraint(constant(a)).\n"
    text += "box(b, age, 20, 30).\n:- constraint(forbid(age, within(b)))."
    grammar = program_to_tree_grammar(checked(text), numeric("age", most_leaves=2))
    assert cell_of(grammar.breakpoints[0], threshold) == cell
    rule = grammar.states[0].rules[0]
    assert isinstance(rule, SplitRule)
    assert (rule.transitions[0][cell, 0] == FORBIDDEN) == (10 < threshold < 20)


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


# --- a made-up schema --------------------------------------------------------------------------


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
    assert grammar.features == (ANY_FEATURE, "age")
    rule = grammar.states[0].rules[0]
    assert isinstance(rule, SplitRule)
    assert [t.tolist() for t in rule.transitions] == [[[OUTSIDE, OUTSIDE]], [[1, 1]]]
