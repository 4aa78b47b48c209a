"""`slp query PRIOR GOAL --data DATA`: goals about the trees of a posterior and its prior."""

from __future__ import annotations

from functools import partial
from typing import Any

import click
from click.core import ParameterSource

import slp
from slp.budgets import held
from slp.cli.common import exit_if_interrupted, progress_line, say
from slp.cli.exclusive_options import check_options
from slp.cli.json_text import write_json
from slp.cli.options import NamedProgram, deadline_of, read_table
from slp.cli.partial_results import known_is_told
from slp.results import refuse_stacking

_MOST_SHOWN = 50


def ask_trees(
    prior: NamedProgram,
    goal: str,
    data: str,
    response: str | None,
    *,
    as_json: bool,
    **asked: Any,
) -> None:
    """Print the answers of a goal about trees. Without `--time` there is no limit."""
    check_options("a goal about trees")
    refuse_stacking(asked["engine"], "goals about trees")
    source = click.get_current_context().get_parameter_source("time")
    given = asked["time"] if source is ParameterSource.COMMANDLINE else None
    time, program = deadline_of(given), prior.load()
    frame = read_table(data, {"time": time, "memory": asked["memory"]})
    words = partial(program.describe, fine_print=False)
    with known_is_told(words, as_json=as_json), progress_line() as progress:
        posterior = program.posterior(
            frame,
            response,
            engine=asked["engine"] or "auto",
            seed=asked["seed"],
            draws=asked["draws"] or 2000,
            memory=asked["memory"],
            time=time,
            allow_code=asked["allow_code"],
            progress=progress,
        )
        with held(time):
            found = posterior.query(goal)
    if as_json:
        run = {"engine": posterior.engine, "reason": posterior.reason, "seed": posterior.seed}
        write_json({**found.to_dict(), **run, "version": slp.__version__})
    else:
        say(*found.to_text(_MOST_SHOWN).splitlines())
        say(f"engine {posterior.engine}: {posterior.reason}; seed {posterior.seed}")
    exit_if_interrupted(posterior)
