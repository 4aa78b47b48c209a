"""How much the rules of a program are used: `Posterior.rule_probabilities`.

A rule of the program is known by its place in the text; its instances are rules of the grammar, in
one state or in many. For each rule, over derivations by their posterior weight:

- `at_start`: P(it is the first rule of the derivation), that is, used on the box of all rows in the
  start state. Of a mixture at the start, the posterior probability of the component.
- `probability`: P(it is used at least once).
- `expected_uses`: the expected number of its uses, d log Z / d log w where w is its weight.

Where one rule makes all splits, another all leaves, and none calls a state, the numbers of splits
and leaves are their uses. Else, from a total Z and expected uses of rules (outside sums), exactly:

- The start state is copied, where derivations may come back to it, so that uses in the copy are
  first ones.
- P(used at least once) = 1 - Z(muted) / Z. A *muted* rule leads to a state without rules, where
  derivations fail: it counts as applicable, as it did, and derivations that use it are gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.errors import UsageError
from slp.ir.tree_grammar import CallRule, LeafRule, Rule, SplitRule, State, TreeGrammar
from slp.messages.results import NO_RULES_KNOWN
from slp.source import SourceSpan

#: Total of a grammar's trees as a logarithm, and expected uses of its rules, shape (R,).
RuleSums: TypeAlias = tuple[float, Callable[[], NDArray[np.float64]]]


@dataclass(frozen=True)
class RuleUse:
    """Use of a rule of the program.

    Attributes
    ----------
    rule : its text, on one line.
    file, line : where it stands.
    at_start : probability that it is the first rule of a derivation.
    probability : that a derivation uses it at least once. None where no sum tells: of a leaf rule
        under `majority`, by an exact engine.
    expected_uses : expected number of times that a derivation uses it.
    at_start_error, probability_error, expected_uses_error : Monte Carlo standard errors, 0 where
        they are exact.
    """

    rule: str
    file: str
    line: int
    at_start: float
    probability: float | None
    expected_uses: float
    at_start_error: float = 0.0
    probability_error: float = 0.0
    expected_uses_error: float = 0.0

    @classmethod
    def of(cls, span: SourceSpan, *numbers: float | None) -> RuleUse:
        """The use of the rule at a place; `numbers` are the fields behind the line."""
        text = " ".join(span.text.split())
        line, _ = span.file.line_column(span.start)
        return cls(text, span.file.name, line, *numbers)  # type: ignore[arg-type]


def no_rules(engine: str) -> UsageError:
    """E531: what this engine draws takes no rules of the program."""
    return UsageError(NO_RULES_KNOWN(engine=engine))


def clauses_of(grammar: TreeGrammar) -> dict[SourceSpan, list[tuple[int, int]]]:
    """The rules of the program that the grammar has (in its first states, where they are open), in
    the order of files and lines: state and position of each instance."""
    found: dict[SourceSpan, list[tuple[int, int]]] = {}
    for s, state in grammar.first_states().items():
        for r, rule in enumerate(state.rules):
            if rule.span is not None:
                found.setdefault(rule.span, []).append((s, r))
    files = list(dict.fromkeys(span.file.name for span in found))
    order = sorted(found, key=lambda span: (files.index(span.file.name), span.start))
    return {span: found[span] for span in order}


def rules_of_mixture(grammar: TreeGrammar) -> list[SourceSpan]:
    """The rules that a derivation begins with, where these are a mixture: two or more rules that
    call another state, in a start that derivations do not come back to. Else none."""
    if grammar.start in _reached_by_split(grammar):
        return []
    rules = grammar.states[grammar.start].rules
    calls = [r for r in rules if isinstance(r, CallRule) and r.span is not None]
    spans = list(dict.fromkeys(r.span for r in calls if r.span is not None))
    return spans if len(spans) > 1 else []


def uses_from_splits(grammar: TreeGrammar, stump: float, splits: float) -> list[RuleUse] | None:
    """Uses of all rules where one makes all splits, another all leaves, and none calls a state;
    else None. `stump` is the probability of the tree that is a leaf, `splits` the expected number
    of splits."""
    kinds: dict[type, set[SourceSpan | None]] = {}
    for state in grammar.first_states().values():
        for rule in state.rules:
            kinds.setdefault(type(rule), set()).add(rule.span)
    if kinds.keys() != {SplitRule, LeafRule} or any(len(spans) > 1 for spans in kinds.values()):
        return None
    [split], [leaf] = kinds[SplitRule], kinds[LeafRule]
    if split is None or leaf is None or split == leaf:
        return None
    numbers = {split: (1 - stump, 1 - stump, splits), leaf: (stump, 1.0, 1 + splits)}
    return [RuleUse.of(span, *numbers[span]) for span in clauses_of(grammar)]


def exact_rule_uses(
    grammar: TreeGrammar,
    sums: RuleSums,
    sums_of: Callable[[TreeGrammar], RuleSums],
    stump: float,
    only: Sequence[SourceSpan] | None = None,
) -> list[RuleUse]:
    """Uses of all rules, or `only` of those at some places. `sums` are those of the grammar,
    `sums_of` those of another one on the same table; `stump` is the probability of the tree that is
    a leaf."""
    own = _with_own_start(grammar)
    log_total, uses = sums if own is grammar else sums_of(own)
    numbers = uses()
    flat = {place: i for i, place in enumerate(_places(own))}
    out = []
    for span, places in clauses_of(own).items():
        if only is not None and span not in only:
            continue
        expected = float(sum(numbers[flat[p]] for p in places))
        first = float(sum(numbers[flat[p]] for p in places if p[0] == own.start))
        probability = _at_least_once(own, places, expected, stump)
        if probability is None:
            muted = _muted(own, places)
            if muted is not None:
                probability = -math.expm1(min(0.0, sums_of(muted)[0] - log_total))
        out.append(RuleUse.of(span, _probability(first), probability, expected))
    return out


def _probability(x: float) -> float:
    return min(1.0, max(0.0, x))


def _at_least_once(
    g: TreeGrammar, places: Sequence[tuple[int, int]], expected: float, stump: float
) -> float | None:
    """P(used at least once) where it needs no sum of its own."""
    mine = set(places)
    states = {s for s, _ in places}
    kinds: dict[type, set[tuple[int, int]]] = {}
    for place in _places(g):
        kinds.setdefault(type(g.states[place[0]].rules[place[1]]), set()).add(place)
    if kinds.get(LeafRule, set()) <= mine:
        return 1.0  # every derivation ends in leaves
    if SplitRule in kinds and kinds[SplitRule] <= mine and not mine & kinds.get(CallRule, set()):
        return 1.0 - stump
    if len(states) == 1 and not states & _reached_by_split(g):
        return _probability(expected)  # the state is met at most once
    return None


def _places(g: TreeGrammar) -> list[tuple[int, int]]:
    return [(s, r) for s, state in enumerate(g.all_states()) for r in range(len(state.rules))]


def _below(rule: Rule) -> set[int]:
    """States that a split leads to."""
    if not isinstance(rule, SplitRule):
        return set()
    return {s for t in rule.transitions for s in t.ravel().tolist() if s >= 0}


def _reached_by_split(g: TreeGrammar) -> set[int]:
    """States that are met below a split, calls followed."""
    states = g.first_states()
    todo = [s for state in states.values() for rule in state.rules for s in _below(rule)]
    found: set[int] = set()
    while todo:
        s = todo.pop()
        if s not in found:
            found.add(s)
            rules = states[s].rules if s in states else ()
            todo += [r.state for r in rules if isinstance(r, CallRule)]
    return found


def _with_own_start(g: TreeGrammar) -> TreeGrammar:
    """The grammar, its start state copied where derivations may come back to it."""
    if g.start not in _reached_by_split(g):
        return g
    states = g.all_states()
    return replace(g, states=(*states, states[g.start]), start=len(states))


def _muted(g: TreeGrammar, places: Iterable[tuple[int, int]]) -> TreeGrammar | None:
    """The grammar with these rules muted, None where that cannot be."""
    all_states = g.all_states()
    dead = len(all_states)
    rules = [list(state.rules) for state in all_states]
    for s, r in places:
        rule = rules[s][r]
        if isinstance(rule, SplitRule):
            steps = tuple(np.where(t >= 0, np.int32(dead), t) for t in rule.transitions)
            rules[s][r] = replace(rule, transitions=steps)
        elif isinstance(rule, LeafRule) and rule.majority and g.failure != "condition":
            return None  # whether it is applicable is known in the box alone
        else:
            rules[s][r] = CallRule(rule.log_weight, dead, rule.rows, rule.span)
    states = [State(state.name, tuple(own)) for state, own in zip(all_states, rules, strict=True)]
    return replace(g, states=(*states, State("nothing", ())))
