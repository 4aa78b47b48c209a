"""ArviZ's structure of data, by `arviz_base`, which is an extra."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from slp.errors import UnsupportedError
from slp.messages.inference import NO_ARVIZ

__all__ = ["inference_data"]


def inference_data(
    posterior: Mapping[str, NDArray[Any]],
    sample_stats: Mapping[str, NDArray[Any]],
    dims: Mapping[str, list[str]],
    coords: Mapping[str, list[Any]],
) -> Any:
    """An `xarray.DataTree` of arrays of shape (M, T, ...), as ArviZ takes it.

    Raises
    ------
    UnsupportedError
        E532: arviz-base is not installed.
    """
    try:
        import arviz_base
    except ImportError as e:
        raise UnsupportedError(NO_ARVIZ()) from e
    return arviz_base.from_dict(
        {"posterior": dict(posterior), "sample_stats": dict(sample_stats)},
        dims=dict(dims),
        coords=dict(coords),
    )
