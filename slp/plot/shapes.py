"""Prior beside posterior: how many leaves, how deep, which features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from slp.messages.names import plural
from slp.plot.canvas import BLUE, ORANGE, PLAIN, axes_of, legend_of, plain, tip, titled
from slp.results import Posterior
from slp.trees import Tree

#: An exact distribution over trees, and the number that it is of.
_Sizes = tuple[Callable[[Posterior], NDArray[np.float64]], Callable[[Tree], int]]

#: Values of less probability are not shown at the end of a distribution.
_LEAST = 5e-4
#: What stands behind the number of draws.
_DOUBT = {
    "converged": "",
    "not converged": ", not converged",
    "not known": ", not known whether converged",
}
#: The most features in a picture.
_MOST_FEATURES = 25
#: Exact distributions of leaves and depth take minutes on some tables of 80 rows. With more
#: distinct rows than these, so many independent draws stand in for them, and the label says so.
_MOST_ROWS_OF_SUMS, _TREES = 20, 2000


def leaves(posterior: Posterior, prior: Posterior | None = None, *, ax: Axes | None = None) -> Axes:
    """P(number of leaves) of a posterior and, beside it, of the prior (`posterior.prior()`)."""
    sizes = Posterior.leaf_distribution, lambda tree: tree.n_leaves
    return _distributions(posterior, prior, sizes, "number of leaves", ax)


def depth(posterior: Posterior, prior: Posterior | None = None, *, ax: Axes | None = None) -> Axes:
    """P(depth) of a posterior and, beside it, of the prior."""
    sizes = Posterior.depth_distribution, lambda tree: tree.depth
    return _distributions(posterior, prior, sizes, "depth of the tree", ax)


def features(posterior: Posterior, *, ax: Axes | None = None) -> Axes:
    """P(the tree splits on a feature) of a posterior and, beside it, of the prior where it is known
    (`split_probabilities`), the most used first; lines are two Monte Carlo standard errors to each
    side."""
    names = most_used(posterior)
    shown = names[:_MOST_FEATURES]
    ax = axes_of(ax, 6.4, 1.3 + 0.3 * len(shown))
    told = posterior.split_probabilities()
    own = [told[name] for name in shown]
    sides = [
        (f"{label}, {kind_of(side)}", colour, [(u.probability, u.probability_error) for u in own])
        for side, label, colour in _sides(posterior, None)
    ]
    if posterior.prior_uses_kind is not None:
        beside = [(u.prior_probability or 0.0, u.prior_probability_error or 0.0) for u in own]
        sides = [(f"prior, {posterior.prior_uses_note}", ORANGE, beside), *sides]
    thick = 0.8 / len(sides)
    for i, (label, colour, pairs) in enumerate(sides):
        at = np.arange(len(shown)) + i * thick - 0.4 + thick / 2
        values, errors = np.array(pairs, np.float64).reshape(-1, 2).T
        bars = ax.barh(
            at, values, thick, color=colour, label=label, xerr=_ends(values, errors), ecolor="black"
        )
        for bar, name, value in zip(bars, shown, values, strict=True):
            bar.set_gid(tip(f"{name}: {value:.4f} ({label})"))
    ax.set_yticks(range(len(shown)), [plain(name, 28) for name in shown], **PLAIN)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, 1.02)
    left_out = len(names) - len(shown)
    more = f", the {len(shown)} most used of {len(names)}" if left_out else ""
    titled(ax, x=f"P(the tree splits on the feature){more}")
    legend_of(ax, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    return ax


def most_used(posterior: Posterior) -> list[str]:
    """The features, those that trees split on with the highest probability first."""
    uses = posterior.split_probabilities()
    return sorted(uses, key=lambda name: -uses[name].probability)


def _ends(values: NDArray[np.float64], errors: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Two standard errors, inside [0, 1], shape (2, m); None where all are exact."""
    errors = 2 * np.nan_to_num(errors)
    if not errors.any():
        return None
    return np.stack([np.minimum(errors, values), np.minimum(errors, 1 - values)]).clip(0)


def _sides(posterior: Posterior, prior: Posterior | None) -> list[tuple[Posterior, str, str]]:
    """Each distribution with its name and colour."""
    found = [(posterior, "posterior" if posterior.likelihood else "prior", BLUE)]
    if prior is not None:
        found = [(prior, "prior", ORANGE), *found]
    return found


def kind_of(posterior: Posterior, by_draws: bool = False) -> str:
    """What its averages are: `exact`, `estimate from 1,000 draws`, `of 5 trees found`; `by_draws`
    says that independent draws take the place of exact sums."""
    trust, found = posterior.trust, posterior.diagnostics
    if posterior.trees_found is not None:
        return f"of {plural(posterior.trees_found, 'tree')} found"
    if found is None:
        n = len(posterior.draws)
        exact = "exact" if trust.kind == "exact" else "sums at some values of parameters"
        return f"estimate from {n:,} independent draws" if by_draws else exact
    return f"estimate from {sum(found.draws):,} draws{_DOUBT[trust.standing]}"


def _distribution(
    side: Posterior,
    exact: Callable[[Posterior], NDArray[np.float64]],
    of_tree: Callable[[Tree], int],
) -> tuple[NDArray[np.float64], str]:
    """Probabilities of 0, 1, ..., and what they are."""
    summed = side.trust.summed
    if not summed or len(side.table.counts) <= _MOST_ROWS_OF_SUMS:
        return exact(side), kind_of(side)
    numbers = [of_tree(tree) for tree in side.sample(_TREES, seed=side.seed)]
    return np.bincount(numbers) / _TREES, f"estimate from {_TREES:,} independent draws"


def _distributions(
    posterior: Posterior,
    prior: Posterior | None,
    sizes: _Sizes,
    name: str,
    ax: Axes | None,
) -> Axes:
    ax = axes_of(ax, 6.4, 3.6)
    sides = _sides(posterior, prior)
    width = 0.8 / len(sides)
    first, last = np.inf, 0.0
    for i, (side, label, colour) in enumerate(sides):
        mass, kind = _distribution(side, *sizes)
        label = f"{label}, {kind}"
        known = np.flatnonzero(mass >= _LEAST)
        first, last = min(first, known[0]), max(last, known[-1])
        at = np.arange(len(mass)) + i * width - 0.4 + width / 2
        for number, bar in enumerate(ax.bar(at, mass, width, color=colour, label=label)):
            bar.set_gid(tip(f"{number}: {mass[number]:.4f} ({label})"))
    ax.set_xlim(first - 0.7, last + 0.7)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    titled(ax, x=name, y="probability")
    legend_of(ax, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    return ax
