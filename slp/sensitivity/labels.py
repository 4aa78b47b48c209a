"""The factor on the labels of a clause, where the other labels of each state give way.

At a state, let P be the sum of the labels of the instances of the clause, and S that of all
instances whose guards hold. With the factor x they have x P, and the others (S - x P) / (S - P)
times theirs, so that all sum to S. Where a clause stands alone, nothing moves. Under `:- weights.`
labels need not sum to anything, and others stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slp.ir.program import CheckedProgram, TreeRule
from slp.learn.ascent import Interval
from slp.learn.evidence import grammar_on
from slp.resolution import Meter, RuleInstance, StateRules
from slp.sensitivity.edges import Edges
from slp.sensitivity.numbers import NotVaried, Varied
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Term

OF_ROWS = "labels or guards of its states ask for the rows of the box"

#: A clause whose share is nearer to 1 stands alone, but for rounding.
_ALONE = 1e-12


def labels(program: CheckedProgram, edges: Edges) -> Iterator[Varied | NotVaried]:
    """The factor on the labels of each clause that some state has."""
    most_leaves = edges.table.schema(program.support.min_leaf).most_leaves
    known = _Met(program, most_leaves)
    grammar_on(program, edges.table, known)
    for rule in program.rules:
        own = [found for found in known.met.values() if any(_is_of(i, rule.span) for i in found)]
        if not own:
            continue
        name = _clause_text(rule)
        if any(i.rows is not None for found in own for i in found):
            yield NotVaried(f"the label of `{name}`", OF_ROWS)
            continue
        shares = [_share(found, rule.span) for found in own]
        most = min((1 / share for share in shares if share < 1 - _ALONE), default=math.inf)
        yield Varied(
            "label",
            name,
            1.0,
            Interval(0.0, math.inf if program.weights else most),
            term_to_text(rule.label),
            _edges_at(program, edges, known, rule.span),
            _moves(program, edges, known, rule.span),
        )


def _edges_at(
    program: CheckedProgram, edges: Edges, known: _Met, span: SourceSpan
) -> Callable[[float], NDArray[np.float64] | None]:
    """The log weights of edges where the labels of a clause have a factor."""

    def at(factor: float) -> NDArray[np.float64] | None:
        scaled = _Scaled(program, known, span, factor)
        return edges.under(grammar_on(program, edges.table, scaled))

    return at


def _moves(
    program: CheckedProgram, edges: Edges, known: _Met, span: SourceSpan
) -> Callable[[], NDArray[np.float64]]:
    """The derivatives of the log weights of edges by the logarithm of the factor.

    The logarithm of the ratio of own labels to others grows by 1 / (1 - P / S) in each state. Half
    the factor tells it: the others then have (1 - P / 2 S) / (1 - P / S) times their labels.
    """
    states = edges.grammar.all_states()
    own = [[rule.span == span for rule in state.rules] for state in states]

    def moves() -> NDArray[np.float64]:
        if program.weights:
            return edges.of_own(own)
        halved = grammar_on(program, edges.table, _Scaled(program, known, span, 0.5)).all_states()
        steep = []
        for state, other, ours in zip(states, halved, own, strict=True):
            moved = [
                math.exp(b.log_weight - a.log_weight)
                for a, b, is_own in zip(state.rules, other.rules, ours, strict=True)
                if not is_own
            ]
            steep.append(2 * moved[0] - 1 if moved and any(ours) else 0.0)
        return edges.of_ratio(own, steep)

    return moves


class _Met(StateRules):
    """The rules of a program, with the instances at all states that were asked for."""

    def __init__(self, program: CheckedProgram, most_leaves: int) -> None:
        super().__init__(program, most_leaves)
        self.most_leaves = most_leaves
        self.met: dict[Term, list[RuleInstance]] = {}

    def instances(self, state: Term, meter: Meter) -> list[RuleInstance]:
        found = self.met[state] = super().instances(state, meter)
        return found


class _Scaled(StateRules):
    """The rules of a program where the labels of a clause have a factor."""

    def __init__(
        self, program: CheckedProgram, known: _Met, span: SourceSpan, factor: float
    ) -> None:
        super().__init__(program, known.most_leaves, known)
        self._span, self._factor, self._weights = span, factor, program.weights

    def instances(self, state: Term, meter: Meter) -> list[RuleInstance]:
        found = super().instances(state, meter)
        share = _share(found, self._span)
        if share == 0 or (share >= 1 - _ALONE and not self._weights):
            return found
        others = 1.0 if self._weights else (1 - share * self._factor) / (1 - share)
        return [
            replace(i, label=i.label * (self._factor if _is_of(i, self._span) else others))
            for i in found
        ]


def _is_of(instance: RuleInstance, span: SourceSpan) -> bool:
    return instance.rule.span == span


def _share(found: list[RuleInstance], span: SourceSpan) -> float:
    """What a clause has of the sum of the labels at a state."""
    own = math.fsum(i.label for i in found if _is_of(i, span))
    return own / math.fsum(i.label for i in found) if own else 0.0


def _clause_text(rule: TreeRule) -> str:
    """The clause in one line, without its label."""
    span = rule.span
    words = " ".join(span.file.text[span.start : span.end].split())
    _, _, body = words.partition("::")
    return (body or words).strip().removesuffix(".")
