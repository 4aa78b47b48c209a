"""`python -m benchmarks.papers`: every experiment runs with `--quick`, and goes on where it was.

The pages of the papers show all experiments.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import slp
from tests.docs.pages import anchors_of, links_of

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
    "bcart_pcfg": [
        "tables",
        "protocol",
        "intervals",
        "paths",
        "xor",
        "better_terms",
        "better_prior",
        "growth",
    ],
    "greedy_modal_tree": [
        "tables",
        "variants",
        "importances",
        "smoothing",
        "boundaries",
        "regression",
        "speed",
    ],
    "particle_filtering": ["proposals", "irrelevant", "islands", "chains", "cart", "sensitivity"],
    "rjhmc_tree": [
        "tables",
        "leaves",
        "convergence",
        "first_h",
        "accuracy",
        "published",
        "priors",
        "divisions",
        "settings",
    ],
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


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("paper", EXPERIMENTS)
def test_quick_runs_print_their_tables_and_are_kept(paper: str, tmp_path: Path) -> None:
    names = EXPERIMENTS[paper]
    page = tmp_path / "page.md"
    page.write_text("".join(f"<!-- begin: {n} -->\n<!-- end: {n} -->\n" for n in names))
    how = (paper, "--quick", "--results", tmp_path, "--page", page)
    first = papers(*how)
    assert first.returncode == 0, first.stderr
    kept = list((tmp_path / paper).glob("*.json"))  # fewer than names where they share runs
    assert first.stderr.count(": run 1 of ") == len(kept) > 0
    sections = re.findall(r"^## (\w+)\n\nThe paper: .+\n\n`python -m .*\n\n\| ", first.stdout, re.M)
    assert sections == names
    assert first.stdout.count(f" CPU s, slp {slp.__version__}") == len(names)
    assert all(len(line) > 20 for line in first.stdout.splitlines() if line.startswith("| "))
    again = papers(*how)
    assert (again.stdout, again.stderr) == (first.stdout, "")
    assert page.read_text().count("The paper: ") == len(names)


@pytest.mark.slow
def test_names_that_are_not_there_are_told() -> None:
    done = papers("particle_filtering", "island")
    assert done.returncode == 2 and "there are proposals, irrelevant, islands" in done.stderr


PAGES = sorted(path for path in (ROOT / "docs" / "papers").glob("*.md"))


#: Experiments whose tables are in docs/design.
IN_DESIGN = ("speed", "settings")


def page_of(paper: str) -> Path:
    return ROOT / "docs" / "papers" / f"{paper.replace('_', '-')}.md"


@pytest.mark.parametrize("paper", EXPERIMENTS)
def test_the_page_of_a_paper_has_a_table_of_each_experiment(paper: str) -> None:
    text = page_of(paper).read_text("utf-8")
    for name in set(EXPERIMENTS[paper]) - set(IN_DESIGN):
        part = text.split(f"<!-- begin: {name} -->")[1].split(f"<!-- end: {name} -->")[0]
        assert f"`python -m benchmarks.papers {paper} {name}`: " in part
        assert re.search(r"^\| -+:? \|", part, re.M)


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_a_page_of_a_paper_is_on_the_map_and_its_links_lead_somewhere(page: Path) -> None:
    index = ROOT / "docs" / "index.md"
    assert f"papers/{page.name}" in links_of(index)
    for link in links_of(page):
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link
