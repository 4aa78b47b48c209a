"""Sums of trees by Bayesian backfitting, on the compiled core (`native/core/additive`), or plainly
(`slp.reference.additive`).

Files:

    options    the options of the engine
    refusals   what it does not take
    numbers    the numbers of a sum on a table, and the responses of its distinct rows
    chains     chains for the shared loop, and what their records stand for
    core_sums  the steps of chains in the core
    result     results
    run        runs
    engine     the engine
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.additive.run import run_sums, sampler_of, schedule_of

__all__ = ["run_sums", "sampler_of", "schedule_of"]

__getattr__, __dir__ = late_names(
    __name__, {"slp.engines.additive.run": "run_sums sampler_of schedule_of"}
)
