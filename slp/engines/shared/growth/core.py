"""Modal trees grown in the C++ core (`native/core/modal`), as `PlainGrower` grows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from slp.data.table import Table
from slp.engines.shared.growth.plan import Ending, Grown, Plan
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.compiled import compiled_core
from slp.problem.core import core_problem
from slp.problem.numbered_cuts import CoreCuts
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp._core import ExactEngine


def core_engine(problem: Problem) -> ExactEngine:
    """The core's `ExactEngine` of a problem, in which leaves are not counted."""
    grammar: TreeGrammar = problem.grammar
    if grammar.max_leaves is None:
        assert problem.core is not None
        return problem.core
    core = compiled_core()
    assert core is not None
    uncounted = core_problem(core, grammar, problem.table, count_leaves=False)
    engine: ExactEngine = core.ExactEngine(uncounted)
    return engine


def grow_in_core(
    engine: ExactEngine,
    table: Table,
    plan: Plan,
    *,
    room: int,
    threads: int = 1,
    poll: Callable[[int, int, int], bool] | None = None,
) -> Grown:
    """One tree. `engine`: see `core_engine`. `room`: bytes that the growth may take. `poll` is
    called some ten times a second with the number of nodes, 0, and the bytes used; False stops the
    growth, and so does Ctrl-C.

    Raises
    ------
    LabelError
        Of the core: a label that counts rows is no probability in some box.
    """
    core = compiled_core()
    assert core is not None
    grown = core.grow_modal_tree(engine, **asdict(plan), room=room, threads=threads, progress=poll)
    ending, feature, low, high, stop, likelihood, split, gain, sums, added, *rest = grown
    cuts = CoreCuts(engine, table).of_core(np.stack([feature, low, high], axis=1).astype(np.int64))
    feature, low, high = cuts.T
    sums = sums.reshape(len(feature), table.leaf.n_statistics)
    added = added.reshape(sums.shape) if len(added) else np.zeros_like(sums)
    logs = stop, likelihood, split, gain
    return Grown(Ending(ending), feature, low, high, *logs, sums, added, *rest)
