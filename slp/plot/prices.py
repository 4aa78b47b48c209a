"""What the statements of a program cost."""

from __future__ import annotations

import math

from matplotlib.axes import Axes

from slp.plot.canvas import BLUE, GREY, PLAIN, VERMILION, axes_of, nothing, plain, tip, titled
from slp.results import Estimate, Prices

#: How far the two numbers of a statement stand above and below its line.
_APART = 0.15


def prices(found: Prices, *, ax: Axes | None = None) -> Axes:
    """The log evidence with each statement of a program (`slp.Program.price`) less that without it:
    blue beside all other statements, grey beside none. To the right of 0 the data speak for it. A
    line is two Monte Carlo standard errors to each side; a hollow dot has not converged."""
    told = [(p, p.log_evidence_removed, p.log_evidence_added) for p in found.statements]
    if not told:
        raise nothing("the program has no statement", "take a program that has statements")
    if not any(number for _, *numbers in told for number in numbers):
        raise nothing("the price of no statement is known", "`slp price` tells why")
    ax = axes_of(ax, 7.2, 1.5 + 0.5 * len(told))
    ax.axvline(0, color=GREY, linewidth=1)
    for row, (price, removed, added) in enumerate(told):
        name, sure = price.statement, price.standing_removed == "converged"
        _dot(ax, row - _APART, f"{name}, removed from all", removed, sure, BLUE)
        sure = price.standing_added == "converged"
        _dot(ax, row + _APART, f"{name}, added to none", added, sure, GREY)
    names = [plain(price.statement, 32) for price, *_ in told]
    ax.set_yticks(range(len(names)), names, **PLAIN)
    for label, (price, *_) in zip(ax.get_yticklabels(), told, strict=True):
        if price.no_bayes_factor is not None:
            label.set_color(VERMILION)
    ax.set_ylim(len(names) - 0.5, -0.6)
    ax.margins(x=0.15)
    title = "blue: beside all other statements, grey: beside none"
    if any(price.no_bayes_factor is not None for price, *_ in told):
        title += "; red: no Bayes factor"
    return titled(ax, title, "log evidence with it less that without it (nats)")


def _dot(
    ax: Axes, row: float, what: str, told: Estimate | None, converged: bool, color: str
) -> None:
    if told is None:
        across = ax.get_yaxis_transform()
        ax.text(0.02, row, "not known", color=color, va="center", size="x-small", transform=across)
        return
    known = math.isfinite(told.error)
    if known and told.error > 0:
        ends = (told.value - 2 * told.error, told.value + 2 * told.error)
        ax.plot(ends, [row, row], color=color, linewidth=2)
    error = f"{told.error:.2g}" if known else "?"
    number = "exact" if told.kind == "exact" else f"\N{PLUS-MINUS SIGN} {error}"
    said = tip(f"{what}: {told.value:.2f} {number}")
    fill = color if converged else "white"
    ax.plot([told.value], [row], "o", color=color, markerfacecolor=fill, markersize=6, gid=said)
