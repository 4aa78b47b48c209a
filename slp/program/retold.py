"""Warnings of many runs, each told once, with the run that it came from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from slp.errors import Diagnostic, SlpWarning, warn


@dataclass
class Said:
    """Findings by code: the first of each, and the runs that had it."""

    run: int = 0
    found: dict[str, tuple[Diagnostic, set[int]]] = field(default_factory=dict)


@contextmanager
def retold(name: str, runs: int = 1) -> Iterator[Said]:
    """Tells warnings of the block after it, each code once, with the program's name and in how many
    of several runs it was found."""
    said = Said()
    others: list[Warning | str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", SlpWarning)
        warnings.showwarning = _keep(said, others.append)
        yield said
    for message in others:
        warnings.warn(message, stacklevel=2)
    for finding, found_in in said.found.values():
        where = f"{name}, {len(found_in)} of {runs} folds" if runs > 1 else name
        warn(replace(finding, message=f"{where}: {finding.message}"))


def _keep(said: Said, other: Callable[[Any], None]) -> Callable[..., None]:
    def show(message: Warning | str, *_place: Any, **_where: Any) -> None:
        if isinstance(message, SlpWarning):
            code = message.diagnostic.code
            said.found.setdefault(code, (message.diagnostic, set()))[1].add(said.run)
        else:
            other(message)

    return show
