"""One run finds the mistakes of a program and those of how it fits a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import slp
from slp.budgets.seconds import Deadline, time_left
from slp.compile import compile_problem
from slp.engines.shared.starts import no_start
from slp.errors import Diagnostic, SlpError
from slp.messages.inference import NO_TREE
from slp.problem import core
from slp.problem import problem as problems
from slp.problem.problem import Problem
from slp.program import find_mistakes, no_tree, reading

TABLE = pd.DataFrame({"age": [1, 2, 3, 4], "dose": [2, 1, 2, 1], "ill": ["n", "n", "y", "y"]})


def codes(tmp_path: Path, text: str, table: pd.DataFrame | None = TABLE) -> list[str]:
    path = tmp_path / "prior.slp"
    path.write_text(text)
    return [found.code for found in find_mistakes(path, table)]


def test_names_that_the_table_lacks_are_found_beside_a_contradiction(tmp_path: Path) -> None:
    text = """
        :- use(growtree).
        box(b, agee, 0, 1).
        :- constraint(constant(b)).
        :- constraint(first(doze)).
        :- constraint(once(agge)).
    """
    assert codes(tmp_path, text, None) == ["W107"]
    assert sorted(codes(tmp_path, text)) == ["E150", "E150", "E150"]
    text = text.replace("growtree", "growtree, [alpha = 1]")
    assert codes(tmp_path, text, None) == ["E142"]
    assert codes(tmp_path, text) == ["E142", "E150", "E150", "E150"]


def test_parameters_that_a_library_lacks_are_found_beside_a_syntax_error(tmp_path: Path) -> None:
    text = ":- use(growtree, [alfa = 0.9]).\nbox(b, age, 0 1).\n"
    assert codes(tmp_path, text) == ["E106", "E030"]


def test_a_parameter_that_an_unread_clause_may_declare_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "other.slp").write_text(":- param(alfa 0.5).\n1 :: tree --> leaf.\n")
    text = ":- use('other.slp', [alfa = 0.9]).\n:- start(tree).\n"
    assert codes(tmp_path, text, None) == ["E030"]
    path = tmp_path / "own.slp"
    path.write_text(":- param(beta 0.5).\n:- start(tree).\n1 :: tree --> leaf.\n")
    assert [f.code for f in find_mistakes(path, beta=0.1)] == ["E030"]


def test_a_wrong_response_hides_no_wrong_feature() -> None:
    text = """
        :- use(growtree).
        :- response(il).
        :- constraint(once(agge)).
        box(b, doze, 0, 1).
        :- constraint(majority(b, q)).
        :- feature(weight, [numeric]).
    """
    with pytest.raises(slp.DataError) as caught:
        slp.parse(text).posterior(TABLE)
    assert [d.code for d in caught.value.diagnostics] == ["E425", "E150", "E150", "E150"]


@pytest.mark.parametrize(
    "text",
    [
        ":- cost(age, 3). :- constraint(max_cost(5)).",
        ":- constraint(forbid(age)).",
        ":- feature_weight(age, 2).",
    ],
)
def test_a_feature_that_is_ignored_is_one_mistake(tmp_path: Path, text: str) -> None:
    found = codes(tmp_path, f":- use(growtree). :- ignore(age). {text}")
    assert [code for code in found if code.startswith("E")] == ["E143"]


def test_the_response_is_no_feature_that_is_offered(tmp_path: Path) -> None:
    path = tmp_path / "program.slp"
    path.write_text(":- use(growtree). :- constraint(first(zzz)). :- constraint(max_leaves(0)).")
    found = {d.code: d.help for d in find_mistakes(path, TABLE)}
    *features, response = TABLE.columns
    assert found["E150"] is not None
    assert all(f"`{name}`" in found["E150"] for name in features)
    assert f"`{response}`" not in found["E150"]


def test_a_sound_program_and_table_have_no_mistakes(tmp_path: Path) -> None:
    assert codes(tmp_path, ":- use(growtree).\n:- constraint(once(age)).\n") == []


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    assert [f.code for f in find_mistakes(tmp_path / "none.slp", TABLE)] == ["E001"]


def test_a_table_in_the_place_of_a_program_is_told_so(tmp_path: Path) -> None:
    (found,) = find_mistakes(tmp_path / "data.csv", np.zeros((2, 2)))
    assert found.code == "E003"
    assert (found.help or "").startswith("are the two swapped?")


def test_a_saved_run_in_the_place_of_a_program_is_told_so(tmp_path: Path) -> None:
    (found,) = find_mistakes(tmp_path / "run.slpz", TABLE)
    assert (found.code, "saved run" in found.message) == ("E003", True)
    assert "slp.load_posterior" in (found.help or "")


IMPOSSIBLE = """
    :- use(growtree).
    box(all, age, 0, 100).
    :- constraint(once(dose)).
    :- constraint(majority(all, y)).
    :- constraint(max_leaves(3)).
"""
MOSTLY_N = pd.DataFrame({"age": range(9), "dose": [1, 2, 3] * 3, "ill": ["n"] * 6 + ["y"] * 3})
#: Rows of `y` are one in three at all ages.
ONE_Y_IN_THREE = pd.DataFrame({"age": range(9), "dose": [1, 2, 3] * 3, "ill": ["n", "n", "y"] * 3})
MAJORITY = "box(old, age, 5.5, 9). :- constraint(majority(old, y))."


def places(found: Diagnostic) -> list[str]:
    """The texts of the statements that a finding names."""
    assert found.span is not None
    return [found.span.text, *(r.span.text for r in found.related)]


def test_the_constraint_that_no_tree_satisfies_is_named_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "prior.slp"
    path.write_text(IMPOSSIBLE)
    (found,) = find_mistakes(path, MOSTLY_N)
    assert (found.code, found.severity) == ("E504", "error")
    assert places(found) == [":- constraint(majority(all, y))."]
    assert "this statement alone leaves no tree (a sum over all trees proves it)" in found.message


@pytest.mark.parametrize(("engine", "code"), [("exact", "E504"), ("mh", "E517")])
def test_the_constraint_that_no_tree_satisfies_is_named_by_the_run(engine: str, code: str) -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(IMPOSSIBLE).posterior(MOSTLY_N, engine=engine)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert places(found) == [":- constraint(majority(all, y))."]


TWICE_IMPOSSIBLE = """
    :- use(growtree).
    :- response(ill).
    box(low, age, 0, 2.5).
    box(mid, age, 2.5, 5.5).
    :- constraint(once(dose)).
    :- support(min_leaf(2)).
    :- constraint(majority(mid, y)).
    :- constraint(forbid(age)).
    :- support(max_depth(2)).
    :- constraint(majority(low, y)).
"""
#: A smallest set. So is the second majority by itself.
FIRST_SET = [":- constraint(majority(mid, y)).", ":- constraint(forbid(age))."]


@pytest.mark.parametrize(
    ("engine", "code"), [("exact", "E504"), ("search", "E504"), ("modal", "E504"), ("mh", "E517")]
)
def test_of_two_contradictions_the_first_is_named(engine: str, code: str) -> None:
    """No tree has the second majority, whatever else is demanded."""
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(TWICE_IMPOSSIBLE).posterior(ONE_Y_IN_THREE, engine=engine)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert places(found) == FIRST_SET
    told = (
        "these 2 together leave no tree (a sum over all trees proves it), any fewer of them leave"
    )
    assert told in found.message
    assert found.message.endswith("; there may be more contradictions")


def test_the_check_of_a_table_names_a_smallest_set(tmp_path: Path) -> None:
    path = tmp_path / "prior.slp"
    path.write_text(TWICE_IMPOSSIBLE)
    (found,) = (f for f in find_mistakes(path, ONE_Y_IN_THREE) if f.code == "E504")
    assert places(found) == FIRST_SET


def test_an_estimator_names_a_smallest_set() -> None:
    model = slp.SLPTreeClassifier(program=TWICE_IMPOSSIBLE)
    with pytest.raises(slp.SlpError) as caught:
        model.fit(ONE_Y_IN_THREE[["age", "dose"]], ONE_Y_IN_THREE["ill"])
    (found,) = caught.value.diagnostics
    assert places(found) == FIRST_SET


@pytest.mark.parametrize("failure", ["restrict", "condition"])
def test_a_set_of_three(tmp_path: Path, failure: str) -> None:
    """Each of two columns parts the rows of `y` from the others."""
    table = pd.DataFrame(
        {"u": [0, 0, 0, 1, 1], "v": [5, 5, 5, 8, 8], "w": range(5), "ill": [*"nnnyy"]}
    )
    three = [
        ":- constraint(forbid([v, w])).",
        ":- constraint(majority(high, y)).",
        ":- constraint(forbid(u)).",
    ]
    text = f"""
        :- use(growtree).
        :- failure({failure}).
        box(high, u, 0.5, 2).
        box(high, v, 7, 9).
        :- support(min_leaf(2)).
        {three[0]} {three[1]}
        :- constraint(max_leaves(3)).
        {three[2]}
    """
    path = tmp_path / "prior.slp"
    path.write_text(text)
    (found,) = (f for f in find_mistakes(path, table) if f.code == "E504")
    assert places(found) == three
    assert "these 3 together leave no tree (a sum over all trees proves it)" in found.message


def test_no_more_contradictions_are_told_of_where_there_can_be_none(tmp_path: Path) -> None:
    path = tmp_path / "prior.slp"
    path.write_text(":- use(growtree). :- support(max_depth(0)). " + MAJORITY)
    (found,) = find_mistakes(path, MOSTLY_N)
    assert places(found) == ["max_depth(0)", ":- constraint(majority(old, y))."]
    assert found.message.endswith("any fewer of them leave some")


def test_the_time_of_a_search_for_a_smallest_set_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(no_tree, "_SECONDS_OF_BLAME", 0.0)
    path = tmp_path / "prior.slp"
    path.write_text(":- use(growtree). :- support(max_depth(0)). " + MAJORITY)
    (found,) = find_mistakes(path, MOSTLY_N)
    assert len(places(found)) == 2
    assert found.message.endswith("and fewer may do so: the time was over")


def test_no_statement_is_blamed_for_trees_that_an_engine_missed() -> None:
    problem = compile_problem(slp.parse(f":- use(growtree). {MAJORITY}").ir, MOSTLY_N)
    (found,) = no_tree.with_blame(no_start(0), problem).diagnostics
    assert found.code == "E517" and found.span is None
    assert "yet there are trees" in found.message and "leave no tree" not in found.message


def test_a_search_that_found_none_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = compile_problem(slp.parse(TWICE_IMPOSSIBLE).ir, ONE_Y_IN_THREE)
    error_of = no_tree._error_of

    def no_sum(*args: Any) -> SlpError | None:
        return SlpError(NO_TREE()) if args[2] is no_tree._SUM else error_of(*args)

    monkeypatch.setattr(no_tree, "_error_of", no_sum)
    (found,) = no_tree.with_blame(no_start(0), problem).diagnostics
    assert places(found) == FIRST_SET
    told = "; a search found none for these 2 together either, any fewer of them leave some"
    assert found.message.endswith(told)


def test_no_statement_is_blamed_where_none_is_to_blame(tmp_path: Path) -> None:
    text = ":- start(t). 1 :: t --> split(age, 100), leaf, leaf. :- constraint(once(dose))."
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(text).posterior(MOSTLY_N)
    (found,) = caught.value.diagnostics
    assert found.code == "E504"
    assert places(found) == ["1 :: t --> split(age, 100), leaf, leaf."]
    assert "the rules alone leave no tree" in found.message


BOX = "box(young, age, 0, 2.5). :- constraint(constant(young))."


@pytest.mark.parametrize(
    ("text", "blamed"),
    [
        (f":- use(growtree). {BOX} :- constraint(forbid(age)).", 2),
        (f":- start(r). 0.8 :: r --> split(dose, _), leaf, leaf. 0.2 :: r --> leaf. {BOX}", 1),
        (f":- use(growtree). {BOX}", 0),
    ],
)
def test_constraints_that_leave_one_leaf_are_named(tmp_path: Path, text: str, blamed: int) -> None:
    path = tmp_path / "prior.slp"
    path.write_text(text)
    found = find_mistakes(path, MOSTLY_N)
    assert [f.code for f in found] == ["W151"] * bool(blamed)
    if blamed:
        assert found[0].span is not None and found[0].span.text == ":- constraint(constant(young))."
        assert len(found[0].related) == blamed - 1


def test_the_search_for_what_leaves_one_leaf_keeps_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while it lists states."""
    path = tmp_path / "prior.slp"
    path.write_text(f":- use(growtree). {BOX} :- constraint(forbid(age)).")
    program = slp.load(path).ir
    problem, calls = compile_problem(program, MOSTLY_N), list[float]()

    def varied(self: Problem, program: Any) -> Problem:
        calls.append(time_left())
        return problem

    monkeypatch.setattr(Problem, "varied", varied)
    no_tree._may_split(problem, program, Deadline(60))
    assert calls and max(calls) <= no_tree._SECONDS
    calls.clear()
    assert no_tree._may_split(problem, program, Deadline(0)) and not calls


def test_a_sum_that_counts_many_leaves_is_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 500 leaves its rules take gigabytes before any limit of the engine holds."""
    rows, cores = pd.DataFrame({"age": range(500), "ill": ["n", "y"] * 250}), list[bool]()
    made = core.core_problem

    def watched(*args: Any, count_leaves: bool = True) -> Any:
        assert not count_leaves or core.counts_fit(args[1], args[2], 64 << 20)
        cores.append(count_leaves)
        return made(*args, count_leaves=count_leaves)

    monkeypatch.setattr(problems, "core_problem", watched)
    path = tmp_path / "prior.slp"
    path.write_text(":- use(growtree). :- constraint(max_leaves(499)).")
    assert find_mistakes(path, rows) == () and cores


def test_what_takes_too_much_memory_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(reading, "find_no_tree", no_memory)
    assert codes(tmp_path, ":- use(growtree).") == ["E501"]


def test_of_constant_boxes_only_those_without_a_common_feature_are_named(tmp_path: Path) -> None:
    path = tmp_path / "prior.slp"
    box = "box({0}, {1}, 2, 9). :- constraint(constant({0})). "
    boxes = box.format("a", "age") + box.format("b", "age") + box.format("c", "dose")
    path.write_text(f":- use(growtree). {boxes}")
    (found,) = find_mistakes(path)
    assert found.code == "W107"
    assert places(found) == [":- constraint(constant(a)).", ":- constraint(constant(c))."]


def test_a_constraint_that_leaves_one_leaf_by_itself_is_named_once(tmp_path: Path) -> None:
    assert codes(tmp_path, ":- use(growtree). :- constraint(max_leaves(1)).") == ["W107"]


def test_the_proof_that_there_is_no_tree_keeps_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while it lists states, of which pinball has many."""
    X = pd.DataFrame({"a": range(300), "y": ["b", "c", "d"] * 100})
    program = slp.parse(":- use(pinball).")
    monkeypatch.setattr(no_tree, "_SECONDS", 0.0)
    error = no_tree._error_of(compile_problem(program.ir, X), program.ir, no_tree._SUM)
    assert isinstance(error, SlpError)
    (found,) = error.diagnostics
    assert found.code == "E540" and "lowering the program" in found.message


def test_the_file_that_a_name_lacks_its_ending_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.slp").write_text(":- use(growtree).")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(slp.ProgramError, match=r"E003[\s\S]*there is a file mine\.slp"):
        slp.load("mine")


def test_load_and_parse_name_each_other() -> None:
    with pytest.raises(slp.ProgramError, match=r"E001[\s\S]*slp.load reads files"):
        slp.parse("kyph.slp")
    with pytest.raises(slp.ProgramError, match=r"E001[\s\S]*slp.parse reads text"):
        slp.load(":- use(growtree).")


@pytest.mark.parametrize(
    "text", ["# my prior\n:- use(growtree).", ":- use(growtree).\n#my prior.\n"]
)
def test_a_comment_that_begins_like_one_of_python(text: str) -> None:
    with pytest.raises(slp.ProgramError) as raised:
        slp.parse(text)
    found = raised.value.diagnostics[0]
    assert (found.code, found.help) == ("E030", "a comment begins with `%`")
