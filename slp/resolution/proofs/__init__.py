"""Proofs of a goal in a stochastic program: spaces of proofs, their masses, and draws.

`query` (a goal made ready), `choices` (clauses at a stochastic goal), `tails` (goals behind one),
`recorded` (what was bound of an answer), `masses` (numbers that do not underflow). `best_first` and
`search` find all proofs, `graph` stores them, and `flow` sums over the graph. `draws`, `weighted`,
`runs` and `derivations` have proofs for draws and chains; `failures` says why a goal fails.
"""
