"""The interpreter exits while a daemon thread runs a compiled engine: the process ends with the
exit code of the interpreter, without a word."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys, threading, time, warnings
import numpy as np
import slp

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.random((300, 4))
y = np.where(X[:, 0] > 0.4, "b", "a")
program, running = slp.load("growtree"), threading.Event()

def run():
    told = lambda *_: running.set()
    program.posterior(X, y, seed=1, draws=10**6, engine=sys.argv[1], progress=told).draws

threading.Thread(target=run, daemon=True).start()
assert running.wait(60)
time.sleep(0.1)
sys.exit(3)
"""


@pytest.mark.parametrize("engine", ["exact", "search"])
def test_exit_while_a_daemon_thread_computes(engine: str) -> None:
    command = [sys.executable, "-c", SCRIPT, engine]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", "")
