"""The weights of an island are without bias, derivation by derivation: exactly, of tiny examples.

Random programs have calls, several split rules, every measure, `condition`, dead ends, `max_leaves`
and tests on the finished tree.
"""

from __future__ import annotations

import polars as pl
import pytest

from tests.engines.smc.expectations import (
    TOLERANCE,
    WAYS,
    expected_core_weights,
    expected_weights,
    of_program,
    off,
    plan,
    wanted_core_weights,
    wanted_weights,
)
from tests.reference.mh.matrices import random_examples

#: A line whose gaps differ, and a feature of four levels.
LINE = pl.DataFrame({"a": [0.0, 1.0, 10.0, 10.0], "y": ["p", "q", "p", "q"]})
LEVELS = pl.DataFrame({"a": ["r", "s", "t", "u", "u"], "y": ["p", "q", "q", "p", "p"]})
IN_ORDER = ":- feature(a, [subsets(ordered)])."
SHALLOW = " :- support(max_depth(1))."
EXAMPLES = [
    *random_examples(12, least=3, most=7),
    ("gaps", of_program(":- use(growtree_gap).", LINE)),
    ("levels", of_program(f":- use(growtree).{SHALLOW}", LEVELS)),
    ("ordered", of_program(f":- use(growtree). {IN_ORDER}{SHALLOW}", LEVELS)),
]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_two_particles(way: tuple[str, str, str]) -> None:
    """Each way with one in three of the examples, each of these with one in three of the ways."""
    for i, (seed, made) in list(enumerate(EXAMPLES))[WAYS.index(way) % 3 :: 3]:
        how = plan(way, kept=1 + i % 2, ess=(1.0, 0.8)[i // 2 % 2])
        assert off(expected_weights(made, how), wanted_weights(made)) < TOLERANCE, seed


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_two_particles_of_the_core(way: tuple[str, str, str]) -> None:
    for i, (seed, made) in enumerate(EXAMPLES):
        how = plan(way, kept=1 + i % 2, ess=(1.0, 0.8)[i // 2 % 2])
        have, want = expected_core_weights(made, how), wanted_core_weights(made)
        assert off(have, want) < TOLERANCE, seed
