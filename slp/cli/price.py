"""`slp price PRIOR DATA`: what each statement of a program costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

import slp
from slp.cli.common import progress_line
from slp.cli.compare import say_compared
from slp.cli.options import (
    NamedProgram,
    comparison_options,
    data_argument,
    draws_option,
    json_option,
    program_argument,
    program_options,
    read_table,
    response_option,
    until_deadline,
)
from slp.cli.score_text import in_columns, number_text
from slp.cli.summary import words_lines
from slp.results import Estimate
from slp.source import visible

_NO_STATEMENT = "the program has no constraint, no limit of support and no feature weight to price"


@click.command(name="price")
@program_argument
@data_argument
@response_option
@draws_option("Number of draws of each run of a sampler, and where sums tell no probability.")
@comparison_options
@json_option
@program_options
def price_command(
    prior: NamedProgram,
    data: str,
    response: str | None,
    draws: int,
    as_json: bool,
    inference: dict[str, Any],
) -> None:
    """Tell what each statement of a program costs.

    For each constraint, limit and feature weight of PRIOR: how probable it is that trees of the
    program with all others satisfy it, before and given DATA, and the log evidence with the
    statement less that without it, beside no other statement and beside all.
    """
    inference = until_deadline(inference)
    program = prior.load()
    frame = read_table(data, inference)
    with progress_line() as progress:
        found = program.price(frame, response, draws=draws, progress=progress, **inference)
    say_compared(found, inference["time"], as_json, _lines(found, data))


def _lines(found: slp.Prices, data: str) -> Iterator[str]:
    yield f"data      {data}: {found.n_rows} rows, response {visible(found.response)}"
    if found.log_evidence is not None:
        yield f"evidence  {number_text(found.log_evidence, found.converged)}, of all statements"
    yield ""
    if not found.statements:
        yield _NO_STATEMENT
        return
    yield from _table(found)
    yield ""
    for sentence in _columns_in_words(found):
        yield from words_lines(sentence)
    about: dict[str, dict[str, None]] = {}
    for price in found.statements:
        for text in _about(price):
            about.setdefault(text, {})[visible(price.statement)] = None
    for text, names in about.items():
        yield from words_lines(f"{', '.join(names)}: {text}")


def _table(found: slp.Prices) -> Iterator[str]:
    lines = [["statement", "prior", "posterior", "added", "removed", "the data speak"]]
    for price in found.statements:
        lines.append(
            [
                visible(price.statement),
                *("-" if c is None else str(c) for c in (price.prior, price.posterior)),
                *(number_text(told, converged) for told, converged in _gained(price)),
                price.verdict,
            ]
        )
    return in_columns(lines)


def _gained(price: slp.Price) -> Iterator[tuple[Estimate | None, bool]]:
    """The two differences, and whether each has converged."""
    yield price.log_evidence_added, price.standing_added == "converged"
    yield price.log_evidence_removed, price.standing_removed == "converged"


def _columns_in_words(found: slp.Prices) -> Iterator[str]:
    yield (
        "prior, posterior: the probability that trees of the program with all other statements "
        "satisfy this one."
    )
    yield (
        "added: log evidence with this statement alone, less that without any (nats); removed: "
        "that of all statements, less that of all others. Above 0 the data speak for it."
    )
    prices = found.statements
    gained = [(e, sure) for price in prices for e, sure in _gained(price) if e is not None]
    chances = [c for price in prices for c in (price.prior, price.posterior) if c is not None]
    kinds = {*(c.kind for c in chances), *(e.kind for e, _ in gained)}
    if "estimate" in kinds:
        yield "+-: one Monte Carlo standard error, on the scale of the number."
    if kinds & {"below", "above"}:
        yield (
            "below, above: none or all of n draws satisfy it, so it is below 3/n or above 1 - 3/n "
            "(with 95 % confidence, if draws do not depend on each other)."
        )
    sure = [c.converged for c in chances] + [converged for _, converged in gained]
    if found.log_evidence is not None:
        sure.append(found.converged)
    if not all(sure):
        yield "?: of a run that has not converged, or of which that is not known; do not use it."


def _about(price: slp.Price) -> Iterator[str]:
    if price.no_bayes_factor is not None:
        yield f"no Bayes factor: {price.no_bayes_factor}"
    yield from price.notes
