"""The extension of VS Code: what its files say, and that it starts the server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import slp

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text("utf-8"))


def test_its_package_names_files_that_are_there() -> None:
    told = PACKAGE["contributes"]
    files = [PACKAGE["main"], *(language["configuration"] for language in told["languages"])]
    assert [name for name in files if not (EXTENSION / name).exists()] == []
    (grammar,) = told["grammars"]
    copied = ROOT / "grammars" / Path(grammar["path"]).name
    assert json.loads(copied.read_text("utf-8"))["scopeName"] == grammar["scopeName"]
    assert f"../../grammars/{copied.name}" in PACKAGE["scripts"]["grammar"]
    assert grammar["path"].removeprefix("./") in PACKAGE["scripts"]["grammar"]
    assert json.loads((EXTENSION / "language-configuration.json").read_text("utf-8"))["comments"]


def test_it_has_the_version_of_slp() -> None:
    assert PACKAGE["version"] == slp.__version__
    assert f"slp-{slp.__version__}.vsix" in (EXTENSION / "README.md").read_text("utf-8")


def test_a_folder_cannot_name_the_command() -> None:
    """The settings of a folder come with it, from anybody."""
    settings = PACKAGE["contributes"]["configuration"]["properties"]
    assert settings["slp.command"]["scope"] == "machine"


def started(*fault: str) -> dict[str, Any]:
    command = ["node", ROOT / "tests" / "editors" / "start_extension.js", EXTENSION, *fault]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


@pytest.mark.slow
def test_it_starts_the_server(node_modules: Path) -> None:
    told = started()
    assert told["server"] == {"command": "/opt/slp", "args": ["lsp"]}
    assert told["options"]["documentSelector"] == [{"language": "slp"}]
    assert told["options"]["initializationOptions"] == {"data": "t.csv"}
    assert told["options"]["synchronize"]["configurationSection"] == "slp"
    assert (told["shown"], told["stopped"]) == ([], True)


@pytest.mark.slow
def test_it_says_where_the_server_does_not_start(node_modules: Path) -> None:
    (shown,) = started("spawn /opt/slp ENOENT")["shown"]
    assert "`/opt/slp lsp` did not start: spawn /opt/slp ENOENT" in shown
    assert "slp.command" in shown
