"""Distribution of the depth of a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slp.infer.exact.forest import LEAF, Forest
from slp.infer.exact.semirings import Semiring, fold

__all__ = ["depth_distribution"]


def depth_distribution(
    forest: Forest, share: NDArray[np.float64], most: int, negligible: float
) -> NDArray[np.float64]:
    """Probability of depth t, at index t = 0 to `most`, or until what is left is below `negligible`.

    With e_t(item) the probability of depth t exactly and b_t of a depth below t, a split whose children are l
    and r has depth t with probability e_{t-1}(l) (b_{t-1}(r) + e_{t-1}(r)) + b_{t-1}(l) e_{t-1}(r): no difference is taken, so
    that small probabilities are accurate too. A call keeps the depth.
    """
    exact = np.zeros(forest.n_items + 1)  # of depth t - 1
    below = np.zeros(forest.n_items + 1)  # of a depth less than t - 1
    out: list[float] = []
    for t in range(most + 1):

        def times(
            e: slice,
            l: NDArray[np.float64],
            r: NDArray[np.float64],
            t: int = t,
            exact: NDArray[np.float64] = exact,
            below: NDArray[np.float64] = below,
        ) -> NDArray[np.float64]:
            left, right = forest.left[e], forest.right[e]
            deeper = exact[left] * (below[right] + exact[right]) + below[left] * exact[right]
            cut = forest.cut[e]
            stays = np.where(cut == LEAF, float(t == 0), l)
            return share[e] * np.where(cut >= 0, deeper, stays)

        now = fold(forest, Semiring(0.0, 0.0, times, lambda x, s: np.add.reduceat(x, s)))
        below = below + exact
        exact = now
        out.append(float(now[0]))
        if 1.0 - sum(out) < negligible:
            break
    return np.array(out)
