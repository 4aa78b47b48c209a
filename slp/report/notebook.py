"""What a notebook shows of programs, posteriors, trees and diagnostics, and the cell magic `%%slp`.

A program, a tree and diagnostics are shown as they are. A posterior shows its summary, its best
tree and the use of features; what its limits leave out is said in words.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from slp.errors import SlpError, UsageError
from slp.messages.commands import WRONG_MAGIC
from slp.program import Program, parse
from slp.report import answer, checks
from slp.report.html import Content, Html, details, listing, preformatted, tag
from slp.report.tree_lists import legend, tree_list
from slp.results import Diagnostics, Posterior
from slp.trees import Tree

_STYLE = Path(__file__).with_name("parts.css")
_NAME = re.compile(r"[^\W\d]\w*")


def tree_repr(tree: Tree) -> str:
    """A tree as nested lists."""
    return _shown([tree_list(tree)])


def program_repr(program: Program) -> str:
    """A program in words, its warnings, and its text."""
    source = program.source
    parts: list[Content] = [listing(program.describe(fine_print=False).splitlines())]
    if program.warnings:
        told = (f"{w.code}: {w.message}" for w in program.warnings)
        parts += [tag("p", tag("strong", "Warnings")), listing(told)]
    return _shown([*parts, details(f"Text of {source.name}", preformatted(program.text, "text"))])


def posterior_repr(posterior: Posterior) -> str:
    """The summary, the best tree, the use of features."""
    try:
        if posterior.stacked is not None:
            return _shown([answer.summary(posterior)])
        if posterior.trees_summed is not None:
            return _shown([answer.summary(posterior), answer.features(posterior)])
        classes = posterior.table.leaf.classes
        tree = tree_list(posterior.map_tree(), classes)
        told: list[Content] = [
            answer.summary(posterior),
            legend(classes),
            tree,
            answer.features(posterior),
        ]
    except SlpError as error:
        told = [tag("p", repr(posterior)), preformatted(str(error), "what is missing")]
    return _shown(told)


def diagnostics_repr(found: Diagnostics) -> str:
    """Problems found, and the figures."""
    good = tag("p", "No problem was found.")
    first = listing(found.warnings) if found.warnings else good
    return _shown([first, *checks.diagnostics_parts(found)])


def _shown(parts: list[Content]) -> str:
    style = tag("style", Html(_STYLE.read_text("utf-8")))
    return tag("div", style, *parts, class_="slp")


# --- the cell magic ----------------------------------------------------------------------------


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext slp`: adds the cell magic `%%slp NAME PARAMETER=VALUE ...`."""

    def slp_magic(line: str, cell: str) -> Program:
        """Read the cell as a program, and give it the name NAME (`program` if there is none)."""
        try:
            name, parameters = _words_of(line)
            program = parse(cell, f"%%slp {name}", **parameters)  # type: ignore[arg-type]  # none is `include`
        except SlpError as error:
            # IPython then shows the message in place of a traceback.
            message = str(error).splitlines()
            setattr(error, "_render_traceback_", lambda: message)  # noqa: B010
            raise
        ipython.push({name: program})
        return program

    ipython.register_magic_function(slp_magic, "cell", "slp")


def _words_of(line: str) -> tuple[str, dict[str, float]]:
    """The name and the parameters behind `%%slp`.

    Raises
    ------
    UsageError
        E703: they are neither.
    """
    words = line.split()
    name = words.pop(0) if words and "=" not in words[0] else "program"
    parameters: dict[str, float] = {}
    try:
        for word in words:
            key, _, value = word.partition("=")
            parameters[key] = float(value)
    except ValueError:
        raise UsageError(WRONG_MAGIC(line=line)) from None
    if "include" in parameters or not all(_NAME.fullmatch(key) for key in (name, *parameters)):
        raise UsageError(WRONG_MAGIC(line=line))
    return name, parameters
