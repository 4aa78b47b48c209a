"""The pictures of some pages of docs/, made by the commands of these pages.

`python tests/docs/pictures_page.py` writes them to docs/pictures. A test asserts that a page shows
every picture that its commands make, and no other.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.docs.pages import ROOT, blocks_of, commands_of

DOCS = ROOT / "docs"
FOLDER = DOCS / "pictures"
NAMES = ("pictures.md", "survival.md", "tutorial.md")


def shown(name: str) -> list[str]:
    """The pictures that a page shows."""
    return re.findall(r"!\[[^\]]+\]\(pictures/([^)]+)\)", (DOCS / name).read_text("utf-8"))


def made(name: str) -> dict[str, list[str]]:
    """The files that a page's commands make, with the commands in words."""
    blocks = (block for block in blocks_of(DOCS / name) if block.language == "console")
    words = [shlex.split(command) for block in blocks for command, _ in commands_of(block)]
    return {own[-1]: own for own in words}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for page in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            shutil.copytree(ROOT / "examples", "examples")
            for block in blocks_of(DOCS / page):
                if block.file is not None:
                    Path(block.file).write_text(block.text, "utf-8")
            for file, command in made(page).items():
                subprocess.run(command, check=True)
                if command[1] == "plot":
                    shutil.copy(file, FOLDER / file)
