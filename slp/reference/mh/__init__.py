"""Metropolis-Hastings over proof trees, in Python: the specification.

`slp.reference.local_process` defines the choices at each goal, with their probabilities. In the
order of the work: `proof` (the choice points of derivations), `target` (the distribution),
`slp.engines.mcmc.proposals` (where to cut; the acceptance ratios), `exact_subtrees` and
`particle_gibbs` (other proposals), `moves` (from tree to tree), `mixtures` (by their names),
`start` (the proof of a given tree), `chains` (what the loop drives). `backtracking` are chains of
programs that backtrack, with `provable`. `edits` are chains over edits of a given tree, `scans`
those of a ladder. `samplers` makes chains for the engine `mh`.

Reference: Angelopoulos & Cussens (2001), Markov chain Monte Carlo using tree-based priors on model
structure, UAI; (2005), Exploiting informative priors for Bayesian classification and regression
trees, IJCAI.
"""
