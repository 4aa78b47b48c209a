"""Notation from other logic languages is recognised, and the message shows the notation here."""

from __future__ import annotations

import pytest

import slp
from slp.errors import Diagnostic, SlpError

_EVENT = "0.3 :: a(yes).\n0.7 :: a(no).\n"


def faults(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(SlpError) as error:
        slp.parse(text)
    return tuple(error.value.diagnostics)


@pytest.mark.parametrize(
    ("goal", "why"),
    [
        ("assertz(q)", "a program does not change while it runs"),
        ("retract(q)", "a program does not change while it runs"),
        ("write(q)", "a goal touches nothing outside the program"),
        ("halt", "a goal touches nothing outside the program"),
        ("shell(q, 0)", "a goal touches nothing outside the program"),
        ("bagof(X, q(X), _)", "collect answers with `findall/3`"),
        ("catch(q, _, true)", "goals fail or succeed"),
    ],
)
def test_a_builtin_that_is_left_out_is_told_so(goal: str, why: str) -> None:
    (found,) = faults(f"asr.\nq.\nq(1).\np :- {goal}.")
    assert found.code == "E210" and "is left out of the language" in found.message
    assert found.help is not None and found.help.startswith(why)


def test_a_predicate_of_such_a_name_may_be_defined() -> None:
    slp.parse("assertz(1).\np :- assertz(1).\n")
    (found,) = faults("assertz(1).\np :- assertz(1, 2).\n")
    assert found.help == "there is `assertz/1`"


@pytest.mark.parametrize("text", ["0.3 :: a ; 0.7 :: b.", "0.3 :: a; 0.3 :: b; 0.4 :: c :- d."])
def test_an_annotated_disjunction(text: str) -> None:
    (found,) = faults(text)
    assert found.code == "E039" and "both sides of ;" in found.message
    assert found.help is not None and "clauses of one predicate" in found.help


def test_an_independent_event_with_a_body() -> None:
    (found,) = faults("0.3 :: a(X) :- b(X).\nb(1).\n")
    assert found.code == "E130" and found.help is not None
    told = found.help[found.help.index("`") + 1 : -1]
    assert told == ("a(X) :- b(X), a_event(yes). 0.3 :: a_event(yes). 0.7 :: a_event(no).")
    answers = slp.parse(f"{told}\nb(1).\n").query("a(X)").answers
    assert [(a["X"], a.mass) for a in answers] == [(1, 0.3)]


def test_questions_in_the_program() -> None:
    asked = "query(a(yes)).\nevidence(a(_), true).\nevidence(\\+ a(no)).\n"
    program = slp.parse(_EVENT + asked)
    assert [w.code for w in program.ir.warnings if w.code == "W110"] == ["W110"] * 3
    others = slp.parse(_EVENT + "query(b).\nevidence(c, 2).\nquery(X) :- a(X).")
    assert "W110" not in [w.code for w in others.ir.warnings]


def test_an_impossible_label_names_its_parameters() -> None:
    (found,) = faults(":- use(growtree, [alpha = 1.2]).")
    assert (found.code, found.help) == ("E220", "alpha = 1.2, which must be at most 1; beta = 1")
    assert [(r.message, r.span.text) for r in found.related] == [
        ("`alpha` is set here", "alpha = 1.2")
    ]


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        (":- dynamic(p/1).", "there is no directive `dynamic`", "take it out: clauses do not"),
        (":- discontiguous p/1.", "there is no directive `discontiguous`", "take it out: the"),
        (":- table(p/1).", "there is no directive `table`", "there is no tabling"),
        (":- set_prolog_flag(a, b).", "there is no directive `set_prolog_flag`", "there are no"),
        (":- module(m, []).", "there is no directive `module`", "there are no modules"),
        (":- initialization(main).", "there is no directive `initialization`", "no goal runs"),
        (":- consult('a.slp').", "there is no directive `consult`", "read a file by `:- use("),
        (":- include('a.slp').", "there is no directive `include`", "read a file by `:- use("),
        (
            ":- ensure_loaded(a).",
            "there is no directive `ensure_loaded`",
            "read a file by `:- use(",
        ),
        (":- [a, b].", "there is no directive `[...]`", "read a file by `:- use("),
        (":- set_sw(c, [0.5, 0.5]).", "there is no directive `set_sw`", "the labels of clauses"),
        (":- c(X), print(X).", "a directive runs no goal", "ask by the command: `slp query"),
        (":- print(a).", "a directive runs no goal", "ask by the command: `slp query"),
        (":- start(t), weights.", "a directive says one thing", "write one `:-` for each"),
    ],
)
def test_a_directive_of_prolog(text: str, message: str, help: str) -> None:
    (found,) = faults(text)
    assert (found.code, found.message) == ("E101", message)
    assert found.help is not None and found.help.startswith(help) and "\n" not in found.help


@pytest.mark.parametrize(
    ("goal", "help"),
    [
        ("not(q(X))", "write `\\+ Goal`"),
        ("dif(X, a)", "write `X \\= Y` behind the goals that bind X and Y"),
        ("msw(coin, X)", "a random choice is a predicate whose clauses have labels"),
        ("random_between(1, 3, X)", "a random choice is a predicate whose clauses have labels"),
    ],
)
def test_a_predicate_of_prolog_or_prism(goal: str, help: str) -> None:
    (found,) = faults(f"q(a).\np(X) :- {goal}.")
    assert found.code == "E210" and found.help is not None and found.help.startswith(help)


@pytest.mark.parametrize(
    ("text", "code", "underlined", "help"),
    [
        ("p(X) :- X <= 3.", "E030", "<=", "write =<"),
        ("p(X) :- X != h.", "E030", "!=", "write \\= between terms, =\\= between numbers"),
        ("p(X) :- not q(X).", "E030", "not", "write \\+ for a negation"),
        ("?- p(X).", "E046", "?- p(X)", "ask: slp query FILE 'p(X)'"),
        ("0,5 :: c(h).", "E014", "0,5", "write a decimal point: 0.5"),
        (".5 :: c(h).", "E014", ".5", "write a digit before the point: 0.5"),
        ("p(X) :- X > .25.", "E014", ".25", "write a digit before the point: 0.25"),
    ],
)
def test_signs_of_other_languages(text: str, code: str, underlined: str, help: str) -> None:
    (found,) = faults(text)
    assert found.span is not None
    assert (found.code, found.span.text, found.help) == (code, underlined, help)


def test_a_grammar_of_strings_is_told_how_text_is_written() -> None:
    (found,) = faults(':- start(s).\n1 :: s --> "the", n.\n1 :: n --> leaf.')
    assert found.code == "E113" and found.help is not None
    assert found.message == "a tree rule divides a box and reads no text"
    assert "np([the, dog|Rest], Rest)" in found.help


def test_a_file_in_double_quotes_has_one_fault() -> None:
    (found,) = faults(':- use(growtree).\n:- use("b.slp").\n:- constraint(constant(infant)).')
    assert (found.code, found.help) == ("E102", "write it in single quotes: `:- use('b.slp').`")


def warnings(text: str) -> list[tuple[str, str | None]]:
    found = slp.parse(text).warnings
    return [(d.code, d.span and d.span.text) for d in found if d.code in ("W111", "W112")]


@pytest.mark.parametrize(
    ("clauses", "found"),
    [
        ("q(X) :- \\+ c(X).", ["c(X)"]),
        ("r(N) :- findall(X, c(X), L), length(L, N).", ["c(X)"]),
        ("p(X) :- c(Y), ( Y == h -> X = 1 ; X = 0 ).\nm(L) :- findall(X, p(X), L).", ["p(X)"]),
        ("p :- ( c(h) -> c(t) ; c(h) ).", ["c(h)"]),
        ("p :- ( d -> c(t) ; c(h) ), once(c(h)), \\+ d.\nd.", []),
    ],
)
def test_a_condition_that_leads_to_labels(clauses: str, found: list[str]) -> None:
    have = warnings(f"0.5 :: c(h).\n0.5 :: c(t).\n{clauses}\n")
    assert have == [("W111", text) for text in found]


@pytest.mark.parametrize(
    ("clauses", "found"),
    [
        ("path(X, Z) :- path(X, Y), edge(Y, Z).\npath(X, Y) :- edge(X, Y).", ["path(X, Y)"]),
        ("path(X, Z) :- edge(X, Y), path(Y, Z).\npath(X, Y) :- edge(X, Y).", []),
        ("all([X|Xs]) :- all(Xs), edge(X, _).\nall([]).", []),
        ("0.5 :: w(X) :- w(Y), edge(Y, X).\n0.5 :: w(a).", []),
    ],
)
def test_left_recursion(clauses: str, found: list[str]) -> None:
    assert warnings(f"edge(a, b).\n{clauses}\n") == [("W112", text) for text in found]


@pytest.mark.parametrize(
    ("text", "code", "said", "help"),
    [
        ("p(1):0.3; p(2):0.7.", "E039", "between heads", "0.3 :: p(1). 0.7 :: p(2)."),
        ("0.3 : p(1) ; 0.7 : p(2) :- q.", "E039", "between heads", "0.3 :: p(1). 0.7 :: p(2)."),
        ("height(X) : normal(0, 1).", "E044", "distribution", "there are no densities"),
        ("height ~ normal(0, 1).", "E044", "distribution", "there are no densities"),
        ("normal(0, 1) :: height.", "E202", "distribution", "there are no densities"),
        ("p(X) :- X is log2(8).", "E202", "log2/1", "log(X) / log(2)"),
        ("p(X) :- lists:append([1], [2], X).", "E210", "modules", "`append([1], [2], X)` without"),
        ("p(X) :- include(q, [1], X).", "E210", "left out", "findall"),
        ("p :- maplist(q).", "E210", "maplist/1", "`maplist/2`, `maplist/3`"),
        ("p :- mapplist(q, [1]).", "E210", "mapplist/2", "did you mean `maplist/"),
        ("p('+' 1).", "E030", "in quotes is a name", "write `+` without quotes"),
    ],
)
def test_what_is_written_instead(text: str, code: str, said: str, help: str) -> None:
    found = faults(text)[0]
    assert found.code == code and said in found.message
    assert found.help is not None and help in found.help


def test_a_label_whose_guard_stands_behind_the_split() -> None:
    (found,) = faults(":- start(t).\n1/N :: t --> split(_, _), { N is 2 }, leaf, leaf.")
    assert found.code == "E118" and "behind the split gives it" in found.message
    slp.parse(":- start(t).\n1/N :: t --> { N is 1 }, split(_, _), leaf, leaf.")


@pytest.mark.parametrize("guard", ["(rows(N), N > 5 ; true)", "rows(N), (N > 5 ; N < 2)"])
def test_a_disjunction_over_rows_is_two_rules(guard: str) -> None:
    found = faults(f":- start(t).\n1 :: t --> {{ {guard} }}, leaf.")[0]
    assert found.code == "E223" and found.help is not None and "two rules" in found.help
