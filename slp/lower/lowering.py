"""Program to tree grammar: constraints to automata, automata and goals to states, states to
tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from slp.errors import Diagnostic, NoGrammarError, UnsupportedError
from slp.ir import program as ir
from slp.ir.automaton import Automaton
from slp.ir.box_automaton import InsideAutomaton
from slp.ir.constraints import Constraint
from slp.ir.groups import group_numbers
from slp.ir.leaves import BoxLeaf
from slp.ir.schema import Schema
from slp.ir.tree_grammar import State, TreeGrammar
from slp.lower.any_tree import any_tree
from slp.lower.depth_limit import DepthLimit
from slp.lower.endings import calls_end, cells_are_fixed, has_single_derivations
from slp.lower.expansion import FEW_STATES, FIRST_STATES, Expansion, ListingProgress
from slp.lower.goals import Goals, StateCheck
from slp.lower.opened import MadeStates
from slp.lower.product import FactorPrior, Product
from slp.lower.states import StateMaker, check_calls, sums_to_one
from slp.messages import lowering as words
from slp.messages.unknown_weights import WEIGHTS_NOT_SUMMED
from slp.resolution import StateRules


class Factor(NamedTuple):
    """What decides splits and leaves, what says so, None for the limit of depth, and the prior of
    its box's leaves, if it has one."""

    automaton: Automaton[Any]
    said_by: Constraint | BoxLeaf | None = None
    prior: FactorPrior | None = None


def program_to_tree_grammar(
    program: ir.CheckedProgram,
    schema: Schema,
    *,
    tests_on_trees: bool = False,
    states: StateRules | None = None,
    check: StateCheck | None = None,
    few_states: bool = False,
    progress: ListingProgress | None = None,
) -> TreeGrammar:
    """The tree grammar of a program over the features of `schema`.

    If the schema is derived from the program alone, features that guards name are added when they
    are found. With `tests_on_trees`, constraints that no tree grammar decides are left out of the
    grammar instead of refused: for an engine that tests finished trees (`slp.reference.mh`).
    The weights of the trees that pass these tests then do not sum to 1, so `normalised` is False.
    `edittree` has no tree grammar; for it the result is the grammar of all trees that satisfy the
    constraints decided at splits and leaves, each with weight 1.

    `states` are the rules of the program's states as far as they are known. `check` is called for
    every state of the grammar with the instances of its rules. It raises an error if there is a
    fault.

    States stay open if there are many and all checks hold without listing them
    (`slp.lower.expansion`); with `few_states` fewer count as many. `progress` is told how many are
    listed.

    Raises
    ------
    UnsupportedError
        E301: a constraint is decided at the finished tree, or the prior is `edittree`. E302: there
        is no start. E303: a cycle of calls never splits. E304, E305: the states are not finite, or
        too many.
    DataError
        E306: a rule splits on a feature that the table does not have.
    ProgramError
        From `slp.resolution`: a guard, a label or an argument that cannot be computed.
    """
    if program.edits is not None:
        if not tests_on_trees:
            raise UnsupportedError(find_tests_on_trees(program))
        program, states = any_tree(program), None
    factors = _factors(program, schema, tests_on_trees)
    if program.start is None:
        raise UnsupportedError(words.NO_START(program=program.name))
    states = states or StateRules(program, schema.most_leaves)
    first = FEW_STATES if few_states else FIRST_STATES
    again = partial(
        program_to_tree_grammar,
        program,
        schema,
        tests_on_trees=tests_on_trees,
        few_states=few_states,
    )
    lowering = _Lowering(program, schema, factors, states, check, progress)
    return lowering.grammar(first, again)


class _Lowering:
    """A program without edits on a schema. Every listing of its states shares the goals and
    automata."""

    def __init__(
        self,
        program: ir.CheckedProgram,
        schema: Schema,
        factors: list[Factor],
        states: StateRules,
        check: StateCheck | None,
        progress: ListingProgress | None,
    ) -> None:
        assert program.start is not None
        self._states, self._check, self._progress = states, check, progress
        self._program, self._schema, self._factors = program, schema, factors
        self._goals = Goals(program, schema, states, check)
        automata = [factor.automaton for factor in factors]
        self._product = Product(automata, schema, [factor.prior for factor in factors])
        self._start = self._goals.number(program.start)
        self._calls_end = calls_end(program, self._goals.parameters)

    def grammar(self, first: int, again: Callable[[], TreeGrammar]) -> TreeGrammar:
        """The grammar, with open states if there are more than `first` and all checks hold. `again`
        makes it once more, where such states are pickled."""
        expansion = self._expansion()
        if expansion.list_states(first) or not self._may_open():
            return self._closed(expansion)
        maker = StateMaker(self._schema, expansion, self._product.breakpoints)
        grammar = _grammar(self._program, self._schema, maker)
        return _opened(self._program, grammar, maker, self._list_all, again)

    def _expansion(self) -> Expansion:
        return Expansion(
            self._goals,
            self._product,
            self._schema,
            self._program.failure,
            self._start,
            self._calls_end,
            [factor.said_by for factor in self._factors],
            self._progress,
        )

    def _may_open(self) -> bool:
        fixed = cells_are_fixed(self._program, self._goals.split_rules)
        return self._schema.from_table and self._calls_end and fixed

    def _closed(self, expansion: Expansion) -> TreeGrammar:
        expansion.list_states()
        missing = self._goals.missing_features
        if missing:
            wider = self._schema.with_features(missing)
            others = self._factors, self._states, self._check, self._progress
            return _Lowering(self._program, wider, *others).closed()
        return _grammar(self._program, self._schema, StateMaker(self._schema, expansion))

    def closed(self) -> TreeGrammar:
        """The grammar with all states listed."""
        return self._closed(self._expansion())

    def _list_all(self) -> tuple[State, ...]:
        return self.closed().all_states()


def tree_grammar_or_all(
    program: ir.CheckedProgram,
    schema: Schema,
    states: StateRules | None = None,
    check: StateCheck | None = None,
) -> tuple[TreeGrammar, bool]:
    """The program's tree grammar without constraints on the finished tree, and True. If it has
    none, the grammar of all trees, and False: for an engine that draws by the program itself. It
    has none if a guard cannot be decided for all thresholds at once, or if there are infinitely
    many states, too many, or states that only SWI-Prolog can compute.

    Raises
    ------
    SlpError
        Anything else that `program_to_tree_grammar` raises.
    """
    try:
        return program_to_tree_grammar(
            program, schema, tests_on_trees=True, states=states, check=check
        ), True
    except NoGrammarError:
        return program_to_tree_grammar(any_tree(program), schema, tests_on_trees=True), False


def _factors(program: ir.CheckedProgram, schema: Schema, tests_on_trees: bool) -> list[Factor]:
    """Automata of everything that is decided at a split or a leaf."""
    factors: list[Factor] = []
    refused: list[Diagnostic] = []
    for constraint in program.constraints:
        automaton = constraint.automaton()
        if automaton is not None and constraint.can_be_broken(schema.features):
            prior = None if (own := constraint.leaf_in_box) is None else _prior_of(program, own)
            factors.append(Factor(automaton, constraint, prior))
        found = constraint.beyond_grammar()
        if found is not None and not tests_on_trees:
            refused.append(found)
    if refused:
        raise UnsupportedError(refused)
    if program.support.max_depth is not None or any(map(_is_local, program.constraints)):
        factors.append(Factor(DepthLimit(program.support.max_depth)))
    for own in program.box_leaves:
        factors.append(Factor(InsideAutomaton(own.box), own, _prior_of(program, own)))
    return factors


def _prior_of(program: ir.CheckedProgram, own: BoxLeaf) -> FactorPrior:
    assert own.prior is not None, "a program says it"
    return FactorPrior(program.leaf_priors.index(own.prior) + 1, own.contains)


def find_tests_on_trees(program: ir.CheckedProgram) -> tuple[Diagnostic, ...]:
    """The parts of a program that no tree grammar decides (the prior `edittree`, constraints), each
    with its message (E301); or the prior of its feature weights, which no sum is made over
    (E309)."""
    if program.weights_prior is not None:
        return (WEIGHTS_NOT_SUMMED(program.weights_prior.span),)
    found = [d for c in program.constraints if (d := c.beyond_grammar()) is not None]
    if program.edits is not None:
        found.insert(0, words.EDITS_NOT_SUMMED(program.edits.span))
    return tuple(found)


def _is_local(constraint: Constraint) -> bool:
    """Whether code decides it on nodes. Engines call it with the depth, so states must contain the
    depth."""
    return constraint.by_code and not constraint.at_finished_tree


def _grammar(program: ir.CheckedProgram, schema: Schema, maker: StateMaker) -> TreeGrammar:
    """The grammar of the states that were listed."""
    weights = [program.feature_weights.get(f, 1.0) for f in schema.features]
    groups = None
    if program.groups:
        groups = np.array(group_numbers(schema.features, program.groups), dtype=np.int64)
    states = maker.listed()
    check_calls(states)
    return TreeGrammar(
        features=schema.features,
        levels=schema.levels,
        breakpoints=tuple(np.array(b, dtype=np.float64) for b in maker.breakpoints),
        feature_weights=np.array(weights, dtype=np.float64),
        states=tuple(states.values()),
        start=0,
        normalise=not program.weights,
        failure=program.failure,
        min_leaf=program.support.min_leaf,
        min_weight=program.support.min_weight,
        by_partition=program.by_partition,
        groups=groups,
        max_leaves=program.max_leaves,
        horizon=maker.expansion.horizon,
        normalised=not schema.loses
        and all(c.beyond_grammar() is None for c in program.constraints)
        and not any(a.loses for c in program.constraints if (a := c.automaton()) is not None)
        and all(sums_to_one(program, state) for state in states.values()),
    )


def _opened(
    program: ir.CheckedProgram,
    grammar: TreeGrammar,
    maker: StateMaker,
    list_all: Callable[[], tuple[State, ...]],
    again: Callable[[], TreeGrammar],
) -> TreeGrammar:
    """A grammar of the first states, with the others open."""
    meaning = (program.start, program.rules, program.clauses, sorted(program.parameters.items()))
    findings = []
    if maker.expansion.differ_in_order():
        assert program.start is not None
        listed = len(maker.expansion.rules)
        findings.append(words.LISTS_IN_EACH_ORDER(program.start.span, listed=listed))
    states = MadeStates(
        maker,
        single_derivation=has_single_derivations(program)
        and not any(c.is_preference for c in program.constraints),  # whose states call others
        measures=program.measures,
        identity=repr((meaning, program.support, grammar.horizon)),
        sound=partial(sums_to_one, program) if grammar.normalised else None,
        findings=findings,
        list_all=list_all,
        again=again,
    )
    deepest = program.support.max_depth
    horizon = grammar.horizon if deepest is None else min(grammar.horizon, deepest)
    return replace(grammar, states=states, horizon=horizon)
