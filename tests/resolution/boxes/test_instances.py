"""Which tree rules apply at a state, how often, and with what label."""

from __future__ import annotations

import pytest

from slp.errors import ProgramError
from slp.ir.program import CallBody, LeafBody, SplitBody
from slp.resolution import labels_over_heads
from slp.syntax import parse_term, term_to_text
from slp.terms import Atom, Var
from tests.resolution.programs import database, instances_of, tree_rules

GROWTREE = """
alpha * (1+D)^(-beta)     :: tree(D) --> split(F, V), tree(D+1), tree(D+1).
1 - alpha * (1+D)^(-beta) :: tree(D) --> leaf.
"""

PINBALL = """
exp(-lambda)   :: count(I) --> owe(I+1).
lambda / (I+1) :: count(I) --> { I + 1 < most_leaves }, count(I+1).
1 :: owe(1) --> leaf.
1 :: owe(K) --> { K > 1 }, share(K, 1).
1 / (K-J)     :: share(K, J) --> split(F, V), owe(J), owe(K-J).
1 - 1 / (K-J) :: share(K, J) --> { J < K - 1 }, share(K, J+1).
"""


def labels(text: str, goal: str, **parameters: float) -> list[float]:
    found = instances_of(database(text, **parameters), tree_rules(text), parse_term(goal))
    return [i.label for i in found]


def test_labels_and_bodies() -> None:
    program = database(alpha=0.95, beta=1.0)
    rules = tree_rules(GROWTREE)
    split, leaf = instances_of(program, rules, parse_term("tree(1)"))
    assert split.label == pytest.approx(0.475, rel=1e-15)
    assert leaf.label == pytest.approx(0.525, rel=1e-15)
    assert leaf.body == LeafBody()
    assert split.rule is rules[0]
    assert isinstance(split.body, SplitBody)
    assert term_to_text(split.body.left) == "tree(1+1)"
    assert split.body.feature == Var("F")
    assert not split.depends_on_split
    assert not leaf.depends_on_split


def test_an_integer_beta_is_a_power_too() -> None:
    assert labels(GROWTREE, "tree(1)", alpha=0.95, beta=2) == pytest.approx([0.2375, 0.7625])


def test_heads_with_numbers() -> None:
    parameters = {"lambda": 3.0, "most_leaves": 4}
    assert labels(PINBALL, "owe(1)", **parameters) == [1.0]
    assert labels(PINBALL, "owe(2)", **parameters) == [1.0]
    assert labels(PINBALL, "owe(1.0)", **parameters) == []
    assert labels(PINBALL, "owe(0)", **parameters) == []


def test_guards_before_the_split() -> None:
    parameters = {"lambda": 3.0, "most_leaves": 4}
    assert len(labels(PINBALL, "count(2)", **parameters)) == 2
    assert len(labels(PINBALL, "count(3)", **parameters)) == 1
    assert labels(PINBALL, "share(4, 2)", **parameters) == [0.5, 0.5]
    # 1 - 1/(K-J) would be 0, and its guard fails before it is looked at
    assert labels(PINBALL, "share(4, 3)", **parameters) == [1.0]


def test_a_label_is_looked_at_after_the_guards() -> None:
    text = "1/(K-1) :: t(K) --> {K > 1}, leaf."
    assert labels(text, "t(1)") == []
    assert labels(text, "t(3)") == [0.5]


def test_each_proof_is_an_instance() -> None:
    text = "1/X :: t(K) --> {member(X, [1, 2, 2])}, go(X, K+1)."
    found = instances_of(database(), tree_rules(text), parse_term("t(0)"))
    assert [i.label for i in found] == [1.0, 0.5, 0.5]
    assert [i.body for i in found][1] == CallBody(parse_term("go(2, 0+1)"))


def test_a_guard_may_bind_the_feature() -> None:
    text = "0.5 :: t --> {member(F, [age, dose])}, split(F, V), t, t."
    found = instances_of(database(), tree_rules(text), Atom("t"))
    assert [i.body.feature for i in found if isinstance(i.body, SplitBody)] == [
        Atom("age"),
        Atom("dose"),
    ]
    assert all(i.depends_on_split for i in found)


@pytest.mark.parametrize(
    ("body", "want"),
    [
        ("split(F, V), t, t", False),
        ("split(_, _), t, t", False),
        ("split(F, V), {true}, t, t", True),
        ("split(F, V), t(F), t", True),
        ("split(F, V), t, t(g(V))", True),
        ("split(age, V), t, t", True),
        ("split(F, 3), t, t", True),
        ("split(X, X), t, t", True),
    ],
)
def test_depends_on_split(body: str, want: bool) -> None:
    (found,) = instances_of(database(), tree_rules(f"1 :: t --> {body}."), Atom("t"))
    assert found.depends_on_split == want


def test_rules_of_weight_zero_do_not_exist() -> None:
    assert labels("1 - D :: tree(D) --> leaf.", "tree(1)") == []
    assert labels("0.3 - 0.1 * 3 :: tree --> leaf.", "tree") == []  # -5.6e-17
    assert labels("1e-20 :: tree --> leaf.", "tree") == [1e-20]


def test_a_label_that_is_a_list_of_the_head_s_variables_is_called_a_list() -> None:
    with pytest.raises(ProgramError, match=r"arithmetic needs a number, not a list\n"):
        labels("[X] :: t(X) --> leaf.", "t(1)")


def test_variables_that_guards_leave_free_keep_their_names() -> None:
    text = "0.5 :: t(X) --> {Y = f(Z)}, go(X, Y, Z, W)."
    (found,) = instances_of(database(), tree_rules(text), parse_term("t(1)"))
    assert found.body == CallBody(parse_term("go(1, f(Z), Z, W)"))


def test_equal_rules_of_one_database_keep_their_own_places() -> None:
    rules = tree_rules("1 :: t --> leaf. 1 :: t --> leaf.")
    first, second = instances_of(database(), rules, Atom("t"))
    assert first.rule is rules[0]
    assert second.rule is rules[1]


# --- sums of labels ----------------------------------------------------------------------------


def sum_over_heads(text: str, goal: str, **parameters: float) -> float | None:
    rules = tree_rules(text)
    found = labels_over_heads(database("", **parameters), rules, parse_term(goal))
    return None if found is None else sum(value for value, _ in found)


def test_sum_over_heads() -> None:
    assert sum_over_heads(GROWTREE, "tree(3)", alpha=0.9, beta=0.5) == pytest.approx(1)
    assert sum_over_heads("0.5 :: t(1) --> leaf. 0.2 :: t(X) --> {X > 3}, leaf.", "t(1)") == 0.7
    assert sum_over_heads("0.5 :: t(1) --> leaf.", "t(2)") == 0
    assert sum_over_heads("0.5 :: t(1) --> leaf.", "u(1)") == 0


def test_sum_over_heads_that_has_no_value() -> None:
    assert sum_over_heads("1/X :: t --> {member(X, [1])}, leaf.", "t") is None
    assert sum_over_heads("1/(K-1) :: t(K) --> {K > 1}, leaf.", "t(1)") is None
