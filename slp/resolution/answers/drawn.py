"""Draws of proofs for people, as plain data."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from slp.resolution.answers.found import DrawnProofs
from slp.resolution.answers.results import Bound, FiredClause, Value, fired_clause, value_of
from slp.terms import Term

#: A relative spread below this is one of rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class ProofDraw(Bound):
    """A proof that was drawn: a mapping from the goal's named variables to values. Draws with the
    same values are equal.

    `log_mass` is the log of the product of its labels; `log_probability` that of the proof's
    probability, None where the mass of all proofs is not known exactly. SWI-Prolog tells neither
    mass nor `clauses`, but in weighted draws. `weight` is its share of all draws.
    """

    log_mass: float | None
    log_probability: float | None
    weight: float
    path: Sequence[int] | None = field(repr=False)
    known: Sequence[FiredClause] = field(repr=False)

    __eq__ = Mapping.__eq__

    @property
    def clauses(self) -> tuple[FiredClause, ...] | None:
        """The labelled clauses used, in order."""
        return None if self.path is None else tuple(self.known[i] for i in self.path)

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON; `clauses` are numbers among those of all draws."""
        return {
            **self.bindings,
            "log_mass": self.log_mass,
            "log_probability": self.log_probability,
            "weight": self.weight,
            "clauses": None if self.path is None else [int(i) for i in self.path],
        }


class DrawnAnswer(NamedTuple):
    """An answer: its share of the draws by their weights, and the standard error of that, NaN where
    the draws tell none: where all agree, or have one beginning."""

    bindings: Mapping[str, Value]
    probability: float
    error: float


@dataclass(frozen=True)
class Draws(Sequence[Mapping[str, Value]]):
    """Draws of answers: a mapping from variables to values for each, a `ProofDraw` with its
    proof's mass, weight and clauses.

    Attributes
    ----------
    failure : what was asked for; `method` says how the draws were made: `tables` and `rejection`
        (independent, with the probabilities of the query), `backtracking` (independent, with
        others), `weighting` (independent, with weights) or `filter` (with weights, and not
        independent).
    tries : the draws begun, with those that failed.
    success : the mass of all proofs, exact of tables, otherwise an estimate, of which
        `log_success_error` is the standard error on the log scale (0 of tables), None where no
        draw fails and all weigh alike, which tells none. `log_success` is its natural logarithm.
        All are None of backtracking, and where no draw tells them.
    failed : the mass of failure, None where it is not known; an estimate of rejection.
    effective : how many independent draws without weights tell as much of the answers.
    clauses : the labelled clauses that the draws use.
    untabled : why tables did not draw, if they were asked in vain.
    interrupted : whether Ctrl-C ended the drawing; there are fewer draws then, as where a budget
        ended it.
    """

    answers: tuple[ProofDraw, ...]
    failure: str
    tries: int
    seed: int
    interrupted: bool
    method: str
    success: float | None
    log_success: float | None
    log_success_error: float | None
    failed: float | None
    effective: float
    clauses: tuple[FiredClause, ...]
    untabled: str | None
    origins: Sequence[int] = field(repr=False)

    @classmethod
    def of(cls, names: Sequence[str], found: DrawnProofs, failure: str, seed: int) -> Draws:
        """Draws as values, by the names of the goal's variables."""
        clauses = tuple(fired_clause(clause, label) for clause, label in found.fired)
        written: dict[int, Term] = {}  # by id: each term is written once
        for terms in found.answers:
            written.update(zip(map(id, terms), terms, strict=True))
        known = {i: value_of(term) for i, term in written.items()}
        values = [
            dict(zip(names, map(known.__getitem__, map(id, terms)), strict=True))
            for terms in found.answers
        ]
        n = len(found.answer_of)
        weights, log_total = _weights(found.log_weights, n)
        origins = range(n) if found.origins is None else found.origins
        effective = _effective(weights, origins)
        log_success = None if found.success is None else found.success.log
        draws = []
        for i, (a, weight) in enumerate(zip(found.answer_of, weights, strict=True)):
            mass = None if found.log_masses is None else found.log_masses[i]
            path = None if found.paths is None else found.paths[i]
            share = None if mass is None or log_success is None else mass - log_success
            draws.append(ProofDraw(values[a], mass, share, weight, path, clauses))
        error = None if found.success is None else 0.0
        failed = None if found.failure is None else float(found.failure)
        if found.success is None and found.method != "backtracking" and n:
            log_success = log_total - math.log(found.tries)
            spread = found.tries / effective - 1
            error = math.sqrt(spread / found.tries) if spread > _ROUNDING else None
            failed = 1 - math.exp(log_success) if found.method == "rejection" else None
        return cls(
            answers=tuple(draws),
            failure=failure,
            tries=found.tries,
            seed=seed,
            interrupted=found.interrupted,
            method=found.method,
            success=None if log_success is None else _exp(log_success),
            log_success=log_success,
            log_success_error=error,
            failed=failed,
            effective=effective,
            clauses=clauses,
            untabled=found.untabled,
            origins=origins,
        )

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # int or slice, as in a tuple
        return self.answers[index]

    def __len__(self) -> int:
        return len(self.answers)

    def frequencies(self) -> list[tuple[Mapping[str, Value], int]]:
        """The different answers and how often each was drawn, the most frequent first."""
        counts = Counter(tuple(a.items()) for a in self.answers)
        return [(dict(items), n) for items, n in counts.most_common()]

    def shares(self) -> list[DrawnAnswer]:
        """The different answers by decreasing share of the draws, which estimates their
        probabilities but by backtracking. The share of an answer without variables is known."""
        by_answer: dict[tuple[tuple[str, Value], ...], dict[int, float]] = {}
        by_origin: dict[int, float] = defaultdict(float)
        for draw, origin in zip(self.answers, self.origins, strict=True):
            own = by_answer.setdefault(tuple(draw.items()), defaultdict(float))
            own[origin] += draw.weight
            by_origin[origin] += draw.weight
        squares = math.fsum(w * w for w in by_origin.values())
        found = []
        for items, own in by_answer.items():
            p = math.fsum(own.values())
            # The sum over origins of (own - p all)^2, of which most have no part in the answer.
            inside = math.fsum((w - p * by_origin[o]) ** 2 for o, w in own.items())
            outside = squares - math.fsum(by_origin[o] ** 2 for o in own)
            error = math.sqrt(inside + p * p * max(outside, 0.0))
            if error <= _ROUNDING * p:
                error = math.nan if items else 0.0
            found.append(DrawnAnswer(dict(items), p, error))
        return sorted(found, key=lambda answer: -answer.probability)

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON."""
        return {
            "answers": [
                {
                    **a.bindings,
                    "probability": a.probability,
                    "error": None if math.isnan(a.error) else a.error,
                }
                for a in self.shares()
            ],
            "success": self.success,
            "log_success": self.log_success,
            "log_success_error": self.log_success_error,
            "failure": self.failed,
            "semantics": self.method,
            "effective": self.effective,
            "draws": [draw.to_dict() for draw in self.answers],
            "clauses": [clause.to_dict() for clause in self.clauses],
            "untabled": self.untabled,
            "tries": self.tries,
            "seed": self.seed,
        }


def _weights(log_weights: Sequence[float] | None, n: int) -> tuple[list[float], float]:
    """Weights that sum to 1, and the log of their sum before: of draws without weights, of n
    ones."""
    if log_weights is None or not n:
        return [1 / n] * n if n else [], math.log(n) if n else -math.inf
    largest = max(log_weights)
    relative = [math.exp(w - largest) for w in log_weights]
    whole = math.fsum(relative)
    return [w / whole for w in relative], largest + math.log(whole)


def _effective(weights: Sequence[float], origins: Sequence[int]) -> float:
    """1 / sum of W^2, with W the weights of all draws of one origin, which sum to 1."""
    by_origin: dict[int, float] = defaultdict(float)
    for origin, weight in zip(origins, weights, strict=True):
        by_origin[origin] += weight
    squares = math.fsum(w * w for w in by_origin.values())
    return 1 / squares if squares else 0.0


def _exp(log: float) -> float:
    try:
        return math.exp(log)
    except OverflowError:
        return math.inf
