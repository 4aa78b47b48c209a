"""The compiler as pure functions: text to program to tree grammar, with a table.

SourceFile --parse--> SourceProgram --check--> ir.CheckedProgram --lower(schema)--> TreeGrammar
                                                    table --table_of--> Table --^ schema
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from slp.analysis import check_ignored, check_names, check_program_on_table, read_program
from slp.analysis.derivations.row_labels import row_sums_check
from slp.analysis.findings import Findings
from slp.analysis.sources.edits import with_tree_on
from slp.budgets import check_time
from slp.data import Table, frame_of, table_of
from slp.data.roles import name_of_response, name_of_values, named_column
from slp.errors import DataError, Diagnostic, ProgramError
from slp.ir.program import CheckedProgram
from slp.ir.schema import MOST_SOFT_LEAVES, Schema
from slp.lower import find_tests_on_trees, program_to_tree_grammar, tree_grammar_or_all
from slp.lower.expansion import ListingProgress
from slp.lower.opened import MadeStates
from slp.problem.problem import Problem, unchanged
from slp.problem.split_measures import check_ranges
from slp.resolution import StateRules
from slp.source import SourceFile
from slp.syntax import parse_recovering
from slp.trees import Tree, fit_tree

__all__ = [
    "compile_problem",
    "compile_program",
    "compile_with_states",
    "find_wrong_names",
    "problem_on",
    "read_text",
]


def compile_program(
    source: SourceFile, parameters: Mapping[str, float] | None = None, tree: Tree | None = None
) -> CheckedProgram:
    """Compile text to a checked program.

    `parameters` replace the values that the program and its libraries give. `tree` replaces the
    tree that the program gives to `edittree`.

    Raises
    ------
    ProgramError
        With every mistake that `read_text` finds.
    """
    program, _ = compile_with_states(source, parameters, tree)
    return program


def compile_with_states(
    source: SourceFile, parameters: Mapping[str, float] | None = None, tree: Tree | None = None
) -> tuple[CheckedProgram, StateRules | None]:
    """As `compile_program`, with the states that checking has evaluated, for `compile_problem`."""
    program, states, found = read_text(source, parameters, tree)
    if any(finding.severity == "error" for finding in found):
        raise ProgramError(found)
    return program, states


def read_text(
    source: SourceFile, parameters: Mapping[str, float] | None = None, tree: Tree | None = None
) -> tuple[CheckedProgram, StateRules | None, tuple[Diagnostic, ...]]:
    """Read a text as far as possible, and find all of its mistakes and warnings. The states that
    checking has evaluated stand between the two.

    Arguments are those of `compile_program`. If some clauses cannot be read, findings that may be
    due to their absence are left out.
    """
    with _no_collection():
        read, faults = parse_recovering(source)
        program, states, findings = read_program(read, parameters or {}, tree)
    found = findings.in_order()
    if not faults:
        return program, states, found
    kept = [f for f in found if not f.may_follow]
    return program, states, tuple(sorted((*faults, *kept), key=_place))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Runs the block without garbage collection. Reading makes many objects and drops few, and
    collection would take half of its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def find_wrong_names(program: CheckedProgram, X: Any, y: Any = None) -> tuple[Diagnostic, ...]:
    """The features that a program names and the columns of a table lack (E150).

    The table and the program may have faults. The result completes the findings about these.
    """
    frame = frame_of(X)
    columns = frame.names
    given = name_of_values(program, y)
    declared = named_column(y) or name_of_response(program, frame)
    response = declared if declared in columns else None
    beside = {response if given is None else None, program.event, program.exposure}
    made = {d.name for d in program.definitions}
    features = (set(columns) - {*beside, *program.ignored}) | made
    findings = Findings()
    check_names(program, features, response if given is None else given, findings)
    return findings.in_order()


def _place(finding: Diagnostic) -> int:
    return -1 if finding.span is None else finding.span.start


@dataclass(frozen=True, eq=False)
class _Vary:
    """Puts changed programs on a table, which was made of `X` and `y`."""

    X: Any
    y: Any
    known: StateRules | None
    progress: ListingProgress | None

    def __call__(self, problem: Problem, program: CheckedProgram) -> Problem:
        """A changed program on the same table. The table is coded again only if other cuts or
        concepts or formulas or priors of boxes are declared, or if trees are soft or hard in place
        of the other."""
        coded = [
            (own.features, own.is_a, own.definitions, own.soft, own.leaf_priors)
            for own in (program, problem.program)
        ]
        if coded[0] == coded[1]:
            return _on_coded(problem, program, self.known, self.progress)
        if self.X is None:
            return unchanged(problem, program)
        return compile_problem(program, self.X, self.y, known=self.known, progress=self.progress)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickling and copying: without the table as it was given."""
        return _Vary, (None, None, None, None)


def _on_coded(
    problem: Problem,
    program: CheckedProgram,
    known: StateRules | None,
    progress: ListingProgress | None,
) -> Problem:
    """A program on the coded table of another."""
    program = with_tree_on(program, problem.table)
    schema = _schema(program, problem.table)
    states = StateRules(program, schema.most_leaves, known)
    check = row_sums_check(program, states, problem.table.n_rows)
    grammar = program_to_tree_grammar(
        program, schema, tests_on_trees=True, states=states, check=check, progress=progress
    )
    unsummable = find_tests_on_trees(program)
    return replace(problem, program=program, grammar=grammar, unsummable=unsummable)


def _schema(program: CheckedProgram, table: Table) -> Schema:
    """What lowering knows of the table. The rows of a table do not limit soft trees."""
    schema = table.schema(program.support.min_leaf)
    return replace(schema, most_leaves=MOST_SOFT_LEAVES, most_cuts=None) if program.soft else schema


def compile_problem(
    program: CheckedProgram,
    X: Any,
    y: Any = None,
    *,
    known: StateRules | None = None,
    finite: bool = True,
    few_states: bool = False,
    progress: ListingProgress | None = None,
) -> Problem:
    """The problem that engines get, for a checked program and a table.

    `X` is a frame that contains the response, or a frame or array of features with the response in
    `y`. If `y` is a name, it is the name of the response's column in `X`. States that are `known`
    from `compile_with_states` are not evaluated again. Without `finite`, a program without a tree
    grammar gets the grammar of all trees, for an engine that draws by the program itself.
    `few_states` and `progress` as in `program_to_tree_grammar`.

    Raises
    ------
    DataError
        The table has a fault, or lacks a column that the program names.
    UnsupportedError
        The program has no finite tree grammar (the diagnostic says why).
    """
    frame = frame_of(X)
    try:
        table = table_of(program, frame, y)
    except DataError as e:
        found = (*check_ignored(program, frame.names), *find_wrong_names(program, frame, y))
        raise DataError((*e.diagnostics, *found)) from e
    check_time("reading the table")

    found = check_ignored(program, frame.names)
    return problem_on(
        program,
        table,
        known=known,
        vary=_Vary(X, y, known, progress),
        found=found,
        finite=finite,
        few_states=few_states,
        progress=progress,
    )


def problem_on(
    program: CheckedProgram,
    table: Table,
    *,
    known: StateRules | None = None,
    vary: Callable[[Problem, CheckedProgram], Problem] = unchanged,
    found: tuple[Diagnostic, ...] = (),
    finite: bool = True,
    few_states: bool = False,
    progress: ListingProgress | None = None,
) -> Problem:
    """As `compile_problem`, for a coded table. `found` was found in program and table before;
    `vary` makes the problem of a changed program.

    Raises
    ------
    DataError
        Program and table do not fit; E154.
    UnsupportedError
        As `compile_problem`.
    """
    program = with_tree_on(program, table)
    schema = _schema(program, table)
    states = StateRules(program, schema.most_leaves, known)
    on_table = found + check_program_on_table(program, table, states)
    if program.edits is not None:
        edits, support = program.edits, program.support
        on_table += fit_tree(edits.given, table, support, edits.span)[1]
    check = row_sums_check(program, states, table.n_rows)
    if finite:
        grammar = program_to_tree_grammar(
            program,
            schema,
            tests_on_trees=True,
            states=states,
            check=check,
            few_states=few_states,
            progress=progress,
        )
        if isinstance(grammar.states, MadeStates):
            on_table += tuple(grammar.states.findings)
    else:
        grammar, _ = tree_grammar_or_all(program, schema, states, check)
    check_ranges(grammar, table, program.soft)
    warnings = program.warnings + table.warnings + on_table
    return Problem(program, table, grammar, find_tests_on_trees(program), warnings, vary)
