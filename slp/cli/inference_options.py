"""Options of commands that compute, each set in one decorator."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, fields
from typing import Any, TypeVar, cast

import click

from slp.budgets import Deadline
from slp.engines import ENGINES, ProofChainOptions, all_options

__all__ = [
    "chain_options",
    "inference_options",
    "memory_option",
    "seed_option",
    "until_deadline",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_Option = Callable[[Any], Any]

memory_option = click.option(
    "--memory", metavar="SIZE", help="Budget such as 4GiB (half of what is free)."
)
seed_option = click.option("--seed", type=click.IntRange(min=0), help="Seed of the draws.")

# Options by the names that they have in Python, as `--help` lists them.
_ENGINE: dict[str, _Option] = {
    "engine": click.option(
        "--engine",
        default="auto",
        show_default=True,
        metavar="NAME",
        help=f"Engine to use: {', '.join(ENGINES)}; auto takes exact or mh, by what program and "
        "table allow, and says which. `slp engines` tells what each does.",
    ),
    "memory": memory_option,
    "time": click.option(
        "--time",
        metavar="TIME",
        help="Longest time in all, such as 90s, 5m or 2h (no limit).",
    ),
    "threads": click.option(
        "--jobs",
        "threads",
        type=click.IntRange(min=1),
        metavar="N",
        help="Threads to run (one for each core); no result depends on it.",
    ),
    "seed": seed_option,
    "allow_code": click.option(
        "--allow-code", is_flag=True, help="Let predicates that PRIOR names run their code."
    ),
}


def _flag(field: Field[Any]) -> _Option:
    """The option of a command for an option of an engine."""
    said, default = dict(field.metadata), field.default
    name = f"--{field.name.replace('_', '-')}"
    help = f"{said['doc'][0].upper()}{said['doc'][1:]}."
    if default is False:
        return click.option(name, is_flag=True, help=help)
    least = said["least"]
    kind = None if least is None else click.IntRange(min=least)
    metavar = said["metavar"]
    return click.option(
        name, default=default, show_default=True, type=kind, metavar=metavar, help=help
    )


def _flags(options: Iterable[Field[Any]]) -> dict[str, _Option]:
    return {field.name: _flag(field) for field in options}


def until_deadline(inference: dict[str, Any]) -> dict[str, Any]:
    """The same with the time as a deadline that runs since the command began: imports, reading,
    summaries and all take of it.

    Raises
    ------
    UsageError
        E542: it is no length of time.
    """
    began = click.get_current_context().obj
    return {**inference, "time": Deadline.of(inference.get("time"), began)}


def inference_options(command: _Command) -> _Command:
    """What `slp.Program.posterior` is told of how to compute; the command gets it together, as
    `inference`."""
    return _gathering(command, "inference", _ENGINE | _flags(all_options().values()))


def chain_options(command: _Command) -> _Command:
    """What any sampler is told, but for the proposal; the command gets it as `sampling`."""
    own = [field for field in fields(ProofChainOptions) if field.name != "proposal"]
    return _gathering(command, "sampling", _flags(own))


def _gathering(command: _Command, together: str, options: Mapping[str, _Option]) -> _Command:
    @functools.wraps(command)
    def gathered(*args: Any, **kwargs: Any) -> Any:
        told = {name: kwargs.pop(name) for name in options}
        given = {name: value for name, value in told.items() if value is not None}
        return command(*args, **{together: given}, **kwargs)

    wrapped: Any = gathered
    for option in reversed(list(options.values())):
        wrapped = option(wrapped)
    return cast(_Command, wrapped)
