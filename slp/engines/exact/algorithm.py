"""Which algorithm an exact pass uses, in words for `slp explain` (docs/performance.md)."""

from __future__ import annotations

from textwrap import fill

from slp.problem.problem import Problem

# Why a pass goes item by item: `Obstacle` of `native/core/exact/block_grammar.hpp`, in its order.
_OBSTACLES = (
    "",
    "the program has too many states to list them before the pass",
    "a label or a guard depends on the rows of the box",
    "a state has several rules that split, and they allow different splits",
    "the rules that split have different measures",
    "a leaf needs a majority in a state with calls or several rules for leaves or splits",
    "blocks take the measure `partition` only with at most 32 different sets of forbidden splits, "
    "and with a feature that takes several values in most boxes",
    "there are many states, and each box is reached in few of them",
    "no feature takes several values in most boxes, and binary-feature blocks need at most 128 "
    "features of two values each",
    "the weights of features, or of the splits of one, differ by a factor of more than 1e18",
    "splits are by subsets of levels, or missing values take a side",
    "leaves in boxes have priors of their own",
    "features are in groups, so that the share of one depends on which others can split a box",
)
_BY_LEVELS = (
    "It goes by levels: one look at the sorted rows sums over all trees of both sides of a split, "
    "so that no box of the last two levels is kept. The same pass finds the best tree, the number "
    "of trees and how features are used."
)


def algorithm_in_words(problem: Problem) -> str:
    """How a pass of the compiled core goes and, where it goes item by item, why."""
    assert problem.core is not None
    if problem.core.looks() is not None:
        return fill(_BY_LEVELS, 96)
    obstacle = _OBSTACLES[problem.core.obstacle()]
    if obstacle:
        text = f"It goes item by item (each box in each state by itself): {obstacle}."
    elif problem.core.uses_interval_blocks():
        text = "It goes by interval blocks: boxes that differ in one feature go together."
    else:
        text = "It goes by binary-feature blocks: each row is a word of bits, one for each feature."
    return fill(text, 96)
