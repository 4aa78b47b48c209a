"""Programs: clauses and directives, op/3, comments, and one report of every mistake."""

from __future__ import annotations

import pytest

from slp.errors import ProgramError
from slp.source import SourceFile, SourceSpan
from slp.syntax import parse_program, parse_recovering, parse_term
from slp.syntax.ast import Clause, Directive, SourceProgram
from slp.syntax.operands import SequenceItem, item_span
from slp.terms import Atom, Number, Struct, Var


def program(text: str) -> SourceProgram:
    return parse_program(SourceFile("p.slp", text))


def codes(text: str) -> list[tuple[str, int]]:
    """Code and line of each mistake."""
    _, diagnostics = parse_recovering(SourceFile("p.slp", text))
    return [(d.code, d.span.file.line_column(d.span.start)[0]) for d in diagnostics if d.span]


@pytest.mark.parametrize(
    ("text", "label", "head", "arrow", "body"),
    [
        ("a.", None, "a", None, None),
        ("a(X) :- b, c.", None, "a(X)", ":-", "b, c"),
        ("a --> b.", None, "a", "-->", "b"),
        ("0.5 :: a.", "0.5", "a", None, None),
        ("X/2 :: a :- b.", "X/2", "a", ":-", "b"),
        ("1 - p^(1+D) :: t(D) --> {D > 1}, leaf.", "1 - p^(1+D)", "t(D)", "-->", "{D > 1}, leaf"),
        ("P :: a.", "P", "a", None, None),
    ],
)
def test_clause_parts(
    text: str, label: str | None, head: str, arrow: str | None, body: str | None
) -> None:
    (item,) = program(text).items
    assert isinstance(item, Clause)
    assert item.label == (None if label is None else parse_term(label))
    assert item.head == parse_term(head)
    assert item.arrow == arrow
    assert item.body == (None if body is None else parse_term(body))
    assert item.term == parse_term(text)
    assert item.span.text == text


def test_directives() -> None:
    (item,) = program(":- param(alpha, 0.95).").items
    assert isinstance(item, Directive)
    assert item.goal == Struct("param", (Atom("alpha"), Number(0.95)))
    assert item.term == parse_term(":- param(alpha, 0.95)")
    (kept,) = program(":- use_module(library(lists)).").items
    assert isinstance(kept, Directive)


def test_op_changes_the_rest_of_the_file() -> None:
    text = ":- op(700, xfx, [===>, is_like]).\na :- X ===> b, X is_like c.\n"
    clause = program(text).items[1]
    assert isinstance(clause, Clause)
    first = Struct("===>", (Var("X"), Atom("b")))
    assert clause.body == Struct(",", (first, Struct("is_like", (Var("X"), Atom("c")))))
    assert codes("a :- X ===> b.\n" + text) == [("E030", 1)]


def test_op_with_priority_zero_takes_an_operator_away() -> None:
    assert codes(":- op(0, xfx, is).\na :- X is 1.\n") == [("E030", 2)]
    assert codes("a :- X is 1.\n:- op(0, xfx, is).\n") == []


def test_comments_are_kept_in_order() -> None:
    have = program("% one\na. /* two\n*/ b :- c, % three \n  d.\n% four")
    assert [c.text for c in have.comments] == ["% one", "/* two\n*/", "% three ", "% four"]
    assert [c.span.text for c in have.comments] == [c.text for c in have.comments]


def test_comments_and_full_stops_within_quotes() -> None:
    have = program("a('% no. comment', \"/* nor. here\").")
    assert have.comments == ()
    assert len(have.items) == 1


def test_empty_programs() -> None:
    assert program("").items == ()
    assert program("\n % only a comment").items == ()


def test_every_mistake_is_reported_at_once() -> None:
    text = (
        "a(.\n"  # 1: never closed
        "b.\n"
        "c :- d e.\n"  # 3: operator expected
        "Tree --> leaf.\n"  # 4: variable as head
        "f('unclosed).\n"  # 5
        "g(X, , Y) :- h(1x), i().\n"  # 6: bad number
        "g(X, , Y) :- i().\n"  # 7: two mistakes
        "j\n"
        "k.\n"  # 9: full stop missing before
        "l"  # 10: no full stop
    )
    assert codes(text) == [
        ("E020", 1),
        ("E030", 3),
        ("E042", 4),
        ("E010", 5),
        ("E014", 6),
        ("E026", 7),
        ("E024", 7),
        ("E032", 9),
        ("E033", 10),
    ]
    kept, _ = parse_recovering(SourceFile("p.slp", text))
    assert [item.term for item in kept.items] == [Atom("b")]
    with pytest.raises(ProgramError) as error:
        program(text)
    assert len(error.value.diagnostics) == 9


def test_several_full_stops_missing() -> None:
    assert codes("a\nb\nc :- d\ne f.\n") == [("E032", 2), ("E032", 3), ("E032", 4), ("E030", 4)]


def test_mistake_inside_an_infix_bracket_is_told_once() -> None:
    assert codes("a :- X is 2*(1, , 3).") == [("E026", 1)]


def test_unclosed_quote_costs_its_own_clause_only() -> None:
    assert codes("a('b).\nc.\nd d.\n") == [("E010", 1), ("E030", 3)]


def test_faults_in_long_programs_take_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    def counted(item: SequenceItem, file: SourceFile) -> SourceSpan:
        nonlocal looked_at
        looked_at += 1
        return item_span(item, file)

    monkeypatch.setattr("slp.syntax.terms.item_span", counted)
    monkeypatch.setattr("slp.syntax.operands.item_span", counted)
    assert len(codes("a\n" * 1000 + ".")) == 999
    assert looked_at <= 10 * 1000


@pytest.mark.parametrize(
    ("text", "lefts"),
    [
        (":- start(t)\n:- response(y).\nt --> leaf.", ["start(t)"]),
        (":- a\n:- b\n:- c.", ["a", "b"]),
        (":- use(growtree)\n\n% a comment\n:- param(a, 1).", ["use(growtree)"]),
        ("1 :: t --> leaf\n:- start(t).", ["leaf"]),
        ("p :- q\n:- start(t).", ["q"]),
        (":- dynamic foo\n:- start(t).", ["dynamic foo"]),
        (":- start(t)\n1 :: t --> leaf\n:- response(y).", ["start(t)", "leaf"]),
    ],
)
def test_a_full_stop_missing_before_a_directive(text: str, lefts: list[str]) -> None:
    """`:-` is an infix operator too; what stands at the start of a line begins a clause."""
    _, found = parse_recovering(SourceFile("p.slp", text))
    assert [d.code for d in found] == ["E032"] * len(lefts)
    assert [d.help for d in found] == [f"put a full stop after {left}" for left in lefts]
    assert all(d.span is not None and text[d.span.start - 1] == "\n" for d in found)


@pytest.mark.parametrize("text", ["a :- b :- c.", ":- a\n  :- b.", "p :- a = b\n= c."])
def test_a_clash_of_operators_stays_one(text: str) -> None:
    assert [code for code, _ in codes(text)] == ["E035"]


def test_a_body_may_begin_a_line() -> None:
    assert codes("p\n:- q.\n") == []
