"""Figures of the experiments of RJHMC-Tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.papers.framework import Row

_COLOURS = {"CGM": "k", "SMC": "C2", "WU": "C1", "HMC-DF": "C0", "HMC-DFI": "C3"}


def draw_leaves(rows: list[Row], figure: Any) -> None:
    """The share of draws with each number of leaves, the mean over seeds (figure 3)."""
    figure.set_size_inches(4.5, 2.6)
    panel = figure.subplots()
    for method, own in _by_method(rows).items():
        shares = mean_shares(own)
        panel.plot(range(1, len(shares)), shares[1:], _COLOURS[method], marker=".", label=method)
    panel.set(xlabel="leaves", ylabel="share of draws", xlim=(1, 45))
    panel.legend()


def mean_shares(rows: list[Row]) -> np.ndarray:
    """The share of draws with 0, 1, ... leaves, the mean over runs."""
    most = max(len(row["shares of leaves"]) for row in rows)
    padded = [
        np.pad(row["shares of leaves"], (0, most - len(row["shares of leaves"]))) for row in rows
    ]
    return np.asarray(np.mean(padded, axis=0))


def draw_convergence(rows: list[Row], figure: Any) -> None:
    """The error of the training rows by iterations and by CPU seconds, a line for each seed
    (figure 4)."""
    figure.set_size_inches(6.5, 2.8)
    for panel, across in zip(
        figure.subplots(1, 2, sharey=True), ("iteration", "CPU s"), strict=True
    ):
        for method, own in _by_method(rows).items():
            for k, row in enumerate(own):
                x = np.array(row["at"], float)
                if across == "CPU s":
                    x *= row["CPU s"] / row["iterations"]
                label = None if k else method
                panel.plot(x, row["train at"], _COLOURS[method], linewidth=0.6, label=label)
        panel.set(xlabel=across, xscale="log", yscale="log")
    figure.axes[0].set_ylabel("mean squared error")
    figure.axes[0].legend()


def draw_accuracy(rows: list[Row], figure: Any) -> None:
    """The accuracy on the test rows along the chains, mean and one standard deviation over seeds
    (figure 5); the tuning as published in a panel of its own."""
    places = list(dict.fromkeys((row["table"], row["tuning"] == "paper") for row in rows))
    figure.set_size_inches(6.5, 2.3 * ((len(places) + 1) // 2))
    panels = figure.subplots((len(places) + 1) // 2, 2, squeeze=False)
    for panel, (table, published) in zip(panels.flat, places, strict=False):
        own = [r for r in rows if (r["table"], r["tuning"] == "paper") == (table, published)]
        for method, runs in _by_method(own).items():
            colour = _COLOURS[method]
            if "at" in runs[0]:
                lines = np.array([run["test at"] for run in runs])
                x = np.array(runs[0]["at"])
            else:
                lines, x = np.array([[run["test"]] * 2 for run in runs]), np.array([1, 1000])
            mean, spread = lines.mean(axis=0), lines.std(axis=0, ddof=1)
            panel.plot(x, mean, colour, linewidth=0.8, label=method)
            panel.fill_between(x, mean - spread, mean + spread, color=colour, alpha=0.15, lw=0)
        panel.set_title(f"{table}, published tuning" if published else table)
        panel.set(xlabel="iteration", ylabel="accuracy", xscale="linear" if published else "log")
        if published:
            panel.axvline(own[0]["warm-up"], color="grey", linewidth=0.5)
            panel.set_ylim(0.85, 1)  # the first trees are far below
    for panel in panels.flat[len(places) :]:
        panel.set_axis_off()
    lines, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside upper center", ncols=len(labels))


def _by_method(rows: list[Row]) -> dict[str, list[Row]]:
    out: dict[str, list[Row]] = {}
    for row in rows:
        out.setdefault(row["method"], []).append(row)
    return out
