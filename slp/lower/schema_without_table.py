"""A schema without a table: derived from the program alone, to check and explain it."""

from __future__ import annotations

from collections.abc import Iterator

from slp.ir import program as ir
from slp.ir.guards import features_in_guards
from slp.ir.schema import ANY_FEATURE, SOME_LEAVES, Schema
from slp.terms import Atom


def schema_of_program(program: ir.CheckedProgram) -> Schema:
    """The features that a program names, and `ANY_FEATURE` for all others; trees of up to 8 leaves.

    A feature declared categorical has one level, `ANY_FEATURE`, which stands for all.
    """
    categorical = {f.name for f in program.features if f.kind == "categorical"}
    named = [f for f in dict.fromkeys(_named(program)) if f not in program.ignored]
    levels = [(ANY_FEATURE,) if f in categorical else None for f in named]
    return Schema((*named, ANY_FEATURE), (*levels, None), SOME_LEAVES, from_table=False)


def _named(program: ir.CheckedProgram) -> Iterator[str]:
    """Features in the order in which the parts of a program name them, repeats included."""
    yield from (f.name for f in program.features if f.name is not None)
    yield from program.feature_weights
    for group in program.groups.values():
        yield from group.features
    for rule in program.rules:
        if isinstance(rule.body, ir.SplitBody) and isinstance(rule.body.feature, Atom):
            yield rule.body.feature.name
    yield from (name for name, _ in features_in_guards(program))
    for box in program.boxes.values():
        yield from box.bounds
    yield from (cost.feature for cost in program.costs)
    for constraint in program.constraints:
        yield from (name for name, _ in constraint.named_features())
