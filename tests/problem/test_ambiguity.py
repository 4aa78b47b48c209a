"""Whether each tree has one derivation."""

from __future__ import annotations

import numpy as np
import pytest

import slp
from slp.problem import ambiguity

ONE = ":- weights. :- start(t). 0.5 :: t --> leaf. 0.5 :: t --> split(_, _), t, t."


def grammar(text: str):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (9, 2)).astype(float)
    return slp.parse(text).compile(X, X[:, 0] > 1).grammar


@pytest.mark.parametrize(
    ("more", "single"),
    [
        ("", True),
        (" 0.1 :: t --> leaf.", False),
        (" 0.1 :: t --> split(_, _), u, u. 1 :: u --> leaf.", False),
        (" 0.1 :: t --> u. 1 :: u --> split(_, _), t, t.", False),
    ],
)
def test_of_small_programs(more: str, single: bool) -> None:
    assert ambiguity.derivations_are_trees(grammar(ONE + more)) is single


def test_many_pairs_of_rules_are_counted_before_they_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Comparisons took half a second, which a limit of time did not end."""
    many = grammar(ONE + " 0.001 :: t --> split(_, _), u, u." * 150 + " 1 :: u --> leaf.")

    def compared(*_: object) -> None:
        raise AssertionError("rules were compared")

    monkeypatch.setattr(ambiguity._Overlaps, "_sides", compared)
    assert not ambiguity.derivations_are_trees(many)
