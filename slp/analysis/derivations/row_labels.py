"""Labels and guards that use the number of rows of the box, checked for every possible number.

In a state and for N rows, labels must sum to 1 over the rules whose guards hold; or over the rules
whose guards hold, except guards that use rows; or over the rules whose head matches. Labels that
count the rows of a class cannot be checked here: engines check them in each box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slp.analysis.clauses.predicates import Indicator, indicator_text
from slp.analysis.derivations.labels import TOLERANCE
from slp.analysis.derivations.states import StateSpace, explore, state_text
from slp.analysis.findings import Findings
from slp.analysis.sources.directives import span_of
from slp.errors import ProgramError, Related
from slp.ir.program import CallBody, CheckedProgram, SplitBody, TreeRule
from slp.ir.row_function import RowFunction
from slp.ir.row_values import evaluate_rows
from slp.messages import derivations as words
from slp.messages.clauses import ROWS_DEFINED
from slp.messages.directives import WEIGHT_BESIDE_ROWS
from slp.resolution import Database, RuleInstance, StateRules, labels_over_heads
from slp.resolution.boxes.row_goals import asks_rows, class_name, is_row_goal, part_guards
from slp.resolution.machine.faults import no_goal_of_rows
from slp.source import SourceSpan
from slp.terms import Struct, Term, functor, variables

#: Largest number of rows for which labels are checked without a table.
SOME_ROWS = 10

#: Number of numbers of rows, and of rules, that a message names.
_MOST_NAMED = 3


def asks_for_rows(program: CheckedProgram) -> bool:
    """Whether a guard of the program uses the rows of its box."""
    return any(asks_rows(goal) for rule in program.rules for goal in rule.before)


def named_classes(program: CheckedProgram) -> Iterator[tuple[str, SourceSpan]]:
    """The classes that guards `rows(Class, N)` name, with their places."""
    for rule in program.rules:
        for goal in rule.before:
            if isinstance(goal, Struct) and functor(goal) == ("rows", 2):
                name = class_name(goal.args[0])
                if name is not None:
                    yield name, span_of(goal.args[0], rule.span)


# --- what a number of rows may be used for -------------------------------------------------------


def check_rows_of_rules(
    program: CheckedProgram, defined: Iterable[Indicator], findings: Findings
) -> None:
    """Find numbers of rows in goals that do not allow them, numbers of rows that are passed to a
    state or used behind the split, and definitions of `rows` in a program of tree rules."""
    own = {key for key in defined if key in (("rows", 1), ("rows", 2))}
    for clause in program.clauses if program.rules else ():
        if functor(clause.head) in own and clause.span is not None:
            findings.add(ROWS_DEFINED(span_of(clause.head, clause.span)))
    if program.support.min_weight is not None and asks_for_rows(program):
        findings.add(WEIGHT_BESIDE_ROWS(program.spans.get("support:min_weight")))
    for rule in program.rules:
        parts = part_guards(rule.head, rule.before)
        for goal in parts.of_rows:
            if not is_row_goal(goal):
                findings.take(no_goal_of_rows(goal, span_of(goal, rule.span)))
        made = parts.variables
        for part, what in _behind(rule):
            for variable in dict.fromkeys(variables(part)):
                if variable in made:
                    where = span_of(part, rule.span)
                    findings.add(words.ROWS_HANDED_ON(where, what=what, name=variable.name))


def _behind(rule: TreeRule) -> Iterator[tuple[Term, str]]:
    body = rule.body
    if isinstance(body, CallBody):
        yield body.goal, "this nonterminal"
    elif isinstance(body, SplitBody):
        yield body.left, "this nonterminal"
        if body.right != body.left:
            yield body.right, "this nonterminal"
        yield body.feature, "the feature"
        yield body.threshold, "the threshold"
        for goal in body.after:
            yield goal, "this guard behind the split"


# --- values and sums -----------------------------------------------------------------------------


def check_rows_on_table(
    program: CheckedProgram, states: StateRules, n_rows: int, findings: Findings
) -> None:
    """Check labels for every number of rows that a box of a table may have."""
    if asks_for_rows(program):
        # Other findings were reported without a table.
        space = explore(program, states, Findings())
        check_sums_by_rows(program, states.database, space, n_rows, findings)


def check_sums_by_rows(
    program: CheckedProgram, database: Database, space: StateSpace, n_rows: int, findings: Findings
) -> None:
    """Find numbers of rows, from 1 or `min_leaf` to `n_rows`, for which a label is no probability,
    or labels do not sum to 1."""
    checker = _LabelChecker(program, database, _sizes(program, n_rows), findings)
    for state, instances in space.instances.items():
        if instances is not None and any(i.rows is not None for i in instances):
            checker.check(state, instances)


def row_sums_check(
    program: CheckedProgram, states: StateRules, n_rows: int
) -> Callable[[Term, Sequence[RuleInstance]], None] | None:
    """A function of a state and the instances of its rules. It raises ProgramError if
    `check_sums_by_rows` finds a fault. None if no guard uses rows.

    `check_rows_on_table` checks the first few hundred states and reports all of their faults. The
    lowering calls this function, so that engines meet checked states only.
    """
    if not asks_for_rows(program):
        return None
    findings = Findings()
    checker = _LabelChecker(program, states.database, _sizes(program, n_rows), findings)

    def check(state: Term, instances: Sequence[RuleInstance]) -> None:
        if any(i.rows is not None for i in instances):
            checker.check(state, instances)
            if findings.has_errors:
                raise ProgramError(findings.in_order())

    return check


def _sizes(program: CheckedProgram, n_rows: int) -> NDArray[np.float64]:
    """The numbers of rows that a box may have, shape (sizes,)."""
    return np.arange(min(program.support.min_leaf, n_rows), n_rows + 1, dtype=np.float64)


class _LabelChecker:
    def __init__(
        self,
        program: CheckedProgram,
        database: Database,
        sizes: NDArray[np.float64],
        findings: Findings,
    ) -> None:
        self.program, self.database = program, database
        self.sizes, self.findings = sizes, findings
        self.seen: set[tuple[tuple[float, RowFunction | None], ...]] = set()
        self.blamed: set[object] = set()

    def check(self, state: Term, instances: Sequence[RuleInstance]) -> None:
        labels = tuple((i.label, i.rows) for i in instances)
        if labels in self.seen:
            return
        self.seen.add(labels)
        counts = [f is not None and bool(f.classes) for _, f in labels]
        values = [
            self.values(*pair)
            for pair, by_class in zip(labels, counts, strict=True)
            if not by_class
        ]
        own = [i for i, by_class in zip(instances, counts, strict=True) if not by_class]
        wrong_labels = [self.is_wrong(state, i, *v) for i, v in zip(own, values, strict=True)]
        if any(wrong_labels) or any(counts) or self.program.weights:
            return
        holding = _sum(np.where(holds, label, 0.0) for holds, label in values)
        wrong = np.abs(holding - 1) > TOLERANCE
        if wrong.any():
            wrong &= ~(np.abs(_sum(label for _, label in values) - 1) <= TOLERANCE)
        if wrong.any():
            wrong &= self.wrong_over_heads(state)
        if wrong.any():
            self.report_sum(state, instances, holding, wrong)

    def values(
        self, label: float, function: RowFunction | None
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        if function is None:
            return np.ones(len(self.sizes), np.bool_), np.full(len(self.sizes), label)
        found = evaluate_rows(function, self.sizes, np.empty((0, len(self.sizes))))
        return found.holds, label * found.label

    def is_wrong(
        self,
        state: Term,
        instance: RuleInstance,
        holds: NDArray[np.bool_],
        label: NDArray[np.float64],
    ) -> bool:
        """Whether a label has no valid value where it is used. Reported once for each rule."""
        largest = np.inf if self.program.weights else 1 + TOLERANCE
        wrong = holds & ~((label >= 0) & (label <= largest) & (label < np.inf))
        if not wrong.any():
            return False
        if id(instance.rule) not in self.blamed:
            self.blamed.add(id(instance.rule))
            value = float(label[wrong][0])
            where = span_of(instance.rule.label, instance.rule.span)
            at = f"for {state_text(state)} in a box of {self.named(wrong)}"
            if value > 1:
                self.findings.add(words.LABEL_ABOVE_1(where, value=value, at=f" {at}"))
            elif np.isnan(value):
                self.findings.add(words.LABEL_WITHOUT_VALUE(where, at=at))
            else:
                self.findings.add(words.NEGATIVE_LABEL(where, at=at, value=value))
        return True

    def wrong_over_heads(self, state: Term) -> NDArray[np.bool_]:
        over_heads = labels_over_heads(self.database, self.program.rules, state)
        if over_heads is None or any(f is not None and f.classes for _, f in over_heads):
            return np.ones(len(self.sizes), np.bool_)
        total = _sum(self.values(*pair)[1] for pair in over_heads)
        return ~(np.abs(total - 1) <= TOLERANCE)

    def report_sum(
        self,
        state: Term,
        instances: Sequence[RuleInstance],
        total: NDArray[np.float64],
        wrong: NDArray[np.bool_],
    ) -> None:
        key = functor(state)
        assert key is not None
        if key in self.blamed:
            return
        self.blamed.add(key)
        rules = list(dict.fromkeys(i.rule for i in instances))
        found = words.RULES_DO_NOT_SUM_BY_ROWS(
            rules[0].span,
            related=[Related("and this rule", r.span) for r in rules[1 : _MOST_NAMED + 1]],
            nonterminal=indicator_text(key, tree=True),
            total=total[wrong][0],
            state=state_text(state),
            rows=self.named(wrong),
        )
        self.findings.add(found)

    def named(self, wrong: NDArray[np.bool_]) -> str:
        """Numbers of rows: `1 row`, `1 to 9 rows`, `1, 3, 5 rows and 7 more numbers`."""
        which = self.sizes[wrong].astype(np.int64)
        ends = np.flatnonzero(np.diff(which, append=-1) != 1)
        first = 0
        runs = []
        for end in ends[:_MOST_NAMED].tolist():
            low, high = int(which[first]), int(which[end])
            runs.append(f"{low}" if low == high else f"{low} to {high}")
            first = end + 1
        more = len(which) - first
        noun = "row" if len(which) == 1 and which[0] == 1 else "rows"
        return f"{', '.join(runs)} {noun}{f' (and {more} more numbers)' if more else ''}"


def _sum(terms: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = np.sum(list(terms), axis=0)
    return total
