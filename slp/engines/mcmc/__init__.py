"""Metropolis-Hastings: over derivations of trees (`slp.engines.shared.compiled_proofs`), over edits
of a given tree (`compiled_edits`), over proofs of a goal (`proofs`). `tempering` runs chains at
several powers of the likelihood.

`engine` is the engine `mh`, `refusals` what it refuses, `independent` the engine `forward`, whose
draws `forward` makes. `sample` runs chains over trees and collects their draws; `given_start` reads
the tree that they begin at. `options`, `default_steps` and `rounds` set their length, `memory`
counts their bytes. `proposals` has the proposals on derivations and the step that takes them,
`mixture` the chains that draw one of several proposals, `over_parameters` chains that move
parameters too, `over_weights` chains that move feature weights, which `weight_steps` draws,
`default_proposal` the proposals of a run that names none.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.mcmc.default_steps import seconds_of_step
    from slp.engines.mcmc.refusals import find_refusals
    from slp.engines.mcmc.sample import (
        chain_schedule,
        forward_draws,
        outside_core,
        run_chains,
        runs_forward,
        tree_sampler,
    )

__all__ = [
    "chain_schedule",
    "find_refusals",
    "forward_draws",
    "outside_core",
    "run_chains",
    "runs_forward",
    "seconds_of_step",
    "tree_sampler",
]

# Exact engines need none of it.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.engines.mcmc.default_steps": "seconds_of_step",
        "slp.engines.mcmc.refusals": "find_refusals",
        "slp.engines.mcmc.sample": (
            "chain_schedule forward_draws outside_core run_chains runs_forward tree_sampler"
        ),
    },
)
