"""`slp query FILE GOAL`: probabilities of answers, best proofs and draws, for any program."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

import slp
from slp.cli.answers_text import print_answers, print_draws, print_sampled
from slp.cli.common import INTERRUPTED, progress_line, write_exactly
from slp.cli.exclusive_options import check_options
from slp.cli.goals_on_trees import ask_trees
from slp.cli.numbers import RealNumber, WholeNumber
from slp.cli.options import (
    NamedProgram,
    chain_options,
    deadline_of,
    json_option,
    memory_option,
    program_argument,
    program_options,
    proof_time_option,
    response_option,
    seed_option,
)
from slp.engines import LogLikelihood, imported_function
from slp.errors import UsageError
from slp.messages.commands import FUNCTION_REFUSED
from slp.resolution import (
    FAILURES,
    Draws,
    QueryResult,
)
from slp.results import SampledProofs

#: The form of a function's name; all other text is a goal.
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


@click.command(name="query")
@program_argument
@click.argument("goal", metavar="GOAL")
@click.option(
    "--given",
    metavar="GOAL",
    multiple=True,
    help="One more goal that must succeed, with shared variables (repeatable).",
)
@click.option(
    "--best",
    type=WholeNumber(min=1),
    metavar="K",
    help="Also print the K most probable proofs, with their clauses.",
)
@click.option(
    "-n",
    "--draws",
    type=WholeNumber(min=1),
    metavar="N",
    help="Draw N answers instead of searching for all (default for a sampler: 1000).",
)
@click.option(
    "--failure",
    type=click.Choice(list(FAILURES)),
    default="rejection",
    show_default=True,
    help="After a failed draw: start again (tables spare it), go on from its last choice, or draw "
    "with weights.",
)
@seed_option
@click.option(
    "--tolerance",
    type=RealNumber(min=0),
    default=1e-12,
    show_default=True,
    help="Search until the unexplored mass is at most this share of the mass found.",
)
@click.option(
    "--data",
    metavar="DATA",
    help="Ask the trees of the posterior and of the prior on this table: GOAL calls tree(T).",
)
@response_option
@click.option(
    "--engine",
    metavar="NAME",
    help="Prove goals in python (default) or in SWI-Prolog, prolog (which must be installed). "
    "With --data: how the trees are found, as for slp-sample (default: auto).",
)
@click.option(
    "--log-likelihood",
    metavar="MODULE:FUNCTION|GOAL",
    help="Sample by Metropolis-Hastings: a Python function of the answer, or a goal that binds "
    "LogLikelihood.",
)
@click.option(
    "--proposal",
    metavar="NAMES",
    help="Sample by Metropolis-Hastings with these proposals, such as q_uc:0.8,q_ind:0.2.",
)
@chain_options
@proof_time_option
@memory_option
@click.option(
    "--allow-code",
    is_flag=True,
    help="Allow goals prolog(...), which can run any code, and MODULE:FUNCTION.",
)
@json_option
@program_options
def query_command(
    prior: NamedProgram, goal: str, best: int | None, as_json: bool, **asked: Any
) -> None:
    """Print the answers of a goal.

    The answers of GOAL under the program PRIOR, each with its probability. GOAL is Prolog text such
    as 'member(X, [a, b])'. Quote it for the shell. With --data GOAL is about decision trees, such
    as 'tree(T), uses(T, age)'.
    """
    data, response = asked.pop("data"), asked.pop("response")
    if data is not None:
        ask_trees(prior, goal, data, response, as_json=as_json, **asked)
        return
    asked["time"] = deadline_of(asked["time"])
    asked["engine"] = asked["engine"] or "python"
    program = prior.load()
    found: QueryResult | Draws | SampledProofs
    if asked["log_likelihood"] is not None or asked["proposal"] is not None:
        found = _sampled(program, goal, Path(prior.name), **asked)
    elif asked["draws"] is None:
        found = _searched(program, goal, best or 0, **asked)
    else:
        found = _drawn(program, goal, **asked)
    if as_json:
        write_exactly(json.dumps({**found.to_dict(), "version": slp.__version__}) + "\n")
    elif isinstance(found, Draws):
        print_draws(found)
    elif isinstance(found, SampledProofs):
        print_sampled(found, best or 0)
    else:
        print_answers(found)
    if found.interrupted:
        raise SystemExit(INTERRUPTED)


# --- three ways to answer ------------------------------------------------------------------------


def _options(asked: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The options that all ways take, and those of one way."""
    goals: tuple[str, ...] = asked["given"]
    given = ", ".join(f"({goal})" for goal in goals) if goals[1:] else next(iter(goals), None)
    always = ("engine", "allow_code", "time")
    return {"given": given, **{name: asked[name] for name in (*always, *names)}}


def _searched(program: slp.Program, goal: str, best: int, **asked: Any) -> QueryResult:
    check_options("the search for answers")
    with progress_line() as progress:
        options = _options(asked, "tolerance", "memory")
        return program.query(goal, best=best, progress=progress, **options)


def _drawn(program: slp.Program, goal: str, **asked: Any) -> Draws:
    check_options("the drawing of answers")
    return program.draw(goal, asked["draws"], **_options(asked, "failure", "seed", "memory"))


def _sampled(program: slp.Program, goal: str, file: Path, **asked: Any) -> SampledProofs:
    check_options("Metropolis-Hastings")
    scored = _scored(asked["log_likelihood"], file, asked["allow_code"])
    with progress_line() as progress:
        return program.sample_proofs(
            goal,
            scored,
            draws=asked["draws"] or 1000,
            proposal=asked["proposal"] or "q_uc",
            progress=progress,
            **_options(asked, "seed"),
            **asked["sampling"],
        )


def _scored(text: str | None, program: Path, allow_code: bool) -> LogLikelihood | str | None:
    """The log-likelihood that an option names: a function, or a goal as text."""
    if text is None or not _FUNCTION.fullmatch(text):
        return text
    if not allow_code:
        raise UsageError(FUNCTION_REFUSED(function=text))
    return imported_function(text, program.resolve().parent)
