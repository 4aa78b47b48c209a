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

from slp.errors import UsageError
from slp.messages.results import NO_DRAWS_OF_PROOFS
from slp.resolution.answers.results import Bound, FiredClause, fired_clause, values_of
from slp.resolution.proofs.derivations import ProofSpace, SLDDerivation
from slp.results.arviz import inference_data
from slp.results.averages.weighted_draws import WeightedDraws, numbered
from slp.results.trust.diagnostics import Diagnostics, convergence_of, diagnostics_of
from slp.results.trust.judgement import worst
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
        clauses, proofs = self._clauses, [replace(proof, steps=()) for proof in self._proofs]
        return {**vars(self), "_space": None, "_clauses": clauses, "_proofs": proofs}

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before it had made all draws."""
        return self._result.interrupted

    @cached_property
    def draws(self) -> Sequence[DrawnProof]:
        """The draws, chain after chain."""
        chains = self._numbered[1]
        return [self._shown(u, c) for c, chain in enumerate(chains) for u in chain.tolist()]

    def _shown(self, u: int, chain: int) -> DrawnProof:
        proof = self._proofs[u]
        return DrawnProof(
            values_of(self._names, proof.answer),
            proof.log_weight,
            proof.log_likelihood,
            self._clauses[u],
            chain,
        )

    @cached_property
    def _drawn(self) -> WeightedDraws:
        """The draws as numbers of the distinct proofs."""
        if not any(self._result.draws):
            raise UsageError(NO_DRAWS_OF_PROOFS())
        return WeightedDraws(len(self._proofs), self._numbered[1])

    @cached_property
    def _numbered(self) -> tuple[list[tuple[int, ...]], list[NDArray[np.int64]]]:
        """The choices of each distinct proof, and the draws of each chain as their numbers."""
        return numbered([[tuple(r) for r in records] for records in self._result.draws])

    @cached_property
    def _proofs(self) -> list[SLDDerivation]:
        """The U distinct proofs drawn."""
        return [self._space.derivation_of(choices) for choices in self._numbered[0]]

    @cached_property
    def _clauses(self) -> list[tuple[FiredClause, ...]]:
        """The labelled clauses of each distinct proof."""
        return [tuple(_fired(proof)) for proof in self._proofs]

    @cached_property
    def answers(self) -> tuple[SampledAnswer, ...]:
        """The different answers by decreasing share."""
        drawn, gives = self._drawn, map(self._gives, range(len(self._answers)))
        return tuple(
            SampledAnswer(
                values_of(self._names, terms), float(drawn.mean(g)), float(drawn.error(g))
            )
            for terms, g in zip(self._answers, gives, strict=True)
        )

    def k_best(self, k: int) -> list[DrawnProof]:
        """The best of the proofs drawn, by mass times likelihood; better ones may not have been
        drawn. `chain` is the first that drew it."""
        check_count("k", k)
        first: dict[int, int] = {}
        for c, chain in enumerate(self._numbered[1]):
            for u in chain.tolist():
                first.setdefault(u, c)
        proofs = self._proofs
        best = sorted(first, key=lambda u: -proofs[u].log_weight - proofs[u].log_likelihood)
        return [self._shown(u, first[u]) for u in best[:k]]

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """R-hat and effective draws of the log posterior and of the answers' shares (the worst of
        the 20 most frequent answers), and what became of proposals."""
        gives = map(self._gives, range(min(len(self._answers), _MOST_ANSWERS)))
        convergence = {
            "log_posterior": convergence_of(self._statistics["lp"]),
            "answers": worst([convergence_of(self._drawn.by_chain(g)) for g in gives]),
        }
        return diagnostics_of(convergence, self._result.tallies, list(map(len, self._drawn.chains)))

    def to_arviz(self) -> Any:
        """The draws as an `xarray.DataTree`, as ArviZ takes it.

        Group `posterior`, dimensions (chain, draw): `answer`, the number of the draw's answer among
        `answers` (from 0), and each variable of the goal that is a number in every draw. Group
        `sample_stats`: `lp`, the log posterior up to a constant, `log_weight` and
        `log_marginal_likelihood`. Chains are cut to the length of the shortest.
        """
        bindings = [values_of(self._names, terms) for terms in self._answers]
        at_draws = self._drawn.by_chain(self._answer_of)
        variables = {}
        for name in self._names:
            values = [found[name] for found in bindings]
            if not any(isinstance(value, str) for value in values):
                variables[name] = np.array(values, np.float64)[at_draws]
        return inference_data(
            {"posterior": {"answer": at_draws, **variables}, "sample_stats": self._statistics},
            {},
            {},
        )

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
    def _answers(self) -> list[tuple[Term, ...]]:
        """The A distinct answers, the most frequent first."""
        chains = self._drawn.chains
        counts = Counter(self._proofs[u].answer for chain in chains for u in chain.tolist())
        return [terms for terms, _ in counts.most_common()]

    @cached_property
    def _answer_of(self) -> NDArray[np.int64]:
        """The number of the answer of each distinct proof, shape (U,)."""
        number = {terms: i for i, terms in enumerate(self._answers)}
        return np.array([number[proof.answer] for proof in self._proofs], np.int64)

    def _gives(self, i: int) -> NDArray[np.float64]:
        """1 where a distinct proof has answer i, else 0, shape (U,)."""
        return np.asarray(self._answer_of == i, np.float64)

    @cached_property
    def _statistics(self) -> dict[str, NDArray[np.float64]]:
        """At every draw, shape (M, T), chains cut to the shortest."""
        pairs = np.array([(p.log_weight, p.log_likelihood) for p in self._proofs])
        weight, fit = np.moveaxis(self._drawn.by_chain(pairs), -1, 0)
        return {"lp": weight + fit, "log_weight": weight, "log_marginal_likelihood": fit}


def _fired(proof: SLDDerivation) -> Iterator[FiredClause]:
    for step in proof.steps:
        clause, label, _, _ = step.alternative
        if clause is not None:
            yield fired_clause(clause, label)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
