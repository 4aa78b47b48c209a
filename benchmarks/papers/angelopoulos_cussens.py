"""Angelopoulos & Cussens (2005), Exploiting informative priors for Bayesian classification and
regression trees, IJCAI.

`trajectories` ("Using local jumps"): log likelihoods of chains under the proposals of the paper.
`editing` ("Influence of priors"): chains under EDITTREE, which edits a tree that a greedy algorithm
has grown, beside GROWTREE.
`given_trees` (the same section): chains that begin at a given tree, in `given_trees`.
`greedy` (section 6.1): the largest log likelihood that a chain meets, beside that of trees grown
greedily.
`convergence` (section 5): the bound by Doob on how far the independence sampler is from the
posterior.
`reproducibility` (section 6.2): on half of a table, runs by two seeds; of the other half, the
probability of the last class by either run, their correlation and largest difference. `q_uc` is the
paper's chain, `default` what `slp-sample` does without options.
`boxes` (the last experiment): accuracy with and without boxes that are true of the tree that made
the data.

The paper's chains make 250,000 iterations, without tempering or warm-up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import slp
from benchmarks.papers.chains import (
    OF_CHAINS,
    PRIOR,
    PROPOSALS,
    QUICK_STEPS,
    SEEDS,
    STEPS,
    chain,
    draw_chains,
    greedy_tree,
    names_of,
    table_of,
)
from benchmarks.papers.framework import Experiment, Row, over_seeds
from benchmarks.papers.given_trees import GIVEN_TREES

# --- trajectories --------------------------------------------------------------------------------


def _trajectories(quick: bool) -> Iterator[Row]:
    for table in names_of(quick, "kyphosis", "breast_cancer", "pima"):
        for proposal in (*PROPOSALS, "q_seq"):
            for seed in SEEDS:
                yield {"table": table, "proposal": proposal, "seed": seed, "quick": quick}


def _trajectory(data: Path, settings: Row) -> Row:
    program = slp.load("growtree", **PRIOR)
    own = {name: settings[name] for name in ("quick", "seed")}
    return chain(program, table_of(data, settings), settings["proposal"], **own)


# --- editing -------------------------------------------------------------------------------------


def _editing(quick: bool) -> Iterator[Row]:
    for table in names_of(quick, "breast_cancer", "pima"):
        for prior in ("EDITTREE", "GROWTREE"):
            for seed in SEEDS:
                yield {"table": table, "prior": prior, "seed": seed, "quick": quick}


def _edit(data: Path, settings: Row) -> Row:
    frame = table_of(data, settings)
    tree = greedy_tree(frame)
    edits = settings["prior"] == "EDITTREE"
    program = slp.load("edittree", tree=tree, p=0.8) if edits else slp.load("growtree", **PRIOR)
    own = {name: settings[name] for name in ("quick", "seed")}
    given = slp.load("growtree").posterior(frame, engine="modal").log_likelihood(tree)
    return {"given tree": given, **chain(program, frame, "q_uc", **own)}


def _shown_editing(rows: list[Row]) -> list[Row]:
    return over_seeds(rows, ("table", "prior"), {"given tree": ".1f", **OF_CHAINS})


# --- greedy trees --------------------------------------------------------------------------------


def _greedy(quick: bool) -> Iterator[Row]:
    for table in names_of(quick, "kyphosis", "breast_cancer", "pima"):
        for method in ("scikit-learn, as rpart", "modal", "chain"):
            yield {"table": table, "method": method, "quick": quick}


def _grown(data: Path, settings: Row) -> Row:
    frame, began = table_of(data, settings), time.process_time()
    program = slp.load("growtree", **PRIOR)
    modal = program.posterior(frame, engine="modal")
    if settings["method"] == "modal":
        tree = modal.map_tree()
    elif settings["method"] == "chain":
        steps = QUICK_STEPS if settings["quick"] else STEPS
        drawn = program.posterior(
            frame, engine="mh", proposal="q_uc", chains=1, rungs=1, warmup=0, thin=100,
            draws=steps // 100, seed=1,
        )  # fmt: skip
        tree = max(drawn.draws, key=lambda draw: draw.log_likelihood).tree
    else:
        tree = greedy_tree(frame)
    return {
        "log likelihood": modal.log_likelihood(tree),
        "log prior": modal.log_prior(tree),
        "leaves": tree.n_leaves,
        "CPU s": time.process_time() - began,
    }


# --- the independence sampler --------------------------------------------------------------------

#: Every tree weighs 1, so the best one has the largest likelihood.
_ALL_ALIKE = ":- weights. :- start(t). 1 :: t --> leaf. 1 :: t --> split(_, _, each), t, t."
#: How far the sampler may be from the posterior, in total variation.
_DISTANCE = 0.05


def _convergence(quick: bool) -> Iterator[Row]:
    for table in names_of(quick, "kyphosis", "breast_cancer", "pima"):
        yield {"table": table, "quick": quick}


def _iterations(log_ratio: float) -> float:
    """Log to base 10 of the iterations i after which (1 - exp(log_ratio))^i is at most the
    distance; the ratio is far below 1."""
    return (math.log(-math.log(_DISTANCE)) - log_ratio) / math.log(10)


def _doob(data: Path, settings: Row) -> Row:
    frame, quick = table_of(data, settings), settings["quick"]
    options: dict[str, Any] = {"draws": 200, "rounds": 1, "warmup": 60} if quick else {}
    posterior = slp.load("growtree", **PRIOR).posterior(frame, seed=1, **options)
    best = slp.parse(_ALL_ALIKE).posterior(frame, engine="search", time=1 if quick else 60).map()
    assert posterior.log_evidence is not None and best.upper_bound is not None
    return {
        "log evidence": posterior.log_evidence,
        "kind": posterior.log_evidence_kind,
        "log likelihood, best tree": best.log_joint,
        "upper bound": best.upper_bound,
        "log10 iterations, best tree": _iterations(posterior.log_evidence - best.log_joint),
        "log10 iterations, upper bound": _iterations(posterior.log_evidence - best.upper_bound),
    }


# --- reproducibility -----------------------------------------------------------------------------

#: Runs by name: options of the engine `mh`.
RUNS: dict[str, dict[str, Any]] = {
    "q_uc": {"proposal": "q_uc", "chains": 1, "rungs": 1, "warmup": 0, "thin": 250},
    "default": {},
}
QUICK: dict[str, dict[str, Any]] = {
    "q_uc": {"proposal": "q_uc", "chains": 1, "rungs": 1, "warmup": 0, "thin": 5},
    "default": {"draws": 200, "rounds": 1, "warmup": 60, "thin": 1},
}


def _two_seeds(quick: bool) -> Iterator[Row]:
    for table in names_of(quick, "breast_cancer", "pima"):
        for run in RUNS:
            yield {"table": table, "run": run, "quick": quick}


def _reproducibility(data: Path, settings: Row) -> Row:
    frame = table_of(data, settings)
    order = np.random.default_rng(1).permutation(len(frame))
    train, test = frame[order[::2]], frame[order[1::2]]
    program = slp.load("growtree", **PRIOR)
    options = (QUICK if settings["quick"] else RUNS)[settings["run"]]
    told, health, began = [], [], time.process_time()
    for seed in SEEDS[:2]:
        posterior = program.posterior(train, engine="mh", seed=seed, **options)
        told.append(posterior.predict_proba(test)[:, -1])
        health.append(posterior.diagnostics)
    one, other = told
    own = [str(label) for label in test[frame.columns[-1]]]
    last = str(posterior.table.leaf.classes[-1])
    right = [np.mean((p > 0.5) == (np.array(own) == last)) for p in told]
    return {
        "points": [one.tolist(), other.tolist()],
        "correlation": float(np.corrcoef(one, other)[0, 1]),
        "largest difference": float(np.abs(one - other).max()),
        "mean difference": float(np.abs(one - other).mean()),
        "accuracy": float(np.mean(right)),
        "R-hat": max((h.worst_r_hat or np.nan for h in health), default=np.nan),
        "CPU s of both": time.process_time() - began,
    }


def _draw_two_seeds(rows: list[Row], figure: Any) -> None:
    """The probabilities by either seed, and below them the differences."""
    figure.set_size_inches(2.2 * len(rows), 4)
    panels = figure.subplots(2, len(rows), squeeze=False)
    for k, row in enumerate(rows):
        one, other = (np.array(of) for of in row["points"])
        panels[0, k].plot([0, 1], [0, 1], color="0.7", linewidth=0.6)
        panels[0, k].plot(one, other, ".", markersize=2, rasterized=True)
        panels[0, k].set(title=f"{row['table']}, {row['run']}", xlabel="seed 1", aspect="equal")
        panels[1, k].hist(one - other, bins=np.linspace(-0.6, 0.6, 49))
        panels[1, k].set(xlabel="difference")
    panels[0, 0].set_ylabel("seed 2")
    panels[1, 0].set_ylabel("rows")


# --- boxes ---------------------------------------------------------------------------------------

#: The true tree: x0 < 0.5 and x1 < 0.3, or x0 >= 0.5 and x2 >= 0.6, are mostly `yes`. The boxes
#: keep a distance from its thresholds, because those of a tree lie between two values of the table.
BOXES = """
:- use(growtree).
box(low, x0, 0, 0.4). box(low, x1, 0, 0.2).
box(high, x0, 0.6, 1). box(high, x2, 0.7, 1).
:- constraint(constant(low)).
:- constraint(constant(high)).
"""
_REPEATS = 10


def _true(x: np.ndarray) -> np.ndarray:
    return np.where(x[:, 0] < 0.5, x[:, 1] < 0.3, x[:, 2] >= 0.6)


def _made(n: int, rng: np.random.Generator) -> pl.DataFrame:
    """Rows of six uniform features with a label by the true tree, one in five of them wrong."""
    x = rng.random((n, 6))
    yes = _true(x) ^ (rng.random(n) < 0.2)
    columns = {f"x{j}": x[:, j] for j in range(6)}
    return pl.DataFrame({**columns, "y": np.where(yes, "yes", "no")})


def _of_boxes(quick: bool) -> Iterator[Row]:
    for n in (30,) if quick else (50, 100):
        yield {"rows": n, "quick": quick}


def _boxes(_: Path, settings: Row) -> Row:
    repeats = 2 if settings["quick"] else _REPEATS
    accuracy = np.empty((repeats, 2))
    options: dict[str, Any] = {"draws": 400}
    if settings["quick"]:
        options = {"draws": 40, "rounds": 1, "warmup": 200, "thin": 20}
    for i in range(repeats):
        rng = np.random.default_rng(i)
        train, test = _made(settings["rows"], rng), _made(2000, rng).drop("y")
        truth = _true(test.to_numpy())
        for j, text in enumerate((":- use(growtree).", BOXES)):
            posterior = slp.parse(text).posterior(train, engine="mh", seed=i, **options)
            accuracy[i, j] = np.mean((posterior.predict(test) == "yes") == truth)
    gain = accuracy[:, 1] - accuracy[:, 0]
    return {
        "without boxes": float(accuracy[:, 0].mean()),
        "with boxes": float(accuracy[:, 1].mean()),
        "difference": float(gain.mean()),
        "its error": float(gain.std(ddof=1) / math.sqrt(repeats)),
    }


def _shown(rows: list[Row]) -> list[Row]:
    """All but the points of figures, and whether they were quick."""
    left_out = ("quick", "points")
    return [{name: row[name] for name in row if name not in left_out} for row in rows]


EXPERIMENTS = {
    "trajectories": Experiment(
        statement="`q_uc` moves best; `q_-n` proposes large jumps, which are rarely accepted, so "
        "chains stay at one tree for long; this is worse for the independence sampler `q_ind` "
        '("Using local jumps"). Older proposals followed the sequence of choices (`q_seq` here), '
        "and threw away more than `q_uc`. Its figures are lost in the text at hand.",
        settings=_trajectories,
        run=_trajectory,
        summary=lambda rows: over_seeds(rows, ("table", "proposal"), OF_CHAINS),
        figure=lambda rows, figure: draw_chains(rows, figure, "table", "proposal"),
    ),
    "editing": Experiment(
        statement="on breast cancer, trajectories under EDITTREE and GROWTREE differ though all "
        "else is equal: the prior pulls the chain back to the likelihood of the tree that was "
        'given ("Influence of priors").',
        settings=_editing,
        run=_edit,
        summary=_shown_editing,
        figure=lambda rows, figure: draw_chains(rows, figure, "table", "prior"),
    ),
    "given_trees": GIVEN_TREES,
    "greedy": Experiment(
        statement="chains meet trees of a larger marginal likelihood than the standard greedy "
        "algorithm, rpart with its defaults, finds (section 6.1). The numbers are lost.",
        settings=_greedy,
        run=_grown,
        summary=_shown,
    ),
    "convergence": Experiment(
        statement="after i iterations the independence sampler is within (1 - P(T)/P(T | y))^i of "
        "the posterior in total variation, T the tree of the largest marginal likelihood; the "
        "ratio is tiny for tables of a reasonable size (section 5).",
        settings=_convergence,
        run=_doob,
        summary=_shown,
    ),
    "reproducibility": Experiment(
        statement="runs by two seeds under `growtree` on pima give class probabilities of held-out "
        "rows whose differences are highly concentrated on zero (section 6.2). The text at hand "
        "has lost its numbers; half of the rows and 250,000 steps are ours.",
        settings=_two_seeds,
        run=_reproducibility,
        summary=_shown,
        figure=_draw_two_seeds,
    ),
    "boxes": Experiment(
        statement="where the tree that made the data is known, boxes in which it is constant give "
        "a higher accuracy on test data, for every seed (the last experiment). The numbers are "
        "lost.",
        settings=_of_boxes,
        run=_boxes,
        summary=_shown,
    ),
}
