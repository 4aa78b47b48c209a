"""Checkpoints: runs on disk as JSON. Each write is atomic.

A file holds what identifies the run (`identity`) and, for each chain, the state of its random
numbers, its step, its state, its draws and its tallies, with a digest of it all. Floats are written
with all their digits, so a resumed run continues bit for bit.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slp.errors import SlpError, UsageError
from slp.folders import check_regular, open_regular
from slp.messages.chains import (
    ANOTHER_RUN,
    CHECKPOINT_EXISTS,
    CHECKPOINT_NOT_WRITTEN,
    NO_CHECKPOINT,
    NO_CHECKPOINT_NAMED,
    NO_CHECKPOINT_THERE,
)
from slp.runner.stepper import Json
from slp.whole_files import whole_file

_FORMAT = "slp checkpoint 3"
_OF_A_CHAIN = {"rng", "steps", "state", "draws", "log_weights", "warm_up_tally", "tally"}


@dataclass(frozen=True)
class Checkpoint:
    """A file that a run is kept in.

    `resume`: continue the run in the file; otherwise the file must not exist yet. `every`: seconds
    between two writes; a killed run loses at most this much.
    """

    path: str | Path
    resume: bool = False
    every: float = 30.0


def checkpoint_and_seed(
    path: str | Path | None, resume: bool, seed: int | None
) -> tuple[Checkpoint | None, int | None]:
    """The checkpoint that options name (None if they name none), and the seed: as given, or that of
    the resumed run.

    Raises
    ------
    UsageError
        E513: there is no such file to resume, or none is named.
    SlpError
        E514: it is not a checkpoint.
    """
    if path is None:
        if resume:
            raise UsageError(NO_CHECKPOINT_NAMED())
        return None, seed
    if resume and seed is None:
        seed = int(_read(Path(path))["identity"]["seed"])
    return Checkpoint(path, resume), seed


def write_checkpoint(path: str | Path, identity: Mapping[str, str], chains: list[Json]) -> None:
    """Replace the file atomically: after a kill it is the old file or the new one.

    Raises
    ------
    SlpError
        The file cannot be written (E511).
    """
    kept = json.dumps({"identity": dict(identity), "chains": chains})
    text = f'{{"format": "{_FORMAT}", "digest": "{_digest(kept)}", {kept[1:]}'
    with whole_file(path, fault=_not_written) as file:
        file.write(text.encode())


def _not_written(path: str | Path, error: OSError) -> SlpError:
    return SlpError(CHECKPOINT_NOT_WRITTEN(path=path, reason=error.strerror))


def read_checkpoint(checkpoint: Checkpoint, identity: Mapping[str, str]) -> list[Json] | None:
    """The chains in the file; None if a new run is to begin.

    Raises
    ------
    UsageError
        E512: the file exists and `resume` is False. E513: there is no file to resume. E515: the
        file belongs to another run.
    SlpError
        E511: it is no regular file. E514: the file is not a checkpoint.
    """
    path = Path(checkpoint.path)
    if not checkpoint.resume:
        if os.path.exists(path):  # False also of a name that no file can have
            _check_kind(path)
            raise UsageError(CHECKPOINT_EXISTS(path=path))
        return None
    found = _read(path)
    for what in dict.fromkeys([*identity, *found["identity"]]):
        if found["identity"].get(what) != identity.get(what):
            raise UsageError(ANOTHER_RUN(path=path, what=what))
    chains: list[Json] = found["chains"]
    return chains


def _read(path: Path) -> Json:
    if not os.path.exists(path):
        raise UsageError(NO_CHECKPOINT_THERE(path=path))
    _check_kind(path)
    try:
        with os.fdopen(open_regular(path), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError) as e:
        raise _no_checkpoint(path) from e
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise _no_checkpoint(path)
    kept = {"identity": found.get("identity"), "chains": found.get("chains")}
    if found.get("digest") != _digest(json.dumps(kept)):
        raise _no_checkpoint(path)
    with only_checkpoints(path):
        _check_form(**kept)
    return found


def _check_kind(path: Path) -> None:
    """Raise SlpError (E511) for a device, a pipe or a folder: a checkpoint replaces a file."""
    try:
        check_regular(path.stat().st_mode)
    except OSError as e:
        raise SlpError(CHECKPOINT_NOT_WRITTEN(path=path, reason=e.strerror)) from e


def _check_form(identity: Any, chains: Any) -> None:
    """Raise some error unless `identity` maps names to texts, and chains have the form that the
    loop writes. NumPy and the engine check the content of `rng`, `state` and `draws`."""
    assert all(isinstance(text, str) for item in identity.items() for text in item)
    int(identity["seed"])
    for chain in chains:
        assert chain.keys() == _OF_A_CHAIN
        assert isinstance(chain["draws"], list)
        assert all(isinstance(weight, float) for weight in chain["log_weights"])
        assert len(chain["draws"]) == len(chain["log_weights"])
        counts = [chain["steps"]]
        for name, outcome, count in (*chain["warm_up_tally"], *chain["tally"]):
            assert isinstance(name, str) and isinstance(outcome, str)
            counts.append(count)
        assert all(type(count) is int and count >= 0 for count in counts)


@contextmanager
def only_checkpoints(path: str | Path) -> Iterator[None]:
    """Around code that reads the content of a file: every error there becomes E514."""
    try:
        yield
    except SlpError:
        raise
    except Exception as e:
        raise _no_checkpoint(Path(path)) from e


def _digest(kept: str) -> str:
    """A digest of the content as canonical text, so that changed files are found."""
    return hashlib.sha256(kept.encode()).hexdigest()


def _no_checkpoint(path: Path) -> SlpError:
    return SlpError(NO_CHECKPOINT(path=path))
