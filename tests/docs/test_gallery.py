"""The gallery: each folder of examples/ has a README, whose commands print what it says."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

import slp
from tests.docs.pages import ROOT, anchors_of, blocks_of, commands_of, links_of, prints
from tests.docs.running import printed, run_python

FOLDERS = sorted(p for p in (ROOT / "examples").iterdir() if p.is_dir())
by_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: str(p.name))


@by_folder
def test_a_readme_has_a_title_and_a_command(folder: Path) -> None:
    readme = folder / "README.md"
    assert readme.read_text("utf-8").startswith("# ")
    commands = [b for b in blocks_of(readme) if b.language == "console"]
    assert commands and all(commands_of(block) for block in commands)
    known = {"bash", "console", "python", "prolog", "text"}
    assert {b.language for b in blocks_of(readme)} <= known
    for link in links_of(readme):
        target, _, anchor = link.partition("#")
        file = readme.parent / target
        assert file.exists() and (not anchor or anchor in anchors_of(file)), link


@by_folder
def test_programs_are_without_faults(folder: Path) -> None:
    programs = sorted(folder.glob("*.slp"))
    assert programs
    for file in programs:
        assert slp.load(file).warnings == (), file


@pytest.mark.slow
@by_folder
def test_a_readme_is_true(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copytree(folder, tmp_path / folder.name))
    monkeypatch.syspath_prepend(".")  # scripts import their neighbours
    names: dict[str, object] = {}
    for block in blocks_of(folder / "README.md"):
        if block.language == "python":
            run_python(block, folder / "README.md", names)
        elif block.language == "console":
            for command, want in commands_of(block):
                have = printed(command)
                assert prints(want, have), f"{folder.name}: {command} prints\n{have}"


def test_every_folder_is_in_the_gallery_and_all_are_small() -> None:
    gallery = ROOT / "docs" / "gallery.md"
    shown = {Path(link).parent.name for link in links_of(gallery) if "examples/" in link}
    assert shown == {folder.name for folder in FOLDERS}
    files = [file for folder in FOLDERS for file in folder.rglob("*") if file.is_file()]
    assert sum(f.stat().st_size for f in files if "__pycache__" not in f.parts) < 1_000_000


@pytest.mark.parametrize(
    "script", sorted((ROOT / "examples").glob("*/make.py")), ids=lambda p: str(p.parent.name)
)
def test_a_made_table_is_what_its_script_makes(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed(f"python {script}")
    made = list(tmp_path.iterdir())
    assert made
    for file in made:
        assert file.read_bytes() == (script.parent / file.name).read_bytes()
