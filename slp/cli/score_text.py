"""Numbers of comparisons and cross-validation as text, and cells below each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from slp.results import Estimate, HeldOut, SurvivalScores


def in_columns(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Cells below each other, line after line."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True))
        yield "  ".join(cells).rstrip()


def number_text(told: Estimate | None, converged: bool) -> str:
    """A number with its error or the word exact; `?` for one that has not converged."""
    if told is None:
        return "-"
    if told.kind == "exact":
        return f"{told.value:.4f} exact"
    if told.kind == "found":
        return f"{told.value:.4f} found"
    return with_error(told.value, told.error) if converged else f"{told.value:.4f}?"


def score_text(value: float, error: float | None, score: HeldOut) -> str:
    """A score of held-out rows with its error; with `?` where the run of a fold has not
    converged."""
    return score_or_doubt(value, error, score.converged)


def score_or_doubt(value: float, error: float | None, usable: bool) -> str:
    return with_error(value, error) if usable else f"{value:.4f}?"


def with_error(value: float, error: float | None) -> str:
    known = error is not None and math.isfinite(error)
    return f"{value:.4f} +- {error:.4f}" if known else f"{value:.4f} +- ?"


def survival_texts(score: HeldOut) -> Iterator[str]:
    """The concordance and the integrated Brier score of durations; `-` where there is none."""
    told = score.survival
    pairs = []
    if told is not None:
        pairs = [(told.concordance, told.concordance_error), (told.brier, told.brier_error)]
    for value, error in pairs or [(None, None)] * 2:
        yield "-" if value is None else score_text(value, error, score)


def survival_words(told: SurvivalScores) -> Iterator[str]:
    """What these scores are."""
    yield (
        "concordance: Harrell's, of the pairs in a fold of which one surely lasted longer, the "
        f"share whose restricted means, up to {told.horizon:.6g}, say so; 0.5 is chance."
    )
    if told.times:
        yield (
            "Brier: the mean squared error of the predicted survival at a time, with weights for "
            "censoring (Kaplan-Meier of the other folds), averaged over the times from "
            f"{told.times[0]:.6g} to {told.times[-1]:.6g}; lower is better."
        )
