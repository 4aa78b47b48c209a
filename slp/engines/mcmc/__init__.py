"""Metropolis-Hastings: over derivations of trees (`trees`), over edits of a given tree (`edits`),
over proofs of a goal (`proofs`). `tempering` runs chains at several powers of the likelihood.

`engine` is the engine `mh`, `refusals` what it refuses, `independent` the engine `forward`.
`sample` runs chains over trees and collects their draws. `options`, `default_steps` and `rounds`
set their length, `memory` counts their bytes. `proposals` has the proposals on derivations and the
step that takes them, `mixture` the chains that draw one of several proposals, `default_proposal`
those of a run that names none. `records` makes chains whose records are those of other chains.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.mcmc.refusals import find_refusals
    from slp.engines.mcmc.sample import (
        backtracking_draws,
        best_drawn,
        chain_schedule,
        forward_draws,
        run_chains,
        runs_forward,
        tree_sampler,
    )
    from slp.engines.shared.compiled_proofs import why_not_in_core
    from slp.reference.mh.exact_subtrees import most_boxes_within

__all__ = [
    "backtracking_draws",
    "best_drawn",
    "chain_schedule",
    "find_refusals",
    "forward_draws",
    "most_boxes_within",
    "run_chains",
    "runs_forward",
    "tree_sampler",
    "why_not_in_core",
]

# Exact engines need none of it.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.engines.mcmc.refusals": "find_refusals",
        "slp.engines.mcmc.sample": (
            "backtracking_draws best_drawn chain_schedule forward_draws run_chains runs_forward "
            "tree_sampler"
        ),
        "slp.engines.shared.compiled_proofs": "why_not_in_core",
        "slp.reference.mh.exact_subtrees": "most_boxes_within",
    },
)
