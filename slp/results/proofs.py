"""`SampledProofs`: the distribution over the proofs of a goal by the draws of chains."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp import results
from slp.errors import UsageError
from slp.messages.results import NO_DRAWS_OF_PROOFS
from slp.resolution.derivations import Derivation, ProofSpace
from slp.resolution.goals import Bound, FiredClause, fired_clause, values_of
from slp.results.arviz import inference_data
from slp.results.diagnostics import Diagnostics, convergence_of, diagnostics_of, worst
from slp.runner import RunResult
from slp.runner.options import check_count
from slp.terms import Term

#: Answers whose shares are looked at for convergence, the most frequent ones.
_MOST_ANSWERS = 20


@dataclass(frozen=True)
class DrawnProof(Bound):
    """A proof drawn: a mapping from the goal's named variables to their values.

    `log_weight` is the log of its mass, the product of the labels (its log prior but for the mass
    of all proofs, log Z), `log_likelihood` that of its answer; `clauses` are the labelled clauses
    that were used, in order; `chain` is the chain that drew it.
    """

    log_weight: float
    log_likelihood: float
    clauses: tuple[FiredClause, ...]
    chain: int


@dataclass(frozen=True)
class SampledAnswer(Bound):
    """An answer: its share of the draws, and the Monte Carlo standard error of that."""

    probability: float
    error: float


class SampledProofs:
    """Draws of proofs, with the frequencies of their answers.

    Attributes
    ----------
    seed : of the chains.
    engine : what resolved goals, `python` or `prolog`.
    """

    def __init__(
        self, space: ProofSpace, names: Sequence[str], result: RunResult, seed: int, engine: str
    ) -> None:
        self._space, self._names, self._result = space, tuple(names), result
        self.seed, self.engine = seed, engine

    def __getstate__(self) -> dict[str, Any]:
        """To be pickled or copied: the proofs drawn with their clauses, without the steps, which
        hold what the program was prepared to, and without the engine."""
        clauses = self._clauses
        proofs = {choices: replace(proof, steps=()) for choices, proof in self._proofs.items()}
        return {**vars(self), "_space": None, "_clauses": clauses, "_proofs": proofs}

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before it had made all draws."""
        return self._result.interrupted

    @cached_property
    def draws(self) -> Sequence[DrawnProof]:
        """The draws, chain after chain."""
        out = []
        for c, records in enumerate(self._result.draws):
            out += [self._drawn(tuple(record), c) for record in records]
        return out

    def _drawn(self, choices: tuple[int, ...], chain: int) -> DrawnProof:
        proof = self._proofs[choices]
        return DrawnProof(
            values_of(self._names, proof.answer),
            proof.log_weight,
            proof.log_likelihood,
            self._clauses[choices],
            chain,
        )

    @cached_property
    def _proofs(self) -> dict[tuple[int, ...], Derivation]:
        """The distinct proofs drawn, by their choices."""
        keys = dict.fromkeys(tuple(r) for records in self._result.draws for r in records)
        return {choices: self._space.derivation_of(choices) for choices in keys}

    @cached_property
    def _clauses(self) -> dict[tuple[int, ...], tuple[FiredClause, ...]]:
        """The labelled clauses of each distinct proof."""
        return {choices: tuple(_fired(proof)) for choices, proof in self._proofs.items()}

    @cached_property
    def answers(self) -> tuple[SampledAnswer, ...]:
        """The different answers by decreasing share."""
        n = sum(len(chain) for chain in self._numbers)
        return tuple(
            SampledAnswer(values_of(self._names, terms), count / n, self._error(i))
            for i, (terms, count) in enumerate(self._counted)
        )

    def _error(self, i: int) -> float:
        return float(results.monte_carlo_errors(self._share_at_draws(i)[:, :, None])[0])

    def k_best(self, k: int) -> list[DrawnProof]:
        """The best of the proofs drawn, by mass times likelihood; better ones may not have been
        drawn. `chain` is the first that drew it."""
        check_count("k", k)
        first: dict[tuple[int, ...], int] = {}
        for c, records in enumerate(self._result.draws):
            for record in records:
                first.setdefault(tuple(record), c)
        proofs = self._proofs
        best = sorted(first, key=lambda c: -proofs[c].log_weight - proofs[c].log_likelihood)
        return [self._drawn(choices, first[choices]) for choices in best[:k]]

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """R-hat and effective draws of the log posterior and of the answers' shares (the worst of
        the 20 most frequent answers), and what became of proposals."""
        shares = map(self._share_at_draws, range(min(len(self._counted), _MOST_ANSWERS)))
        convergence = {
            "log_posterior": convergence_of(self._statistics["lp"]),
            "answers": worst([convergence_of(share) for share in shares]),
        }
        return diagnostics_of(
            convergence, self._result.tallies, [len(chain) for chain in self._result.draws]
        )

    def to_arviz(self) -> Any:
        """The draws as an `xarray.DataTree`, as ArviZ takes it.

        Group `posterior`, dimensions (chain, draw): `answer`, the number of the draw's answer among
        `answers` (from 0), and each variable of the goal that is a number in every draw. Group
        `sample_stats`: `lp`, the log posterior up to a constant, `log_weight` and
        `log_marginal_likelihood`. Chains are cut to the length of the shortest.
        """
        bindings = [values_of(self._names, terms) for terms, _ in self._counted]
        variables = {}
        for name in self._names:
            values = [found[name] for found in bindings]
            if not any(isinstance(value, str) for value in values):
                variables[name] = np.array(values, np.float64)[self._at_draws]
        return inference_data({"answer": self._at_draws, **variables}, self._statistics, {}, {})

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON."""
        return {
            "answers": [
                {**a, "probability": a.probability, "error": _finite(a.error)} for a in self.answers
            ],
            "semantics": "mh",
            "engine": self.engine,
            "draws": [
                {
                    **d,
                    "log_weight": d.log_weight,
                    "log_likelihood": d.log_likelihood,
                    "chain": d.chain,
                }
                for d in self.draws
            ],
            "diagnostics": self.diagnostics.to_dict(),
            "interrupted": self.interrupted,
            "seed": self.seed,
        }

    # --- draws as arrays -------------------------------------------------------------------------

    @cached_property
    def _counted(self) -> list[tuple[tuple[Term, ...], int]]:
        """The distinct answers and how often each was drawn, the most frequent first."""
        records = (tuple(record) for chain in self._result.draws for record in chain)
        counts = Counter(self._proofs[choices].answer for choices in records)
        if not counts:
            raise UsageError(NO_DRAWS_OF_PROOFS())
        return counts.most_common()

    @cached_property
    def _numbers(self) -> list[NDArray[np.int64]]:
        """The number of each draw's answer, for each chain."""
        number = {terms: i for i, (terms, _) in enumerate(self._counted)}
        answers = {choices: number[proof.answer] for choices, proof in self._proofs.items()}
        return [
            np.array([answers[tuple(record)] for record in chain], np.int64)
            for chain in self._result.draws
        ]

    @cached_property
    def _at_draws(self) -> NDArray[np.int64]:
        """The number of the answer at every draw, shape (M, T), chains cut to the shortest."""
        chains = [chain for chain in self._numbers if len(chain)]
        length = min(len(chain) for chain in chains)
        return np.stack([chain[:length] for chain in chains])

    def _share_at_draws(self, i: int) -> NDArray[np.float64]:
        """1 at every draw of answer i, else 0, shape (M, T)."""
        return np.asarray(self._at_draws == i, np.float64)

    @cached_property
    def _statistics(self) -> dict[str, NDArray[np.float64]]:
        length = min(len(records) for records in self._result.draws if records)
        chains = [c[:length] for c in self._result.draws if c]
        found = [[self._proofs[tuple(record)] for record in chain] for chain in chains]
        weight = np.array([[proof.log_weight for proof in chain] for chain in found])
        fit = np.array([[proof.log_likelihood for proof in chain] for chain in found])
        return {"lp": weight + fit, "log_weight": weight, "log_marginal_likelihood": fit}


def _fired(proof: Derivation) -> Iterator[FiredClause]:
    for step in proof.steps:
        clause, label, _, _ = step.alternative
        if clause is not None:
            yield fired_clause(clause, label)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
