"""Arrays of what is no array yet: lists, and objects that give an array when they are asked."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from slp.data.cells import kind_of_type
from slp.errors import DataError
from slp.messages.table_files import CHANGING_ARRAY, NO_ARRAY, RAGGED_LIST, STRANGE_ARRAY

#: Kinds of NumPy types whose cells a table may hold, or whose columns have a message of their own.
_KINDS = "biufOUSTMm"


def settled(given: Any, what: str) -> Any:
    """The array of a list, a memoryview or an object with `__array__`; frames, series, sparse
    matrices and all else unchanged. `what` names it in a message.

    Raises
    ------
    DataError
        E448: there is no such array: lists of different lengths, or the object fails, gives no
        array or one of cells that no table holds. E449: asked twice, it gives different shapes.
    """
    if isinstance(given, list | tuple | memoryview):
        try:
            return np.asarray(given)
        except Exception as e:  # also of objects in it
            raise DataError(RAGGED_LIST(what=what)) from e
    if isinstance(given, np.ndarray) and type(given) is not np.matrix:
        return given
    if not hasattr(given, "__array__") or _has_own_reader(given):
        return given
    array, again = (_asked(given, what) for _ in range(2))
    if array.shape != again.shape:
        raise DataError(CHANGING_ARRAY(what=what, first=array.shape, second=again.shape))
    return array


def _has_own_reader(given: Any) -> bool:
    """Whether it is a frame, a series, or a sparse matrix."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(given, polars.Series):
        return True
    return any(hasattr(given, name) for name in ("columns", "iloc", "toarray"))


def _asked(given: Any, what: str) -> np.ndarray[Any, Any]:
    own = type(given).__name__
    try:
        array = np.asarray(given)
    except Exception as e:  # whatever the caller's object raises
        raise DataError(NO_ARRAY(what=what, type=own, reason=str(e) or type(e).__name__)) from e
    strange = array.dtype.kind == "O" and "other" in {kind_of_type(type(c)) for c in array.flat}
    if strange or array.dtype.kind not in _KINDS:
        raise DataError(STRANGE_ARRAY(what=what, type=own, dtype=array.dtype))
    return array
