"""A program without permission to run code can call only its own clauses and built-ins."""

from __future__ import annotations

from pathlib import Path

import pytest

import slp
from slp.errors import SlpError
from slp.resolution import Limits

#: Each would create the file `seen`, or change Prolog for the next program.
GOALS = [
    "shell('touch {seen}')",
    "shell('touch {seen}', _)",
    "open('{seen}', write, _)",
    "consult('{file}')",
    "['{file}']",
    "use_module('{file}')",
    "load_files('{file}', [])",
    "assertz(seen)",
    "asserta(seen)",
    "retract(p)",
    "abolish(p/0)",
    "py_call(os:system('touch {seen}'))",
    "janus:py_call(os:system('touch {seen}'))",
    "halt",
    "tell('{seen}')",
    "set_prolog_flag(occurs_check, false)",
    "nb_setval(seen, 1)",
    "op(700, xfx, seen)",
    "thread_create(true)",
    "system:shell('touch {seen}')",
    "user:assertz(seen)",
    "lists:append([], [], []), shell('touch {seen}')",
    "slp_engine:slp_unload(slp_program_0, _)",
    "slp_engine:slp_consult('{file}', _)",
    "@(shell('touch {seen}'), system)",
    "term_expansion(a, b)",
    "prolog(shell('touch {seen}'))",
    "catch(shell('touch {seen}'), _, true)",
    "setup_call_cleanup(true, true, shell('touch {seen}'))",
    "read_term(_, [])",
    "process_create(path(touch), ['{seen}'], [])",
    "getenv('HOME', _)",
]

#: Ways to call a goal that is only known when it is called.
WAYS = [
    "{goal}",
    "call({goal})",
    "once({goal})",
    "\\+ {goal}",
    "findall(x, {goal}, _)",
    "forall(true, {goal})",
    "( {goal} -> true ; true )",
    "X = ({goal}), X",
    "X = ({goal}), call(X)",
    "X = ({goal}), once(X)",
    "X = ({goal}), \\+ X",
    "X = ({goal}), findall(x, X, _)",
    "X = ({goal}), Y = call(X), Y",
    "X = ({goal}), ( X -> true ; true )",
    "({goal}) =.. L, G =.. L, G",
    "({goal}) =.. [N | As], append(As0, [Z], As), G =.. [N | As0], call(G, Z)",
]


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    return tmp_path / "seen"


def refused(text: str, goal: str) -> bool:
    """Whether each way to ask, and to write the goal into a program, ends in a message."""
    limits = Limits(inferences=10_000)
    try:
        slp.parse(text).query(goal, engine="prolog", limits=limits)
    except SlpError:
        return True
    return False


@pytest.mark.parametrize("goal", GOALS)
def test_goals_that_break_out_are_refused(goal: str, seen: Path) -> None:
    file = seen.with_name("file.pl")
    file.write_text(f":- initialization(shell('touch {seen}')).\n")
    goal = goal.format(seen=seen, file=file)
    for way in WAYS:
        called = way.format(goal=goal)
        last = called.startswith("(") and "append" in called  # a goal without arguments fails
        assert refused("p.", called) or (last and "(" not in goal), called
        assert refused(f"p :- {called}.", "p") or (last and "(" not in goal), called
    assert not seen.exists()


@pytest.mark.parametrize(
    "text",
    [
        ":- initialization(shell('touch {seen}')).",
        ":- shell('touch {seen}').",
        ":- use_module(library(shell)).",
        ":- use_module(library(janus)).",
        ":- set_prolog_flag(double_quotes, atom).",
        ":- dynamic(p/1).",
        "term_expansion(X, Y) :- shell('touch {seen}').\np(a).",
        "goal_expansion(X, Y) :- shell('touch {seen}').\np(a).",
        "user:term_expansion(X, X).",
        "system:shell(_).",
        "'$slp p'(1).\np :- shell('touch {seen}').",
    ],
)
def test_files_that_break_out_are_refused(text: str, seen: Path) -> None:
    assert refused(text.format(seen=seen), "p(a)")
    assert not seen.exists()


def test_expansions_are_only_clauses(seen: Path) -> None:
    """Predicates of these names are like others, and nobody calls them."""
    text = "term_expansion(p(_), p(b)). goal_expansion(p(X), fail). portray(_). p(a)."
    found = slp.parse(text).query("p(X)", engine="prolog")
    assert [a["X"] for a in found.answers] == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        "p :- p.",
        "p :- p, p.",
        "p :- p.\np :- p.",
        "p :- q(X, X). q(X, Y) :- q(f(X, Y), f(Y, X)).",
        "p :- length(L, N), N < 0.",
        "p :- between(1, inf, X), X < 0.",
        "p :- findall(X, between(1, inf, X), _).",
        "0.5 :: c. 0.5 :: c. p :- c, p.",
        "p :- X = p, call(X).",
        "p :- length(L, 100000000).",
        "p :- X is 7 ** 7 ** 7 ** 7, X > 0.",
        "p :- X is 1 << 100000000000, X > 0.",
        "p :- atom_length(abc, N), functor(T, f, 100000000), N > 5.",
    ],
)
def test_endless_programs_end(text: str) -> None:
    """In a message, or in an answer that says what was not looked at."""
    limits = Limits(inferences=50_000)
    try:
        found = slp.parse(text).query("p", engine="prolog", limits=limits)
    except SlpError:
        return
    assert not found.complete


def test_programs_do_not_see_each_other() -> None:
    first = slp.parse("0.5 :: p(a). 0.5 :: p(b). q(1).")
    second = slp.parse("0.5 :: p(c). 0.5 :: p(d).")
    for program, want in ((first, "ab"), (second, "cd"), (first, "ab")):
        found = program.query("p(X)", engine="prolog")
        assert sorted(a["X"] for a in found.answers) == list(want)
    with pytest.raises(SlpError):
        second.query("q(X)", engine="prolog")


def test_code_that_is_allowed(seen: Path) -> None:
    goal = f"prolog(shell('touch {seen}'))"
    assert slp.parse("p.").query(goal, engine="prolog", allow_code=True).success == 1
    assert seen.exists()
