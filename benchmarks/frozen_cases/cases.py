"""What a case is, and how what it finds becomes plain data."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import slp

__all__ = ["THREADS", "Case", "Cases", "fault", "plain", "run_case", "told"]

#: Numbers of threads that must give the same, to the bit.
THREADS = (1, 2, 8)

#: Keys of JSON that hold trees.
_TREES = ("tree", "given")


@dataclass(frozen=True)
class Case:
    """Something to ask: `ask(threads)` gives data for `plain`.

    `threaded`: it is asked with each number of `THREADS`, else once. `prolog`: it needs SWI-Prolog.
    """

    ask: Callable[[int], Any]
    threaded: bool = False
    prolog: bool = False


Cases = Iterator[tuple[str, Case]]


def run_case(case: Case, threads: int) -> dict[str, Any]:
    """What a case finds, as plain data, with the warnings that it gave, or how it crashed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = {"found": plain(told(lambda: case.ask(threads)))}
        except Exception as e:  # no run may be lost to one crash, which is a finding
            found = {"crash": type(e).__name__, "text": str(e)}
    said = [w.message.diagnostic for w in caught if isinstance(w.message, slp.SlpWarning)]
    return {**found, "warned": plain([d.to_dict() for d in said])}


def told(ask: Callable[[], Any]) -> Any:
    """What `ask` gives, or the fault that it raises."""
    try:
        return ask()
    except slp.SlpError as e:
        return {"fault": fault(e)}


def fault(error: slp.SlpError) -> dict[str, Any]:
    """A fault: its public class and its findings."""
    public = next(c.__name__ for c in type(error).__mro__ if c.__name__ in slp.__all__)
    return {"class": public, "diagnostics": [d.to_dict() for d in error.diagnostics]}


def plain(value: Any) -> Any:
    """Data as JSON has it: trees as their text, names of temporary folders taken out."""
    if isinstance(value, slp.Tree):
        return _tree_text(value.to_dict())
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {
            str(k): _tree_text(v) if k in _TREES and isinstance(v, dict) else plain(v)
            for k, v in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, str | Path):
        return str(value).replace(str(Path.cwd()), "<here>")
    if value is None or isinstance(value, bool | int | float):
        return value
    raise TypeError(f"{type(value).__name__} is no plain data")


def _tree_text(tree: Mapping[str, Any]) -> str:
    """A tree as one text, so that it is compared exactly, thresholds too."""
    return json.dumps(tree, ensure_ascii=False)
