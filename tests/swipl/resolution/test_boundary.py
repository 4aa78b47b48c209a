"""The check before everything that SWI-Prolog calls for a program, called directly. It must refuse
goals that the translation never makes."""

from __future__ import annotations

from types import ModuleType

import pytest

import slp
from slp.swipl.prolog import PrologProgram


@pytest.fixture(scope="module")
def module() -> str:
    """The module of a program with the native predicates p/1 (n1) and append/3 (n2)."""
    loaded = PrologProgram(slp.parse("p(a). append(_, _, own). 1 :: q.").ir)
    return loaded.module


def permitted(janus: ModuleType, goal: str, module: str) -> bool:
    asked = f"\\+ \\+ ( term_to_atom(_G, Goal), slp_boundary:permitted(_G, {module}) )"
    return bool(janus.query_once(asked, {"Goal": goal})["truth"])


@pytest.mark.parametrize(
    "goal",
    [
        "true",
        "!",
        "n1(_)",
        "(n1(X), X = a ; \\+ n2(_, _, X))",
        "findall(X, n1(X), _)",
        "X = a",
        "lists:append(_, _, _)",
        "slp_boundary:blamed(1, system:length(_, _))",
        "slp_boundary:blamed(1, lists:reverse(_, _))",
        "_ is 1 + 2 * X",
        "1 < 2 + X",
    ],
)
def test_what_is_permitted(janus: ModuleType, module: str, goal: str) -> None:
    assert permitted(janus, goal, module)


@pytest.mark.parametrize(
    "goal",
    [
        "_",
        "call(_)",
        "call(n1, _)",
        "(true, _)",
        "\\+ _",
        "findall(_, _, _)",
        "_:_",
        "_:true",
        "system:_",
        "system:true",
        "system:shell(true)",
        "user:true",
        "shell(true)",
        "p(_)",
        "n9(_)",
        "n1(_, _)",
        "n1",
        "f3(_)",
        "append(_, _, _)",
        "lists:_",
        "lists:maplist(_, _)",
        "lists:shell(true)",
        "lists:(system:shell(true))",
        "length(_, _)",
        "catch(true, _, true)",
        "findall(_, true, _, _)",
        "forall(true, true)",
        "@(true, user)",
        "slp_engine:slp_consult(a, _)",
        "slp_boundary:run(_)",
        "slp_boundary:forget_program(_)",
        "slp_boundary:blamed(1, _)",
        "slp_boundary:blamed(1, _:_)",
        "slp_boundary:blamed(1, true)",
        "slp_boundary:blamed(1, system:_)",
        "slp_boundary:blamed(1, system:shell(true))",
        "slp_boundary:blamed(1, system:append(_, _, _))",
        "slp_boundary:blamed(1, user:true)",
        "slp_boundary:blamed(1, lists:length(_, _))",
        "slp_boundary:blamed(1, lists:(system:shell(true)))",
        "slp_arithmetic:value(_, _, _, _)",
        "slp_arithmetic:set_parameter(_, _, _)",
        "slp_arithmetic:quick(1, m, _, random(5))",
        "_ is random(5)",
        "_ is cputime",
        "1 < 2 ** 3",
        "_ is 2 ** 20000",
        "prolog(true)",
        "1",
        '"true"',
        "[]",
    ],
)
def test_what_is_not(janus: ModuleType, module: str, goal: str) -> None:
    assert not permitted(janus, goal, module)
    run = "term_to_atom(_G, Goal), catch(slp_boundary:run(M:_G), _E, true), nonvar(_E)"
    called = janus.query_once(f"\\+ \\+ ( {run} )", {"Goal": goal, "M": module})
    assert called["truth"], "what is not permitted is not called"


def test_leave_is_for_one_program(janus: ModuleType, module: str) -> None:
    other = PrologProgram(slp.parse("p.").ir, allow_code=True)
    assert permitted(janus, "slp_boundary:blamed(1, user:true)", other.module)
    assert not permitted(janus, "slp_boundary:blamed(1, user:true)", module)


def test_a_module_holds_what_was_made(janus: ModuleType) -> None:
    """A program's predicates have names of ours, and its modules see no user and no library."""
    text = "p(a). append(_, _, own). 1 :: q. r(X) :- q, p(X). shell(_). 'n1'(_). 'f1'(_) :- q."
    loaded = PrologProgram(slp.parse(text).ir)
    for module in (loaded.module, loaded.module.replace("program", "facts")):
        found = janus.query(f"current_predicate({module}:N/A), atom_concat(L, _, N)")
        names = {answer["N"] for answer in found}
        assert names and all(name[0] in "nf" and name[1:].isdigit() for name in names)
        (above,) = [a["M"] for a in janus.query(f"import_module({module}, M)")]
        assert above == ("system" if "program" in module else "slp_nothing")


def test_a_predicate_of_as_many_arguments_is_another() -> None:
    """What q/2 draws is not what is kept for q/3, which draws nothing itself."""
    text = "1 :: c. 0.5 :: q(a, b). 0.5 :: q(a, c). q(X, Y, Z) :- c, X = 1, Y = 1, Z = 1."
    found = slp.parse(text).query("q(X, Y)", engine="prolog")
    assert [(a["X"], a["Y"]) for a in found.answers] == [("a", "b"), ("a", "c")]


def test_a_term_of_an_engine_is_a_term() -> None:
    """An answer that looked like a variable of ours came back as one."""
    goal = "X = '$slp_variable'(1), Y = '$slp_variable'(a)"
    (answer,) = slp.parse("p.").query(goal, engine="prolog").answers
    assert (answer["X"], answer["Y"]) == ("'$slp_variable'(1)", "'$slp_variable'(a)")
