"""The resident memory of a process whose exact sums need far more than they may take."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("compiled_kernels")

MIB = 2**20
BUDGET = 64 * MIB

RUN = """
import json, resource, sys, warnings
import numpy as np
import slp
from slp.errors import BudgetError

def peak():
    if sys.platform == "linux":  # ru_maxrss begins with that of the process that started this one
        status = open("/proc/self/status").read()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

warnings.simplefilter("ignore", slp.SlpWarning)
rng = np.random.default_rng(0)
X, y = rng.integers(0, 40, (300, 4)).astype(float), rng.integers(0, 2, 300)
program = slp.parse(sys.argv[1])
program.compile(X, y)
before = peak()
try:
    program.posterior(X, y, engine="exact", memory=int(sys.argv[2]), threads=2, draws=0)
except BudgetError as error:
    found = {"code": error.diagnostics[0].code, "bounds": error.log_evidence_bounds}
print(json.dumps({**found, "taken": peak() - before}))
"""


@pytest.mark.parametrize(
    "program",
    [
        ":- use(denison).",
        ":- use(growtree).\\n:- support(max_depth(40)).",
        ":- use(denison).\\n:- constraint(once(x1)).",
    ],
)
def test_the_budget_is_kept_within_a_tenth(program: str, tmp_path: Path) -> None:
    """By families, with vectors, and item by item: it ends in E501 and bounds, and took no more
    than a tenth above its budget, nor stopped long before it."""
    command = [sys.executable, "-c", RUN, program.replace("\\n", "\n"), str(BUDGET)]
    # Elsewhere than in the checkout, whose slp would be taken in place of the one installed.
    done = subprocess.run(command, capture_output=True, check=True, text=True, cwd=tmp_path)
    have = json.loads(done.stdout)
    assert have["code"] == "E501"
    low, high = have["bounds"]
    assert low < high
    assert BUDGET / 2 < have["taken"] < 1.1 * BUDGET
