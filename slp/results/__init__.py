"""What inference gives: `posterior` (what users hold), by sums over all trees (`exact_posterior`)
or
by draws (`sampled_posterior`, `edit_posterior`).

`averages` says what an engine must give; `drawn` averages draws. `convergence` and `diagnostics`
say how far draws can be trusted; `rule_use`, `quantiles` and `evidence` are parts of summaries,
`known` is what there is where a limit was reached, `arviz_data` the draws as ArviZ has them.
"""
