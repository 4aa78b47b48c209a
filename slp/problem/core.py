"""A tree grammar on a table, laid out for the core (`native/core/problem/problem.hpp`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets.memory import format_bytes
from slp.columns import Absent
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.errors import BudgetError, UnsupportedError
from slp.ir.constraints import Constraint
from slp.ir.program import MEASURES
from slp.ir.row_function import MOST_ROWS, Instruction, Op, RowFunction
from slp.ir.tree_grammar import CallRule, LeafRule, OpenStates, Rule, SplitRule, TreeGrammar
from slp.kernels.compiled import compiled_core
from slp.leaves import LeafModel, label_text
from slp.messages.directives import DENSITY_IN_CORE
from slp.messages.inference import COUNTS_TOO_LARGE
from slp.messages.soft_trees import SOFT_TREES_ALONE
from slp.problem.split_measures import flat_transitions, weights_of_rule

if TYPE_CHECKING:
    from slp._core import ExactProblem, ExactRules

#: The most levels of a feature that the core orders by their responses (`LevelOrders`).
MOST_ORDERED_LEVELS = 2**16

# Measured: bytes of a state's rules for each pair of leaves owed (44 to 84).
_BYTES_OF_COUNTS = 80

# The core's enumeration.
_UNTOLD: tuple[Absent, ...] = ("error", "larger", "average")


def core_for(table: Table, constraints: Iterable[Constraint] = ()) -> Any | None:
    """The compiled core, if it is there and takes the table, and these constraints of finished
    trees on it: a leaf model of the user's own has a table."""
    return None if beyond_core(table, constraints) else compiled_core()


def beyond_core(table: Table, constraints: Iterable[Constraint] = ()) -> str | None:
    """What the core does not take of a table, or of constraints on it, as the end of a sentence;
    None if it takes all.

    Raises
    ------
    DataError
        E443: the table of a leaf model of the user's own is none.
    """
    if any(f.density is not None for f in table.features):
        return "weighs no cuts by a density of thresholds"
    ordered = [f.kind for f in table.features if f.kind.numbered_by_core]
    if any(kind.n_codes > MOST_ORDERED_LEVELS for kind in ordered):
        return f"orders {MOST_ORDERED_LEVELS:,} levels by their responses at most"
    if ordered and table.leaf.core_name == "table":
        return "does not order levels by the responses of a leaf model of your own"
    found = table.leaf.numbers_for_core(table.statistics)
    if isinstance(found, str):
        return found
    if not table.leaf.predicted_in_core and any(c.by_predictions for c in constraints):
        return f"does not know the means of the leaf model `{table.leaf.name}`"
    return None


def leaves_owed(grammar: TreeGrammar, table: Table) -> int:
    """K: the most leaves that a state may owe; 0 if leaves are not counted."""
    if grammar.max_leaves is None:
        return 0
    return max(1, min(grammar.max_leaves, len(table.counts)))


#: Bytes of rules that count leaves, some five seconds of work before any sum or estimate of one:
#: where nobody asked for sums there are no more.
MOST_COUNTS = 2**29


def counts_fit(grammar: TreeGrammar, table: Table, memory: float) -> bool:
    """Whether the core's rules fit into some bytes of memory where they count leaves. They are made
    before any sum; with open states each is made when it is needed."""
    if isinstance(grammar.states, OpenStates):
        return True
    owed = leaves_owed(grammar, table)
    return _BYTES_OF_COUNTS * len(grammar.states) * owed**2 <= memory


def check_counts(grammar: TreeGrammar, table: Table, memory: int, doing: str) -> None:
    """Raise BudgetError E501 unless `counts_fit`, or the core is missing. `doing` names the work
    that needs the rules."""
    if compiled_core() is not None and not counts_fit(grammar, table, memory):
        most = grammar.max_leaves or 0
        raise BudgetError(COUNTS_TOO_LARGE(memory=format_bytes(memory), doing=doing, most=most))


def core_problem(
    core: Any, grammar: TreeGrammar, table: Table, *, count_leaves: bool = True
) -> ExactProblem:
    """The core's `ExactProblem`. Without `count_leaves` it leaves `max_leaves` out.

    Raises
    ------
    UnsupportedError
        E545: the leaf model is that of soft trees.
    """
    refuse_soft_trees(table)
    problem = _with_features(core, grammar, table)
    _set_leaf(problem, table.leaf, table.statistics)
    owed = leaves_owed(grammar, table) if count_leaves else 0
    _set_grammar(core, problem, grammar, table, owed)
    return problem


def refuse_soft_trees(table: Table) -> None:
    """Raise UnsupportedError E545 if the leaf model is that of soft trees."""
    if table.leaf.soft_trees:
        raise UnsupportedError(SOFT_TREES_ALONE(what=f"the leaf model `{table.leaf.name}`"))


def core_without_leaves(core: Any, grammar: TreeGrammar, table: Table) -> ExactProblem:
    """The same without the leaf model, and without `max_leaves`: for an engine that has both
    itself."""
    problem = _with_features(core, grammar, table)
    _set_grammar(core, problem, grammar, table, 0)
    return problem


def _with_features(core: Any, grammar: TreeGrammar, table: Table) -> ExactProblem:
    if any(f.density is not None for f in table.features):
        raise UnsupportedError(DENSITY_IN_CORE())
    problem: ExactProblem = core.ExactProblem()
    sizes, _ = table.sizes(grammar.min_leaf, grammar.min_weight)
    problem.set_rows(sizes.astype(np.uint32))
    if table.weights is not None and any(
        f.kind.categorical or f.kind.missing == "side" for f in table.features
    ):
        problem.set_row_weights(table.row_weights)
    for f, feature in enumerate(table.features):
        _add_feature(problem, feature, grammar.breakpoints[f], table.codes[:, f])
    return problem


def _set_grammar(
    core: Any, problem: ExactProblem, grammar: TreeGrammar, table: Table, leaves_owed: int
) -> None:
    sizes, least = table.sizes(grammar.min_leaf, grammar.min_weight)
    problem.set_grammar(
        grammar.start,
        grammar.normalise,
        grammar.failure == "condition",
        min(least, int(sizes.sum()) + 1),  # the core's integers end
        leaves_owed,
        np.ascontiguousarray(grammar.feature_weights, np.float64),
        np.array([] if grammar.groups is None else grammar.groups, np.uint32),
    )
    make = partial(_core_rules, core, grammar, table)
    if isinstance(grammar.states, OpenStates):
        problem.set_open_states(make, grammar.horizon)
    else:
        for state in range(len(grammar.all_states())):
            problem.add_state(make(state))


def leaf_problem(core: Any, table: Table) -> ExactProblem:
    """The leaf model on a table's rows alone, as the core's `ExactProblem`."""
    problem: ExactProblem = core.ExactProblem()
    problem.set_rows(table.counts.astype(np.uint32))
    _set_leaf(problem, table.leaf, table.statistics)
    return problem


def _add_feature(
    problem: ExactProblem,
    feature: Feature,
    breakpoints: NDArray[np.float64],
    codes: NDArray[np.int32],
) -> None:
    kind = feature.kind
    problem.add_feature(
        kind.core,
        kind.n_codes,
        np.ascontiguousarray(kind.core_numbers, np.float64),
        np.ascontiguousarray(breakpoints, np.float64),
        np.ascontiguousarray(codes, np.uint32),
        kind.missing_code is not None,
        *(_UNTOLD.index(feature.kind.way_of_untold(missing=missing)) for missing in (True, False)),
    )


def _set_leaf(problem: ExactProblem, leaf: LeafModel, statistics: NDArray[np.float64]) -> None:
    numbers = leaf.numbers_for_core(statistics)
    assert not isinstance(numbers, str), "the core takes the table"
    problem.set_leaf(
        leaf.core_name,
        np.ascontiguousarray(numbers, np.float64),
        np.ascontiguousarray(statistics, np.float64).ravel(),
        leaf.n_statistics,
    )


def _core_rules(core: Any, grammar: TreeGrammar, table: Table, state: int) -> ExactRules:
    """The rules of a state, as the core's `ExactRules`."""
    own = grammar.states[state]
    rules: ExactRules = core.ExactRules(own.least_leaves, own.leaf_prior)
    for rule in own.rules:
        _add_rule(rules, rule, grammar, table)
    return rules


def _add_rule(rules: ExactRules, rule: Rule, grammar: TreeGrammar, table: Table) -> None:
    leaf = table.leaf
    if isinstance(rule, SplitRule):
        steps, own = flat_transitions(rule).ravel(), weights_of_rule(rule, grammar, table)
        weights = np.empty(0) if own.weights is None else own.weights
        measure = MEASURES.index(rule.measure)
        rules.add_split_rule(rule.log_weight, measure, steps, own.total, weights)
    else:
        _add_other(rules, rule, leaf)
    if rule.rows is not None:
        code = list(_numbered(rule.rows, list(map(label_text, leaf.classes))))
        ops = np.array([op for op, _ in code], np.uint8)
        operands = np.array([operand for _, operand in code], np.float64)
        rules.set_row_function(ops, operands, rule.rows.labelled)


def _numbered(function: RowFunction, classes: list[str]) -> Iterator[Instruction]:
    """The code of a function with the numbers of the table's classes."""
    for op, operand in function.code:
        name = function.classes[int(operand)] if op is Op.COUNT else None
        if name is None:
            yield op, operand
        elif name != MOST_ROWS:
            yield op, classes.index(name) if name in classes else -1
        else:
            yield op, 0
            for other in range(1, len(classes)):
                yield op, other
                yield Op.MAXIMUM, 0.0


def _add_other(rules: ExactRules, rule: LeafRule | CallRule, leaf: LeafModel) -> None:
    if isinstance(rule, LeafRule):
        classes = list(map(label_text, leaf.classes))
        places = [classes.index(c) if c in classes else -1 for c in rule.majority]
        rules.add_leaf_rule(rule.log_weight, places)
    else:
        rules.add_call_rule(rule.log_weight, rule.state)
