"""Running the commands as a shell would, inside this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from slp.cli import slp_command
from slp.cli.common import run
from slp.cli.sample import sample_command

ROOT = Path(__file__).resolve().parent.parent.parent
HABERMAN = ROOT / "examples" / "haberman"


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def slp_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """`slp_run("check", "prior.slp")` gives exit code, standard output and standard error."""
    # Under `python -m pytest` click would name a command by these three words.
    monkeypatch.setattr(sys.modules["__main__"], "__package__", "")

    def call(*arguments: object) -> Result:
        words = [str(a) for a in arguments]
        if words[:1] == ["slp-sample"]:
            code = run(sample_command, words[1:])
        else:
            code = run(slp_command, words)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Six rows, two features, two classes."""
    path = tmp_path / "table.csv"
    path.write_text("age,dose,y\n1,5,a\n2,5,a\n3,6,b\n4,7,b\n5,5,a\n6,7,b\n")
    return path
