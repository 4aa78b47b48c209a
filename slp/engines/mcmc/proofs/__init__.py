"""Metropolis-Hastings over the proofs of a goal, with any log-likelihood of its answers.

Entry points: `sample_proofs`, which `slp.Program.sample_proofs` calls, and what it gives,
`SampledProofs`.

Inside, in the order of the work: `derivations` (proofs as choices, and the distribution over them),
`start` (a proof to begin with), `likelihood` (functions and goals), `chains` (what the loop of
`slp.runner` runs, with the proposals of `slp.engines.mcmc.trees`), `sample` (from options to
chains), `sampled` (draws and what they come to).
"""

from slp.engines.mcmc.proofs.likelihood import LogLikelihood, imported_function
from slp.engines.mcmc.proofs.sample import ProofChainOptions, sample_proofs
from slp.results.proofs import DrawnProof, SampledAnswer, SampledProofs

__all__ = [
    "DrawnProof",
    "LogLikelihood",
    "ProofChainOptions",
    "SampledAnswer",
    "SampledProofs",
    "imported_function",
    "sample_proofs",
]
