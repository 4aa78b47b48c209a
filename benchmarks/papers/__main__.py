"""The command: see the package."""

from __future__ import annotations

import argparse
import shlex
import sys
import warnings
from importlib import import_module
from pathlib import Path

import benchmarks.papers
from benchmarks.papers.framework import (
    Experiment,
    page_of,
    run_experiment,
    with_table,
    write_figure,
)
from slp.errors import SlpWarning

PAPERS = (
    "angelopoulos_cussens",
    "bcart_pcfg",
    "greedy_modal_tree",
    "particle_filtering",
    "rjhmc_tree",
)
ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run the experiments, print their tables."""
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m benchmarks.papers", description=benchmarks.papers.__doc__, formatter_class=about
    )
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--made", action="store_true")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--page", type=Path)
    given = parser.parse_args()
    known: dict[str, Experiment] = import_module(f"benchmarks.papers.{given.paper}").EXPERIMENTS
    if wrong := [name for name in given.experiments if name not in known]:
        parser.error(f"{given.paper} has no experiment {wrong[0]}; there are {', '.join(known)}")
    data = ROOT / "examples" if given.quick else given.data
    for name in given.experiments or known:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SlpWarning)
            rows = run_experiment(
                known[name],
                name,
                data,
                given.results / given.paper,
                quick=given.quick,
                made=given.made,
            )
        if not rows:
            parser.error(f"no run of {name} is made yet")
        quick = ["--quick"] if given.quick else []
        command = shlex.join(["python", "-m", "benchmarks.papers", given.paper, name, *quick])
        text = page_of(known[name], rows, command)
        if known[name].figure is not None:
            folder = given.results / given.paper if given.page is None else given.page.parent
            picture = folder / f"{given.paper}-{name}.svg"
            write_figure(known[name], rows, picture)
            text += f"\n![{name}]({picture.name})\n"
        print(f"## {name}\n\n{text}", flush=True)
        if given.page is not None:
            page = with_table(given.page.read_text("utf-8"), name, text)
            given.page.write_text(page, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
