"""How large a problem is for the compiled engine, estimated before it is run.

The method is in `native/core/exact/estimate.hpp`: a random search for boxes, which is unbiased if
only the table limits them. It takes a few tenths of a second, or a second or two for tens of
thousands of rows. Its seed is fixed, so it gives the same numbers each time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from slp.data.table import Table
from slp.errors import UnsupportedError
from slp.ir.tree_grammar import OpenStates, SplitRule, TreeGrammar
from slp.problem.core import MOST_COUNTS, counts_fit
from slp.problem.problem import Problem
from slp.results.record.size import BYTES_PER_ITEM, Size, bytes_of_items

if TYPE_CHECKING:
    from slp._core import ExactEngine

# Bytes of the sums that interval blocks keep until the end; a vector has a word for each depth.
_BYTES_PER_BOX, _WORD = 30, 8

_FINE, _SEED = 1e7, 1
# Of a split of an item, and of a row and a feature in a look; the relative standard error of the
# number of looks.
_SECONDS_PER_SPLIT, _SECONDS_PER_VISIT, _ERROR_OF_LOOKS = 5e-8, 1e-8, 0.1
#: The work of a rough estimate: a few milliseconds.
ROUGH = 2e5
# A feature with more values is not inner (`native/core/exact/interval_blocks/inner_feature.cpp`).
_MOST_INNER = 256
# A rough estimate is enough if it differs from the limit by this factor.
_FAR = 8.0


def estimate_size(problem: Problem, work: float = _FINE) -> Size | None:
    """The size of exact sums over a problem; None without the compiled core, or where its rules
    would count too many leaves for sums that nobody asked for (`MOST_COUNTS`)."""
    grammar, table = problem.grammar, problem.table
    if not counts_fit(grammar, table, MOST_COUNTS) or problem.core is None:
        return None
    return size_of(problem.core, grammar, table, work)


def rough_size(problem: Problem) -> Size | None:
    """The same, found in a few milliseconds; None also where states are open."""
    if isinstance(problem.grammar.states, OpenStates):
        return None
    return estimate_size(problem, ROUGH)


def size_for(problem: Problem, memory: float, splits: float) -> Size | None:
    """The size, as exactly as needed to decide whether a pass `fits`; None without the compiled
    core. A few milliseconds suffice for problems that are far too large or small enough."""
    engine, grammar, table = problem.core, problem.grammar, problem.table
    if engine is None:
        return None
    rough = size_of(engine, grammar, table, ROUGH)
    if isinstance(grammar.states, OpenStates):
        # Many states are listed only if there are few enough boxes for a pass to fit.
        if rough.at_least or rough.boxes_alone().exceeds(memory, splits):
            return rough
        try:
            listed = problem.on(grammar.listed())
        except UnsupportedError:
            return replace(rough, at_least=True)
        return size_for(listed, memory, splits)
    small = rough.fits(memory / _FAR, splits / _FAR)
    return (
        rough
        if small or rough.exceeds(memory * _FAR, splits * _FAR)
        else size_of(engine, grammar, table)
    )


def items_of(engine: ExactEngine) -> float:
    """The number of boxes in states, whether a pass keeps them or not."""
    boxes, _, _, states, _, _ = engine.estimate_boxes(_FINE, _SEED)
    return boxes * states


def size_of(engine: ExactEngine, grammar: TreeGrammar, table: Table, work: float = _FINE) -> Size:
    """The size of the problem of an `ExactEngine` of a grammar on a table. Where passes go by
    levels (`native/core/exact/level_sums.hpp`), boxes are the sides that they look at."""
    if (plan := engine.looks()) is not None:
        looks, visits, size = plan
        passes = 1 + (not grammar.normalised)
        return Size(
            2 * looks,
            2 * looks,
            visits * _SECONDS_PER_VISIT / _SECONDS_PER_SPLIT,
            round(size),
            _ERROR_OF_LOOKS,
            seconds=visits * _SECONDS_PER_VISIT * passes,
            summary_memory=size,
        )
    boxes, unlimited, error, states, splits, at_least = engine.estimate_boxes(work, _SEED)
    items = boxes * states
    per_box = 0 if at_least else engine.values_per_box()
    excludes = grammar.min_leaf > 1 or grammar.min_weight is not None
    if per_box:
        vector = _WORD * (per_box + 1) if per_box > 1 else 0
        # Interval blocks omit boxes that `min_leaf` excludes, but visit some more than once: 2 to
        # 15 times the boxes on the tables tried, for a min_leaf of 2 to 29.
        visited = min(3 * unlimited, 10 * boxes) if excludes else unlimited
        memory = visited * (BYTES_PER_ITEM + _BYTES_PER_BOX + vector)
        splits_in_all = visited * splits
    else:
        memory, splits_in_all = bytes_of_items(items), items * splits
    summary_memory = 2.0 * memory  # uses of features: a derivative beside each value
    seconds = seconds_of(boxes, unlimited, items, splits, per_box, grammar, table)
    return Size(
        boxes, items, splits_in_all, round(memory), error, at_least, seconds, summary_memory
    )


def seconds_of(
    boxes: float,
    unlimited: float,
    items: float,
    splits: float,
    per_box: int,
    grammar: TreeGrammar,
    table: Table,
) -> float:
    """Approximate seconds of one core for a whole summary: the passes for evidence (two if the
    grammar does not normalise), best tree and number of trees, and the uses of features, which take
    as long as several passes.

    Measurements are in docs/design/exact-passes.md.
    """
    d = len(table.features)
    rows = 1 + len(table.counts) / 2000
    passes = 3 + (not grammar.normalised or grammar.max_leaves is not None)
    if not per_box:
        # Splits that depth and `min_leaf` exclude are not followed, although `splits` counts them.
        gone_through = splits * min(1.0, boxes / max(1.0, unlimited))
        return items * rows * (1.5e-6 + gone_through * _SECONDS_PER_SPLIT) * (passes + 2)
    # Interval blocks follow what depth excludes. One look-up serves as many boxes as the inner
    # feature has values.
    numeric = [f.kind for f in table.features if not f.kind.categorical]
    values = [kind.n_codes for kind in numeric if kind.n_codes <= _MOST_INNER]
    a_pass = unlimited * rows * (8e-6 / max([4, *values]) + splits * per_box * 1e-9)
    rules = (rule for _, rule in grammar.rules() if isinstance(rule, SplitRule))
    if any(rule.measure == "partition" for rule in rules):
        a_pass *= 3  # each split is looked up among those that part the rows alike
    return a_pass * (passes + 2 + 0.45 * d)
