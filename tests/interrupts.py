"""Processes that tests press Ctrl-C in."""

from __future__ import annotations

import signal


def takes_ctrl_c() -> None:
    """For `preexec_fn`. A shell starts what stands behind `&` with Ctrl-C ignored, and so would be
    the process of a test."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
