"""Averages over trees. `over_trees` defines them, `contract` what a result asks; `sums` has those
of all trees, `drawn_trees` those of draws, by the means and errors of `weighted_draws` and where
`routed_trees` says that rows end, `functions` those of draws that have a distribution for each row:
`soft` trees, and `additive` sums of trees. `rows_in_leaves` tells what leaves predict of single
rows, `paths` how rows go down random trees, `asked` which features they are asked, `proximity`
which of them share a leaf, `left_out` and `smoothing` what rows are worth given the others, and
`quantiles` has those of mixtures of leaves. `reached` has the leaves that rows reach in trees, with
draws of their parameters, and `quantities` what of these is asked. `over_parameters` has those of
sums at several values of parameters. `stacked` has those of members that are stacked by prediction,
by the weights of `member_weights`; `no_posterior` refuses what these do not tell.
"""
