"""What an engine fills. `result` has the record, `parts` its candidates, draws and evidence, and
`later` what is computed when it is asked for; `choice` says which engine gave it and why, `size`
how large exact sums would be, `known` what there is at a limit, and `run` what the run was asked.
`summed` fills a record from sums over all trees; `drawn`, `moved_parameters`, `moved_weights`,
`soft`, `additive`, `edits` and `backtracking` from what a `sampler` drew; `edit_summary` is what
the trees change in a given one. `evidence` has what is said of an evidence, `rule_use` how much the
rules of a program are used, `prior_uses` how much features are used under the prior, `prior_mass`
how much of the prior fails, `parameters` what is known of parameters that have a prior. `stacked`
says how members were stacked by prediction, and `of_members` fills a record from them.
"""
