"""What was worked out and may be asked for again, up to a number of answers."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["Remembered"]

K = TypeVar("K")
V = TypeVar("V")


class Remembered(dict[K, V]):
    """Answers by what was asked. Where there are `most`, all are forgotten before the next one."""

    def __init__(self, most: int = 200_000) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self._most:
            self.clear()
        super().__setitem__(key, value)
