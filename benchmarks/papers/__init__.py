"""The experiments of the papers, done again.

    python -m benchmarks.papers PAPER [EXPERIMENT ...] [--quick] [--data FOLDER]
                                      [--results FOLDER] [--page FILE]

Run from the top of the checkout. PAPER is `angelopoulos_cussens`,
`greedy_modal_tree` or `particle_filtering`; without
EXPERIMENT all of its experiments run. Each run is kept in RESULTS/PAPER/EXPERIMENT.json as it is
done, and not done again, so an interrupted experiment goes on where it was. The tables are printed
at the end; with `--page` they replace what stands in FILE between the two comments that name the
experiment. `--quick` is the same with small settings on a table of `examples/`, in seconds.

`framework` has the runs, the results and the tables; each paper is a module of its own. A paper's
module has `EXPERIMENTS`, by name, and its settings in tables at the top.
"""
