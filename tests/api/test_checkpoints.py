"""A checkpoint whose digest is right and whose content is not is none: E514, and nothing else."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import slp

ROWS = [[i, 3 * i % 7, i % 2] for i in range(14)]
RUN: dict[str, Any] = {"draws": 6, "chains": 1, "warmup": 5, "thin": 3, "seed": 1, "engine": "mh"}
WRONG = (None, True, -1, 10**30, "x", [], {}, [[]])

pytestmark = pytest.mark.filterwarnings("ignore")


def spoilt(data: Any, below: Any, path: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Each key taken out and each value replaced, of lists the first item alone."""
    items = list(below.items()) if isinstance(below, dict) else list(enumerate(below))[:1]
    for key, value in items:
        for wrong in (*WRONG, "gone"):
            out = copy.deepcopy(data)
            place = out
            for step in path:
                place = place[step]
            if wrong == "gone":
                del place[key]
            else:
                place[key] = wrong
            yield (*path, key, wrong), out
        if isinstance(value, dict | list):
            yield from spoilt(data, value, (*path, key))


@pytest.mark.slow
@pytest.mark.parametrize("rungs", [1, 3])
def test_spoilt_content(rungs: int, tmp_path: Path) -> None:
    """Also where the chains go on from what they were at, as more draws are asked for."""
    path, program = tmp_path / "run.json", slp.load("growtree")
    more = {**RUN, "draws": 8}
    program.posterior(ROWS, checkpoint=path, rungs=rungs, **RUN)
    whole = json.loads(path.read_text())
    kept = {"identity": whole["identity"], "chains": whole["chains"]}
    said = []
    for where, wrong in spoilt(kept, kept):
        digest = hashlib.sha256(json.dumps(wrong).encode()).hexdigest()
        path.write_text(json.dumps({"format": whole["format"], "digest": digest, **wrong}))
        try:
            program.posterior(ROWS, checkpoint=path, resume=True, rungs=rungs, **more)
        except slp.SlpError as e:
            said.append(e.diagnostics[0].code)
            assert said[-1] in ("E514", "E515"), where
    assert said.count("E514") > 50
