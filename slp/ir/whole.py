"""What counts as a whole number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Doubles from here on have no digits below 1, so that they say nothing of being whole.
_NO_DIGITS_BELOW_1 = 2**53


def is_whole(x: Any) -> NDArray[np.bool_]:
    """Whether numbers are whole and below 2^53 in magnitude, elementwise; false of NaN and of
    infinite ones. `x` are numbers of any NumPy type, or Python integers too large for those."""
    x = np.asarray(x)
    small = (x < _NO_DIGITS_BELOW_1) & (x > -_NO_DIGITS_BELOW_1)
    return np.asarray(small & (x == np.floor(x)) if x.dtype.kind == "f" else small, np.bool_)
