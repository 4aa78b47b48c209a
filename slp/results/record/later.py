"""`Later`: a value that is computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """A value that `make` computes when it is first asked for, and that is kept. Where `make`
    raises, it is called again at the next time. It can be pickled if `make` and the value can."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._values = make, list[T]()

    @classmethod
    def known(cls, value: T) -> Later[T]:
        """A value that is there."""
        out = cls(_not_called)
        out._values.append(value)
        return out

    @property
    def is_known(self) -> bool:
        """Whether it has been computed."""
        return bool(self._values)

    def __call__(self) -> T:
        """The value."""
        if not self._values:
            self._values.append(self._make())
        return self._values[0]


def _not_called() -> T:  # type: ignore[type-var]
    raise AssertionError("the value is known")
