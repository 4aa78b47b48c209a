"""Options of commands that compute, each set in one decorator."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import click

from slp.budgets import Deadline

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
        help="Engine to use: exact, mh, prolog, chart, enumerate; auto takes exact or mh, by what "
        "program and table allow, and says which.",
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
_CHAINS: dict[str, _Option] = {
    "chains": click.option(
        "--chains",
        type=click.IntRange(min=1),
        default=4,
        show_default=True,
        help="Chains of a sampler.",
    ),
    "warmup": click.option(
        "--warmup",
        type=click.IntRange(min=0),
        help="Steps of each chain before any draw is kept  [default: up to 20000]",
    ),
    "thin": click.option(
        "--thin",
        type=click.IntRange(min=1),
        help="Steps for each draw kept  [default: up to 1000, by program and table]",
    ),
    "checkpoint": click.option(
        "--checkpoint", metavar="FILE", help="Keep the run of a sampler in FILE as it goes."
    ),
    "resume": click.option("--resume", is_flag=True, help="Go on with the run in --checkpoint."),
}
_TREES: dict[str, _Option] = {
    "proposal": click.option(
        "--proposal",
        default="q_uc",
        show_default=True,
        metavar="NAMES",
        help="Proposals with weights, such as q_uc:0.8,q_ind:0.2.",
    ),
    "rungs": click.option(
        "--rungs",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Powers of the likelihood that each chain is tempered at; 1 for none.",
    ),
}


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
    return _gathering(command, "inference", _ENGINE | _CHAINS | _TREES)


def chain_options(command: _Command) -> _Command:
    """What any sampler is told, but for the proposal; the command gets it as `sampling`."""
    return _gathering(command, "sampling", _CHAINS)


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
