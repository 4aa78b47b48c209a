"""Where members stacked by prediction are offered in place of chains that do not mix."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import slp
from slp.cli.sample import sample_command
from slp.data.row_part import FEWEST_ROWS
from slp.results.trust.doubts import doubt_of, stacking_is_offered
from slp.runner import Schedule
from tests.engines.stacked.stacks import (
    classes,
)


@pytest.mark.parametrize(
    ("trips", "barrier", "rows", "standing", "told", "offered"),
    [
        (0, 25.0, 5000, "not converged", "leaves", True),
        (0, 25.0, FEWEST_ROWS - 1, "not converged", "leaves", False),
        (1, 25.0, 5000, "not converged", "leaves", False),
        (0, 5.0, 5000, "not converged", "leaves", False),
        (0, 25.0, 5000, "converged", "leaves", False),
        (0, 25.0, 5000, "not converged", "edits", False),
    ],
)
def test_it_is_offered_where_ladders_make_no_round_trip(
    trips: int, barrier: float, rows: int, standing: str, told: str, offered: bool
) -> None:
    found: Any = SimpleNamespace(
        standing=standing,
        converged=standing == "converged",
        tempering=SimpleNamespace(fewest_round_trips=trips, barrier=barrier),
        out_of_time=False,
        nearly_agrees=False,
        source="chains",
        moves={},
        warnings=("the chains disagree",),
        convergence={told: None},
    )
    assert stacking_is_offered(found, rows) == offered
    assert not stacking_is_offered(None, rows)
    doubt = doubt_of(found, Schedule(2000, rounds=2), 2000, {}, rows)
    assert ("engine='stacked'" in str(doubt)) == offered


def test_the_page_offers_it_by_name_with_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slp.results, "stacking_is_offered", lambda *_: True, raising=False)
    classes().write_csv(tmp_path / "data.csv")
    flags = "--engine mh --rungs 1 --warmup 5 --thin 1 -n 40 --seed 3 --memory 1GiB".split()
    data = str(tmp_path / "data.csv")
    said = CliRunner().invoke(sample_command, ["growtree", data, *flags]).stdout
    lines = [line.strip() for line in said.splitlines()]
    (at,) = [i for i, line in enumerate(lines) if "--engine stacked" in line]
    assert lines[at].startswith(f"sample growtree {data}")
    assert all(f"--{word}" in lines[at] for word in ("draws 40", "memory 1GiB", "seed 3"))
    assert "--rungs" not in lines[at] and "--warmup" not in lines[at]
    assert lines[at + 1].endswith("it takes about 51 s on two cores)")
    said = CliRunner().invoke(sample_command, ["growtree", data, *flags, "--time", "20s"]).stdout
    assert "it takes about 20 s on two cores)" in said
