"""What lowering refuses: every message in full, with its place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slp.constraints import MaxFeatures, Monotone, Once, Predicate
from slp.errors import DataError, ProgramError, SlpError, UnsupportedError
from slp.ir import program as ir
from slp.ir.constraints import Constraint
from slp.ir.grammar_text import grammar_to_text
from slp.ir.schema import Schema
from slp.lower import expansion, find_tests_on_trees, program_to_tree_grammar
from slp.syntax import parse_term
from slp.terms import Atom
from tests.lower.programs import GROWTREE, checked, numeric

_BARE = ir.CheckedProgram("bare", start=None, rules=())
_GOAL = Atom("check")
_SAMPLE = "take the engine `mh`, as `auto` does, or leave the constraint out"


@pytest.mark.parametrize(
    ("constraint", "says", "help"),
    [
        (
            MaxFeatures(3),
            "`max_features(3)` is decided at the finished tree, and trees cannot be summed exactly "
            "under it",
            _SAMPLE,
        ),
        (
            Monotone("age", "up"),
            "`monotone(age, up)` is decided at the finished tree, and trees cannot be summed "
            "exactly under it",
            _SAMPLE,
        ),
        (
            Predicate("python", _GOAL),
            "the Python predicate check is decided by code at the finished tree, and trees cannot "
            "be summed exactly under it",
            _SAMPLE,
        ),
        (
            Predicate("prolog", _GOAL, local=True),
            "the Prolog predicate check is decided by code at each node, and trees cannot be "
            "summed exactly under it",
            _SAMPLE,
        ),
    ],
)
def test_constraints_of_the_finished_tree_are_refused(
    constraint: Constraint, says: str, help: str
) -> None:
    program = ir.CheckedProgram("p", start=None, rules=(), constraints=(constraint,))
    with pytest.raises(UnsupportedError) as caught:
        program_to_tree_grammar(program, numeric("age"))
    (found,) = caught.value.diagnostics
    assert found.code == "E301"
    assert (found.message, found.help) == (says, help)
    assert find_tests_on_trees(program) == (found,)


def test_all_constraints_of_the_finished_tree_are_named_at_once() -> None:
    constraints = (MaxFeatures(3), Once("age"), Monotone("age", "up"))
    program = ir.CheckedProgram("p", start=None, rules=(), constraints=constraints)
    with pytest.raises(UnsupportedError) as caught:
        program_to_tree_grammar(program, numeric("age"))
    assert [d.code for d in caught.value.diagnostics] == ["E301", "E301"]


def test_an_engine_may_test_finished_trees_itself() -> None:
    text = GROWTREE + ":- constraint(max_features(2)). :- constraint(monotone(age, up))."
    text += ' :- constraint(python("m:f")).'
    schema = numeric("age", "bmi", most_leaves=3)
    have = program_to_tree_grammar(checked(text), schema, tests_on_trees=True)
    want = program_to_tree_grammar(checked(GROWTREE), schema)
    assert grammar_to_text(have) == grammar_to_text(want)
    assert want.normalised and not have.normalised


def test_states_tell_the_depth_where_predicates_are_asked_at_nodes() -> None:
    text = ":- start(t). 1/2 :: t --> split(F, V), t, t. 1/2 :: t --> leaf."
    schema = numeric("age", most_leaves=4)
    for local, names in ((False, ["t"]), (True, [f"t, depth {d}" for d in range(4)])):
        predicate = Predicate("python", _GOAL, local=local)
        program = replace(checked(text), constraints=(predicate,))
        grammar = program_to_tree_grammar(program, schema, tests_on_trees=True)
        assert [state.name for state in grammar.states] == names
        assert not grammar.normalised


def test_a_program_without_a_start() -> None:
    with pytest.raises(UnsupportedError) as caught:
        program_to_tree_grammar(_BARE, numeric("age"))
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("E302", "bare has no start, so it defines no trees")
    assert found.help == "declare one, as in `:- start(tree(0)).`"


def started(text: str, start: str) -> ir.CheckedProgram:
    """A checked program, but with a start that the checker never saw."""
    return replace(checked(text), start=parse_term(start))


def fault_of(program: ir.CheckedProgram, schema: Schema) -> SlpError:
    with pytest.raises(SlpError) as caught:
        program_to_tree_grammar(program, schema)
    return caught.value


LOOPS = """
:- start(t).
1 :: t --> leaf.
1 :: a(X) --> b(X).
1/2 :: b(X) --> a(X).
1/2 :: b(X) --> leaf.
1 :: up(K) --> up(K+1).
1/2 :: wide(K) --> split(F, V), wide(2*K), wide(2*K+1).
1/2 :: wide(K) --> leaf.
1/2 :: typo(F) --> split(F, V), leaf, leaf.
1/2 :: typo(F) --> leaf.
"""


def test_a_cycle_without_a_split() -> None:
    error = fault_of(started(LOOPS, "a(1)"), numeric("age"))
    assert isinstance(error, UnsupportedError)
    (found,) = error.diagnostics
    assert found.code == "E303"
    assert found.message == (
        "the calls `a(1)` -> `b(1)` -> `a(1)` never end: they come back to the same state without "
        "a split"
    )
    assert found.help == "split before the state repeats, or change an argument on the way"
    assert found.span is not None and found.span.text.startswith("1/2 :: b(X) --> a(X)")


def test_calls_that_count_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "MOST_CALLS", 100)
    error = fault_of(started(LOOPS, "up(0)"), numeric("age"))
    assert isinstance(error, UnsupportedError)
    (found,) = error.diagnostics
    assert found.code == "E305"
    assert found.message == (
        "the program has no finite tree grammar that fits here: "
        "more than 100 calls follow each other without a split; "
        "the first argument of `up/1` grows (103 values so far)"
    )
    assert found.help == "let a guard bound the arguments, such as `{ K < most_leaves }`"
    assert found.span is not None and found.span.text.startswith("1 :: up(K)")


def test_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "MOST_STATES", 1000)
    error = fault_of(started(LOOPS, "wide(1)"), numeric("age", most_leaves=20))
    assert isinstance(error, UnsupportedError)
    (found,) = error.diagnostics
    assert found.code == "E304"
    assert found.message == (
        "the program has no finite tree grammar that fits here: "
        "more than 1,000 states are reached; "
        "the first argument of `wide/1` grows (1,001 values so far)"
    )
    assert found.span is not None and found.span.text.startswith("1/2 :: wide(K) --> split")


_NAMES = [f"f{i}" for i in range(12)]
_PRICED = " ".join(f":- cost({name}, {i + 1})." for i, name in enumerate(_NAMES))
_PRICED += " :- constraint(max_cost(30))."
_ONCE = " ".join(f":- constraint(once({name}))." for name in _NAMES)


@pytest.mark.parametrize("prior", ["growtree", "denison"])
@pytest.mark.parametrize(
    ("constraints", "name", "how"),
    [
        (_PRICED, "max_cost", "give fewer features a cost"),
        (_ONCE, "once", "write `once` for fewer features"),
        (f"{_ONCE} :- constraint(first(f0)).", "once", "write `once` for fewer features"),
    ],
)
def test_constraints_that_remember_too_much(
    monkeypatch: pytest.MonkeyPatch, prior: str, constraints: str, name: str, how: str
) -> None:
    """The constraint is named, not an argument that has fewer values."""
    monkeypatch.setattr(expansion, "MOST_STATES", 200)
    program = checked(f":- use({prior}). {constraints}")
    error = fault_of(program, numeric(*_NAMES, most_leaves=20))
    (found,) = error.diagnostics
    assert found.code == "E304"
    assert f"what `{name}` remembers of a path grows (" in found.message
    assert found.help == f"take the engine `mh`, or {how}"


def test_a_feature_that_the_table_does_not_have() -> None:
    error = fault_of(started(LOOPS, "typo(agee)"), numeric("age", "bmi"))
    assert isinstance(error, DataError)
    (found,) = error.diagnostics
    assert found.code == "E306"
    assert found.message == "a rule splits on `agee`, which is no feature of the table"
    assert found.help == "did you mean `age`?"
    assert found.span is not None and found.span.text.startswith("1/2 :: typo(F) --> split")
    error = fault_of(started(LOOPS, "typo(q)"), numeric("age", "bmi"))
    assert error.diagnostics[0].help == "leave the rule out, or add the column"


def test_faults_of_guards_come_through() -> None:
    error = fault_of(started(LOOPS, "up(X)"), numeric("age"))
    assert isinstance(error, ProgramError)
    assert [d.code for d in error.diagnostics] == ["E221"]
