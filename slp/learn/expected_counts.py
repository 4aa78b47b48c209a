"""Expected counts of clauses and labels, and the expected log-likelihood of parameters given them.
The formulas are in `slp.learn.labels`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from slp.errors import SlpError
from slp.ir import program as ir
from slp.learn.ascent import slope
from slp.resolution import evaluate
from slp.resolution.proofs.choices import Outcome
from slp.terms import Term


class LearnedLabels(Protocol):
    """What counting asks of `slp.learn.label_values.Labels`, which has the meaning."""

    value: dict[int, float]

    @property
    def sets(self) -> Sequence[Sequence[ir.LogicClause]]: ...
    @property
    def set_of(self) -> Mapping[int, int]: ...
    def free_at(self, u: NDArray[np.float64]) -> Mapping[str, float]: ...
    def parameters_at(self, values: Mapping[str, float]) -> Mapping[str, float]: ...


@dataclass(eq=False)
class Counts:
    """Expected counts of clauses with a plain label, of other labels, and of losses at goals that
    choose among such clauses."""

    clauses: dict[int, float] = field(default_factory=dict)
    labels: dict[Term, float] = field(default_factory=dict)
    losses: dict[tuple[Term, ...], float] = field(default_factory=dict)

    def add(
        self, outcomes: Sequence[Outcome], labels: LearnedLabels, psi: NDArray[np.float64]
    ) -> None:
        """Add the expected number of uses of each outcome."""
        for outcome, count in zip(outcomes, psi.tolist(), strict=True):
            clause = id(outcome.clause)
            if clause in labels.value:
                self.clauses[clause] = self.clauses.get(clause, 0.0) + count
            else:
                self.labels[outcome.label] = self.labels.get(outcome.label, 0.0) + count

    def add_loss(self, matching: Sequence[Outcome], labels: LearnedLabels, lost: float) -> None:
        """Add the losses at a goal to the clauses of the set that do not match, in proportion to
        their labels."""
        number = labels.set_of.get(id(matching[0].clause)) if matching else None
        if number is None:
            key = tuple(outcome.label for outcome in matching)
            self.losses[key] = self.losses.get(key, 0.0) + lost
            return
        taken = {id(outcome.clause) for outcome in matching}
        others = [id(c) for c in labels.sets[number] if id(c) not in taken]
        whole = math.fsum(labels.value[c] for c in others)
        for c in others if whole > 0 else ():
            self.clauses[c] = self.clauses.get(c, 0.0) + lost * labels.value[c] / whole


@dataclass(frozen=True, eq=False)
class ExpectedLikelihood:
    """The expected log-likelihood of derivations, as a function of the parameters' coordinates."""

    labels: LearnedLabels
    counts: Counts

    def value(self, u: NDArray[np.float64]) -> float:
        """The value (see the module's docstring)."""
        parameters = self.labels.parameters_at(self.labels.free_at(u))

        def log(x: float) -> float:
            return math.log(x) if x > 0 else -math.inf

        def label(term: Term) -> float:
            return float(evaluate(term, parameters, span=term.span))

        try:
            taken = [n * log(label(t)) for t, n in self.counts.labels.items() if n]
            lost = [
                n * log(1 - math.fsum(map(label, terms)))
                for terms, n in self.counts.losses.items()
                if n
            ]
        except SlpError:
            return -math.inf
        return math.fsum([*taken, *lost])

    def slope(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient, by differences."""
        return slope(self.value, u)
