"""Random small programs: the search against an enumeration of all proofs that shares no code with
it, and draws against the answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

import slp
from slp.errors import SlpError
from slp.ir.program import LogicClause
from slp.syntax import parse_term, term_to_text
from slp.terms import Number, Struct, Term, functor
from tests.spec.tiny_prolog import Bindings, renamed, unify, walk
from tests.spec.tiny_prolog import solve as solve_logic

VALUES = st.sampled_from(["a", "b", "X", "Y"])
TESTS = st.sampled_from(["X \\= Y", "X = Y", "member(X, [a, b])", "member(Y, [a, a])", "X \\== b"])


def proofs(
    goals: Sequence[Term], bindings: Bindings, clauses: Sequence[LogicClause]
) -> Iterator[tuple[Bindings, float]]:
    """Every SLD proof with its mass."""
    if not goals:
        yield bindings, 1.0
        return
    goal, *rest = (walk(g, bindings) for g in goals)
    if isinstance(goal, Struct) and goal.name == ",":
        yield from proofs([*goal.args, *rest], bindings, clauses)
        return
    mine = [c for c in clauses if functor(c.head) == functor(goal)]
    if not mine:
        for solution in solve_logic([goal], bindings, [], {}):
            yield from proofs(rest, solution, clauses)
    for clause in mine:
        head, *body = renamed([clause.head, *([clause.body] if clause.body is not None else [])])
        matched = unify(goal, head, bindings)
        if matched is not None:
            label = clause.label.value if isinstance(clause.label, Number) else 1.0
            for solution, mass in proofs([*body, *rest], matched, clauses):
                yield solution, label * mass


def all_answers(program: slp.Program, goal: str) -> dict[tuple[str, ...], float]:
    term = parse_term(goal)
    assert isinstance(term, Struct)
    masses: dict[tuple[str, ...], list[float]] = {}
    for bindings, mass in proofs([term], {}, program.ir.clauses):
        found = tuple(term_to_text(walk(a, bindings)) for a in term.args)
        masses.setdefault(found, []).append(mass)
    return {key: math.fsum(found) for key, found in masses.items()}


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Predicates p0 to p3, each calling only later ones; the last clause of each is ground."""
    lines = []
    for i in range(4):
        count = draw(st.integers(1, 3))
        labelled = draw(st.booleans())
        weights = [draw(st.integers(1, 4)) for _ in range(count)]
        for j, weight in enumerate(weights):
            label = f"{weight / sum(weights)!r} :: " if labelled else ""
            if i == 3 or j == count - 1:
                lines.append(f"{label}p{i}({draw(ATOMS)}, {draw(ATOMS)}).")
                continue
            calls = st.builds(
                lambda k, x, y: f"p{k}({x}, {y})", st.integers(i + 1, 3), VALUES, VALUES
            )
            body = draw(st.lists(st.one_of(calls, calls, TESTS), min_size=1, max_size=3))
            lines.append(f"{label}p{i}({draw(VALUES)}, {draw(VALUES)}) :- {', '.join(body)}.")
    return "\n".join(lines)


ATOMS = st.sampled_from(["a", "b"])


@settings(max_examples=120, deadline=None, derandomize=True)
@given(programs(), st.sampled_from(["p0(X, Y)", "p0(X, X)", "p0(a, X)", "p1(X, Y)"]))
def test_search_finds_what_enumeration_finds(text: str, goal: str) -> None:
    program = slp.parse(text)
    want = all_answers(program, goal)
    term = parse_term(goal)
    assert isinstance(term, Struct)
    found = program.query(goal, best=3)
    assert found.open == 0.0 and found.complete
    assert close(found.success, math.fsum(want.values()))
    if is_ground(want):
        have = sorted(a.mass for a in found.answers)
        assert len(have) == len(want)
        assert all(map(close, have, sorted(want.values())))
    every = sorted((m for _, m in proofs([term], {}, program.ir.clauses)), reverse=True)
    assert len(found.best) == min(3, len(every))
    assert all(close(p.mass, m) for p, m in zip(found.best, every, strict=False))
    if not want:
        assert found.failed


def close(have: float, want: float) -> bool:
    return math.isclose(have, want, abs_tol=1e-12)


def is_ground(answers: dict[tuple[str, ...], float]) -> bool:
    """Whether no answer has free variables, whose names differ between the two."""
    return all(text in ("a", "b") for key in answers for text in key)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(programs())
def test_draws_are_answers(text: str) -> None:
    program = slp.parse(text)
    found = program.query("p0(X, Y)")
    if not found.answers:
        return
    known = [dict(a) for a in found.answers]
    assert all(
        dict(d) in known for d in program.draw("p0(X, Y)", 5, failure="backtracking", seed=1)
    )
    try:
        draws = program.draw("p0(X, Y)", 5, seed=1)
    except SlpError as e:
        # A draw that finds two proofs: there are logical goals with several.
        assert e.diagnostics[0].code == "E244"
        assert found.failure is not None
        assert found.success + found.failure > 1 - 1e-12
    else:
        assert all(dict(d) in known for d in draws)
