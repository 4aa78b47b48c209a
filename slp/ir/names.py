"""The features and classes that a program names, and those of them that a table lacks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from slp.errors import Diagnostic
from slp.ir import program as ir
from slp.messages import on_table as words
from slp.messages.names import name_help
from slp.source import SourceSpan
from slp.terms import Atom


def named_features(program: ir.CheckedProgram) -> Iterator[tuple[str, SourceSpan | None]]:
    """Every feature that a program splits on, bounds, weighs or constrains, with its place."""
    for constraint in program.constraints:
        yield from constraint.named_features()
    for cost in program.costs:
        yield cost.feature, cost.span
    for box in program.boxes.values():
        for name in box.bounds:
            yield name, box.span
    if program.leaf is not None:
        for name in program.leaf.columns:
            yield name, program.leaf.span
    for definition in program.definitions:
        yield definition.name, definition.span
    for group in program.groups.values():
        yield from group.spans.items()
    for name in program.feature_weights:
        yield name, program.spans.get(f"feature_weight:{name}")
    for rule in program.rules:
        if isinstance(rule.body, ir.SplitBody) and isinstance(rule.body.feature, Atom):
            yield rule.body.feature.name, rule.body.feature.span or rule.span


def unknown_features(
    program: ir.CheckedProgram, features: Collection[str], response: str | None
) -> Iterator[Diagnostic]:
    """Errors for the features that a program names and a table lacks (E150).

    `features` are those of the table. `response` is its response, None if it is unknown. Columns
    to which the program gives another role have a finding of their own (E143).
    """
    apart = {program.response, program.event, program.exposure, program.row_weight}
    apart |= {*program.ignored}
    named = [(name, span) for name, span in named_features(program) if name not in apart]
    declared = [(f.name, f.span) for f in program.features if f.name not in (None, response)]
    for name, span in (*named, *((n, s) for n, s in declared if n is not None)):
        if name in features:
            continue
        if name == response:
            yield words.RESPONSE_AS_FEATURE(span, name=name)
        elif name in program.ignored:
            yield words.IGNORED_AS_FEATURE(span, name=name)
        else:
            help = name_help(name, features, "feature")
            yield words.NO_SUCH_FEATURE(span, name=name, help=help)


def unknown_classes(
    program: ir.CheckedProgram,
    classes: Collection[str],
    response: str,
    named: Iterable[tuple[str, str, SourceSpan | None]] = (),
) -> Iterator[Diagnostic]:
    """Errors for the classes that constraints and losses name and the response lacks (E151).

    `classes` are the texts of the response's classes, empty for numbers. `named` has more classes:
    for each the goal that names it, the class and its place.
    """
    of_constraints = [found for c in program.constraints for found in c.named_classes()]
    of_losses = [("loss", name, x.span) for x in program.losses for name in (x.truth, x.said)]
    for goal, outcome, span in (*of_constraints, *of_losses, *named):
        if not classes:
            yield words.NO_CLASSES(span, goal=goal, response=response)
        elif outcome not in classes:
            help = name_help(outcome, classes, "class")
            yield words.NO_CLASS(span, response=response, name=outcome, help=help)
