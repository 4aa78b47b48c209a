"""The soft trees of a saved run as arrays.

feature     int32 (N,): of each node in preorder, tree after tree, the number of its feature, of a
            split on all features that with the largest weight; -1 at a leaf
threshold, width  float64 (S,): of each split
by_feature  float64 (S, d): the weights of splits on all features, which other runs do not have
leaves      float64 (K, C): the soft counts of each leaf; of numbers (K, 1), its mean
variance    float64 (U,): of each tree of numbers
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.leaves import LeafModel
from slp.results.averages.soft import soft_leaves
from slp.results.saved.archive import Archive, DamagedError
from slp.results.saved.tables import statistics_are_sound
from slp.trees.soft import SoftLeaf, SoftNode, SoftSplit, SoftTree


def soft_trees_to_members(folder: str, table: Table, trees: Sequence[SoftTree]) -> dict[str, Any]:
    """Soft trees as the arrays above."""
    number = {f.name: i for i, f in enumerate(table.features)}
    nodes = [node for tree in trees for node in tree.nodes]
    splits = [node for node in nodes if isinstance(node, SoftSplit)]
    leaves = [node for node in nodes if isinstance(node, SoftLeaf)]
    of_classes = bool(table.leaf.classes)
    told = [[n for _, n in x.counts or ()] if of_classes else [x.mean] for x in leaves]
    numbers = [number[n.feature] if isinstance(n, SoftSplit) else -1 for n in nodes]
    members = {
        "feature": np.array(numbers, np.int32),
        "threshold": np.array([split.threshold for split in splits], np.float64),
        "width": np.array([split.width for split in splits], np.float64),
        "leaves": np.array(told, np.float64),
    }
    if any(split.weights != ((split.feature, 1.0),) for split in splits):
        rows = [[weight for _, weight in split.weights] for split in splits]
        members["by_feature"] = np.array(rows, np.float64)
    if not of_classes:
        members["variance"] = np.array([tree.variance for tree in trees], np.float64)
    return {f"{folder}/{name}.npy": array for name, array in members.items()}


def soft_trees_of_members(archive: Archive, folder: str, table: Table) -> list[SoftTree]:
    """The soft trees of a file."""
    names, leaf = table.feature_names, table.leaf
    feature = archive.array(f"{folder}/feature.npy", np.int32, None)
    n_splits = int((feature >= 0).sum())
    threshold = archive.array(f"{folder}/threshold.npy", np.float64, n_splits)
    width = archive.array(f"{folder}/width.npy", np.float64, n_splits)
    told = archive.array(
        f"{folder}/leaves.npy", np.float64, len(feature) - n_splits, len(leaf.classes) or 1
    )
    sound = (
        ((feature >= -1) & (feature < len(names))).all()
        and np.isfinite(threshold).all()
        and ((width > 0) & np.isfinite(width)).all()
        and np.isfinite(told).all()
        and (not leaf.classes or statistics_are_sound(leaf, told))
    )
    if f"{folder}/by_feature.npy" in archive.contents:
        by_feature = archive.array(f"{folder}/by_feature.npy", np.float64, n_splits, len(names))
        sound = sound and ((by_feature >= 0) & np.isfinite(by_feature)).all()
        weights = [tuple(zip(names, own, strict=True)) for own in by_feature.tolist()]
    elif sound:
        weights = [((names[f], 1.0),) for f in feature.tolist() if f >= 0]
    if not sound:
        raise DamagedError("its soft trees are not sound")
    triples = zip(weights, threshold.tolist(), width.tolist(), strict=True)
    splits = (SoftSplit(*one) for one in triples)
    trees = list(_parted(feature.tolist(), splits, told, leaf))
    if leaf.classes:
        return [SoftTree(nodes) for nodes in trees]
    variance = archive.array(f"{folder}/variance.npy", np.float64, len(trees))
    if not ((variance > 0) & np.isfinite(variance)).all():
        raise DamagedError("its soft trees are not sound")
    return [SoftTree(*one) for one in zip(trees, variance.tolist(), strict=True)]


def _parted(
    features: Sequence[int],
    splits: Iterator[SoftSplit],
    told: NDArray[np.float64],
    leaf: LeafModel,
) -> Iterator[tuple[SoftNode, ...]]:
    """The nodes of each tree, whose leaves predict by `told`."""
    own: list[SoftSplit | None] = []
    still_open, first = 1, 0
    for feature in features:
        own.append(next(splits) if feature >= 0 else None)
        still_open += 1 if feature >= 0 else -1
        if still_open == 0:
            n = own.count(None)
            leaves = iter(soft_leaves(told[first : first + n], leaf))
            yield tuple(next(leaves) if node is None else node for node in own)
            own, still_open, first = [], 1, first + n
    if own:
        raise DamagedError("its last tree has no end")
