"""The order of levels by the shares of classes, as docs/data.md defines it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np


def places_in_order(shares: Sequence[Sequence[Fraction]], rows: Sequence[int]) -> list[float]:
    """Where levels stand, given the shares of the classes among so many rows of each: the share of
    the last of two classes; of more the place along the axis in which shares vary most, of several
    that nearest to the axis of a class. Equal but for rounding are equal."""
    if len(shares[0]) <= 2:
        return [float(own[-1]) for own in shares]
    known, n = np.array(shares, np.float64), np.array(rows)
    far = known - (n @ known) / n.sum()
    _, sizes, axes = np.linalg.svd(np.sqrt(n)[:, None] * far, full_matrices=True)
    sizes = np.concatenate([sizes, np.zeros(len(axes) - len(sizes))])
    longest = axes[sizes >= sizes[0] * (1 - 1e-9)]
    near = [round(float((longest[:, c] ** 2).sum()), 9) for c in range(len(axes))]
    axis = longest[:, near.index(max(near))] @ longest
    return [round(float(own @ axis), 9) + 0.0 for own in known]
