"""Writes a posterior to a file; see `slp.results.saved.archive` for the file.

    program.json    `RunRecord` without draws and options: texts of all files of the program,
                    parameters, the program in words
    table.json      see `slp.results.saved.tables`; with `rows/*.npy` for exact sums, and on request
    facts.json      `Facts`: engine and why, seed; and the predicates that were asked
    answers.json    `Answers`, of a run of trees: evidence, best trees, diagnostics and the like
    trees/*.npy     its distinct trees (`slp.results.saved.trees`), with `log_weight` and
                    `log_likelihood`, float64 (U,); `averaged` (K, k) where predictions are by
                    statistics that differ in their last bits
    draws/*.npy     `tree` int64 (T,), the number of the tree of each draw; `length` int64 (M,), how
                    many draws each chain kept; `weight` float64 (T,); of particles `log_weights`
    given/*.npy     the tree given to `edittree`
    soft/*.npy      soft trees (`slp.results.saved.soft`), in place of all `trees/` but these two

Sums over all trees are not saved: program and table are, and the sums are made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np

from slp.errors import UsageError
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.record.result import Result
from slp.results.record.run import RunRecord
from slp.results.saved.answers import Answers, Facts, SavedCandidate, SavedEdits
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
        "facts.json": {**to_plain(Facts(*_named(result, Facts))), "predicates": asked},
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
    }


def _named(result: Result, kind: type[Any]) -> list[Any]:
    return [getattr(result, field.name) for field in fields(kind)]


def _trees_to_members(result: Result) -> dict[str, Any]:
    """The trees of a result whose averages are over trees, and its answers."""
    drawn, draws = result.averages.drawn, result.draws()
    assert drawn is not None
    soft = result.kind == "soft"
    members = _soft_trees(result, drawn) if soft else _hard_trees(result, drawn)
    members["trees/log_weight.npy"] = np.array([t.log_weight for t in drawn.trees])
    members["trees/log_likelihood.npy"] = np.array([t.log_likelihood for t in drawn.trees])
    members["draws/tree.npy"] = np.concatenate(drawn.chains).astype(np.int64)
    members["draws/length.npy"] = np.array([len(chain) for chain in drawn.chains], np.int64)
    members["draws/weight.npy"] = np.array([draw.weight for draw in draws])
    if drawn.log_weights is not None:
        members["draws/log_weights.npy"] = np.concatenate(drawn.log_weights)
    edits = result.edits()
    if edits is not None:
        members |= trees_to_members("given", result.table, [edits.given])
    members["answers.json"] = to_plain(_answers(result, drawn))
    return members


def _soft_trees(result: Result, drawn: DrawnTrees) -> dict[str, Any]:
    trees = [cast(SoftTree, scored.tree) for scored in drawn.trees]
    return soft_trees_to_members("soft", result.table, trees)


def _hard_trees(result: Result, drawn: DrawnTrees) -> dict[str, Any]:
    trees = [scored.tree for scored in drawn.trees]
    members = trees_to_members("trees", result.table, trees)
    shown = members["trees/statistics.npy"]
    if "trees/added.npy" in members:
        shown = shown + members["trees/added.npy"]
    if not np.array_equal(shown, drawn.leaf_statistics):
        members["trees/averaged.npy"] = drawn.leaf_statistics
    return members


def _answers(result: Result, drawn: DrawnTrees) -> Answers:
    evidence, importances, edits = result.evidence, result.importances, result.edits()
    numbers = {result.shown(scored.tree): u for u, scored in enumerate(drawn.trees)}
    best = [c for c in islice(result.best(), len(drawn.trees)) if c.tree in numbers]
    try:
        rules = tuple(result.rules())
    except UsageError:  # this engine does not tell
        rules = None
    return Answers(
        log_evidence=evidence.estimate(),
        no_evidence=evidence.why_none,
        evidence_note=evidence.note,
        no_bayes_factor=evidence.no_bayes_factor,
        log_prior_total=evidence.log_prior_total(),
        log_total=evidence.log_total(),
        derivations_are_trees=result.derivations_are_trees(),
        tree_count=result.tree_count(),
        left_out=evidence.left_out(),
        trees_found=result.trees_found,
        importances=None if importances is None else tuple(importances.tolist()),
        diagnostics=result.diagnostics(),
        schedule=result.schedule,
        interrupted=result.ended.interrupted,
        out_of_time=result.ended.out_of_time,
        best=tuple(SavedCandidate(**{**vars(c), "tree": numbers[c.tree]}) for c in best),
        rules=rules,
        mixture=tuple(result.mixture()),
        edits=None
        if edits is None
        else SavedEdits(
            edits.expected, edits.expected_error, tuple(edits.distribution.tolist()), edits.shares
        ),
        drawn=result.monte_carlo is not None,
        weights_known=all(draw.log_weight is not None for draw in result.draws()),
    )
