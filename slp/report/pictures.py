"""Pictures as inline SVG with tooltips. They need matplotlib; without it the section says so."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from slp.compile import problem_on
from slp.data import Table
from slp.engines import infer, read_for
from slp.errors import BudgetError, SlpError, UnsupportedError
from slp.late import optional_module
from slp.program import program_of
from slp.report.html import Content, Html, joined, tag
from slp.results import Posterior
from slp.trees import names_code, with_predicates

#: Before the root of an SVG file stand declarations that name addresses.
_BEFORE_ROOT = re.compile(r"\A.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_SIZE = re.compile(r'(<svg[^>]*?) width="([\d.]+)pt" height="([\d.]+)pt"')
#: An exact prediction of a new row takes up to seconds. With more distinct rows than these,
#: predictions are averages over independent draws.
_MOST_ROWS_OF_SUMS = 20
#: A large picture becomes smaller down to this share of its size; then it is scrolled.
_LEAST_SHARE = 0.75
#: Draws from the prior, where it is not summed.
_DRAWS = 1000
_NO_PRIOR = "The pictures do not show the prior"


@dataclass(frozen=True)
class _Picture:
    """A picture: its name in the page, what it shows, and the function that draws it. A `large` one
    that does not fit can be scrolled."""

    name: str
    caption: str
    draw: Callable[[], Any]
    large: bool = False


def pictures(posterior: Posterior) -> Html:
    """The section of pictures. A picture that cannot be made says why, with the code."""
    try:
        plot = optional_module("plot")
    except UnsupportedError as error:
        return _why_not("This page has no pictures", error)
    prior: Posterior | None = None
    parts: list[Content] = []
    if posterior.likelihood:
        try:
            prior = _prior_of(posterior)
            if prior is None:
                parts.append(_note(f"{_NO_PRIOR}: the report runs no code that the program names."))
        except SlpError as error:  # a budget
            parts.append(_why_not(_NO_PRIOR, error))
    parts += [_figure(plot, picture) for picture in _pictures(plot, posterior, prior)]
    return joined(parts)


def _pictures(plot: Any, posterior: Posterior, prior: Posterior | None) -> list[_Picture]:
    beside = "" if prior is None else " before the data (prior) and after (posterior)"
    known = posterior.prior_uses_kind is not None
    of_features = " before the data (prior) and after (posterior)" if known else ""
    return [
        *_of_best(plot, posterior),
        _Picture(
            "features",
            f"The probability that a tree asks about a feature{of_features}.",
            lambda: plot.features(posterior),
        ),
        _Picture(
            "leaves",
            f"The probability of each number of groups (leaves){beside}.",
            lambda: plot.leaves(posterior, prior),
        ),
        _Picture(
            "depth",
            f"The probability of each depth (the most questions from the top to a group){beside}.",
            lambda: plot.depth(posterior, prior),
        ),
        *_of_splits(plot, posterior),
        *_of_outcomes(plot, posterior, prior),
        *_of_chains(plot, posterior),
    ]


def _of_best(plot: Any, posterior: Posterior) -> Iterator[_Picture]:
    """The best tree; none of sums."""
    if posterior.trees_summed is not None:
        return
    best, boxes = posterior.map_tree(), posterior.record.boxes
    yield _Picture(
        "tree",
        "The first tree of this page. Lines are as thick as their share of the rows.",
        lambda: plot.tree(best, boxes=boxes),
        large=True,
    )


def _of_splits(plot: Any, posterior: Posterior) -> Iterator[_Picture]:
    """Where trees split, and what they predict there; nothing where the best tree has no split and
    no feature is used."""
    try:
        if not any(use.probability for use in posterior.split_probabilities().values()):
            return
    except BudgetError:  # each picture then says so in its place
        pass
    caption = "Where trees split: for each feature, how often a split falls in each part of it."
    yield _Picture("thresholds", caption, lambda: plot.thresholds(posterior))
    draws = {"by_draws": _by_draws(posterior)}
    caption = (
        "What is predicted, averaged over all trees, where the most used feature changes and all "
        "others stay (partial dependence)."
    )
    yield _Picture("dependence", caption, lambda: plot.dependence(posterior, **draws))
    if len(posterior.table.features) > 1:
        caption = "What is predicted over the two most used features, averaged over all trees."
        yield _Picture("heat", caption, lambda: plot.heat_map(posterior, **draws))
    if posterior.table.leaf.classes and posterior.likelihood:
        caption = (
            "How often a class came true, beside the predicted probability (calibration), in the "
            "rows of the table. The trees have seen these rows, so it looks better than it is for "
            "new rows."
        )
        yield _Picture("calibration", caption, lambda: plot.calibration(posterior, **draws))


def _by_draws(posterior: Posterior) -> bool:
    """Whether draws stand in for exact sums."""
    exact = posterior.trust.summed
    return exact and len(posterior.table.counts) > _MOST_ROWS_OF_SUMS


def _of_outcomes(plot: Any, posterior: Posterior, prior: Posterior | None) -> Iterator[_Picture]:
    """Survival of durations, and a predictive check, where the table still tells its outcomes."""
    table = posterior.table
    if table.leaf.responses == "durations" and posterior.likelihood:
        caption = (
            "The probability to last longer than each time, averaged over the rows of the table, "
            "with its 90 % interval; dashed the Kaplan-Meier estimate of the outcomes."
        )
        draws = {"by_draws": _by_draws(posterior)}
        yield _Picture("survival", caption, lambda: plot.survival(posterior, **draws))
    if (
        not _has_outcomes(table)
        or table.weighted is not None
        or table.leaf.exposed
        or not posterior.likelihood
    ):
        return
    seen = ", and before the data (prior)" if prior is not None else ""
    caption = (
        f"The outcomes in the table beside outcomes drawn for the same rows after the data"
        f" (posterior){seen}: a predictive check. Where they differ the model misses something."
    )
    yield _Picture("check", caption, lambda: plot.predictive_check(posterior, prior))


def _has_outcomes(table: Table) -> bool:
    """Whether the outcomes of single rows can be told. Where a run was saved without its table, the
    picture itself says that they cannot."""
    try:
        return bool(table.leaf.classes) or bool(table.counts.max(initial=1) == 1)
    except UnsupportedError:
        return True


def _of_chains(plot: Any, posterior: Posterior) -> Iterator[_Picture]:
    """Diagnostics of a sampler."""
    found, schedule = posterior.diagnostics, posterior.schedule
    if found is None:
        return
    if schedule is not None and schedule.thin is not None:
        caption = "The log posterior of each draw, a line for each chain: they should mix."
        yield _Picture("traces", caption, lambda: plot.traces(posterior))
        if len(found.draws) > 1:
            caption = "Ranks of the draws of each chain: flat where the chains agree."
            yield _Picture("ranks", caption, lambda: plot.ranks(posterior))
    if found.tempering is not None:
        caption = "Swaps between neighbouring rungs of the tempered chains: even rates are good."
        yield _Picture("swaps", caption, lambda: plot.swaps(posterior))


def _prior_of(posterior: Posterior) -> Posterior | None:
    """The prior on the same table. Beside a sampler's posterior it is that of `auto`, which draws
    from it directly: a second run of the chains would take as long as the first. None where it
    would have to run code that the program names."""
    if posterior.trust.summed:
        return posterior.prior()
    program = read_for(program_of(posterior), posterior.engine)
    if names_code(program):
        return None
    problem = problem_on(with_predicates(program, False), posterior.table)
    return infer(problem, likelihood=False, engine="auto", seed=posterior.seed, draws=_DRAWS)


def _why_not(what: str, error: SlpError) -> Html:
    found = error.diagnostics[0]
    told = f"{what} ({found.code}): {found.message}" + (f"; {found.help}." if found.help else ".")
    return _note(told)


def _note(told: str) -> Html:
    return tag("p", told, class_="bad", role="note")


def _figure(plot: Any, picture: _Picture) -> Html:
    try:
        svg = plot.picture_bytes(picture.draw, "svg").decode()
    except SlpError as error:
        return _why_not(f"The picture of {picture.name} is missing", error)
    shown: Content = Html(_inline(svg, picture))
    frame = tag(
        "div",
        shown,
        class_="picture large" if picture.large else "picture",
        tabindex="0",
        role="region",
        aria_label=f"picture: {picture.name}",
    )
    return tag("figure", tag("figcaption", picture.caption), frame)


def _inline(svg: str, picture: _Picture) -> str:
    """The picture as an element of the page, without declarations, and with ids of its own."""
    svg = _METADATA.sub("", _BEFORE_ROOT.sub("", svg))
    # Keep only the ids that the picture refers to, each once. Elements with the same id are equal.
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))

    def once(name: re.Match[str]) -> str:
        first = name[1] in used
        used.discard(name[1])
        return name[0] if first else ""

    svg = re.sub(r' id="([^"]*)"', once, svg)
    own = f"{picture.name}-"
    svg = re.sub(r'\bid="', f'id="{own}', svg)
    svg = re.sub(r'(href="|url\()#', rf"\1#{own}", svg)
    label = html.escape(picture.caption)
    return _SIZE.sub(
        lambda size: (
            f'{size[1]} width="{size[2]}pt" height="{size[3]}pt" role="img" aria-label="{label}" '
            f'style="--least:{_LEAST_SHARE * float(size[2]):.0f}pt"'
        ),
        svg,
        count=1,
    )
