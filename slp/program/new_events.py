"""Durations of a new table, and the columns that may say whether their end was seen.

Names and codes tell what may be meant, and never surely: 1 means the event in one table, and that
the duration was censored in the next. So what is found here becomes a question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slp.data.cells import cell_text
from slp.data.columns import Column, numbers_of, texts_of

#: Durations: words within a name, and words that are a name or a part of it.
_LONG = re.compile(
    r"time|duration|surviv|days|weeks|months|years|hours|follow.?up|lifespan|tenure", re.I
)
_SHORT = frozenset(
    "os pfs dfs rfs efs dss css mfs dmfs ttp ttf tte ttr ttd fu dur surv los lenfol mo mos mths yr "
    "yrs hrs day week month t tstop".split()
)
#: Numbers about time that are no durations.
_NO_DURATION = frozenset("birth age start tstart year date".split())

#: Columns of events: words of which a name has one. `status` alone is a name, beside others not
#: always: `smoking_status`.
_EVENTS = frozenset(
    "event events died dead death deceased fail failed failure relapse relapsed recur recurred "
    "recurrence progressed progression churn churned attrition exited quit arrest mortality delta "
    "fustat fstat observed uncensored".split()
)
_STATUS = frozenset("status stat state outcome indicator ind d e".split())
_OF_STATUS = frozenset(
    "os pfs dfs rfs efs dss css vital survival surv death event censor censoring cens follow fu "
    "followup overall life patient final last relapse".split()
)
#: The same where a 1 most often means that the end was not seen; of the first it may be either.
_CENSORED = frozenset("cens cen censor censored censoring".split())
_ALIVE = frozenset("alive living survived lost ltfu retained".split())

#: Cells that say what they mean.
_SEEN = frozenset(
    "dead died death deceased expired d event relapse relapsed recurrence recurred progressed "
    "progression failed failure churned left exited quit uncensored observed".split()
)
_NOT_SEEN = frozenset(
    "alive living survived a l censored censor cens active stayed stay retained running working "
    "ongoing lost healthy none no-event noevent diseasefree remission".split()
)
#: One of these is enough, whatever the name of the column.
_SAY_ALL = frozenset("dead died deceased alive living censored uncensored".split())
#: Two cells, the event second unless the name turns them round.
_PAIRS = ("0 1", "1 2", "-1 1", "false true", "no yes", "n y", "f t")
_MOST_CODES = 4
_LEAST_DURATIONS = 3
#: Beside more columns of times, which are no follow-up then, a column is not taken for events.
_MOST_TIMES = 4


@dataclass(frozen=True)
class EventReading:
    """What the cells of a column of events may mean: the codes of events, and those of durations
    whose end was not seen."""

    seen: tuple[str, ...]
    censored: tuple[str, ...]

    @property
    def other(self) -> EventReading:
        """The other way round; of several events the last alone."""
        *first, last = self.seen
        if first:
            return EventReading((last,), (*self.censored, *first))
        return EventReading(self.censored, self.seen)


@dataclass(frozen=True, eq=False)
class TimedEvents:
    """A column that may be a duration and one that may say which ended in an event; `doubtful` if
    not even its name says which codes are the event."""

    duration: Column
    event: Column
    reading: EventReading
    doubtful: bool

    @property
    def complete(self) -> NDArray[np.bool_]:
        """The rows that have both, and a duration above 0, shape (n,)."""
        return ~(self.duration.missing | self.event.missing) & (numbers_of(self.duration)[0] > 0)

    @cached_property
    def _texts(self) -> list[str | None]:
        return list(texts_of(self.event))

    def counts(self, codes: Sequence[str]) -> list[int]:
        """The number of rows of each code."""
        return list(map(self._texts.count, codes))

    def outcomes(self, reading: EventReading) -> NDArray[np.float64]:
        """Durations and 1 where the end was seen by a reading, of complete rows, shape (m, 2)."""
        seen = [text in reading.seen for text in self._texts]
        both = np.column_stack([numbers_of(self.duration)[0], np.array(seen, np.float64)])
        return np.asarray(both[self.complete])


def timed_events(columns: Sequence[Column]) -> tuple[TimedEvents, ...]:
    """The durations and events that the columns may be, the likeliest pairs: of a duration with
    several columns of events, and the reverse, those whose names go together best."""
    durations = [c for c in columns if _is_duration(c)]
    found = []
    for event in columns if durations else ():
        read = _reading(event)
        for duration in durations if read is not None else ():
            if duration is not event and read is not None:
                score = read[2] + _score(duration, event)
                found.append((score, TimedEvents(duration, event, read[0], read[1])))
    times = Counter(pair.event.name for _, pair in found)
    found = [(score, pair) for score, pair in found if times[pair.event.name] <= _MOST_TIMES]
    best: dict[int, int] = {}
    for score, pair in found:
        for column in (pair.duration, pair.event):
            best[id(column)] = max(score, best.get(id(column), 0))
    return tuple(
        pair for score, pair in found if score >= max(best[id(pair.duration)], best[id(pair.event)])
    )


def _words(name: str) -> list[str]:
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def _score(duration: Column, event: Column) -> int:
    """How well a duration goes with a column of events, by its name and the first words of both."""
    first, second = _words(duration.name), _words(event.name)
    together = first[:1] == second[:1] and len(first) + len(second) > 2
    return 10 * together + (len(first) == 1)


def _is_duration(column: Column) -> bool:
    words = _words(column.name)
    named = _LONG.search(column.name) is not None or any(w in _SHORT for w in words)
    if not named or not column.numeric or any(w in _NO_DURATION for w in words):
        return False
    values = numbers_of(column)[0][~column.missing]
    many = len(np.unique(values)) >= _LEAST_DURATIONS and 2 * len(values) > len(column.cells)
    return many and bool(((values >= 0) & np.isfinite(values)).all())


def _reading(column: Column) -> tuple[EventReading, bool, int] | None:
    """How the cells read if it is a column of events, whether even the name leaves that open, and
    a score of how surely it is one; None if it is none."""
    if column.kind == "unusable" or column.missing.all():
        return None
    codes = _few_codes(column)
    if len(codes) < 2:
        return None
    words = _words(column.name)
    said = _by_words(codes)
    turned = any(w in _CENSORED or w in _ALIVE for w in words)
    named = _is_named(words) or turned
    if said is not None:
        alone = any(_plain(code) in _SAY_ALL for code in codes)
        return (said, False, 3 + named) if named or alone else None
    if not named:
        return None
    exact = 1 + 2 * (len(words) == 1)
    for pair in _PAIRS:
        if set(pair.split()) == {_plain(code) for code in codes} and len(codes) == 2:
            low, high = sorted(codes, key=lambda code: pair.split().index(_plain(code)))
            reading = EventReading((high,), (low,))
            doubtful = any(w in _CENSORED for w in words)
            return reading.other if turned else reading, doubtful, exact
    if column.kind == "number" or (len(codes) == 2 and any(w in _EVENTS for w in words)):
        first, *others = codes
        return EventReading(tuple(others), (first,)), True, exact
    return None


def _few_codes(column: Column) -> list[str]:
    """The different cells as text, numbers in their order; none if they are many, or no codes."""
    if column.kind == "number" and not column.whole:
        return []
    distinct = set(column.cells[~column.missing].tolist())
    if len(distinct) > _MOST_CODES:
        return []
    return list(dict.fromkeys(map(cell_text, sorted(distinct))))


def _is_named(words: Sequence[str]) -> bool:
    """Whether the words of a name say that a column is one of events."""
    if any(w in _EVENTS for w in words):
        return True
    if any("death" in w or "churn" in w or ("event" in w and "prevent" not in w) for w in words):
        return True
    if len(words) == 1 and (words[0] in _STATUS or words[0].endswith(("status", "stat"))):
        return True
    return any(w in _STATUS for w in words) and any(w in _OF_STATUS for w in words)


def _plain(code: str) -> str:
    """A code in small letters, without a number before it: `1:DECEASED`."""
    text = re.sub(r"^\d+\s*[:=.\-]\s*(?=\D)", "", code.strip().casefold())
    return re.sub(r"[\s_]+", "-", text)


def _by_words(codes: Sequence[str]) -> EventReading | None:
    """The reading of cells that say what they mean, all of them or one of two."""
    parted: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for code in codes:
        parted[_meaning(_plain(code))].append(code)
    if len(codes) == 2 and len(parted[None]) == 1:
        parted[not parted[True]] += parted.pop(None)
    if parted.get(None) or not parted[True] or not parted[False]:
        return None
    return EventReading(tuple(parted[True]), tuple(parted[False]))


def _meaning(text: str) -> bool | None:
    """Whether a cell says that the event was seen; None if it does not say."""
    words = text.split("-")
    negated = words[0] in ("no", "not") and len(words) > 1
    if text in _SEEN or words[-1] in _SEEN - {"d"} or words[0] in _SEEN - {"d"}:
        return not negated
    if (
        text in _NOT_SEEN
        or words[0] in _NOT_SEEN - {"a", "l"}
        or text.replace("-", "") in _NOT_SEEN
    ):
        return negated
    return None
