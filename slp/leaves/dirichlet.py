"""Classes with Dirichlet-distributed probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import DataError
from slp.ir.leaves import LeafDeclaration
from slp.ir.whole import is_whole
from slp.late import late_import
from slp.leaves.class_counts import CountedClasses, classes_of_plain
from slp.leaves.declared import FirstDeclaration, Observed
from slp.leaves.labels import Label, label_text
from slp.leaves.numbers import beta_interval, check_numbers
from slp.leaves.rising import LogRising, log_rising
from slp.leaves.signature import Finding, NumberList, Signature
from slp.messages.directives import ONE_CONCENTRATION
from slp.messages.leaf_models import WRONG_NUMBER_OF_CLASSES
from slp.messages.numbers import number_text

#: Below it, tables of log gammas differ by the marginal likelihood with an error below 1e-9.
_MOST_TABULATED = 2**17


def _fault_of_list(numbers: tuple[float, ...]) -> Finding | None:
    """A list has a number for each class, and a response two classes."""
    return partial(ONE_CONCENTRATION) if len(numbers) < 2 else None


class Dirichlet(CountedClasses):
    """`dirichlet(a)` or `dirichlet([a1, ..., aC])`: class probabilities p ~ Dirichlet(a).

    Statistics (k = C): the class counts n_c. With A the sum of the a_c and N the sum of the n_c,
    the ordered labels of a leaf have (Heckerman, Geiger & Chickering 1995, section 2)

        P(y) = Gamma(A) / Gamma(A + N) * product over c of Gamma(a_c + n_c) / Gamma(a_c)

    and the next label is c with probability (a_c + n_c) / (A + N).
    """

    name = "dirichlet"
    signature = Signature(
        "dirichlet(a) or dirichlet([a1, a2, ...])",
        ("a",),
        numbers=NumberList("a number", _fault_of_list, alone=True),
    )
    short_names = {"jeffreys": Signature("jeffreys", (), stands_for=("dirichlet", (0.5,)))}
    for_boxes = True

    def __init__(self, classes: Sequence[Label], concentration: float | Sequence[float]) -> None:
        self.classes = tuple(classes)
        self.concentration = np.broadcast_to(
            np.asarray(concentration, dtype=np.float64), (len(self.classes),)
        )
        self.one_concentration = isinstance(concentration, float | int)
        # Classes with the same concentration share a table.
        tables = {float(a): LogRising(float(a)) for a in self.concentration}
        self._tables = tuple(tables[float(a)] for a in self.concentration)
        self._total = LogRising(float(self.concentration.sum()))
        self.loss = None
        others = (np.delete(self.concentration, c).sum() for c in range(len(self.classes)))
        self._others = np.fromiter(others, np.float64)

    # --- the declaration -----------------------------------------------------------------------

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> Dirichlet:
        """With the declared number or list. DataError E431: the list is not as long as classes."""
        listed, classes = declaration.listed, observed.classes
        if not listed:
            return cls(classes, *declaration.args)
        if len(listed) != len(classes):
            n, some = len(classes), _some(classes)
            wording, span = WRONG_NUMBER_OF_CLASSES, declaration.span
            raise DataError(wording(span, numbers=len(listed), classes=n, some=some))
        return cls(classes, listed)

    @classmethod
    def first_declaration(cls, y: NDArray[Any]) -> FirstDeclaration:
        """The default."""
        return FirstDeclaration((1,), behind="all shares of the classes are equally likely before")

    def to_plain(self) -> dict[str, Any]:
        """Classes are texts, beside the name of their type."""
        own = self.concentration.tolist()
        return self.classes_to_plain() | {
            "concentration": own[0] if self.one_concentration else own
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Dirichlet:
        """See `DeclaredModel`."""
        own = data["concentration"]
        check_numbers(own if isinstance(own, list) else [own], positive=True)
        labels, loss = classes_of_plain(data)
        out = cls(labels, own)
        out.loss = loss
        return out

    def with_added(self, rows: NDArray[np.float64]) -> Dirichlet:
        """With rows of classes (C,) added to the concentrations."""
        out = Dirichlet(self.classes, (self.concentration + rows).tolist())
        out.loss = self.loss
        return out

    # --- leaves --------------------------------------------------------------------------------

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """log P(y), shape (...), of class counts or weights (..., C); see the class's formula."""
        counts = np.asarray(S, dtype=np.float64)
        total = counts.sum(axis=-1)
        if (is_whole(total) & (total < _MOST_TABULATED)).all() and is_whole(counts).all():
            return np.asarray(self._rising(counts).sum(axis=-1) - self._total.at(total))
        return self._log_marginal_of_any(np.maximum(counts, 0.0))

    def _rising(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """log Gamma(a_c + n_c) - log Gamma(a_c), shape (..., C)."""
        if self.one_concentration:
            return self._tables[0].at(counts)
        terms = [table.at(counts[..., c]) for c, table in enumerate(self._tables)]
        return np.stack(terms, axis=-1)

    def _log_marginal_of_any(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """With m the largest class, d the concentrations of the others, n their sum and R(a, x) =
        log Gamma(a + x) - log Gamma(a), the terms R(a_m, n_m) - R(A, n_m + n) are R(a_m, d) - R(a_m
        + n_m, d + n): these are small where the class has nearly all rows, and those where d is
        large."""
        m = counts.argmax(axis=-1)
        most = np.take_along_axis(counts, m[..., None], axis=-1)[..., 0]
        others = np.where(np.arange(counts.shape[-1]) == m[..., None], 0.0, counts)
        n, a, d = others.sum(axis=-1), self.concentration[m], self._others[m]
        near = log_rising(a, d) - log_rising(a + most, d + n)
        far = log_rising(a, most) - self._total.at(most + n)
        return np.asarray(self._rising(others).sum(axis=-1) + np.where(most > d, near, far))

    def log_parted(self, S: NDArray[np.float64]) -> float:
        """The likelihood of the partition by class; of rows that share their features and not
        their class, no more than their class shares give."""
        counts = np.asarray(S, dtype=np.float64)
        pure = (counts > 0).sum(axis=1) <= 1
        mixed = counts[~pure]
        shares = mixed / mixed.sum(axis=1, keepdims=True)
        groups = float((mixed * np.log(np.where(mixed > 0, shares, 1.0))).sum())
        return min(self.log_pure(counts), groups + self.log_pure(counts[pure]))

    def log_pure(self, S: NDArray[np.float64]) -> float:
        """The log likelihood of the partition by class, one leaf for each, of rows with class
        counts (n, C)."""
        return float(sum(self.log_marginal(np.diag(S.sum(axis=0)))))

    def log_least(self, S: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """That of a class which no other row of the leaf has, where all rows are."""
        own = S.sum(axis=1)
        rising = log_rising(self.concentration, S).sum(axis=1)
        other = self.concentration.sum() + weight - own
        return np.asarray(rising - log_rising(other, own))

    def numbers_for_core(self, S: NDArray[np.float64]) -> NDArray[np.float64] | str:
        """The concentration of each class."""
        return self.concentration

    def class_cdf(self, S: NDArray[np.float64], outcome: int, p: float) -> NDArray[np.float64]:
        """The distribution function of Beta(a_c + n_c, the sum of a + n over the other classes) at
        p, shape (...), of two classes at least."""
        betainc = late_import("scipy.special").betainc

        weights = np.asarray(S) + self.concentration
        own = weights[..., outcome]
        others = np.delete(weights, outcome, axis=-1).sum(axis=-1)
        return np.asarray(betainc(own, others, p))

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """The class probabilities, shape (..., C): shares of Gamma(a_c + n_c), as logs, since those
        of small a_c are below the least float. Gamma(a) is Gamma(a + 1) times U^(1/a)."""
        shapes = np.asarray(S, np.float64) + self.concentration
        logs = (
            np.log(rng.standard_gamma(shapes + 1)) - rng.standard_exponential(shapes.shape) / shapes
        )
        own = np.exp(logs - logs.max(axis=-1, keepdims=True))
        return np.asarray(own / own.sum(axis=-1, keepdims=True))

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """p (1 - p) / (A + N + 1), with p the predictive probability, shape (..., C)."""
        total = (np.asarray(S) + self.concentration).sum(axis=-1, keepdims=True)
        p = self.predict_proba(S)
        return np.asarray(p * (1 - p) / (total + 1))

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"probabilities": {class: p}, "intervals": {class: [.., ..]}}` with the predictive
        probability of every class, and the central credible interval of probability `LEVEL` of the
        class's probability in the leaf, which is Beta(a_c + n_c, the sum of a + n over the other
        classes). Under a declared loss also the `"decision"` and its `"expected_loss"`."""
        shares = self.predict_proba(S).tolist()
        weights = np.asarray(S) + self.concentration
        others = [float(np.delete(weights, c).sum()) for c in range(len(self.classes))]
        ends = map(beta_interval, weights.tolist(), others)
        return {
            "probabilities": dict(zip(self.classes, shares, strict=True)),
            "intervals": {label: list(own) for label, own in zip(self.classes, ends, strict=True)},
            **self._decision(np.array(shares)),
        }

    def describe(self) -> str:
        """`dirichlet(1)` or `dirichlet([1, 2])`."""
        if self.one_concentration:
            return f"dirichlet({number_text(float(self.concentration[0]))})"
        return f"dirichlet([{', '.join(map(number_text, self.concentration.tolist()))}])"


def _some(labels: Sequence[Label], most: int = 8) -> str:
    shown = ", ".join(map(label_text, labels[:most]))
    return shown if len(labels) <= most else f"{shown}, ..."
