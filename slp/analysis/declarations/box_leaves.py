"""What is said of the leaves of boxes: `leaf(in(Box), Model)`, and the class probabilities of
`constant(Box, [Class = P, ...])`."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import Declared, code_text, name_of, span_of
from slp.analysis.sources.parameters import Values
from slp.errors import Related
from slp.ir.boxes import Box
from slp.ir.leaves import BoxLeaf, ClassShares, LeafDeclaration
from slp.leaves import MODELS, OF_CLASSES, SIGNATURES
from slp.messages import constraints as words
from slp.messages.names import name_help
from slp.source import SourceSpan
from slp.terms import Struct, Term, functor, list_items

if TYPE_CHECKING:
    from slp.ir.program import CheckedProgram

#: Class probabilities may sum to 1 but for the rounding of what people write.
_ROUNDING = 1e-9


def read_shares(
    term: Term, span: SourceSpan, values: Values, findings: Findings
) -> ClassShares | None:
    """The class probabilities in a list of `Class = Probability`; None, and findings, where they
    are malformed."""
    found: dict[str, float] = {}
    items = list_items(term)
    for item in items or ():
        if not isinstance(item, Struct) or functor(item) != ("=", 2):
            items = None
            break
        outcome = code_text(item.args[0], "a class", span, findings)
        value = values.number(item.args[1], "a class probability", span)
        if outcome is None or value is None:
            return None
        if not 0 < value <= 1:
            findings.add(words.SHARE_NOT_BETWEEN(span_of(item, span), outcome=outcome, value=value))
            return None
        if outcome in found:
            findings.add(words.SHARE_TWICE(span_of(item, span), outcome=outcome))
            return None
        found[outcome] = value
    if not items:
        findings.add(words.NO_SHARES(span_of(term, span)))
        return None
    total = math.fsum(found.values())
    if abs(total - 1) > _ROUNDING:
        findings.add(words.SHARES_DO_NOT_SUM(span_of(term, span), total=total))
        return None
    return ClassShares(tuple(sorted(found.items())), span)


def read_box_leaves(
    declared: Collection[Declared],
    boxes: Mapping[str, Box],
    malformed_boxes: Collection[str],
    read_model: Callable[[Declared], LeafDeclaration | None],
    findings: Findings,
) -> tuple[BoxLeaf, ...]:
    """What each `leaf(in(Box), Model)` says, those of the program itself before those of the files
    that it uses. Malformed ones give findings and are left out."""
    found = []
    for d in sorted(declared, key=lambda d: d.depth):
        where = d.args[0]
        if functor(where) != ("in", 1) or not isinstance(where, Struct):
            findings.add(words.NO_BOX_OF_LEAVES(span_of(where, d.span)))
            continue
        name = name_of(where.args[0], "a box", d.span, findings)
        model = read_model(Declared(d.args[1:], d.span, d.depth))
        if name is not None and name not in boxes and name not in malformed_boxes:
            help = name_help(name, boxes, "box") or f"declare it: box({name}, feature, 0, 10)."
            findings.add(words.NO_BOX(span_of(where, d.span), name=name, help=help))
        box = None if name is None else boxes.get(name)
        if box is not None and model is not None:
            found.append(BoxLeaf(box, model, span=d.span))
    return tuple(found)


def check_box_leaves(program: CheckedProgram, findings: Findings) -> None:
    """Find priors of boxes of another kind than that of the other leaves, those that never apply,
    and any beside edits."""
    if program.edits is not None and program.leaves_of_boxes:
        findings.add(words.LEAVES_OF_EDITS(program.leaves_of_boxes[0].span))
    for i, own in enumerate(program.box_leaves):
        _check_model(program, own, findings)
        for other in program.box_leaves[:i]:
            if own.box.lies_inside(other.box):
                related = [Related("before this", other.span)] if other.span is not None else []
                names = {"box": own.box.name, "other": other.box.name}
                findings.add(words.NEVER_APPLIES(own.span, related=related, **names))
                break


def _check_model(program: CheckedProgram, own: BoxLeaf, findings: Findings) -> None:
    prior, box = own.prior, own.box.name
    assert isinstance(prior, LeafDeclaration)
    kind = MODELS.get(prior.model)
    if kind is None or not kind.for_boxes:
        findings.add(words.NO_MODEL_OF_BOXES(own.span, model=prior.model))
        return
    usage = SIGNATURES[prior.model].written
    others = program.leaf
    if others is None and prior.model != OF_CLASSES.name:
        findings.add(
            words.NUMBERS_OF_OTHERS_MISSING(own.span, box=box, model=prior.model, usage=usage)
        )
    elif others is not None and others.model != prior.model:
        findings.add(
            words.OTHER_LEAF_MODEL(
                own.span, box=box, model=prior.model, other=others.model, usage=usage
            )
        )
