"""Writes a posterior to a file; see `slp.results.saved.archive` for the file.

    program.json    `RunRecord` without draws and options: texts of all files of the program,
                    parameters, the program in words
    table.json      see `slp.results.saved.tables`; with `rows/*.npy` for exact sums, and on request
    facts.json      of the `Result`: the engine and why, whether it is a prior, whether weights are
                    normalised, the seed; and the predicates that were asked
    answers.json    of a run of trees the parts of its `Result` (`slp.results.saved.answers`):
                    evidence, best trees, diagnostics and the like
    trees/*.npy     its distinct trees (`slp.results.saved.trees`), with `log_weight` and
                    `log_likelihood`, float64 (U,); `averaged` (K, k) where predictions are by
                    statistics that differ in their last bits
    draws/*.npy     `tree` int64 (T,), the number of the tree of each draw; `length` int64 (M,), how
                    many draws each chain kept; `weight` float64 (T,); of particles `log_weights`
    given/*.npy     the tree given to `edittree`
    soft/*.npy      soft trees (`slp.results.saved.soft`), in place of all `trees/` but these two

Of members that are stacked by prediction each is a chain, and `answers.json` has how they were
stacked, how the run ended, and why nothing is told of the prior, alone.

Sums over all trees are not saved: program and table are, and the sums are made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from slp.problem.tree_arrays import arrays_of_trees
from slp.results.averages.additive import SummedTrees
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.stacked import StackedTrees
from slp.results.record.result import Result
from slp.results.record.run import RunRecord
from slp.results.saved.additive import sums_to_members
from slp.results.saved.answers import answers_to_plain
from slp.results.saved.archive import write_archive
from slp.results.saved.plain import to_plain
from slp.results.saved.soft import soft_trees_to_members
from slp.results.saved.tables import TableWithoutRows, table_to_members
from slp.results.saved.trees import trees_to_members
from slp.trees.predicates import AskedPredicate
from slp.trees.soft import SoftTree


def save_run(
    result: Result,
    record: RunRecord,
    predicates: Sequence[AskedPredicate],
    path: str | Path,
    *,
    table: bool,
) -> None:
    """Write a file; see `slp.results.posterior.Posterior.save`."""
    rows = result.kind == "sums" or (table and not isinstance(result.table, TableWithoutRows))
    manifest = {
        "kind": result.kind,
        "engine": result.choice.engine,
        "seed": result.seed,
        "draws": record.draws,
        "options": to_plain(record.options),
    }
    asked = [
        {"words": p.words, "asked": p.asked, "refused": p.refused, "seconds": p.seconds}
        for p in predicates
    ]
    members = {
        "program.json": _program_to_plain(record),
        **table_to_members(result.table, rows=rows),
        "facts.json": {
            "choice": to_plain(result.choice),
            "likelihood": result.likelihood,
            "normalised": result.normalised,
            "seed": result.seed,
            "predicates": asked,
        },
    }
    if result.kind != "sums":
        members |= _trees_to_members(result)
    write_archive(path, manifest, members)


def _program_to_plain(record: RunRecord) -> dict[str, Any]:
    files = [
        {"user": used.user, "target": used.target, "name": used.file.name, "text": used.file.text}
        for used in record.files
    ]
    return {
        "files": files,
        "parameters": to_plain(record.parameters),
        "words": list(record.words),
        "fine_print": list(record.fine_print),
        "boxes": [to_plain(replace(box, span=None)) for box in record.boxes],
        "by_partition": record.by_partition,
        "costs": to_plain(record.costs),
    }


def _trees_to_members(result: Result) -> dict[str, Any]:
    """The trees of a result whose averages are over trees, and its answers."""
    if isinstance(result.averages, StackedTrees):
        return _stacked_to_members(result, result.averages.trees)
    drawn, draws = result.averages.drawn, result.draws()
    assert drawn is not None
    if isinstance(drawn, SummedTrees):
        members = sums_to_members("sums", result.table, drawn.sums)
    else:
        soft = result.kind == "soft"
        members = _soft_trees(result, drawn) if soft else _hard_trees(result, drawn)
    members |= _draws_to_members(drawn, np.array([draw.weight for draw in draws]))
    edits = result.edits()
    if edits is not None:
        given = arrays_of_trees(result.table, [edits.given])
        members |= trees_to_members("given", result.table, given)
    members["answers.json"] = answers_to_plain(result, drawn)
    return members


def _stacked_to_members(result: Result, trees: DrawnTrees) -> dict[str, Any]:
    """The trees of members that were stacked, and how."""
    members = _hard_trees(result, trees)
    members |= _draws_to_members(trees, np.concatenate(trees.draw_weights))
    parts = "stacked", "ended", "prior_mass"
    members["answers.json"] = to_plain({name: getattr(result, name) for name in parts})
    return members


def _draws_to_members(drawn: DrawnTrees, weights: NDArray[np.float64]) -> dict[str, Any]:
    """What each chain drew, with the weights of draws, and the weights of the distinct trees."""
    members: dict[str, Any] = {
        "trees/log_weight.npy": drawn.trees.log_weight,
        "trees/log_likelihood.npy": drawn.trees.log_likelihood,
        "draws/tree.npy": np.concatenate(drawn.chains).astype(np.int64),
        "draws/length.npy": np.array([len(chain) for chain in drawn.chains], np.int64),
        "draws/weight.npy": weights,
    }
    if drawn.log_weights is not None:
        members["draws/log_weights.npy"] = np.concatenate(drawn.log_weights)
    return members


def _soft_trees(result: Result, drawn: DrawnTrees) -> dict[str, Any]:
    trees = [cast(SoftTree, tree) for tree in drawn.trees.trees]
    return soft_trees_to_members("soft", result.table, trees)


def _hard_trees(result: Result, drawn: DrawnTrees) -> dict[str, Any]:
    members = trees_to_members("trees", result.table, drawn.arrays)
    shown = members["trees/statistics.npy"]
    if "trees/added.npy" in members:
        shown = shown + members["trees/added.npy"]
    if not np.array_equal(shown, drawn.leaf_statistics):
        members["trees/averaged.npy"] = drawn.leaf_statistics
    return members
