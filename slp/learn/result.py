"""The result of learning: the program with other numbers, and the course of the iterations."""

from __future__ import annotations

from dataclasses import dataclass

from slp.source import SourceFile, SourceSpan


@dataclass(frozen=True)
class Change:
    """A number that was learned.

    `kind` is `label`, `parameter` or `feature_weight`. `name` is the clause's head, or the name of
    the parameter or feature. `span` is the place of the label.
    """

    kind: str
    name: str
    before: float
    after: float
    span: SourceSpan | None = None


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
    """

    file: SourceFile
    changes: tuple[Change, ...]
    log_likelihoods: tuple[float, ...]
    converged: bool
    method: str
    notes: tuple[str, ...]
