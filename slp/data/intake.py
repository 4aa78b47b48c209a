"""Tables in other forms, brought into one that the rest of this package reads: sparse matrices,
lazy frames of polars and Arrow tables; and values that look like tables and are none."""

from __future__ import annotations

import sys
from typing import Any

from slp.budgets import check_room_for_rows, memory_budget
from slp.errors import DataError
from slp.late import late_import
from slp.messages.table_files import DICT_AS_TABLE, ROWS_NOT_COMPUTED


def taken_in(X: Any, memory: int | None = None) -> Any:
    """A sparse matrix as an array, a lazy frame with its rows computed; anything else unchanged.

    `memory` is the budget in bytes within which a sparse matrix is made dense; None is half of the
    free memory.

    Raises
    ------
    DataError
        E410: a frame of Dask, a dict, or a lazy frame whose rows cannot be computed.
    BudgetError
        E501: the sparse matrix takes more than the budget.
    """
    if hasattr(X, "__dask_graph__") and not hasattr(X, "chunks"):  # arrays have chunks
        raise DataError(ROWS_NOT_COMPUTED(type=type(X).__name__))
    if hasattr(X, "toarray"):  # before the dicts, as one sort of sparse matrices are
        check_room_for_rows(X, memory_budget(None) if memory is None else memory)
        return X.toarray()
    if isinstance(X, dict):
        raise DataError(DICT_AS_TABLE())
    lazy = is_polars(X, "LazyFrame")
    return late_import("slp.data.polars_frames").collected(X) if lazy else X


def arrow_as_polars(X: Any) -> Any:
    """An Arrow table (of pyarrow, or whatever gives one by `__arrow_c_stream__` or
    `__arrow_c_array__`) as a frame of polars; anything else unchanged. Raises DataError E407 and
    E408 for names of columns, E410 if polars cannot read it."""
    return late_import("slp.data.polars_frames").frame_of_arrow(X) if is_arrow(X) else X


def is_polars(X: Any, kind: str) -> bool:
    """Whether X is an object of polars. Its maker has then imported polars."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(X, getattr(polars, kind))


def is_pandas_frame(X: Any) -> bool:
    """Whether X is a frame of pandas, or works as one."""
    return hasattr(X, "columns") and hasattr(X, "iloc")


def is_arrow(X: Any) -> bool:
    """Whether X is an Arrow table, or gives one, and is no frame or series that is read as such."""
    if is_polars(X, "DataFrame") or is_polars(X, "Series") or hasattr(X, "iloc"):
        return False
    gives = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    return gives and (hasattr(X, "columns") or hasattr(X, "schema"))
