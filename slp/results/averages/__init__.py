"""Averages over trees. `over_trees` defines them; `weighted_draws` makes them from draws, and
`soft` from draws of soft trees. `rows_in_leaves` tells what leaves predict of single rows, `paths`
how rows go down random trees, and `quantiles` has those of mixtures of leaves.
"""
