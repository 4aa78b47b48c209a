"""The question of a new program which codes of a column are events, with the lines that say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from slp.data.columns import Column
from slp.messages.names import joined, plural
from slp.program.directive_lines import atom_of, comment, directive, leaf_lines, offered
from slp.program.new_events import EventReading, TimedEvents
from slp.source import visible
from slp.terms import Atom, Number, Struct, Term, list_term

_WHOLE = re.compile(r"0|[1-9][0-9]{0,14}")  # of which a number in a program has the same text


def event_question(pair: TimedEvents, outcome: Column) -> Iterator[str]:
    """The lines of the question, all of them comments. `outcome` is the response until a person has
    answered."""
    seen, censored = pair.reading.seen, pair.reading.censored
    time, event = f"`{visible(pair.duration.name)}`", f"`{visible(pair.event.name)}`"
    rows = f"{_rows_of(pair, seen)}, {_rows_of(pair, censored)}"
    yield from comment(
        f"QUESTION: does {event} say which of the durations in {time} ended in the event ({rows})? "
        f"Does {_either(seen)} mean that the event was seen, and {_either(censored)} that the end "
        "was not seen (censored)? If so, these two lines replace :- response and :- leaf below. A "
        "leaf's rate of events then has the prior weight of one event, at the rate of the table."
    )
    yield from _declarations(pair, pair.reading)
    if pair.doubtful:
        other = pair.reading.other
        yield from comment(f"Or is {_either(other.seen)} the event? Then they are these two:")
        yield from _declarations(pair, other)
    if not pair.complete.all():
        left = plural(int((~pair.complete).sum()), "row")
        yield from comment(
            f"{left} without one of the two, or with a duration of 0: take them out of the table "
            "first, as durations are above 0."
        )
    used = {id(pair.event): (event, time), id(pair.duration): (time, event)}
    if id(outcome) not in used:
        yield from comment("Until you say so, neither is used.")
        return
    response, unused = used[id(outcome)]
    yield from comment(
        f"Until you say so, {response} by itself is the response and {unused} is not used, so "
        "nothing that is predicted takes the censoring into account."
    )


def _declarations(pair: TimedEvents, reading: EventReading) -> Iterator[str]:
    codes = [_codes(reading.seen)]
    if len(reading.censored) > 1:
        codes.append(_codes(reading.censored))
    event = Struct("event", (atom_of(pair.event), *codes))
    yield offered(directive("response", atom_of(pair.duration), event))
    y = pair.outcomes(reading)
    if y[:, 1].any():
        yield from map(offered, (k for k in leaf_lines("durations", y) if k.startswith(":-")))


def _codes(codes: Sequence[str]) -> Term:
    """Codes as a term: one, or a list."""
    terms = [Number(int(code)) if _WHOLE.fullmatch(code) else Atom(code) for code in codes]
    return terms[0] if len(terms) == 1 else list_term(terms)


def _rows_of(pair: TimedEvents, codes: Sequence[str]) -> str:
    counts = zip(codes, pair.counts(codes), strict=True)
    return ", ".join(f"{visible(code)} in {plural(count, 'row')}" for code, count in counts)


def _either(codes: Sequence[str]) -> str:
    return joined(map(visible, codes), "or")
