"""What predictions are for: what it costs to ask a feature, and to say the wrong class."""

from __future__ import annotations

from dataclasses import dataclass, field

from slp.source import SourceSpan


@dataclass(frozen=True)
class FeatureCost:
    """The declared cost of a feature, at least 0 and finite."""

    feature: str
    amount: float
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ClassLoss:
    """`:- loss(truth, said, amount).`: what it costs to say a class where another one is true, at
    least 0 and finite. The classes are texts (`slp.leaves.label_text`)."""

    truth: str
    said: str
    amount: float
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
