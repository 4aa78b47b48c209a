"""Numbers as values of options, with messages that say what to write."""

from __future__ import annotations

import math

import click

from slp.messages.numbers import number_text


def _read(text: str) -> float | None:
    """The number that a text seems to mean: 1,000 or 90% too. None if it means none."""
    share = text.endswith("%")
    try:
        number = float(text.replace(",", "").removesuffix("%"))
    except ValueError:
        return None
    return number / 100 if share else number


class WholeNumber(click.IntRange):
    """A whole number from `min` on."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        try:
            number = int(str(value))
        except ValueError:
            meant = _read(str(value))
            known = meant is not None and abs(meant) < 1e15
            shape = f"write {meant:.0f}" if known else "write it in digits, such as 10"
            self.fail(f"{value!r} is not a whole number: {shape}", param, ctx)
        if self.min is not None and number < self.min:
            self.fail(f"{value} is too small: the least is {self.min}", param, ctx)
        return number


class RealNumber(click.FloatRange):
    """A number from `min` on, or between `min` and `max`."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            number = float(str(value))
        except ValueError:
            meant = _read(str(value))
            shown = "it in digits, such as 0.5" if meant is None else number_text(meant)
            self.fail(f"{value!r} is not a number: write {shown}", param, ctx)
        if self.holds(number):
            return number
        if self.max is None:
            self.fail(f"{value} is too small: the least is {self.min}", param, ctx)
        percent = number > self.max and self.holds(number / 100)
        shown = f"{number_text(number / 100)} for {number_text(number)} %"
        share = f": write {shown}" if percent else ""
        self.fail(f"{value} is not between {self.min} and {self.max}{share}", param, ctx)

    def holds(self, number: float) -> bool:
        """Whether a number is within the bounds."""
        above = self.min is None or number > self.min or (number == self.min and not self.min_open)
        below = self.max is None or number < self.max or (number == self.max and not self.max_open)
        return above and below


def given_times(
    _context: click.Context, parameter: click.Parameter, text: str | None
) -> list[float]:
    """Numbers from 0 up with commas between them, of an option; none if it is not given."""
    if text is None:
        return []
    try:
        times = [float(part) for part in text.split(",")]
    except ValueError:
        times = [math.nan]
    if not all(0 <= t < math.inf for t in times):
        fault = f"{text!r} is no list of numbers from 0 up, such as 6,12"
        raise click.BadParameter(fault, param=parameter)
    return times
