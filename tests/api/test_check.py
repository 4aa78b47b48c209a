"""`slp.check`: trees of any origin against constraints."""

from __future__ import annotations

import polars as pl
import pytest

import slp
from slp.trees import Tree
from tests.api.tables import ROWS, STUMP

GROW = ":- use(growtree)."


def never(tree: Tree) -> bool:
    return False


def test_constraints_by_themselves() -> None:
    limits = slp.parse(":- use(growtree). :- support(max_depth(1)).")
    boxes = "box(old, age, 3, inf). :- support(min_leaf(2))."
    found = slp.check(STUMP, never, "first(dose)", limits, boxes, "constant(old)")
    never_holds, *others = [(r.words, r.holds) for r in found]
    assert never_holds == (
        "The Python predicate tests.api.test_check:never holds of the finished tree.",
        False,
    )
    assert others == [
        ("If the tree splits at all, the root splits on dose.", False),
        ("No leaf is deeper than 1.", True),
        ("Each side of a split keeps at least 2 rows.", None),
        (
            "The box old (age >= 3) is not cut: a node that holds all of it splits on age alone, "
            "outside the box.",
            True,
        ),
    ]
    assert [r.path for r in found] == [None, "root", None, "left", None]
    assert slp.check(STUMP) == []


def test_constraints_on_the_rows_of_a_table() -> None:
    order = ":- response(y, [ordinal([a, b])])."
    (before,) = slp.check(STUMP, order, "monotone(age, up)")
    (after,) = slp.check(STUMP, order, "monotone(age, up)", X=ROWS)
    assert (before.holds, after.holds) == (None, True)
    (down,) = slp.check(STUMP, order, "monotone(age, down)", X=ROWS.drop("y"), y=ROWS["y"])
    assert (
        down.counterexample
        == "at right (3 <= age): P(a) is 0.3333333333, and 0.75 at left (age < 3)"
    )


def test_a_function_sees_the_rows_as_the_clauses_say() -> None:
    def classes(tree: Tree) -> bool:
        return set(tree.leaves()[0].summary["counts"]) <= {"a", "b"}

    more = ROWS.with_columns(last=pl.Series(range(6)))
    for given in ({"X": more, "y": "y"}, {"X": ROWS.drop("y"), "y": list("aabbab")}):
        assert [r.holds for r in slp.check(STUMP, classes, **given)] == [True]
    found = slp.check(STUMP, ":- response(y). :- constraint(first(age)).", classes, X=more)
    assert [r.holds for r in found] == [True, True]


def test_code_in_a_check() -> None:
    text = f'python("{__name__}:never")'
    assert [r.holds for r in slp.check(STUMP, text)] == [None]
    assert [r.holds for r in slp.check(STUMP, text, allow_code=True)] == [False]


def test_what_is_no_program_and_what_is_no_tree() -> None:
    for given in ("first(age)", None):
        with pytest.raises(slp.UsageError) as caught:
            STUMP.check(given)
        assert str(caught.value) == (
            f"error[E612]: a tree is checked against a program, and {given!r} is none\n"
            "  help: give what slp.load or slp.parse gives; for constraints by themselves there is "
            "slp.check"
        )
    with pytest.raises(slp.UsageError) as caught:
        slp.check({"counts": {}}, "first(age)")  # type: ignore[arg-type]
    assert str(caught.value) == (
        "error[E613]: {'counts': {}} is no tree\n"
        "  help: of JSON data make one by slp.Tree.from_dict; slp.parse and slp.load check a "
        "program"
    )
    with pytest.raises(slp.UsageError) as caught:
        slp.check("1 :: t --> leaf. " * 1000)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200


def test_a_fault_in_the_text_of_a_constraint() -> None:
    with pytest.raises(slp.ProgramError) as caught:
        slp.check(STUMP, "frist(age)")
    assert str(caught.value).splitlines()[:2] == [
        "error[E140]: there is no constraint `frist`",
        " --> <constraint>:1:1",
    ]


@pytest.mark.parametrize(
    ("texts", "code", "help"),
    [
        (["forbid(agee)"], "E150", "did you mean `age`?"),
        (["box(infant, agge, 0, 3).", "constant(infant)"], "E150", "did you mean `age`?"),
        (["first(y)"], "E150", "name a feature, or another response by `:- response(Column).`"),
        (["box(old, age, 3, inf).", "majority(old, aa)"], "E151", "did you mean `a`?"),
    ],
)
def test_names_that_the_table_lacks(texts: list[str], code: str, help: str) -> None:
    for given in ({"X": ROWS, "y": "y"}, {"X": ROWS.drop("y"), "y": ROWS["y"]}):
        with pytest.raises(slp.DataError) as raised:
            slp.check(STUMP, *texts, **given)
        found = raised.value.diagnostics[0]
        assert (found.code, found.help) == (code, help)
    program = slp.parse(f"{texts[0] if texts[1:] else ''} :- constraint({texts[-1]}). {GROW}")
    with pytest.raises(slp.DataError, match=code):
        STUMP.check(program, ROWS)


def test_a_function_that_gives_no_answer_shows_the_tree_line_by_line() -> None:
    def nothing(tree: Tree) -> None:
        return None

    with pytest.raises(slp.SlpError) as raised:
        slp.check(STUMP, nothing)
    _, help, *drawn = str(raised.value).splitlines()
    assert help == "  help: in call 1 it was asked of this tree:"
    assert drawn == [f"    {line}" for line in str(STUMP).splitlines()]


def test_several_constraints_are_arguments_of_their_own() -> None:
    with pytest.raises(slp.UsageError) as raised:
        slp.check(STUMP, ["first(age)", "once(age)"])
    (found,) = raised.value.diagnostics
    assert found.code == "E655" and "`slp.check` takes" in found.message
    assert found.help is not None and "slp.check(tree, *several)" in found.help
