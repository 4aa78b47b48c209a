"""Guards behind a split: for each feature, which thresholds they allow, with what children.

For a numeric feature the answer is a function of the threshold V, the same on the points and open
intervals between a few *breakpoints*. They are found by running the guards with V bound to a probe
that records every number at which a comparison changes (`slp.resolution.machine.affine`): an
interval without such a number inside is finished; any other is cut there, and its parts are probed.
For a categorical feature V is bound to each level, with splits by subsets to each list of levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from slp.columns import MISSING
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.ir.schema import Level
from slp.resolution.boxes.instances import RuleInstance, check_ground
from slp.resolution.machine import faults
from slp.resolution.machine.affine import Affine, Trace
from slp.resolution.machine.arithmetic import evaluate_argument, evaluate_arguments
from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import DEFAULT_LIMITS, Limits, Meter
from slp.resolution.machine.solve import solve
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, Var, conjunction, list_term, subterms

#: Left and right child, arguments evaluated; None where the guards refuse the split.
ThresholdOutcome: TypeAlias = tuple[Term, Term] | None


@dataclass(frozen=True)
class ThresholdOutcomes:
    """What a rule's splits on one feature lead to.

    Numeric feature: `breakpoints` strictly increase, and m of them have 2m + 1 `outcomes`, numbered
    as the cells of `slp.ir.tree_grammar`. Categorical: no breakpoints, one outcome for each level.
    """

    breakpoints: tuple[float, ...]
    outcomes: tuple[ThresholdOutcome, ...]


def threshold_outcomes(
    database: Database,
    instance: RuleInstance,
    feature: str,
    levels: tuple[Level, ...] | None,
    limits: Limits | Meter = DEFAULT_LIMITS,
    level_numbers: Mapping[str, float] = MappingProxyType({}),
) -> ThresholdOutcomes | None:
    """What a split rule's instance allows of the splits on one feature.

    `levels` are a categorical feature's, None for a numeric one. `level_numbers` are what guards
    take the names of an ordinal feature's levels for. The result is None if the rule
    proposes no split on this feature, its own being bound to another. A threshold that is bound
    already refuses all splits but its own. Where `instance.depends_on_split` is False the result is
    the same for all numeric features, and, in each level, for the categorical ones.

    Raises
    ------
    ProgramError
        E201 to E218 from the guards, E221 for a child that is not ground, E222 if the feature is no
        name, E230 if a guard uses the threshold in a way that is not affine, E231 if a child holds
        the threshold, E232 if the guards have answers with different children.
    """
    body = instance.body
    if not isinstance(body, ir.SplitBody):
        raise TypeError("only the instance of a split rule has outcomes")
    if isinstance(body.feature, Atom):
        if body.feature.name != feature:
            return None
    elif not isinstance(body.feature, Var):
        raise faults.feature_not_a_name(body.feature, body.feature.span or instance.rule.span)
    meter = limits if isinstance(limits, Meter) else Meter(limits)
    parameters = database.parameters
    if level_numbers:
        database = database.with_values(level_numbers)
    guards = _Guards(database, body, Atom(feature), instance.rule.span, meter, parameters)
    if not instance.depends_on_split:
        outcome = guards.children(body.threshold)
        return ThresholdOutcomes((), (outcome,) * (1 if levels is None else len(levels)))
    if levels is not None:
        return ThresholdOutcomes((), tuple(_at_level(guards, level) for level in levels))
    if isinstance(body.threshold, Var):
        return _at_all_thresholds(guards)
    return _at_bound_threshold(guards)


def outcome_of_missing(
    database: Database, instance: RuleInstance, feature: str, meter: Meter
) -> ThresholdOutcome:
    """What a split rule's instance, which may split on a numeric feature, allows of the test for
    its missing values, of which V is the atom `missing`. Guards that take V for a number refuse it.
    Raises as `threshold_outcomes`."""
    body = instance.body
    assert isinstance(body, ir.SplitBody)
    span, parameters = instance.rule.span, database.parameters
    guards = _Guards(database, body, Atom(feature), span, meter, parameters)
    if isinstance(body.threshold, Atom) and body.threshold.name in parameters:
        return None
    try:
        return guards.children(Atom(MISSING))
    except faults.UnknownValueError as e:
        if e.name != MISSING:
            raise
        return None


@dataclass(frozen=True)
class _Guards:
    """The guards behind a split of one feature, and the children."""

    database: Database
    body: ir.SplitBody
    feature: Atom
    span: SourceSpan | None
    meter: Meter
    parameters: Mapping[str, float]  # of the children's arguments

    def children(self, threshold: Term) -> ThresholdOutcome:
        """Children of the split at `threshold`, None if the guards refuse it."""
        goals = [
            Struct("=", (self.body.feature, self.feature)),
            Struct("=", (self.body.threshold, threshold)),
            *self.body.after,
        ]
        found: ThresholdOutcome = None
        for answer in solve(conjunction(goals), self.database, self.meter, span=self.span):
            pair = (
                self._state(answer.resolve(self.body.left)),
                self._state(answer.resolve(self.body.right)),
            )
            if found is not None and found != pair:
                raise faults.ambiguous_children(self._after_span())
            found = pair
        return found

    def _state(self, child: Term) -> Term:
        state = evaluate_arguments(child, self.parameters)
        span = child.span or self.span
        if _holds_threshold(state):
            raise faults.state_holds_threshold(span)
        check_ground(state, span)
        return state

    def _after_span(self) -> SourceSpan | None:
        spans = [g.span for g in self.body.after if g.span is not None]
        return spans[0].cover(spans[-1]) if spans else self.span


def _holds_threshold(term: Term) -> bool:
    return any(isinstance(t, Number) and isinstance(t.value, Affine) for t in subterms(term))


# --- categorical features ----------------------------------------------------------------------


def _at_level(guards: _Guards, level: Level) -> ThresholdOutcome:
    try:
        return guards.children(_level_term(level))
    except faults.UnknownValueError as e:
        if e.name != level:
            raise
        span = e.diagnostics[0].span
        raise faults.level_as_number(level, guards.feature.name, span) from None


def _level_term(level: Level) -> Term:
    """What V is bound to: the level, or the list of those on the left side."""
    return Atom(level) if isinstance(level, str) else list_term(map(Atom, level))


# --- numeric features --------------------------------------------------------------------------


def _at_bound_threshold(guards: _Guards) -> ThresholdOutcomes:
    """The rule gives the threshold: splits at any other are refused."""
    value = evaluate_argument(guards.body.threshold, guards.database.parameters)
    try:
        point = float(value.value) if isinstance(value, Number) else math.inf
    except OverflowError:
        point = math.inf
    if math.isinf(point):
        return ThresholdOutcomes((), (None,))
    outcome = guards.children(guards.body.threshold)
    return _merged([point], [None, outcome, None])


def _at_all_thresholds(guards: _Guards) -> ThresholdOutcomes:
    below: dict[float, ThresholdOutcome] = {}  # by an interval's lower end
    points: set[float] = set()
    todo = [(-math.inf, math.inf)]
    while todo:
        low, high = todo.pop()
        outcome, critical = _probed(guards, _between(low, high))
        inside = sorted(c for c in critical if low < c < high)
        if inside:
            points.update(inside)
            todo.extend(zip([low, *inside], [*inside, high], strict=True))
        else:
            below[low] = outcome
    breakpoints = sorted(points)
    outcomes = [below[-math.inf]]
    for b in breakpoints:
        outcomes += [_probed(guards, Fraction(b))[0], below[b]]
    return _merged(breakpoints, outcomes)


def _probed(guards: _Guards, probe: Fraction) -> tuple[ThresholdOutcome, set[float]]:
    """The outcome at a threshold, and the critical points met, to the nearest float."""
    trace = Trace(probe)
    outcome = guards.children(Number(trace.threshold()))
    return outcome, set(_nearest_floats(trace.critical))


def _nearest_floats(critical: Iterable[Fraction]) -> Iterable[float]:
    # A point between two floats parts the floats just as its nearest float does, which has a cell
    # of its own. One beyond the largest float parts none.
    for c in critical:
        try:
            yield float(c)
        except OverflowError:
            continue


def _between(low: float, high: float) -> Fraction:
    """A number inside an open interval."""
    if math.isinf(low):
        return Fraction(0) if math.isinf(high) else Fraction(high) - 1
    if math.isinf(high):
        return Fraction(low) + 1
    return (Fraction(low) + Fraction(high)) / 2


def _merged(breakpoints: list[float], outcomes: list[ThresholdOutcome]) -> ThresholdOutcomes:
    """Without the breakpoints at which nothing changes."""
    kept: list[float] = []
    merged = outcomes[:1]
    for i, b in enumerate(breakpoints):
        at, above = outcomes[2 * i + 1], outcomes[2 * i + 2]
        if not merged[-1] == at == above:
            kept.append(b)
            merged += [at, above]
    return ThresholdOutcomes(tuple(kept), tuple(merged))
