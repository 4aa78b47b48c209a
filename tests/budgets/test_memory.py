"""The resident memory of a process whose exact sums need far more than they may take."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("compiled_kernels")

MIB = 2**20
BUDGET = 64 * MIB

PEAK = """
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
"""

RUN = """
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


WIDE = """
from slp.engines.exact.passes import Passes

rng = np.random.default_rng(0)
X, y = rng.normal(size=(10_000, 40)), rng.integers(0, 2, 10_000)
model = slp.parse(sys.argv[1]).compile(X, y)
passes = Passes(model.grammar, model.table, int(sys.argv[2]), threads=2)
passes.engine.uses_interval_blocks()
before = peak()
try:
    passes.get("total", True, "root")
except BudgetError as error:
    found = {"code": error.diagnostics[0].code, "bounds": error.log_evidence_bounds}
print(json.dumps({**found, "taken": peak() - before}))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        ":- use(denison).",
        ":- use(growtree).\\n:- support(max_depth(40)).",
        ":- use(denison).\\n:- constraint(once(x1)).",
    ],
)
def test_the_budget_is_kept_within_a_tenth(program: str, tmp_path: Path) -> None:
    """By blocks, with vectors, and item by item: it ends in E501 and bounds, and took no more
    than a tenth above its budget, nor stopped long before it."""
    have = run(RUN, program.replace("\\n", "\n"), BUDGET, tmp_path)
    low, high = have["bounds"]
    assert low < high
    assert BUDGET / 2 < have["taken"] < 1.1 * BUDGET


def test_a_box_whose_splits_do_not_fit_is_not_begun(tmp_path: Path) -> None:
    """The splits of all rows alone take several times the budget, in the pass and where its bounds
    are found. What the core has of the table itself is not counted."""
    budget = 8 * MIB
    have = run(WIDE, ":- use(denison).", budget, tmp_path)
    low, high = have["bounds"]
    assert low < high
    assert have["taken"] < 1.5 * budget


def run(text: str, program: str, budget: int, folder: Path) -> dict[str, Any]:
    """What a process of its own says of sums that end in E501."""
    command = [sys.executable, "-P", "-c", PEAK + text, program, str(budget)]
    # Elsewhere than in the checkout, whose slp would be taken in place of the one installed.
    done = subprocess.run(command, capture_output=True, check=True, text=True, cwd=folder)
    have: dict[str, Any] = json.loads(done.stdout)
    assert have["code"] == "E501"
    return have
