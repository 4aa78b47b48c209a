"""`slp check` names statements that take no tree away, and what they follow from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from slp.errors import Diagnostic
from slp.program import dead_weight, find_mistakes

ROWS = pd.DataFrame(
    {"age": range(12), "dose": [1, 2, 3] * 4, "sex": ["f", "m"] * 6, "ill": ["n"] * 6 + ["y"] * 6}
)
#: A table on which trees cannot be counted.
_RNG = np.random.default_rng(1)
MANY = pd.DataFrame(
    {
        "age": _RNG.normal(size=400),
        "dose": _RNG.normal(size=400),
        "sex": _RNG.normal(size=400),
        "ill": ["n", "y"] * 200,
    }
)


@pytest.fixture(autouse=True)
def in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit of time that a busy machine could meet."""
    monkeypatch.setattr(dead_weight, "_SECONDS", 60.0)
    monkeypatch.setattr(dead_weight, "_SECONDS_OF_DEFINITIONS", 60.0)
    monkeypatch.setattr(dead_weight, "_SECONDS_OF_COUNT", 60.0)


def found(tmp_path: Path, statements: str, table: pd.DataFrame = ROWS) -> list[Diagnostic]:
    path = tmp_path / "prior.slp"
    path.write_text(f":- use(growtree).\n{statements}")
    return list(find_mistakes(path, table))


def told(findings: list[Diagnostic]) -> list[tuple[str, list[str]]]:
    """The code of each finding, with the texts of its places."""
    return [
        (f.code, [s.text for s in (f.span, *(r.span for r in f.related)) if s is not None])
        for f in findings
    ]


FORBIDDEN, BEFORE = ":- constraint(forbid(age)).", ":- constraint(before(dose, age))."


@pytest.mark.parametrize("table", [ROWS, MANY])
@pytest.mark.parametrize("statements", [f"{FORBIDDEN} {BEFORE}", f"{BEFORE} {FORBIDDEN}"])
def test_a_statement_that_another_implies(
    tmp_path: Path, statements: str, table: pd.DataFrame
) -> None:
    assert told(found(tmp_path, statements, table)) == [("W155", [BEFORE, FORBIDDEN])]


@pytest.mark.parametrize("table", [ROWS, MANY])
def test_all_reasons_are_named_and_no_others(tmp_path: Path, table: pd.DataFrame) -> None:
    """Under the root stands dose or sex, so age comes second or later, below one of the two."""
    first = ":- constraint(forbid([age, sex], below(1)))."
    second = ":- constraint(first(dose))."
    idle = ":- constraint(forbid(age))."
    statements = f"{first} :- constraint(once(dose)). {second} {idle}"
    assert told(found(tmp_path, statements, table)) == [("W155", [idle, first, second])]


DEEP = ":- support(max_depth(3))."


def test_a_limit_that_another_implies(tmp_path: Path) -> None:
    leaves = ":- constraint(max_leaves(2))."
    assert told(found(tmp_path, f"{leaves} {DEEP}")) == [("W155", ["max_depth(3)", leaves])]


def test_a_statement_that_the_table_makes_idle(tmp_path: Path) -> None:
    """`sex` parts the rows once: no path has two splits on it."""
    statement = ":- constraint(once(sex))."
    assert told(found(tmp_path, f"{DEEP} {statement}")) == [("W151", [statement])]
    assert told(found(tmp_path, f"{DEEP} :- constraint(once(dose)).")) == []


@pytest.mark.parametrize(
    "statements",
    [
        ":- constraint(once(dose)). :- constraint(before(dose, age)).",
        ":- support(min_leaf(2)). :- support(max_depth(3)). :- constraint(max_leaves(5)).",
        "box(mid, age, 2.5, 7.5). :- constraint(constant(mid)). :- constraint(majority(mid, n)).",
        ":- response(ill, [ordinal([n, y])]). :- constraint(once(dose)). "
        ":- constraint(monotone(age, up)).",
        ":- constraint(once(dose)). :- constraint(max_features(2)).",
        ':- constraint(once(dose)). :- constraint(python("no_module:no_function")).',
    ],
)
def test_statements_that_trees_break_are_not_told(tmp_path: Path, statements: str) -> None:
    assert told(found(tmp_path, statements)) == []


def test_what_is_not_decided_in_time_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_weight, "_SECONDS", 0.0)
    assert told(found(tmp_path, f"{DEEP} :- constraint(once(sex)).")) == []
    assert told(found(tmp_path, f"{FORBIDDEN} {BEFORE}")) == [("W155", [BEFORE, FORBIDDEN])]
    monkeypatch.setattr(dead_weight, "_SECONDS_OF_DEFINITIONS", 0.0)
    assert told(found(tmp_path, f"{FORBIDDEN} {BEFORE}")) == []


def test_what_repeats_another_is_told_once(tmp_path: Path) -> None:
    statements = ":- constraint(once(dose)).\n:- constraint(once(dose))."
    assert [code for code, _ in told(found(tmp_path, statements))] == ["W106"]


@pytest.mark.parametrize(
    "pair",
    [
        (":- constraint(first(age)).", ":- constraint(forbid(age))."),
        (":- constraint(first(age)).", ":- constraint(first(dose))."),
        (":- constraint(first(age)).", ":- constraint(before(dose, age))."),
    ],
)
def test_a_pair_that_leaves_the_single_leaf_warns_once(
    tmp_path: Path, pair: tuple[str, str]
) -> None:
    ((code, places),) = told(found(tmp_path, " ".join(pair)))
    assert code == "W107" and sorted(places) == sorted(pair)


@pytest.mark.parametrize("name", ["max_leaves", "max_features", "max_cost"])
@pytest.mark.parametrize("table", [ROWS, MANY])
def test_of_two_limits_the_lower_one_is_enough(
    tmp_path: Path, name: str, table: pd.DataFrame
) -> None:
    high, low = (f":- constraint({name}({most}))." for most in (3, 2))
    costs = ":- cost(age, 2). :- cost(dose, 2). " if name == "max_cost" else ""
    assert told(found(tmp_path, f"{costs}{high} {low}", table)) == [("W106", [high, low])]
