"""The result of learning: the program with other numbers, and the course of the iterations."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slp.errors import BudgetError
from slp.source import SourceFile, SourceSpan


@dataclass(frozen=True)
class Change:
    """A number that was learned.

    `kind` is `label`, `parameter` or `feature_weight`. `name` is the clause's head, or the name of
    the parameter or feature. `span` is the place of the label. `error` is the standard error of
    `after`, if it was asked for, and `why_no_error` the reason where there is none.
    """

    kind: str
    name: str
    before: float
    after: float
    span: SourceSpan | None = None
    error: float | None = None
    why_no_error: str | None = None


@dataclass(frozen=True)
class NotLearned:
    """What is not learned, and the `reason`. `name` is a predicate as `moves/2`, the head of one of
    its clauses, or a parameter."""

    name: str
    reason: str


@dataclass(frozen=True)
class Learned:
    """A program's text with the learned numbers.

    Attributes
    ----------
    file : the text; comments and layout are those of the program.
    changes : the numbers that were learned, in the order of the text.
    log_likelihoods : of the given program, and after each iteration; never decreasing.
    converged : whether the last iteration gained no more than the tolerance.
    method : `failure-adjusted maximisation`, or `inside-outside`.
    notes : cautions about the numbers.
    interrupted : whether Ctrl-C ended the iterations.
    not_learned : labels below the observed goals that stay as they are; without those that `only`
        leaves out.
    log_priors : log density of the labels under their Dirichlet priors, beside `log_likelihoods`;
        empty without such priors. With them, the sum of both never decreases.
    starts : the last log-likelihood plus log prior density from each start, the first from the
        given labels; empty if there is one start.
    """

    file: SourceFile
    changes: tuple[Change, ...]
    log_likelihoods: tuple[float, ...]
    converged: bool
    method: str
    notes: tuple[str, ...]
    interrupted: bool = False
    not_learned: tuple[NotLearned, ...] = ()
    log_priors: tuple[float, ...] = ()
    starts: tuple[float, ...] = ()

    def ended_by(self, cause: BudgetError | KeyboardInterrupt | None) -> Learned:
        """The same, with a note on what ended the iterations early; None: nothing did."""
        if cause is None:
            return self
        why = cause.diagnostics[0].message if isinstance(cause, BudgetError) else "interrupted"
        note = f"{why}: the numbers are those of the last iteration"
        stopped = isinstance(cause, KeyboardInterrupt)
        return replace(self, notes=(*self.notes, note), interrupted=stopped)
