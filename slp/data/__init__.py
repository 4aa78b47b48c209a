"""Tables: read from files or Python, typed, checked, coded and merged for inference.

Entry points: `read_columns` (a file on the command line; `read_frame` gives it as a frame,
`read_head` its first rows),
`frame_of` (any kind of frame as columns), `table_of` (makes a `Table` from a program and a frame or
array), `taken_in` (a sparse matrix as an array, within a budget of memory), `GivenResponse` (a
response with weights of rows), `Table` and `Feature` (the coded table of engines; `Table.new_rows`
for rows to predict), `follow_formulas` (what formulas make of a value that was changed).

Inside, in the order of processing: `files` reads files, with `polars_frames` (imports polars,
late), `small_text` (works without polars) and `parquet` (reads in a child process); `heads` reads
first rows. `intake` turns sparse matrices, lazy frames and Arrow tables into arrays and frames,
`frames` any of these into columns. `columns` has types and cells, `times` dates and the like, which
are neither numbers nor categories. `features` (codes and cuts) and `response` (leaf model) use
`texts`, which recognises the form of text; `declarations` puts together what a program says of a
column. `defined` makes columns of others by formulas. `roles` distinguishes features and response.
`coding` makes the table, which `table` defines, with its features (`feature_kind`) and its size
(`memory`); `new_rows` reads rows to predict. `shared` is one table for several programs, and its
folds. All of them use `cells`, `faults` (checks of columns) and `words` (wording).
"""

from __future__ import annotations

from slp.data.coding import table_of
from slp.data.columns import Column, labels_of, numbers_of
from slp.data.defined import follow_formulas
from slp.data.feature_kind import Feature
from slp.data.files import read_columns, read_frame
from slp.data.frames import column_of_values, frame_of
from slp.data.heads import read_head
from slp.data.intake import taken_in
from slp.data.roles import GivenResponse, named_column
from slp.data.shared import SharedTable
from slp.data.table import Table, misses

__all__ = [
    "Column",
    "Feature",
    "GivenResponse",
    "SharedTable",
    "Table",
    "column_of_values",
    "follow_formulas",
    "frame_of",
    "labels_of",
    "misses",
    "named_column",
    "numbers_of",
    "read_columns",
    "read_frame",
    "read_head",
    "table_of",
    "taken_in",
]
