"""Repeats the experiments of the papers.

    python -m benchmarks.papers PAPER [EXPERIMENT ...] [--quick] [--data FOLDER]
                                      [--results FOLDER] [--page FILE] [--made]

Run it from the top of the checkout. PAPER is `angelopoulos_cussens`, `bcart_pcfg`,
`greedy_modal_tree`, `particle_filtering` or `rjhmc_tree`. Without EXPERIMENT all experiments of the
paper run. The result of each run is saved in RESULTS/PAPER/EXPERIMENT.json (experiments may share a
file), and the run is not repeated, so an interrupted experiment can be resumed; with `--made` it
shows the runs that were made, and makes no others. The tables are printed at the end; with `--page`
they replace the part of FILE between the two comments that name the experiment. Figures are written
as SVG beside FILE, or in RESULTS/PAPER. `--quick` is the same with small settings on a table of
`examples/`, in seconds.

`framework` has the runs, the results and the tables; each paper is a module of its own. A paper's
module has `EXPERIMENTS`, by name, and its settings in tables at the top.
"""
