"""Lists of unequal parts, and objects that give no array or another one each time: coded errors in
every place that takes a table, a response, weights or rows to predict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import slp
from slp.data import GivenResponse

_X, _Y = [[1.0, 2.0], [2.0, 3.0], [3.0, 5.0]], ["a", "b", "b"]


class _Gives:
    """An object that gives these arrays, one after the other, again and again."""

    def __init__(self, *given: Any) -> None:
        self.given, self.asked = given, 0

    def __array__(self, *_: Any, **__: Any) -> Any:
        found = self.given[self.asked % len(self.given)]
        self.asked += 1
        if isinstance(found, Exception):
            raise found
        return found

    def __len__(self) -> int:
        return 3


#: What gives no array, and the code that says so.
BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "ragged": (lambda: [[1, 2], [3], [4, 5]], r"E(448|414|412|437)"),
    "nested": (lambda: [[1, [2, 3]], [1, 2], [3, 4]], r"E(448|412)"),
    "raises": (lambda: _Gives(ValueError("no")), "E448"),
    "text": (lambda: _Gives("abc"), "E448"),
    "complex": (lambda: _Gives(np.ones((3, 2), complex)), "E448"),
    "objects": (lambda: _Gives(np.array([[object(), 1]] * 3)), "E448"),
    "rows": (lambda: _Gives(np.ones((3, 2)), np.ones((4, 2))), "E449"),
    "columns": (lambda: _Gives(np.ones((3, 2)), np.ones((3, 3))), "E449"),
}


@pytest.fixture(scope="module")
def fitted() -> slp.SLPTreeClassifier:
    return slp.SLPTreeClassifier(random_state=0).fit(_X, _Y)


@pytest.mark.parametrize("name", BAD)
def test_tables(name: str, fitted: slp.SLPTreeClassifier) -> None:
    make, code = BAD[name]
    program, posterior = slp.load("growtree"), fitted.posterior_
    asked: list[Callable[[Any], Any]] = [
        lambda X: program.posterior(X, _Y, draws=0),
        lambda X: slp.SLPTreeClassifier().fit(X, _Y),
        lambda X: slp.SLPTreeRegressor().fit(X, [1.0, 2.0, 3.0]),
        posterior.predict,
        posterior.predict_proba,
        posterior.predict_interval,
        fitted.predict,
        fitted.predict_proba,
        fitted.predict_interval,
        fitted.tree_.predict,
    ]
    for ask in asked:
        with pytest.raises(slp.DataError, match=code):
            ask(make())


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_responses_and_weights(name: str) -> None:
    make, code = BAD[name]
    program = slp.load("growtree")
    asked: list[Callable[[Any], Any]] = [
        lambda y: program.posterior(_X, y, draws=0),
        lambda y: slp.SLPTreeClassifier().fit(_X, y),
        lambda y: slp.SLPTreeRegressor().fit(_X, y),
        lambda w: program.posterior(_X, GivenResponse(_Y, w), draws=0),
        lambda w: slp.SLPTreeClassifier().fit(_X, _Y, sample_weight=w),
    ]
    for ask in asked:
        with pytest.raises(slp.DataError, match=code):
            ask(make())


def test_what_gives_the_same_array_is_taken(fitted: slp.SLPTreeClassifier) -> None:
    rows = _Gives(np.array(_X))
    assert fitted.posterior_.predict(rows).tolist() == fitted.predict(_X).tolist()
    assert fitted.tree_.predict(rows).tolist() == fitted.tree_.predict(_X).tolist()
