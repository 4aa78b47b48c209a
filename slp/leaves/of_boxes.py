"""Leaves with priors of their own in boxes: several models of one kind, of which each leaf has one.

The statistics of a leaf have one more number at the end: the number of its prior
(`State.leaf_prior`), 0 for that of most leaves. Rows have 0 there, so sums over rows do too, and
the place that knows the state of a leaf puts its prior in (`with_prior`). So all that is asked of
a leaf by its statistics, now or from a saved run, is answered by its own model.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.errors import Diagnostic
from slp.ir.boxes import Box
from slp.ir.leaves import BoxLeaf
from slp.leaves.base import LeafFacts, LeafModel
from slp.leaves.rates import RatesOfPieces
from slp.source import SourceSpan

_Floats: TypeAlias = NDArray[np.float64]


class BoxLeaves(LeafFacts):
    """The models of leaves, by the number of their prior; the first is that of most leaves.
    `in_boxes` as in `LeafModel`.

    All have the same statistics and parameters.
    """

    name = "leaves_of_boxes"

    def __init__(
        self, models: Sequence[LeafModel], in_boxes: Sequence[tuple[BoxLeaf, int]]
    ) -> None:
        self.models, self.in_boxes = tuple(models), tuple(in_boxes)
        first = self.models[0]
        self.classes, self.responses = first.classes, first.responses
        self.weighted, self.exposed, self.ref = first.weighted, first.exposed, first.ref
        self.squares, self.point = first.squares, first.point
        self.predicted_in_core = first.predicted_in_core
        self.of_response = any(model.of_response for model in self.models)
        #: of the model that needs most: fewer leaves are known to have a mean
        self.mean_needs = max(model.mean_needs for model in self.models)
        self.concentration = first.concentration
        self.one_concentration = first.one_concentration

    @property
    def loss(self) -> _Floats | None:
        """See `LeafModel`."""
        return self.models[0].loss

    @loss.setter
    def loss(self, loss: _Floats | None) -> None:
        for model in self.models:
            model.loss = loss

    @property
    def core_name(self) -> str:
        """Those of the models, with commas between."""
        return ",".join(model.core_name for model in self.models)

    @property
    def n_statistics(self) -> int:
        """Those of the models, and the number of the prior."""
        return self.models[0].n_statistics + 1

    # --- statistics ----------------------------------------------------------------------------

    def statistics(self, y: NDArray[Any]) -> _Floats:
        """Those of the models, and 0, shape (n, k)."""
        own = self.models[0].statistics(y)
        return np.concatenate([own, np.zeros((*own.shape[:-1], 1))], axis=-1)

    def with_prior(self, S: _Floats, prior: Any) -> _Floats:
        """With the number at the end."""
        out = np.array(S, np.float64)
        out[..., -1] = prior
        return out

    def without_rows(self, S: _Floats) -> _Floats:
        """With the numbers of the priors alone."""
        return self.with_prior(np.zeros_like(S), np.asarray(S)[..., -1])

    def prior_of(self, S: _Floats) -> NDArray[np.int64]:
        """The numbers of the priors of leaves (..., k), shape (...)."""
        return np.asarray(np.asarray(S)[..., -1], np.int64)

    def with_added(self, rows: _Floats) -> BoxLeaves:
        """With rows of classes added to the prior of most leaves."""
        first, *others = self.models
        return type(self)([first.with_added(rows[: len(self.classes)]), *others], self.in_boxes)

    def are_sound(self, S: _Floats) -> bool:
        """Whether the statistics are, and the priors are some of these."""
        S = np.asarray(S)
        priors = bool(np.isin(S[..., -1], np.arange(len(self.models))).all())
        return priors and self.models[0].are_sound(S[..., :-1])

    def outcomes_of(self, S: _Floats) -> _Floats:
        """See `LeafModel`."""
        return self.models[0].outcomes_of(S[..., :-1])

    def scores(self, S: _Floats) -> _Floats:
        """Those of the first model, which tell of the responses alone."""
        return self.models[0].scores(S[..., :-1])

    def doubts(self, y: NDArray[Any], span: SourceSpan | None) -> tuple[Diagnostic, ...]:
        """See `LeafModel`."""
        return tuple(found for model in self.models for found in model.doubts(y, span))

    def rounding(self, distances: _Floats, weights: _Floats) -> _Floats | None:
        """The largest of the models'."""
        found = [model.rounding(distances, weights) for model in self.models]
        told = [own for own in found if own is not None]
        return np.asarray(np.maximum.reduce(told)) if told else None

    def log_parted(self, S: _Floats) -> float:
        """The bound that the first model would give if a leaf had the largest marginal likelihood
        of all models: their maximum is convex where each of them is, and at least that of the leaf.
        """
        best = copy.copy(self.models[0])

        def largest(S: _Floats) -> _Floats:
            return np.asarray(np.max([model.log_marginal(S) for model in self.models], axis=0))

        vars(best)["log_marginal"] = largest
        return best.log_parted(S[..., :-1])

    def log_least(self, S: _Floats, weight: float) -> _Floats:
        """The least of the models'."""
        each = [model.log_least(S[..., :-1], weight) for model in self.models]
        return np.asarray(np.min(each, axis=0))

    def numbers_for_core(self, S: _Floats) -> _Floats | str:
        """For each model how many numbers it has, and these."""
        parts = [model.numbers_for_core(S[..., :-1]) for model in self.models]
        told = [part for part in parts if not isinstance(part, str)]
        if len(told) < len(parts):
            return next(part for part in parts if isinstance(part, str))
        return np.concatenate([np.array([len(own), *own], np.float64) for own in told])

    # --- leaves, each by its own model ---------------------------------------------------------

    def _each(
        self, S: _Floats, ask: Callable[..., NDArray[Any]], *given: NDArray[Any]
    ) -> NDArray[Any]:
        """What `ask(model, S, *given)` says of leaves (..., k), each by its model. What is given is
        broadcast over (...)."""
        S = np.asarray(S, np.float64)
        shape = np.broadcast_shapes(S.shape[:-1], *(np.shape(g) for g in given))
        priors = np.broadcast_to(self.prior_of(S), shape)
        present = np.unique(priors)
        if len(present) <= 1:
            model = self.models[int(present[0]) if len(present) else 0]
            return np.asarray(ask(model, S[..., :-1], *given))
        S = np.broadcast_to(S, (*shape, S.shape[-1]))
        given = tuple(np.broadcast_to(g, shape) for g in given)
        out: NDArray[Any] | None = None
        for i in present.tolist():
            own = priors == i
            part = np.asarray(ask(self.models[i], S[own][..., :-1], *(g[own] for g in given)))
            if out is None:
                out = np.empty((*shape, *part.shape[1:]), part.dtype)
            out[own] = part
        assert out is not None
        return out

    def log_marginal(self, S: _Floats) -> _Floats:
        """See `LeafModel`."""
        return self._each(S, lambda model, S: model.log_marginal(S))

    def values(self, S: _Floats) -> _Floats:
        """See `LeafModel`."""
        return self._each(S, lambda model, S: model.values(S))

    def predict_proba(self, S: _Floats) -> _Floats:
        """See `LeafModel`."""
        return self._each(S, lambda model, S: model.predict_proba(S))

    def mean(self, S: _Floats) -> _Floats:
        """See `LeafModel`."""
        return self._each(S, lambda model, S: model.mean(S))

    def cdf(self, S: _Floats, y: _Floats) -> _Floats:
        """See `LeafModel`."""
        return self._each(S, lambda model, S, y: model.cdf(S, y), np.asarray(y))

    def class_cdf(self, S: _Floats, outcome: int, p: float) -> _Floats:
        """See `LeafModel`."""
        return self._each(S, lambda model, S: model.class_cdf(S, outcome, p))

    def log_density(self, S: _Floats, y: NDArray[Any]) -> _Floats:
        """See `LeafModel`."""
        return self._each(S, lambda model, S, y: model.log_density(S, y), np.asarray(y))

    def draw_parameters(self, S: _Floats, rng: np.random.Generator) -> _Floats:
        """See `LeafModel`."""
        return self._each(S, lambda model, S: model.draw_parameters(S, rng))

    def spread(self, S: _Floats) -> _Floats | None:
        """See `LeafModel`: the models that may be here know it."""
        return self._each(S, lambda model, S: model.spread(S))

    # --- given the parameters, all models say the same -----------------------------------------

    def values_of(self, parameters: _Floats) -> _Floats:
        """See `LeafModel`."""
        return self.models[0].values_of(parameters)

    def draw_outcomes(
        self, parameters: _Floats, rng: np.random.Generator, design: _Floats | None = None
    ) -> NDArray[Any]:
        """See `LeafModel`."""
        return self.models[0].draw_outcomes(parameters, rng, design)

    # --- one leaf ------------------------------------------------------------------------------

    def summary(self, S: _Floats) -> dict[str, Any]:
        """That of the leaf's model. A leaf whose prior is not that of most leaves has more, so that
        a tree alone tells what it predicts: `"prior"`, the model in words, and `"shares"`, the
        class probabilities, or `"expected"`, the mean if it is finite, of durations also
        `"median"`."""
        i, own = int(self.prior_of(S)), np.asarray(S)[:-1]
        model = self.models[i]
        told = model.summary(own)
        if i == 0:
            return told
        told["prior"] = model.describe()
        if self.classes:
            told["shares"] = model.predictive(own)["probabilities"]
            return told
        mean = float(model.mean(own))
        told |= {"expected": mean} if math.isfinite(mean) else {}
        return told | ({"median": float(model.values(own)[0])} if self.point == "median" else {})

    def predictive(self, S: _Floats) -> dict[str, Any]:
        """See `LeafModel`."""
        return self.models[int(self.prior_of(S))].predictive(np.asarray(S)[:-1])

    def describe(self) -> str:
        """The model of most leaves, then those of boxes."""
        first, *others = (model.describe() for model in self.models)
        return f"{first}, in boxes {', '.join(others)}"

    def to_plain(self) -> dict[str, Any]:
        """All models."""
        boxes = [
            {**own.box.to_plain(), "contains": own.contains, "prior": number}
            for own, number in self.in_boxes
        ]
        models = [model.to_plain() for model in self.models]
        return {"model": self.name, "models": models, "boxes": boxes}


class RatesOfBoxes(BoxLeaves):
    """The same of durations with a rate, with what is asked of these (`RatesOfPieces`)."""

    models: tuple[RatesOfPieces, ...]  # type: ignore[assignment]  # all are such

    def median(self, S: _Floats) -> _Floats:
        """See `RatesOfPieces`."""
        return self._each(S, lambda model, S: model.median(S))

    def survival(self, S: _Floats, times: _Floats, power: int = 1) -> _Floats:
        """See `RatesOfPieces`."""
        return self._each(S, lambda model, S: model.survival(S, times, power))

    def restricted_mean(self, S: _Floats, horizon: float) -> _Floats:
        """See `RatesOfPieces`."""
        return self._each(S, lambda model, S: model.restricted_mean(S, horizon))

    def median_of(self, parameters: _Floats) -> _Floats:
        """See `RatesOfPieces`."""
        return self.models[0].median_of(parameters)

    def survival_of(self, parameters: _Floats, times: _Floats) -> _Floats:
        """See `RatesOfPieces`."""
        return self.models[0].survival_of(parameters, times)

    def hazard_of(self, parameters: _Floats, times: _Floats) -> _Floats:
        """See `RatesOfPieces`."""
        return self.models[0].hazard_of(parameters, times)

    def restricted_mean_of(self, parameters: _Floats, horizon: float) -> _Floats:
        """See `RatesOfPieces`."""
        return self.models[0].restricted_mean_of(parameters, horizon)


def leaves_of_boxes(
    models: Sequence[LeafModel], in_boxes: Sequence[tuple[BoxLeaf, int]]
) -> BoxLeaves:
    """The models as one, the first for most leaves."""
    durations = isinstance(models[0], RatesOfPieces)
    return (RatesOfBoxes if durations else BoxLeaves)(models, in_boxes)


def boxes_from_plain(data: Mapping[str, Any], read: Callable[[Any], Any]) -> BoxLeaves:
    """The models that `BoxLeaves.to_plain` made the data from. `read` makes one of its data. Raises
    ValueError or another error where they are none."""
    models = [read(own) for own in data["models"]]
    first = models[0]
    if not getattr(first, "for_boxes", False) or not all(
        isinstance(model, type(first))
        and model.classes == first.classes
        and model.n_statistics == first.n_statistics
        and model.ref == first.ref
        for model in models
    ):
        raise ValueError("the models of boxes are not of one kind")
    return leaves_of_boxes(models, [_box_from_plain(own, len(models)) for own in data["boxes"]])


def _box_from_plain(data: Mapping[str, Any], n_models: int) -> tuple[BoxLeaf, int]:
    bounds = {
        str(feature): (
            -math.inf if low is None else float(low),
            math.inf if high is None else float(high),
        )
        for feature, (low, high) in data["bounds"].items()
    }
    number, contains = data["prior"], data["contains"]
    if not isinstance(contains, bool) or not 0 < number < n_models:
        raise ValueError("a box has none of the priors")
    return BoxLeaf(Box(str(data["name"]), bounds), None, contains), int(number)
