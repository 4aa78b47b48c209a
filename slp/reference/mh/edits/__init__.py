"""The prior `edittree`: a given tree, edited at random, and Metropolis-Hastings over the edits.

In the order of the work: `nodes` (trees that share nodes, and the places of edits), `process`
(sequences of edits and their choice points), `target` (the distribution), `start` (first states of
chains), `chains` (what the loop drives). Proposals are those of `slp.engines.mcmc.proposals`.
"""
