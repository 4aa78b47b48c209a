"""What someone meets in the first minute: `slp` alone, `slp demo`, completion in the shell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from slp.cli import slp_command
from slp.resources import prior_names
from tests.docs.pages import ROOT, blocks_of


def test_slp_alone_prints_three_lines(slp_run) -> None:
    result = slp_run()
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert len(lines) == 3
    for line in lines:
        name = line.split()[1]
        assert name == "--help" or name in slp_command.list_commands(None)  # type: ignore[arg-type]


def test_an_unknown_option_is_still_wrong_usage(slp_run) -> None:
    assert slp_run("--no-such-option").code == 2


def test_the_demo_is_that_of_the_readme(slp_run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = slp_run("demo")
    assert (result.code, result.err) == (0, "")
    blocks = blocks_of(ROOT / "README.md")
    files = {b.file: b.text for b in blocks if b.file in ("infant.slp", "patients.csv")}
    for name, text in files.items():
        assert text.rstrip() == (ROOT / "examples" / "demo" / name).read_text("utf-8").rstrip()
    assert files["infant.slp"] in result.out
    (shown,) = (b.text for b in blocks if b.text.startswith("$ slp-sample infant.slp"))
    assert shown.removesuffix("...\n") in result.out
    assert list(tmp_path.iterdir()) == []


def test_the_demo_writes_its_files_and_keeps_those_that_are_there(slp_run, tmp_path: Path) -> None:
    assert slp_run("demo", "-o", tmp_path).code == 0
    assert {p.name for p in tmp_path.iterdir()} == {"infant.slp", "patients.csv"}
    (tmp_path / "infant.slp").unlink()
    (tmp_path / "patients.csv").write_text("mine")
    result = slp_run("demo", "-o", tmp_path)
    assert result.code == 2 and "E702" in result.err
    assert [p.name for p in tmp_path.iterdir()] == ["patients.csv"]
    assert slp_run("demo", "-o", tmp_path / "none").code == 2


# --- completion ----------------------------------------------------------------------------------

PROGRAM = "import sys; sys.argv[0] = 'slp'; import slp_commands; slp_commands.main()"


def completed(words: str, shell: str = "bash") -> list[str]:
    """What click answers to the shell for a line that ends at the cursor."""
    environment = {
        **os.environ,
        "_SLP_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    command = [sys.executable, "-P", "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_shells_complete_commands_priors_and_files(tmp_path: Path, monkeypatch) -> None:
    assert "plain,check" in completed("slp che")
    grow = {f"plain,{name}" for name in prior_names() if name.startswith("grow")}
    assert set(completed("slp check grow")) == {*grow, "file,grow"}
    (tmp_path / "growing.slp").write_text("")
    monkeypatch.chdir(tmp_path)
    assert set(completed("slp check grow")) == {*grow, "file,grow", "plain,growing.slp"}
    assert completed("slp check growtree tab") == ["file,tab"]
    assert completed("slp fmt ") == ["file,"]
    assert "plain,--format" in completed("slp check --for")
    assert {"plain,sarif", "plain,github"} <= set(completed("slp check growtree --format "))


@pytest.mark.slow
def test_bash_completes_by_the_lines_of_the_page(tmp_path: Path) -> None:
    """The line of docs/installing.md, in a real bash, which then answers for `slp check grow`."""
    bash = shutil.which("bash")
    assert bash is not None
    page = (ROOT / "docs" / "installing.md").read_text("utf-8")
    line = re.search(r'^eval "\$\(_SLP_COMPLETE=bash_source slp\)"$', page, re.M)
    assert line is not None
    own = tmp_path / "slp"
    own.write_text(f'#!{bash}\nexec "{sys.executable}" -P -c "{PROGRAM}" "$@"\n')
    own.chmod(0o755)
    script = f"""
{line[0]}
COMP_WORDS=(slp check growtree_a); COMP_CWORD=2
_slp_completion slp
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [bash, "--norc", "-c", script],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert "growtree_all" in done.stdout.split(), done.stderr
