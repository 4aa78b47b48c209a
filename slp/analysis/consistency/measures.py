"""Split measures: whether they agree with labels and with feature weights."""

from __future__ import annotations

from slp.analysis.findings import Findings
from slp.errors import Related
from slp.ir.program import COUNTING_MEASURES, FEATURE_MEASURES, CheckedProgram, SplitBody
from slp.messages.derivations import EVERY_SPLIT_COUNTS_1, WEIGHTS_WITHOUT_MEANING


def check_measures(program: CheckedProgram, findings: Findings) -> None:
    """Find measures that need `:- weights.`, and feature weights that no measure uses."""
    weighted = next(iter(program.feature_weights), None)
    for rule in program.rules:
        if not isinstance(rule.body, SplitBody):
            continue
        measure = rule.body.measure
        if measure in COUNTING_MEASURES and not program.weights:
            findings.add(EVERY_SPLIT_COUNTS_1(rule.span, measure=measure))
        if weighted is not None and measure not in FEATURE_MEASURES:
            span = program.spans.get(f"feature_weight:{weighted}")
            here = [Related("a feature has a weight here", span)] if span else []
            findings.add(WEIGHTS_WITHOUT_MEANING(rule.span, related=here, measure=measure))
