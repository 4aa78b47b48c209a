"""Saved runs: posteriors in files (`.slpz`), and back.

Entry points: `save_run` (of `save`) writes one, `read_run` (of `read`) within `only_saved_runs`
reads one. `archive` is the file and its checks, `save` says which members it has, `plain` turns
dataclasses into JSON; `tables`, `trees`, `soft` and `additive` are members, `answers` is the result
that a saved run of trees gives.
Exact sums are made again by `slp.program.saved`.
"""

from slp.results.saved.archive import only_saved_runs
from slp.results.saved.read import SavedRun, read_run
from slp.results.saved.save import save_run

__all__ = ["SavedRun", "only_saved_runs", "read_run", "save_run"]
