"""Program to tree grammar: constraints to automata, these and goals to states, states to tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import Diagnostic, SlpError, UnsupportedError
from slp.ir import program as ir
from slp.ir.schema import Schema
from slp.ir.tree_grammar import (
    FORBIDDEN,
    CallRule,
    LeafRule,
    Rule,
    SplitRule,
    State,
    TreeGrammar,
)
from slp.ir.words import predicate_text
from slp.lower.any_tree import any_tree
from slp.lower.automata import automaton_of, can_be_broken
from slp.lower.automaton import Automaton
from slp.lower.columns import SplitTable, refined
from slp.lower.expansion import Expansion, SplitDraft, StateRule
from slp.lower.goals import Goals
from slp.lower.path_automata import DepthLimit
from slp.lower.product import Product

__all__ = ["find_tests_on_trees", "program_to_tree_grammar", "tree_grammar_or_all"]

#: Measures that sum to 1 over the splits that are left, whatever these are.
_PROPER_MEASURES = ("feature_then_cut", "all", "gap")

#: Findings that say that a guard cannot be decided for all thresholds at once, that there are
#: endlessly many states, or too many, or that SWI-Prolog alone knows them (goals `prolog(...)`).
_NO_GRAMMAR = ("E230", "E231", "E264", "E304", "E305")

#: Constraints that no automaton decides.
_TESTED = (ir.MaxFeatures, ir.Monotone, ir.Predicate)


def program_to_tree_grammar(
    program: ir.Program, schema: Schema, *, tests_on_trees: bool = False
) -> TreeGrammar:
    """The tree grammar of a program over the features of `schema`.

    Where the schema is made up from the program, features that guards turn out to name are added.
    With `tests_on_trees`, `max_features`, `monotone` and predicates are left out of the grammar
    instead of refused: for an engine that tests finished trees (`slp.infer.mh`). Its trees' weights
    then do not sum to 1 over those that hold, so `normalised` is False. For `edittree`, whose prior
    has no tree grammar, it then is the grammar of all trees that satisfy the constraints decided at
    splits and leaves, every tree of weight 1.

    Raises
    ------
    UnsupportedError
        E301: a constraint is decided at the finished tree, or the prior is `edittree`. E302: there
        is no start. E303: a cycle of calls never splits. E304, E305: the states are not finite, or
        too many.
    DataError
        E306: a rule splits on a feature that the table does not have.
    ProgramError
        From `slp.proofs`: a guard, a label or an argument that cannot be computed.
    """
    if program.edits is not None:
        if not tests_on_trees:
            raise UnsupportedError(find_tests_on_trees(program))
        program = any_tree(program)
    factors = _factors(program, schema, tests_on_trees)
    if program.start is None:
        message = f"{program.name} has no start, so it defines no trees"
        help = "declare one, as in `:- start(tree(0)).`"
        raise UnsupportedError(Diagnostic("E302", message, help=help))
    goals = Goals(program, schema)
    start = goals.number(program.start)
    expansion = Expansion(goals, Product(factors, schema), schema, program.failure, start)
    if goals.missing_features:
        wider = schema.with_features(goals.missing_features)
        return program_to_tree_grammar(program, wider, tests_on_trees=tests_on_trees)
    return _grammar(program, schema, expansion)


def tree_grammar_or_all(program: ir.Program, schema: Schema) -> tuple[TreeGrammar, bool]:
    """The program's tree grammar without what is decided at the finished tree, and True. Or, if it
    has none, that of all trees, and False: for an engine that draws by the program itself. It has
    none if a guard cannot be decided for all thresholds at once, or if its states are endlessly
    many, too many, or known to SWI-Prolog alone.

    Raises
    ------
    SlpError
        Anything else that `program_to_tree_grammar` raises.
    """
    try:
        return program_to_tree_grammar(program, schema, tests_on_trees=True), True
    except SlpError as e:
        if any(found.code not in _NO_GRAMMAR for found in e.diagnostics):
            raise
    return program_to_tree_grammar(any_tree(program), schema, tests_on_trees=True), False


def _factors(program: ir.Program, schema: Schema, tests_on_trees: bool) -> list[Automaton[Any]]:
    """Automata of everything that is decided at a split or a leaf."""
    factors: list[Automaton[Any]] = []
    refused: list[Diagnostic] = []
    for constraint in program.constraints:
        match constraint:
            case ir.MaxFeatures() | ir.Monotone() | ir.Predicate() if tests_on_trees:
                pass
            case ir.MaxFeatures() | ir.Monotone() | ir.Predicate():
                refused.append(_needs_the_tree(constraint))
            case ir.MaxLeaves():
                pass  # the grammar's `max_leaves`: counted in the weights
            case _ if can_be_broken(constraint, schema.features):
                factors.append(automaton_of(constraint))
    if refused:
        raise UnsupportedError(refused)
    if program.support.max_depth is not None or any(map(_is_local, program.constraints)):
        factors.append(DepthLimit(program.support.max_depth))
    return factors


def find_tests_on_trees(program: ir.Program) -> tuple[Diagnostic, ...]:
    """What no tree grammar decides, the prior `edittree` and constraints, each with what to say of
    it (E301)."""
    found = [
        _needs_the_tree(constraint)
        for constraint in program.constraints
        if isinstance(constraint, _TESTED)
    ]
    if program.edits is not None:
        message = "`edittree` sums over all sequences of edits, of which there are infinitely many"
        help = "take the engine `mh`, as `auto` does, or a prior of tree rules"
        found.insert(0, Diagnostic("E301", message, program.edits.span, help))
    return tuple(found)


def _is_local(constraint: ir.Constraint) -> bool:
    """Whether it is a predicate on nodes: engines ask it with the depth, so states tell it."""
    return isinstance(constraint, ir.Predicate) and constraint.local


def _needs_the_tree(constraint: ir.MaxFeatures | ir.Monotone | ir.Predicate) -> Diagnostic:
    """What to say of a constraint that no automaton here decides."""
    where = "at the finished tree"
    match constraint:
        case ir.MaxFeatures(count=count):
            name = f"`max_features({count})`"
        case ir.Monotone(feature=feature, direction=direction):
            name = f"`monotone({feature}, {direction})`"
        case ir.Predicate(local=local):
            name = predicate_text(constraint)
            where = "by code at each node" if local else "by code at the finished tree"
    help = "take the engine `mh`, as `auto` does, or leave the constraint out"
    message = f"{name} is decided {where}, and trees cannot be summed exactly under it"
    return Diagnostic("E301", message, constraint.span, help=help)


def _grammar(program: ir.Program, schema: Schema, expansion: Expansion) -> TreeGrammar:
    """The expanded states, every table cut at all breakpoints of its feature."""
    tables = _Tables(schema, expansion)
    states = tuple(
        State(expansion.name(s), tuple(tables.rule(r) for r in expansion.rules[s]))
        for s in range(len(expansion))
    )
    _check_calls(states)
    weights = [program.feature_weights.get(f, 1.0) for f in schema.features]
    return TreeGrammar(
        features=schema.features,
        levels=schema.levels,
        breakpoints=tuple(np.array(b, dtype=np.float64) for b in tables.breakpoints),
        feature_weights=np.array(weights, dtype=np.float64),
        states=states,
        start=0,
        normalise=not program.weights,
        failure=program.failure,
        min_leaf=program.support.min_leaf,
        max_leaves=program.max_leaves,
        horizon=expansion.horizon,
        normalised=_sums_to_one(program, states),
    )


class _Tables:
    """Makes the arrays of split rules; features with equal columns share one array."""

    def __init__(self, schema: Schema, expansion: Expansion) -> None:
        found: dict[str, set[float]] = {f: set() for f in schema.features}
        for rules in expansion.rules.values():
            for rule in rules:
                if isinstance(rule, SplitDraft):
                    for feature, column in rule.table.by_feature.items():
                        found[feature].update(column.breakpoints)
        self._features = schema.features
        self.breakpoints = tuple(tuple(sorted(found[f])) for f in schema.features)
        self._n_cells = [
            2 * len(b) + 1 if levels is None else len(levels)
            for b, levels in zip(self.breakpoints, schema.levels, strict=True)
        ]

    def rule(self, rule: StateRule) -> Rule:
        """The finished rule."""
        if isinstance(rule, SplitDraft):
            arrays = self._arrays(rule.table)
            return SplitRule(rule.log_weight, rule.measure, arrays, rule.rows, rule.span)
        return rule

    def _arrays(self, table: SplitTable) -> tuple[NDArray[np.int32], ...]:
        made: dict[tuple[int, tuple[float, ...], int], NDArray[np.int32]] = {}
        arrays = []
        for feature, breakpoints, n_cells in zip(
            self._features, self.breakpoints, self._n_cells, strict=True
        ):
            column = table.column(feature)
            key = (id(column), breakpoints, n_cells)
            if key not in made:
                made[key] = np.array(refined(column, breakpoints, n_cells), dtype=np.int32)
            arrays.append(made[key])
        return tuple(arrays)


def _check_calls(states: Sequence[State]) -> None:
    """Refuse a state that calls itself, directly or through others, without a split."""
    done: set[int] = set()
    for root in range(len(states)):
        path: dict[int, None] = {}
        stack = [(root, False)]
        while stack:
            s, leaving = stack.pop()
            if leaving:
                del path[s]
                done.add(s)
            elif s not in done:
                path[s] = None
                stack.append((s, True))
                for rule in states[s].rules:
                    if isinstance(rule, CallRule):
                        if rule.state in path:
                            raise UnsupportedError(_never_ends(states, path, rule))
                        stack.append((rule.state, False))


def _never_ends(states: Sequence[State], path: Iterable[int], last: CallRule) -> Diagnostic:
    """What to say of the cycle at the end of `path` that `last` closes."""
    cycle = list(path)
    cycle = [*cycle[cycle.index(last.state) :], last.state]
    names = " -> ".join(f"`{states[s].name}`" for s in cycle)
    return Diagnostic(
        "E303",
        f"never ends: {names} comes back to where it was without a split",
        last.span,
        help="split before the state repeats, or change an argument on the way",
    )


def _sums_to_one(program: ir.Program, states: Sequence[State]) -> bool:
    """Whether the weights of all trees are known to sum to 1 on every table.

    So it is if labels are renormalised, measures sum to 1, nothing fails for a constraint, and a
    derivation can go on in every state: it may stop there, or call a state (which is checked too).
    """
    return (
        not program.weights
        and not any(isinstance(c, _TESTED) for c in program.constraints)
        and program.max_leaves is None
        and all(_goes_on(state) for state in states)
        and all(_loses_nothing(rule, program.failure) for s in states for rule in s.rules)
    )


def _goes_on(state: State) -> bool:
    return any(isinstance(r, LeafRule | CallRule) and r.rows is None for r in state.rules)


def _loses_nothing(rule: Rule, failure: ir.Failure) -> bool:
    if isinstance(rule, LeafRule):
        return not rule.majority
    if isinstance(rule, CallRule):
        return True
    forbids = failure == "condition" and any((t == FORBIDDEN).any() for t in rule.transitions)
    return rule.measure in _PROPER_MEASURES and not forbids
