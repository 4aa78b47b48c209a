"""What the answers of a program owe to its numbers."""

from __future__ import annotations

from matplotlib.axes import Axes

from slp.plot.canvas import BLUE, GREY, PLAIN, axes_of, nothing, plain, tip, titled
from slp.results import Sensitivity, Slope

#: The most letters of a name.
_LONGEST = 32


def sensitivity(found: Sensitivity, *, ax: Axes | None = None) -> Axes:
    """The derivative of the log evidence by each number of a program (`slp.Program.sensitivity`),
    of a label by its logarithm. Below each name stands the interval in which the most probable tree
    stays the most probable one, checked at 20 values."""
    told = found.slopes
    if not told:
        raise nothing("no number of the program varies", "`slp sensitivity` tells why")
    ax = axes_of(ax, 7.2, 1.5 + 0.55 * len(told))
    ax.axvline(0, color=GREY, linewidth=1)
    for row, slope in enumerate(told):
        x = slope.log_evidence
        ax.plot([0, x], [row, row], color=BLUE, linewidth=2)
        said = tip(f"{_name(slope)}: {x:.4g}, exact; best tree: {slope.interval}")
        ax.plot([x], [row], "o", color=BLUE, markersize=6, gid=said)
    names = [f"{plain(_name(slope), _LONGEST)}\n{slope.interval}" for slope in told]
    ax.set_yticks(range(len(told)), names, **{**PLAIN, "fontsize": "small"})
    ax.set_ylim(len(told) - 0.4, -0.6)
    ax.margins(x=0.15)
    title = "exact; below a name: the best tree stays"
    return titled(ax, title, "slope of log evidence (nats)")


def _name(slope: Slope) -> str:
    return slope.words if slope.kind == "label" else f"{slope.words} = {slope.value:.4g}"
