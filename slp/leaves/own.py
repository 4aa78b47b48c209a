"""Leaf models of the user's own: `register_leaf_model`, and the model as engines see it."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import DataError, UsageError
from slp.ir.leaves import LeafDeclaration
from slp.ir.whole import is_whole
from slp.leaves.declared import Observed
from slp.leaves.models import SIGNATURES
from slp.leaves.numbers import NumericModel, check_numbers, finite, leaf_mean
from slp.leaves.signature import Signature
from slp.messages.entry import Wording
from slp.messages.leaf_models import (
    BAD_OWN_MODEL,
    NAME_OF_OWN_MODEL,
    NO_CDF,
    NO_DRAWS_OF_OWN,
    NO_METHOD,
    OWN_FAILS,
    OWN_NOT_ADDITIVE,
    OWN_NOT_FINITE,
    OWN_SHAPE,
    OWN_TABLE_AXES,
    OWN_TABLE_DIFFERS,
)
from slp.messages.numbers import number_text

#: In plain data, in place of the name of a model that the user registered.
OWN = "registered"

_BUILT_IN = frozenset(SIGNATURES)
_NEEDED = ("statistics", "log_marginal", "mean")

#: The most numbers of a table of log marginal likelihoods: 64 MiB.
_MOST_NUMBERS = 1 << 23


def register_leaf_model(name: str, make: Callable[..., Any]) -> None:
    """Give a leaf model a name, for `:- leaf(name(...)).` in programs read from now on.

    `make` takes the hyperparameters, all by place, and returns an object with

    - `statistics(y)`: of the responses of n rows, float64 (n,), float64 (n, k). Those of a leaf are
      the sum over its rows, each times its weight.
    - `log_marginal(S)`: of sums (m, k) of leaves the log probability (density) of their ordered
      responses, constants included, (m,); 0 without rows.
    - `mean(S)`: the predictive mean of a further response, (m,).
    - `cdf(S, y)`, for intervals: P(Y <= y) of a further response, (m,) for y of shape (m,).
    - `draw_parameters(S, rng)`, `mean_of(P)` and `draw_outcomes(P, rng)`, for draws of what is
      predicted: parameters of each leaf drawn from their posterior by the generator, (m, r); the
      mean of a response given them, (m,); and a response drawn given them, (m,).
    - `log_table(n1, ..., nj)`, for the compiled core: `log_marginal` as a table over the first j
      statistics, which are whole numbers from 0 up, for sums up to n1, ..., nj, those of all rows:
      float64 (n1 + 1, ..., nj + 1). The other statistics of a leaf are added to its number in the
      table. Where no rows can have such sums any finite number will do.

    The same name may be given again, to another model. A saved run is read where its model has been
    registered.

    Raises
    ------
    UsageError
        E444: the name is no atom, or that of a built-in model; or `make` has no plain parameters.
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][A-Za-z0-9_]*", name):
        raise UsageError(NAME_OF_OWN_MODEL(name=name, why="is no lower-case name"))
    if name in _BUILT_IN:
        raise UsageError(NAME_OF_OWN_MODEL(name=name, why="is the name of a built-in model"))
    if not callable(make):
        raise UsageError(BAD_OWN_MODEL(name=name))
    found = list(inspect.signature(make).parameters.values())
    if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in found):
        raise UsageError(BAD_OWN_MODEL(name=name))
    names = tuple(p.name for p in found)
    written = f"{name}({', '.join(names)})" if names else name
    SIGNATURES[name] = Signature(written, names, real=names, make=make)


class OwnModel(NumericModel):
    """A registered model. In front of its own statistics there are n and the sum of responses."""

    predicted_in_core = False

    def __init__(self, name: str, hyperparameters: tuple[float, ...]) -> None:
        make = SIGNATURES[name].make
        assert make is not None, "the name is that of a registered model"
        self.name, self.hyperparameters = name, tuple(hyperparameters)
        try:
            self._own = make(*hyperparameters)
        except Exception as e:
            raise DataError(OWN_FAILS(name=name, method="its constructor", reason=_said(e))) from e
        for method in _NEEDED:
            if not callable(getattr(self._own, method, None)):
                raise DataError(NO_METHOD(name=name, method=method))
        self.n_statistics = 2
        #: statistics (n, k) of a table, and what `numbers_for_core` says of them
        self._in_core: tuple[NDArray[np.float64], NDArray[np.float64] | str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Without the numbers for the core, which the copy makes again."""
        return {**vars(self), "_in_core": None}

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> OwnModel:
        """With the declared numbers. Raises as `checked`."""
        return cls(declaration.model, declaration.args).checked(observed.y)

    @property
    def core_name(self) -> str:
        """That of a model by its table."""
        return "table"

    def to_plain(self) -> dict[str, Any]:
        """With its name, and the number of its statistics."""
        return {
            "model": OWN,
            "name": self.name,
            "hyperparameters": list(map(float, self.hyperparameters)),
            "n_statistics": self.n_statistics,
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> OwnModel:
        """The model of a saved run; ValueError: of none.

        Raises
        ------
        UsageError
            E444: no model of this name is registered.
        """
        name, numbers, n = data["name"], data["hyperparameters"], data["n_statistics"]
        if not isinstance(n, int) or n < 2:
            raise ValueError("its statistics are too few")
        check_numbers(numbers, positive=False)
        known = SIGNATURES.get(name)
        if known is None or known.make is None or len(known.parameters) != len(numbers):
            raise UsageError(NAME_OF_OWN_MODEL(name=name, why="is the name of no registered model"))
        found = cls(name, tuple(numbers))
        found.n_statistics = n
        return found

    def checked(self, y: NDArray[np.float64]) -> OwnModel:
        """The model, once its statistics and marginal likelihoods of responses (n,) are what they
        must be.

        Raises
        ------
        DataError
            E443: statistics that depend on other rows, a shape that is wrong, numbers that are not
            finite, an empty leaf of another probability than 1, or a method that raises.
        """
        every = self._call("statistics", (len(y), None), y)
        self.n_statistics = 2 + every.shape[1]
        some = np.unique(np.linspace(0, len(y) - 1, min(len(y), 20)).astype(np.intp))
        for i in some:
            alone = self._call("statistics", (1, every.shape[1]), y[i : i + 1])
            if not np.allclose(alone[0], every[i], rtol=1e-9, atol=1e-12):
                raise DataError(OWN_NOT_ADDITIVE(name=self.name, row=int(i) + 1))
        S = np.concatenate([np.zeros((1, every.shape[1])), np.cumsum(every, axis=0)[some]])
        logs = self._call("log_marginal", (len(S),), S)
        again = np.array([self._call("log_marginal", (1,), s[None])[0] for s in S])
        if abs(logs[0]) > 1e-9:
            raise DataError(OWN_SHAPE(name=self.name, method="log_marginal", want="0 without rows"))
        if not np.allclose(logs, again, rtol=1e-9, atol=1e-9):
            want = "the same for a leaf alone and among others"
            raise DataError(OWN_SHAPE(name=self.name, method="log_marginal", want=want))
        return self

    def numbers_for_core(self, S: NDArray[np.float64]) -> NDArray[np.float64] | str:
        """The model as the core takes it on a table whose rows have the statistics S, shape (n, k):
        the number of statistics that `log_table` is over, and its numbers. If the core does not
        take it, why, as the end of a sentence.

        Raises
        ------
        DataError
            E443: `log_table` takes or gives something else than it must, or raises.
        """
        if self._in_core is None or self._in_core[0] is not S:
            self._in_core = S, self._tabulated(S)
        return self._in_core[1]

    def _tabulated(self, S: NDArray[np.float64]) -> NDArray[np.float64] | str:
        table = getattr(self._own, "log_table", None)
        if not callable(table):
            return f"does not know the leaf model `{self.name}`, which has no `log_table`"
        axes = list(inspect.signature(table).parameters.values())
        placed = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in axes)
        if not placed or not 1 <= len(axes) <= S.shape[1] - 2:
            raise DataError(OWN_TABLE_AXES(name=self.name, most=S.shape[1] - 2))
        whole = S[:, 2 : 2 + len(axes)]
        if (whole < 0).any() or not is_whole(whole).all():
            return f"takes `log_table` of `{self.name}` over whole numbers from 0 up alone"
        most = [int(total) for total in whole.sum(axis=0)]
        size = math.prod(total + 1 for total in most)
        if size > _MOST_NUMBERS:
            return f"takes {_MOST_NUMBERS:,} numbers of `log_table`, and `{self.name}` has {size:,}"
        found = self._call("log_table", tuple(total + 1 for total in most), *most)
        self._check_table(found, S)
        return np.concatenate([[float(len(axes))], found.ravel()])

    def _check_table(self, table: NDArray[np.float64], S: NDArray[np.float64]) -> None:
        """Compare a table with `log_marginal` for some leaves of rows with statistics S (n, k)."""
        some = np.unique(np.linspace(0, len(S) - 1, min(len(S), 20)).astype(np.intp))
        leaves = np.concatenate([np.zeros((1, S.shape[1])), np.cumsum(S, axis=0)[some], S[some]])
        places, others = np.split(leaves[:, 2:], [table.ndim], axis=1)
        have = table[tuple(places.astype(np.intp).T)] + others.sum(axis=1)
        want = self.log_marginal(leaves)
        wrong = ~np.isclose(have, want, rtol=1e-9, atol=1e-9)
        if wrong.any():
            i = int(np.argmax(wrong))
            of = ", ".join(map(number_text, leaves[i, 2:].tolist()))
            raise DataError(OWN_TABLE_DIFFERS(name=self.name, have=have[i], want=want[i], of=of))

    def _call(self, method: str, shape: tuple[int | None, ...], *args: Any) -> NDArray[np.float64]:
        """A method's answer as numbers of a shape, None where any length will do."""
        try:
            found = np.asarray(getattr(self._own, method)(*args), np.float64)
        except Exception as e:
            raise DataError(OWN_FAILS(name=self.name, method=method, reason=_said(e))) from e
        alike = len(found.shape) == len(shape) and all(
            want in (None, have) for have, want in zip(found.shape, shape, strict=True)
        )
        if not alike:
            want = f"shape ({', '.join('k' if n is None else str(n) for n in shape)})"
            raise DataError(OWN_SHAPE(name=self.name, method=method, want=want))
        # A mean may be infinite; `Predictions.predict` refuses to average it.
        wrong = np.isnan(found) if method == "mean" else ~np.isfinite(found)
        if wrong.any():
            raise DataError(OWN_NOT_FINITE(name=self.name, method=method))
        return found

    def _of_leaves(self, method: str, S: NDArray[np.float64], *args: Any) -> NDArray[np.float64]:
        """A method of statistics (..., k), shape (...)."""
        S = np.asarray(S, np.float64)
        flat = S.reshape(-1, self.n_statistics)[:, 2:]
        return self._call(method, (len(flat),), flat, *args).reshape(S.shape[:-1])

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """n, the sum of responses, and the model's own, shape (n, k)."""
        y = np.asarray(y, np.float64)
        own = self._call("statistics", (len(y), self.n_statistics - 2), y)
        return np.column_stack([np.ones(len(y)), y, own])

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log marginal likelihood of leaves with statistics (..., k)."""
        return self._of_leaves("log_marginal", S)

    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Predictive mean, shape (...)."""
        return self._of_leaves("mean", S)

    def cdf(self, S: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(Y <= y) of a further response, broadcast over (...).

        Raises
        ------
        DataError
            E443: the model has no `cdf`.
        """
        self._need("cdf", NO_CDF)
        S = np.asarray(S, np.float64)
        shape = np.broadcast_shapes(S.shape[:-1], np.shape(y))
        S = np.broadcast_to(S, (*shape, self.n_statistics))
        return self._of_leaves("cdf", S, np.broadcast_to(y, shape).ravel())

    def _need(self, method: str, wording: Wording) -> None:
        """Raise E443 unless the model has an optional method."""
        if not callable(getattr(self._own, method, None)):
            raise DataError(wording(name=self.name))

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Parameters of leaves, shape (..., r). DataError E443: the model does not draw them."""
        for method in ("draw_parameters", "mean_of", "draw_outcomes"):
            self._need(method, NO_DRAWS_OF_OWN)
        S = np.asarray(S, np.float64)
        flat = S.reshape(-1, self.n_statistics)[:, 2:]
        found = self._call("draw_parameters", (len(flat), None), flat, rng)
        return found.reshape(*S.shape[:-1], found.shape[1])

    def values_of(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean."""
        flat = parameters.reshape(-1, parameters.shape[-1])
        return self._call("mean_of", (len(flat),), flat).reshape(*parameters.shape[:-1], 1)

    def draw_outcomes(
        self,
        parameters: NDArray[np.float64],
        rng: np.random.Generator,
        design: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Responses, shape (...)."""
        flat = parameters.reshape(-1, parameters.shape[-1])
        found = self._call("draw_outcomes", (len(flat),), flat, rng)
        return found.reshape(parameters.shape[:-1])

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"n": .., "mean": ..}` with the sample mean."""
        return leaf_mean(float(S[0]), float(S[1]))

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"mean": ..}`, the predictive mean."""
        return {"mean": finite(float(self.mean(S)))}

    def describe(self) -> str:
        """The model as in a declaration."""
        numbers = ", ".join(map(number_text, self.hyperparameters))
        return f"{self.name}({numbers})" if numbers else self.name


def _said(e: Exception) -> str:
    return f"{type(e).__name__}: {e}" if str(e) else type(e).__name__
