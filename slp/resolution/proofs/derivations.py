"""Proofs as sequences of choices, drawn from a program, and the distribution over them.

A proof is a path of runs (`slp.resolution.proofs.runs`), at each of which one alternative is taken.
With w the weight of an alternative (a clause's label) and Z the sum of w over the alternatives of
its run, the local process takes an alternative with probability

    q(alternative) = w(alternative) / Z(run),

so the mass of a proof divided by the probability of drawing it is the product of Z over its runs. Z
is 1 wherever the labels of the clauses that match sum to 1 and logical goals have one solution.

A run with several alternatives is a *choice point*. To *cut* at a choice point is to draw that
choice, and all later ones, anew from the local process. A later goal may depend on any earlier
choice through shared variables, so nothing behind the cut is kept. All choice points before it stay
unchanged.

A run without alternatives is a dead end: the derivation fails. So does one that needs more
inferences than the limits allow; as that is a property of the derivation alone, what is drawn then
is the distribution over proofs within the limits.

Reference: Angelopoulos & Cussens (2001), Markov chain Monte Carlo using tree-based priors on model
structure, UAI.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from slp.errors import Diagnostic
from slp.messages.proofs import TOO_MANY_INFERENCES
from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.query import canonical
from slp.resolution.proofs.runs import Alternative, Run, RunsOneByOne
from slp.runner.randomness import Randomness
from slp.terms import Term

#: Runs, and scores of answers, that are cached; beyond this number the cache is cleared.
_MOST_REMEMBERED = 100_000


class RunChoice(NamedTuple):
    """A run, and the number of the alternative taken."""

    run: Run[Any]
    taken: int

    @property
    def alternative(self) -> Alternative[Any]:
        """The alternative taken."""
        return self.run.alternatives[self.taken]


@dataclass(frozen=True, eq=False)
class SLDDerivation:
    """A proof of the goal.

    Attributes
    ----------
    steps : its runs, the last of which ends in the proof.
    points : positions among them of the choice points.
    answer : what it answers, a term for each named variable of the goal.
    log_weight : log of its mass, the product of the labels.
    log_excess : log of its mass over the probability of drawing it (the sum of log Z).
    log_likelihood : of its answer.
    """

    steps: tuple[RunChoice, ...]
    points: tuple[int, ...]
    answer: tuple[Term, ...]
    log_weight: float
    log_excess: float
    log_likelihood: float

    @property
    def n_points(self) -> int:
        """How many choice points it has."""
        return len(self.points)

    @cached_property
    def choices(self) -> list[int]:
        """The alternative at each choice point; `ProofSpace.derivation_of` rebuilds the
        derivation."""
        return [self.steps[i].taken for i in self.points]


class ProofSpace:
    """The distribution over proofs

        pi(x)  proportional to  mass(x) L(answer of x)

    and the local process (a `slp.engines.mcmc.proposals.Space`). Without a likelihood, pi is
    the program's distribution over proofs given success (log-linear semantics).

    Parameters
    ----------
    runs : opens runs; nothing else may use it.
    limits : of one derivation.
    log_likelihood : of an answer; -inf takes it out of the support.

    Attributes
    ----------
    stopped : a limit that some derivation reached; None if none did.
    """

    def __init__(
        self,
        runs: RunsOneByOne[Any, Any],
        limits: Limits,
        log_likelihood: Callable[[tuple[Term, ...]], float],
    ) -> None:
        self._runs, self._limits, self._log_likelihood = runs, limits, log_likelihood
        self._root: Run[Any] | None = None
        self._opened: dict[Hashable, Run[Any]] = {}
        # The run behind each alternative of a run, by the run's id, because comparing goals takes
        # longer. The run is kept, so that no other gets its id.
        self._behind: dict[tuple[int, int], tuple[Run[Any], Run[Any]]] = {}
        self._scores: dict[tuple[Term, ...], float] = {}
        self._lock = threading.Lock()  # `runs` opens one at a time
        self.stopped: Diagnostic | None = None

    # --- what proposals ask (`Space`) ------------------------------------------------------------

    def passes(self, derivation: SLDDerivation) -> bool:
        """Whether a proof is in the support."""
        return derivation.log_likelihood > -math.inf

    def agreed(self, derivation: SLDDerivation) -> bool:
        """True: there is no test after the likelihood."""
        return True

    def log_score(self, derivation: SLDDerivation) -> float:
        """log mass(x) + log L(x)."""
        return derivation.log_weight + derivation.log_likelihood

    def log_ratio(self, new: SLDDerivation, old: SLDDerivation) -> float:
        """log of [mass(new) / q(new)] L(new) / ([mass(old) / q(old)] L(old)).

        In it: likelihoods, and the sums Z of the runs. Not in it: labels, and the numbers of choice
        points. Common parts of the two derivations cancel.
        """
        likelihood = new.log_likelihood - old.log_likelihood
        return new.log_excess - old.log_excess + likelihood

    def redrawn(self, randomness: Randomness, old: SLDDerivation) -> SLDDerivation | None:
        """A proof drawn from the local process; None if it fails."""
        return self.grow(randomness)

    def cut(self, randomness: Randomness, old: SLDDerivation, k: int) -> SLDDerivation | None:
        """The proof cut at choice point k, from 0; None if what is drawn fails."""
        return self.grow(randomness, old.steps[: old.points[k]])

    # --- derivations -----------------------------------------------------------------------------

    def grow(self, randomness: Randomness, kept: Sequence[RunChoice] = ()) -> SLDDerivation | None:
        """Draw a proof that begins with the steps kept; None if it fails."""
        steps = list(kept)
        spent = sum(step.run.inferences for step in kept)
        while not steps or steps[-1].alternative.start is not None:
            run = self.run_behind(steps)
            spent += run.inferences
            if not run.alternatives or not self.allows(spent):
                return None
            steps.append(RunChoice(run, randomness.among(run.cumulative)))
        return self.finished(steps)

    def derivation_of(self, choices: Sequence[int]) -> SLDDerivation:
        """The proof that takes these alternatives at its choice points."""
        steps: list[RunChoice] = []
        left = iter(choices)
        while not steps or steps[-1].alternative.start is not None:
            run = self.run_behind(steps)
            steps.append(RunChoice(run, next(left) if len(run.alternatives) > 1 else 0))
        return self.finished(steps)

    def finished(self, steps: Sequence[RunChoice]) -> SLDDerivation:
        """The derivation of steps that end in a proof."""
        found = steps[-1].alternative.answer
        assert found is not None, "the last step is a proof"
        answer = canonical(found)
        return SLDDerivation(
            tuple(steps),
            tuple(i for i, step in enumerate(steps) if len(step.run.alternatives) > 1),
            answer,
            math.fsum(math.log(step.alternative.weight) for step in steps),
            math.fsum(step.run.log_total for step in steps),
            self._score(answer),
        )

    def allows(self, inferences: int) -> bool:
        """Whether a derivation may take this number of inferences; otherwise the limit is
        recorded."""
        if inferences <= self._limits.inferences:
            return True
        self.stopped = TOO_MANY_INFERENCES(limit=self._limits.inferences)
        return False

    def run_behind(self, steps: Sequence[RunChoice]) -> Run[Any]:
        """The run that steps lead to."""
        if not steps:
            if self._root is None:
                self._root = self._opened_anew(None)
            return self._root
        last = steps[-1]
        place = (id(last.run), last.taken)
        before, found = self._behind.get(place, (None, None))
        if found is None or before is not last.run:
            found = self._run_from(last.alternative.start)
            _remember(self._behind, place, (last.run, found))
        return found

    def _run_from(self, start: Any) -> Run[Any]:
        key = self._runs.key(start)
        found = self._opened.get(key)
        if found is None:
            found = self._opened_anew(start)
            _remember(self._opened, key, found)
        return found

    def _opened_anew(self, start: Any) -> Run[Any]:
        with self._lock:
            found = self._runs.open_run(start)
        self.stopped = found.stopped or self.stopped
        return found

    def _score(self, answer: tuple[Term, ...]) -> float:
        found = self._scores.get(answer)
        if found is None:
            found = self._log_likelihood(answer)
            _remember(self._scores, answer, found)
        return found


def _remember(memory: dict[Any, Any], key: Hashable, value: object) -> None:
    if len(memory) >= _MOST_REMEMBERED:
        memory.clear()
    memory[key] = value
