"""The time at which the command began. This module is imported before the slow imports."""

import time

#: In the clock of `time.monotonic`.
BEGAN = time.monotonic()
