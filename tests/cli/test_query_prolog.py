"""`slp query --engine prolog`."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

PAIR = "0.5 :: coin(h).\n0.5 :: coin(t).\npair(X, Y) :- coin(X), coin(Y), X \\= Y.\n"


def test_answers_draws_and_code(slp_run, tmp_path: Path, janus: ModuleType) -> None:
    file = tmp_path / "pair.slp"
    file.write_text(PAIR)
    engine = ("--engine", "prolog")
    result = slp_run("query", file, "pair(X, Y)", *engine)
    assert (result.code, result.err) == (0, "")
    assert result.out == "0.5  X = h, Y = t\n0.5  X = t, Y = h\nsuccess 0.5; failure 0.5\n"
    draws = json.loads(
        slp_run("query", file, "pair(X, Y)", *engine, "--draws", 9, "--seed", 1, "--json").out
    )
    assert len(draws["draws"]) == 9 and draws["tries"] > 9
    code = slp_run("query", file, "prolog(X = 1)", *engine)
    assert code.code == 1 and "error[E263]" in code.err
    assert slp_run("query", file, "prolog(X = 1)", *engine, "--allow-code").out.startswith("1  X")
