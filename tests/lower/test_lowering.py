"""Programs lowered to tree grammars: small ones printed in full, guards, cells."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
import pytest

from slp.ir.grammar_text import grammar_to_text
from slp.ir.schema import Schema
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE, LeafRule, SplitRule, cell_of
from slp.lower import program_to_tree_grammar
from tests.lower.programs import GROWTREE, checked, numeric, printed

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
