"""The masses of equations against closed forms, and of random recursive programs against a fixed
point on their ground atoms in decimal arithmetic, which shares nothing with the tables."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import TypeAlias

import numpy as np
import pytest

import slp
from slp.reference.tables.components import Component, Term
from slp.resolution import Limits, Query
from slp.resolution.machine.loop import Meter
from slp.resolution.proofs.masses import Mass
from slp.resolution.proofs.query import canonical, database_of, linked, prepared
from slp.resolution.proofs.search import ProofSearch
from slp.resolution.tables import compiled
from slp.resolution.tables.solved import Bounds
from slp.syntax import parse_term, term_to_text
from tests.reference.tables.solved import Solved, solved

DIGITS = 40


def encloses(bounds: Bounds, want: float | Fraction | Decimal, *, relative: float = 0.0) -> bool:
    """Whether bounds hold, for a wanted number that may be wrong by a relative error."""
    want = Fraction(want)
    lower, upper = Fraction(float(bounds.lower)), bounds.upper
    holds = upper is None or Fraction(float(upper)) >= want * (1 - Fraction(relative))
    return holds and lower <= want * (1 + Fraction(relative))


# --- one nonterminal: s = a s s + b --------------------------------------------------------------


def branching(a: str, b: str) -> slp.Program:
    """A weight `a` for two children, `b` for none."""
    return slp.parse(f":- weights.\n{a} :: s :- s, s.\n{b} :: s.\n")


def least_root(a: str, b: str) -> Decimal:
    with localcontext(prec=DIGITS):
        x, y = Decimal(float(a)), Decimal(float(b))
        return (1 - (1 - 4 * x * y).sqrt()) / (2 * x)


@pytest.mark.parametrize("a", ["0.1", "0.3", "0.45", "0.499", "0.51", "0.6", "0.9"])
def test_branching_programs(a: str) -> None:
    """min(1, (1 - a) / a): below 1/2 all derivations end."""
    b = repr(1 - float(a))
    found = solved(slp.parse(f"{a} :: s :- s, s.\n{b} :: s.\n"), "s").success
    assert float(found.value) == pytest.approx(min(1, (1 - float(a)) / float(a)), rel=1e-9)
    weighted = solved(branching(a, b), "s").success
    assert encloses(weighted, least_root(a, b))
    assert weighted.upper is not None
    assert float(weighted.upper) - float(weighted.lower) < 1e-9


@pytest.mark.parametrize(
    ("a", "b"), [("2", "0.1"), ("0.05", "4"), ("1e-200", "1e199"), ("3e5", "8e-7")]
)
def test_labels_above_one(a: str, b: str) -> None:
    found = solved(branching(a, b), "s").success
    with localcontext(prec=DIGITS):
        want = least_root(a, b)
    assert found.upper is not None and not found.infinite
    assert encloses(found, want)
    assert found.value.log == pytest.approx(float(want.ln()), abs=1e-9)


@pytest.mark.parametrize(("a", "b"), [("2", "1"), ("0.5", "0.6"), ("3e200", "1"), ("0.3", "1")])
def test_sums_that_are_not_finite(a: str, b: str) -> None:
    found = solved(branching(a, b), "s").success
    assert found.infinite and found.upper is None


def test_linear_recursion() -> None:
    """b / (1 - a); infinite from a = 1 on."""
    for a in (0.1, 0.9, 0.999999):
        found = solved(slp.parse(f":- weights.\n{a!r} :: w :- w.\n0.7 :: w.\n"), "w").success
        assert encloses(found, Fraction(0.7) / (1 - Fraction(a)))
        assert float(found.value) == pytest.approx(0.7 / (1 - a), rel=1e-9)
    for a in (1.0001, 2.0):
        found = solved(slp.parse(f":- weights.\n{a!r} :: w :- w.\n0.7 :: w.\n"), "w").success
        assert found.infinite and found.upper is None


def test_a_critical_program_has_wide_bounds_that_hold() -> None:
    """s = s s / 2 + 1/2 has the double root 1."""
    found = solved(slp.parse("0.5 :: s :- s, s.\n0.5 :: s.\n"), "s").success
    assert found.upper is not None and float(found.upper) == 1
    assert 1 - 1e-5 < float(found.lower) < 1
    weighted = solved(branching("0.4", "0.625"), "s").success  # the double root 1 / 0.8
    assert weighted.upper is None and not weighted.infinite  # nothing is claimed
    assert 1.25 - 1e-5 < float(weighted.lower) < 1.25


def test_bounds_are_proved_and_not_believed() -> None:
    """s = 0.6 s s + 0.4 has the roots 2/3 and 1: f(s) < s between them alone."""
    one = [Mass.of(x) for x in (0.6, 0.4)]
    terms = [Term(0, m, m, m, i, i) for m, i in zip(one, (0, None), strict=True)]
    component = Component(1, terms)
    c = np.array([0.6, 0.4])
    for s in (0.1, 2 / 3, 0.7, 0.999, 1.0, 1.1):
        x = np.array([s])
        below = s < 2 / 3 - 1e-12 or s > 1 + 1e-12
        assert component._is_below(c, x) == below
        assert component._is_above(c, x) == (2 / 3 + 1e-12 < s < 1 - 1e-12)
    # Newton's method ends within rounding of the root, here above it: no bound is the root itself.
    low, _, upper = component.solution().masses[0]
    assert upper is not None and float(low) < 2 / 3 < float(upper)


def test_a_random_walk_on_the_line() -> None:
    """To absorb at 0 or at n from x = 1, with p = 0.6 upwards: 1 - the gambler's ruin."""
    n, ratio = 20, 0.4 / 0.6
    text = f"1 :: walk(0, low).\n1 :: walk({n}, high).\n"
    text += "".join(
        f"{p} :: walk({x}, E) :- walk({x + d}, E).\n"
        for x in range(1, n)
        for p, d in ((0.6, 1), (0.4, -1))
    )
    found = solved(slp.parse(text), "walk(1, E)").answers()
    high = (1 - ratio) / (1 - ratio**n)
    assert float(found[("high",)].value) == pytest.approx(high, rel=1e-12)
    assert float(found[("low",)].value) == pytest.approx(1 - high, rel=1e-12)
    assert encloses(found[("high",)], high, relative=1e-14)


# --- a hidden Markov model -----------------------------------------------------------------------

MARKOV = """
seen(Os) :- start(S), from(S, Os).
from(_, []).
from(S, [O | Os]) :- shows(S, O), next(S, T), from(T, Os).
0.6 :: start(a).   0.4 :: start(b).
0.7 :: next(a, a). 0.3 :: next(a, b).
0.4 :: next(b, a). 0.6 :: next(b, b).
0.5 :: shows(a, x). 0.5 :: shows(a, y).
0.1 :: shows(b, x). 0.9 :: shows(b, y).
"""


@pytest.mark.parametrize("n", [1, 2, 60, pytest.param(3000, marks=pytest.mark.slow)])
def test_long_observations_do_not_underflow(n: int) -> None:
    """The forward algorithm, whose sums are scaled at each symbol."""
    symbols = Random(n).choices("xy", k=n)
    shows = {"ax": 0.5, "ay": 0.5, "bx": 0.1, "by": 0.9}
    moves = {"aa": 0.7, "ab": 0.3, "ba": 0.4, "bb": 0.6}
    forward, want = {"a": 0.6, "b": 0.4}, 0.0
    for o in symbols:
        here = {s: forward[s] * shows[s + o] for s in "ab"}
        want += math.log(whole := sum(here.values()))
        forward = {t: sum(here[s] / whole * moves[s + t] for s in "ab") for t in "ab"}
    found = solved(slp.parse(MARKOV), f"seen([{', '.join(symbols)}])").success
    assert found.value.log == pytest.approx(want, rel=1e-12)
    assert found.upper is not None
    assert found.lower.log - 1e-9 < want < found.upper.log + 1e-9
    assert found.upper.log - found.lower.log < 1e-9


# --- random recursive programs -------------------------------------------------------------------

#: A goal: predicate, and arguments that are constants or variables.
Atom: TypeAlias = tuple[int, tuple[str, ...]]
#: A clause: weight, head, body.
Clause: TypeAlias = tuple[int, Atom, list[Atom]]


def random_clauses(rng: Random) -> dict[int, list[Clause]]:
    """Predicates 0 to 3 of two arguments, which call each other and themselves; each variable of a
    head stands in its body, so that answers are ground. The last clause of each is a fact."""
    out: dict[int, list[Clause]] = {}
    for p in range(4):
        clauses: list[Clause] = []
        for _ in range(rng.randint(0, 2)):
            # A logical goal that meets no choice has no table, and would have no end.
            body: list[Atom] = [(3, _arguments(rng))]
            body += [(rng.randrange(4), _arguments(rng)) for _ in range(rng.randint(1, 2))]
            rng.shuffle(body)
            used = [x for _, args in body for x in args]
            head = p, (rng.choice(used), rng.choice(used))
            clauses.append((rng.randint(1, 4), head, body))
        facts = [(p, pair) for pair in itertools.product("ab", repeat=2)]
        chosen = rng.sample(facts, rng.randint(1, 2))
        out[p] = clauses + [(rng.randint(1, 6), fact, []) for fact in chosen]
    return out


def _arguments(rng: Random) -> tuple[str, str]:
    return rng.choice("abXYZ"), rng.choice("abXYZ")


#: By predicate, what the labels of all clauses sum to.
FACTORS = (1.5, 4.0, 2.0, 1.5)


def labels_of(clauses: dict[int, list[Clause]], logical: set[int]) -> dict[int, list[float]]:
    """Of logical predicates 1; of others probabilities times a factor, for some above 1."""
    sums = {p: sum(w for w, _, _ in mine) / FACTORS[p] for p, mine in clauses.items()}
    return {
        p: [1.0 if p in logical else w / sums[p] for w, _, _ in mine] for p, mine in clauses.items()
    }


def text_of(
    clauses: dict[int, list[Clause]], labels: dict[int, list[float]], logical: set[int]
) -> str:
    def atom(a: Atom) -> str:
        return f"p{a[0]}({', '.join(a[1])})"

    lines = [":- weights."]
    for p, mine in clauses.items():
        for label, (_, head, body) in zip(labels[p], mine, strict=True):
            prefix = "" if p in logical else f"{label!r} :: "
            tail = f" :- {', '.join(map(atom, body))}" if body else ""
            lines.append(f"{prefix}{atom(head)}{tail}.")
    return "\n".join(lines)


def ground_equations(
    clauses: dict[int, list[Clause]], labels: dict[int, list[float]]
) -> dict[Atom, list[tuple[Decimal, list[Atom]]]]:
    """mass(atom) = sum over ground instances of clauses of label x product of the body's masses."""
    out: dict[Atom, list[tuple[Decimal, list[Atom]]]] = {}
    for p, mine in clauses.items():
        for label, (_, head, body) in zip(labels[p], mine, strict=True):
            names = sorted({x for _, args in (head, *body) for x in args if x.isupper()})
            for values in itertools.product("ab", repeat=len(names)):
                put = {**dict(zip(names, values, strict=True)), "a": "a", "b": "b"}
                (at, *rest) = [(q, tuple(put[x] for x in args)) for q, args in (head, *body)]
                out.setdefault(at, []).append((Decimal(label), rest))
    return out


def fixed_point(
    equations: dict[Atom, list[tuple[Decimal, list[Atom]]]], sweeps: int = 300
) -> tuple[dict[Atom, Decimal], bool]:
    """The least fixed point from below, and whether it has converged."""
    x = dict.fromkeys(equations, Decimal(0))
    change = Decimal(1)
    for _ in range(sweeps):
        change = Decimal(0)
        for atom, terms in equations.items():
            new = Decimal(0)
            for label, body in terms:
                for other in body:
                    label *= x.get(other, Decimal(0))
                new += label
            change = max(change, abs(new - x[atom]) / new if new else Decimal(0))
            x[atom] = new
        if change < Decimal("1e-25") or max(x.values()) > Decimal("1e30"):
            break
    return x, change < Decimal("1e-25")


def check_random_program(seed: int) -> tuple[str, bool]:
    """Compare one program under both solvers: what it was, and whether a search answered, too. A
    third of the programs are asked under a condition that shares a variable."""
    rng = Random(seed)
    clauses = random_clauses(rng)
    logical = {p for p in range(3) if rng.random() < 0.3}
    labels = labels_of(clauses, logical)
    text = text_of(clauses, labels, logical)
    given = "p1(X, Z)" if seed % 3 == 0 else None
    with localcontext(prec=DIGITS):
        masses, converged = fixed_point(ground_equations(clauses, labels))
        want = {args: mass for (p, args), mass in masses.items() if p == 0 and mass}
        if given:
            shared = {
                x: masses.get((1, (x, "a")), Decimal(0)) + masses.get((1, (x, "b")), Decimal(0))
                for x in "ab"
            }
            want = {args: mass * shared[args[0]] for args, mass in want.items() if shared[args[0]]}
    program = slp.parse(text)
    plain = solved(program, "p0(X, Y)", given)
    core = Solved(program, plain.graph, compiled.bounds_of(plain.graph))
    for found in (plain.answers(), core.answers()):
        assert set(found) == set(want), text
        for answer, mass in want.items():
            check_bounds(found[answer], mass, converged, text)
    searched = seed % 10 == 0 and converged and agrees_with_search(program, given, want)
    if any(b.infinite for b in found.values()):
        return "infinite", searched
    if any(b.upper is None for b in found.values()):
        return "unknown", searched
    return "finite" if converged else "slow", searched


def check_bounds(have: Bounds, mass: Decimal, converged: bool, text: str) -> None:
    """Compare bounds with a mass that is approached from below."""
    # Whatever is certain about the mass is certain of a fixed point not yet reached.
    assert have.upper is None or Decimal(float(have.upper)) >= mass, text
    if have.infinite:
        assert not converged, text
    elif converged:
        assert encloses(have, mass, relative=1e-20), text
        assert have.upper is None or math.isclose(have.value.log, mass.ln(), abs_tol=1e-9), text


def agrees_with_search(
    program: slp.Program, given: str | None, want: dict[tuple[str, ...], Decimal]
) -> bool:
    """Whether a short search answers; its masses are compared."""
    condition = None if given is None else parse_term(given)
    query = Query(program.ir, parse_term("p0(X, Y)"), condition)
    goals, answer, first = prepared(query)
    proved = database_of(query.program), linked(goals), answer, first
    search = ProofSearch(*proved, Meter(Limits(2000)), 1e-12, weights=True, merges=True)
    masses: dict[tuple[str, ...], float] = {}
    for proof in search.run():
        answer = tuple(map(term_to_text, canonical(proof.answer)))
        masses[answer] = masses.get(answer, 0.0) + float(proof.mass)
    if not search.is_complete:
        return False
    wanted = {answer: float(mass) for answer, mass in want.items()}
    assert masses == pytest.approx(wanted, rel=1e-9)
    return True


def test_random_recursive_programs() -> None:
    checked = [check_random_program(seed) for seed in range(60)]
    kinds = [kind for kind, _ in checked]
    assert kinds.count("finite") > 30 and kinds.count("infinite") > 2
    assert kinds.count("unknown") == 0
    assert any(searched for _, searched in checked)


@pytest.mark.slow
@pytest.mark.thinned(10)
@pytest.mark.parametrize("first", range(1000, 6000, 500))
def test_many_random_recursive_programs(first: int) -> None:
    checked = [check_random_program(seed) for seed in range(first, first + 500)]
    kinds = [kind for kind, _ in checked]
    assert kinds.count("finite") > 250 and kinds.count("unknown") < 8
    assert sum(searched for _, searched in checked) > 5
