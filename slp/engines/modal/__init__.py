"""Greedy modal trees: at each node the most probable of stopping and all splits.

Nuti, Jiménez Rugama & Cross (2019). Entry points, by file:

    options    the options of the engine
    plan       how a tree is grown, and the tree that comes of it
    plain      the growth in plain Python: the specification, with `goal_scores`
    compiled   the same in the core (`native/core/modal`)
    pruning    from a grown tree to one that satisfies the tests on finished trees
    run        all trees of a run: restarts, other roots, and the best of them
    result     what they show, as a `slp.results.record.result.Result`
    weights    what weighs any tree of a problem
    engine     the engine
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.modal.run import run_modal, scorer_of

__all__ = ["run_modal", "scorer_of"]

__getattr__, __dir__ = late_names(__name__, {"slp.engines.modal.run": "run_modal scorer_of"})
