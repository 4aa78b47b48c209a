"""What a split on a defined feature counts as: a split on it, and on each feature and column that
its formula is made of, those of the definitions that it names included."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from slp.ir.groups import Named, features_of
from slp.messages.names import joined


@dataclass(frozen=True)
class Made:
    """The defined features, each with the names in its formula."""

    of: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.of)

    @cached_property
    def _counted(self) -> Mapping[str, frozenset[str]]:
        direct = dict(self.of)
        found: dict[str, frozenset[str]] = {}
        for made in direct:
            reached, waiting = {made}, [made]
            while waiting:
                new = set(direct.get(waiting.pop(), ())) - reached
                reached |= new
                waiting += new
            found[made] = frozenset(reached)
        return found

    def counted(self, feature: str) -> frozenset[str]:
        """All that a split on `feature` counts as a split on: itself, and what it is made of."""
        return self._counted.get(feature, frozenset({feature}))

    def counts(self, feature: str, named: Named) -> bool:
        """Whether a split on `feature` counts as one on what is named."""
        return not features_of(named).isdisjoint(self.counted(feature))

    def on(self, named: Named) -> frozenset[str]:
        """The features on which a split counts as one on what is named."""
        return features_of(named) | {made for made, _ in self.of if self.counts(made, named)}

    def closest(self, feature: str, names: Iterable[Named]) -> frozenset[Named]:
        """Those of some names that a split on `feature` counts as, without those of which another
        one is made: of bmi and weight a split on bmi is one on bmi."""
        by_name = {named: features_of(named) for named in names}
        found = self.counted(feature) & frozenset[str]().union(*by_name.values())
        near = {f for f in found if not any(f in self.counted(m) for m in found - {f})}
        return frozenset(named for named, own in by_name.items() if own & near)

    def about(self, names: Iterable[Named]) -> Made:
        """Those that count as some of these names, with these alone."""
        named = set[str]().union(*map(features_of, names))
        kept = [(made, self.counted(made) & (named - {made})) for made, _ in self.of]
        return Made(tuple((made, tuple(sorted(own))) for made, own in kept if own))

    def share(self, a: str, b: str) -> frozenset[str]:
        """What two features have in common: one of them, or what both are made of."""
        return self.counted(a) & self.counted(b)

    def within(self, group: Collection[str]) -> tuple[str, ...]:
        """The features of a group, and behind them all others that are made of them alone."""
        found = list(dict.fromkeys(group))
        while more := [m for m, own in self.of if m not in found and set(own) <= set(found)]:
            found += more
        return tuple(found)

    def told(self, name: Named, *others: Named) -> str:
        """A name in words, with what is made of it: `weight (or bmi, made of it)`. Beside others
        that a constraint names, with the features of which it is the `closest`."""
        own, names = features_of(name), (name, *others)
        made = [m for m, _ in self.of if m not in own and name in self.closest(m, names)]
        return f"{name} (or {joined(made, 'or')}, made of it)" if made else str(name)

    def to_plain(self) -> dict[str, list[str]]:
        """As JSON data: by feature, what a split on it counts as beside itself."""
        return {made: sorted(self.counted(made) - {made}) for made, _ in self.of}
