"""Which goals have a proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from slp.problem.remembered import Remembered
from slp.reference.local_process import BoxGoal, LocalProcess, goals_below

#: A box and a state.
_Key: TypeAlias = tuple[int, int]


@dataclass(slots=True, eq=False)
class _Tried:
    """A goal and what is left to prove it. `alternatives` gives those not tried yet, each as the
    goals below it. `to_prove` has the goals of the one being tried that have no proof yet. It is
    None where no alternative is left."""

    key: _Key
    alternatives: Iterator[list[_Key]]
    to_prove: list[_Key] | None


class Provable:
    """Whether a proof of a goal exists, by a depth-first search that remembers what it found."""

    def __init__(self, process: LocalProcess) -> None:
        self._process = process
        self._found: Remembered[_Key, bool] = Remembered()

    def all(self, goals: Sequence[_Key]) -> bool:
        """Whether each of some boxes in states has a proof."""
        return all(map(self._has_proof, goals))

    def _has_proof(self, key: _Key) -> bool:
        found = self._found.get(key)
        if found is not None:
            return found
        way = [self._tried(key)]  # trees may be deeper than Python's calls
        while way:
            here = way[-1]
            if not here.to_prove:
                self._found[here.key] = found = here.to_prove is not None
                way.pop()
                continue
            known = self._found.get(here.to_prove[-1])
            if known is None:
                way.append(self._tried(here.to_prove[-1]))
            elif known:
                here.to_prove.pop()
            else:
                here.to_prove = next(here.alternatives, None)
        assert found is not None, "the first goal is the last to be left"
        return found

    def _tried(self, key: _Key) -> _Tried:
        alternatives = _alternatives(self._process.goal(*key))
        return _Tried(key, alternatives, next(alternatives, None))


def _alternatives(goal: BoxGoal) -> Iterator[list[_Key]]:
    """The goals below each alternative; leaves first, as they are proved at once."""
    for i, rule in enumerate(goal.rules):
        if not rule.splits:
            yield goals_below(goal, i, -1)
    for i, rule in enumerate(goal.rules):
        for j in range(len(rule.splits)):
            yield goals_below(goal, i, j)
