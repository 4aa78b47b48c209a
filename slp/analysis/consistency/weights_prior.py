"""What a prior of feature weights does not go with (E149)."""

from __future__ import annotations

from collections.abc import Iterator

from slp.analysis.findings import Findings
from slp.ir.program import CheckedProgram, Measure
from slp.ir.weights_prior import LEAST_CONCENTRATION, MOST_CONCENTRATION
from slp.messages import unknown_weights as words

#: Measures that draw a feature by its weight among those that can split a box, so that the
#: probabilities of splits sum to 1 under any weights.
_DRAWING: tuple[Measure, ...] = ("feature_then_cut", "gap")


def check_weights_prior(program: CheckedProgram, findings: Findings) -> None:
    """Find what does not go with the prior of feature weights, where a program has one."""
    prior = program.weights_prior
    if prior is None:
        return
    least, most = LEAST_CONCENTRATION, MOST_CONCENTRATION
    if not prior.divided and not least <= prior.a <= most:
        findings.add(words.NO_CONCENTRATION_OF_WEIGHTS(prior.span, least=least, most=most))
    for name in program.feature_weights:
        span = program.spans.get(f"feature_weight:{name}")
        findings.add(words.WEIGHT_BESIDE_PRIOR(span, name=name))
    for name in list(program.unknown)[:1]:
        findings.add(words.PARAMETER_BESIDE_WEIGHTS(prior.span, name=name))
    for what in _not_taking(program):
        findings.add(words.WEIGHTS_PRIOR_OF(prior.span, what=what))


def _not_taking(program: CheckedProgram) -> Iterator[str]:
    if program.edits is not None:
        yield "`edittree`"
    elif not program.rules:
        yield "a program without tree rules"
    if program.failure == "backtrack":
        yield "`failure(backtrack)`"
    if program.sum_of is not None:
        yield "a sum of trees"
    if program.weights:
        yield "`:- weights.`"
    for measure in sorted(program.measures - {*_DRAWING}):
        yield f"the measure `{measure}`"
