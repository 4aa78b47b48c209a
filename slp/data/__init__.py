"""Tables: read from files or Python, typed, checked, coded and merged for inference.

Entry points: `read_columns` (a file on the command line; `read_frame` gives it as a frame),
`frame_of` (any kind of frame as columns), `table_of` (a program and a frame or array make a
`Table`), `Table` and `Feature` (what engines see; `Table.new_rows` for rows to predict).

Inside, in the order in which data pass: `files` (with `polars_frames`, which imports polars, late,
`small_text`, which does without, and `parquet`, which lets a child process read) -> `frames` (any
kind of frame becomes columns) -> `columns` (types and cells) -> `features` (codes and cuts),
`response` (leaf model), both with `texts` (what text seems to be) -> `coding`.
"""

from __future__ import annotations

from slp.data.coding import table_of
from slp.data.files import read_columns, read_frame
from slp.data.frames import frame_of
from slp.data.table import Feature, Table

__all__ = ["Feature", "Table", "frame_of", "read_columns", "read_frame", "table_of"]
