"""Answers of `slp query` as text, one line each."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap

from slp.cli.common import say, write_diagnostics
from slp.messages.names import plural
from slp.resolution import (
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


def print_answers(found: QueryResult) -> None:
    """Print the answers of a search, its sums and its best proofs."""
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


def print_draws(found: Draws) -> None:
    """Print draws, or the share of each answer where draws have weights."""
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


def print_sampled(found: SampledProofs, best: int) -> None:
    """Print the answers of chains over proofs, and the `best` most probable proofs."""
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
