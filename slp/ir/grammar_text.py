"""A tree grammar as text for people: states, their rules, and where splits lead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby, islice
from typing import TypeAlias

from slp.ir.row_function import row_function_in_words
from slp.ir.schema import Level
from slp.ir.tree_grammar import (
    FORBIDDEN,
    OUTSIDE,
    CallRule,
    LeafRule,
    OpenStates,
    Rule,
    SplitRule,
    TreeGrammar,
)
from slp.messages.numbers import number_text
from slp.source import visible


def grammar_to_text(grammar: TreeGrammar, most_states: int | None = None) -> str:
    """States in order, with their rules. `most_states` limits the output to the first states.

    Consecutive cells that lead to the same pair of states are one line, and so are features with
    the same transitions. Weights are on the probability scale.
    """
    states = grammar.first_states()
    shown = dict(islice(states.items(), most_states))
    lines = []
    for s, state in shown.items():
        lines.append(f"{s}: {state.name}{'  (start)' if s == grammar.start else ''}")
        for rule in state.rules:
            lines += [f"    {line}" for line in _rule_lines(grammar, rule)]
        if state.leaf_prior:
            lines.append(f"    a leaf here has prior {state.leaf_prior}")
        if not state.rules:
            lines.append("    no rule: every derivation fails here")
    if isinstance(grammar.states, OpenStates):
        lines.append("... and others, made as they are reached")
    elif len(states) > len(shown):
        lines.append(f"... and {len(states) - len(shown):,} more states")
    return "\n".join(map(visible, lines))


def _rule_lines(grammar: TreeGrammar, rule: Rule) -> Iterator[str]:
    weight = f"{math.exp(rule.log_weight):.6g}"
    tested = ""
    if rule.rows is not None:
        label, tests = row_function_in_words(rule.rows)
        if label is not None:
            weight = f"{label}:" if rule.log_weight == 0 else f"{weight} * ({label}):"
        tested = f", if {' and '.join(tests)}" if tests else ""
    match rule:
        case LeafRule(majority=()):
            yield f"{weight} leaf{tested}"
        case LeafRule(majority=classes):
            most = " and than ".join(classes)
            yield f"{weight} leaf{tested}, if no class has more rows than {most}"
        case CallRule(state=state):
            yield f"{weight} go on as {state}{tested}"
        case SplitRule(measure=measure):
            yield f"{weight} split by {measure}{tested}"
            for where, features in _features_by_split(grammar, rule).items():
                for at, target in where:
                    yield f"    {', '.join(features)}{at}: {target}"


_Where: TypeAlias = tuple[tuple[str, str], ...]


def _features_by_split(grammar: TreeGrammar, rule: SplitRule) -> dict[_Where, list[str]]:
    """Features grouped by the targets of their splits. Features that are never proposed are left
    out."""
    out: dict[_Where, list[str]] = {}
    for f, feature in enumerate(grammar.features):
        where = tuple(_runs(grammar, f, rule.transitions[f].tolist()))
        if where:
            out.setdefault(where, []).append(feature)
    return out


def _runs(grammar: TreeGrammar, f: int, pairs: list[list[int]]) -> Iterator[tuple[str, str]]:
    """(place, target) for each run of cells that lead to the same pair of states."""
    levels = grammar.levels[f]
    places = list(range(len(pairs)))
    last = 2 * len(grammar.breakpoints[f])  # the cell above all breakpoints
    if levels is None and len(pairs) > last + 1 and any(pair != pairs[-1] for pair in pairs):
        pair = pairs[-1]
        if pair[0] != OUTSIDE:
            target = "forbidden" if pair[0] == FORBIDDEN else f"{pair[0]}, {pair[1]}"
            yield " = missing", target
    if levels is None:
        places = places[: last + 1]
    for pair, cells in groupby(places, key=lambda i: pairs[i]):
        run = list(cells)
        if pair[0] == OUTSIDE:
            continue
        if len(run) == len(places):
            at = ""
        elif levels is not None:
            at = f" = {', '.join(_level_text(levels[i]) for i in run)}"
        else:
            at = f" at {_interval(grammar.breakpoints[f].tolist(), run[0], run[-1])}"
        yield at, "forbidden" if pair[0] == FORBIDDEN else f"{pair[0]}, {pair[1]}"


def _level_text(level: Level) -> str:
    return level if isinstance(level, str) else f"{{{', '.join(level)}}}"


def _interval(breakpoints: list[float], first: int, last: int) -> str:
    """The thresholds of cells `first` to `last`: `(0, 24]`, or `24` for one point."""
    if first == last and first % 2 == 1:
        return number_text(breakpoints[first // 2])
    low = breakpoints[(first - 1) // 2] if first > 0 else -math.inf
    high = breakpoints[last // 2] if last < 2 * len(breakpoints) else math.inf
    ends = f"{number_text(low)}, {number_text(high)}"
    return f"{'[' if first % 2 else '('}{ends}{']' if last % 2 else ')'}"
