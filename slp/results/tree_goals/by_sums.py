"""Goals about trees by sums over all trees: where formulas over events decide them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slp.constraints.avoids import DeeperThan, Event, PartsRows, RootOn, UsesFeature
from slp.errors import BudgetError, ProgramError
from slp.problem.new_rows import table_as_new_rows, table_as_numbers
from slp.results.averages.sums import Sums
from slp.results.record.result import Result
from slp.results.tree_goals.answers import Probability
from slp.results.tree_goals.formulas import (
    Avoided,
    Formula,
    FormulaSums,
    Negation,
    NoSumsError,
    RowsTogether,
    joined,
    negated,
)
from slp.results.tree_goals.goal import GoalAboutTrees, Values
from slp.results.tree_goals.symbolic import NotForAllTreesError, TreeSpace

#: The most sums for a goal, and their approximate seconds of one core together.
MOST_SUMS = 256
_MOST_SECONDS = 60.0
#: What may be lost of a probability in each sum, absolute.
_LOST = 1e-12


class _Mass:
    """The probability of trees that avoid events, `alone`, shape (1,), or of k leaves, at index k;
    then that of all is at index 0."""

    def __init__(self, share: float, leaves: Callable[[], NDArray[np.float64]] | None) -> None:
        self._share, self._leaves = share, leaves
        self.tells_leaves = leaves is not None

    @property
    def alone(self) -> NDArray[np.float64]:
        return np.array([self._share])

    @cached_property
    def by_leaves(self) -> NDArray[np.float64]:
        assert self._leaves is not None
        return np.concatenate([self.alone, self._leaves()[1:]])


class BySums:
    """Sums over all trees of a result that answer goals, each made once."""

    def __init__(self, result: Result, averages: Sums) -> None:
        self._result, self._distribution = result, averages.distribution
        self._kind = result.kind_of_sums
        self._masses: dict[Avoided, _Mass] = {}

    def answers(
        self, goal: GoalAboutTrees
    ) -> tuple[dict[Values, Probability], Probability | None] | None:
        """The probability of each answer, and of any, None if that is not told; None if the goal is
        not decided by sums, or they would take long."""
        try:
            formulas = goal.for_all_trees(self._space)
            told = self._probabilities(formulas)
        except (NotForAllTreesError, NoSumsError, ProgramError, BudgetError):
            return None
        try:
            (holds,) = self._probabilities({(): joined(False, tuple(formulas.values()))}).values()
        except (NoSumsError, BudgetError):
            return told, None
        return told, holds

    def _probabilities(self, formulas: Mapping[Values, Formula]) -> dict[Values, Probability]:
        """Raises NoSumsError, BudgetError."""
        together = {v: found for v, f in formulas.items() if (found := _together(f)) is not None}
        sums = {v: FormulaSums(f) for v, f in formulas.items() if v not in together}
        wanted: dict[Avoided, bool] = {}
        for own in sums.values():
            for avoided, apart in own.avoided.items():
                wanted[avoided] = apart or wanted.get(avoided, False)
        new = {s: apart for s, apart in wanted.items() if not self._is_known(s, apart)}
        if len(new) > MOST_SUMS:
            raise NoSumsError
        for avoided, apart in new.items():
            self._masses[avoided] = self._mass(avoided, apart, _MOST_SECONDS / len(new))

        def masses(avoided: Avoided, apart: bool) -> NDArray[np.float64]:
            return self._masses[avoided].by_leaves if apart else self._masses[avoided].alone

        return {
            v: self._of_pair(*together[v])
            if v in together
            else Probability(sums[v].value(masses), _LOST * sums[v].weight, self._kind)
            for v in formulas
        }

    def _is_known(self, avoided: Avoided, apart: bool) -> bool:
        found = self._masses.get(avoided)
        return found is not None and (found.tells_leaves or not apart)

    def _mass(self, avoided: Avoided, apart: bool, seconds: float) -> _Mass:
        sums = self._distribution
        if not avoided:
            return _Mass(1.0, sums.leaf_distribution)
        known = None if apart or len(avoided) > 1 else self._known(*avoided)
        if known is not None:
            return _Mass(1.0 - known, None)
        avoiding = self._result.avoiding
        found = None if avoiding is None else avoiding(avoided, seconds)
        if found is None:
            raise NoSumsError
        share = float(np.exp(found.log_total - sums.log_total))
        return _Mass(share, lambda: share * found.leaf_distribution() if share else np.zeros(1))

    def _known(self, event: Event) -> float | None:
        """The probability of an event that summaries tell for all features or depths at once."""
        sums, features = self._distribution, self._result.table.feature_names
        match event:
            case UsesFeature(feature):
                return float(sums.usage()[features.index(feature)])
            case RootOn(feature):
                return float(sums.root_splits()[features.index(feature)])
            case DeeperThan(depth):
                return float(sums.depth_distribution()[depth + 1 :].sum())
            case _:
                return None

    def _of_pair(self, pair: RowsTogether, holds: bool) -> Probability:
        """The probability that two rows end in one leaf, or that they do not."""
        rows = table_as_new_rows(self._result.table, np.array([pair.row, pair.other]))
        found = self._result.proximity(rows)
        if found.kind != self._kind:
            raise NoSumsError
        value = float(found.value[0, 1])
        return Probability(value if holds else 1 - value, _LOST, self._kind)

    # --- what there is to ask ------------------------------------------------------------------

    @property
    def _space(self) -> TreeSpace:
        features, sums = self._result.table.features, self._distribution
        return TreeSpace(
            tuple(f.name for f in features),
            frozenset(f.name for f in features if f.kind.numbers_by_name is None),
            lambda: range(1, len(sums.leaf_distribution())),
            lambda: range(len(sums.depth_distribution())),
            lambda: range(1, self._result.table.n_given + 1),
            self._rows_together,
        )

    def _rows_together(self, i: int, j: int) -> Formula:
        table = self._result.table
        one, other = (table.distinct_of_given(row - 1) for row in (i, j))
        if one is None or other is None:
            raise NotForAllTreesError
        if any(f.kind.categorical or f.kind.missing_code is not None for f in table.features):
            return RowsTogether(one, other)
        rows = table_as_numbers(table, np.array([one, other]))
        ends = zip(table.feature_names, rows.min(axis=0), rows.max(axis=0), strict=True)
        return negated(PartsRows(tuple((name, float(a), float(b)) for name, a, b in ends)))


def _together(formula: Formula) -> tuple[RowsTogether, bool] | None:
    """Two rows that the formula alone is about, and whether they are together."""
    if isinstance(formula, RowsTogether):
        return formula, True
    if isinstance(formula, Negation) and isinstance(formula.part, RowsTogether):
        return formula.part, False
    return None
