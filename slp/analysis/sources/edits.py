"""The prior `edittree`: from its `use` directive to the tree, the probability and the measure.

`:- use(edittree, [tree = 't0.json', p = 0.8, measure = all]).` `p` is a parameter of the program,
like those of library priors. The tree is a file in the folder of the using file, JSON or (`.tree`)
text as slp prints trees; JSON itself (a text that begins with `{`), or the text itself (one of
several lines); or an argument of the caller.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from slp.analysis.findings import Findings
from slp.data.table import Table
from slp.errors import DataError, Diagnostic, Related
from slp.folders import Folders, RefusedError, open_regular
from slp.ir.program import MEASURES, PROPER_MEASURES, CheckedProgram, EditPrior, Measure
from slp.messages import files as words
from slp.messages.clauses import MEASURE_NOT_NAMED, NO_MEASURE
from slp.messages.derivations import WEIGHTS_OF_EDITS
from slp.messages.directives import (
    EDITTREE_TWICE,
    NO_FILE_OF_TREE,
    NO_PROBABILITY_OF_EDITS,
    NO_TREE_TO_EDIT,
    TREE_WITHOUT_EDITS,
)
from slp.messages.groups import GROUPS_OF_EDITS
from slp.messages.names import name_help
from slp.messages.places import of_file, of_line
from slp.source import SourceFile, SourceSpan
from slp.terms import Atom, Term, Text
from slp.trees import Tree, TreeText
from slp.trees.encoding import tree_from_dict

#: The clauses that `use(edittree, ...)` adds.
EDITTREE = ":- param(p, 0.8).\n"

#: The settings besides the parameter `p`.
SETTINGS = ("tree", "measure")

#: What messages call a tree that the program has as text.
_IN_PROGRAM = "the tree in the program"
#: How the name of a file of a tree as text ends.
_TEXT = ".tree"
#: Largest number of characters of a file of a tree (about 100,000 leaves).
_MOST_CHARACTERS = 10_000_000


@dataclass(frozen=True)
class EditUse:
    """A use of `edittree`: its settings, the folders for the tree's file, and the places."""

    settings: dict[str, Term]
    folders: Folders
    span: SourceSpan
    span_of_p: SourceSpan | None = None


def read_edits(
    uses: Iterable[EditUse], parameters: dict[str, float], given: Tree | None, findings: Findings
) -> EditPrior | None:
    """The prior. None if the program does not use it, or, after a finding, if it cannot be read.

    `given` replaces the tree that the program names.
    """
    uses = list(uses)
    if not uses:
        if given is not None:
            findings.add(TREE_WITHOUT_EDITS())
        return None
    for use in uses[1:]:
        findings.add(EDITTREE_TWICE(use.span, related=[Related("first used here", uses[0].span)]))
    use = uses[0]
    tree, file = (given, None) if given is not None else _tree(use, findings)
    measure = _measure(use, findings)
    p = parameters["p"]
    if not 0 < p < 1:
        findings.add(NO_PROBABILITY_OF_EDITS(use.span_of_p or use.span, value=p))
        return None
    if tree is None or measure is None:
        return None
    return EditPrior(tree, p, measure, file, use.span)


def _tree(use: EditUse, findings: Findings) -> tuple[Tree | TreeText | None, str | None]:
    """The tree in the file that a program names, and the name; None where the program has the tree
    as text."""
    term = use.settings.get("tree")
    if term is None:
        findings.add(NO_TREE_TO_EDIT(use.span))
        return None, None
    where = term.span or use.span
    name = term.name if isinstance(term, Atom) else term.value if isinstance(term, Text) else None
    if name is None:
        findings.add(NO_FILE_OF_TREE(where))
        return None, None
    in_json = name.lstrip().startswith("{")
    file = None if in_json or "\n" in name else name
    called = name if file is not None else _IN_PROGRAM
    try:
        if not in_json and (file is None or name.endswith(_TEXT)):
            text = name if file is None else _text(file, use.folders)
            return TreeText.read(SourceFile(called, text)), file
        data = json.loads(name if file is None else _text(file, use.folders))
        return tree_from_dict(data, quote=False), file
    except RefusedError as e:
        findings.take(e, where)
    except DataError as e:  # before ValueError, which it is too
        for diagnostic in e.diagnostics:
            said = of_file if diagnostic.span is None else of_line
            findings.add(said(diagnostic, called, where))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as e:
        if file is None and isinstance(e, json.JSONDecodeError):
            reason, line, column = e.msg.lower(), e.lineno, e.colno
            findings.add(words.TREE_TEXT_NO_JSON(where, reason=reason, line=line, column=column))
        else:
            findings.add(_fault(e, where, file=called, program=Path(use.span.file.name).name))
    return None, None


def with_tree_on(program: CheckedProgram, table: Table) -> CheckedProgram:
    """The program with its tree, if that is given as text, which is read on the table.

    Raises
    ------
    DataError
        E615, E616: the text has no tree of the table.
    """
    edits = program.edits
    if edits is None or not isinstance(edits.tree, TreeText):
        return program
    try:
        tree = edits.tree.on(table)
    except DataError as e:
        assert edits.span is not None
        called = edits.file or _IN_PROGRAM
        raise DataError([of_line(d, called, edits.span) for d in e.diagnostics]) from None
    return replace(program, edits=replace(edits, tree=tree))


def _text(name: str, folders: Folders) -> str:
    """The text of a file of a tree."""
    _, path = folders.find(name, _TEXT if name.endswith(_TEXT) else ".json")
    with os.fdopen(open_regular(path, follow=False), encoding="utf-8") as stream:
        text = stream.read(_MOST_CHARACTERS + 1)
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"it has more than {_MOST_CHARACTERS:,} characters")
    return text


def _fault(error: Exception, where: SourceSpan, **names: Any) -> Diagnostic:
    """The finding for a faulty file of a tree."""
    if isinstance(error, json.JSONDecodeError):
        reason, line, column = error.msg.lower(), error.lineno, error.colno
        return words.TREE_NO_JSON(where, reason=reason, line=line, column=column, **names)
    if isinstance(error, UnicodeDecodeError):
        return words.TREE_NOT_UTF_8(where, **names)
    if isinstance(error, RecursionError):
        return words.TREE_TOO_NESTED(where, **names)
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return words.TREE_NOT_READ(where, reason=reason.lower(), **names)


def _measure(use: EditUse, findings: Findings) -> Measure | None:
    term = use.settings.get("measure", Atom("feature_then_cut"))
    where = term.span or use.span
    name = term.name if isinstance(term, Atom) else ""
    for measure in PROPER_MEASURES:
        if name == measure:
            return measure
    if name in MEASURES:
        findings.add(words.MEASURE_NOT_FOR_EDITS(where, measure=name))
    else:
        wording = NO_MEASURE if name else MEASURE_NOT_NAMED
        findings.add(wording(where, name=name, help=name_help(name, PROPER_MEASURES, "measure")))
    return None


def check_edits(program: CheckedProgram, findings: Findings) -> None:
    """Find what cannot be combined with the prior `edittree`."""
    edits = program.edits
    if edits is None:
        return
    assert edits.span is not None
    here = [Related("`edittree` is used here", edits.span)]
    if program.rules:
        findings.add(words.RULE_BESIDE_EDITS(program.rules[0].span, related=here))
    for name in ("start", "weights", "failure"):
        if name in program.spans:
            findings.add(words.DIRECTIVE_BESIDE_EDITS(program.spans[name], related=here, name=name))
    weighted = next(iter(program.feature_weights), None)
    if weighted is not None and edits.measure == "all":
        span = program.spans.get(f"feature_weight:{weighted}")
        weight = [Related("a feature has a weight here", span)] if span else []
        findings.add(WEIGHTS_OF_EDITS(edits.span, related=weight))
    if program.groups and edits.measure == "all":
        findings.add(GROUPS_OF_EDITS(edits.span))
