"""Split measures: whether they go with labels that are probabilities, and with feature weights."""

from __future__ import annotations

from slp.analysis.findings import Findings
from slp.errors import Related
from slp.ir.program import COUNTING_MEASURES, FEATURE_MEASURES, Program, SplitBody

__all__ = ["check_measures"]


def check_measures(program: Program, findings: Findings) -> None:
    """Find measures that need `:- weights.`, and feature weights where no feature is drawn."""
    weighted = next(iter(program.feature_weights), None)
    for rule in program.rules:
        if not isinstance(rule.body, SplitBody):
            continue
        measure = rule.body.measure
        if measure in COUNTING_MEASURES and not program.weights:
            findings.warning(
                "W105",
                f"under `{measure}` every split counts 1, so the probabilities of a choice do not "
                "sum to 1",
                rule.span,
                help="the prior is normalised over whole trees; say so with `:- weights.`",
            )
        if weighted is not None and measure not in FEATURE_MEASURES:
            span = program.spans.get(f"feature_weight:{weighted}")
            findings.error(
                "E124",
                f"feature weights have no meaning under the measure `{measure}`",
                rule.span,
                help="use `feature_then_cut` or `gap`, which draw the feature first",
                related=[Related("a feature has a weight here", span)] if span else [],
            )
