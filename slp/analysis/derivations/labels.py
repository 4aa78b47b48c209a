"""Labels: whether they are probabilities, and whether they sum to 1.

In every state that the start reaches (`slp.analysis.derivations.states`), labels must sum to 1 over
the rules whose head matches the state or, if they do not, over the instances whose guards hold.
Under `:- weights.` labels are arbitrary numbers from 0 up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable

from slp.analysis.clauses.predicates import Indicator, indicator_text
from slp.analysis.derivations.groups import groups_that_sum_to_one
from slp.analysis.derivations.states import StateSpace, state_text
from slp.analysis.findings import Findings
from slp.analysis.sources.directives import span_of
from slp.analysis.sources.files import Placed
from slp.analysis.sources.parameters import names_in
from slp.errors import Related, SlpError
from slp.ir.program import CheckedProgram, LogicClause, TreeRule
from slp.ir.schema import MOST_LEAVES
from slp.messages import derivations as words
from slp.messages.numbers import number_text
from slp.resolution import Database, RuleInstance, evaluate, labels_over_heads
from slp.resolution.machine import faults
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.syntax.ast import Clause
from slp.terms import Atom, Struct, Term, arguments, conjuncts, functor, variables

#: Largest difference of a sum of labels from 1.
TOLERANCE = 1e-9

#: Number of states, and of rules, that a message names.
_MOST_NAMED = 3


def check_constant_labels(program: CheckedProgram, findings: Findings) -> None:
    """Find labels without variables that are no probability, also in unreached rules."""
    labelled: list[TreeRule | LogicClause] = [*program.rules, *program.clauses]
    for clause in labelled:
        if clause.label is not None and clause.span is not None:
            value = _constant(clause.label, clause.span, program, findings)
            if value is not None:
                _check_value(clause.label, value, clause.span, program.weights, findings)


def _constant(
    label: Term, place: SourceSpan, program: CheckedProgram, findings: Findings
) -> float | None:
    """The value of a label that is the same in every state and on every table, else None."""
    if next(variables(label), None) is not None or MOST_LEAVES in names_in(label):
        return None
    try:
        return float(evaluate(label, program.parameters, span=span_of(label, place)))
    except OverflowError:
        return math.inf
    except SlpError as e:
        findings.take(e)
        return None


def _check_value(
    label: Term, value: float, place: SourceSpan, weights: bool, findings: Findings
) -> None:
    where = span_of(label, place)
    if value < 0 or math.isinf(value):
        findings.take(faults.impossible_label(value, where))
    elif value == 0:
        findings.add(words.LABEL_0(where))
    elif value > 1 + TOLERANCE and not weights:
        findings.add(words.LABEL_ABOVE_1(where, value=value, at=""))


def check_label_sums(
    program: CheckedProgram, database: Database, space: StateSpace, findings: Findings
) -> None:
    """Find states whose labels do not sum to 1, and labels above 1. Weights are not checked.
    `slp.analysis.derivations.row_labels` checks states with labels that depend on the rows of the
    box."""
    if program.weights:
        return
    wrong: dict[Indicator, list[tuple[Term, float]]] = {}
    for state, instances in space.instances.items():
        key = functor(state)
        if instances is None or key is None or any(i.rows is not None for i in instances):
            continue
        if _has_large_label(state, instances, findings):
            continue
        total = sum(i.label for i in instances)
        if abs(total - 1) <= TOLERANCE:
            continue
        over_heads = labels_over_heads(database, program.rules, state)
        if over_heads is None or abs(sum(v for v, _ in over_heads) - 1) > TOLERANCE:
            wrong.setdefault(key, []).append((state, total))
    for key, states in wrong.items():
        _report_sum(key, states, program, space, findings)


def _has_large_label(state: Term, instances: Iterable[RuleInstance], findings: Findings) -> bool:
    large = [i for i in instances if i.label > 1 + TOLERANCE]
    for instance in large:
        if next(variables(instance.rule.label), None) is not None:
            where = span_of(instance.rule.label, instance.rule.span)
            at = f" for {state_text(state)}"
            findings.add(words.LABEL_ABOVE_1(where, value=instance.label, at=at))
    return bool(large)


def _report_sum(
    key: Indicator,
    states: list[tuple[Term, float]],
    program: CheckedProgram,
    space: StateSpace,
    findings: Findings,
) -> None:
    state, total = states[0]
    same = [s for s, other in states if abs(other - total) <= TOLERANCE]
    names = [state_text(s) for s in same[:_MOST_NAMED]]
    more = f" and {len(same) - len(names)} more" if len(same) > len(names) else ""
    rules = [i.rule for i in space.instances[state] or ()]
    matching = [r for r in program.rules if functor(r.head) == key]
    origin = space.origin[state]
    if not rules and origin is not None:
        findings.add(words.NO_RULE_FOR_STATE(origin.span, states=f"{', '.join(names)}{more}"))
        return
    blamed = rules or matching
    found = words.RULES_DO_NOT_SUM(
        blamed[0].span,
        related=[Related("and this rule", r.span) for r in blamed[1 : _MOST_NAMED + 1]],
        nonterminal=indicator_text(key, tree=True),
        total=total,
        states=f"{', '.join(names)}{more}",
    )
    findings.add(found)


# --- stochastic clauses ------------------------------------------------------------------------


def check_clause_sums(program: CheckedProgram, items: Iterable[Placed], findings: Findings) -> None:
    """Check that constant labels of stochastic clauses sum to 1, over all clauses or for each value
    of some arguments. Weights are not checked, nor predicates of which a clause among `items` is
    malformed, and so not in the program, or has no label."""
    if program.weights:
        return
    heads = (i.item.head for i in items if isinstance(i.item, Clause) and i.item.arrow != "-->")
    written = Counter(functor(head) for head in heads)
    labelled = Counter(functor(c.head) for c in program.clauses if c.label is not None)
    predicates: dict[Indicator, list[tuple[LogicClause, float]]] = {}
    for clause in program.clauses:
        key = functor(clause.head)
        if clause.label is None or clause.span is None or key is None:
            continue
        if labelled[key] < written[key]:
            continue
        value = _constant(clause.label, clause.span, program, Findings())
        predicates.setdefault(key, []).append((clause, math.nan if value is None else value))
    stochastic = predicates.keys()
    for key, clauses in predicates.items():
        total = sum(value for _, value in clauses)
        if math.isnan(total) or abs(total - 1) <= TOLERANCE:
            continue
        labels = [value for _, value in clauses]
        if any(groups_that_sum_to_one([c.head for c, _ in clauses], labels, TOLERANCE)):
            continue
        if total > 1 and any(_is_guarded(clause, stochastic) for clause, _ in clauses):
            continue  # a query finds the goals for which they apply together (E242)
        places = [c.span for c, _ in clauses if c.span is not None]
        name, event = indicator_text(key), _event(clauses[0][0], total)
        if len(clauses) == 1 and event is not None:
            findings.add(words.ONE_EVENT(places[0], predicate=name, total=total, program=event))
            continue
        others = [Related("and this clause", span) for span in places[1 : _MOST_NAMED + 1]]
        findings.add(
            words.CLAUSES_DO_NOT_SUM(places[0], related=others, predicate=name, total=total)
        )


def _is_guarded(clause: LogicClause, stochastic: Collection[Indicator]) -> bool:
    """Whether a clause begins with a goal that may fail."""
    if clause.body is None:
        return False
    return functor(next(conjuncts(clause.body))) not in stochastic


def _event(clause: LogicClause, label: float) -> str | None:
    """The form here of an independent event, which other languages write as the only clause of a
    predicate. None if the clause is no such event."""
    head = clause.head
    if not 0 < label < 1 or not isinstance(head, Atom | Struct):
        return None
    name, args = head.name, arguments(head)
    if clause.body is not None:
        name, args = f"{head.name}_event", ()
    yes, no = (term_to_text(Struct(name, (*args, Atom(v)))) for v in ("yes", "no"))
    rule = ""
    if clause.body is not None:
        rule = f"{term_to_text(head)} :- {term_to_text(clause.body)}, {yes}. "
    rest = float(f"{1 - label:.10g}")
    return f"{rule}{number_text(label)} :: {yes}. {number_text(rest)} :: {no}."
