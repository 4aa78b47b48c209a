"""Constraints `prolog(Goal)`: what SWI-Prolog says of finished trees."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path

import polars as pl
import pytest

import slp
from slp.swipl.predicates import node_term, tree_term
from slp.syntax import parse_term
from slp.trees import Tree

ROWS = pl.DataFrame(
    {"age": [1, 2, 3, 4, 5, 6], "sex": list("fmmfxf"), "y": ["a", "a", "b", "b", "a", "b"]}
)
SIZE = """
size(leaf(_), 1).
size(split(_, _, L, R), K) :- size(L, A), size(R, B), K is A + B.
few(Most, Tree) :- size(Tree, K), K =< Most.
"""
TREE = {
    "feature": "sex",
    "level": "f",
    "left": {"counts": {"a": 1, "b": 2}},
    "right": {"feature": "age", "threshold": 2.5, "left": {"n": 2, "mean": 0.5}, "right": {}},
}


def asking(goal: str, helpers: str = "") -> slp.Program:
    return slp.parse(f":- use(growtree, [alpha = 0.5]).\n:- constraint(prolog({goal})).\n{helpers}")


def drawn(program: slp.Program, **options: object) -> list[object]:
    size = {"draws": 30, "chains": 1, "warmup": 20, "seed": 1}
    with warnings.catch_warnings(action="ignore"):  # so few draws are no estimate
        found = program.posterior(ROWS, **size, **options)  # type: ignore[arg-type]
    return [draw.tree.to_dict() for draw in found.draws]


def fault(program: slp.Program) -> tuple[str, str]:
    with pytest.raises(slp.SlpError) as caught:
        drawn(program, allow_code=True)
    (found,) = caught.value.diagnostics
    return found.code, found.message


def test_trees_are_terms() -> None:
    want = (
        "split(sex, f, leaf([counts - [a-1, b-2]]),"
        " split(age, 2.5, leaf([n-2, mean-0.5]), leaf([])))"
    )
    assert tree_term(Tree.from_dict(TREE)) == parse_term(want)


def test_nodes_are_terms() -> None:
    split = slp.Tree.from_dict(TREE).root
    node = slp.TreeNode(2, 3, {"counts": {"a": 1, "b": 2}}, split)  # type: ignore[arg-type]
    want = "node(2, 3, [counts - [a-1, b-2]], split(sex, f))"
    assert node_term(node) == parse_term(want)
    assert node_term(slp.TreeNode(0, 2, {"n": 2, "mean": 0.5}, None)) == parse_term(
        "node(0, 2, [n-2, mean-0.5], leaf)"
    )


@pytest.mark.slow
def test_a_deep_tree_is_a_term() -> None:
    node: dict[str, object] = {}
    for _ in range(20_000):
        node = {"feature": "a", "threshold": 1.0, "left": {}, "right": node}
    assert tree_term(Tree.from_dict(node)).args[0] == parse_term("a")  # type: ignore[union-attr]


def test_the_same_draws_as_with_the_predicate_in_python() -> None:
    prior = slp.parse(":- use(growtree, [alpha = 0.5]).")
    in_python = prior.require(lambda tree: tree.n_leaves <= 3)
    assert drawn(asking("few(3)", SIZE), allow_code=True) == drawn(in_python)


def test_goals_are_of_the_program_of_a_file_of_a_module_or_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "checks.pl").write_text(f":- module(shapes, [few/2]).\n{SIZE}")
    file = tmp_path / "p.slp"
    small = Tree.from_dict({"feature": "age", "threshold": 2.5, "left": {}, "right": {}})
    goals = [("few(2)", SIZE), ('"checks.pl":few(2)', ""), ("shapes:few(2)", ""), ("few(2)", "")]
    for goal, helpers in goals:
        file.write_text(f":- use(growtree).\n:- constraint(prolog({goal})).\n{helpers}")
        for tree, holds in ((small, True), (Tree.from_dict(TREE), False)):
            (result,) = tree.check(slp.load(file), allow_code=True)
            assert result.holds is holds
            assert result.words == f"The Prolog predicate {goal} holds of the finished tree."


def test_without_leave_nothing_is_asked() -> None:
    (result,) = Tree.from_dict(TREE).check(asking("halt"))
    assert result.holds is None
    with pytest.raises(slp.ProgramError) as caught:
        drawn(asking("halt"))
    assert caught.value.diagnostics[0].code == "E650"


@pytest.mark.parametrize(
    ("goal", "helpers", "code", "message"),
    [
        (
            "nosuch",
            "",
            "E653",
            "the Prolog predicate nosuch raised an error: "
            "SWI-Prolog says: Unknown procedure: nosuch/1",
        ),
        (
            "chance",
            "0.5 :: chance(_). 0.5 :: chance(leaf(_)).",
            "E653",
            "the Prolog predicate chance raised an error: "
            "`chance/1` has labelled clauses and is called inside a condition",
        ),
    ],
)
def test_what_goes_wrong(goal: str, helpers: str, code: str, message: str) -> None:
    have = fault(asking(goal, helpers))
    assert have == (code, message)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "p.slp"
    file.write_text(':- use(growtree).\n:- constraint(prolog("nowhere.pl":ok)).\n')
    want = f"\"nowhere.pl\" cannot be loaded: source_sink `'{tmp_path}/nowhere.pl'' does not exist"
    assert fault(slp.load(file)) == ("E266", want)


def test_queries_from_another_thread() -> None:
    found = []

    def ask() -> None:
        program = slp.parse("0.5 :: p(a). 0.5 :: p(b).")
        found.append(program.query("p(X)", engine="prolog").success)

    for _ in range(3):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert found == [1, 1, 1]


def test_predicates_on_nodes() -> None:
    helpers = "large(N, node(_, Rows, _, What)) :- What = split(_, _) -> Rows >= N ; true."
    drawn_trees = drawn(asking("large(4), local", helpers), allow_code=True)
    program = slp.parse(":- use(growtree, [alpha = 0.5]).")
    program = program.require(lambda node: node.is_leaf or node.rows >= 4, local=True)
    assert drawn_trees == drawn(program)
    assert max(Tree.from_dict(tree).depth for tree in drawn_trees) > 1
