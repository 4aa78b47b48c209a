"""How the answers of a program depend on its numbers, and on each row: `Sensitivity`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.leaves import label_text
from slp.leaves.labels import Label

VariedKind: TypeAlias = Literal["parameter", "feature_weight", "label", "concentration"]

#: How many values within the interval of a best tree are checked.
CHECKED = 20


@dataclass(frozen=True)
class Stays:
    """The values of a number at which the most probable tree stays the most probable one, checked
    at 20 values between `low` and `high`, and not proven between them.

    Attributes
    ----------
    low, high : the ends, found by bisection; of a label, factors on it.
    changes_below, changes_above : whether another tree is the best beyond the end. Where not, it is
        the farthest value that was looked at.
    """

    low: float
    high: float
    changes_below: bool
    changes_above: bool

    def __str__(self) -> str:
        if self.changes_below and self.changes_above:
            return f"{self.low:.4g} to {self.high:.4g}"
        if self.changes_below:
            return f"{self.low:.4g} and above"
        return f"{self.high:.4g} and below" if self.changes_above else "wherever looked at"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON."""
        return {
            "low": self.low,
            "high": self.high,
            "changes_below": self.changes_below,
            "changes_above": self.changes_above,
            "checked": CHECKED,
        }


@dataclass(frozen=True, eq=False)
class Slope:
    """What the answers owe to one number of the program, exact to rounding.

    Attributes
    ----------
    kind : `"parameter"`, `"feature_weight"`, `"label"` or `"concentration"`.
    name : the parameter, the feature, the clause without its label, or the concentration.
    value : the number; 1 of a label, whose logarithm varies.
    label : of a label, as the program writes it; else empty.
    log_evidence : the derivative of the log evidence, in nats for one unit of the number; of a
        label, for one unit of its logarithm.
    used : those of P(feature used), one for each feature.
    predictions : those of what rows are told, float64 (m, J): of each class, or of the mean.
    stays : the interval in which the best tree stays the best; None where it is not known.
    why_not : why it is not known.
    """

    kind: VariedKind
    name: str
    value: float
    label: str
    log_evidence: float
    used: tuple[float, ...]
    predictions: NDArray[np.float64]
    stays: Stays | None
    why_not: str = ""

    @property
    def words(self) -> str:
        """What varies, in words."""
        match self.kind:
            case "label":
                return f"log label of {self.name}"
            case "feature_weight":
                return f"weight of {self.name}"
            case "concentration":
                return f"concentration {self.name}"
        return self.name

    @property
    def interval(self) -> str:
        """Where the best tree stays the best, in words; of a label by factors on it."""
        if self.stays is None:
            return "not known"
        ends = self.stays.changes_below or self.stays.changes_above
        return f"factor {self.stays}" if self.kind == "label" and ends else str(self.stays)


@dataclass(frozen=True, eq=False)
class Influence:
    """What the responses of single rows do: an answer less that without the response of the row,
    whose features stay.

    Attributes
    ----------
    rows : the numbers of the rows of the data, from 0, as they were given, int64 (n,).
    log_evidence : of each row of the data, float64 (n,): log p(y_i | the other responses), in nats.
    predictions : of each row of the data what it does to each row told, float64 (n, m, J); None
        where the time ended before.
    """

    rows: NDArray[np.int64]
    log_evidence: NDArray[np.float64]
    predictions: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How the answers of a program on a table depend on its numbers, and on each row.

    Attributes
    ----------
    program, response, n_rows : of the table.
    features, classes : of the table; no classes where the response is numeric.
    log_evidence : of the program, in nats.
    used : P(feature used) by feature.
    rows : how the rows that were asked for are called.
    predictions : what these are told, float64 (m, J): the probability of each class, or the mean.
    best_tree : the most probable tree as text.
    slopes : a `Slope` for each number.
    influence : what single rows do; None where it is not known.
    not_varied : numbers that do not vary, with the reasons.
    notes : what must be said of the answers.
    """

    program: str
    response: str
    n_rows: int
    features: tuple[str, ...]
    classes: tuple[Label, ...]
    log_evidence: float
    used: Mapping[str, float]
    rows: tuple[str, ...]
    predictions: NDArray[np.float64]
    best_tree: str
    slopes: tuple[Slope, ...]
    influence: Influence | None
    not_varied: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Slope:
        """The slope of the first number of this name; KeyError if there is none."""
        return {slope.name: slope for slope in reversed(self.slopes)}[name]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON."""
        return {
            "program": self.program,
            "response": self.response,
            "n_rows": self.n_rows,
            "log_evidence": self.log_evidence,
            "kind": "exact",
            "used": dict(self.used),
            "predictions": self._of_rows(self.predictions),
            "best_tree": self.best_tree,
            "sensitivities": [self._of_slope(slope) for slope in self.slopes],
            "influence": None if self.influence is None else self._of_influence(self.influence),
            "not_varied": dict(self.not_varied),
            "notes": list(self.notes),
        }

    def _of_slope(self, slope: Slope) -> dict[str, Any]:
        return {
            "kind": slope.kind,
            "name": slope.name,
            "value": None if slope.kind == "label" else slope.value,
            "label": slope.label or None,
            "log_evidence": slope.log_evidence,
            "used": dict(zip(self.features, slope.used, strict=True)),
            "predictions": self._of_rows(slope.predictions),
            "best_tree_stays": None if slope.stays is None else slope.stays.to_dict(),
            "why_not": slope.why_not or None,
        }

    def _of_influence(self, influence: Influence) -> dict[str, Any]:
        told = influence.predictions
        return {
            "rows": influence.rows.tolist(),
            "log_evidence": _finite(influence.log_evidence),
            "predictions": None if told is None else [self._of_rows(own) for own in told],
        }

    def _of_rows(self, told: NDArray[np.float64]) -> dict[str, Any]:
        """Numbers of rows (m, J) by the names of rows, and classes."""
        names = [label_text(label) for label in self.classes]
        return {
            row: dict(zip(names, own, strict=True)) if names else own[0]
            for row, own in zip(self.rows, _finite(told), strict=True)
        }


def _finite(told: NDArray[np.float64]) -> list[Any]:
    """Numbers for JSON: None in place of infinity and NaN."""
    out = told.astype(object)
    out[~np.isfinite(told)] = None
    plain: list[Any] = out.tolist()
    return plain
