"""Experiments as lists of runs: results are saved, missing runs are made, tables are written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib
from matplotlib.figure import Figure

import slp

#: A row of a table: of settings, of a result, or of both.
Row: TypeAlias = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
#: What a run keeps beside its numbers. No table shows it.
_KEPT = ("all CPU s", "version")


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper.

    Attributes
    ----------
    statement : what the paper says, and where.
    settings : the settings of every run, quick ones or all.
    run : a run by the folder of the tables and its settings: numbers by name.
    summary : rows of the table that is shown, from all runs, each with settings and numbers; None
        shows every run.
    figure : draws all runs on a figure of matplotlib; None draws none.
    runs : the file of results, for experiments that share runs; None is one of its own.
    """

    statement: str
    settings: Callable[[bool], Iterable[Row]]
    run: Callable[[Path, Row], Row]
    summary: Callable[[list[Row]], list[Row]] | None = None
    figure: Callable[[list[Row], Any], None] | None = None
    runs: str | None = None


def run_experiment(
    experiment: Experiment, name: str, data: Path, results: Path, *, quick: bool, made: bool = False
) -> list[Row]:
    """The runs of an experiment; those in the file of results are not repeated. With `made` they
    are all, and no others are made."""
    file = results / f"{experiment.runs or name}{'_quick' if quick else ''}.json"
    done: dict[str, Row] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    wanted = list(experiment.settings(quick))
    if made:
        wanted = [settings for settings in wanted if json.dumps(settings, sort_keys=True) in done]
    for k, settings in enumerate(wanted, start=1):
        key = json.dumps(settings, sort_keys=True)
        if key in done:
            continue
        print(f"{name}: run {k} of {len(wanted)}, {_words(settings)}", file=sys.stderr, flush=True)
        began = cpu_seconds()
        found = experiment.run(data, settings)
        seconds = cpu_seconds() - began
        done[key] = {**settings, **found, "all CPU s": seconds, "version": version()}
        file.parent.mkdir(parents=True, exist_ok=True)
        written = file.with_suffix(".new")
        written.write_text(json.dumps(done, indent=1), "utf-8")
        written.replace(file)
    return [done[json.dumps(settings, sort_keys=True)] for settings in wanted]


@cache
def version() -> str:
    """The version of slp, and in a checkout with Git the last commit that changed it."""
    command = ["git", "log", "-1", "--format=%h", "--", "slp", "native"]
    try:
        told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return slp.__version__
    commit = told.stdout.strip()
    return f"{slp.__version__} ({commit})" if commit else slp.__version__


def page_of(experiment: Experiment, rows: list[Row], command: str) -> str:
    """The statement of the paper, the command, its CPU seconds, the version, and the table, in
    Markdown."""
    shown = rows if experiment.summary is None else experiment.summary(rows)
    seconds = sum(row["all CPU s"] for row in rows)
    versions = " and ".join(dict.fromkeys(row["version"] for row in rows))
    cost = f"`{command}`: {len(rows)} runs, {seconds:.0f} CPU s, slp {versions}."
    return f"The paper: {experiment.statement}\n\n{cost}\n\n{markdown(shown)}\n"


def write_figure(experiment: Experiment, rows: list[Row], path: Path) -> None:
    """The figure as SVG, with the same bytes for the same rows."""
    assert experiment.figure is not None
    with matplotlib.rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(layout="constrained")
        experiment.figure(rows, figure)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", dpi=200, metadata={"Date": None})


def markdown(rows: Sequence[Row]) -> str:
    """Rows of the same keys as a table."""
    names = [name for name in rows[0] if name not in _KEPT]
    numbers = [all(isinstance(row[name], int | float) for row in rows) for name in names]
    lines = ["| " + " | ".join(names) + " |"]
    lines.append("| " + " | ".join("---:" if number else "---" for number in numbers) + " |")
    lines += ["| " + " | ".join(_cell(row[name]) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def with_table(page: str, name: str, text: str) -> str:
    """A page whose part between two comments that name an experiment is replaced."""
    marks = [re.escape(f"<!-- {mark}: {name} -->\n") for mark in ("begin", "end")]
    pattern = re.compile(f"({marks[0]}).*?({marks[1]})", re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"the page has no comments `begin: {name}` and `end: {name}`")
    return pattern.sub(lambda found: f"{found[1]}\n{text}\n{found[2]}", page)


def over_seeds(rows: Sequence[Row], by: Sequence[str], numbers: Mapping[str, str]) -> list[Row]:
    """Rows that differ in `by`, with mean and standard deviation over the others; `numbers` has the
    format of each."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    out = []
    for key, members in groups.items():
        line = dict(zip(by, key, strict=True))
        for name, form in numbers.items():
            values = [member[name] for member in members]
            mean = sum(values) / len(values)
            line[name] = format(mean, form)
            if len(values) > 1:
                spread = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
                line[name] += f" ({format(spread**0.5, form)})"
        out.append(line)
    return out


def cpu_seconds() -> float:
    """CPU seconds of this process and of those that it began and that ended."""
    return sum(os.times()[:4])


def peak_mebibytes() -> float:
    """Peak memory of this process so far, without that of the process that began it."""
    status = Path("/proc/self/status").read_text("utf-8")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def _words(settings: Row) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
