"""Angelopoulos & Cussens (2005), "Influence of priors": chains that begin at a tree of a large
likelihood, under a prior and under one with a stronger bias to small trees.

The paper begins at the tree that Denison, Mallick & Smith (1998) published for pima, which the text
at hand does not have. `likeliest` stands in for it: the tree of the largest marginal likelihood
that `search` finds among those of at most `LEAVES` leaves with at least `LEAST_ROWS` rows each, all
of which weigh the same. `MAP` is the tree that `search` finds under the prior of the chain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import slp
from benchmarks.papers.chains import (
    PRIOR,
    PROPOSALS,
    QUICK_STEPS,
    SEEDS,
    STEPS,
    greedy_tree,
    names_of,
    table_of,
)
from benchmarks.papers.framework import Experiment, Row, over_seeds

TREES = ("scikit-learn", "MAP", "likeliest")
#: The prior of the other experiments, and one that makes smaller trees.
BETAS = (PRIOR["beta"], 2.0)
#: As many leaves as the tree of scikit-learn has on pima; the paper's smallest leaf.
LEAVES, LEAST_ROWS = 12, 5
SEARCH_SECONDS, QUICK_SEARCH_SECONDS = 30, 1
#: States of a chain that are looked at: of 2,500, those that lie evenly on a logarithmic scale.
DRAWS, QUICK_DRAWS, SHOWN = 2500, 250, 100
_ALIKE = f"""
:- use(denison, [phi = 1]).
:- support(min_leaf({LEAST_ROWS})).
:- constraint(max_leaves({LEAVES})).
"""


def _settings(quick: bool) -> Iterator[Row]:
    for table in names_of(quick, "breast_cancer", "pima"):
        betas = BETAS if table == "pima" else BETAS[:1]
        seeds = SEEDS[:1] if quick else SEEDS
        for tree, beta, proposal, seed in product(TREES, betas, PROPOSALS, seeds):
            settings: Row = {"table": table, "given tree": tree, "beta": beta}
            yield {**settings, "proposal": proposal, "seed": seed, "quick": quick}


@cache
def _given(data: Path, table: str, tree: str, beta: float | None, quick: bool) -> slp.Tree:
    """The given tree; only the MAP tree depends on beta, None for the others."""
    frame = table_of(data, {"table": table, "quick": quick})
    if tree == "scikit-learn":
        return greedy_tree(frame)
    program = slp.parse(_ALIKE) if beta is None else _prior(beta)
    seconds = QUICK_SEARCH_SECONDS if quick else SEARCH_SECONDS
    return program.posterior(frame, engine="search", time=seconds).map_tree()


def _prior(beta: float) -> slp.Program:
    return slp.load("growtree", alpha=PRIOR["alpha"], beta=beta)


def _run(data: Path, settings: Row) -> Row:
    quick = settings["quick"]
    frame, program = table_of(data, settings), _prior(settings["beta"])
    name = settings["given tree"]
    tree = _given(data, settings["table"], name, settings["beta"] if name == "MAP" else None, quick)
    modal = program.posterior(frame, engine="modal")
    steps, draws = (QUICK_STEPS, QUICK_DRAWS) if quick else (STEPS, DRAWS)
    began = time.process_time()
    chain = _chain(program, frame, tree, steps // draws, draws, settings)
    seconds = time.process_time() - began
    values = np.array([draw.log_likelihood for draw in chain.draws])
    sizes = [draw.tree.n_leaves for draw in chain.draws[draws // 2 :]]
    given, level = modal.log_likelihood(tree), float(values[draws // 2 :].mean())
    shown = np.unique(np.geomspace(1, draws, SHOWN).astype(int)) - 1
    assert chain.diagnostics is not None
    return {
        "iterations": [0, *((shown + 1) * (steps // draws)).tolist()],
        "points": [given, *values[shown].tolist()],
        "log likelihood": given,
        "log prior": modal.log_prior(tree),
        "leaves": tree.n_leaves,
        "first 4 %": float(values[: draws // 25].mean()),
        "second half": level,
        "change": level - given,
        "leaves then": float(np.mean(sizes)),
        "accepted": float(np.mean(list(chain.diagnostics.acceptance.values()))),
        "CPU s": seconds,
    }


def _chain(
    program: slp.Program, frame: pl.DataFrame, tree: slp.Tree, thin: int, draws: int, settings: Row
) -> Any:
    """One chain without warm-up from a given tree."""
    return program.posterior(
        frame,
        engine="mh",
        proposal=settings["proposal"],
        chains=1,
        rungs=1,
        warmup=0,
        thin=thin,
        draws=draws,
        seed=settings["seed"],
        start=tree,
    )


def _shown(rows: list[Row]) -> list[Row]:
    by = ("table", "given tree", "beta", "log likelihood", "log prior", "leaves", "proposal")
    numbers = {"first 4 %": ".1f", "second half": ".1f", "change": ".1f", "leaves then": ".1f"}
    numbers |= {"accepted": ".4f", "CPU s": ".1f"}
    rounded = [{**row, "change": round(row["change"], 3) + 0.0} for row in rows]
    return over_seeds(rounded, by, numbers)


def _draw(rows: list[Row], figure: Any) -> None:
    """A panel for each table, given tree and proposal; a colour for each prior, a line for each
    seed."""
    places = list(dict.fromkeys((row["table"], row["given tree"]) for row in rows))
    figure.set_size_inches(2.4 * len(PROPOSALS), 1.7 * len(places))
    panels = figure.subplots(len(places), len(PROPOSALS), sharex=True, sharey="row", squeeze=False)
    for (i, place), (j, proposal) in product(enumerate(places), enumerate(PROPOSALS)):
        panel = panels[i, j]
        for row in rows:
            if (row["table"], row["given tree"], row["proposal"]) == (*place, proposal):
                colour = f"C{BETAS.index(row['beta'])}"
                panel.plot(row["iterations"], row["points"], colour, linewidth=0.6)
        panel.set_xscale("symlog", linthresh=_step_of(rows))
        panel.set_title(f"{place[0]}, {place[1]}, {proposal}", fontsize="small")
    for panel in panels[-1]:
        panel.set_xlabel("iteration")
    for panel in panels[:, 0]:
        panel.set_ylabel("log likelihood")
    used = list(dict.fromkeys(row["beta"] for row in rows))
    lines = [panels[0, 0].plot([], [], f"C{BETAS.index(beta)}")[0] for beta in used]
    figure.legend(lines, [f"beta {beta:g}" for beta in used], loc="outside upper right", ncols=2)


def _step_of(rows: list[Row]) -> int:
    """The iterations between two states that are looked at."""
    return int(rows[0]["iterations"][1])


GIVEN_TREES = Experiment(
    statement="on pima, chains begun at the tree that Denison et al. published, whose likelihood "
    "is larger than that of any tree the chains had met, leave it for trees of a smaller "
    'likelihood, faster under the prior with the stronger bias to small trees ("Influence of '
    'priors"). The numbers, and that tree, are lost in the text at hand.',
    settings=_settings,
    run=_run,
    summary=_shown,
    figure=_draw,
)
