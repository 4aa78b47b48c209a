"""SWI-Prolog's `library(slp)`: its results equal those of Python."""

from __future__ import annotations

import math
import os
import site
import subprocess
from pathlib import Path

import polars as pl
import pytest

import slp
from slp.resources import prolog_library
from slp.swipl.predicates import tree_term
from slp.syntax import parse_term, term_to_text
from slp.terms import Term

SCRIPT = Path(__file__).with_name("library") / "use.pl"
TABLE = pl.DataFrame(
    {"age": [10, 20, 40, 70], "sex": ["f", "m", "m", "f"], "ill": ["no", "no", "yes", "yes"]}
)
DEPTH_2 = """
:- param(p, 0.7).
:- start(tree(0)).
p     :: tree(D) --> { D < 2 }, split(_, _), tree(D+1), tree(D+1).
1 - p :: tree(_) --> leaf.
"""


def printed(script: Path, folder: Path, swipl: str) -> dict[str, Term]:
    """What a script prints, each line a name and a term."""
    folders = [str(Path(slp.__file__).parent.parent), *site.getsitepackages()]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    command = [swipl, "-p", f"library={prolog_library()}", str(script)]
    run = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment, timeout=300
    )
    assert run.returncode == 0 and run.stderr == "", run.stderr
    lines = (line.removesuffix(".").partition(": ") for line in run.stdout.splitlines())
    return {name: parse_term(text) for name, _, text in lines}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory, swipl: str) -> dict[str, Term]:
    folder = tmp_path_factory.mktemp("library")
    TABLE.write_csv(folder / "table.csv")
    (folder / "prior.slp").write_text(":- use(growtree).\n")
    return printed(SCRIPT, folder, swipl)


def near(term: Term, want: float | None) -> bool:
    return float(term.value) == pytest.approx(want, rel=1e-12)  # type: ignore[union-attr]


def test_everything_is_said(said: dict[str, Term]) -> None:
    names = (
        "query compound draw in_prolog map log_evidence probability trees level classes file "
        "no_block fault"
    )
    assert list(said) == names.split()


def test_queries(said: dict[str, Term]) -> None:
    assert said["query"] == parse_term("[heads-0.6923076923076923, tails-0.30769230769230776]")
    assert said["compound"] == parse_term("'A b'")
    coins = slp.parse("0.6 :: coin(heads).\n0.4 :: coin(tails).\n")
    assert said["draw"] == parse_term(str(coins.draw("coin(X)", 1, seed=3)[0]["X"]))
    in_prolog = coins.draw("coin(X)", 1, seed=3, engine="prolog")
    assert said["in_prolog"] == parse_term(str(in_prolog[0]["X"]))


def test_posterior(said: dict[str, Term]) -> None:
    posterior = slp.parse(DEPTH_2).posterior(TABLE, draws=0)
    assert said["map"] == tree_term(posterior.map_tree())
    assert near(said["log_evidence"], posterior.log_evidence)
    trees = [tree_term(tree) for tree in posterior.sample(3, seed=1)]
    assert said["trees"] == parse_term(f"[{', '.join(map(term_to_text, trees))}]")


def test_classes_that_are_numbers(said: dict[str, Term]) -> None:
    table = pl.DataFrame({"age": [10, 20, 40, 70], "ill": [0, 0, 12, 12]})
    posterior = slp.parse(DEPTH_2).posterior(table, draws=0)
    assert said["classes"] == tree_term(posterior.map_tree())
    assert "12-2" in term_to_text(said["classes"])


@pytest.mark.parametrize(("name", "test"), [("probability", "age < 30"), ("level", "sex = f")])
def test_probability_of_a_tree(said: dict[str, Term], name: str, test: str) -> None:
    feature, sign, value = test.split()
    node = {"feature": feature, "left": {}, "right": {}}
    node |= {"level": value} if sign == "=" else {"threshold": float(value)}  # type: ignore[dict-item]
    posterior = slp.parse(DEPTH_2).posterior(TABLE, draws=0)
    want = posterior.log_posterior(slp.Tree.from_dict(node))
    assert near(said[name], math.exp(want))


def test_files(said: dict[str, Term]) -> None:
    assert near(said["file"], 0.5)


def test_errors(said: dict[str, Term]) -> None:
    assert said["no_block"] == parse_term("existence_error(slp_program, none)")
    assert said["fault"] == parse_term("'ProgramError'")
