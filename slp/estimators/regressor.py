"""`SLPTreeRegressor`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from slp.estimators.base import PARAMETERS, SLPTree


class SLPTreeRegressor(RegressorMixin, SLPTree):  # type: ignore[misc]
    __doc__ = f"""A regressor that averages over all trees of a program's posterior.
{PARAMETERS}
    Attributes
    ----------
    posterior_ : the `slp.Posterior`.
    tree_ : its best tree.
    feature_importances_, n_features_in_, feature_names_in_ : as of every estimator of trees.
    """

    _kind = "numbers"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SLPTreeRegressor:
        """Find the posterior of the program on a table.

        Parameters
        ----------
        X : pandas or polars frame or Arrow table, with text columns as categories; array (n, d);
            sparse matrix (n, d), which is made dense within `memory`.
        y : numbers, or counts or durations as the program's leaf model says, shape (n,).
        sample_weight : the weight of each row, shape (n,): see `Program.posterior`.

        Raises
        ------
        ValueError
            The table has a fault; a `slp.DataError` is one too.
        slp.SlpError
            The program has mistakes, or a fault of the options.
        """
        program, X, y = self._to_fit(X, y)
        self._fit(program, X, y, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predictive mean of each row, of durations the predictive median, shape (m,)."""
        rows = self._table_to_predict(X)
        return self.posterior_.predict(rows)
