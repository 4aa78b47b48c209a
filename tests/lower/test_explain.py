"""The text of `slp explain`, and of grammars."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import pytest

import slp
from slp.constraints import Monotone, Predicate
from slp.errors import ProgramError
from slp.ir.grammar_text import grammar_to_text
from slp.ir.words import describe_constraint
from slp.lower import explain_program, program_to_tree_grammar
from slp.syntax import parse_term
from tests.lower.programs import GROWTREE, checked, numeric

BOXES = """
box(infant, age, 0, 24).
:- constraint(constant(infant)).
:- constraint(majority(infant, well)).
:- constraint(max_leaves(3)).
"""


def test_an_explanation_in_full() -> None:
    program = checked(GROWTREE + BOXES)
    have = explain_program(program, numeric("age", most_leaves=2))
    meaning, constraints, *rest = have.split("\n\n")
    assert meaning.startswith("Meaning\n  A tree starts as tree(0).\n")
    words = [describe_constraint(c) for c in program.constraints]
    assert " ".join(constraints.split()) == (
        f"Constraints {words[0]} (decided at the split) {words[1]} (decided at the leaf) "
        f"{words[2]} (decided at the tree, exact by counting leaves in the weights) "
        "What is forbidden is taken out before anything is drawn."
    )
    assert max(map(len, constraints.splitlines())) < 100
    assert "\n\n".join(rest) + "\n" == dedent("""\
        Exact inference is possible
          The states are finite, and everything is decided at a split or a leaf.
          Leaves are counted in the weights, up to 3.
          Weights of trees need not sum to 1; the prior is normalised over whole trees.
          Whether it fits in memory depends on the number of boxes (sets of rows) of the table.

        States and rules on this table, for trees of up to 2 leaves: 3 states, 4 rules
          After a colon are the states left and right of a split, by feature and threshold.
          0: tree(0), contains infant, meets infant  (start)
              0.5 split by feature_then_cut
                  age at (-inf, 0]: 1, 2
                  age at (0, 24): forbidden
                  age at [24, inf): 2, 1
              0.5 leaf, if no class has more rows than well
          1: tree(1)
              0.75 leaf
          2: tree(1), contains infant, meets infant
              0.75 leaf, if no class has more rows than well
        """)


def test_without_a_table_one_name_stands_for_all_other_features() -> None:
    have = explain_program(checked(GROWTREE), None)
    assert (
        "States and rules without a table, for trees of up to 8 leaves: 8 states, 15 rules" in have
    )
    assert "`*` stands for every feature that the program does not name." in have
    assert "        *: 1, 1\n" in have
    assert "No derivation can fail: the weights of all trees sum to 1." in have


def test_long_grammars_are_abbreviated_and_say_so() -> None:
    have = explain_program(checked(GROWTREE), numeric("age", most_leaves=50))
    assert "11: tree(11)" in have
    assert "12: tree(12)" not in have
    assert have.endswith("\n  ... and 38 more states")


def test_why_exact_is_not_possible() -> None:
    program = checked(GROWTREE + BOXES)
    span = program.constraints[0].span
    program = replace(program, constraints=(Monotone("age", "up", span),))
    have = explain_program(program, None)
    title, reason = have.split("\n\n")[-2].split("\n", 1)
    assert title == "Exact inference is not possible"
    assert " ".join(reason.split()) == (
        "test.slp:4:1: `monotone(age, up)` is decided at the finished tree, and trees cannot be "
        "summed exactly under it. `auto` takes the engine `mh`: Metropolis-Hastings over proof "
        "trees draws trees from the states and rules below, and keeps those that hold. Without "
        "what is named here it would be exact."
    )
    assert "(decided at the tree)" in have
    assert "States and rules" in have


def test_predicates_run_code() -> None:
    program = checked(GROWTREE)
    tests = (
        Predicate("python", parse_term("ok"), local=True),
        Predicate("python", parse_term("fine"), function=len),
    )
    have = explain_program(replace(program, constraints=tests), None)
    assert (
        "Constraints\n"
        "  The Python predicate ok holds of every node. (decided by code at each node, if code is "
        "allowed)\n"
        "  The Python predicate fine holds of the finished tree. (decided by code at the tree)\n"
    ) in have
    title, reason = have.split("\n\n")[-2].split("\n", 1)
    assert title == "Exact inference is not possible"
    assert " ".join(reason.split()).startswith(
        "the Python predicate ok is decided by code at each node, and trees cannot be summed "
        "exactly under it. the Python predicate fine is decided by code at the finished tree, and "
        "trees cannot be summed exactly under it. `auto` takes the engine `mh`: "
    )


def test_conditioning_is_said() -> None:
    program = checked(GROWTREE + BOXES + ":- failure(condition).")
    assert (
        "  What is forbidden keeps its probability and fails; the rest is renormalised as a "
        "whole.\n" in explain_program(program, None)
    )


def test_faults_of_the_program_are_raised_not_explained() -> None:
    program = replace(checked(GROWTREE), start=parse_term("tree(X)"))
    with pytest.raises(ProgramError):
        explain_program(program, None)


def test_a_state_without_rules_is_pointed_out() -> None:
    program = checked(":- start(t).\n1/2 :: t --> split(F, V), s, s.\n1/2 :: t --> leaf.\n"
                      "1 :: s --> split(F, V), t, t.")  # fmt: skip
    grammar = program_to_tree_grammar(program, numeric("age", most_leaves=2))
    assert grammar_to_text(grammar).endswith("1: s\n    no rule: every derivation fails here")


def test_goals_of_any_kind_have_a_name() -> None:
    text = ":- start(t).\n1 :: t --> leaf.\n1 :: s(_, _, _) --> leaf."
    program = replace(checked(text), start=parse_term("s([a, 1, f(b)], \"text\", 'A b')"))
    grammar = program_to_tree_grammar(program, numeric("age"))
    assert [s.name for s in grammar.states] == ["s([a, 1, f(b)], text, A b)"]


def test_a_program_of_clauses_tells_its_predicates() -> None:
    text = """
    0.3 :: coin(h). 0.7 :: coin(t).
    0.5 :: step(a, b). 0.5 :: step(a, c). 1 :: step(b, a).
    flip(X) :- coin(X).
    """
    assert slp.parse(text).explain() == (
        "Predicates\n"
        "  coin/1: 2 clauses, stochastic, labels sum to 1\n"
        "  step/2: 3 clauses, stochastic, labels sum to 1 over the clauses that a goal can match\n"
        "  flip/1: 1 clause, logical\n"
        "\n"
        "To run\n"
        '  slp query FILE "flip(X1)": answers with their probabilities\n'
        "  slp learn FILE GOALS: labels from observed goals"
    )


@pytest.mark.parametrize(
    "text, goal",
    [
        ("0.5 :: step(a, b). 0.5 :: step(a, c). 1 :: step(b, a).", "step(a, X2)"),
        ("0.5 :: c(a). 0.5 :: c(b). both(X, Y) :- c(X), c(Y).", "both(X1, X2)"),
        ("top :- c(_). 0.5 :: c(a). 0.5 :: c(b). p(1).", "p(X1)"),
        ("0.6 :: s(X) :- s(X). 0.4 :: s(a).", "s(X1)"),
    ],
)
def test_the_goal_to_run_is_about_the_last_predicate_that_nobody_calls(
    text: str, goal: str
) -> None:
    """And no query of it is refused because its labels sum to more than 1."""
    program = slp.parse(text)
    assert f'slp query FILE "{goal}"' in program.explain()
    program.query(goal)


def test_the_verdict_and_the_mixture_come_before_the_states() -> None:
    text = """
    :- start(mix).
    1/4 :: mix --> small.
    3/4 :: mix --> large(2).
    0.2 :: small --> split(_, _), small, small.
    0.8 :: small --> leaf.
    0.5 :: large(K) --> split(_, _), large(K), large(K).
    0.5 :: large(_) --> leaf.
    """
    titles = [p.split("\n")[0] for p in slp.parse(text).explain().split("\n\n")]
    assert titles[:3] == ["Meaning", "Mixture", "Exact inference is possible"]
    assert titles[3].startswith("States and rules")
    assert (
        "  small: prior weight 0.25\n  large(2): prior weight 0.75\n" in slp.parse(text).explain()
    )
    assert "Mixture" not in slp.parse(":- use(growtree).").explain()


def test_programs_with_gates_say_which_trees_are_drawn() -> None:
    have = explain_program(slp.load("rjhmc").ir, numeric("age"))
    meaning, soft, exact, *_ = have.split("\n\n")
    assert soft.startswith("Soft trees\n") and "`auto` takes the engine `rjhmc`" in soft
    assert exact.startswith("Exact inference is possible")
    assert "Soft trees" not in explain_program(checked(GROWTREE), numeric("age"))
