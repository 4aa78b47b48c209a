"""`python -m benchmarks.papers`: every experiment runs with `--quick`, and goes on where it was."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import slp

ROOT = Path(__file__).resolve().parents[1]
EXPERIMENTS = {
    "angelopoulos_cussens": [
        "trajectories",
        "editing",
        "given_trees",
        "greedy",
        "convergence",
        "reproducibility",
        "boxes",
    ],
    "bcart_pcfg": ["tables", "paths", "xor"],
    "greedy_modal_tree": [
        "tables",
        "variants",
        "importances",
        "smoothing",
        "boundaries",
        "regression",
        "speed",
    ],
    "particle_filtering": ["proposals", "irrelevant", "islands", "chains"],
}


#: As `python -m benchmarks.papers`, but with the installed `slp`: the sources may have no core.
RUN = f"""
import runpy, sys
sys.path.append({str(ROOT)!r})
runpy.run_module("benchmarks.papers", run_name="__main__", alter_sys=True)
"""


def papers(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-c", RUN, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("paper", EXPERIMENTS)
def test_quick_runs_print_their_tables_and_are_kept(paper: str, tmp_path: Path) -> None:
    names = EXPERIMENTS[paper]
    page = tmp_path / "page.md"
    page.write_text("".join(f"<!-- begin: {n} -->\n<!-- end: {n} -->\n" for n in names))
    how = (paper, "--quick", "--results", tmp_path, "--page", page)
    first = papers(*how)
    assert first.returncode == 0, first.stderr
    assert first.stderr.count(": run 1 of ") == len(names)
    sections = re.findall(r"^## (\w+)\n\nThe paper: .+\n\n`python -m .*\n\n\| ", first.stdout, re.M)
    assert sections == names
    assert first.stdout.count(f" CPU s, slp {slp.__version__}") == len(names)
    assert all(len(line) > 20 for line in first.stdout.splitlines() if line.startswith("| "))
    again = papers(*how)
    assert (again.stdout, again.stderr) == (first.stdout, "")
    assert page.read_text().count("The paper: ") == len(names)


def test_names_that_are_not_there_are_told() -> None:
    done = papers("particle_filtering", "island")
    assert done.returncode == 2 and "there are proposals, irrelevant, islands" in done.stderr
