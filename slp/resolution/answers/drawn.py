"""Draws of proofs for people, as plain data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from slp.resolution.answers.found import DrawnProofs
from slp.resolution.answers.results import Bound, FiredClause, Value, fired_clause, values_of


@dataclass(frozen=True, eq=False)
class Draw(Bound):
    """A proof that was drawn: a mapping from the goal's named variables to values. Draws with the
    same values are equal.

    `log_mass` is the log of the product of its labels; `log_probability` that of the proof's
    probability, where the mass of all proofs is known. SWI-Prolog tells neither, nor `clauses`, the
    labelled clauses used, in order.
    """

    log_mass: float | None
    log_probability: float | None
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
            "clauses": None if self.path is None else [int(i) for i in self.path],
        }


@dataclass(frozen=True)
class Draws(Sequence[Mapping[str, Value]]):
    """Independent draws of answers: one mapping from variables to values for each, a `Draw`
    with its proof's mass and clauses.

    `method` says how they were made: `tables`, `rejection` or `backtracking`. `failure` names what
    was asked for. `tries` counts the draws begun, with those rejected. `success` and `failed` are
    the masses of all proofs and of failure, None where the method does not tell them; of rejection,
    estimates by the tries. `clauses` are the labelled clauses that the draws use. `untabled`: why
    tables did not draw, if they were asked in vain. `interrupted`: whether Ctrl-C ended the
    drawing; there are fewer draws then, as where a budget ended it.
    """

    answers: tuple[Draw, ...]
    failure: str
    tries: int
    seed: int
    interrupted: bool
    method: str
    success: float | None
    failed: float | None
    clauses: tuple[FiredClause, ...]
    untabled: str | None

    @classmethod
    def of(cls, names: Sequence[str], found: DrawnProofs, failure: str, seed: int) -> Draws:
        """Draws as values, by the names of the goal's variables."""
        clauses = tuple(fired_clause(clause, label) for clause, label in found.fired)
        values = [values_of(names, terms) for terms in found.answers]
        log_success = None if found.success is None else found.success.log
        draws = []
        for i, a in enumerate(found.answer_of):
            mass = None if found.log_masses is None else found.log_masses[i]
            path = None if found.paths is None else found.paths[i]
            share = None if mass is None or log_success is None else mass - log_success
            draws.append(Draw(values[a], mass, share, path, clauses))
        success = None if found.success is None else float(found.success)
        failed = None if found.failure is None else float(found.failure)
        if found.method == "rejection":
            success = len(draws) / max(found.tries, 1)
            failed = 1 - success
        return cls(
            tuple(draws),
            failure,
            found.tries,
            seed,
            found.interrupted,
            found.method,
            success,
            failed,
            clauses,
            found.untabled,
        )

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # int or slice, as in a tuple
        return self.answers[index]

    def __len__(self) -> int:
        return len(self.answers)

    def frequencies(self) -> list[tuple[Mapping[str, Value], int]]:
        """The different answers and how often each was drawn, the most frequent first."""
        counts = Counter(tuple(a.items()) for a in self.answers)
        return [(dict(items), n) for items, n in counts.most_common()]

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON; `probability` is a relative frequency, `error` its standard
        error."""
        n = max(len(self), 1)
        answers = [
            {**a, "probability": k / n, "error": math.sqrt(k / n * (1 - k / n) / n)}
            for a, k in self.frequencies()
        ]
        return {
            "answers": answers,
            "success": self.success,
            "failure": self.failed,
            "semantics": self.method,
            "draws": [draw.to_dict() for draw in self.answers],
            "clauses": [clause.to_dict() for clause in self.clauses],
            "untabled": self.untabled,
            "tries": self.tries,
            "seed": self.seed,
        }
