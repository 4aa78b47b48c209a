"""The kinds of pictures that `slp plot` draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

import slp
from slp.cli.options import read_table


@dataclass(frozen=True)
class PictureAsked:
    """What was asked of a picture: the prior of a posterior (None where it has none), the table's
    file (None: a saved run), the picture's options, and the limits of time and memory."""

    prior_of: Callable[[slp.Posterior], slp.Posterior | None]
    data: str | None
    features: tuple[str, ...]
    label: str | None
    best: int
    quantity: str
    new: str | None
    limits: Mapping[str, Any]

    def rows(self) -> Any:
        """The rows of `--new`, None without."""
        return None if self.new is None else self.read(self.new)

    def read(self, file: str) -> Any:
        """The table in a file."""
        return read_table(file, self.limits)


@dataclass(frozen=True)
class Picture:
    """A picture: what draws it, what it shows, and which of the options that not all take it
    takes."""

    draw: Callable[[Any, slp.Posterior, PictureAsked], Any]
    words: str
    options: tuple[str, ...] = ()


def _calibration(plot: Any, posterior: slp.Posterior, asked: PictureAsked) -> Any:
    rows = asked.new or asked.data
    if rows is None:
        raise click.UsageError("a saved run has no outcomes: give rows with them by --new FILE")
    note = "those of --new" if asked.new else "the given rows, so better than on others"
    return plot.calibration(posterior, asked.read(rows), note=note)


def _heat_map(plot: Any, posterior: slp.Posterior, asked: PictureAsked) -> Any:
    if len(asked.features) > 2:
        raise click.UsageError("a heat map has two features")
    names = dict(zip("xy", asked.features, strict=False))
    return plot.heat_map(posterior, **names, label=asked.label, X=asked.rows())


def _dependence(plot: Any, posterior: slp.Posterior, asked: PictureAsked) -> Any:
    if len(asked.features) > 1:
        raise click.UsageError("partial dependence is drawn on one feature")
    return plot.dependence(posterior, *asked.features, label=asked.label, X=asked.rows())


def _predictive_check(plot: Any, posterior: slp.Posterior, asked: PictureAsked) -> Any:
    rows = asked.new or asked.data
    X = None if rows is None else asked.read(rows)
    return plot.predictive_check(posterior, asked.prior_of(posterior), X)


def _survival(plot: Any, posterior: slp.Posterior, asked: PictureAsked) -> Any:
    if len(asked.features) > 1:
        raise click.UsageError("survival is grouped by one feature")
    if asked.new is not None and asked.features:
        raise click.UsageError("--new FILE has rows with a curve each: it takes no --feature")
    X = None if asked.data is None else asked.read(asked.data)
    return plot.survival(posterior, asked.rows(), by=next(iter(asked.features), None), X=X)


#: By name, in the order of the help.
KINDS: Mapping[str, Picture] = {
    "tree": Picture(
        lambda plot, p, _: plot.tree(p.map_tree(), boxes=p.record.boxes),
        "the most probable tree",
    ),
    "best-trees": Picture(
        lambda plot, p, a: plot.best_trees(p, a.best), "the K best trees", ("best",)
    ),
    "leaves": Picture(
        lambda plot, p, a: plot.leaves(p, a.prior_of(p)), "number of leaves, prior and posterior"
    ),
    "depth": Picture(lambda plot, p, a: plot.depth(p, a.prior_of(p)), "depth, prior and posterior"),
    "features": Picture(lambda plot, p, _: plot.features(p), "features used, prior and posterior"),
    "thresholds": Picture(
        lambda plot, p, a: plot.thresholds(p, a.features),
        "where trees split, by feature",
        ("features",),
    ),
    "heat-map": Picture(_heat_map, "prediction over two features", ("features", "label", "new")),
    "dependence": Picture(
        _dependence, "partial dependence on a feature", ("features", "label", "new")
    ),
    "calibration": Picture(_calibration, "predictions beside outcomes", ("new",)),
    "predictive-check": Picture(
        _predictive_check, "outcomes beside drawn ones, prior and posterior", ("new",)
    ),
    "survival": Picture(_survival, "survival curves, of rows or the average", ("features", "new")),
    "traces": Picture(
        lambda plot, p, a: plot.traces(p, a.quantity), "chains of draws", ("quantity",)
    ),
    "ranks": Picture(
        lambda plot, p, a: plot.ranks(p, a.quantity), "ranks of draws by chain", ("quantity",)
    ),
    "swaps": Picture(lambda plot, p, _: plot.swaps(p), "swaps between rungs of chains"),
    "round-trips": Picture(lambda plot, p, _: plot.round_trips(p), "round trips of ladders"),
    "evidence": Picture(lambda *_: None, "log evidence of several PRIORs"),
    "prices": Picture(lambda *_: None, "what each statement of PRIOR costs"),
    "sensitivity": Picture(lambda *_: None, "what answers owe to each number of PRIOR"),
}
#: Pictures of several runs, which no saved run has.
OF_RUNS = ("evidence", "prices", "sensitivity")
#: Pictures of predictions alone, which members stacked by prediction have too.
OF_PREDICTIONS = ("calibration",)
