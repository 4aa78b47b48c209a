"""Predicates that a program names or a caller brings: permission, import, faults, starts."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import slp
from slp.cli.draws_lines import draws_lines
from slp.trees import Tree
from slp.trees.predicates import HOSTS
from tests.api.tables import ROWS, fault

pytestmark = pytest.mark.filterwarnings("ignore::slp.SlpWarning")

SHAPE = """
import sys
touched = "yes"
not_a_function = 3

def small(tree):
    return tree.n_leaves <= 3

def broken(tree):
    return 1 / (tree.n_leaves - tree.n_leaves)

def leaves(tree):
    sys.exit(3)

def forgetful(tree):
    tree.n_leaves <= 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module; each test's own name, as modules are remembered by name."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / f"{tmp_path.name}_shape.py").write_text(SHAPE)
    return tmp_path


def module(folder: Path) -> str:
    return f"{folder.name}_shape"


def program(folder: Path, function: str, more: str = "") -> slp.Program:
    file = folder / "prior.slp"
    name = function if ":" in function else f"{module(folder)}:{function}"
    file.write_text(f':- use(growtree).\n:- constraint(python("{name}")).\n{more}')
    return slp.load(file)


def test_code_beside_the_program_runs_if_it_is_allowed(folder: Path) -> None:
    posterior = program(folder, "small").posterior(ROWS, seed=1, draws=40, allow_code=True)
    assert {draw.tree.n_leaves for draw in posterior.draws} <= {1, 2, 3}
    assert posterior.engine == "mh"
    assert posterior.reason == (
        f"the Python predicate {module(folder)}:small is decided by code at the finished tree, and "
        "trees cannot be summed exactly under it"
    )


def test_a_program_runs_nothing_unless_told(folder: Path) -> None:
    made = program(folder, "small")
    made.explain(ROWS)
    made.compile(ROWS)
    for run in (made.posterior, made.prior):
        with pytest.raises(slp.ProgramError) as caught:
            run(ROWS)
        (found,) = caught.value.diagnostics
        assert (found.code, found.message) == (
            "E650",
            f"the Python predicate {module(folder)}:small runs code, and is refused",
        )
        assert found.help == (
            "allow it with --allow-code (`allow_code=True`), if you trust this program"
        )
        assert found.span is not None
    assert module(folder) not in sys.modules


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            "no_such_module_anywhere:f",
            "the Python predicate no_such_module_anywhere:f cannot be imported: "
            "ModuleNotFoundError: No module named 'no_such_module_anywhere'",
        ),
        (
            "math:no_such",
            "the Python predicate math:no_such cannot be imported: AttributeError: module 'math' "
            "has no attribute 'no_such'",
        ),
        ("math:pi", "the Python predicate math:pi is no function, but 3.141592653589793"),
    ],
)
def test_what_cannot_be_imported(folder: Path, function: str, message: str) -> None:
    error = fault(program(folder, function), allow_code=True)
    assert (error.diagnostics[0].code, error.diagnostics[0].message) == ("E651", message)


def test_a_module_that_fails(folder: Path) -> None:
    (folder / "half_written.py").write_text("x = 1\ny = undefined\n")
    error = fault(program(folder, "half_written:f"), allow_code=True)
    assert error.diagnostics[0].message == (
        "the Python predicate half_written:f cannot be imported: "
        "NameError: name 'undefined' is not defined (half_written.py, line 2)"
    )
    assert isinstance(error.__cause__, NameError)


def test_a_predicate_that_raises(folder: Path) -> None:
    error = fault(program(folder, "broken"), allow_code=True)
    (found,) = error.diagnostics
    assert (found.code, found.message) == (
        "E653",
        f"the Python predicate {module(folder)}:broken raised ZeroDivisionError: division by zero "
        f"({module(folder)}.py, line 10)",
    )
    assert found.help is not None
    first, *tree = found.help.splitlines()
    assert first == "in call 1 it was asked of this tree:"
    assert len(tree) >= 1
    assert isinstance(error.__cause__, ZeroDivisionError)


def test_a_predicate_that_would_end_the_process(folder: Path) -> None:
    error = fault(program(folder, "leaves"), allow_code=True)
    assert "raised SystemExit: 3" in error.diagnostics[0].message


class MuteError(Exception):
    """It cannot even say what it is."""

    def __str__(self) -> str:
        raise ValueError

    __repr__ = __str__


def test_exceptions_and_answers_that_cannot_be_printed() -> None:
    def raising(tree: Tree) -> bool:
        raise MuteError

    def giving(tree: Tree) -> MuteError:
        return MuteError()

    name = "the Python predicate tests.api.test_predicates:"
    for function, said in (
        (raising, "raised MuteError: <MuteError> (test_p"),
        (giving, "gave <MuteError>, which"),
    ):
        (found,) = fault(slp.parse(":- use(growtree).").require(function)).diagnostics
        assert found.message.startswith(f"{name}test_exceptions_and_answers_that_")
        assert f"{function.__name__} {said}" in found.message


def test_an_answer_that_is_none(folder: Path) -> None:
    (found,) = fault(program(folder, "forgetful"), allow_code=True).diagnostics
    assert (found.code, found.message) == (
        "E654",
        f"the Python predicate {module(folder)}:forgetful gave None, which is neither True nor "
        "False",
    )


@pytest.mark.parametrize("proposal", ["q_uc", "q_exact"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_fault_in_the_middle_of_a_run(proposal: str, threads: int) -> None:
    calls = 0

    def tired(tree: Tree) -> bool:
        nonlocal calls
        calls += 1
        if calls > 50:
            raise OSError("no more")
        return True

    made = slp.parse(":- use(growtree).").require(tired)
    with pytest.raises(slp.SlpError) as caught:
        made.posterior(ROWS, seed=1, draws=400, threads=threads, proposal=proposal)
    found = caught.value.diagnostics[0]
    assert found.code == "E653"
    assert found.message.startswith("the Python predicate tests.api.test_predicates:")
    assert "raised OSError: no more (test_predicates.py, line " in found.message
    assert found.help is not None
    assert re.match(r"in call 5\d it was asked of this tree:\n", found.help)


def test_functions_that_a_caller_brings() -> None:
    program = slp.parse(":- use(growtree).")
    made = program.require(lambda tree: np.bool_(tree.depth <= 1))
    assert program.ir.constraints == () and len(made.ir.constraints) == 1
    assert len(made.require(lambda tree: True).ir.constraints) == 2
    assert made.describe().splitlines()[-2].endswith("<lambda> holds of the finished tree.")
    posterior = made.with_parameters(alpha=0.5).posterior(ROWS, seed=1, draws=40)
    assert {draw.tree.depth for draw in posterior.draws} == {0, 1}
    with pytest.raises(slp.UsageError) as caught:
        made.require(3)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "error[E655]: `require` takes a function, not 3\n"
        "  help: give a function of a tree, as in `require(small)`"
    )


def test_a_part_of_a_function_has_the_name_of_the_function() -> None:
    made = slp.parse(":- use(growtree).").require(partial(at_most, 3))
    (asked,) = made.posterior(ROWS, seed=1, draws=4).predicates
    assert asked.words == "the Python predicate tests.api.test_predicates:at_most"


def at_most(leaves: int, tree: Tree) -> bool:
    return tree.n_leaves <= leaves


def test_a_predicate_sees_the_tree_with_its_counts() -> None:
    seen: list[Tree] = []

    def note(tree: Tree) -> bool:
        seen.append(tree)
        return True

    slp.parse(":- use(growtree).").require(note).posterior(ROWS, seed=1, draws=20)
    assert all(
        sum(sum(leaf.summary["counts"].values()) for leaf in tree.leaves()) == 6 for tree in seen
    )
    assert all(tree == tree.with_leaves(tree.leaves()) for tree in seen[:5])
    assert len({hash(tree) for tree in seen}) > 1


NEVER = "the Python predicate tests.api.test_predicates:never"


def never(tree: Tree) -> bool:
    return False


@pytest.mark.parametrize("proposal", ["q_uc", "q_exact"])
def test_no_start(proposal: str) -> None:
    error = fault(slp.parse(":- use(growtree).").require(never), proposal=proposal)
    (found,) = error.diagnostics
    assert found.help is not None
    first, second, *tree = found.help.splitlines()
    assert first == "loosen the constraints on the finished tree, or have fewer cuts (bins)"
    assert second == f"{NEVER} refused this tree, among others:"
    assert tree
    asked = re.fullmatch(
        "no tree to start from was found among 2,000 drawn from the program: 2,000 of them break a "
        f"constraint on the finished tree, the others fail; {NEVER} refused ([\\d,]+) of "
        "([\\d,]+) that it was asked of",
        found.message,
    )
    # Of a tree that is drawn again the answer is known.
    assert found.code == "E517" and asked is not None and asked[1] == asked[2] != "2,000"


def test_no_start_under_a_predicate_on_nodes() -> None:
    (found,) = fault(slp.parse(":- use(growtree).").require(never, local=True)).diagnostics
    # Both ways on from the root are asked about once: a leaf, and seven splits.
    assert (found.code, found.message) == (
        "E517",
        "no tree to start from was found among 2,000 drawn from the program: every one came to a "
        f"box where no rule applies; {NEVER} refused 8 of 8 that it was asked of",
    )
    assert found.help is not None
    assert found.help.splitlines()[1] == f"{NEVER} refused this node, among others:"


STUMP_ON_AGE = slp.Tree.from_dict({"feature": "age", "threshold": 3, "left": {}, "right": {}})


def test_no_start_by_edits() -> None:
    made = slp.load("edittree", tree=STUMP_ON_AGE).require(never)
    (found,) = fault(made).diagnostics
    asked = re.fullmatch(
        "no edits of the given tree were found that lead to a tree which satisfies the "
        f"constraints; {NEVER} refused ([\\d,]+) of ([\\d,]+) that it was asked of",
        found.message,
    )
    assert found.code == "E519" and asked is not None and asked[1] == asked[2]
    assert found.help is not None
    assert found.help.splitlines()[1] == f"{NEVER} refused this tree, among others:"


@pytest.mark.parametrize(
    ("made", "local", "rungs"),
    [
        (slp.load("growtree"), False, 1),
        (slp.load("growtree"), False, 2),
        (slp.load("edittree", tree=STUMP_ON_AGE), False, 1),
        (slp.parse(":- use(growtree).").require(never), True, 1),
    ],
)
def test_the_time_of_a_run_is_heeded_in_the_search_for_a_start(
    made: slp.Program, local: bool, rungs: int
) -> None:
    def slow(subject: object) -> bool:
        time.sleep(0.02)
        return local

    started = time.monotonic()
    error = fault(made.require(slow, local), time=0.3, rungs=rungs)
    assert time.monotonic() - started < 5
    assert isinstance(error, slp.BudgetError)
    (found,) = error.diagnostics
    assert found.code == "E540"
    assert found.message.startswith("the time of 0.3 s is over, and nothing was drawn: no ")
    asked = re.search(r"slow refused (\d+) of (\d+) that it was asked of", found.message)
    assert asked is not None and int(asked[1]) == (0 if local else int(asked[2]))
    assert found.help == "give it more time, or looser constraints"


def test_exact_engines_refuse_predicates() -> None:
    with pytest.raises(slp.UnsupportedError) as caught:
        slp.parse(":- use(growtree).").require(never).posterior(ROWS, engine="exact")
    assert caught.value.diagnostics[0].code == "E301"


def test_a_host_of_another_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HOSTS, "prolog", lambda predicate, program: lambda t: t.n_leaves == 2)
    made = slp.parse(":- use(growtree). :- constraint(prolog(stump)).")
    posterior = made.posterior(ROWS, seed=1, draws=20, allow_code=True)
    assert {draw.tree.n_leaves for draw in posterior.draws} == {2}


@pytest.mark.slow
def test_a_checkpoint_is_of_a_program_with_its_predicates(tmp_path: Path) -> None:
    script = """
import sys, polars as pl, slp, warnings
warnings.simplefilter("ignore")
def small(tree):
    return tree.n_leaves <= 3
rows = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6], "y": list("aabbab")})
made = slp.parse(":- use(growtree).").require(small)
found = made.posterior(rows, seed=1, draws=int(sys.argv[1]), checkpoint=sys.argv[2],
                       resume=sys.argv[3] == "on", rounds=1)
print([d.tree.to_dict() for d in found.draws][-5:])
"""

    def run(draws: int, name: str, resume: str) -> str:
        words = [sys.executable, "-P", "-c", script, str(draws), str(tmp_path / name), resume]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    run(40, "a", "off")
    assert run(80, "a", "on") == run(80, "b", "off")


def test_how_often_a_predicate_was_asked() -> None:
    calls = 0

    def counted(tree: Tree) -> bool:
        nonlocal calls
        calls += 1
        return tree.n_leaves % 2 == 1

    posterior = slp.parse(":- use(growtree).").require(counted).posterior(ROWS, seed=1, draws=40)
    (asked,) = posterior.predicates
    assert asked.asked == calls > asked.refused > 0
    assert asked.seconds > 0
    (line,) = [
        text for text in draws_lines(posterior, 40, None, verbose=True) if text.startswith("asked")
    ]
    assert line.startswith(
        "asked     the Python predicate tests.api.test_predicates:test_how_often_a_predicate_was_"
        f"asked.<locals>.counted: {asked.asked:,} calls, {asked.refused:,} refused, "
    )
