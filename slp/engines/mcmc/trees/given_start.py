"""The given tree that chains begin at (`start`)."""

from __future__ import annotations

import json
import os
from pathlib import Path

from slp.engines.derivations import TreeProof, proof_of
from slp.engines.mcmc.trees.target import Target
from slp.errors import UsageError
from slp.folders import open_regular
from slp.messages.chains import NO_FILE_OF_START, NOT_A_START, START_OFF_SUPPORT
from slp.problem.tree_weights import weight_of_tree
from slp.trees import Tree

#: The longest text of a tree.
_MOST_CHARACTERS = 10_000_000


def read_start(start: object) -> Tree:
    """A tree, or that of a JSON file.

    Raises
    ------
    UsageError
        E549: it is neither, or the file cannot be read.
    DataError
        E601 to E605: the file has no tree.
    """
    if isinstance(start, Tree):
        return start
    if not isinstance(start, str | Path):
        raise UsageError(NOT_A_START(kind=type(start).__name__))
    try:
        with os.fdopen(open_regular(start), encoding="utf-8") as stream:
            text = stream.read(_MOST_CHARACTERS + 1)
        if len(text) > _MOST_CHARACTERS:
            raise ValueError(f"it has more than {_MOST_CHARACTERS:,} characters")
        data = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        told = error.strerror if isinstance(error, OSError) else None
        reason = (told or str(error)).lower()
        raise UsageError(NO_FILE_OF_START(path=str(start), reason=reason)) from None
    return Tree.from_dict(data)


def proof_to_start(target: Target, tree: Tree) -> TreeProof:
    """The proof of the largest weight that parts the table's rows as a tree does.

    Raises
    ------
    UsageError
        E549: the tree has no prior probability.
    """
    choices = weight_of_tree(target.process, tree).example
    proof = proof_of(target.process, choices) if choices else None
    if proof is None or not target.holds(proof):
        raise UsageError(START_OFF_SUPPORT())
    return proof
