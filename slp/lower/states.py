"""Finished states: their rules as arrays, and their checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from slp.errors import Diagnostic, UnsupportedError
from slp.ir import program as ir
from slp.ir.schema import Schema
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE, CallRule, LeafRule, Rule, SplitRule, State
from slp.lower.columns import SplitDraft, SplitTable, refined
from slp.lower.expansion import Expansion, StateRule
from slp.messages.lowering import CALLS_NEVER_END


class StateMaker:
    """Makes the finished states of an expansion, whose tables are cut at all breakpoints that some
    state listed so far has, and at those `given`; features with equal columns share one array."""

    def __init__(
        self,
        schema: Schema,
        expansion: Expansion,
        given: Mapping[str, tuple[float, ...] | None] = MappingProxyType({}),
    ) -> None:
        self.expansion = expansion
        self._listed: dict[int, State] | None = None
        found: dict[str, set[float]] = {f: set(given.get(f) or ()) for f in schema.features}
        for rules in expansion.rules.values():
            for rule in rules:
                if isinstance(rule, SplitDraft):
                    for feature, column in rule.table.by_feature.items():
                        found[feature].update(column.breakpoints)
        self._features = schema.features
        self.breakpoints = tuple(tuple(sorted(found[f])) for f in schema.features)
        self._beside = tuple(f in schema.beside_thresholds for f in schema.features)
        self._n_cells = [
            2 * len(b) + 1 if levels is None else len(levels)
            for b, levels in zip(self.breakpoints, schema.levels, strict=True)
        ]

    def listed(self) -> dict[int, State]:
        """The states that were listed, by number, in order."""
        if self._listed is None:
            self._listed = {s: self.state(s) for s in sorted(self.expansion.rules)}
        return self._listed

    def state(self, state: int) -> State:
        """A state that was listed, or is made now; raises as `Expansion.make` does."""
        rules = tuple(self._rule(rule) for rule in self.expansion.make(state))
        own = self.expansion
        told = own.levels[state], own.least_leaves(state), own.leaf_prior(state)
        return State(own.name(state), rules, *told)

    def _rule(self, rule: StateRule) -> Rule:
        if isinstance(rule, SplitDraft):
            arrays = self._arrays(rule.table)
            if rule.measure == "range":
                arrays = tuple(map(_without_last, arrays, self._beside))
            return SplitRule(rule.log_weight, rule.measure, arrays, rule.rows, rule.span)
        return rule

    def _arrays(self, table: SplitTable) -> tuple[NDArray[np.int32], ...]:
        made: dict[tuple[int, tuple[float, ...], int, bool], NDArray[np.int32]] = {}
        arrays = []
        for feature, breakpoints, n_cells, beside in zip(
            self._features, self.breakpoints, self._n_cells, self._beside, strict=True
        ):
            column = table.column(feature)
            key = (id(column), breakpoints, n_cells, beside)
            if key not in made:
                assert set(column.breakpoints) <= set(breakpoints), "the cells are fixed"
                made[key] = np.array(refined(column, breakpoints, n_cells, beside), dtype=np.int32)
            arrays.append(made[key])
        return tuple(arrays)


def _without_last(steps: NDArray[np.int32], beside: bool) -> NDArray[np.int32]:
    """Transitions whose last cell, the test beside thresholds, is not proposed."""
    if not beside:
        return steps
    out = steps.copy()
    out[-1] = OUTSIDE
    return out


def check_calls(states: Mapping[int, State]) -> None:
    """Refuse a state that calls itself, directly or through others, without a split."""
    done: set[int] = set()
    for root in states:
        path: dict[int, None] = {}
        stack = [(root, False)]
        while stack:
            s, leaving = stack.pop()
            if leaving:
                del path[s]
                done.add(s)
            elif s not in done and s in states:
                path[s] = None
                stack.append((s, True))
                for rule in states[s].rules:
                    if isinstance(rule, CallRule):
                        if rule.state in path:
                            raise UnsupportedError(_never_ends(states, path, rule))
                        stack.append((rule.state, False))


def _never_ends(states: Mapping[int, State], path: Iterable[int], last: CallRule) -> Diagnostic:
    """The message for the cycle at the end of `path` that `last` closes."""
    cycle = list(path)
    cycle = [*cycle[cycle.index(last.state) :], last.state]
    names = " -> ".join(f"`{states[s].name}`" for s in cycle)
    return CALLS_NEVER_END(last.span, names=names)


def sums_to_one(program: ir.CheckedProgram, state: State) -> bool:
    """Whether a state satisfies what makes the weights of all trees sum to 1 on every table.

    This holds if labels are renormalised, measures sum to 1, no constraint makes a derivation fail,
    and a derivation can continue in every state: it may stop there, or call a state (which is
    checked too).
    """
    return (
        not program.weights
        and program.max_leaves is None
        and any(isinstance(r, LeafRule | CallRule) and r.rows is None for r in state.rules)
        and all(_loses_nothing(rule, program.failure) for rule in state.rules)
    )


def _loses_nothing(rule: Rule, failure: ir.Failure) -> bool:
    if isinstance(rule, LeafRule):
        return not rule.majority
    if isinstance(rule, CallRule):
        return True
    forbids = failure == "condition" and any((t == FORBIDDEN).any() for t in rule.transitions)
    return rule.measure in ir.PROPER_MEASURES and not forbids
