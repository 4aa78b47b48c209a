"""Expectation-maximisation from one start or several (see `slp.learn.labels`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from slp.errors import BudgetError, SlpError
from slp.learn.label_values import Labels
from slp.learn.sample import Sample


@dataclass(eq=False)
class Course:
    """The iterations from one start: the labels after the last one, and the log-likelihood and the
    log prior density before the first and after each. `ended`: what ended them early."""

    labels: Labels
    log_likelihoods: list[float] = field(default_factory=list)
    log_priors: list[float] = field(default_factory=list)
    converged: bool = False
    ended: BudgetError | KeyboardInterrupt | None = None

    @property
    def log_posterior(self) -> float:
        """The sum of the last log-likelihood and the last log prior density; it never falls."""
        return self.log_likelihoods[-1] + self.log_priors[-1]


@dataclass(frozen=True, eq=False)
class Iterations:
    """Iterations on a sample. `failures`, `tolerance`, `most` and `progress` are those of
    `learn_labels`, where `most` is the number of iterations."""

    sample: Sample
    failures: bool
    tolerance: float
    most: int
    progress: Callable[[int, str], None] | None

    def first(self, labels: Labels) -> Course:
        """From the labels of the program. Goals tell how these are grouped."""
        return self._run(labels, groups=self.failures or labels.has_several_groupings, done=0)

    def others(self, first: Course, starts: int, seed: int) -> tuple[list[Course], list[str]]:
        """From labels drawn at random, and notes on starts that fail."""
        random = np.random.default_rng(seed)
        found: list[Course] = []
        notes = []
        done = len(first.log_likelihoods)
        for i in range(1, starts):
            labels = first.labels.drawn(random)
            try:
                course = self._run(labels, groups=False, done=done)
            except (BudgetError, KeyboardInterrupt) as e:
                first.ended = e
                break
            except SlpError as e:
                notes.append(f"start {i + 1} is left out: {e.diagnostics[0].message}")
                continue
            found.append(course)
            done += len(course.log_likelihoods)
            if course.ended is not None:
                first.ended = course.ended
                break
        return found, notes

    def _run(self, labels: Labels, *, groups: bool, done: int) -> Course:
        course = Course(labels)
        try:
            for i in range(self.most + 1):
                weighed = self.sample.weigh(labels)
                if groups and i == 0:
                    labels.group(self.sample.exits(labels), strict=self.failures)
                now, prior = weighed.log_likelihood, labels.log_prior
                least = self.tolerance * weighed.least_success
                if i > 0 and not now + prior > course.log_posterior + least:
                    course.converged = True
                    break
                course.labels = labels.copy()
                course.log_likelihoods.append(now)
                course.log_priors.append(prior)
                if self.progress is not None:
                    self.progress(done + i, "learning")
                if i < self.most:
                    labels.maximise(weighed.counts(labels))
        except (BudgetError, KeyboardInterrupt) as e:
            if not course.log_likelihoods:
                raise
            course.ended = e
        return course
