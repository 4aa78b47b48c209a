"""`load`, `parse`, `find_mistakes`: programs from files, the library and text."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from slp.budgets import memory_errors
from slp.compile import compile_problem, find_wrong_names, read_text
from slp.engines.contract import Progress
from slp.errors import Diagnostic, ProgramError, SlpError, UnsupportedError
from slp.folders import Folders, included
from slp.ir.program import CheckedProgram
from slp.late import late_import
from slp.lower import program_to_tree_grammar, schema_of_program
from slp.messages.constraints import FREE_BOX, SAID_ALREADY
from slp.messages.on_table import FOLLOWS, NO_SPLIT_AT_ALL
from slp.messages.sources import FILE_WITHOUT_ENDING, NAME_AS_TEXT, TEXT_AS_NAME
from slp.program.no_tree import find_no_tree
from slp.program.program import Program
from slp.resolution import StateRules
from slp.resolution.machine.faults import NeedsPrologError
from slp.resources import prior_file, prior_names
from slp.source import SourceFile, SourceSpan
from slp.trees import Tree

#: One or more folders that a program can use files from.
Include: TypeAlias = str | Path | Iterable[str | Path]


def load(path: str | Path, /, *, include: Include = (), **parameters: float | Tree) -> Program:
    """Read a program from a `.slp` file or, if there is no such file, a library prior by its name,
    with values of its parameters: `slp.load("growtree", alpha=0.9)`. The program can use files in
    and below its folder, and in and below `include`, one or more folders. An `slp.Tree` given as
    `tree` replaces the tree that the file gives to `edittree`:
    `slp.load("edittree", tree=tree, p=0.9)`.

    Raises
    ------
    ProgramError
        The file cannot be read, or has mistakes; the error lists all of them.
    UsageError
        E725: one of `include` is no folder.
    """
    return _program(_source(path, include), parameters)


def parse(
    text: str, name: str = "<text>", /, *, include: Include = (), **parameters: float | Tree
) -> Program:
    """Read a program from text. Messages call it `name`. Parameters are as for `load`. Text has no
    folder, so it can use only library priors, and files in and below `include`.

    Raises
    ------
    ProgramError
        The text has mistakes; the error lists all of them. E001: it is the name of a file.
    UsageError
        E725: one of `include` is no folder.
    """
    if text.endswith(".slp") and not any(c.isspace() for c in text):
        raise ProgramError(NAME_AS_TEXT(text=text))
    return _program(SourceFile(name, text, Folders(include=included(include))), parameters)


def find_mistakes(
    path: str | Path | SourceFile,
    X: Any = None,
    y: Any = None,
    /,
    *,
    include: Include = (),
    progress: Progress | None = None,
    **parameters: float,
) -> tuple[Diagnostic, ...]:
    """All mistakes and warnings in a program and, with a table, in how the two fit.

    Arguments are those of `load`, or a text that was read, and of `Program.posterior`; `progress`
    is told how many states are listed. No code of the program is run: a guard `prolog(Goal)` gives
    E264 as a warning, since one engine takes it.
    """
    try:
        source = path if isinstance(path, SourceFile) else _source(path, include)
        program, known, found = read_text(source, parameters)
    except SlpError as e:
        return tuple(e.diagnostics)
    if any(f.severity == "error" for f in found):
        return found if X is None else (*found, *find_wrong_names(program, X, y))
    try:
        with memory_errors():
            return _mistakes_in_trees(program, known, found, X, y, progress)
    except NeedsPrologError as e:
        only_prolog = tuple(replace(d, severity="warning") for d in e.diagnostics)
    except SlpError as e:
        return tuple(e.diagnostics)
    if X is None:
        return (*found, *only_prolog)
    try:
        return (*compile_problem(program, X, y, known=known, finite=False).warnings, *only_prolog)
    except SlpError as e:
        return (*e.diagnostics, *only_prolog)


def _mistakes_in_trees(
    program: CheckedProgram,
    known: StateRules | None,
    found: tuple[Diagnostic, ...],
    X: Any,
    y: Any,
    progress: Progress | None,
) -> tuple[Diagnostic, ...]:
    """The warnings `found` in a program that was read, and those of its trees on a table. Lowering
    raises for mistakes that no single clause shows."""
    if X is None:
        if program.rules:
            with suppress(UnsupportedError):  # no engine may take it; that is no mistake
                schema = schema_of_program(program)
                states = StateRules(program, schema.most_leaves, known)
                program_to_tree_grammar(program, schema, tests_on_trees=True, states=states)
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem = compile_problem(program, X, y, known=known, progress=progress)
        told = problem.warnings
        found = find_no_tree(problem)
        if not found:
            found = late_import("slp.program.dead_weight").find_dead_weight(problem)
        return (*told, *(f for f in found if not _is_told(f, told)))


def _is_told(finding: Diagnostic, told: Iterable[Diagnostic]) -> bool:
    """Whether a warning says already that a statement has no effect, or that statements leave one
    leaf."""
    if finding.code not in {NO_SPLIT_AT_ALL.entry.code, FOLLOWS.entry.code}:
        return False
    codes = {entry.code for entry in (SAID_ALREADY.entry, FREE_BOX.entry, NO_SPLIT_AT_ALL.entry)}
    alike = [t for t in told if t.code in codes]
    return any(t.span == finding.span or _places(t) <= _places(finding) for t in alike)


def _places(finding: Diagnostic) -> set[SourceSpan | None]:
    return {finding.span, *(related.span for related in finding.related)}


def _source(path: str | Path, include: Include) -> SourceFile:
    """The text of a file, or of the library prior with that name."""
    name = str(path)
    if name.rstrip().endswith(".") and not os.path.exists(path):
        raise ProgramError(TEXT_AS_NAME(text=name))
    if os.path.exists(path) or not name.isidentifier():
        return SourceFile.read(path, include)
    if name == "edittree":
        return SourceFile(name, ":- use(edittree).\n")
    if name not in prior_names() and os.path.exists(f"{name}.slp"):
        raise ProgramError(FILE_WITHOUT_ENDING(name=name))
    return prior_file(name)


def _program(source: SourceFile, parameters: Mapping[str, float | Tree]) -> Program:
    """A program with the keyword arguments of callers: numbers, and perhaps a tree."""
    tree = parameters.get("tree")
    if not isinstance(tree, Tree):
        return Program(source, cast(Mapping[str, float], parameters))
    numbers = {name: value for name, value in parameters.items() if name != "tree"}
    return Program(source, cast(Mapping[str, float], numbers), tree)
