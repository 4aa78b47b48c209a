"""Conditional tables of networks: learned by counting where all is seen, else as expectation-
maximisation over the cells of the joint distribution; and what is said of labels that stay."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command

#: An alarm `al` with two parents.
ALARM = """0.5 :: bu(1).
0.5 :: bu(0).
0.2 :: ea(1).
0.8 :: ea(0).
0.5 :: al(1, 1, 1).
0.5 :: al(1, 1, 0).
0.5 :: al(1, 0, 1).
0.5 :: al(1, 0, 0).
0.5 :: al(0, 1, 1).
0.5 :: al(0, 1, 0).
0 :: al(0, 0, 1).
1 :: al(0, 0, 0).
w(B, E, A) :- bu(B), ea(E), al(B, E, A).
"""


def after(result: slp.LearnResult) -> dict[str, float]:
    return {c.name: c.after for c in result.changes}


@pytest.mark.parametrize("failures", [True, False])
def test_an_alarm_by_counting(failures: bool) -> None:
    seen = {(1, 1, 1): 3, (1, 1, 0): 1, (1, 0, 1): 2, (1, 0, 0): 3, (0, 1, 1): 4, (0, 0, 0): 7}
    goals = [f"{n} :: w({b}, {e}, {a})" for (b, e, a), n in seen.items()]
    found = slp.parse(ALARM).learn(*goals, failures=failures)
    want = {"bu(1)": 9 / 20, "ea(1)": 8 / 20, "al(1, 1, 1)": 3 / 4, "al(1, 0, 1)": 2 / 5}
    want |= {"al(0, 1, 1)": 1.0, "al(0, 0, 1)": 0.0, "al(0, 0, 0)": 1.0}
    have = after(found)
    assert {name: have[name] for name in want} == pytest.approx(want, abs=1e-6)
    assert [vars(one) for one in found.not_learned] == [
        {"name": "al(0, 0, 1)", "reason": "a label of 0 stays 0"}
    ]


def step_by_cells(seen: dict[tuple[int | None, ...], int]) -> dict[str, float]:
    """One step of expectation-maximisation, by the cells of burglary, earthquake and alarm."""
    bu, ea = {1: 0.5, 0: 0.5}, {1: 0.2, 0: 0.8}
    al = {(b, e, a): 0.5 for b, e, a in product((0, 1), repeat=3)}
    al[0, 0, 1], al[0, 0, 0] = 0.0, 1.0
    psi: Counter[tuple[object, ...]] = Counter()
    for part, n in seen.items():
        cells = {
            (b, e, a): bu[b] * ea[e] * al[b, e, a]
            for b, e, a in product((0, 1), repeat=3)
            if all(x is None or x == y for x, y in zip(part, (b, e, a), strict=True))
        }
        whole = sum(cells.values())
        for (b, e, a), mass in cells.items():
            for key in (("bu", b), ("ea", e), ("al", b, e, a)):
                psi[key] += n * mass / whole
    total = sum(seen.values())
    out = {f"bu({b})": psi["bu", b] / total for b in (0, 1)}
    out |= {f"ea({e})": psi["ea", e] / total for e in (0, 1)}
    for b, e in product((0, 1), repeat=2):
        both = psi["al", b, e, 0] + psi["al", b, e, 1]
        out |= {f"al({b}, {e}, {a})": psi["al", b, e, a] / both for a in (0, 1)}
    return out


def test_one_step_where_some_values_are_hidden() -> None:
    seen: dict[tuple[int | None, ...], int] = {
        (0, None, 0): 3,
        (None, None, 1): 5,
        (1, None, 0): 2,
        (None, 0, None): 1,
    }
    goals = [
        f"{n} :: w({', '.join('_' if x is None else str(x) for x in part)})"
        for part, n in seen.items()
    ]
    found = slp.parse(ALARM).learn(*goals, iterations=1)
    assert after(found) == pytest.approx(step_by_cells(seen), abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_three_parents_at_any_places(seed: int) -> None:
    """Random tables with a child of three values; the order of arguments is random."""
    random = Random(seed)
    order = random.sample(range(4), 4)  # of argument k: parents 0 to 2, the child 3
    lines, cells = [], list(product("ab", "cd", "ef", "xyz"))
    for parents in product("ab", "cd", "ef"):
        weights = [random.randint(1, 9) for _ in "xyz"]
        for value, weight in zip("xyz", weights, strict=True):
            values = (*parents, value)
            args = ", ".join(values[i] for i in order)
            lines.append(f"{weight / sum(weights)!r} :: table({args}).")
    text = "\n".join([*lines, *(f"0.5 :: r({x})." for x in "ab")])
    text += "\n".join(["", *(f"0.5 :: s({x})." for x in "cd"), *(f"0.5 :: t({x})." for x in "ef")])
    called = ", ".join("PQRX"[i] for i in order)
    text += f"\nseen(P, Q, R, X) :- r(P), s(Q), t(R), table({called}).\n"
    seen = {cell: random.randint(1, 6) for cell in cells}
    found = slp.parse(text).learn(*(f"{n} :: seen({', '.join(c)})" for c, n in seen.items()))
    have = after(found)
    for cell, n in seen.items():
        of_parents = sum(seen[(*cell[:3], x)] for x in "xyz")
        name = f"table({', '.join(cell[i] for i in order)})"
        assert have[name] == pytest.approx(n / of_parents, abs=2e-6)


def test_a_goal_that_leaves_a_parent_free_is_refused() -> None:
    text = "0.5 :: t(a, x). 0.5 :: t(a, y). 0.25 :: t(b, x). 0.75 :: t(b, y). p(X) :- t(_, X).\n"
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(text).learn("p(x)")
    assert caught.value.diagnostics[0].code == "E242"  # the labels that match sum to 2


def test_a_table_of_many_arguments() -> None:
    """Twelve binary arguments, of which the sixth is the child."""
    random = Random(3)
    cells = random.sample(list(product("01", repeat=11)), 60)
    rows = [(*c[:5], x, *c[5:]) for c in cells for x in "01"]
    text = "".join(f"0.5 :: t({', '.join(row)}).\n" for row in rows)
    seen = [f"{random.randint(1, 5)} :: t({', '.join(row)})" for row in rows[:20]]
    found = slp.parse(text).learn(*seen, failures=False)
    assert {change.name for change in found.changes} == {f"t({', '.join(row)})" for row in rows}
    have = after(found)
    for one, other in zip(seen[::2], seen[1::2], strict=True):
        (n, name), (m, _) = (text.split(" :: ") for text in (one, other))
        assert have[name] == pytest.approx(int(n) / (int(n) + int(m)), abs=2e-6)


STAYS = """:- param(p, 0.5).
:- param(k, 2).
:- param(z, 0.25).
0.5 :: never(a, x). 0.5 :: never(a, y). 0.5 :: never(b, x). 0.5 :: never(b, y).
p :: coin(h). 1 - p :: coin(t).
1/3 :: third(h). 2/3 :: third(t).
z :: mixed(h). 0.75 :: mixed(t).
W :: given(X) :- w(X, W).
k/4 :: other(h). 1 - k/4 :: other(t). big :- k > 1.
1 :: certain.
0.3 :: away(h). 0.7 :: away(t).
w(h, 0.5). w(t, 0.5).
all(X) :- big, never(a, _), coin(X), third(X), mixed(X), given(X), other(X), certain.
"""


def test_what_is_not_learned_is_named_with_its_reason(tmp_path: Path) -> None:
    program = slp.parse(STAYS)
    found = program.learn("all(h)", "2 :: all(t)", goal="all(_)", iterations=2)
    want = {
        "third/1": "they are expressions, not numbers",
        "mixed/1": "some are numbers, others expressions",
        "z": "with any other value alone, labels are invalid",
        "given/1": "goals of the bodies give them",
        "k": "not only labels use it",
        "never(b, x)": (unused := "no derivation of an observation uses these clauses"),
        "never(b, y)": unused,
    }
    assert {one.name: one.reason for one in found.not_learned} == want
    assert {c.name for c in found.changes if c.before != c.after} == {"p"}
    program_file, data = tmp_path / "stays.slp", tmp_path / "goals.pl"
    program_file.write_text(STAYS)
    data.write_text("all(h). 2 :: all(t).")
    args = ["learn", str(program_file), str(data), "--iterations", "2"]
    told = CliRunner().invoke(slp_command, args, catch_exceptions=False).output
    assert f"not learned: never(b, x), never(b, y) ({unused})" in told
    assert "not learned: third/1 (they are expressions, not numbers)" in told
    as_json = json.loads(CliRunner().invoke(slp_command, [*args, "--json"]).stdout)
    assert {one["name"]: one["reason"] for one in as_json["not_learned"]} == want


def test_a_parameter_of_which_bodies_make_labels_is_named() -> None:
    text = ":- param(p, 0.3). :- param(q, 0.3).\nP :: a(X) :- v(X, P).\nv(1, p). v(2, 1 - p).\n"
    text += "0.5 :: w(1). 0.5 :: w(2).\nc(W, X) :- w(W), a(X).\n"
    found = slp.parse(text).learn("3 :: c(1, 1)", "c(2, 1)", "4 :: c(2, 2)")
    assert {one.name: one.reason for one in found.not_learned} == {
        "a/1": "goals of the bodies give them",
        "p": "not only labels use it",
    }


def test_labels_left_out_by_name_are_not_listed() -> None:
    found = slp.parse(STAYS).learn("all(h)", "2 :: all(t)", iterations=1, only=["p"])
    assert found.not_learned == ()


def test_labels_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "base.slp").write_text("0.5 :: base(h). 0.5 :: base(t).\n")
    own = tmp_path / "own.slp"
    own.write_text(":- use('base.slp').\n0.5 :: own(h). 0.5 :: own(t).\np(X) :- own(X), base(_).\n")
    found = slp.load(own).learn("2 :: p(h)", "p(t)")
    assert [vars(one) for one in found.not_learned] == [
        {"name": "base/1", "reason": "they stand in another file"}
    ]
