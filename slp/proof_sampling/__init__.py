"""Metropolis-Hastings over the proofs of a goal, with any log-likelihood of its answers.

Entry points: `sample_proofs`, which `slp.Program.sample_proofs` calls, and what it gives,
`SampledProofs`.

Inside, in the order of the work: `derivations` (proofs as choices, and the distribution over them),
`start` (a proof to begin with), `likelihood` (functions and goals), `engine` (what the run loop of
`slp.infer.run` runs, with the proposals of `slp.infer.mh`), `sample` (from options to chains),
`sampled` (draws and what they come to).
"""

from slp.proof_sampling.likelihood import LogLikelihood, imported_function
from slp.proof_sampling.sample import ProofSampling, sample_proofs
from slp.proof_sampling.sampled import DrawnProof, SampledAnswer, SampledProofs

__all__ = [
    "DrawnProof",
    "LogLikelihood",
    "ProofSampling",
    "SampledAnswer",
    "SampledProofs",
    "imported_function",
    "sample_proofs",
]
