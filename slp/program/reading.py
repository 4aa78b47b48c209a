"""`load` and `parse`: programs from files, the library and text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from slp.program.program import Program
from slp.resources import prior_file
from slp.source import SourceFile
from slp.trees import Tree

__all__ = ["load", "parse"]


def load(path: str | Path, /, **parameters: float | Tree) -> Program:
    """Read a program from a `.slp` file, or a prior of the library by its name (`"growtree"`).

    A `Tree` as `tree` is the one that `edittree` edits, whatever the file says:
    `slp.load("edittree", tree=given, p=0.9)`.

    Raises
    ------
    ProgramError
        The file cannot be read, or with every mistake in it.
    """
    name = str(path)
    if not os.path.exists(path) and name.isidentifier():
        if name == "edittree":
            return _program(SourceFile(name, ":- use(edittree).\n"), parameters)
        return _program(prior_file(name), parameters)
    return _program(SourceFile.read(path), parameters)


def parse(text: str, name: str = "<text>", /, **parameters: float | Tree) -> Program:
    """Read a program from text; `name` is what messages call it, parameters are as for `load`.

    Raises
    ------
    ProgramError
        With every mistake in the text.
    """
    return _program(SourceFile(name, text), parameters)


def _program(source: SourceFile, parameters: Mapping[str, float | Tree]) -> Program:
    """A program from what callers give by name: numbers, and perhaps a tree."""
    tree = parameters.get("tree")
    if not isinstance(tree, Tree):
        return Program(source, cast(Mapping[str, float], parameters))
    numbers = {name: value for name, value in parameters.items() if name != "tree"}
    return Program(source, cast(Mapping[str, float], numbers), tree)
