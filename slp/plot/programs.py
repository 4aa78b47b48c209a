"""Programs side by side: their log evidence on one table."""

from __future__ import annotations

import math

from matplotlib.axes import Axes

from slp.plot.canvas import BLUE, GREY, PLAIN, VERMILION, axes_of, nothing, plain, tip, titled
from slp.results import ComparedProgram, Comparison


def evidence(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """The log evidence of compared programs (`slp.compare`), the best first. A line is two Monte
    Carlo standard errors to each side, a hollow dot has not converged; a program whose evidence is
    not known has none."""
    programs = sorted(comparison.programs, key=_rank)
    if all(program.log_evidence is None for program in programs):
        raise nothing("the evidence of no program is known", "take the engine exact, mh or smc")
    ax = axes_of(ax, 7.2, 1.3 + 0.42 * len(programs))
    for row, program in enumerate(programs):
        told = program.log_evidence
        if told is None:
            across = ax.get_yaxis_transform()
            ax.text(0.02, row, "not known", color=GREY, va="center", transform=across)
            continue
        known = math.isfinite(told.error)
        if known and told.error > 0:
            ends = (told.value - 2 * told.error, told.value + 2 * told.error)
            ax.plot(ends, [row, row], color=BLUE, linewidth=2)
        fill = BLUE if program.converged else "white"
        said = tip(f"{program.name}: {_words(program)}")
        ax.plot([told.value], [row], "o", color=BLUE, markerfacecolor=fill, markersize=7, gid=said)
        ax.annotate(
            _words(program),
            (told.value, row),
            (0, 7),
            textcoords="offset points",
            ha="center",
            fontsize="x-small",
        )
    names = [plain(program.name, 32) for program in programs]
    ax.set_yticks(range(len(names)), names, **PLAIN)
    for label, program in zip(ax.get_yticklabels(), programs, strict=True):
        if program.no_bayes_factor is not None:
            label.set_color(VERMILION)
    ax.set_ylim(len(names) - 0.5, -0.7)
    ax.margins(x=0.15)
    apart = any(program.no_bayes_factor is not None for program in programs)
    title = "red: its prior looks at the response, no Bayes factor" if apart else ""
    response = plain(comparison.response)
    return titled(ax, title, f"log evidence, log P({response} | features) (nats)")


def _rank(program: ComparedProgram) -> float:
    return math.inf if program.log_evidence is None else -program.log_evidence.value


def _words(program: ComparedProgram) -> str:
    told = program.log_evidence
    assert told is not None
    if told.kind == "exact":
        return f"{told.value:.2f} exact"
    error = f"{told.error:.2g}" if math.isfinite(told.error) else "?"
    doubt = {"not known": ", not known whether converged"}.get(program.standing, "")
    doubt = ", not converged" if program.standing == "not converged" else doubt
    return f"{told.value:.2f} \N{PLUS-MINUS SIGN} {error}{doubt}"
