"""Split measures: whether they agree with labels, feature weights and groups of features."""

from __future__ import annotations

from collections.abc import Iterator

from slp.analysis.findings import Findings
from slp.errors import Related
from slp.ir.guards import features_in_guards
from slp.ir.program import COUNTING_MEASURES, FEATURE_MEASURES, CheckedProgram, SplitBody
from slp.messages import groups as words
from slp.messages.derivations import EVERY_SPLIT_COUNTS_1, WEIGHTS_WITHOUT_MEANING
from slp.messages.directives import DENSITY_OF_EDITS, DENSITY_OF_MEASURE
from slp.messages.names import atom, joined
from slp.source import SourceSpan
from slp.terms import Atom


def check_measures(program: CheckedProgram, findings: Findings) -> None:
    """Find measures that need `:- weights.`, feature weights and groups that none uses, and
    densities of thresholds that one does not take."""
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
        if program.groups and measure not in (*FEATURE_MEASURES, "per_feature"):
            here = related_group(program)
            findings.add(words.GROUPS_WITHOUT_MEANING(rule.span, related=here, measure=measure))
    _check_groups(program, findings)


def related_group(program: CheckedProgram) -> list[Related]:
    """The place of the first fact of a group."""
    spans = [span for group in program.groups.values() for span in group.spans.values()]
    return [Related("features are in groups here", span) for span in spans[:1]]


def _check_groups(program: CheckedProgram, findings: Findings) -> None:
    """Find groups where one feature is needed, and feature weights without effect."""
    own = {f: group for group in program.groups.values() for f in group.features}
    for name, weight in program.feature_weights.items():
        span = program.spans.get(f"feature_weight:{name}")
        if name in program.groups:
            continue
        if program.groups and weight != 1 and (name not in own or len(own[name].features) == 1):
            findings.add(words.WEIGHT_ALONE(span, feature=name))
    for name, span, what in _one_feature_each(program):
        if name in program.groups:
            features = joined(map(atom, program.groups[name].features), "or")
            findings.add(words.GROUP_FOR_FEATURE(span, name=name, what=what, features=features))


def _one_feature_each(program: CheckedProgram) -> Iterator[tuple[str, SourceSpan | None, str]]:
    """The names that stand for one feature: each with its place and what takes it."""
    for name in program.feature_weights:
        yield name, program.spans.get(f"feature_weight:{name}"), "`feature_weight`"
    for cost in program.costs:
        yield cost.feature, cost.span, "`cost`"
    for box in program.boxes.values():
        for name in box.bounds:
            yield name, box.span, "a box"
    for declared in program.features:
        if declared.name is not None:
            what = "`feature`" if declared.density is None else "`thresholds`"
            yield declared.name, declared.span, what
    for rule in program.rules:
        if isinstance(rule.body, SplitBody) and isinstance(rule.body.feature, Atom):
            yield rule.body.feature.name, rule.body.feature.span or rule.span, "`split`"
    for name, span in features_in_guards(program):
        yield name, span, "a comparison of a split's feature"
    for name in program.ignored:
        yield name, program.spans.get(f"ignore:{name}"), "`ignore`"
