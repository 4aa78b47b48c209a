"""What the engines share whose chains run in the C++ core: how the core takes proposals and tests
on finished trees, and what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from slp.infer.boxes import Geometry
from slp.infer.mh.names import Named
from slp.infer.run import Outcome
from slp.ir.program import Constraint, MaxFeatures, Monotone
from slp.ir.tree_grammar import TreeGrammar

__all__ = ["CoreProposal", "CoreTests", "core_proposal", "core_tests", "name_of", "seeds", "tally"]

#: Kind, weight and period of a proposal.
CoreProposal: TypeAlias = tuple[int, tuple[float, int]]
#: The most leaves and the most features (0: no limit); monotone features, each with whether
#: predictions rise with it.
CoreTests: TypeAlias = tuple[int, int, list[tuple[int, bool]]]

# The core's enumerations.
_KINDS = {"q_ind": 0, "q_uc": 1, "q_n": 2, "q_exact": 3}
_OUTCOMES: tuple[Outcome, ...] = ("accepted", "rejected", "failed", "stayed")
assert set(_OUTCOMES) == set(get_args(Outcome))


def core_proposal(named: Named) -> CoreProposal:
    """A proposal, as the core takes it."""
    return _KINDS[named.name], (named.weight, 1 if named.number is None else named.number)


def name_of(named: Named) -> str:
    """The name that outcomes are counted under."""
    return named.name if named.number is None else f"{named.name}({named.number})"


def core_tests(
    grammar: TreeGrammar, constraints: Iterable[Constraint], geometry: Geometry
) -> CoreTests:
    """`max_leaves` of a grammar, and the global constraints but for predicates."""
    names = geometry.table.feature_names
    limits, monotone = [], []
    for constraint in constraints:
        if isinstance(constraint, MaxFeatures):
            limits.append(constraint.count)
        elif isinstance(constraint, Monotone):
            monotone.append((names.index(constraint.feature), constraint.direction == "up"))
    return grammar.max_leaves or 0, min(limits, default=0), monotone


def tally(names: Sequence[str], counts: NDArray[np.uint64]) -> Counter[tuple[str, Outcome]]:
    """The core's counts, shape (proposals x outcomes,), by proposal and outcome."""
    out: Counter[tuple[str, Outcome]] = Counter()
    for i, count in enumerate(counts.tolist()):
        if count:
            out[names[i // len(_OUTCOMES)], _OUTCOMES[i % len(_OUTCOMES)]] += count
    return out


def seeds(rng: np.random.Generator) -> NDArray[np.uint64]:
    """256 random bits for the core's generator."""
    return cast("NDArray[np.uint64]", rng.integers(0, 2**64, 4, dtype=np.uint64))
