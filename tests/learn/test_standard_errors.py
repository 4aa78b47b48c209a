"""Standard errors: closed forms, differences of likelihoods that other code computes, and labels
that have none."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

import slp
from tests.learn.test_labels import DICE, DOUBLE, log_likelihood
from tests.learn.test_networks import ALARM

TIGHT = {"errors": True, "tolerance": 1e-13}


def errors(result: slp.LearnResult) -> dict[str, float | None]:
    return {c.name: c.error for c in result.changes}


def by_differences(
    log_likelihood: Callable[[NDArray[np.float64]], float], point: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The covariance at a point, of free coordinates."""
    n, h = len(point), 1e-3
    second = np.empty((n, n))
    for i, j in product(range(n), repeat=2):
        e, f = h * np.eye(n)[i], h * np.eye(n)[j]
        ends = [(e + f, 1), (e - f, -1), (f - e, -1), (-e - f, 1)]
        second[i, j] = sum(sign * log_likelihood(point + d) for d, sign in ends) / (4 * h * h)
    return np.linalg.inv(-second)


def test_counts() -> None:
    """sqrt(p (1 - p) / n) for each label of a set, also where another label is 0."""
    text = "0.3 :: c(a). 0.3 :: c(b). 0.4 :: c(d). 0 :: c(e).\n"
    found = slp.parse(text).learn("20 :: c(a)", "30 :: c(b)", "50 :: c(d)", **TIGHT)
    want = {
        f"c({x})": math.sqrt(p * (1 - p) / 100) for x, p in zip("abd", (0.2, 0.3, 0.5), strict=True)
    }
    have = errors(found)
    assert have.pop("c(e)") is None
    assert have == pytest.approx(want, rel=1e-4)


def test_a_network() -> None:
    """The number of times that the parents have their values stands for n."""
    seen = {(1, 1, 1): 30, (1, 1, 0): 10, (1, 0, 1): 20, (1, 0, 0): 30, (0, 1, 1): 40}
    seen |= {(0, 1, 0): 10, (0, 0, 0): 70}
    goals = [f"{n} :: w({b}, {e}, {a})" for (b, e, a), n in seen.items()]
    found = slp.parse(ALARM).learn(*goals, **TIGHT)
    have = errors(found)
    assert have["al(1, 1, 1)"] == pytest.approx(math.sqrt(0.75 * 0.25 / 40), rel=1e-4)
    assert have["al(1, 0, 0)"] == pytest.approx(math.sqrt(0.4 * 0.6 / 50), rel=1e-4)
    assert have["bu(1)"] == pytest.approx(math.sqrt(9 / 21 * 12 / 21 / 210), rel=1e-4)
    ends = {c.name: c.why_no_error for c in found.changes if c.error is None}
    assert set(ends) == {"al(0, 0, 0)", "al(0, 0, 1)"}
    assert all("end of its range" in str(why) for why in ends.values())


def test_failures_count() -> None:
    """P(h) = r = p^2 / (p^2 + q^2), and the error of r carries over by dp/dr."""
    found = slp.parse(DOUBLE).learn("36 :: double(h)", "16 :: double(t)", **TIGHT)
    p, r = 0.6, 36 / 52
    slope = 2 * p * (1 - p) / (p**2 + (1 - p) ** 2) ** 2
    want = math.sqrt(r * (1 - r) / 52) / slope
    assert errors(found) == pytest.approx({"coin(h)": want, "coin(t)": want}, rel=1e-3)


@pytest.mark.parametrize("concentration", [1.0, 2.0])
def test_rising_dice_by_differences(concentration: float) -> None:
    seen = {"rising(1, 2)": 40.0, "rising(1, 3)": 30.0, "rising(2, 3)": 20.0}
    goals = [f"{n} :: {y}" for y, n in seen.items()]
    program = slp.parse(DICE.format(a=0.4, b=0.3, c=0.3))
    found = program.learn(*goals, concentration=concentration, **TIGHT)
    label = np.array([c.after for c in found.changes])

    def log_posterior(free: NDArray[np.float64]) -> float:
        values = [*free.tolist(), 1 - free.sum()]
        text = DICE.format(a=values[0], b=values[1], c=values[2])
        prior = (concentration - 1) * sum(map(math.log, values))
        return log_likelihood(slp.parse(text), "rising(_, _)", seen) + prior

    covariance = by_differences(log_posterior, label[:2])
    want = [*np.sqrt(np.diag(covariance)), math.sqrt(covariance.sum())]
    assert [c.error for c in found.changes] == pytest.approx(want, rel=1e-2)


def test_a_parameter() -> None:
    """A parameter of labels that are expressions, where the other labels stay."""
    text = (
        ":- param(p, 0.3).\np :: fair(yes). 1 - p :: fair(no).\n"
        "0.5 :: toss(yes, h). 0.5 :: toss(yes, t). 0.9 :: toss(no, h). 0.1 :: toss(no, t).\n"
        "two(X, Y) :- fair(F), toss(F, X), toss(F, Y).\n"
    )
    seen = {"hh": 50, "ht": 14, "th": 12, "tt": 6}
    goals = [f"{n} :: two({xy[0]}, {xy[1]})" for xy, n in seen.items()]
    found = slp.parse(text).learn(*goals, only=["p"], **TIGHT)
    (change,) = found.changes

    def log_mass(at: NDArray[np.float64]) -> float:
        heads = {"h": (0.5, 0.9), "t": (0.5, 0.1)}
        return sum(
            n
            * math.log(at[0] * heads[x][0] * heads[y][0] + (1 - at[0]) * heads[x][1] * heads[y][1])
            for (x, y), n in seen.items()
        )

    (want,) = np.sqrt(np.diag(by_differences(log_mass, np.array([change.after]))))
    assert change.error == pytest.approx(want, rel=1e-3)


def test_what_the_data_do_not_determine() -> None:
    """Only the product of two labels is seen; a third one beside them is determined."""
    text = "0.5 :: a(1). 0.5 :: a(0).\n0.6 :: b(1). 0.4 :: b(0).\n0.5 :: c(1). 0.5 :: c(0).\n"
    text += "and(1, 1, 1). and(1, 0, 0). and(0, 1, 0). and(0, 0, 0).\n"
    text += "p(X, Y) :- a(A), b(B), and(A, B, X), c(Y).\n"
    seen = ["30 :: p(1, 1)", "10 :: p(0, 1)", "10 :: p(1, 0)", "50 :: p(0, 0)"]
    found = slp.parse(text).learn(*seen, **TIGHT)
    whys = {c.name: c.why_no_error for c in found.changes if c.error is None}
    assert set(whys) == {"a(1)", "a(0)", "b(1)", "b(0)"}
    assert all("singular" in str(why) for why in whys.values())
    assert errors(found)["c(1)"] == pytest.approx(math.sqrt(0.4 * 0.6 / 100), rel=1e-4)


#: Two hidden classes and two answers: 5 free labels, 3 free cells.
CLASSES = """
0.3 :: z(0). 0.7 :: z(1).
0.6 :: a(0, 0). 0.4 :: a(0, 1). 0.2 :: a(1, 0). 0.8 :: a(1, 1).
0.5 :: b(0, 0). 0.5 :: b(0, 1). 0.1 :: b(1, 0). 0.9 :: b(1, 1).
g(X, Y) :- z(Z), a(Z, X), b(Z, Y).
three(X, Y, W) :- z(Z), a(Z, X), a(Z, Y), a(Z, W).
one(X) :- z(Z), a(Z, X).
"""
_TWO = ("g(0, 0)", "g(0, 1)", "g(1, 0)", "g(1, 1)")


@pytest.mark.parametrize("tolerance", [1e-7, 1e-9, 1e-13])
@pytest.mark.parametrize(
    ("goals", "counts"),
    [(_TWO, (10, 2, 3, 40)), (_TWO, (10, 20, 15, 40)), (("one(0)", "one(1)"), (5, 9))],
)
def test_classes_that_the_data_do_not_determine(
    goals: tuple[str, ...], counts: tuple[int, ...], tolerance: float
) -> None:
    """Also where the iterations end at some distance from the maximum, a curve or a surface."""
    seen = [f"{n} :: {y}" for n, y in zip(counts, goals, strict=True)]
    found = slp.parse(CLASSES).learn(*seen, errors=True, tolerance=tolerance, iterations=5000)
    assert found.converged
    assert all(c.error is None and "singular" in str(c.why_no_error) for c in found.changes)


def test_classes_that_the_data_determine() -> None:
    """Three tosses of one of two coins tell the classes, up to their names."""
    seen = {0: 40, 1: 22, 2: 30, 3: 88}  # by number of ones
    words = {0: "0, 0, 0", 1: "0, 0, 1", 2: "1, 0, 1", 3: "1, 1, 1"}
    goals = [f"{n} :: three({words[k]})" for k, n in seen.items()]
    found = slp.parse(CLASSES).learn(*goals, errors=True, tolerance=1e-11)
    after = {c.name: c.after for c in found.changes}
    names = ["z(0)", "a(0, 0)", "a(1, 0)"]

    def log_mass(at: NDArray[np.float64]) -> float:
        z, a, b = at
        return sum(
            n * math.log(z * a ** (3 - k) * (1 - a) ** k + (1 - z) * b ** (3 - k) * (1 - b) ** k)
            for k, n in seen.items()
        )

    want = np.sqrt(np.diag(by_differences(log_mass, np.array([after[n] for n in names]))))
    assert [errors(found)[n] for n in names] == pytest.approx(want, rel=1e-2)


def test_classes_that_stay_alike() -> None:
    """The labels of both classes are the same where the iterations begin and end: a saddle."""
    text = CLASSES.replace("0.2 :: a(1, 0). 0.8", "0.6 :: a(1, 0). 0.4")
    seen = ["40 :: three(0, 0, 0)", "22 :: three(0, 0, 1)", "88 :: three(1, 1, 1)"]
    found = slp.parse(text).learn(*seen, **TIGHT)
    assert {c.error for c in found.changes} == {None}


def test_an_error_is_at_most_half_the_range() -> None:
    """Seven tosses say little on the classes: there is a curvature, and the errors are no use."""
    seen = ["2 :: three(0, 0, 0)", "2 :: three(0, 0, 1)", "2 :: three(1, 0, 1)", "three(1, 1, 1)"]
    found = slp.parse(CLASSES).learn(*seen, **TIGHT)
    whys = {c.name: str(c.why_no_error) for c in found.changes}
    assert "half the range" in whys["z(0)"] and "half the range" in whys["z(1)"]
    assert all(c.error is None or c.error <= 0.5 for c in found.changes)


def test_no_errors_unless_they_are_asked_for() -> None:
    found = slp.parse(DOUBLE).learn("36 :: double(h)", "16 :: double(t)")
    assert {(c.error, c.why_no_error) for c in found.changes} == {(None, None)}


def test_iterations_that_have_not_converged() -> None:
    found = slp.parse(DOUBLE).learn("36 :: double(h)", "double(t)", errors=True, iterations=1)
    assert "no standard errors: the iterations have not converged" in found.notes[-1]
    assert {c.error for c in found.changes} == {None}
