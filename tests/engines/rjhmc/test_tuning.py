"""Tuning `frozen`: what warm-up learns, that sampling leaves it alone, and how h falls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.engines.rjhmc.soft_cases import sampler_of
from tests.engines.rjhmc.test_jumps import STUMP, bits_of, classes, numbers

#: Numbers of one size of topology: log step, its average, centre, error, count, and the metric.
OF_SIZE = 20


def sizes_of(tuning: np.ndarray) -> np.ndarray:
    """What was learned, by number of inner nodes. Two numbers of the schedule come before."""
    return tuning[2:].reshape(-1, OF_SIZE)


@pytest.mark.parametrize("jumps", [True, False])
@pytest.mark.parametrize("of_classes", [True, False])
def test_sampling_learns_nothing(of_classes: bool, jumps: bool) -> None:
    """Step sizes and metric change in warm-up alone."""
    rng = np.random.default_rng(1)
    sampler = sampler_of(classes() if of_classes else numbers(), lengths=(80, 2, 0, 8))
    q = np.array([0.2]) if of_classes else np.array([0.2, -0.5, 0.7, 0.1])
    nothing = sampler.start(bits_of(rng)).tuning()
    chain = sampler.restore(np.array(STUMP, np.int32), q, nothing)
    for n in (20, 60):
        before = chain.tuning()
        chain, _ = sampler.advance(chain, bits_of(rng), n, True, False)
        after = chain.tuning()
        assert after[0] == before[0] + n
        assert (sizes_of(after)[:, 0] != sizes_of(before)[:, 0]).any()
        assert n == 20 or (sizes_of(after)[:, 5:] != sizes_of(before)[:, 5:]).any()
    learned = chain.tuning()
    for _ in range(3):
        chain, counts = sampler.advance(chain, bits_of(rng), 40, False, jumps)
        assert counts[11] > 0
        assert (chain.tuning() == learned).all()


def test_sampling_takes_the_averaged_step_size() -> None:
    """The step size of warm-up is the last one, and that of sampling is the average over warm-up.
    With an average of exp(-40) the parameters stay where they are."""
    rng = np.random.default_rng(2)
    sampler = sampler_of(numbers(), lengths=(60, 1, 3, 2))
    tuning = sampler.start(bits_of(rng)).tuning()
    sizes_of(tuning)[:, 0], sizes_of(tuning)[:, 1], sizes_of(tuning)[:, 4] = -3.0, -40.0, 10.0
    q = np.array([0.2, -0.5, 0.7, 0.1])
    chain = sampler.restore(np.array([-1], np.int32), q[2:], tuning)
    moved = {
        warm_up: sampler.advance(chain, bits_of(rng), 1, warm_up, False)[0].parameters()
        for warm_up in (True, False)
    }
    assert moved[False] == pytest.approx(q[2:], abs=1e-12)
    assert np.abs(moved[True] - q[2:]).max() > 1e-3


@pytest.mark.parametrize("of_classes", [True, False])
def test_h_falls_geometrically_in_the_first_half_of_warm_up(of_classes: bool) -> None:
    """A step of warm-up is that of a sampler whose h is fixed at the present value."""
    rng = np.random.default_rng(3)
    data = classes(0.1) if of_classes else numbers(0.1)
    kind: dict[str, Any] = {"lengths": (10, 2, 0, 3), "split": 0.6}
    falls = sampler_of(data, first_h=1.6, **kind)
    tuning = falls.start(bits_of(rng)).tuning()
    shape = np.array(STUMP, np.int32)
    q = np.array([0.2]) if of_classes else np.array([0.2, -0.5, 0.7, 0.1])
    for made in range(12):
        tuning[0] = made
        seeds = bits_of(rng)
        for warm_up in (True, False):
            h = 0.1 * 16 ** max(0.0, 1 - made / 5) if warm_up else 0.1
            fixed = sampler_of(classes(h) if of_classes else numbers(h), **kind)
            found = [
                sampler.advance(sampler.restore(shape, q, tuning), seeds, 1, warm_up, True)[0]
                for sampler in (falls, fixed)
            ]
            assert (found[0].features(falls) == found[1].features(fixed)).all()
            assert found[0].parameters() == pytest.approx(found[1].parameters(), rel=1e-8)
