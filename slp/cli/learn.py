"""`slp learn FILE DATA...`: estimates labels and parameters of a program from data."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click

import slp
from slp.cli.common import (
    INTERRUPTED,
    check_output,
    open_atomic,
    progress_line,
    say,
    write_exactly,
)
from slp.cli.file_arguments import file_argument
from slp.cli.numbers import RealNumber, WholeNumber
from slp.cli.options import (
    NamedProgram,
    deadline_of,
    json_option,
    memory_option,
    program_argument,
    program_options,
    proof_time_option,
    response_option,
    seed_option,
)
from slp.errors import UsageError
from slp.messages.learning import CONCENTRATION_OUT_OF_RANGE, CONCENTRATION_TWICE
from slp.messages.names import plural

#: Most names in a line of what is not learned. JSON and Python have all.
_MOST_NAMES = 8


@click.command(name="learn")
@program_argument
@file_argument("data", metavar="DATA...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", help="Write the learned program to FILE.")
@response_option
@click.option("--goal", metavar="GOAL", help="The goal that all observed goals are answers to.")
@click.option(
    "--given",
    metavar="GOAL",
    help="A condition on variables of --goal: only answers that satisfy it can be observed.",
)
@click.option(
    "--concentration",
    metavar="A | NAME=A",
    multiple=True,
    help="Concentration of the Dirichlet priors of labels, from 1 to 1e6, or of a predicate's.",
)
@click.option(
    "--starts",
    type=WholeNumber(min=1),
    default=1,
    show_default=True,
    help="How often the iterations begin: with the given labels, then with drawn ones.",
)
@seed_option
@click.option("--errors", is_flag=True, help="Standard errors, from the observed information.")
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    help="Learn only this predicate, parameter or feature weight; repeatable.",
)
@click.option(
    "--plain",
    is_flag=True,
    help="Ignore failed derivations. This is correct if no derivation fails.",
)
@click.option(
    "--tolerance",
    type=RealNumber(min=0),
    default=1e-9,
    show_default=True,
    help="Stop when an iteration raises the log-likelihood by no more than this.",
)
@click.option(
    "--iterations",
    type=WholeNumber(min=0),
    default=1000,
    show_default=True,
    help="Largest number of iterations.",
)
@proof_time_option
@memory_option
@json_option
@program_options
def learn_command(
    prior: NamedProgram,
    data: tuple[str, ...],
    output: str | None,
    response: str | None,
    goal: str | None,
    given: str | None,
    concentration: tuple[str, ...],
    starts: int,
    seed: int | None,
    errors: bool,
    only: tuple[str, ...],
    plain: bool,
    tolerance: float,
    iterations: int,
    time: str | None,
    memory: str | None,
    as_json: bool,
) -> None:
    """Learn the numbers in PRIOR from DATA.

    For a program of tree rules, DATA are tables. For other programs DATA are files of goals, one
    goal in each clause. Without -o the learned program is printed.
    """
    check_output(output)
    deadline = deadline_of(time)
    program = prior.load()
    sources: list[Any] = [Path(name) for name in data]
    if response is not None:
        sources = [(source, response) for source in sources]
    with progress_line() as progress:
        result = program.learn(
            *sources,
            goal=goal,
            given=given,
            concentration=_concentrations(concentration),
            starts=starts,
            seed=seed,
            errors=errors,
            only=only,
            failures=not plain,
            tolerance=tolerance,
            iterations=iterations,
            memory=memory,
            time=deadline,
            progress=progress,
        )
    if output is not None:
        with open_atomic(output) as stream:
            stream.write(result.text)
    if as_json:
        write_exactly(json.dumps({**result.to_dict(), "version": slp.__version__}) + "\n")
    else:
        say(*_summary(result))
        if output is None:
            write_exactly("\n" + result.text)
    if result.interrupted:
        raise SystemExit(INTERRUPTED)


def _concentrations(texts: tuple[str, ...]) -> float | dict[str, float]:
    """The concentrations that options name; 1 without any."""
    found = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        if name in found:
            what = f"`{name}`" if name else "all predicates"
            raise UsageError(CONCENTRATION_TWICE(what=what))
        try:
            found[name] = float(value)
        except ValueError:
            raise UsageError(CONCENTRATION_OUT_OF_RANGE(value=text)) from None
    return found or 1.0


def _summary(result: slp.LearnResult) -> list[str]:
    path = result.log_likelihoods
    ended = "converged" if result.converged else "stopped before it converged"
    lines = [
        f"{result.method}: {plural(len(path) - 1, 'iteration')}, {ended}",
        f"log-likelihood {path[0]:.6f} -> {path[-1]:.6f}",
    ]
    if result.log_priors:
        first, last = result.log_priors[0], result.log_priors[-1]
        lines.append(f"log prior density {first:.6f} -> {last:.6f}")
    if result.starts:
        ends = ", ".join(f"{end:.6f}" for end in result.starts)
        what = "log-likelihood plus log prior density" if result.log_priors else "log-likelihood"
        lines.append(f"best of {len(result.starts)} starts, seed {result.seed}: {what} {ends}")
    count = Counter(change.name for change in result.changes)
    for change in result.changes:
        kind = "" if change.kind == "label" else change.kind.replace("_", " ") + " "
        line = ""
        if count[change.name] > 1 and (span := change.span) is not None:
            line = f" in line {span.file.line_column(span.start)[0]}"
        error = "" if change.error is None else f" +- {change.error:.2g}"
        if change.why_no_error is not None:
            error = f" (no standard error: {change.why_no_error})"
        lines.append(f"{kind}{change.name}{line}: {change.before:.6g} -> {change.after:.6g}{error}")
    reasons: dict[str, list[str]] = {}
    for one in result.not_learned:
        reasons.setdefault(one.reason, []).append(one.name)
    for reason, names in reasons.items():
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        lines.append(f"not learned: {', '.join(names[:_MOST_NAMES])}{more} ({reason})")
    return lines + list(result.notes)
