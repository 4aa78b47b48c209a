"""What the classifier and the regressor share: parameters, checks of tables, the fitted posterior.

The parameters of engines come from their options (`slp.engines.all_options`).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from numbers import Integral
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d, validate_data

from slp.cluster import threads_of_jobs
from slp.data import GivenResponse
from slp.data.arrays import settled
from slp.data.cells import read_number
from slp.engines import all_options
from slp.errors import DataError, SlpError
from slp.leaves import leaf_class
from slp.messages.leaf_models import NOT_FOR_CLASSES, NOT_FOR_NUMBERS, TEXT_FOR_REGRESSOR
from slp.program import Program, load, parse
from slp.results import Posterior
from slp.trees import Tree

_OF_PROGRAM = "program__"
_OPTIONS = all_options()

#: The parameters in the docstrings of estimators.
PARAMETERS = """
    Parameters
    ----------
    program : a `slp.Program`; the path of a `.slp` file, or the name of a library prior; or the
        text of a program, which ends in a full stop. By default the prior `default`, which is
        `growtree` with a beta of 0.5 in place of 1.
    parameters : values of the program's parameters, by name. `set_params(program__alpha=0.9)` sets
        one, so a grid search may go over them.
    engine, draws, memory, time, allow_code : as for `slp.Program.posterior`.
    random_state : an int is the seed; a `RandomState` gives one; None takes one from the system.
    n_jobs : number of threads as joblib counts them. No result depends on it.
""" + "".join(f"    {name} : {field.metadata['doc']}\n" for name, field in _OPTIONS.items())


class SLPTree(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A posterior over trees, fitted.

    Attributes
    ----------
    posterior_ : the `slp.Posterior`.
    n_features_in_, feature_names_in_ : as of every estimator.
    """

    #: What the response is read as.
    _kind: Literal["classes", "numbers"]

    posterior_: Posterior
    n_features_in_: int
    parameters: Mapping[str, float] | None

    def __init__(
        self,
        program: Program | str | Path = "default",
        *,
        parameters: Mapping[str, float] | None = None,
        engine: str = "auto",
        draws: int = 2000,
        memory: int | str | None = None,
        time: float | str | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        allow_code: bool = False,
        **options: Any,
    ) -> None:
        self.program, self.parameters, self.engine = program, parameters, engine
        self.draws, self.memory, self.time = draws, memory, time
        self.random_state, self.n_jobs, self.allow_code = random_state, n_jobs, allow_code
        for name, field in _OPTIONS.items():
            setattr(self, name, options.pop(name, field.default))
        for name in options:
            raise TypeError(
                f"{type(self).__name__} has no parameter `{name}`{self._elsewhere(name)}"
            )

    def _elsewhere(self, name: str) -> str:
        """Where a parameter that is not one of the estimator belongs, as the end of a sentence."""
        if name in ("max_depth", "min_leaf", "min_weight"):
            return f"; a program limits trees, as by `:- support({name}(5)).`"
        if _OF_PROGRAM + name in self.get_params():
            return (
                f"; it is one of the program: pass parameters={{'{name}': ...}}, "
                f"or call set_params({_OF_PROGRAM}{name}=...)"
            )
        return ""

    # --- parameters ----------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; with `deep` also those of the program, as `program__NAME`."""
        out: dict[str, Any] = super().get_params(deep)
        if deep:
            try:
                of_program = self._stated().parameters
            except (SlpError, TypeError):  # `fit` raises it
                of_program = {}
            out |= {_OF_PROGRAM + name: value for name, value in of_program.items()}
        return out

    def set_params(self, **params: Any) -> SLPTree:
        """Set parameters, those of the program as `program__NAME`.

        Raises
        ------
        ValueError
            There is no such parameter.
        """
        of_program = {k: v for k, v in params.items() if k.startswith(_OF_PROGRAM)}
        super().set_params(**{k: v for k, v in params.items() if k not in of_program})
        unknown = of_program.keys() - self.get_params().keys()
        if unknown:
            raise ValueError(f"{self.program!r} has no parameter {sorted(unknown)[0]!r}")
        if of_program:
            named = {k.removeprefix(_OF_PROGRAM): v for k, v in of_program.items()}
            self.parameters = {**(self.parameters or {}), **named}
        return self

    def _stated(self) -> Program:
        """The program with its parameters."""
        program = self.program
        if not isinstance(program, Program):
            is_text = isinstance(program, str) and program.rstrip().endswith(".")
            program = parse(program) if is_text else load(program)  # type: ignore[arg-type]
        if not self.parameters:
            return program
        return program.with_parameters(**{**program.parameters, **self.parameters})

    # --- fitting -------------------------------------------------------------------------------

    def _fit(self, program: Program, X: Any, y: NDArray[Any], sample_weight: Any) -> None:
        weights = None if sample_weight is None else settled(sample_weight, "the weights")
        given = {name: getattr(self, name) for name in _OPTIONS}
        self.posterior_ = program.posterior(
            X,
            GivenResponse(y, weights, self._kind),
            engine=self.engine,
            draws=self.draws,
            seed=self._seed(),
            memory=self.memory,
            time=self.time,
            threads=threads_of_jobs(self.n_jobs),
            allow_code=self.allow_code,
            **{name: value for name, value in given.items() if value != _OPTIONS[name].default},
        )

    def _seed(self) -> int | None:
        given = self.random_state
        if given is None or isinstance(given, Integral):
            return None if given is None else int(given)
        return int(check_random_state(given).randint(np.iinfo(np.int32).max))

    def _to_fit(self, X: Any, y: Any) -> tuple[Program, Any, NDArray[Any]]:
        """The program, X as a frame, and y as an array (n,). NaN in an array is a missing value if
        the program lets some feature miss values.

        Raises
        ------
        ValueError
            They are no table with one response.
        DataError
            E430: the program's leaf model is for the other kind of response.
        """
        program = self._stated()
        X, y = settled(X, "the table"), settled(y, "the response")
        leaf, of_classes = program.ir.leaf, self._kind == "classes"
        if leaf is not None and (leaf_class(leaf).responses == "classes") != of_classes:
            wording = NOT_FOR_NUMBERS if self._kind == "numbers" else NOT_FOR_CLASSES
            raise DataError(wording(leaf.span, estimator=type(self).__name__, model=leaf.model))
        numbers = self._kind == "numbers"
        if hasattr(X, "columns"):
            validate_data(self, X, y, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            assert_all_finite(y, input_name="y")
            check_consistent_length(X, y)
            if numbers:
                self._check_numbers(y)
        else:
            sided = any(feature.missing == "side" for feature in program.ir.features)
            finite = _finite(missing=sided)
            X, y = validate_data(
                self, X, y, dtype="numeric", y_numeric=numbers, ensure_all_finite=finite
            )
            X = self._named(X)
        return program, X, y

    def _check_numbers(self, y: NDArray[Any]) -> None:
        """Raise E430 if the response holds truth values, or text that is no number."""
        for row, cell in enumerate(y.tolist(), start=1):
            if isinstance(cell, bool) or (isinstance(cell, str) and read_number(cell) is None):
                estimator = type(self).__name__
                raise DataError(TEXT_FOR_REGRESSOR(estimator=estimator, cell=cell, row=row))

    def _table_to_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        self.posterior_.say_doubt()
        X = settled(X, "the rows to predict")
        if hasattr(X, "columns"):
            validate_data(self, X, reset=False, skip_check_array=True)
            return X
        sided = any(feature.kind.missing == "side" for feature in self.posterior_.table.features)
        finite = _finite(missing=sided)
        return self._named(
            validate_data(self, X, reset=False, dtype="numeric", ensure_all_finite=finite)
        )

    def _named(self, X: NDArray[Any]) -> pl.DataFrame:
        """An array as a frame: a program may ignore some of its columns."""
        made_up = [f"x{j}" for j in range(self.n_features_in_)]
        names = [str(name) for name in getattr(self, "feature_names_in_", made_up)]
        return pl.DataFrame({name: X[:, j] for j, name in enumerate(names)})

    # --- what was fitted -----------------------------------------------------------------------

    @property
    def tree_(self) -> Tree:
        """The tree of the best derivation, or the best of the trees drawn."""
        check_is_fitted(self)
        return self.posterior_.map_tree()

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """For each feature its share of the expected splits, shape (n_features_in_,); of an engine
        that grows trees its share of the log posterior that splits gain. All 0 where nothing is
        split."""
        check_is_fitted(self)
        found = self.posterior_.importances()
        if found is None:
            used = self.posterior_.split_probabilities()
            found = {name: use.expected_splits for name, use in used.items()}
        made_up = [f"x{j}" for j in range(self.n_features_in_)]
        names = getattr(self, "feature_names_in_", made_up)
        out = np.array([max(0.0, found.get(str(name), 0.0)) for name in names], np.float64)
        total = out.sum()
        return out / total if total > 0 else out

    def sample_trees(self, n: int, random_state: int | None = None) -> list[Tree]:
        """`n` trees of the posterior (`slp.Posterior.sample`)."""
        check_is_fitted(self)
        return self.posterior_.sample(n, random_state)

    def predict_interval(self, X: Any, level: float = 0.9) -> NDArray[np.float64]:
        """Central intervals over all trees (`slp.Posterior.predict_interval`): of numbers the
        predictive one, shape (m, 2); of classes the credible interval of the probability of each,
        shape (m, C, 2), in the order of `classes_`."""
        rows = self._table_to_predict(X)
        return self.posterior_.predict_interval(rows, level)


def _finite(*, missing: bool) -> bool | str:
    """Which numbers of an array scikit-learn lets through; `missing`: NaN is a missing value."""
    return "allow-nan" if missing else True


def _signature() -> inspect.Signature:
    """That of the constructor, with the options of engines: scikit-learn reads its parameters."""
    own = inspect.signature(SLPTree.__init__).parameters.values()
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=field.default)
        for name, field in _OPTIONS.items()
    ]
    return inspect.Signature([*(p for p in own if p.kind != p.VAR_KEYWORD), *added])


SLPTree.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
