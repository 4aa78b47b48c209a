"""The lines of a summary about draws: how many, and what became of the proposals of chains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from slp import Posterior
from slp.cli.page import INDENT, labelled
from slp.messages.names import plural

if TYPE_CHECKING:
    from slp.results import Diagnostics, TemperingFigures

_QUANTITIES = {
    "log_posterior": "log posterior",
    "log_likelihood": "log likelihood",
    "edits": "edits",
    "noise": "noise",
    "leaves": "leaves",
    "depth": "depth",
    "predictions": "predictions (the worst)",
}


def draws_lines(
    posterior: Posterior, draws: int, output: str | None, *, verbose: bool = False
) -> Iterator[str]:
    """The lines about draws. `draws` is the number asked for."""
    where = f", written to {output}" if output else ""
    found = posterior.diagnostics
    if posterior.stacked is not None:
        stopped = ", out of time" if posterior.out_of_time else ""
        yield f"members   {len(posterior.stacked.weights)}, seed {posterior.seed}{stopped}"
        return
    if posterior.trees_found is not None:
        written = f"the trees found are{where}".replace(", written", " written")
        yield f"draws     none were made{f'; {written}' if output else ''}"
        return
    if found is None:
        none = "none were made: exact sums need none, and -o FILE writes some"
        if output is None:
            yield f"draws     {none}"
            return
        made = len(posterior.draws)
        few = "" if made == draws else f" of {draws}"
        yield f"draws     {made}{few} independent draws, seed {posterior.seed}{where}"
        return
    n = sum(found.draws)
    kept = f"{n} draws" if n == draws else f"{n} of {draws} draws"
    stopped = ", interrupted" if posterior.interrupted else ""
    stopped = ", out of time" if posterior.out_of_time else stopped
    schedule = posterior.schedule
    of = "chain" if schedule is None or schedule.thin is not None else "island"
    chains = plural(sum(k > 0 for k in found.draws), of)
    yield f"draws     {kept} of {chains}, seed {posterior.seed}{stopped}{where}"
    if found.tempering is not None:
        yield from labelled("tempering", [_ladders(found.tempering)])
    for p in posterior.predicates:
        yield f"asked     {p.words}: {p.told}"
    if verbose:
        yield from _chains_lines(found)


def _chains_lines(found: Diagnostics) -> Iterator[str]:
    """Outcomes of moves, and the diagnostics of each quantity."""
    for name, counts in found.moves.items():
        yield f"moves     {name}: {_moves_words(counts, found.acceptance.get(name))}"
    yield "chains    R-hat, effective draws in the bulk and in the tails"
    width = max(len(_QUANTITIES[name]) for name in found.convergence)
    for name, c in found.convergence.items():
        numbers = f"{_optional(c.r_hat, '.3f')}  {_optional(c.ess_bulk, '.0f')}"
        numbers += f"  {_optional(c.ess_tail, '.0f')}"
        yield f"{INDENT}{_QUANTITIES[name]:<{width}}  {numbers}"


def _moves_words(counts: Mapping[str, int], accepted: float | None) -> str:
    total = sum(counts.values())
    stayed = f", nothing to propose in {counts['stayed'] / total:.2%} of moves"
    if accepted is None:
        return "nothing to propose in any move"
    failed = counts["failed"] / (total - counts["stayed"])
    return f"{accepted:.2%} accepted, {failed:.2%} failed{stayed if counts['stayed'] else ''}"


def _ladders(found: TemperingFigures) -> str:
    """Barrier, rungs, round trips and swaps, and how trees are drawn at power 0."""
    rungs = sorted({len(set(ladder.powers)) for ladder in found.ladders})
    counts = str(rungs[0]) if len(rungs) == 1 else f"{rungs[0]} to {rungs[-1]}"
    trips = [ladder.round_trips for ladder in found.ladders]
    fresh = found.ladders[0].fresh
    at_prior = "moved by the chain" if fresh is None else "drawn independently"
    return (
        f"barrier {found.barrier:.2f}, {len(trips)} ladders of {counts} rungs, "
        f"{min(trips):,} to {max(trips):,} round trips each, at least {found.least_swap_rate:.0%} "
        f"of any swaps made; trees at power 0 are {at_prior}"
    )


def _optional(value: float | None, spec: str) -> str:
    return "-" if value is None else format(value, spec)
