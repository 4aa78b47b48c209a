"""The checker: from a program's syntax tree to a `CheckedProgram`, or to all mistakes.

    items of all files -> directives -> parameters -> declarations, boxes, constraints
                       -> clauses -> references -> states and labels

Each step reports its findings and leaves out what is malformed. The states are explored only if
everything before is sound; otherwise the same mistakes would give further findings. The labels of a
stochastic predicate are summed if all of its clauses are sound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from types import MappingProxyType

from slp.analysis.clauses.predicates import Clauses, sort_clauses
from slp.analysis.clauses.references import check_references
from slp.analysis.consistency.columns import check_columns, check_defined
from slp.analysis.consistency.contradictions import check_constraints
from slp.analysis.consistency.measures import check_measures
from slp.analysis.consistency.misplaced import find_misplaced
from slp.analysis.consistency.preferences import check_preferences
from slp.analysis.consistency.shared_columns import check_monotone
from slp.analysis.consistency.sums import check_sums
from slp.analysis.consistency.unknown import check_at_values, check_unknown
from slp.analysis.consistency.unused import find_unused
from slp.analysis.consistency.weights_prior import check_weights_prior
from slp.analysis.declarations.box_leaves import check_box_leaves, read_box_leaves
from slp.analysis.declarations.boxes import box_names, read_boxes
from slp.analysis.declarations.constraints import read_constraints
from slp.analysis.declarations.groups import read_groups
from slp.analysis.declarations.hierarchies import read_hierarchies
from slp.analysis.declarations.typed import read_declarations, read_leaf_model
from slp.analysis.derivations.enclosed import find_enclosed
from slp.analysis.derivations.endless import find_endless, find_left_recursion
from slp.analysis.derivations.existence import always_splits, check_derivations
from slp.analysis.derivations.labels import (
    check_clause_sums,
    check_constant_labels,
    check_label_sums,
)
from slp.analysis.derivations.row_labels import SOME_ROWS, check_rows_of_rules, check_sums_by_rows
from slp.analysis.derivations.states import StateSpace, explore
from slp.analysis.findings import Findings
from slp.analysis.sources.directives import Directives, collect_directives
from slp.analysis.sources.edits import check_edits, read_edits
from slp.analysis.sources.files import read_everything
from slp.analysis.sources.parameters import Values, read_parameters
from slp.columns.formula import made_by
from slp.ir.program import CheckedProgram
from slp.messages.derivations import NO_START_DECLARED
from slp.resolution import StateRules
from slp.source import SourceSpan
from slp.syntax.ast import SourceProgram
from slp.terms import Term
from slp.trees import Tree

_NO_PARAMETERS: Mapping[str, float] = MappingProxyType({})


def check_program(
    source: SourceProgram,
    parameters: Mapping[str, float] = _NO_PARAMETERS,
    tree: Tree | None = None,
) -> CheckedProgram:
    """Check a program and all files that it uses.

    `parameters` replace the values that the program and its files give. `tree` replaces the tree
    that the program gives to `edittree`. Warnings are in the program's `warnings`.

    Raises
    ------
    ProgramError
        With all mistakes found, in order of place, and the warnings among them.
    """
    program, _, findings = read_program(source, parameters, tree)
    findings.raise_errors()
    return program


def read_program(
    source: SourceProgram,
    parameters: Mapping[str, float] = _NO_PARAMETERS,
    tree: Tree | None = None,
) -> tuple[CheckedProgram, StateRules | None, Findings]:
    """Read a program as far as possible: with the states that were evaluated, None if it is not
    sound, and all findings.

    Arguments are those of `check_program`. Malformed parts are left out of the program.
    """
    findings = Findings()
    read = read_everything(source, findings)
    items, uses = read.items, read.uses
    directives = collect_directives(items, findings)
    resolved, unknown = read_parameters(directives, uses, parameters, findings)
    values = Values(resolved, findings)
    said = read_declarations(directives, values, findings)
    clauses = sort_clauses(items, findings)
    orders = {f.name: f.levels for f in said.features if f.name and f.levels}
    boxes = read_boxes(clauses.boxes, values, findings, orders)
    malformed = box_names(clauses.boxes) - boxes.keys()
    groups, made = read_groups(clauses.groups, findings), made_by(said.definitions)
    constraints = read_constraints(
        directives, boxes, malformed, groups, said.costs, made, values, findings
    )
    box_leaves = read_box_leaves(
        directives.box_leaves,
        boxes,
        malformed,
        partial(read_leaf_model, values=values, findings=findings),
        findings,
    )
    if said.sum_of is not None and read.assumed:
        said.sum_of = replace(said.sum_of, assumed=True)
    edits = read_edits(read.edit_uses, resolved, tree, findings)
    program = CheckedProgram(
        name=PurePath(source.file.name).stem,
        start=_start(directives, clauses, findings),
        rules=tuple(clauses.rules),
        clauses=tuple(clauses.logic),
        parameters=resolved,
        unknown=unknown,
        boxes=boxes,
        groups=groups,
        is_a=read_hierarchies(clauses.hierarchies, findings),
        constraints=constraints,
        box_leaves=box_leaves,
        edits=edits,
        files=read.files,
        **vars(said),
    )
    check_references(program, clauses, findings)
    check_unknown(program, items, findings)
    check_rows_of_rules(program, clauses.logical | clauses.stochastic, findings)
    check_constant_labels(program, findings)
    states = None if findings.has_errors else StateRules(program)
    check_clause_sums(program, items, findings)
    never_a_leaf = False
    if states is not None:
        settings = {o.name: o.span for use in uses for o in use.overrides}
        space = _check_states(program, states, settings, findings)
        never_a_leaf = always_splits(program, states, space)
        check_at_values(program, findings)
    check_columns(program, findings)
    check_defined(program, findings)
    check_monotone(program, made, findings)
    check_measures(program, findings)
    check_weights_prior(program, findings)
    check_edits(program, findings)
    check_sums(program, findings)
    check_constraints(constraints, said.support, never_a_leaf, findings)
    check_preferences(program, findings)
    check_box_leaves(program, findings)
    if not findings.has_errors:
        find_unused(program, items, uses, source.file, findings)
        find_misplaced(program, source.file, findings)
        find_endless(program, findings)
        find_left_recursion(program, findings)
        find_enclosed(program, findings)
    return replace(program, warnings=findings.warnings()), states, findings


def _check_states(
    program: CheckedProgram,
    states: StateRules,
    settings: Mapping[str, SourceSpan],
    findings: Findings,
) -> StateSpace:
    """Check labels and derivations in the states that the start reaches, which it returns."""
    database = states.database
    space = explore(program, states, findings, settings)
    check_label_sums(program, database, space, findings)
    check_sums_by_rows(program, database, space, SOME_ROWS, findings)
    check_derivations(program, database, space, findings)
    return space


def _start(directives: Directives, clauses: Clauses, findings: Findings) -> Term | None:
    """The start, as written. A program without tree rules needs none."""
    declared = directives.single.get(("start",))
    if declared is not None:
        return declared.args[0]
    if clauses.rules:
        findings.add(NO_START_DECLARED(clauses.rules[0].span))
    return None
