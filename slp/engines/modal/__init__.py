"""Greedy modal trees: at each node the most probable of stopping and all splits.

Nuti, Jiménez Rugama & Cross (2019). Entry points, by file:

    options    the options of the engine
    run        all trees of a run: restarts, other roots, and the best of them
    result     what they show, as a `slp.results.record.result.Result`
    weights    what weighs any tree of a problem
    engine     the engine

One tree is grown by `slp.engines.shared.growth`, whose specification is `slp.reference.modal`.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.modal.run import run_modal

__all__ = ["run_modal"]

__getattr__, __dir__ = late_names(__name__, {"slp.engines.modal.run": "run_modal"})
