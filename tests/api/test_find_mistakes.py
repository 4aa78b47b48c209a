"""One run finds the mistakes of a program and those of how it fits a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import slp
from slp.errors import SlpError
from slp.program import find_mistakes, no_tree

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


def test_the_constraint_that_no_tree_satisfies_is_named_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "prior.slp"
    path.write_text(IMPOSSIBLE)
    (found,) = find_mistakes(path, MOSTLY_N)
    assert (found.code, found.severity) == ("E504", "error")
    assert [r.span.text for r in found.related] == [":- constraint(majority(all, y))."]


@pytest.mark.parametrize(("engine", "code"), [("exact", "E504"), ("mh", "E517")])
def test_the_constraint_that_no_tree_satisfies_is_named_by_the_run(engine: str, code: str) -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(IMPOSSIBLE).posterior(MOSTLY_N, engine=engine)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert [r.span.text for r in found.related] == [":- constraint(majority(all, y))."]


TWICE_IMPOSSIBLE = """
    :- use(growtree).
    :- response(ill).
    box(old, age, 3, 6).
    box(young, age, 0, 3).
    :- constraint(majority(young, y)).
    :- support(max_depth(0)).
    :- constraint(majority(old, y)).
    :- constraint(max_leaves(1)).
"""
IN_FORCE = [
    ":- constraint(majority(young, y)).",
    ":- constraint(majority(old, y)).",
    ":- constraint(max_leaves(1)).",
    "max_depth(0)",
]


@pytest.mark.parametrize(
    ("engine", "code"), [("exact", "E504"), ("search", "E504"), ("modal", "E504"), ("mh", "E517")]
)
def test_where_no_statement_alone_is_to_blame_all_in_force_are_named(
    engine: str, code: str
) -> None:
    """Each majority is impossible by itself, and one leaf cannot have both."""
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(TWICE_IMPOSSIBLE).posterior(MOSTLY_N, engine=engine)
    (found,) = caught.value.diagnostics
    assert found.code == code and found.span is not None
    assert [found.span.text, *(r.span.text for r in found.related)] == IN_FORCE


def test_the_check_of_a_table_names_all_in_force(tmp_path: Path) -> None:
    path = tmp_path / "prior.slp"
    path.write_text(TWICE_IMPOSSIBLE)
    found = [f for f in find_mistakes(path, MOSTLY_N) if f.code == "E504"]
    assert [f.span and f.span.text for f in found] == IN_FORCE[:1]
    assert [r.span.text for r in found[0].related] == IN_FORCE[1:]


def test_an_estimator_names_all_in_force() -> None:
    model = slp.SLPTreeClassifier(program=TWICE_IMPOSSIBLE)
    with pytest.raises(slp.SlpError) as caught:
        model.fit(MOSTLY_N[["age", "dose"]], MOSTLY_N["ill"])
    (found,) = caught.value.diagnostics
    assert found.span is not None and len(found.related) == 3


def test_no_constraint_is_blamed_where_none_is_to_blame(tmp_path: Path) -> None:
    text = ":- start(t). 1 :: t --> split(age, 100), leaf, leaf."
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(text).posterior(MOSTLY_N)
    assert [(d.code, d.related) for d in caught.value.diagnostics] == [("E504", ())]


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


def test_a_constraint_that_leaves_one_leaf_by_itself_is_named_once(tmp_path: Path) -> None:
    assert codes(tmp_path, ":- use(growtree). :- constraint(max_leaves(1)).") == ["W107"]


def test_the_proof_that_there_is_no_tree_keeps_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while it lists states, of which pinball has many."""
    X = pd.DataFrame({"a": range(300), "y": ["b", "c", "d"] * 100})
    program = slp.parse(":- use(pinball).")
    monkeypatch.setattr(no_tree, "_SECONDS", 0.0)
    error = no_tree._attempts(X, None, None)(program.ir, no_tree._SUM)
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
