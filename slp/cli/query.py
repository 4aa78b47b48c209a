"""`slp query FILE GOAL`: probabilities of answers, best proofs and draws, for any program."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

import click

import slp
from slp.cli.common import INTERRUPTED, progress_line, say, write_diagnostics, write_exactly
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
from slp.messages.names import plural
from slp.resolution import (
    FAILURES,
    METHODS,
    WEIGHTED,
    Draws,
    FiredClause,
    Proof,
    QueryResult,
    Value,
    mass_text,
    power_of_ten,
)
from slp.results import SampledProofs, estimate_text

_MOST_SHOWN = 50
#: The least share of a mass that is visible in six digits.
_SEEN = 1e-7

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
        _print_draws(found)
    elif isinstance(found, SampledProofs):
        _print_sampled(found, best or 0)
    else:
        _print_answers(found)
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


def _print_answers(found: QueryResult) -> None:
    for answer in found.answers[:_MOST_SHOWN]:
        line = f"{mass_text(answer.log_probability)}  {_text(answer)}"
        if _has_open_mass(found) and answer.log_lower is not None:
            assert answer.log_upper is not None, "both bounds are known"
            line += f"  (between {mass_text(answer.log_lower)} and {mass_text(answer.log_upper)})"
        say(line)
    if len(found.answers) > _MOST_SHOWN:
        say(f"... and {len(found.answers) - _MOST_SHOWN} more answers (--json has all)")
    if found.unwritten:
        say(f"... and {plural(found.unwritten, 'answer')} that there was no time to write")
    if not found.answers:
        say("no proof" if found.complete else f"no proof found; {_bound(found)}")
    say(_summary(found))
    for note in found.notes:
        say(*wrap(note, 90, subsequent_indent="  "))
    for i, proof in enumerate(found.best, start=1):
        _print_proof(i, proof)
    if found.best and not found.best_certified:
        say("", "proofs that were not looked at may be more probable than some of these")
    for diagnostic in found.failed:
        say("")
        write_diagnostics([diagnostic], "text", sys.stdout)


def _bound(found: QueryResult) -> str:
    if found.log_upper is None:
        return "no upper bound on success is known"
    return f"success is at most {power_of_ten(found.log_upper)}"


def _summary(found: QueryResult) -> str:
    parts = [f"success {mass_text(found.log_success)}"]
    if found.log_failure is not None:
        parts.append(f"failure {mass_text(found.log_failure)}")
    if _has_open_mass(found):
        bound = "no upper bound"
        if found.log_upper is not None:
            is_found = found.log_success > -math.inf
            bound = f"at most {(mass_text if is_found else power_of_ten)(found.log_upper)}"
        parts[0] += f" found, {bound}"
        why = found.reason or "within the tolerance"
        parts.append(f"open {mass_text(found.log_open)}: {why}")
    return "; ".join(parts)


def _has_open_mass(found: QueryResult) -> bool:
    """Whether the open mass can change a number that is shown."""
    return not found.complete or found.log_open > found.log_success + math.log(_SEEN)


def _print_proof(number: int, proof: Proof) -> None:
    say(
        "",
        f"{number}. probability {mass_text(proof.log_probability)}, "
        f"mass {mass_text(proof.log_mass)}: "
        f"{_text(proof.bindings)}",
    )
    _print_clauses(proof.clauses)


def _print_clauses(clauses: Iterable[FiredClause]) -> None:
    for clause in clauses:
        where = "" if clause.span is None else f"  % {clause.span}"
        say(f"   {clause.label:.6g}  {' '.join(clause.text.split())}{where}")


def _print_draws(found: Draws) -> None:
    weighted = found.method in WEIGHTED
    if weighted:
        shares = found.shares()
        for share in shares[:_MOST_SHOWN]:
            error = "?" if math.isnan(share.error) else f"{share.error:.2g}"
            say(f"{share.probability:.6g} +- {error}  {_text(share.bindings)}")
        if len(shares) > _MOST_SHOWN:
            say(f"... and {len(shares) - _MOST_SHOWN} more answers (--json has all)")
    else:
        for answer in found:
            say(_text(answer))
    say(f"{found.method}, {METHODS[found.method]}")
    if found.untabled is not None:
        say(*wrap(f"tables do not draw it: {found.untabled}", 90, subsequent_indent="  "))
    say(", ".join([*_drawn_parts(found), f"seed {found.seed}"]))


def _drawn_parts(found: Draws) -> Iterator[str]:
    """What became of the draws, and the mass of all proofs where they tell it."""
    if found.method == "rejection":
        yield f"{found.tries - len(found)} of {found.tries} rejected"
        return
    weighted = found.method in WEIGHTED
    if weighted:
        yield f"{len(found)} of {plural(found.tries, 'draw')} have a proof"
        yield f"{found.effective:.0f} effective"
    if found.log_success is not None:
        known = found.log_success_error
        error = " +- ?" if known is None else f" +- {known:.2%}"
        yield f"success {mass_text(found.log_success)}{error if weighted else ''}"


def _print_sampled(found: SampledProofs, best: int) -> None:
    kept = found.diagnostics
    if not kept.converged:
        say(f"{kept.standing.upper()}: do not use these numbers; {'; '.join(kept.warnings)}")
    for answer in found.answers[:_MOST_SHOWN]:
        say(f"{estimate_text(answer.probability, answer.error, kept)}  {_text(answer)}")
    if len(found.answers) > _MOST_SHOWN:
        say(f"... and {len(found.answers) - _MOST_SHOWN} more answers (--json has all)")
    accepted = ", ".join(f"{name} {share:.1%}" for name, share in kept.acceptance.items())
    where = " in SWI-Prolog" if found.engine == "prolog" else ""
    say(f"{sum(kept.draws)} draws by Metropolis-Hastings{where}, {len(kept.draws)} chains")
    say(f"accepted: {accepted}; failed: {kept.failure_rate:.1%}; seed {found.seed}")
    for i, proof in enumerate(found.k_best(best), start=1):
        say(
            "",
            f"{i}. log mass {proof.log_weight:.6g}, log likelihood {proof.log_likelihood:.6g}: "
            f"{_text(proof)}",
        )
        _print_clauses(proof.clauses)


def _text(bindings: Mapping[str, Value]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in bindings.items()) or "true"
