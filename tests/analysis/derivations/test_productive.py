"""Productive symbols, against the definition applied until nothing changes."""

from __future__ import annotations

import random

from slp.analysis.derivations.productive import productive


def by_definition(rules: list[tuple[int, list[int]]]) -> set[int]:
    found: set[int] = set()
    for _ in range(len(rules) + 1):
        found |= {symbol for symbol, below in rules if found.issuperset(below)}
    return found


def test_a_rule_needs_all_of_its_symbols() -> None:
    assert productive([("leaf", ()), ("tree", ("leaf", "never"))]) == {"leaf"}


def test_random_grammars() -> None:
    rng = random.Random(1)
    sizes = set()
    for _ in range(500):
        n = rng.randint(1, 8)
        rules = [
            (rng.randrange(n), [rng.randrange(n) for _ in range(rng.choice((0, 1, 2, 2, 3)))])
            for _ in range(rng.randint(1, 12))
        ]
        want = by_definition(rules)
        assert productive(rules) == want
        sizes.add(len(want))
    assert len(sizes) > 4
