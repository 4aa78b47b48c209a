"""Classes of a response in their own type: booleans, integers, other numbers, or text.

A program names a class by its text (`majority(Box, 1)`, `majority(Box, true)`), and so does a key
of a JSON object. As text a boolean is `true` or `false`, an integer its decimal digits, any other
number its shortest decimal form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.ir.whole import is_whole

#: A class of a response. All classes of a response have one type.
Label: TypeAlias = bool | int | float | str


def label_of(value: Any) -> Label:
    """A value of any Python or NumPy type, as the corresponding type of Python. It must not be
    missing."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return int(value) if isinstance(value, Integral) else float(value)


def label_text(label: Label) -> str:
    """A label as text (see the module's docstring)."""
    if isinstance(label, str):
        return label
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, float) and not is_whole(label):
        return repr(label)
    return str(int(label))


def sorted_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Labels in order: numbers by value (False before True); text by value if all labels are
    integers, else by characters."""
    given = list(labels)
    texts = [label for label in given if isinstance(label, str)]
    numbers = [label for label in given if not isinstance(label, str)]
    if all(map(_is_whole, texts)):
        return *sorted(numbers), *sorted(texts, key=lambda text: (int(text), text))
    return *sorted(numbers), *sorted(texts)


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 4000


def label_array(labels: Sequence[Label]) -> NDArray[Any]:
    """Labels of one type as an array (C,) of bool, int64, float64 or str, or of Python integers if
    one is beyond int64."""
    if all(isinstance(label, int) for label in labels):
        truth = all(isinstance(label, bool) for label in labels)
        try:
            return np.array(labels, dtype=np.bool_ if truth else np.int64)
        except OverflowError:
            return np.array(labels, dtype=object)
    return np.array(labels)
