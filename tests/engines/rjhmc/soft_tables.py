"""Two small tables, and posteriors over soft trees on them."""

from __future__ import annotations

import warnings
from typing import Any, cast

import numpy as np
import polars as pl

import slp
from slp.errors import SlpWarning
from slp.results import Posterior
from slp.trees.soft import SoftTree

RNG = np.random.default_rng(7)
A, B = RNG.uniform(0, 10, 40), RNG.normal(size=40)
CLASSES = pl.DataFrame({"a": A, "b": B, "y": np.where(A + RNG.normal(size=40) > 5, "q", "p")})
NUMBERS = pl.DataFrame({"a": A, "b": B, "y": np.where(A > 5, 3.0, 1.0) + 0.2 * RNG.normal(size=40)})
FEW: dict[str, Any] = {"seed": 1, "draws": 60, "warmup": 60, "chains": 2}


def drawn(text: str, frame: pl.DataFrame, **options: Any) -> Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(text).posterior(frame, **{**FEW, **options})


def soft(tree: Any) -> SoftTree:
    return cast(SoftTree, tree)
