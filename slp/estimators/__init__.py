"""Posteriors over trees as estimators of scikit-learn, which is an extra.

`SLPTreeClassifier` and `SLPTreeRegressor` take the place of `DecisionTreeClassifier` and
`DecisionTreeRegressor`; `base` has what they share.
"""

from slp.estimators.classifier import SLPTreeClassifier
from slp.estimators.regressor import SLPTreeRegressor

__all__ = ["SLPTreeClassifier", "SLPTreeRegressor"]
