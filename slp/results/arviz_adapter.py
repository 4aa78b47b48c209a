"""ArviZ's structure of data. The one file that imports it, late, as that takes seconds."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

__all__ = ["inference_data"]


def _arviz() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of its own next version
        import arviz
    return arviz


def inference_data(
    posterior: Mapping[str, NDArray[Any]],
    sample_stats: Mapping[str, NDArray[Any]],
    dims: Mapping[str, list[str]],
    coords: Mapping[str, list[Any]],
) -> Any:
    """`arviz.InferenceData` of arrays of shape (M, T, ...)."""
    return _arviz().from_dict(
        posterior=dict(posterior),
        sample_stats=dict(sample_stats),
        dims=dict(dims),
        coords=dict(coords),
    )
