"""The prior `edittree`: from its `use` directive to the tree, the probability and the measure.

`:- use(edittree, [tree = 't0.json', p = 0.8, measure = all]).` `p` is a parameter of the program,
as those of library priors are; the tree is a JSON file beside the using file, or is given by the
caller.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from slp.analysis.findings import Findings, name_help
from slp.errors import DataError, Related
from slp.folders import Folders, RefusedError, open_regular
from slp.ir.program import MEASURES, PROPER_MEASURES, EditPrior, Measure, Program
from slp.source import SourceSpan
from slp.terms import Atom, Term, Text
from slp.trees import Tree
from slp.trees.encoding import tree_from_dict

__all__ = ["EDITTREE", "SETTINGS", "EditUse", "check_edits", "read_edits"]

#: What `use(edittree, ...)` stands for besides the prior itself.
EDITTREE = ":- param(p, 0.8).\n"

#: What can be set there, apart from the parameter `p`.
SETTINGS = ("tree", "measure")

#: Characters of the file of a tree, at most: of some 100,000 leaves.
_MOST_CHARACTERS = 10_000_000


@dataclass(frozen=True)
class EditUse:
    """A use of `edittree`: the settings given, where the tree may lie, the places."""

    settings: dict[str, Term]
    folders: Folders
    span: SourceSpan
    span_of_p: SourceSpan | None = None


def read_edits(
    uses: Iterable[EditUse], parameters: dict[str, float], given: Tree | None, findings: Findings
) -> EditPrior | None:
    """The prior, None if the program does not use it or (after a finding) it cannot be read.

    `given` overrules the tree that the program names.
    """
    uses = list(uses)
    if not uses:
        if given is not None:
            help = "a tree is for programs that use `edittree`"
            findings.error("E106", "the program has no parameter `tree`", help=help)
        return None
    for use in uses[1:]:
        findings.error(
            "E103",
            "`edittree` is used twice",
            use.span,
            help="take one of them out",
            related=[Related("first used here", uses[0].span)],
        )
    use = uses[0]
    tree, file = (given, None) if given is not None else _tree(use, findings)
    measure = _measure(use, findings)
    p = parameters["p"]
    if not 0 < p < 1:
        findings.error(
            "E109",
            f"the probability of one more edit, `p`, is {p:g}, and must lie between 0 and 1",
            use.span_of_p or use.span,
            help="neither is allowed itself: at 0 nothing is edited, at 1 edits never end",
        )
        return None
    if tree is None or measure is None:
        return None
    return EditPrior(tree, p, measure, file, use.span)


def _tree(use: EditUse, findings: Findings) -> tuple[Tree | None, str | None]:
    """The tree in the file that a program names, and the name."""
    term = use.settings.get("tree")
    if term is None:
        findings.error(
            "E107",
            "`edittree` needs a tree to start from",
            use.span,
            help="write `:- use(edittree, [tree = 'tree.json']).`, or give one from Python: "
            "slp.load(file, tree=tree)",
        )
        return None, None
    where = term.span or use.span
    name = term.name if isinstance(term, Atom) else term.value if isinstance(term, Text) else None
    if name is None:
        findings.error(
            "E102", "the tree of `edittree` is the name of a file", where, help="such as 't0.json'"
        )
        return None, None
    try:
        data = json.loads(_text(name, use.folders))
        return tree_from_dict(data, quote=False), name
    except RefusedError as e:
        findings.error("E166", str(e), where, help=e.help)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as e:
        help = f"the name is taken from the folder of {Path(use.span.file.name).name}"
        findings.error("E160", f"{name} {_fault(e)}", where, help)
    except DataError as e:
        for diagnostic in e.diagnostics:
            message = f"{name} is {diagnostic.message}"
            findings.add(replace(diagnostic, message=message, span=where))
    return None, None


def _text(name: str, folders: Folders) -> str:
    """What a file of a tree says."""
    _, path = folders.find(name, ".json")
    with os.fdopen(open_regular(path, follow=False), encoding="utf-8") as stream:
        text = stream.read(_MOST_CHARACTERS + 1)
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"it has more than {_MOST_CHARACTERS:,} characters")
    return text


def _fault(error: Exception) -> str:
    """What is wrong with a file of a tree."""
    if isinstance(error, json.JSONDecodeError):
        return f"is no JSON: {error.msg.lower()} in line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "is no text in UTF-8"
    if isinstance(error, RecursionError):
        return "is too deeply nested"
    reason = error.strerror if isinstance(error, OSError) else None
    return f"cannot be read: {(reason or str(error)).lower()}"


def _measure(use: EditUse, findings: Findings) -> Measure | None:
    term = use.settings.get("measure", Atom("feature_then_cut"))
    where = term.span or use.span
    name = term.name if isinstance(term, Atom) else ""
    for measure in PROPER_MEASURES:
        if name == measure:
            return measure
    if name in MEASURES:
        findings.error(
            "E161",
            f"edits are drawn one by one, and the shares of `{name}` do not sum to 1",
            where,
            help="use `feature_then_cut`, `all` or `gap`",
        )
    else:
        message = f"there is no split measure `{name}`" if name else "`measure` is a name"
        findings.error("E114", message, where, help=name_help(name, PROPER_MEASURES, "measure"))
    return None


def check_edits(program: Program, findings: Findings) -> None:
    """Find what does not go with the prior `edittree`."""
    edits = program.edits
    if edits is None:
        return
    assert edits.span is not None
    here = [Related("`edittree` is used here", edits.span)]
    help = "a prior is one or the other: take the rules or `edittree` out"
    if program.rules:
        message = "a tree rule has no meaning beside `edittree`"
        findings.error("E162", message, program.rules[0].span, help, here)
    for name in ("start", "weights", "failure"):
        if name in program.spans:
            message = f"`{name}` has no meaning beside `edittree`"
            help = "take it out: edits begin with the given tree, and constraints are for the last"
            findings.error("E162", message, program.spans[name], help, here)
    weighted = next(iter(program.feature_weights), None)
    if weighted is not None and edits.measure == "all":
        span = program.spans.get(f"feature_weight:{weighted}")
        findings.error(
            "E124",
            "feature weights have no meaning under the measure `all`",
            edits.span,
            help="use `feature_then_cut` or `gap`, which draw the feature first",
            related=[Related("a feature has a weight here", span)] if span else [],
        )
