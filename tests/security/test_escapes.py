"""A part of the matrix of escapes and commands, in this process. Every escape is queried under
SWI-Prolog, from its own file and from one that uses it, and meets some of the other commands."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import slp
from slp.errors import SlpError
from slp.resolution import Limits
from tests.security.escapes import COMMANDS, ESCAPES, PLACES, Escape, write

_OTHERS = 2


def wanted(number: int) -> list[tuple[int, str]]:
    """The commands and places of an escape by its number: all are met by some escape."""
    turn = number * _OTHERS
    others = [divmod((turn + i) % (3 * len(COMMANDS)), 3) for i in range(_OTHERS)]
    return [(2, ""), (2, "_using"), *((command, PLACES[place]) for command, place in others)]


@pytest.mark.thinned(12)
@pytest.mark.parametrize("number", range(len(ESCAPES)), ids=lambda i: ESCAPES[i].name)
def test_no_escape(number: int, slp_run, tmp_path: Path, janus: ModuleType) -> None:  # type: ignore[no-untyped-def]
    canary = write(ESCAPES[number], tmp_path)
    for command, place in wanted(number):
        words = COMMANDS[command].arguments(tmp_path, place)
        result = slp_run(*words)
        assert not canary.exists(), words
        assert result.code in (0, 1, 2), (words, result.err)


def answers(text: str, engine: str) -> list[tuple[object, float]] | str:
    try:
        found = slp.parse(text).query("go(X)", engine=engine, limits=Limits(inferences=20_000))
    except SlpError as error:
        return error.diagnostics[0].code
    return [(answer["X"], answer.probability) for answer in found.answers]


def test_the_answers_stay_what_they_are(tmp_path: Path, janus: ModuleType) -> None:
    """Of the text of each escape beside harmless clauses, in both engines."""
    right = [("a", 0.5), ("b", 0.5)]
    seen = 0
    for number, escape in enumerate(ESCAPES):
        folder = tmp_path / str(number)
        folder.mkdir()
        write(Escape(escape.name, escape.text), folder)
        text = (folder / "clauses.slp").read_text()
        have = [answers(text, engine) for engine in ("python", "prolog")]
        assert have[0] == have[1], escape.name
        assert isinstance(have[0], str) or have[0] == right, escape.name
        seen += have[0] == right
    assert seen > len(ESCAPES) / 2


def test_the_canary_would_appear(tmp_path: Path, janus: ModuleType) -> None:
    """With leave the goal runs: the programs do what they say."""
    canary = write(Escape("allowed", goal="prolog(shell('touch CANARY'))"), tmp_path)
    program = slp.load(tmp_path / "clauses_using.slp")
    program.query("attack", engine="prolog", allow_code=True)
    assert canary.exists()
