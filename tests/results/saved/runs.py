"""Runs that tests save, and what they compare of two posteriors.

    python -m tests.results.saved.runs FOLDER

writes files of the current format to a folder, with their answers: later versions have to read
them.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import slp
from slp.cli.as_json import posterior_to_json
from slp.cli.draws_lines import draws_lines
from slp.cli.json_text import json_text
from slp.cli.page import Page
from slp.errors import SlpWarning

MH: dict[str, Any] = {"engine": "mh", "draws": 40, "chains": 2, "warmup": 20, "seed": 3}
EXACT: dict[str, Any] = {"engine": "exact", "draws": 5, "seed": 3}
SMC: dict[str, Any] = {"engine": "smc", "draws": 40, "islands": 5, "particles": 20, "seed": 3}
SEARCH: dict[str, Any] = {"engine": "search", "seed": 3}
MODAL: dict[str, Any] = {"engine": "modal", "roots": 3, "smoothing": 1.0, "seed": 3}
SOFT: dict[str, Any] = {"engine": "rjhmc", "draws": 40, "chains": 2, "warmup": 20, "seed": 3}
RUNS = {"exact": EXACT, "mh": MH, "smc": SMC, "modal": MODAL, "search": SEARCH}


def frame(n: int = 24) -> pl.DataFrame:
    """Numbers, a categorical feature, and a response of each kind."""
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=n).round(2), rng.integers(0, 5, n)
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, n)]
    level = a + (colour == "red") + rng.normal(size=n) / 3
    return pl.DataFrame(
        {
            "a": a,
            "b": b,
            "colour": colour,
            "yes": level > 0.5,
            "number": level,
            "count": rng.poisson(np.exp(level / 2)),
            "time": rng.exponential(np.exp(level)),
            "seen": rng.integers(0, 2, n),
            "years": rng.choice([0.5, 1.0, 2.0], n),
        }
    )


#: A program for each leaf model: directives, and the columns of its table.
LEAVES = {
    "dirichlet": (":- response(yes).", "yes"),
    "normal": (
        ":- response(number). :- leaf(normal_inverse_gamma(0, 0.1, 1, 1)).",
        "number",
    ),
    "counts": (":- response(count). :- leaf(gamma_poisson(1, 1)).", "count"),
    "exposures": (":- response(count, exposure(years)). :- leaf(gamma_poisson(1, 1)).", "count"),
    "durations": (":- response(time, event(seen)). :- leaf(gamma_exponential(2, 1)).", "time"),
    "pieces": (
        ":- response(time, event(seen)). :- leaf(piecewise_exponential(2, 1, [1, 4])).",
        "time",
    ),
}


def run(kind: str, options: dict[str, Any], extra: str = "") -> slp.Posterior:
    """A posterior under a leaf model."""
    text, response = LEAVES[kind]
    beside = {"durations": ["seen"], "pieces": ["seen"], "exposures": ["years"]}.get(kind, [])
    columns = ["a", "b", "colour", response, *beside]
    program = slp.parse(f":- use(growtree, [beta = 1.5]). :- support(min_leaf(3)). {text} {extra}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        if kind != "dirichlet":  # which alone `modal` smooths
            options = {name: value for name, value in options.items() if name != "smoothing"}
        return program.posterior(frame()[columns], **options)


def soft_run(kind: str, index: str) -> slp.Posterior:
    """A posterior over soft trees of classes (`dirichlet`) or of numbers (`normal`)."""
    columns = ["a", "b", "yes" if kind == "dirichlet" else "number"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.load("rjhmc", h=0.1).posterior(frame()[columns], index=index, **SOFT)


#: Runs of soft trees by the names of their files.
SOFT_RUNS = {"rjhmc": ("dirichlet", "hard"), "rjhmc_soft_index": ("normal", "soft")}


def new_rows() -> pl.DataFrame:
    """Rows to predict."""
    shifted = frame().with_columns(a=pl.col("a") + 0.3)
    return shifted[["colour", "a", "b"]][:6]


def answers(posterior: slp.Posterior) -> dict[str, Any]:
    """What two posteriors must have alike, to the bit."""
    uses, rows = posterior.split_probabilities(), new_rows()
    if "colour" not in posterior.table.feature_names:
        rows = np.array([[0.1, 1.2], [1.5, 0.3], [2.2, 2.2]])  # type: ignore[assignment]
    n = posterior.record.draws
    told = posterior_to_json(posterior, uses, draws=n)
    return {
        "predict": posterior.predict(rows).tobytes(),
        "interval": posterior.predict_interval(rows).tobytes(),
        "error": posterior.predict_error(rows).tobytes(),
        "json": json_text(told),
        "page": list(Page(posterior, uses, posterior.record.describe(), "data", []).lines()),
        # NaN, which is not equal to itself, as text.
        "draws": [
            (replace(d, log_likelihood=0.0), repr(d.log_likelihood)) for d in posterior.draws
        ],
        "draws_lines": list(draws_lines(posterior, n, None, verbose=True)),
        "sample": posterior.sample(5, seed=2),
        # A saved search has the tree found alone.
        "best": posterior.k_best(1 if posterior.choice.engine == "search" else 4),
        "leaves": posterior.leaf_distribution().tobytes(),
        "depth": posterior.depth_distribution().tobytes(),
        "uses": uses,
        "importances": posterior.importances(),
        "text": str(posterior.map_tree()),
        "digest": posterior.table.digest,
        "classes": [(type(label), label) for label in posterior.table.leaf.classes],
    }


def write_files(folder: Path) -> None:
    """A file for each engine, and what it answers."""
    folder.mkdir()
    runs = {name: run("dirichlet", options) for name, options in RUNS.items()}
    runs |= {name: soft_run(*which) for name, which in SOFT_RUNS.items()}
    for name, posterior in runs.items():
        posterior.save(folder / f"{name}.slpz")
        (folder / f"{name}.json").write_text(json.dumps(told_by(posterior)))


def told_by(posterior: slp.Posterior) -> dict[str, Any]:
    """What every later version must answer."""
    predict = posterior.predict_proba if posterior.table.leaf.classes else posterior.predict
    return {
        "digest": posterior.table.digest,
        "tree": str(posterior.map_tree()),
        "predict": np.asarray(predict(new_rows())).tolist(),
        "interval": posterior.predict_interval(new_rows()).tolist(),
        "leaves": posterior.expected_leaves(),
    }


if __name__ == "__main__":
    write_files(Path(sys.argv[1]))
