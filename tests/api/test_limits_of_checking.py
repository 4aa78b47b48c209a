"""Checks and explanations end soon whatever numbers and guards a program has: with a code and a
place, and no number is computed that the text does not bound."""

from __future__ import annotations

from pathlib import Path

import pytest

import slp
from slp.analysis.derivations import existence as derivations
from slp.analysis.derivations import states
from slp.lower import expansion
from slp.program.reading import find_mistakes
from slp.resolution import STATE_LIMITS
from slp.resolution.machine import arithmetic

GUARDED = ":- start(t(0)).\n1 :: t(_) --> {{ {guard} }}, leaf.\n{clauses}"


def test_limits_that_are_huge(tmp_path: Path) -> None:
    """2^(10^12) leaves are not counted; `max_leaves` limits something below them."""
    text = ":- use(growtree).\n:- support(max_depth(1000000000000)).\n:- constraint({limit}).\n"
    huge = text.format(limit="max_leaves(99999999999999999999)")
    path = tmp_path / "huge.slp"
    path.write_text(huge)
    assert find_mistakes(path) == ()
    assert "states" in slp.parse(huge).explain()
    path.write_text(
        ":- use(growtree).\n:- support(max_depth(70)).\n:- constraint(max_leaves(9)).\n"
    )
    assert find_mistakes(path) == ()


@pytest.mark.parametrize(
    ("depth", "leaves", "found"), [(3, 8, ["W106"]), (3, 7, []), (3, 99, ["W106"])]
)
def test_a_limit_of_leaves_beyond_the_depth(
    tmp_path: Path, depth: int, leaves: int, found: list[str]
) -> None:
    path = tmp_path / "limits.slp"
    limits = f":- support(max_depth({depth})).\n:- constraint(max_leaves({leaves})).\n"
    path.write_text(f":- use(growtree).\n{limits}")
    assert [f.code for f in find_mistakes(path)] == found


@pytest.mark.parametrize(
    ("guard", "clauses", "code"),
    [
        ("_ is 2**(10**12)", "", "E205"),
        ("_ is 1 << (1 << 60)", "", "E205"),
        ("between(1, inf, X), X < 0", "", "E214"),
        ("length(_, 1000000000)", "", "E214"),
        ("f(0)", "f(N) :- M is N + 1, f(M).\n", "E214"),
        ("append(X, Y, Z), X == Z, Y == [a]", "", "E214"),
        (
            "d(60, 1, X), X > 0",
            "d(0, X, X).\nd(N, A, X) :- N > 0, M is N - 1, d(M, A + A, X).\n",
            "E216",
        ),
    ],
)
def test_guards_without_an_end(
    monkeypatch: pytest.MonkeyPatch, guard: str, clauses: str, code: str
) -> None:
    few = slp.resolution.Limits(inferences=5_000)
    monkeypatch.setattr(states, "STATE_LIMITS", few)
    monkeypatch.setattr(derivations, "STATE_LIMITS", few)
    monkeypatch.setattr(arithmetic, "_MOST_PARTS", 5_000)
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(GUARDED.format(guard=guard, clauses=clauses))
    found = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert [d.code for d in found] == [code] and found[0].span is not None


def test_a_state_has_a_part_of_the_limits_of_a_query() -> None:
    """About two seconds in place of ten."""
    assert STATE_LIMITS.inferences == 200_000 < slp.resolution.DEFAULT_LIMITS.inferences


def test_many_constraints_are_not_listed_without_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty pairs have 3^60 states; the explanation says where it stopped."""
    monkeypatch.setattr(expansion, "MOST_STEPS", 20_000)
    pairs = "".join(f":- constraint(before(x{i}, y{i})).\n" for i in range(60))
    program = slp.parse(f":- use(growtree).\n{pairs}")
    assert "are reached after 20,000 steps of constraints" in program.explain()
