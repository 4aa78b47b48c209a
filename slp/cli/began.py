"""The time at which the command began. This module is imported before the slow imports."""

import time

__all__ = ["BEGAN"]

#: In the clock of `time.monotonic`.
BEGAN = time.monotonic()
