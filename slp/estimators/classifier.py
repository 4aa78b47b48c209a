"""`SLPTreeClassifier`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from slp.estimators.base import DEFAULT_PROGRAM, PARAMETERS, SLPTree, with_parameters
from slp.estimators.tables import refusals
from slp.ir.whole import is_whole
from slp.leaves import decided, label_of, label_text
from slp.program import Program


class SLPTreeClassifier(ClassifierMixin, SLPTree):  # type: ignore[misc]
    __doc__ = f"""A classifier that averages over all trees of a program's posterior.
{PARAMETERS}    class_weight : by class, what the weights of its rows are multiplied by;
        `"balanced"` for n / (C * rows of the class); None for 1. See docs/estimators.md.

    Attributes
    ----------
    posterior_ : the `slp.Posterior`.
    tree_ : its best tree.
    classes_ : the classes, sorted, shape (C,).
    feature_importances_, n_features_in_, feature_names_in_ : as of every estimator of trees.
    """

    _kind = "classes"

    def __init__(
        self,
        program: Program | str | Path = DEFAULT_PROGRAM,
        *,
        class_weight: Mapping[Any, float] | str | None = None,
        **others: Any,
    ) -> None:
        self.class_weight = class_weight
        super().__init__(program, **others)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SLPTreeClassifier:
        """Find the posterior of the program on a table.

        Parameters
        ----------
        X : pandas or polars frame or Arrow table, with text columns as categories; array (n, d);
            sparse matrix (n, d), which is made dense within `memory`.
        y : classes, shape (n,).
        sample_weight : the weight of each row, shape (n,): see `Program.posterior`.

        Raises
        ------
        ValueError
            The table has a fault; a `slp.DataError` is one too.
        slp.SlpError
            The program has mistakes, or a fault of the options.
        """
        program, X, y = self._to_fit(X, y)
        with refusals():
            check_classification_targets(y)
            self.classes_ = np.unique(y)
            factors = None
            if self.class_weight is not None:
                factors = compute_sample_weight(self.class_weight, y)
        self._fit(program, X, y, sample_weight, factors)
        place = {label_text(c): i for i, c in enumerate(self.posterior_.table.leaf.classes)}
        #: The place in the posterior of each class, -1 for one whose rows have weight 0.
        self._places = np.array([place.get(_text(c), -1) for c in self.classes_])
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities averaged over all trees, shape (m, C), in the order of `classes_`."""
        rows = self._table_to_predict(X)
        found = self.posterior_.predict_proba(rows)
        return np.where(self._places >= 0, found[:, self._places], 0.0)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row, shape (m,); where the program declares losses, the
        class of least expected loss (`slp.Posterior.decide`)."""
        shares, loss = self.predict_proba(X), self.posterior_.table.leaf.loss
        if loss is None:
            return np.asarray(self.classes_[shares.argmax(axis=1)])
        known = np.flatnonzero(self._places >= 0)  # a class without rows is never decided
        of_posterior = known[np.argsort(self._places[known])]
        return np.asarray(self.classes_[of_posterior[decided(shares[:, of_posterior], loss)]])

    def predict_interval(self, X: Any, level: float = 0.9) -> NDArray[np.float64]:
        """Credible interval of the probability of each class, shape (m, C, 2): see
        `slp.Posterior.predict_interval`."""
        found = super().predict_interval(X, level)[:, self._places]
        return np.where((self._places >= 0)[:, None], found, 0.0)


def _text(label: Any) -> str:
    """A class as the posterior writes it: whole numbers are integers."""
    if isinstance(label, float) and is_whole(label):
        label = int(label)
    return label_text(label_of(label))


SLPTreeClassifier.__init__.__signature__ = with_parameters(  # type: ignore[attr-defined]
    SLPTree.__init__, {"class_weight": None}
)
