"""Columns of dates, times of day, durations, periods and intervals: the code that makes numbers of
them.

What they should be as numbers (days, years, hours) is for the user to say, so none is converted.
The code is for the library whose column it is, and for the place where the user holds it.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Library = Literal["pandas", "polars", "arrow", "numpy", "objects"]

_DATES = (datetime.date, np.datetime64)
_DURATIONS = (datetime.timedelta, np.timedelta64)
_OF_PANDAS = ("Period", "Interval")

#: What columns hold, and the numbers that are made of them.
_WORDS = {
    "date": ("dates or times", "days since 1970"),
    "numpy date": ("dates or times", "days since 1970"),
    "time": ("times of day", "hours"),
    "duration": ("durations", "days"),
    "period": ("periods", "days from 1970 to their starts"),
    "interval": ("intervals", "their middles"),
    "interval of dates": ("intervals", "days from 1970 to their middles"),
    "interval of durations": ("intervals", "the days of their middles"),
}

# `@` is the column in the code. All of pandas' takes categories and Python objects too.
_HOURS = "@.hour + @.minute / 60 + @.second / 3600"
_MIDDLES = "pandas.arrays.IntervalArray(@).mid"
_PANDAS = {
    "date": "(pandas.to_datetime(@, utc=True) - pandas.Timestamp(0, tz='UTC'))"
    " / pandas.Timedelta(days=1)",
    "time": f"@.map(lambda t: {_HOURS.replace('@', 't')}, na_action='ignore').astype(float)",
    "duration": "pandas.to_timedelta(@) / pandas.Timedelta(days=1)",
    "period": "(pandas.PeriodIndex(@).start_time - pandas.Timestamp(0)) / pandas.Timedelta(days=1)",
    "interval": _MIDDLES,
}
_POLARS = {
    "date": "@.dt.epoch('us') / 86_400_000_000",
    "time": "@.cast(polars.Int64) / 3_600_000_000_000",
    "duration": "@.dt.total_microseconds() / 86_400_000_000",
}
_NUMPY = {
    "date": "(numpy.asarray(@) - numpy.datetime64(0, 'D')) / numpy.timedelta64(1, 'D')",
    "duration": "numpy.asarray(@) / numpy.timedelta64(1, 'D')",
}
_OBJECTS = {
    "date": "@.toordinal() - 719163",  # 1970-01-01
    "numpy date": "(@ - numpy.datetime64(0, 'D')) / numpy.timedelta64(1, 'D')",
    "time": _HOURS,
    "duration": "numpy.timedelta64(@) / numpy.timedelta64(1, 'D')",
    "period": "@.start_time.toordinal() - 719163",
    "interval": "@.mid",
}
_OF_LIBRARY = {"pandas": _PANDAS, "polars": _POLARS, "arrow": _POLARS, "numpy": _NUMPY}


@dataclass(frozen=True)
class Times:
    """What a column holds that has dates, times of day, durations, periods or intervals.

    Attributes
    ----------
    sort : a key of the words of this module.
    library : whose column it is; `objects` for Python objects in an array or in a list.
    place : where the user holds it, in code: `frame`, `frame['day']` of pandas, `X[:, 3]`, `y`.
    """

    sort: str
    library: Library
    place: str = ""

    @property
    def words(self) -> str:
        """What it holds."""
        return _WORDS[self.sort][0]

    def advice(self, name: str) -> str:
        """The code that turns the column of this name into numbers, with the numbers in words."""
        return f"turn them into numbers, such as {_WORDS[self.sort][1]}: {self._code(name)}"

    def _code(self, name: str) -> str:
        if self.library == "objects":
            return self._code_of_objects()
        if self.library == "numpy":
            array = self.place.partition("[")[0]  # a column of it has the type of all
            return f"{array} = {self._numbers(array)}"
        if self.library == "pandas" or self.place == "y":
            return f"{self.place} = {self._numbers(self.place)}"
        frame = "polars.from_arrow(frame)" if self.library == "arrow" else "frame"
        return f"frame = {frame}.with_columns({self._numbers(f'polars.col({name!r})')})"

    def _code_of_objects(self) -> str:
        number = f"None if cell is None or cell != cell else {self._numbers('cell')}"
        numbers = f"{self.place} = [{number} for cell in {self.place}]"
        array = self.place.partition("[")[0]
        return numbers if array == "y" else f"{array} = numpy.array({array}, object); {numbers}"

    def _numbers(self, at: str) -> str:
        """The expression for the numbers of a column, or of a cell, that is `at` in code."""
        known = _OF_LIBRARY.get(self.library, _OBJECTS)
        what, _, bounds = self.sort.partition(" of ")
        code = known.get(what) or known[what.removeprefix("numpy ")]
        if bounds:
            code = known[bounds.removesuffix("s")].replace("@", code)
        return code.replace("@", at)


def is_time(cell_type: type) -> bool:
    """Whether cells of a type are dates, times of day, durations, periods or intervals."""
    if issubclass(cell_type, (*_DATES, *_DURATIONS, datetime.time)):
        return True
    of_pandas = cell_type.__module__.partition(".")[0] == "pandas"  # which need not be installed
    return of_pandas and cell_type.__name__ in _OF_PANDAS


def sort_of_time(cell: Any) -> str:
    """What a cell is whose type `is_time` knows."""
    if isinstance(cell, np.timedelta64 | datetime.timedelta):  # before: it is one of NumPy's
        return "duration"
    if isinstance(cell, np.datetime64):
        return "numpy date"
    if isinstance(cell, datetime.date):
        return "date"
    if isinstance(cell, datetime.time):
        return "time"
    if type(cell).__name__ == "Period":
        return "period"
    middle = cell.mid
    return f"interval of {sort_of_time(middle)}s" if is_time(type(middle)) else "interval"
