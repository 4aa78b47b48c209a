"""Thresholds, cuts, bounds, parameters and values of a table are printed so that they read back as
the same double, everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns import Below, quantity_text
from slp.messages.columns import OUT_OF_RANGE
from slp.messages.numbers import number_text
from slp.syntax import parse_term, term_to_text
from slp.terms import Number
from slp.trees import Leaf, Split, Tree

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def _doubles(n: int) -> list[float]:
    """Doubles of all sizes, with those that are printed in few digits, or in many."""
    random = np.random.default_rng(45)
    bits = random.integers(0, 2**64, n, dtype=np.uint64).view(np.float64)
    near = random.standard_normal(n) * 10.0 ** random.integers(-8, 18, n)
    known = [0.1 + 0.2, 1700000000124.5, 1e20, 1e22, 1e16, 2.0**53, 5e-324, 1.7976931348623157e308]
    found = [*known, 3.0, 40.0, 1e-5, 0.0, *bits[np.isfinite(bits)].tolist(), *near.tolist()]
    return found + [-x for x in found if x]


DOUBLES = _doubles(20)
POSITIVE = [x for x in DOUBLES if 1e-300 < x < 1e300]


def _numbers(text: str) -> set[float]:
    return {float(found) for found in _NUMBER.findall(text)}


@pytest.mark.parametrize(
    ("x", "want"),
    [
        (3.0, "3"),
        (40.0, "40"),
        (1700000000124.5, "1700000000124.5"),
        (2.0**53, "9007199254740992"),
        (1e20, "1.0e20"),
        (1.5e-7, "1.5e-7"),
        (0.1 + 0.2, "0.30000000000000004"),
        (np.float64(2.5), "2.5"),
        (np.int64(7), "7"),
        (float("-inf"), "-inf"),
    ],
)
def test_a_number_in_the_fewest_digits(x: float, want: str) -> None:
    assert number_text(x) == want


def test_a_number_with_its_unit_or_as_its_level() -> None:
    assert quantity_text(30.0, "mg") == "30 mg"
    assert quantity_text(1.0, order=("low", "high")) == "high"
    assert quantity_text(0.5, order=("low", "high")) == "0.5"


def test_every_double_reads_back() -> None:
    for x in [*DOUBLES, *_doubles(2000)]:
        assert float(number_text(x)) == x
        read = parse_term(number_text(x))
        assert isinstance(read, Number)
        assert float(read.value) == x
        assert float(term_to_text(Number(x))) == x


def test_trees() -> None:
    for x in DOUBLES:
        tree = Tree(Split("x", Below(x), Leaf({"n": 2, "mean": 1.0}), Leaf()))
        place = list(tree.places())[1]
        for text in (tree.to_text(), tree.to_dot(), place.region.describe()):
            assert x in _numbers(text), text
        assert tree.to_dict()["threshold"] == x
        united = Tree(Split("x", Below(x, unit="mg"), Leaf(), Leaf()))
        assert f"{number_text(x)} mg" in united.to_text()


def _of_box(x: float) -> str:
    low, high = sorted([x, x + abs(x) + 1.0])
    return (
        f"box(b, u, {number_text(low)}, {number_text(high)}). :- constraint(constant(b)). "
        f"box(c, u, {number_text(low)}, inf). :- constraint(forbid(v, within(c)))."
    )


def _of_positive(x: float) -> str:
    text = number_text(x)
    return (
        f":- feature(u, [cuts([{text}])]). :- feature(v, [range(0, {text})]). "
        f":- feature_weight(v, {text}). :- leaf(gamma_poisson({text}, 1))."
    )


@pytest.mark.slow
@pytest.mark.parametrize(("lines", "numbers"), [(_of_box, DOUBLES), (_of_positive, POSITIVE)])
def test_programs(lines: Callable[[float], str], numbers: list[float]) -> None:
    for x in numbers:
        program = slp.parse(f":- use(growtree). {lines(x)}")
        for text in (program.describe(), program.explain()):
            assert x in _numbers(text), text


def test_parameters() -> None:
    for x in POSITIVE:
        program = slp.load("growtree", beta=x)
        assert f"beta = {number_text(x)}" in program.describe()
        read = slp.parse(
            f":- param(beta, {number_text(x)}). 1 / (1+beta) :: t --> leaf. "
            "beta / (1+beta) :: t --> split(_, _), t, t. :- start(t)."
        )
        assert read.parameters["beta"] == x


def test_messages() -> None:
    for x in DOUBLES:
        found = OUT_OF_RANGE(name="u", value=x, row=1, rows="", low=np.float64(x), high=x)
        assert found.message.count(number_text(x)) == 3


def test_a_table_of_large_numbers() -> None:
    stamps = [1700000000123.0, 1700000000124.0, 1700000000125.0, 1700000000126.0]
    frame = pl.DataFrame({"stamp": stamps, "y": ["a", "a", "b", "b"]})
    posterior = slp.load("growtree").posterior(frame, draws=0)
    assert "stamp < 1700000000124.5" in posterior.map_tree().to_text()
    edges = (
        ":- use(growtree). box(b, stamp, 1700000000123.5, 1700000000124.5). "
        ":- constraint(constant(b))."
    )
    assert "1700000000123.5 <= stamp < 1700000000124.5" in slp.parse(edges).describe()
    assert "1700000000123.5" in str(slp.parse(edges).explain(frame))
