"""The split measures, as docs/language.md defines them. Each takes the splits that are left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from scipy.integrate import quad
from scipy.stats import norm

from tests.spec.example import Cut

Densities: TypeAlias = Mapping[str, Sequence[float]]
Measured = list[tuple[Cut, Fraction]]


def measured(
    name: str,
    cuts: Sequence[Cut],
    features: Sequence[str],
    weights: Mapping[str, float],
    may_be_drawn: Sequence[int] = (),
    groups: Sequence[Sequence[int]] | None = None,
    densities: Densities = MappingProxyType({}),
) -> Measured:
    """Splits of a box with their probabilities (or weights) under a measure, without rounding.

    `densities` are the normal ones of thresholds that some features have, each with its mean, its
    standard deviation and the range of the feature.

    `weights` are those of the features that have one declared. `may_be_drawn` are, for `range`, the
    features that some number in their range allows. `groups` has the features of each group, those
    of one feature included; None if the program groups none.
    """
    if densities:
        own = [densities.get(f) for f in features]
        cuts = [_with_density(name, c, own[c.feature]) for c in cuts]
        if name == "feature_then_cut":
            name = "gap"
        if name == "per_feature":
            assert groups is None, "no case has both"
            total = {c.feature: sum(o.gap for o in _same_feature(cuts, c)) for c in cuts}
            return [(c, c.gap / total[c.feature] / len(features)) for c in cuts]
    if groups is not None:
        return _by_groups(name, cuts, features, weights, may_be_drawn, groups)
    if name in ("each", "partition"):
        return _MEASURES[name](cuts, [Fraction(weights.get(f, 1.0)) for f in features])
    # A cut's probability is divided among its versions, which differ in the side of missing values.
    versions = Counter(c.name for c in cuts)
    first = list({c.name: c for c in cuts}.values())
    if name == "range":
        own = [Fraction(weights.get(f, 1.0)) for f in features]
        total = sum(own[f] for f in may_be_drawn)
        found = [(c, own[c.feature] / total * (c.length or 0)) for c in first]
    else:
        found = _MEASURES[name](first, [Fraction(weights.get(f, 1.0)) for f in features])
    probability = {c.name: p for c, p in found}
    return [(c, probability[c.name] / versions[c.name]) for c in cuts]


def _with_density(name: str, cut: Cut, density: Sequence[float] | None) -> Cut:
    """The cut with its weight as gap, and as length the share of its interval."""
    if density is None:
        return cut if name in ("gap", "range") else replace(cut, gap=Fraction(1))
    mean, sd, least, most = density
    assert cut.ends is not None and not isinstance(cut.plain, str)
    mass = _interval(*cut.ends, mean, sd)
    if name not in ("gap", "range"):
        mass = Fraction(norm.pdf(cut.plain, mean, sd))
    whole = _interval(least, most, mean, sd)
    return replace(cut, gap=mass, length=mass / whole)


def _interval(low: float, high: float, mean: float, sd: float) -> Fraction:
    """The probability of an interval; of a narrow one differences would lose digits."""
    a, b, width = (low - mean) / sd, (high - mean) / sd, (high - low) / sd
    if width < 0.5:
        return Fraction(quad(lambda t: norm.pdf(a + t), 0, width, epsabs=0, epsrel=1e-12)[0])
    return Fraction(norm.sf(a) - norm.sf(b) if a > 0 else norm.cdf(b) - norm.cdf(a))


def _same_feature(cuts: Sequence[Cut], cut: Cut) -> list[Cut]:
    return [c for c in cuts if c.feature == cut.feature]


def _by_groups(
    name: str,
    cuts: Sequence[Cut],
    features: Sequence[str],
    weights: Mapping[str, float],
    may_be_drawn: Sequence[int],
    groups: Sequence[Sequence[int]],
) -> Measured:
    """A group uniformly, a feature of it by weight, then the cut as without groups."""
    alone: dict[int, Measured] = {}  # the cuts of a feature, as though no other could be drawn
    for f in {c.feature for c in cuts}:
        own = [c for c in cuts if c.feature == f]
        alone[f] = measured(name, own, features, {}, [f])
    drawn = set(may_be_drawn) if name == "range" else set(alone)
    if name == "per_feature":
        drawn = set(range(len(features)))
        alone = {f: [(c, p * len(features)) for c, p in own] for f, own in alone.items()}
    there = [[f for f in group if f in drawn] for group in groups]
    n_groups = sum(map(bool, there))
    out: Measured = []
    for group in there:
        total = sum(Fraction(weights.get(features[f], 1.0)) for f in group)
        for f in group:
            share = Fraction(weights.get(features[f], 1.0)) / total / n_groups
            out += [(c, share * p) for c, p in alone.get(f, [])]
    return out


def _feature_probability(cuts: Sequence[Cut], weights: Sequence[Fraction], cut: Cut) -> Fraction:
    """Share of the cut's feature among those that can still split."""
    return weights[cut.feature] / sum(weights[f] for f in {c.feature for c in cuts})


def _uniform(cuts: Sequence[Cut], cut: Cut) -> Fraction:
    """The share of a cut in its feature: one of those left, or of all partitions."""
    return Fraction(1, len(_same_feature(cuts, cut))) if cut.share is None else cut.share


def _feature_then_cut(cuts: Sequence[Cut], weights: Sequence[Fraction]) -> Measured:
    """The feature among those that can split, by weight; then its cuts uniformly."""
    return [(c, _feature_probability(cuts, weights, c) * _uniform(cuts, c)) for c in cuts]


def _all(cuts: Sequence[Cut], weights: Sequence[Fraction]) -> Measured:
    """Uniform over all splits."""
    return [(c, Fraction(1, len(cuts))) for c in cuts]


def _gap(cuts: Sequence[Cut], weights: Sequence[Fraction]) -> Measured:
    """The feature as before; then each cut by its gap."""
    gaps = {c.feature: sum(o.gap for o in _same_feature(cuts, c)) for c in cuts}
    return [
        (c, _feature_probability(cuts, weights, c) * (c.share or c.gap / gaps[c.feature]))
        for c in cuts
    ]


def _each(cuts: Sequence[Cut], weights: Sequence[Fraction]) -> Measured:
    """Weight 1 for each split."""
    return [(c, Fraction(1)) for c in cuts]


def _partition(cuts: Sequence[Cut], weights: Sequence[Fraction]) -> Measured:
    """As each, but of splits that part the rows alike only the one of the feature listed first."""
    chosen: dict[frozenset[tuple[int, ...]], Cut] = {}
    for cut in sorted(cuts, key=lambda c: c.feature):
        chosen.setdefault(frozenset((cut.left, cut.right)), cut)
    return [(c, Fraction(1)) for c in chosen.values()]


def _per_feature(cuts: Sequence[Cut], weights: Sequence[Fraction]) -> Measured:
    """1/d for each of all d features, then its cuts uniformly."""
    return [(c, _uniform(cuts, c) / len(weights)) for c in cuts]


_MEASURES: dict[str, Callable[[Sequence[Cut], Sequence[float]], Measured]] = {
    "feature_then_cut": _feature_then_cut,
    "all": _all,
    "gap": _gap,
    "each": _each,
    "partition": _partition,
    "per_feature": _per_feature,
}
