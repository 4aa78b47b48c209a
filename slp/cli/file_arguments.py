"""Arguments that name files, as shells complete them."""

from __future__ import annotations

from collections.abc import Callable
from glob import escape, iglob
from typing import Any

import click
from click.shell_completion import CompletionItem

from slp.resources import prior_names

#: Arguments that name a program, which may be a library prior.
_PROGRAMS = ("prior", "priors", "file")


def file_argument(name: str, **attributes: Any) -> Callable[[Any], Any]:
    """`click.argument`, for the name of a file, or of a program."""
    return click.argument(name, shell_complete=_completed, **attributes)


def _completed(
    _context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """The library priors and programs that may be meant; where there are none, the shell's own
    files. The request for these comes first: in bash it discards what was before."""
    names: list[str] = []
    if parameter.name in _PROGRAMS and begun:
        names = [*prior_names(), *sorted(iglob(f"{escape(begun)}*.slp"))]
    found = [CompletionItem(name) for name in names if name.startswith(begun)]
    return [CompletionItem(begun, type="file"), *found]
