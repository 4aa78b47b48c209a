"""What goes together with `trees`, which makes the response a sum of trees."""

from __future__ import annotations

from slp.analysis.findings import Findings
from slp.constraints.prefer import without_preference
from slp.ir.program import CheckedProgram
from slp.leaves import leaf_class
from slp.messages import sums as words


def check_sums(program: CheckedProgram, findings: Findings) -> None:
    """Report what does not (E148)."""
    leaf, declared = program.leaf, program.sum_of
    of_sums = leaf is not None and leaf_class(leaf).of_sums
    if leaf is not None and declared is not None and not of_sums:
        findings.add(words.LEAF_NOT_OF_SUMS(leaf.span, model=leaf.model))
    if declared is None:
        if leaf is not None and of_sums and "trees" not in program.spans:
            findings.add(words.SUM_OF_NO_TREES(leaf.span, model=leaf.model))
        return
    if program.edits is not None:
        findings.add(words.SUM_OF_EDITS(declared.span))
    if program.failure == "backtrack":
        findings.add(words.SUM_BACKTRACKS(program.spans.get("failure", declared.span)))
    for box_leaf in program.leaves_of_boxes:
        findings.add(words.SUM_OF_LEAVES_IN_BOXES(box_leaf.span))
    for name, prior in program.unknown.items():
        mean = f"{prior.mean:.3g}"
        findings.add(words.SUM_OF_UNKNOWN(prior.span, name=name, mean=mean))
    for constraint in program.constraints:
        if without_preference(constraint).counts_classes:
            findings.add(words.SUM_UNDER_MAJORITY(constraint.span))
