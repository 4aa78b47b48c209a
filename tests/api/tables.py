"""A small table, and a tree on it that says nothing of its rows; and the fault of a program on the
table."""

from __future__ import annotations

import polars as pl
import pytest

import slp

ROWS = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6], "dose": [5, 5, 6, 7, 5, 7], "y": list("aabbab")})
STUMP = slp.Tree.from_dict({"feature": "age", "threshold": 3, "left": {}, "right": {}})


def fault(made: slp.Program, **options: object) -> slp.SlpError:
    """What is raised when the program is run on `ROWS`."""
    with pytest.raises(slp.SlpError) as caught:
        made.posterior(ROWS, seed=1, draws=20, threads=1, **options)
    return caught.value
