"""Answers to queries for people: terms as numbers and Prolog text, proofs, as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from slp.errors import Diagnostic
from slp.ir import program as ir
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Number, Term

#: A number, or any other term as Prolog text.
Value: TypeAlias = int | float | str


@dataclass(frozen=True)
class Bound(Mapping[str, Value]):
    """A mapping from a goal's named variables to their values."""

    bindings: Mapping[str, Value]

    def __getitem__(self, name: str) -> Value:
        return self.bindings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.bindings)

    def __len__(self) -> int:
        return len(self.bindings)


@dataclass(frozen=True)
class Answer(Bound):
    """One answer: a mapping from the goal's named variables to values.

    `mass` is the sum of the weights of the proofs found. `probability` is `mass` divided by the
    mass of all proofs found. `lower` and `upper` bound the probability if the search was cut off;
    None if no bound is known. Free variables are called `_A`, `_B`, ... The fields `log_...` are
    natural logarithms, which also hold where a float underflows to 0 or is inf; -inf of 0.
    """

    probability: float
    log_probability: float
    mass: float
    log_mass: float
    lower: float | None
    log_lower: float | None
    upper: float | None
    log_upper: float | None


@dataclass(frozen=True)
class FiredClause:
    """A labelled clause that was used in a proof: its text and place, and its label's value."""

    text: str
    label: float
    span: SourceSpan | None

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON."""
        span = None if self.span is None else self.span.to_dict()
        return {"text": self.text, "label": self.label, "span": span}


@dataclass(frozen=True)
class Proof:
    """A proof: its answer, probability and mass with their natural logarithms, and the labelled
    clauses used, in order."""

    bindings: Mapping[str, Value]
    probability: float
    log_probability: float
    mass: float
    log_mass: float
    clauses: tuple[FiredClause, ...]


@dataclass(frozen=True)
class QueryResult:
    """Answers of a goal by decreasing probability, with bounds.

    Attributes
    ----------
    success : mass of all proofs found, a lower bound on the mass of all proofs.
    upper : an upper bound on the mass of all proofs; None if none is known (see
        `slp.resolution.proofs.search`).
    failure : mass that is known to fail; None where labels are weights, and where tables answered
        and a logical goal has several results.
    open : mass that was not searched.
    log_success, log_upper, log_failure, log_open : natural logarithms of these, which also hold
        where a float underflows to 0 or is inf; -inf of 0.
    complete : whether `open` is at most the tolerance times `success`.
    reason : why not, in words; None if complete.
    best : the most probable proofs, if asked for; `best_certified` if no other is as probable.
    notes : what a person must know to read success and failure, in sentences.
    failed : if nothing was proved, the deepest goals that failed, and the place at which a limit
        was reached.
    interrupted : whether Ctrl-C ended the search.
    unwritten : answers found that there was no time to write as text. They are counted in
        `success`, and are not among `answers`.
    """

    answers: tuple[Answer, ...]
    success: float
    log_success: float
    upper: float | None
    log_upper: float | None
    failure: float | None
    log_failure: float | None
    open: float
    log_open: float
    complete: bool
    reason: str | None
    best: tuple[Proof, ...]
    best_certified: bool
    failed: tuple[Diagnostic, ...]
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    unwritten: int = 0

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON. Logarithms of 0, and masses too large for a float, are None."""
        out: dict[str, object] = {
            "answers": [{**a.bindings, **_finite(a, "probability", "mass")} for a in self.answers],
            **_finite(self, "success", "failure", "open", "upper"),
            "complete": self.complete,
            "reason": self.reason,
            "interrupted": self.interrupted,
            "unwritten": self.unwritten,
            "notes": list(self.notes),
        }
        if not self.complete:
            out["probability_bounds"] = [_finite(a, "lower", "upper") for a in self.answers]
        if self.best:
            out["best"] = [_proof_to_dict(p) for p in self.best]
            out["best_certified"] = self.best_certified
        if self.failed:
            out["failed"] = [d.to_dict() for d in self.failed]
        return out


def _finite(told: object, *names: str) -> dict[str, float | None]:
    """The numbers of these names and their logarithms; None for what is not finite."""
    out = {}
    for name in (n for own in names for n in (own, f"log_{own}")):
        value = getattr(told, name)
        out[name] = value if value is not None and math.isfinite(value) else None
    return out


def _proof_to_dict(proof: Proof) -> dict[str, object]:
    return {
        **proof.bindings,
        **_finite(proof, "probability", "mass"),
        "clauses": [c.to_dict() for c in proof.clauses],
    }


def values_of(names: Sequence[str], terms: Sequence[Term]) -> dict[str, Value]:
    """An answer's terms by the names of its variables."""
    return {name: value_of(term) for name, term in zip(names, terms, strict=True)}


def value_of(term: Term) -> Value:
    """A number, or any other term as Prolog text."""
    if isinstance(term, Number) and (isinstance(term.value, int) or math.isfinite(term.value)):
        return term.value
    return term_to_text(term)


def fired_clause(clause: ir.LogicClause, label: float) -> FiredClause:
    """A clause that was used, as users see it."""
    text = term_to_text(clause.head) if clause.span is None else clause.span.text
    return FiredClause(text, label, clause.span)
