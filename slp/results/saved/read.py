"""Reads the file of a saved run; see `slp.results.saved.save` for its members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.ir.program import UsedFile
from slp.problem.sum_arrays import SumArrays
from slp.problem.tree_arrays import TreeArrays
from slp.results.averages.additive import SummedTrees
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import ScoredTrees
from slp.results.averages.soft import SoftTrees
from slp.results.record.choice import EngineChoice
from slp.results.record.of_members import result_of_stack
from slp.results.record.parts import Ended, ResultKind
from slp.results.record.prior_mass import PriorMass
from slp.results.record.result import Result
from slp.results.record.run import RunRecord
from slp.results.record.stacked import Stacked
from slp.results.saved.additive import sums_of_members
from slp.results.saved.answers import answers_of_format_1, result_of_answers
from slp.results.saved.archive import Archive, DamagedError, read_archive
from slp.results.saved.plain import from_plain
from slp.results.saved.soft import soft_trees_of_members
from slp.results.saved.tables import statistics_are_sound, table_of_members
from slp.results.saved.trees import SavedTrees, trees_of_members
from slp.source import SourceFile
from slp.trees.predicates import AskedPredicate


@dataclass(frozen=True, eq=False)
class SavedRun:
    """What is in a file. `source` is the text of its program, which finds the files that it uses
    among those that were saved; `sums` says whether its numbers are sums over all trees; `choice`,
    `likelihood`, `normalised` and `seed` are as of `Result`."""

    archive: Archive
    source: SourceFile
    record: RunRecord
    table: Table
    choice: EngineChoice
    likelihood: bool
    normalised: bool
    seed: int
    predicates: Sequence[AskedPredicate]

    @property
    def sums(self) -> bool:
        """Whether its numbers are sums over all trees, which are made again."""
        return bool(self.archive.manifest["kind"] == "sums")

    def result(self, threads: int) -> Result:
        """The result of a run of trees, whose averages take a number of threads."""
        archive, table = self.archive, self.table
        trees = self._trees()
        chains, log_weights, weights = _draws(archive, len(trees))
        scored = _scored(archive, trees)
        averages: DrawnTrees
        if isinstance(trees, TreeArrays):
            averaged = _averaged(archive, table, trees)
            averages = SavedTrees(table, scored, chains, log_weights, averaged, threads)
        elif isinstance(trees, SumArrays):
            averages = SummedTrees(table, scored, chains, threads)
        else:
            averages = SoftTrees(table, scored, chains, threads, None, log_weights)
        if archive.manifest["kind"] == "stacked":
            return self._stacked(averages)
        edited = "given/feature.npy" in archive.contents
        said = archive.json("answers.json")
        return result_of_answers(
            answers_of_format_1(said, len(trees)) if archive.manifest["format"] == 1 else said,
            table,
            averages,
            weights,
            [trees_of_members(archive, "given", table)[0]] if edited else [],
            choice=self.choice,
            likelihood=self.likelihood,
            normalised=self.normalised,
            seed=self.seed,
        )

    def _trees(self) -> TreeArrays | SumArrays | Sequence[Any]:
        """The trees of the file, or the sums of trees."""
        of = self.archive.manifest["kind"]
        if of == "soft":
            return soft_trees_of_members(self.archive, "soft", self.table)
        if of == "additive":
            return sums_of_members(self.archive, "sums", self.table)
        return trees_of_members(self.archive, "trees", self.table)

    def _stacked(self, trees: DrawnTrees) -> Result:
        """Members that were stacked by prediction."""
        said = self.archive.json("answers.json")
        stacked = from_plain(Stacked, said["stacked"])
        if not stacked.is_sound or len(stacked.weights) != len(trees.chains):
            raise DamagedError("its members are not sound")
        return result_of_stack(
            trees,
            stacked,
            choice=self.choice,
            normalised=self.normalised,
            seed=self.seed,
            ended=from_plain(Ended, said["ended"]),
            prior_mass=from_plain(PriorMass, said["prior_mass"]),
        )


def read_run(path: str | Path, memory: int) -> SavedRun:
    """Read a file, within a budget of bytes and within `only_saved_runs`.

    Raises
    ------
    As `slp.results.saved.archive.read_archive`.
    """
    archive = read_archive(path, memory)
    manifest = archive.manifest
    if manifest["kind"] not in get_args(ResultKind):
        raise DamagedError("it is of no kind that there is")
    facts = archive.json("facts.json")
    choice, seed = from_plain(EngineChoice, facts["choice"]), from_plain(int, facts["seed"])
    if choice.engine != manifest["engine"] or seed != manifest["seed"]:
        raise DamagedError("its manifest and its facts differ")
    source, record = _program(archive)
    return SavedRun(
        archive,
        source,
        record,
        table_of_members(archive),
        choice,
        from_plain(bool, facts["likelihood"]),
        from_plain(bool, facts["normalised"]),
        seed,
        [AskedPredicate(**_predicate(found), function=_not_saved) for found in facts["predicates"]],
    )


def _program(archive: Archive) -> tuple[SourceFile, RunRecord]:
    data, manifest = archive.json("program.json"), archive.manifest
    saved: dict[tuple[str, str], SourceFile] = {}
    files = [
        UsedFile(f["user"], f["target"], SourceFile(f["name"], f["text"], saved=saved))
        for f in data["files"]
    ]
    saved |= {(used.user, used.target): used.file for used in files[1:]}
    record = from_plain(
        RunRecord,
        {
            "files": [],
            **{name: data[name] for name in ("parameters", "words", "fine_print")},
            "draws": manifest["draws"],
            "options": {},
            "boxes": data.get("boxes", []),
            "by_partition": data.get("by_partition", False),
            "costs": data.get("costs", {}),
        },
    )
    texts = (text for f in data["files"] for text in (*f.values(),))
    if not all(isinstance(text, str) for text in texts) or record.draws < 0:
        raise DamagedError("its program is not sound")
    options = dict(manifest["options"])
    return files[0].file, replace(record, files=tuple(files), options=options)


def _predicate(data: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: data[name] for name in ("words", "asked", "refused", "seconds")}
    kinds = {"words": str, "asked": int, "refused": int, "seconds": float}
    if not all(isinstance(found[name], kind) for name, kind in kinds.items()):
        raise DamagedError("its predicates are not sound")
    return found


def _not_saved(subject: object) -> bool:
    raise TypeError("predicates are not saved")


def _draws(
    archive: Archive, n_trees: int
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.float64]] | None, NDArray[np.float64]]:
    """The numbers of the trees that each chain drew, log weights of particles, and weights."""
    lengths = archive.array("draws/length.npy", np.int64, None)
    if (lengths < 0).any() or (lengths > len(archive.contents["draws/tree.npy"])).any():
        raise DamagedError("its draws are not sound")
    n = int(lengths.sum())
    numbers = archive.array("draws/tree.npy", np.int64, n)
    weights = archive.array("draws/weight.npy", np.float64, n)
    ends = np.cumsum(lengths)[:-1]
    if n == 0 or numbers.min() < 0 or numbers.max() >= n_trees or not (weights >= 0).all():
        raise DamagedError("its draws are not sound")
    if "draws/log_weights.npy" not in archive.contents:
        return np.split(numbers, ends), None, weights
    log_weights = archive.array("draws/log_weights.npy", np.float64, n)
    if np.isnan(log_weights).any() or not np.isfinite(log_weights.max()):
        raise DamagedError("its draws are not sound")
    return np.split(numbers, ends), np.split(log_weights, ends), weights


def _scored(archive: Archive, trees: TreeArrays | SumArrays | Sequence[Any]) -> ScoredTrees:
    names = "log_weight", "log_likelihood"
    of = (archive.array(f"trees/{name}.npy", np.float64, len(trees)) for name in names)
    return ScoredTrees(trees, *of)


def _averaged(archive: Archive, table: Table, trees: TreeArrays) -> NDArray[np.float64]:
    """The statistics that averages are by, (K, k)."""
    found = trees.statistics
    if "trees/averaged.npy" in archive.contents:
        found = archive.array("trees/averaged.npy", np.float64, *found.shape)
    elif trees.added is not None:
        found = found + trees.added
    if not statistics_are_sound(table.leaf, found):
        raise DamagedError("the leaves of its trees are not sound")
    return found
