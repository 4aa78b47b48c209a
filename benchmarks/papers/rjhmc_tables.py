"""The tables of RJHMC-Tree: rows that are shown, from runs of `rjhmc_tree`."""

from __future__ import annotations

import numpy as np

from benchmarks.papers.framework import Row, over_seeds
from benchmarks.papers.rjhmc_figures import mean_shares

BREAST_CANCER = "breast_cancer_wisconsin_complete"
NAMES = {BREAST_CANCER: "breast cancer", "cgm_train": "CGM data"}
NUMBERS = ("cgm_train", "petals")
#: An error that a chain on the data of Chipman et al. should come below; their noise has the
#: variance 0.04.
LOW = 0.05
#: Train, test, leaves, and the percentage of accepted moves, as the paper has them.
PAPER = {
    ("cgm_train", "CGM"): ("0.043 (0.0002)", "0.064 (0.014)", "12.90", "0.02"),
    ("cgm_train", "WU"): ("0.042 (0.0001)", "0.062 (0.001)", "33.1", "2.17 [95.9]"),
    ("cgm_train", "HMC-DF"): ("0.043 (0.0002)", "0.041 (0.0005)", "9.68", "36.34"),
    ("cgm_train", "HMC-DFI"): ("0.043 (0.0002)", "0.041 (0.0005)", "8.15", "36.45"),
    (BREAST_CANCER, "CGM"): ("0.983 (0.004)", "0.939 (0.014)", "16.55", "36.47"),
    (BREAST_CANCER, "SMC"): ("0.987 (0.004)", "0.924 (0.010)", "18.55", ""),
    (BREAST_CANCER, "WU"): ("0.978 (0.005)", "0.922 (0.017)", "5.09", "6.58 [100]"),
    (BREAST_CANCER, "HMC-DF"): ("0.973 (0.005)", "0.940 (0.010)", "5.05", "54.09"),
    (BREAST_CANCER, "HMC-DFI"): ("0.981 (0.003)", "0.952 (0.007)", "4.17", "58.64"),
    ("iris", "CGM"): ("0.985 (0.007)", "0.908 (0.022)", "4.33", "8.24"),
    ("iris", "SMC"): ("0.981 (0.004)", "0.909 (0.022)", "4.55", ""),
    ("iris", "HMC-DF"): ("0.977 (0.010)", "0.906 (0.026)", "3.38", "56.92"),
    ("iris", "HMC-DFI"): ("0.975 (0.009)", "0.917 (0.023)", "3.45", "59.01"),
    ("wine", "CGM"): ("0.957 (0.016)", "0.916 (0.046)", "8.92", "19.64"),
    ("wine", "SMC"): ("0.985 (0.011)", "0.978 (0.022)", "9.20", ""),
    ("wine", "HMC-DF"): ("0.949 (0.021)", "0.950 (0.039)", "5.92", "53.04"),
    ("wine", "HMC-DFI"): ("0.952 (0.016)", "0.948 (0.022)", "6.12", "53.11"),
    ("raisin", "CGM"): ("0.864 (0.007)", "0.843 (0.010)", "5.00", "10.16"),
    ("raisin", "SMC"): ("0.863 (0.004)", "0.842 (0.010)", "4.58", ""),
    ("raisin", "WU"): ("0.862 (0.007)", "0.843 (0.012)", "3.59", "6.70 [99.84]"),
    ("raisin", "HMC-DF"): ("0.866 (0.003)", "0.847 (0.004)", "3.25", "55.53"),
    ("raisin", "HMC-DFI"): ("0.864 (0.005)", "0.838 (0.007)", "3.50", "53.62"),
}  # fmt: skip


def of_methods(rows: list[Row]) -> list[Row]:
    """Beside the numbers of the paper, whose acceptance is that of the whole chain too. Of WU
    brackets have the share of iterations with an accepted move."""
    out = []
    for (table, method), own in _grouped(rows, "table", "method").items():
        accepted = "" if method == "SMC" else _mean(own, "accepted", ".1f")
        if method == "WU":
            accepted += f" [{np.mean([row['iterations that move'] for row in own]):.1f}]"
        shown = _beside(table, method, own, "accepted, %", accepted)
        out.append({**shown, "CPU s": _mean(own, "CPU s", ".2f")})
    return out


def of_published(rows: list[Row]) -> list[Row]:
    """Acceptance is that of the draws alone."""
    out = []
    for (table, method), own in _grouped(rows, "table", "method").items():
        accepted = _mean(own, "accepted after warm-up", ".1f")
        shown = _beside(table, method, own, "accepted after warm-up, %", accepted)
        steps = f"{len(own)} x {own[0]['iterations']}"
        out.append({"seeds x steps": steps, **shown, "CPU s": _mean(own, "CPU s", ".0f")})
    return out


def _beside(table: str, method: str, own: list[Row], name: str, accepted: str) -> Row:
    """Our numbers and those of the paper."""
    train, test, leaves, paper = PAPER.get((table, method), ("",) * 4)
    form = ".4f" if table in NUMBERS else ".3f"
    return {
        "table": NAMES.get(table, table),
        "method": method,
        "train": _mean(own, "train", form),
        "paper's train": train,
        "test": _mean(own, "test", form),
        "paper's test": test,
        "test, mean prediction": _mean(own, "test, mean prediction", form),
        "leaves": _mean(own, "leaves", ".1f"),
        "paper's leaves": leaves,
        name: accepted,
        "paper's accepted": paper,
    }


def of_priors(rows: list[Row]) -> list[Row]:
    """By prior, beside the numbers of the paper."""
    out = []
    for (table, method, alpha, beta), own in _grouped(
        rows, "table", "method", "alpha", "beta"
    ).items():
        accepted = "" if method == "SMC" else _mean(own, "accepted", ".1f")
        shown = _beside(table, method, own, "accepted, %", accepted)
        head = {name: shown.pop(name) for name in ("table", "method")}
        out.append({**head, "alpha": alpha, "beta": beta, **shown})
    return out


def of_divisions(rows: list[Row]) -> list[Row]:
    """How often a division has scores as far from the mean as the paper's."""
    out = []
    for (table, method), own in _grouped(rows, "table", "method").items():
        train, test, mean = (
            np.array([row[name] for row in own])
            for name in ("train", "test", "test, mean prediction")
        )
        paper = [float(text.split()[0]) for text in PAPER.get((table, method), ("1", "1"))[:2]]
        lower = paper[1] < test.mean()
        out.append(
            {
                "table": table,
                "method": method,
                "divisions": len(own),
                "train": _mean(own, "train", ".3f"),
                "paper's train": f"{paper[0]:.3f}",
                "test": _mean(own, "test", ".3f"),
                "paper's test": f"{paper[1]:.3f}",
                "correlation": f"{np.corrcoef(train, test)[0, 1]:.2f}",
                "test beyond the paper's, %": 100
                * float(np.mean(test <= paper[1] if lower else test >= paper[1])),
                "of the mean prediction, %": 100
                * float(np.mean(mean <= paper[1] if lower else mean >= paper[1])),
            }
        )
    return out


def of_leaves(rows: list[Row]) -> list[Row]:
    """The mean number, and the shares of draws by number."""
    out = []
    for (method,), own in _grouped(rows, "method").items():
        shares = mean_shares(own)
        upper = np.cumsum(shares)
        out.append(
            {
                "method": method,
                "leaves": _mean(own, "leaves", ".1f"),
                "most frequent": int(shares.argmax()),
                "5 %": int((upper > 0.05).argmax()),
                "median": int((upper > 0.5).argmax()),
                "95 %": int((upper > 0.95).argmax()),
                "share of 5 leaves": float(shares[5]) if len(shares) > 5 else 0.0,
                "by seed": ", ".join(f"{row['leaves']:.1f}" for row in own),
            }
        )
    return out


def of_convergence(rows: list[Row]) -> list[Row]:
    """How long chains take to an error below `LOW`, to the precision of the kept iterations."""
    return _times_to_low(rows, "method")


def of_first_h(rows: list[Row]) -> list[Row]:
    """The same, by the value of h at the begin of warm-up."""
    return _times_to_low(rows, "method", "first h")


def _times_to_low(rows: list[Row], *by: str) -> list[Row]:
    out = []
    for key, own in _grouped(rows, *by).items():
        firsts = [
            next(
                (at for at, error in zip(row["at"], row["train at"], strict=True) if error < LOW), 0
            )
            for row in own
        ]
        seconds = [
            first * row["CPU s"] / row["iterations"]
            for first, row in zip(firsts, own, strict=True)
            if first
        ]
        reached = [first for first in firsts if first]
        out.append(
            {
                **dict(zip(by, key, strict=True)),
                "seeds": len(own),
                f"below {LOW}": len(reached),
                "iterations to it, median": f"{np.median(reached):.0f}" if reached else "",
                "largest": str(max(reached)) if reached else "",
                "CPU s to it, median": f"{np.median(seconds):.3f}" if reached else "",
                "gradients an iteration": _mean(own, "gradients", ".0f"),
                "CPU ms an iteration": 1e3
                * float(np.mean([r["CPU s"] / r["iterations"] for r in own])),
                "error at the end": f"{np.mean([r['train at'][-1] for r in own]):.4f}",
            }
        )
    return out


def of_accuracy(rows: list[Row]) -> list[Row]:
    """The accuracy on the test rows in the iterations before warm-up ends and after it; the change
    is within a seed."""
    chains = [
        {
            **row,
            "table": NAMES.get(row["table"], row["table"]),
            "change": row["after"] - row["before"],
        }
        for row in rows
        if "at" in row
    ]
    by = ("table", "method", "tuning", "iterations", "warm-up")
    return over_seeds(chains, by, {"before": ".3f", "after": ".3f", "change": ".4f", "test": ".3f"})


def of_settings(rows: list[Row]) -> list[Row]:
    """The mean over folds, the best setting of each table first."""
    means = over_seeds(rows, ("table", "h", "alpha", "beta"), {"test": ".4f"})
    return sorted(
        means,
        key=lambda row: (
            row["table"],
            float(row["test"].split()[0]) * (1 if row["table"] in NUMBERS else -1),
        ),
    )


def _grouped(rows: list[Row], *by: str) -> dict[tuple[str, ...], list[Row]]:
    out: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        out.setdefault(tuple(row[name] for name in by), []).append(row)
    return out


def _mean(rows: list[Row], name: str, form: str) -> str:
    """Mean and standard deviation over seeds."""
    return str(over_seeds(rows, (), {name: form})[0][name])
