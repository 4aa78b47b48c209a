"""Builds the command that is running with other options, for the user to copy."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import click
from click.core import ParameterSource


def command_again(
    context: click.Context, changes: Mapping[str, object], without: Collection[str] = ()
) -> str:
    """The command with its options, where `changes` replaces values (by names in Python) and
    `without` removes options."""
    words = [context.command_path]
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in changes:
            words += _words(parameter, changes[name])
        elif name not in without and _was_given(context, parameter):
            words += _words(parameter, context.params[name])
    return " ".join([words[0], *map(shlex.quote, words[1:])])


def _was_given(context: click.Context, parameter: click.Parameter) -> bool:
    if isinstance(parameter, click.Argument):
        return True
    source = context.get_parameter_source(str(parameter.name))
    return source is ParameterSource.COMMANDLINE


def _words(parameter: click.Parameter, value: Any) -> Iterator[str]:
    if isinstance(parameter, click.Argument):
        yield str(value)
        return
    name = max(parameter.opts, key=len)
    if isinstance(value, dict):
        for key, number in value.items():
            yield from (name, f"{key}={number!r}")
    elif value is True:
        yield name
    else:
        yield from (name, str(value))
