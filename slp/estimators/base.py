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
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from slp.cluster import threads_of_jobs
from slp.data import GivenResponse
from slp.data.arrays import settled
from slp.data.frames import Frame
from slp.engines import all_options
from slp.errors import DataError, SlpError, UsageError
from slp.estimators.tables import rows_to_predict, table_to_fit
from slp.leaves import leaf_class
from slp.messages.directives import LEFT_OVER_PARAMETER, NO_PARAMETER_OF
from slp.messages.leaf_models import NOT_FOR_CLASSES, NOT_FOR_NUMBERS
from slp.messages.names import name_help
from slp.program import Program, load, parse
from slp.results import Posterior
from slp.trees import Tree

#: The prior of who declares none.
DEFAULT_PROGRAM = "default"

_OF_PROGRAM = "program__"
_OPTIONS = all_options()

#: The parameters in the docstrings of estimators.
PARAMETERS = """
    Parameters
    ----------
    program : a `slp.Program`; the path of a `.slp` file, or the name of a library prior; or the
        text of a program, which ends in a full stop. By default the prior `default`, which is
        `growtree` with a beta of 0.75 in place of 1.
    parameters : values of the program's parameters, by name. `set_params(program__alpha=0.9)` sets
        one, so a grid search may go over them.
    engine, draws, memory, time, allow_code : as for `slp.Program.posterior`.
    random_state : an int is the seed; a `RandomState` gives one; None takes one from the system.
    n_jobs : number of threads as joblib counts them. No result depends on it.
""" + "".join(f"    {name} : {field.metadata['doc']}\n" for name, field in _OPTIONS.items())


class WrongParameterError(UsageError, ValueError):
    """E106: the program has no such parameter."""


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
    #: The names of the columns at fit: of a frame its own, of an array `x0`, `x1`, ...
    _columns: tuple[str, ...]
    parameters: Mapping[str, float] | None

    def __init__(
        self,
        program: Program | str | Path = DEFAULT_PROGRAM,
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
            There is no such parameter; the program lacks one that `program__NAME` or `parameters`
            gives a value (E106), and nothing of the program is set.
        """
        named = {k: v for k, v in params.items() if k.startswith(_OF_PROGRAM)}
        before = self.program, self.parameters
        super().set_params(**{k: v for k, v in params.items() if k not in named})
        own = {k.removeprefix(_OF_PROGRAM): v for k, v in named.items()}
        try:
            if own or {"program", "parameters"} & params.keys():
                self._check_parameters(own)
        except WrongParameterError:
            self.program, self.parameters = before
            raise
        if own:
            self.parameters = {**(self.parameters or {}), **own}
        return self

    def _check_parameters(self, named: Mapping[str, Any]) -> None:
        """Raise E106 for a parameter that the program lacks, `named` or in `parameters`."""
        try:
            program = self._program()
        except (SlpError, TypeError):
            if not named:
                return  # `fit` raises it
            raise
        given = self.parameters if isinstance(self.parameters, Mapping) else {}
        known = program.parameters
        lacking = [name for name in (*named, *given) if name not in known]
        if lacking:
            name, own = lacking[0], program.source.name
            if name in named:
                help = name_help(name, known, "parameter")
                raise WrongParameterError(NO_PARAMETER_OF(program=own, name=name, help=help))
            raise WrongParameterError(LEFT_OVER_PARAMETER(program=own, name=name))

    def _program(self) -> Program:
        """The program without the values of `parameters`."""
        program = self.program
        if isinstance(program, Program):
            return program
        if isinstance(program, str) and program.rstrip().endswith("."):
            return parse(program)
        return load(program)

    def _stated(self) -> Program:
        """The program with its parameters."""
        program = self._program()
        if not self.parameters:
            return program
        return program.with_parameters(**{**program.parameters, **self.parameters})

    # --- fitting -------------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags

    def _fit(
        self,
        program: Program,
        X: Frame,
        y: NDArray[Any],
        sample_weight: Any,
        factors: NDArray[np.float64] | None = None,
    ) -> None:
        weights = None if sample_weight is None else settled(sample_weight, "the weights")
        given = {name: getattr(self, name) for name in _OPTIONS}
        self.posterior_ = program.posterior(
            X,
            GivenResponse(y, weights, factors, self._kind, sided=True),
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

    def _to_fit(self, X: Any, y: Any) -> tuple[Program, Frame, NDArray[Any]]:
        """The program, the columns of X, and y as an array (n,).

        Raises
        ------
        DataError
            They are no table with one response; E430: the program's leaf model is for the other
            kind of response.
        """
        program = self._stated()
        leaf, of_classes = program.ir.leaf, self._kind == "classes"
        if leaf is not None and (leaf_class(leaf).responses == "classes") != of_classes:
            wording = NOT_FOR_NUMBERS if self._kind == "numbers" else NOT_FOR_CLASSES
            raise DataError(wording(leaf.span, estimator=type(self).__name__, model=leaf.model))
        frame, y = table_to_fit(self, X, y, program.ir.ignored)
        self._columns = frame.names
        return program, frame, y

    def _table_to_predict(self, X: Any) -> Frame:
        check_is_fitted(self)
        self.posterior_.say_doubt()
        return rows_to_predict(self, X, self._columns)

    # --- what was fitted -----------------------------------------------------------------------

    @property
    def tree_(self) -> Tree:
        """The tree of the best derivation, or the best of the trees drawn."""
        check_is_fitted(self)
        return self.posterior_.map_tree()

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """For each feature its share of the expected splits, shape (n_features_in_,); of an engine
        that grows trees its share of the log posterior that splits gain. That of a defined feature
        is dealt out in equal parts to the columns of its formula. All 0 where nothing is split."""
        check_is_fitted(self)
        found = self.posterior_.importances()
        if found is None:
            used = self.posterior_.split_probabilities()
            found = {name: use.expected_splits for name, use in used.items()}
        shares = dict.fromkeys(self._columns, 0.0)
        for feature in self.posterior_.table.features:
            formula = feature.kind.formula
            columns = (feature.name,) if formula is None else formula.columns
            for name in columns:
                shares[name] += max(0.0, found.get(feature.name, 0.0)) / len(columns)
        out = np.array([shares[name] for name in self._columns], np.float64)
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


def with_parameters(init: Any, added: Mapping[str, Any]) -> inspect.Signature:
    """The signature of a constructor with more parameters, by name with their defaults, in place of
    `**options`: scikit-learn reads its parameters."""
    own = inspect.signature(init).parameters.values()
    kind = inspect.Parameter.KEYWORD_ONLY
    more = [inspect.Parameter(name, kind, default=default) for name, default in added.items()]
    return inspect.Signature([*(p for p in own if p.kind != p.VAR_KEYWORD), *more])


SLPTree.__init__.__signature__ = with_parameters(  # type: ignore[attr-defined]
    SLPTree.__init__, {name: field.default for name, field in _OPTIONS.items()}
)
