"""Priors over decision trees as stochastic logic programs, and the posterior they give on a table.

    import slp
    program = slp.load("prior.slp")          # or slp.parse(text); faults raise slp.SlpError
    posterior = program.posterior(frame)     # exact where it can be
    posterior.log_evidence, posterior.map_tree(), posterior.predict_proba(new_rows)

The rooms, in the order of the pipeline: `slp.syntax` reads text, `slp.analysis` checks it into
`slp.ir`, `slp.lower` makes a tree grammar, `slp.data` codes a table, `slp.infer` crosses the two;
`slp.compile` is that pipeline in one place. `slp.trees` holds decision trees, `slp.leaves` the
models in their leaves, `slp.proofs` resolution for guards, `slp.query` goals of any program,
`slp.proof_sampling` Metropolis-Hastings over their proofs, `slp.learn` labels and parameters from
data, `slp.kernels` the compiled routines, `slp.cli` the commands.
"""

from importlib import import_module
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
from slp.infer import Posterior
from slp.program import Program, check, load, parse
from slp.trees import CheckResult, Tree, TreeNode

if TYPE_CHECKING:
    from slp.program.learning import LearnResult
    from slp.proof_sampling import SampledProofs
    from slp.query import Draws, QueryResult

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

# Results of questions that few programs are asked: imported when they are first named.
_LATE = {
    "Draws": "slp.query",
    "LearnResult": "slp.program.learning",
    "QueryResult": "slp.query",
    "SampledProofs": "slp.proof_sampling",
}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
