"""The compiled kernels (native/bindings.cpp). Call them through `slp.kernels`."""

import numpy as np
from numpy.typing import NDArray

def code_values(
    column: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def code_by_cuts(column: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int32]: ...
def merge_rows(
    codes: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]: ...
