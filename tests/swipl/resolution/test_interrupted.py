"""Ctrl-C while SWI-Prolog draws: a real process and real signals."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.interrupts import takes_ctrl_c

#: Draws twice: SWI-Prolog takes Ctrl-C anew for each call.
TWICE = """
import slp
program = slp.parse("1 :: p(X) :- q(X). 0.5 :: q(a). 0.5 :: q(b).")
few = program.draw("p(X)", 10, engine="prolog", seed=1)
print(len(few), few.interrupted, flush=True)
many = program.draw("p(X)", 10**8, engine="prolog", failure="FAILURE", seed=1)
print(0 < len(many) < 10**8, many.interrupted)
"""


@pytest.mark.slow
@pytest.mark.parametrize("failure", ["rejection", "backtracking"])
def test_ctrl_c_ends_a_later_drawing_and_keeps_what_was_drawn(failure: str) -> None:
    command = [sys.executable, "-P", "-c", TWICE.replace("FAILURE", failure)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, preexec_fn=takes_ctrl_c
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "10 False\n"
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)
            out, err = process.communicate()
            assert process.returncode == 0
        finally:
            process.kill()
    assert out == "True True\n"
    assert "W243" in err and "interrupted" in err
