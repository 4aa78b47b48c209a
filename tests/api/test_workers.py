"""Worker processes started by `spawn` and by `forkserver` after polars and the core were used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import multiprocessing, sys
import polars as pl
import slp

def work(seed):
    table = pl.DataFrame({"a": range(12), "b": list("xyz") * 4, "y": [True, False] * 6})
    posterior = slp.load("growtree").posterior(table, seed=seed, draws=3)
    return posterior.log_evidence, posterior.predict_proba(table).tolist(), posterior.draws

if __name__ == "__main__":
    mine = work(1)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print([found == mine for found in pool.map(work, [1, 1])])
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["spawn", "forkserver"])
def test_workers(how: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    run = subprocess.run(
        [sys.executable, str(script), how], capture_output=True, text=True, timeout=300
    )
    assert (run.stdout, run.stderr, run.returncode) == ("[True, True]\n", "", 0)
