"""How far numbers can be trusted. `convergence` has R-hat, effective draws and Monte Carlo errors
of any quantity, `diagnostics` those of a run, and `tempering` the figures of tempered chains.
`judgement` makes every test and is the one judgement; `doubts` says it, with the run to make in its
place.
"""
