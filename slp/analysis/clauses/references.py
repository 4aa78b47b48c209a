"""References of clauses: nonterminals in bodies, predicates in guards, names in arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from slp.analysis.clauses.predicates import BUILT_IN, Clauses, Indicator, indicator_text
from slp.analysis.findings import Findings
from slp.analysis.sources.directives import span_of
from slp.errors import Diagnostic, SlpError
from slp.ir.program import CallBody, CheckedProgram, SplitBody, TreeRule
from slp.ir.schema import MOST_LEAVES
from slp.messages import clauses as words
from slp.messages.derivations import START_NOT_GROUND
from slp.messages.names import name_help
from slp.resolution import evaluate
from slp.resolution.boxes.row_goals import asks_rows
from slp.resolution.machine import faults
from slp.resolution.machine.control import GOALS_IN
from slp.resolution.machine.functions import is_function
from slp.resolution.machine.of_trees import TREE
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, functor, variables

_COMPARISONS = {(op, 2) for op in ("<", ">", "=<", ">=", "=:=", "=\\=")}


def called_nonterminals(rule: TreeRule) -> Iterator[Term]:
    """Nonterminals in a rule's body, without `leaf`."""
    if isinstance(rule.body, CallBody):
        yield rule.body.goal
    elif isinstance(rule.body, SplitBody):
        yield from (g for g in (rule.body.left, rule.body.right) if g != Atom("leaf"))


def reachable_nonterminals(program: CheckedProgram) -> set[Indicator]:
    """Nonterminals that the start reaches by the bodies of rules, with any arguments."""
    calls: dict[Indicator, set[Indicator]] = {}
    for rule in program.rules:
        called = {k for goal in called_nonterminals(rule) if (k := functor(goal)) is not None}
        calls.setdefault(functor(rule.head) or ("", 0), set()).update(called)
    start = functor(program.start) if program.start is not None else None
    waiting = [] if start is None else [start]
    reached = set(waiting)
    while waiting:
        new = calls.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    return reached


def check_references(program: CheckedProgram, clauses: Clauses, findings: Findings) -> None:
    """Find references of the start, the rules and the clauses that have no definition."""
    # Guards behind a split may name levels; elsewhere they are found when states are explored.
    levels = {level: 0.0 for order in program.orders.values() for level in order}
    references = _References(clauses, {**levels, **program.parameters}, findings)
    references.clauses_and_rules()
    if program.start is not None:
        references.start(program.start, program.spans["start"])


class _References:
    def __init__(
        self, clauses: Clauses, parameters: Mapping[str, float], findings: Findings
    ) -> None:
        self.clauses = clauses
        self.predicates: set[Indicator] = clauses.logical | clauses.stochastic
        self.parameters = {**parameters, MOST_LEAVES: 1}
        self.findings = findings

    def clauses_and_rules(self) -> None:
        for rule in self.clauses.rules:
            for goal in called_nonterminals(rule):
                self.nonterminal(goal, rule.span)
            self.arithmetic(rule.label, rule.span)
            self.guards(rule.before, rule.span, before=True)
            if isinstance(rule.body, SplitBody):
                self.guards(rule.body.after, rule.span, before=False)
        for clause in self.clauses.logic:
            assert clause.span is not None
            if clause.label is not None:
                self.arithmetic(clause.label, clause.span)
            if clause.body is not None:
                self.goals([clause.body], clause.span, guard=False)

    def start(self, goal: Term, span: SourceSpan) -> None:
        variable = next(variables(goal), None)
        if variable is not None:
            self.findings.add(START_NOT_GROUND(span_of(variable, span), name=variable.name))
        self.nonterminal(goal, span)

    def nonterminal(self, goal: Term, span: SourceSpan) -> None:
        key = functor(goal)
        where = span_of(goal, span)
        if key is None:
            self.findings.add(words.START_NO_NONTERMINAL(where))
        elif key in self.clauses.nonterminals:
            return
        else:
            self.findings.add(self.no_nonterminal(key, where))

    def no_nonterminal(self, key: Indicator, where: SourceSpan) -> Diagnostic:
        """The finding for a nonterminal that is not defined."""
        text = indicator_text(key, tree=True)
        same = sorted(n for name, n in self.clauses.nonterminals if name == key[0])
        if same:
            others = " and ".join(f"`{key[0]}//{n}`" for n in same)
            return words.NONTERMINAL_OF_OTHER_ARITY(where, nonterminal=text, others=others)
        if key in self.clauses.stochastic:
            return words.NONTERMINAL_IS_PREDICATE(where, nonterminal=text)
        names = {name for name, _ in self.clauses.nonterminals}
        help = name_help(key[0], names, "nonterminal")
        return words.NO_NONTERMINAL(where, nonterminal=text, help=help)

    # --- goals ---------------------------------------------------------------------------------

    def guards(self, goals: Iterable[Term], span: SourceSpan, *, before: bool) -> None:
        """Check guards of a tree rule. Those before its split may use the rows of the box."""
        self.goals([g for g in goals if not (before and asks_rows(g))], span, guard=True)

    def goals(self, goals: Iterable[Term], span: SourceSpan, *, guard: bool) -> None:
        stack = [(goal, False) for goal in goals]
        while stack:
            goal, in_disjunction = stack.pop()
            key = functor(goal)
            if key is None:
                continue  # a variable is bound when it is called; proofs find its faults
            if key in GOALS_IN and isinstance(goal, Struct):
                inside = key == (";", 2) or (key == (",", 2) and in_disjunction)
                stack += [(goal.args[i], inside) for i in reversed(GOALS_IN[key])]
            elif guard and asks_rows(goal) and in_disjunction:
                self.findings.take(faults.rows_in_disjunction(span_of(goal, span)))
            else:
                self.goal(goal, key, span_of(goal, span), guard)

    def goal(self, goal: Term, key: Indicator, where: SourceSpan, guard: bool) -> None:
        if isinstance(goal, Struct) and key in _COMPARISONS:
            for arg in goal.args:
                self.arithmetic(arg, where)
        elif isinstance(goal, Struct) and key == ("is", 2):
            self.arithmetic(goal.args[1], where)
        elif key in self.clauses.stochastic and guard:
            self.findings.take(faults.stochastic_goal(*key, where))
        elif key == TREE and not guard:
            return  # the tree, also where a nonterminal has this name
        elif key in self.clauses.nonterminals and key not in self.predicates:
            name = indicator_text(key, tree=True)
            self.findings.add(words.NONTERMINAL_AS_GOAL(where, nonterminal=name))
        elif guard and asks_rows(goal):
            self.findings.take(faults.misplaced_rows(where))
        elif key not in self.predicates and key not in BUILT_IN:
            self.findings.take(faults.unknown_predicate(*key, self.known(), where))

    def known(self) -> set[Indicator]:
        return self.predicates | {key for key in BUILT_IN if key[0].isalpha()}

    def arithmetic(self, term: Term, span: SourceSpan) -> None:
        """Find names in an arithmetic expression that are no parameters, and unknown functions."""
        stack = [term]
        while stack:
            t = stack.pop()
            where = span_of(t, span)
            if isinstance(t, Struct) and is_function(t.name, len(t.args)):
                stack.extend(t.args)
                continue
            # An argument that is no number has an error of its own; 1 takes its place.
            known = Struct(t.name, (Number(1),) * len(t.args)) if isinstance(t, Struct) else t
            if functor(t) is not None:
                try:
                    evaluate(known, self.parameters, span=where)
                except SlpError as e:
                    self.findings.take(e)
