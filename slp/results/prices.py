"""What the statements of a program cost: `Prices`, with a `Price` for each.

All differences of log evidences are (with the statement) less (without it), in nats, so that a
positive one means that the data speak for the statement. They are log Bayes factors, and the words
for them follow Kass & Raftery (1995, Bayes factors, section 3.2), where 1 is not worth more than a
bare mention, and 3 is strong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from slp.results.comparison import finite_values, with_kind
from slp.results.estimate import Estimate
from slp.results.trust.judgement import Standing

StatementKind: TypeAlias = Literal["constraint", "support", "group", "feature_weight"]
ChanceKind: TypeAlias = Literal["exact", "estimate", "below", "above"]
#: What the data say of a statement.
Verdict: TypeAlias = Literal[
    "strongly for it",
    "for it",
    "hardly anything",
    "against it",
    "strongly against it",
    "changes nothing here",
    "within the error",
    "not converged",
    "no Bayes factor",
    "not known",
]
#: Log Bayes factors from which the data say something, and say it strongly.
_SOME, _STRONG = 1.0, 3.0
#: Probabilities that are nearer to 1, and differences nearer to 0, are rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Chance:
    """The probability that a statement is satisfied.

    Attributes
    ----------
    value : the probability; the bound where `kind` is `"below"` or `"above"`.
    error : its Monte Carlo standard error; 0 where it is exact, NaN where draws do not tell, None
        of a bound.
    kind : `"exact"`; `"estimate"`, the share of draws; `"below"`, none of the n draws satisfies the
        statement, so that it is below 3 / n; or `"above"`, all do, and it is above 1 - 3 / n (with
        95 % confidence where draws are independent).
    draws : their number n; None where it is exact.
    standing : whether the run converged.
    """

    value: float
    error: float | None
    kind: ChanceKind
    draws: int | None = None
    standing: Standing = "converged"

    @classmethod
    def exact(cls, log_share: float) -> Chance:
        """By its logarithm, which rounding may leave above 0."""
        return cls(math.exp(min(0.0, log_share)), 0.0, "exact")

    @classmethod
    def drawn(cls, share: float, error: float, draws: int, standing: Standing) -> Chance:
        """By the share of draws that satisfy the statement."""
        bound = min(1.0, 3 / draws)
        if share <= 0:
            return cls(bound, None, "below", draws, standing)
        if share >= 1:
            return cls(1 - bound, None, "above", draws, standing)
        return cls(share, error, "estimate", draws, standing)

    @property
    def converged(self) -> bool:
        """Whether the run converged; True for exact sums."""
        return self.standing == "converged"

    def __str__(self) -> str:
        if self.kind == "exact":
            return f"{self.value:.4g} exact"
        bound = "" if self.kind == "estimate" else f"{self.kind} "
        if not self.converged:
            return f"{bound}{self.value:.4g}?"
        if bound:
            return f"{bound}{self.value:.4g}"
        known = self.error is not None and math.isfinite(self.error)
        return f"{self.value:.4g} +- {self.error:.2g}" if known else f"{self.value:.4g} +- ?"


@dataclass(frozen=True)
class Price:
    """What one statement costs.

    Attributes
    ----------
    statement, words : as the program says it, such as `first(age)`, `max_depth(3)` or
        `feature_weight(age, 3)`; and as a sentence.
    kind : `"constraint"`, `"support"`, `"group"` or `"feature_weight"`.
    prior, posterior : the probability that it is satisfied under the program with all other
        statements; None of a group or weight of features, and where it is not known.
    log_evidence_added : log evidence of the program with this statement alone, less that of the
        program without any, in nats; None where one of the two is not known.
    log_evidence_removed : log evidence of the program with all statements, less that of the program
        with all others, in nats; None where one of the two is not known.
    conditions : whether the program with all statements is that with all others, given that this
        one is satisfied; `log_evidence_removed` is then log `posterior` less log `prior`. False
        where the statement restricts what is drawn, and changes the weights of the trees left.
    standing_added, standing_removed : whether the two runs behind each difference converged: the
        worse of them.
    no_bayes_factor : why the differences are no log Bayes factors: a prior looks at the response;
        None where they are.
    engines : the engine of the program with `all` statements, `without` this one, with this one
        `alone`, and with `none`; without those that gave no answer.
    notes : what is not known, and why, with the code of the fault if it was one.
    """

    statement: str
    words: str
    kind: StatementKind
    prior: Chance | None
    posterior: Chance | None
    log_evidence_added: Estimate | None
    log_evidence_removed: Estimate | None
    conditions: bool
    standing_added: Standing
    standing_removed: Standing
    no_bayes_factor: str | None
    engines: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What the data say of it, beside all other statements."""
        told = self.log_evidence_removed
        if self.no_bayes_factor is not None:
            return "no Bayes factor"
        if told is None or math.isnan(told.value):
            return "not known"
        if self.standing_removed != "converged":
            return "not converged"
        if told.kind == "exact" and abs(told.value) < _ROUNDING and self._is_idle:
            return "changes nothing here"
        return _words(told)

    @property
    def _is_idle(self) -> bool:
        """Whether it is known that no tree breaks it. Of a weight or group it is not: beside a copy
        of its feature it leaves the evidence alone, and yet says which of the two trees use."""
        prior = self.prior
        return prior is not None and prior.kind == "exact" and prior.value > 1 - _ROUNDING

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON; None in place of infinity and NaN."""
        return {
            "statement": self.statement,
            "words": self.words,
            "kind": self.kind,
            **_of_chance("prior", self.prior),
            **_of_chance("posterior", self.posterior),
            **_of_gain("log_evidence_added", self.log_evidence_added, self.standing_added),
            **_of_gain("log_evidence_removed", self.log_evidence_removed, self.standing_removed),
            "conditions": self.conditions,
            "verdict": self.verdict,
            "no_bayes_factor": self.no_bayes_factor,
            "engines": dict(self.engines),
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Prices:
    """What each statement of a program costs on a table.

    Attributes
    ----------
    program, response, n_rows, seed : of the runs.
    log_evidence : of the program with all statements; None where it is not known.
    standing : whether the run of the whole program converged.
    statements : a `Price` for each constraint, limit of `support`, group and weight of features.
    """

    program: str
    response: str
    n_rows: int
    seed: int
    log_evidence: Estimate | None
    standing: Standing
    statements: tuple[Price, ...]

    @property
    def converged(self) -> bool:
        """Whether the run of the whole program converged; True for exact sums."""
        return self.standing == "converged"

    def __getitem__(self, statement: str) -> Price:
        """The price of the first statement with this text; KeyError if there is none."""
        return {price.statement: price for price in reversed(self.statements)}[statement]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON."""
        return {
            "program": self.program,
            "response": self.response,
            "n_rows": self.n_rows,
            "seed": self.seed,
            **with_kind("log_evidence", self.log_evidence),
            "converged": self.converged,
            "statements": [price.to_dict() for price in self.statements],
        }


def _words(told: Estimate) -> Verdict:
    """By a difference that is known, or estimated."""
    size, doubt = abs(told.value), 0.0 if told.kind == "exact" else 2 * told.error
    if size + doubt < _SOME:
        return "hardly anything"
    if math.isnan(doubt) or size <= doubt:
        return "within the error"
    if size < _SOME:
        return "hardly anything"
    if told.value > 0:
        return "strongly for it" if size >= _STRONG else "for it"
    return "strongly against it" if size >= _STRONG else "against it"


def _of_chance(name: str, told: Chance | None) -> dict[str, Any]:
    values: tuple[Any, ...] = (None,) * 5
    if told is not None:
        values = (told.value, told.error, told.kind, told.draws, told.converged)
    names = (name, *(f"{name}_{part}" for part in ("error", "kind", "draws", "converged")))
    return finite_values(dict(zip(names, values, strict=True)))


def _of_gain(name: str, told: Estimate | None, standing: Standing) -> dict[str, Any]:
    converged = None if told is None else standing == "converged"
    return {**with_kind(name, told), f"{name}_converged": converged}
