"""What engines share. No engine imports another engine.

Engines that sum: `sums` (from a distribution to a result), `size` and `fitting` (how large they
are, and what would fit), `kbest` (best derivations), `near_best` (how many are near the best).

Engines that draw: `drawing` (from chains or islands to a result), `records` (samplers whose records
are those of another), `digests` (by which a checkpoint knows its own), `starts` (the search for a
first tree, and its messages), `chain_messages` (messages about a run), `choices` (what is told of
the choice of an engine), `proposal_names` and `filter_plan` (names and plans of proposals),
`forward_runs` (whether the prior can be drawn from).

Engines that find good trees: `found_trees` (from the trees to a result).

The core: `core_limits` (which chains run in it), `core_chains` (chains in it), `compiled_proofs`
(those over proof trees, which also weigh any tree, and are what `smc` grows), `tree_scorer`
(weights of many trees).

Trees: `growth` (one tree, greedily), `weights` (the weight of any tree).
"""
