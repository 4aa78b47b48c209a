"""When the command began: this module is imported before all that takes long to import."""

import time

__all__ = ["BEGAN"]

#: By `time.monotonic`.
BEGAN = time.monotonic()
