"""The weights of an island are without bias, derivation by derivation: exactly, of tiny examples.

Random programs have calls, several split rules, every measure, `condition`, dead ends, `max_leaves`
and tests on the finished tree.
"""

from __future__ import annotations

import pytest

from tests.engines.mcmc.trees.matrices import random_examples
from tests.engines.smc.expectations import (
    TOLERANCE,
    WAYS,
    expected_core_weights,
    expected_weights,
    off,
    plan,
    wanted_core_weights,
    wanted_weights,
)

EXAMPLES = random_examples(12, least=3, most=7)


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_two_particles(way: tuple[str, str, str]) -> None:
    for i, (seed, made) in enumerate(EXAMPLES):
        how = plan(way, kept=1 + i % 2, ess=(1.0, 0.8)[i // 2 % 2])
        assert off(expected_weights(made, how), wanted_weights(made)) < TOLERANCE, seed


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_two_particles_of_the_core(way: tuple[str, str, str]) -> None:
    for i, (seed, made) in enumerate(EXAMPLES):
        how = plan(way, kept=1 + i % 2, ess=(1.0, 0.8)[i // 2 % 2])
        have, want = expected_core_weights(made, how), wanted_core_weights(made)
        assert off(have, want) < TOLERANCE, seed
