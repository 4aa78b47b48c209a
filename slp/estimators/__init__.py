"""Posteriors over trees as estimators of scikit-learn, which is an extra.

`SLPTreeClassifier` and `SLPTreeRegressor` take the place of `DecisionTreeClassifier` and
`DecisionTreeRegressor`; `base` has what they share.
"""

try:
    from slp.estimators.classifier import SLPTreeClassifier
    from slp.estimators.regressor import SLPTreeRegressor
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "sklearn":
        raise
    raise ModuleNotFoundError(
        "the estimators need scikit-learn, which is not installed: pip install scikit-learn",
        name="sklearn",
    ) from None

__all__ = ["SLPTreeClassifier", "SLPTreeRegressor"]
