"""The checker's result for sound programs, the declaration that counts, and the values that callers
can set."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from slp.analysis import check_program
from slp.constraints import (
    Before,
    Constant,
    Exclusive,
    First,
    Forbid,
    Interaction,
    Majority,
    MaxFeatures,
    MaxLeaves,
    Monotone,
    Once,
    Predicate,
)
from slp.errors import ProgramError
from slp.folders import folders_of
from slp.ir import program as ir
from slp.ir.boxes import Box
from slp.ir.constraints import Support
from slp.ir.leaves import LeafDeclaration
from slp.source import SourceFile
from slp.syntax import parse_program, parse_term
from slp.terms import Atom, Number, Struct, Text, Var


def checked(text: str, name: str = "<text>", **parameters: float) -> ir.CheckedProgram:
    source = SourceFile(name, text, folders_of(name, ()))
    return check_program(parse_program(source), parameters)


def messages(text: str, **parameters: float) -> list[tuple[str, str]]:
    with pytest.raises(ProgramError) as caught:
        checked(text, **parameters)
    return [(d.code, d.message) for d in caught.value.diagnostics]


# --- rules and clauses -------------------------------------------------------------------------


def test_the_three_kinds_of_bodies() -> None:
    text = """
        :- start(a).
        0.25 :: a --> { true }, split(F, V, gap), { V > 0 }, leaf, { F == age }, b(1).
        0.50 :: a --> b(2).
        0.25 :: a --> leaf.
        1    :: b(_) --> leaf.
    """
    rules = checked(text).rules
    assert rules[0].before == (Atom("true"),)
    assert rules[0].body == ir.SplitBody(
        feature=Var("F"),
        threshold=Var("V"),
        measure="gap",
        after=(parse_term("V > 0"), parse_term("F == age")),
        left=Atom("leaf"),
        right=parse_term("b(1)"),
    )
    assert rules[1].body == ir.CallBody(parse_term("b(2)"))
    assert rules[2].body == ir.LeafBody()


def test_two_arguments_of_split_mean_the_default_measure() -> None:
    rule = checked(":- use(growtree).").rules[0]
    assert isinstance(rule.body, ir.SplitBody)
    assert rule.body.measure == "feature_then_cut"


def test_box_facts_are_a_box_and_facts_that_guards_can_ask_for() -> None:
    text = """
        :- use(growtree).
        :- constraint(constant(b)).
        box(b, age, 2 * 3, inf).
        box(b, dose, -inf, 1.5).
    """
    program = checked(text)
    assert program.boxes["b"].bounds == {"age": (6.0, math.inf), "dose": (-math.inf, 1.5)}
    assert [c.head for c in program.clauses if c.label is None] == [
        parse_term("box(b, age, 2 * 3, inf)"),
        parse_term("box(b, dose, -inf, 1.5)"),
    ]


# --- directives --------------------------------------------------------------------------------


def test_declarations_become_data() -> None:
    text = """
        :- use(growtree).
        :- param(k, 3).
        :- response(time, event(status)).
        :- leaf(normal_inverse_gamma(-1, 0.1, 2, k)).
        :- feature(age, [numeric, cuts([18, 40])]).
        :- feature(_, [bins(quantile, 2 + k)]).
        :- feature_weight(age, 1/2).
        :- ignore([id, date]).
        :- support([min_leaf(k), max_depth(6)]).
        :- failure(condition).
    """
    p = checked(text)
    assert (p.response, p.event) == ("time", "status")
    assert p.leaf == LeafDeclaration("normal_inverse_gamma", (-1.0, 0.1, 2.0, 3.0))
    assert p.features == (
        ir.FeatureDeclaration("age", "numeric", ir.Cuts((18.0, 40.0))),
        ir.FeatureDeclaration(None, None, ir.Bins("quantile", 5)),
    )
    assert p.feature_weights == {"age": 0.5}
    assert p.ignored == ("id", "date")
    assert p.support == Support(min_leaf=3, max_depth=6)
    assert p.failure == "condition"
    assert not p.weights


def test_exposures_and_jeffreys() -> None:
    p = checked(":- use(growtree). :- response(claims, exposure(years)).")
    assert (p.response, p.event, p.exposure) == ("claims", None, "years")
    p = checked(":- use(growtree). :- leaf(jeffreys).")
    assert p.leaf == LeafDeclaration("dirichlet", (0.5,))


def test_defaults() -> None:
    p = checked(":- use(denison).")
    assert p.support == Support(1, None)
    assert (p.failure, p.weights) == ("restrict", True)
    assert (p.response, p.event, p.leaf, p.features, p.ignored) == (None, None, None, (), ())


def test_constraints_become_typed_nodes() -> None:
    text = """
        :- use(growtree).
        box(b, a, 0, 1).
        :- constraint(constant(b)).       :- constraint(forbid(f)).
        :- constraint(forbid(g, below(2))). :- constraint(forbid(h, within(b))).
        :- constraint(first(a)).          :- constraint(before(a, c)).
        :- constraint(once(a)).           :- constraint(exclusive([c, d])).
        :- constraint(interaction([[a, c], [a, d]])).
        :- constraint(majority(b, 1)).    :- constraint(max_leaves(7)).
        :- constraint(max_features(2)).   :- constraint(monotone(a, down)).
        :- constraint(python("m.n:f", local)). :- constraint(prolog(ok(3))).
    """
    b = Box("b", {"a": (0.0, 1.0)})
    assert checked(text).constraints == (
        Constant(b),
        Forbid("f"),
        Forbid("g", below=2),
        Forbid("h", within=b),
        First("a"),
        Before("a", "c"),
        Once("a"),
        Exclusive(("c", "d")),
        Interaction((("a", "c"), ("a", "d"))),
        Majority(b, "1"),
        MaxLeaves(7),
        MaxFeatures(2),
        Monotone("a", "down"),
        Predicate("python", Text("m.n:f"), local=True),
        Predicate("prolog", Struct("ok", (Number(3),))),
    )


# --- which declaration counts ------------------------------------------------------------------


def test_a_program_overrules_what_it_uses() -> None:
    p = checked(":- use(growtree). :- start(tree(2)). :- param(alpha, 0.5).")
    assert p.start == parse_term("tree(2)")
    assert p.parameters == {"alpha": 0.5, "beta": 1.0}


def test_use_sets_parameters_by_arithmetic_over_others() -> None:
    text = ":- use(growtree, [alpha = a / 2, beta = 2 * alpha]). :- param(a, 0.5)."
    assert checked(text).parameters == {"alpha": 0.25, "beta": 0.5, "a": 0.5}


def test_callers_overrule_everything_and_other_values_follow() -> None:
    text = ":- use(growtree, [alpha = a / 2]). :- param(a, 0.5)."
    assert checked(text, a=1.0, beta=3).parameters == {"alpha": 0.5, "beta": 3, "a": 1.0}


def test_callers_cannot_set_what_is_not_there() -> None:
    assert messages(":- use(growtree).", aplha=0.9) == [
        ("E106", "the program has no parameter `aplha`")
    ]
    assert messages(":- use(growtree).", most_leaves=9) == [
        ("E106", "the program has no parameter `most_leaves`")
    ]


@pytest.mark.parametrize("value", [math.inf, math.nan, True, "0.9", None])
def test_callers_can_only_set_finite_numbers(value: float) -> None:
    assert messages(":- use(growtree).", alpha=value) == [
        ("E109", f"parameter `alpha` is {value!r}, and must be a finite number")
    ]


def test_values_of_numpy_are_numbers_like_others() -> None:
    """Labels are not worked out in single precision."""
    given = checked(":- use(growtree).", alpha=np.float32(0.95), beta=np.int64(2)).parameters
    assert given == {"alpha": float(np.float32(0.95)), "beta": 2.0}
    assert {type(value) for value in given.values()} == {float}


def test_files_are_used_from_the_folder_of_the_using_file_and_read_once(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "boxes.slp").write_text("box(b, age, 0, 1).\n")
    (tmp_path / "lib" / "one.slp").write_text(":- use('boxes.slp').\n:- constraint(constant(b)).\n")
    text = ":- use(growtree). :- use('lib/one.slp'). :- use('lib/boxes.slp')."
    program = checked(text, name=str(tmp_path / "main.slp"))
    assert program.name == "main"
    assert [c.box.name for c in program.constraints if isinstance(c, Constant)] == ["b"]


def test_two_files_that_are_used_cannot_say_two_things() -> None:
    assert ("E103", "`start` is declared twice") in messages(":- use(growtree). :- use(gmt).")


def test_mistakes_in_used_files_are_found_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "bad.slp").write_text(":- frist(age).\nbox(b, age, 0 1).\n")
    text = ":- use(growtree). :- use('bad.slp')."
    with pytest.raises(ProgramError) as caught:
        checked(text, name=str(tmp_path / "main.slp"))
    places = [str(d.span) for d in caught.value.diagnostics]
    assert [Path(p).name for p in places] == ["bad.slp:1:1", "bad.slp:2:15"]


# --- labels and states -------------------------------------------------------------------------


def test_labels_may_sum_to_one_over_heads_whatever_the_guards_say() -> None:
    text = """
        :- start(t(3)).
        0.5 :: t(K) --> { K > 0 }, split(_, _), t(K-1), t(K-1).
        0.5 :: t(_) --> leaf.
    """
    assert checked(text).warnings == ()


def test_labels_are_evaluated_after_the_guards() -> None:
    text = """
        :- start(t(3)).
        1         :: t(1) --> leaf.
        1 / (K-1) :: t(K) --> { K > 1 }, split(_, _), t(1), t(K-1).
        1 - 1 / (K-1) :: t(K) --> { K > 1 }, split(_, _), t(K-1), t(1).
    """
    assert checked(text).warnings == ()


def test_many_states_are_said_to_be_wrong_in_one_message() -> None:
    text = """
        :- start(t(0)).
        0.5 :: t(D) --> split(_, _), t(D+1), t(D+1).
        0.4 :: t(_) --> leaf.
    """
    [(code, message)] = messages(text)
    assert code == "E130"
    assert message.startswith(
        "the labels of `t//1` sum to 0.9, not to 1, for `t(0)`, `t(1)`, `t(2)` and "
    )


def test_labels_that_do_not_sum_hide_nothing_and_are_not_hidden() -> None:
    """Of a predicate whose clauses are sound; of others the sum is not known."""
    text = """
        :- use(growtree, [alfa = 0.9]).
        0.3 :: a.
        0.5 :: b :- c(1).
        0.25 :: d(1).
        d(2).
        0.5 :: t --> leaf.
    """
    found = [code for code, _ in messages(text)]
    assert found == ["E106", "E130", "E130", "E210", "E110"]
    sound = ":- start(t).\n0.5 :: t --> leaf.\n0.3 :: a."
    assert [code for code, _ in messages(sound)] == ["E130", "E130"]


def test_states_behind_guards_on_the_split_are_looked_at() -> None:
    text = """
        :- start(t(any)).
        1   :: t(any) --> split(age, V), { V < 10 -> S = low ; S = high }, t(S), t(low).
        1   :: t(low) --> leaf.
        0.5 :: t(high) --> leaf.
    """
    assert messages(text) == [("E130", "the labels of `t//1` sum to 0.5, not to 1, for `t(high)`")]


def test_a_guard_that_loops_is_found_and_the_check_ends() -> None:
    text = """
        :- start(t).
        loop(X) :- loop(X).
        1 :: t --> { loop(1) }, leaf.
    """
    [(code, _)] = messages(text)
    assert code in ("E214", "E215")


def test_a_bounded_chain_of_calls_is_no_endless_chain() -> None:
    text = """
        :- start(t(0)).
        1 :: t(K) --> { K < 500 }, t(K+1).
        1 :: t(500) --> leaf.
    """
    assert checked(text).warnings == ()


def test_all_mistakes_are_found_in_one_run_and_in_order() -> None:
    text = """
        :- strat(tree(0)).
        :- constraint(constant(nobody)).
        box(b, age, 3, 1).
        0.5 :: tree(D) --> split(F, V), tre(D+1), tree(D+1).
        tree(_) --> leaf.
    """
    found = [code for code, _ in messages(text)]
    assert found == ["E101", "E123", "E121", "E125", "E115", "E111"]


def test_forbid_of_a_list_forbids_each_of_its_features() -> None:
    program = checked(":- use(growtree). :- constraint(forbid([age, dose], below(2))).")
    assert program.constraints == (Forbid("age", below=2), Forbid("dose", below=2))


def test_labels_may_sum_to_one_over_goals_with_several_arguments_bound() -> None:
    table = {("yes", "yes"): 0.95, ("yes", "no"): 0.3, ("no", "yes"): 0.2, ("no", "no"): 0.01}
    text = "".join(
        f"{p} :: alarm({b}, {e}, on). {1 - p} :: alarm({b}, {e}, off).\n"
        for (b, e), p in table.items()
    )
    assert checked(text).warnings == ()
    assert messages(text + "0.1 :: alarm(no, maybe, on).") == [
        ("E130", "the labels of `alarm/3` sum to 4.1, not to 1")
    ]


def test_each_tree_has_a_split_only_where_no_rule_lets_it_be_a_leaf() -> None:
    """Rules behind calls count, and rules whose guards ask for the largest number of leaves."""
    both = ":- start(root). :- constraint(first(a)). :- constraint(first(b)).\n"
    called = both + "1 :: root --> inner. 0.5 :: inner --> split(_, _), inner, inner.\n"
    assert checked(called + "0.5 :: inner --> leaf.").warnings[0].code == "W107"
    never = (
        both + "1 :: root --> inner. 1 :: inner --> split(_, _), rest, rest. 1 :: rest --> leaf."
    )
    assert [code for code, _ in messages(never)] == ["E142"]
    few = both + "1 :: root --> {most_leaves < 5}, split(_, _), rest, rest. 1 :: rest --> leaf.\n"
    assert checked(few + "1 :: root --> {most_leaves >= 5}, leaf.").warnings[0].code == "W107"
