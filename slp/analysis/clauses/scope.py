"""Variables of a clause: those without a value where they need one, and those that occur once.

A nonterminal is called with ground arguments, so the head binds all its variables. A guard that is
a call binds its variables; a comparison or a negation only tests them. The split binds F and V.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import span_of
from slp.ir.program import CallBody, LogicClause, SplitBody, TreeRule
from slp.messages import Wording
from slp.messages import clauses as words
from slp.source import SourceSpan
from slp.syntax.ast import Clause
from slp.terms import Struct, Term, Var, conjuncts, functor, variables

_COMPARISONS = {(op, 2) for op in ("<", ">", "=<", ">=", "=:=", "=\\=")}
_TESTS = _COMPARISONS | {("\\+", 1), ("==", 2), ("\\==", 2), ("\\=", 2)}


def check_rule_scope(rule: TreeRule, findings: Findings) -> None:
    """Find variables of a tree rule that have no value where the rule needs one."""
    scope = _Scope(rule, findings)
    scope.guards(rule.before)
    scope.needs(variables(rule.label), words.NOT_BOUND_IN_LABEL, words.OF_SPLIT_IN_LABEL)
    if isinstance(rule.body, SplitBody):
        scope.bound |= set(variables(rule.body.feature)) | set(variables(rule.body.threshold))
        scope.guards(rule.body.after)
        children = [*variables(rule.body.left), *variables(rule.body.right)]
        scope.needs(children, words.NOT_BOUND_IN_NONTERMINAL)
    elif isinstance(rule.body, CallBody):
        scope.needs(variables(rule.body.goal), words.NOT_BOUND_IN_NONTERMINAL)


def check_clause_scope(clause: LogicClause, span: SourceSpan, findings: Findings) -> None:
    """Find variables of a clause's label that neither its head nor its body binds."""
    if clause.label is None:
        return
    bound = set(variables(clause.head))
    bound |= set() if clause.body is None else set(variables(clause.body))
    for variable in dict.fromkeys(variables(clause.label)):
        if variable not in bound:
            findings.add(words.NOT_BOUND_BY_HEAD(span_of(variable, span), name=variable.name))


def check_label_guards(
    clause: LogicClause, stochastic: Collection[tuple[str, int]], findings: Findings
) -> None:
    """Find calls of predicates with labels before the variables of a clause's own label are
    bound."""
    if clause.label is None or clause.body is None:
        return
    needed = dict.fromkeys(variables(clause.label))
    for variable in variables(clause.head):
        needed.pop(variable, None)
    for goal in conjuncts(clause.body):
        key = functor(goal)
        if needed and key is not None and key in stochastic:
            name = next(iter(needed)).name
            text = f"`{key[0]}/{key[1]}`"
            where = goal.span or clause.span
            findings.add(words.CHOICE_BEFORE_LABEL(where, name=name, predicate=text))
            return
        for variable in variables(goal):
            needed.pop(variable, None)


class _Scope:
    def __init__(self, rule: TreeRule, findings: Findings) -> None:
        self.rule = rule
        self.findings = findings
        self.bound = set(variables(rule.head))

    def guards(self, goals: Iterable[Term]) -> None:
        """Check guards from left to right. Each adds the variables that it binds."""
        for goal in goals:
            key = functor(goal)
            if key in _COMPARISONS:
                self.needs(variables(goal), words.NOT_BOUND_IN_GUARD, words.OF_SPLIT_IN_GUARD)
            elif key == ("is", 2) and isinstance(goal, Struct):
                self.needs(
                    variables(goal.args[1]), words.NOT_BOUND_IN_GUARD, words.OF_SPLIT_IN_GUARD
                )
            if key not in _TESTS:
                self.bound |= set(variables(goal))

    def needs(
        self, needed: Iterable[Var], not_bound: Wording, of_split: Wording | None = None
    ) -> None:
        """Find needed variables that are not bound, each once. `of_split` is for variables that the
        split binds."""
        for variable in needed:
            if variable in self.bound:
                continue
            self.bound.add(variable)
            wording = not_bound
            if not_bound is words.NOT_BOUND_IN_LABEL and variable in self.behind():
                wording = words.OF_GUARD_IN_LABEL
            if of_split is not None and variable in self.of_split():
                wording = of_split
            where = span_of(variable, self.rule.span)
            self.findings.add(wording(where, name=variable.name))

    def behind(self) -> set[Var]:
        """The variables of guards behind the split."""
        body = self.rule.body
        goals = body.after if isinstance(body, SplitBody) else ()
        return {v for goal in goals if functor(goal) not in _TESTS for v in variables(goal)}

    def of_split(self) -> set[Var]:
        body = self.rule.body
        if not isinstance(body, SplitBody):
            return set()
        return {*variables(body.feature), *variables(body.threshold)}


def find_singletons(clause: Clause, rule: TreeRule | None, findings: Findings) -> None:
    """Warn of variables that occur once in a clause, as Prolog does. They are often typing errors.

    `_X` is exempt, and so are F and V of `split(F, V)`.
    """
    found = list(variables(clause.term))
    if not found:
        return  # most clauses of a long program are facts
    exempt: set[Var] = set()
    if rule is not None and isinstance(rule.body, SplitBody):
        exempt = {v for v in (rule.body.feature, rule.body.threshold) if isinstance(v, Var)}
    for variable, count in Counter(found).items():
        if count == 1 and not variable.name.startswith("_") and variable not in exempt:
            findings.add(words.SINGLETON(span_of(variable, clause.span), name=variable.name))
