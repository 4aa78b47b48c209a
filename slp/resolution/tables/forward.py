"""Draws of proofs in the core by the program itself, for programs that it can run.

Each stochastic goal draws one of the clauses that match, and a try that fails is thrown away: what
`slp.resolution.proofs.draws` does by rejection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine import faults
from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.best_first import check_budgets
from slp.resolution.proofs.query import Query, canonical
from slp.resolution.tables.encoder import STEPS_OF_AN_INFERENCE, EncodedQuery, steps_of
from slp.terms import Term, list_term, variables

#: Steps of the core after which draws end before the next one: less than a second.
_AT_ONCE = 3_000_000

_DONE, _AT_LIMIT, _SEVERAL, _ABOVE_ONE = range(4)


@dataclass(frozen=True, eq=False)
class CoreDraws:
    """Draws: their answers, and the numbers of the labelled clauses used, int32, draw after draw:
    those of draw i stand from `first[i]` to `first[i + 1]`, int64."""

    answers: Sequence[tuple[Term, ...]]
    first: NDArray[np.int64]
    used: NDArray[np.int32]


@dataclass
class ForwardSampler:
    """Draws of a query. `limits` are those of one draw, all its tries together. `tries` counts the
    draws begun, rejected ones included, and `inferences` what all of them took."""

    query: Query
    encoded: EncodedQuery
    limits: Limits
    tries: int = field(default=0, init=False)
    inferences: float = field(default=0.0, init=False)

    @property
    def clauses(self) -> Sequence[ir.LogicClause]:
        """The labelled clauses, by their numbers."""
        return self.encoded.encoder.clauses

    @property
    def labels(self) -> Sequence[float]:
        """Their labels."""
        return self.encoded.encoder.labels

    def draw_many(self, n: int, seeds: NDArray[np.uint64]) -> CoreDraws:
        """Up to `n` draws, fewer where they are long. `seeds`, uint64, shape (4,), decide them.

        Raises
        ------
        ProgramError
            As `slp.resolution.proofs.draws.Sampler.draw`. The budgets that are held are kept.
        """
        ended, values, first, used, rejected, spent, functor, total = self._drawn(
            n, seeds, _AT_ONCE
        )
        span, limit = self.query.goal.span, self.limits.inferences
        if ended == _AT_LIMIT:
            # A draw that takes more than all before it may be endless: its own message fits.
            if spent > steps_of(self.limits) // 2:
                raise faults.all_draws_rejected(limit, rejected, span)
            raise faults.too_many_inferences(limit, span)
        if ended == _SEVERAL:
            raise faults.several_proofs(span)
        if ended == _ABOVE_ONE:
            name, arity = self.encoded.encoder.name(functor)
            raise faults.large_sum(name, arity, total, span)
        return CoreDraws(self._answers(values), first, used)

    def accepted(self, n: int, seeds: NDArray[np.uint64]) -> int | None:
        """How many of up to `n` draws were accepted within the limits, for all together; None where
        one is at fault."""
        ended, values, *_ = self._drawn(n, seeds, steps_of(self.limits))
        return len(values) if ended in (_DONE, _AT_LIMIT) else None

    def _drawn(self, n: int, seeds: NDArray[np.uint64], most: int) -> list[Any]:
        asked, limit = self.encoded, steps_of(self.limits)
        drawn: Sequence[Any] = asked.encoder.program.draw(
            asked.goals, asked.answer, asked.variables, n, limit, most, seeds, _go_on
        )
        ended, values, first, used, tries, inferences, *lost = drawn
        self.tries += tries
        self.inferences += inferences / STEPS_OF_AN_INFERENCE
        return [ended, values, first, used, *lost]

    def _answers(self, values: NDArray[np.int32]) -> Sequence[tuple[Term, ...]]:
        decode = self.encoded.encoder.decode
        terms = {number: decode(number) for number in np.unique(values).tolist()}
        answers = [tuple([terms[number] for number in row]) for row in values.tolist()]
        if all(next(iter(variables(term)), None) is None for term in terms.values()):
            return answers
        return [canonical(list_term(answer)) for answer in answers]


def _go_on(*_: Any) -> bool:
    check_budgets()
    return True
