"""Split measures: whether they agree with labels and with feature weights."""

from __future__ import annotations

from slp.analysis.findings import Findings
from slp.errors import Related
from slp.ir.program import COUNTING_MEASURES, FEATURE_MEASURES, CheckedProgram, SplitBody
from slp.messages.derivations import EVERY_SPLIT_COUNTS_1, WEIGHTS_WITHOUT_MEANING
from slp.messages.directives import DENSITY_OF_EDITS, DENSITY_OF_MEASURE


def check_measures(program: CheckedProgram, findings: Findings) -> None:
    """Find measures that need `:- weights.`, feature weights that no measure uses, and densities of
    thresholds that one does not take."""
    weighted = next(iter(program.feature_weights), None)
    densities = [f for f in program.features if f.density is not None]
    if densities and program.edits is not None:
        findings.add(DENSITY_OF_EDITS(densities[0].span))
    for rule in program.rules:
        if not isinstance(rule.body, SplitBody):
            continue
        measure = rule.body.measure
        if measure in COUNTING_MEASURES and not program.weights:
            findings.add(EVERY_SPLIT_COUNTS_1(rule.span, measure=measure))
        if densities and measure not in (*FEATURE_MEASURES, "per_feature"):
            here = [Related("a density is here", f.span) for f in densities if f.span is not None]
            findings.add(DENSITY_OF_MEASURE(rule.span, related=here, measure=measure))
        if weighted is not None and measure not in FEATURE_MEASURES:
            span = program.spans.get(f"feature_weight:{weighted}")
            here = [Related("a feature has a weight here", span)] if span else []
            findings.add(WEIGHTS_WITHOUT_MEANING(rule.span, related=here, measure=measure))
