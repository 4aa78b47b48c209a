"""Priors over decision trees as stochastic logic programs, and the posterior they give on a table.

    import slp
    program = slp.load("prior.slp")          # or slp.parse(text); faults raise slp.SlpError
    posterior = program.posterior(frame)     # exact where it can be
    posterior.log_evidence, posterior.map_tree(), posterior.predict_proba(new_rows)

The rooms, in the order of the pipeline: `slp.syntax` reads text, `slp.analysis` checks it into
`slp.ir`, `slp.lower` makes a tree grammar, `slp.data` codes a table, `slp.engines` crosses the two;
`slp.compile` is that pipeline in one place. `slp.trees` holds decision trees, `slp.leaves` the
models in their leaves, `slp.resolution` resolution for guards, `slp.resolution.goals` goals of any
program, `slp.engines.mcmc.proofs` Metropolis-Hastings over their proofs, `slp.learn` labels and
parameters from data, `slp.kernels` the compiled routines, `slp.cli` the commands.
"""

from typing import TYPE_CHECKING

from slp.errors import (
    BudgetError,
    DataError,
    Diagnostic,
    ProgramError,
    SlpError,
    SlpWarning,
    UnsupportedError,
    UsageError,
)
from slp.late import late_names

if TYPE_CHECKING:
    from slp.program import Program, check, load, parse
    from slp.program.learning import LearnResult
    from slp.resolution import Draws, QueryResult
    from slp.results import Posterior, SampledProofs
    from slp.trees import CheckResult, Tree, TreeNode

__version__ = "0.1.0"

__all__ = [
    "BudgetError",
    "CheckResult",
    "DataError",
    "Diagnostic",
    "Draws",
    "LearnResult",
    "Posterior",
    "Program",
    "ProgramError",
    "QueryResult",
    "SampledProofs",
    "SlpError",
    "SlpWarning",
    "Tree",
    "TreeNode",
    "UnsupportedError",
    "UsageError",
    "__version__",
    "check",
    "load",
    "parse",
]

# The commands' help needs none of these, and few programs need all.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "CheckResult": "slp.trees",
        "Draws": "slp.resolution",
        "LearnResult": "slp.program.learning",
        "Posterior": "slp.results",
        "Program": "slp.program",
        "QueryResult": "slp.resolution",
        "SampledProofs": "slp.results",
        "Tree": "slp.trees",
        "TreeNode": "slp.trees",
        "check": "slp.program",
        "load": "slp.program",
        "parse": "slp.program",
    },
)
