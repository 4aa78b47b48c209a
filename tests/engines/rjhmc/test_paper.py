"""Tuning `paper`: what was published, and by how much it misses the posterior.

    python -m tests.engines.rjhmc.test_paper STEPS      shares of topologies beside quadrature

It tunes the No-U-Turn sampler anew within each proposal, so a step is not reversible; the
comparisons of test_jumps.py are then printed and not tested. The results are in
docs/notes/soft-trees.md.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import slp
from slp.engines.rjhmc.plain import SoftData
from slp.errors import SlpWarning
from tests.engines.rjhmc import test_jumps as jumps
from tests.engines.rjhmc.soft_cases import sampler_of
from tests.engines.rjhmc.test_engine import CLASSES, NUMBERS
from tests.engines.rjhmc.test_jumps import bits_of


@pytest.mark.parametrize(("frame", "index"), [(CLASSES[:12], "hard"), (NUMBERS[:12], "soft")])
def test_a_run(frame: Any, index: str) -> None:
    few: dict[str, Any] = {"seed": 1, "draws": 4, "warmup": 1, "chains": 2, "first_h": 0.5}
    with pytest.warns(SlpWarning, match="W545"):
        found = slp.load("rjhmc", h=0.3).posterior(frame, tuning="paper", index=index, **few)
    assert found.reason.endswith("tuning paper")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        again = slp.load("rjhmc", h=0.3).posterior(
            frame, tuning="paper", index=index, threads=1, **few
        )
        frozen = slp.load("rjhmc", h=0.3).posterior(frame, index=index, **few)
    assert [d.tree for d in again.draws] == [d.tree for d in found.draws]
    assert frozen.reason.endswith("tuning frozen")


@pytest.mark.parametrize("warm_up", [True, False])
def test_a_step_makes_all_transitions(warm_up: bool) -> None:
    """2 x (500 + 1) of numbers, which have parameters at every topology."""
    rng = np.random.default_rng(1)
    sampler = sampler_of(jumps.numbers(), lengths=(10, 1, 0, 3), informed=False, tuning="paper")
    chain = sampler.start(bits_of(rng))
    _, counts = sampler.advance(chain, bits_of(rng), 7, warm_up, True)
    trajectories, divergent, gradients = counts[-3:]
    assert trajectories == 7 * 2 * 501
    assert gradients > trajectories and divergent < 0.2 * trajectories


# --- how far it is from the posterior ------------------------------------------------------------


def cases() -> list[tuple[str, SoftData, float, int, dict[tuple[int, ...], float]]]:
    """Name, data, split probability, most leaves, and the shares of topologies by quadrature."""
    out = []
    data, shapes = jumps.classes(), (jumps.LEAF, jumps.STUMP, jumps.LEFT, jumps.RIGHT)
    mass = [jumps.log_mass_of_classes(data, s) + jumps.log_prior_of(s, 3) for s in shapes]
    out.append(("classes", data, jumps.SPLIT, 3, shares_of(shapes, mass)))
    data, shapes = jumps.numbers(), (jumps.LEAF, jumps.STUMP)
    mass = [jumps.log_mass_of_numbers(data, s) + jumps.log_prior_of(s, 2) for s in shapes]
    out.append(("numbers", data, jumps.SPLIT, 2, shares_of(shapes, mass)))
    data, odds, _ = jumps.sharp(0.01)
    out.append(("sharp classes", data, 0.01, 2, shares_of(shapes, odds)))
    return out


def shares_of(shapes: Any, log_mass: Any) -> dict[tuple[int, ...], float]:
    share = np.exp(np.array(log_mass) - logsumexp(log_mass))
    return dict(zip(shapes, share.tolist(), strict=True))


def measured(steps: int) -> None:
    """One line for each case, tuning and topology: its share of the steps with its standard error
    by 50 batches, and by quadrature."""
    print("| case | tuning | leaves | share | by quadrature |\n| --- | --- | --- | --- | --- |")
    for name, data, split, most, want in cases():
        for tuning in ("frozen", "paper"):
            kind = {"informed": False, "split": split, "tuning": tuning}
            sampler = sampler_of(data, lengths=(300, 1, 0, most), **kind)  # type: ignore[arg-type]
            draws = jumps.draws_of(sampler, steps, 1)
            for k in sorted({len(shape) // 2 + 1 for shape in want}):
                share = sum(p for shape, p in want.items() if len(shape) // 2 + 1 == k)
                hits = np.array([len(shape) // 2 + 1 == k for shape, _ in draws], np.float64)
                error = hits.reshape(50, -1).mean(axis=1).std(ddof=1) / np.sqrt(50)
                print(
                    f"| {name} | {tuning} | {k} | {hits.mean():.4f} ({error:.4f}) | {share:.4f} |"
                )
            sys.stdout.flush()


if __name__ == "__main__":
    measured(int(sys.argv[1]))
