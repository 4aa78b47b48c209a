"""Figures of the particle filter's experiments: means over seeds, with standard deviations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.papers.framework import Row

SCORES = ("log predictive", "accuracy")
_LINES = {"breadth": "-", "likelihood": ":", "layer": "--", "chain": "-"}
_COLOURS = {"prior": "C3", "empirical": "C1", "optimal": "C0", "cgm": "k", "CART": "C2"}


def draw_by_particles(rows: list[Row], figure: Any) -> None:
    """Both scores by CPU seconds and by particles, and the log evidence by particles; a colour for
    each proposal, a line for each order."""
    columns = [(y, x) for y in SCORES for x in ("CPU s", "particles or moves")]
    _draw(rows, figure, [*columns, ("log evidence", "particles or moves")], ("method", "order"))


def draw_by_islands(rows: list[Row], figure: Any) -> None:
    """Both scores by the number of islands, counted by their evidence and alike."""
    tables, panels = _panels(rows, figure, 2)
    for table, line in zip(tables, panels, strict=True):
        for panel, score in zip(line, SCORES, strict=True):
            for name, style in ((score, "C0-"), (f"{score}, alike", "C1-")):
                own = [row for row in rows if row["table"] == table]
                x, y, spread = _means(own, "islands", name)
                label = "alike" if "alike" in name else "by evidence"
                panel.errorbar(x, y, yerr=spread, fmt=style, linewidth=0.8, label=label)
            panel.set(title=table, xlabel="islands", ylabel=score, xscale="log")
    _legend(figure, panels)


def draw_by_seconds(rows: list[Row], figure: Any) -> None:
    """Both scores by CPU seconds; islands count alike, as the paper's."""
    names = [f"{score}, alike" for score in SCORES]
    _draw(rows, figure, [(name, "CPU s") for name in names], ("method", "order"))


def draw_by_priors(rows: list[Row], figure: Any) -> None:
    """Both scores by CPU seconds, a column for each prior; islands count alike."""
    names = ("alpha", "beta", "concentration")
    priors = list(dict.fromkeys(tuple(row[name] for name in names) for row in rows))
    lines = [(t, s) for t in dict.fromkeys(row["table"] for row in rows) for s in SCORES]
    figure.set_size_inches(1.8 * len(priors) + 0.6, 1.7 * len(lines) + 0.6)
    panels = figure.subplots(len(lines), len(priors), squeeze=False, sharey="row")
    for (table, score), line in zip(lines, panels, strict=True):
        for prior, panel in zip(priors, line, strict=True):
            own = [r for r in rows if r["table"] == table and tuple(r[n] for n in names) == prior]
            for method in dict.fromkeys(row["method"] for row in own):
                x, y, spread = _means(
                    (r for r in own if r["method"] == method), "CPU s", f"{score}, alike"
                )
                panel.errorbar(
                    x, y, yerr=spread, color=_COLOURS[method], marker="o", markersize=3,
                    linewidth=0.8, label=method,
                )  # fmt: skip
            panel.set(title=", ".join(f"{value:g}" for value in prior), xscale="log")
            panel.xaxis.set_minor_formatter("")  # labels would cover each other
        line[0].set_ylabel(f"{table}: {score}")
    for panel in panels[-1]:
        panel.set_xlabel("CPU s")
    _legend(figure, panels)


def _draw(
    rows: list[Row], figure: Any, columns: list[tuple[str, str]], by: tuple[str, str]
) -> None:
    tables, panels = _panels(rows, figure, len(columns))
    for table, line in zip(tables, panels, strict=True):
        for panel, (score, across) in zip(line, columns, strict=True):
            for series in dict.fromkeys(tuple(row[name] for name in by) for row in rows):
                own = [
                    row
                    for row in rows
                    if row["table"] == table and tuple(row[name] for name in by) == series
                ]
                x, y, spread = _means(own, across, score)
                panel.errorbar(
                    x, y, yerr=spread, color=_COLOURS[series[0]], linestyle=_LINES[series[1]],
                    linewidth=0.8, label=", ".join(series),
                )  # fmt: skip
            panel.set(title=table, xlabel=across, ylabel=score, xscale="log")
    _legend(figure, panels)


def _panels(rows: list[Row], figure: Any, across: int) -> tuple[list[str], Any]:
    tables = list(dict.fromkeys(row["table"] for row in rows))
    figure.set_size_inches(2.3 * across, 2.1 * len(tables) + 0.4)
    return tables, figure.subplots(len(tables), across, squeeze=False)


def _means(rows: Iterable[Row], across: str, score: str) -> tuple[list[float], ...]:
    """For each number of islands and of particles: the mean of `across`, and mean and standard
    deviation of the score over seeds."""
    groups: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["islands"], row["particles or moves"]), []).append(row)
    x = [float(np.mean([row[across] for row in own])) for own in groups.values()]
    y = [float(np.mean([row[score] for row in own])) for own in groups.values()]
    spread = [float(np.std([row[score] for row in own], ddof=1)) for own in groups.values()]
    return x, y, spread


def _legend(figure: Any, panels: Any) -> None:
    lines, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside upper center", ncols=min(len(labels), 5))
