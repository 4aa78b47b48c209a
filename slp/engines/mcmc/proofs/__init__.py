"""Metropolis-Hastings over the proofs of a goal, with any log-likelihood of its answers.

Entry points: `sample_proofs`, which `slp.Program.sample_proofs` calls, and its result,
`SampledProofs` (`slp.results.proofs`).

Inside: `start` (a proof to start from), `likelihood` (functions and goals), `chains` (the stepper,
with the proposals of `slp.engines.mcmc.proposals`), `sample` (from options to chains). The
distribution over proofs is in `slp.resolution.proofs.derivations`.
"""

from typing import TYPE_CHECKING

from slp.engines.mcmc.proofs.likelihood import LogLikelihood, imported_function
from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.mcmc.proofs.sample import sample_proofs

__all__ = ["LogLikelihood", "imported_function", "sample_proofs"]

# Commands that read a log-likelihood's name need no chains.
__getattr__, __dir__ = late_names(__name__, {"slp.engines.mcmc.proofs.sample": "sample_proofs"})
