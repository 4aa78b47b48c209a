"""Declared densities of thresholds: `:- thresholds(age, normal(50, 10)).`"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NormalThresholds:
    """A normal density of the thresholds of a feature; `sd` is above 0."""

    mean: float
    sd: float
