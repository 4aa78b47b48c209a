"""Predicates that a program names or a caller brings: permission, import, faults, starts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp
from slp.cli.summary import draws_lines
from slp.trees import Tree
from slp.trees.predicates import HOSTS

ROWS = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6], "dose": [5, 5, 6, 7, 5, 7], "y": list("aabbab")})
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


def fault(made: slp.Program, **options: object) -> slp.SlpError:
    with pytest.raises(slp.SlpError) as caught:
        made.posterior(ROWS, seed=1, draws=20, threads=1, **options)
    return caught.value


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
    made = slp.parse(":- use(growtree).")
    assert made.require(lambda tree: np.bool_(tree.depth <= 1)) is made
    assert made.describe().splitlines()[-2].endswith("<lambda> holds of the finished tree.")
    posterior = made.with_parameters(alpha=0.5).posterior(ROWS, seed=1, draws=40)
    assert {draw.tree.depth for draw in posterior.draws} == {0, 1}
    with pytest.raises(slp.UsageError) as caught:
        made.require(3)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "error[E655]: `require` takes a function, not 3\n"
        "  help: give a function of a tree, as in `require(small)`"
    )


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


@pytest.mark.parametrize("proposal", ["q_uc", "q_exact"])
def test_no_start(proposal: str) -> None:
    error = fault(slp.parse(":- use(growtree).").require(never), proposal=proposal)
    (found,) = error.diagnostics
    assert found.help == (
        "loosen `max_leaves`, `max_features`, `monotone` or the predicates, or have fewer cuts "
        "(bins)"
    )
    assert (found.code, found.message) == (
        "E517",
        "no tree to start from was found among 2,000 drawn from the program: 2,000 of them break a "
        "constraint on the finished tree, the others fail; the Python predicate "
        "tests.api.test_predicates:never refused 2,000 of 2,000 that it was asked of",
    )


def never(tree: Tree) -> bool:
    return False


def test_exact_engines_refuse_predicates() -> None:
    with pytest.raises(slp.UnsupportedError) as caught:
        slp.parse(":- use(growtree).").require(never).posterior(ROWS, engine="exact")
    assert caught.value.diagnostics[0].code == "E301"


def test_a_language_without_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(HOSTS, "prolog", raising=False)
    (found,) = fault(
        slp.parse(":- use(growtree). :- constraint(prolog(ok))."), allow_code=True
    ).diagnostics
    assert (found.code, found.message) == (
        "E652",
        "the Prolog predicate ok cannot be asked by any engine here",
    )


def test_a_host_of_another_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HOSTS, "prolog", lambda predicate, program: lambda t: t.n_leaves == 2)
    made = slp.parse(":- use(growtree). :- constraint(prolog(stump)).")
    posterior = made.posterior(ROWS, seed=1, draws=20, allow_code=True)
    assert {draw.tree.n_leaves for draw in posterior.draws} == {2}


def test_a_checkpoint_is_of_a_program_with_its_predicates(tmp_path: Path) -> None:
    script = """
import sys, polars as pl, slp, warnings
warnings.simplefilter("ignore")
def small(tree):
    return tree.n_leaves <= 3
rows = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6], "y": list("aabbab")})
made = slp.parse(":- use(growtree).").require(small)
found = made.posterior(rows, seed=1, draws=int(sys.argv[1]), checkpoint=sys.argv[2],
                       resume=sys.argv[3] == "on")
print([d.tree.to_dict() for d in found.draws][-5:])
"""

    def run(draws: int, name: str, resume: str) -> str:
        words = [sys.executable, "-c", script, str(draws), str(tmp_path / name), resume]
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
    (line,) = [text for text in draws_lines(posterior, 40, None) if text.startswith("asked")]
    assert line.startswith(
        "asked     the Python predicate tests.api.test_predicates:test_how_often_a_predicate_was_"
        f"asked.<locals>.counted: {asked.asked:,} times, {asked.refused:,} refused, "
    )


# --- slp.check ---------------------------------------------------------------------------------

STUMP = slp.Tree.from_dict({"feature": "age", "threshold": 3, "left": {}, "right": {}})


def test_constraints_by_themselves() -> None:
    limits = slp.parse(":- use(growtree). :- support(max_depth(1)).")
    boxes = "box(old, age, 3, inf). :- support(min_leaf(2))."
    found = slp.check(STUMP, never, "first(dose)", limits, boxes, "constant(old)")
    never_holds, *others = [(r.words, r.holds) for r in found]
    assert never_holds == (
        "The Python predicate tests.api.test_predicates:never holds of the finished tree.",
        False,
    )
    assert others == [
        ("If the tree splits at all, the root splits on dose.", False),
        ("No leaf is deeper than 1.", True),
        ("Each side of a split keeps at least 2 rows.", None),
        (
            "No split cuts the box old (age >= 3) at a node that contains all of it, as any split "
            "does that is not on age.",
            True,
        ),
    ]
    assert [r.path for r in found] == [None, "root", None, "left", None]
    assert slp.check(STUMP) == []


def test_constraints_on_the_rows_of_a_table() -> None:
    (before,) = slp.check(STUMP, "monotone(age, up)")
    (after,) = slp.check(STUMP, "monotone(age, up)", X=ROWS)
    assert (before.holds, after.holds) == (None, True)
    (down,) = slp.check(STUMP, "monotone(age, down)", X=ROWS.drop("y"), y=ROWS["y"])
    assert (
        down.counterexample
        == "at right (3 <= age): P(a) is 0.3333333333, and 0.75 at left (age < 3)"
    )


def test_code_in_a_check() -> None:
    text = f'python("{__name__}:never")'
    assert [r.holds for r in slp.check(STUMP, text)] == [None]
    assert [r.holds for r in slp.check(STUMP, text, allow_code=True)] == [False]


def test_a_fault_in_the_text_of_a_constraint() -> None:
    with pytest.raises(slp.ProgramError) as caught:
        slp.check(STUMP, "frist(age)")
    assert str(caught.value).splitlines()[:2] == [
        "error[E140]: there is no constraint `frist`",
        " --> <constraint>:1:1",
    ]


# --- predicates on nodes -----------------------------------------------------------------------


def shallow_dose(node: slp.TreeNode) -> bool:
    """Dose is split on at the root only; no leaf has one row."""
    if node.is_leaf:
        return node.rows > 1
    return node.feature != "dose" or node.depth == 0


@pytest.mark.parametrize("failure", ["restrict", "condition"])
def test_predicates_on_nodes(failure: str) -> None:
    made = slp.parse(f":- use(growtree). :- failure({failure}).").require(shallow_dose, local=True)
    posterior = made.posterior(ROWS, seed=1, draws=60)
    assert posterior.reason == (
        "the Python predicate tests.api.test_predicates:shallow_dose is decided by code at each "
        "node, and trees cannot be summed exactly under it"
    )
    for draw in posterior.draws:
        (result,) = draw.tree.check(made)
        assert result.holds
    assert len({draw.tree for draw in posterior.draws}) > 3
    deep = slp.Tree.from_dict(
        {"feature": "age", "threshold": 2.5, "left": {"counts": {"a": 2}},
         "right": {"feature": "dose", "threshold": 6.5, "left": {"counts": {"a": 1, "b": 1}},
                   "right": {"counts": {"b": 2}}}}
    )  # fmt: skip
    (result,) = deep.check(made)
    assert (result.holds, result.path, result.counterexample) == (
        False,
        "right",
        "at right (2.5 <= age): the predicate refuses the node: depth 1, 4 rows (a 1, b 3), split "
        "by dose < 6.5",
    )
    assert posterior.log_posterior(deep) == -np.inf
    (unknown,) = STUMP.check(made)
    assert (unknown.holds, unknown.counterexample) == (
        None,
        "at right (3 <= age): the leaves do not say their rows",
    )


def test_what_a_node_shows() -> None:
    seen: list[slp.TreeNode] = []

    def note(node: slp.TreeNode) -> bool:
        seen.append(node)
        return True

    numbers = ROWS.with_columns(y=pl.Series([1.5, 2.5, 0.5, 4.5, 1.0, 9.0]))
    slp.parse(":- use(growtree).").require(note, True).posterior(numbers, seed=1, draws=20)
    root = next(node for node in seen if node.depth == 0 and not node.is_leaf)
    assert (root.rows, root.counts, root.level) == (6, {}, None)
    assert root.mean == pytest.approx(19 / 6)
    assert root.feature in ("age", "dose")
    assert root.threshold is not None
    leaf = next(node for node in seen if node.is_leaf)
    assert (leaf.feature, leaf.threshold, leaf.level) == (None, None, None)
    assert str(leaf) == f"depth {leaf.depth}, {leaf.rows} rows, a leaf"
    assert max(node.depth for node in seen) > 1
    # Each is asked once for the same depth, rows and split.
    assert len(seen) < 2000


def test_a_node_that_a_predicate_fails_on() -> None:
    def broken(node: slp.TreeNode) -> bool:
        return node.threshold > 3  # type: ignore[operator]

    (found,) = fault(slp.parse(":- use(growtree).").require(broken, local=True)).diagnostics
    assert found.code == "E653"
    assert "raised TypeError: '>' not supported" in found.message
    assert found.help is not None
    assert re.fullmatch(
        r"in call \d+ it was asked of this node:\ndepth 0, 6 rows \(a 3, b 3\), a leaf", found.help
    )


def test_exact_subtrees_and_predicates_on_nodes_exclude_each_other() -> None:
    made = slp.parse(":- use(growtree).").require(shallow_dose, local=True)
    (found,) = fault(made, proposal="q_exact").diagnostics
    assert (found.code, found.message) == (
        "E516",
        "q_exact sums over trees, which cannot be done under predicates on nodes",
    )


def test_edits_of_a_tree_under_predicates() -> None:
    given = slp.Tree.from_dict({"feature": "age", "threshold": 3.5, "left": {}, "right": {}})
    made = slp.load("edittree", tree=given).require(shallow_dose, local=True).require(odd)
    posterior = made.posterior(ROWS, seed=1, draws=40)
    for draw in posterior.draws:
        assert [r.holds for r in draw.tree.check(made)] == [True, True]
    assert len({draw.tree for draw in posterior.draws}) > 2


def odd(tree: Tree) -> bool:
    return tree.n_leaves % 2 == 1
