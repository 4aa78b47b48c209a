"""Derivations: whether every rule can apply, every path of calls ends, some tree exists, and each
has a split."""

from __future__ import annotations

from collections.abc import Iterator

from slp.analysis.clauses.predicates import Indicator
from slp.analysis.clauses.references import called_nonterminals, reachable_nonterminals
from slp.analysis.derivations.productive import productive
from slp.analysis.derivations.states import MOST_STATES, StateSpace, state_text
from slp.analysis.findings import Findings
from slp.analysis.sources.parameters import names_in
from slp.errors import Related, SlpError
from slp.ir.program import CallBody, CheckedProgram, LeafBody, SplitBody, TreeRule
from slp.ir.schema import MOST_LEAVES
from slp.messages import derivations as words
from slp.resolution import (
    STATE_LIMITS,
    Database,
    Meter,
    RuleInstance,
    StateRules,
    evaluate_arguments,
    solve,
)
from slp.resolution.boxes.states import names_most_leaves
from slp.resolution.machine.first_argument import ByFirstArgument, first_argument
from slp.resolution.machine.functions import is_function
from slp.terms import Atom, Struct, Term, Var, conjunction, functor, substitute, variables

_LEAF = Atom("leaf")


def check_derivations(
    program: CheckedProgram, database: Database, space: StateSpace, findings: Findings
) -> None:
    """Find cycles without a split, rules that can never apply, and programs without trees."""
    cycle = _find_cycle(space)
    if cycle:
        _report_cycle(cycle, findings)
    if cycle or space.unbounded or program.start is None:
        return
    applicable = _Applicable(program, database, space, findings)
    for rule in program.rules:
        applicable.check(rule)
    _check_some_tree(program, applicable, findings)


# --- circles -----------------------------------------------------------------------------------


def _find_cycle(space: StateSpace) -> list[tuple[Term, TreeRule]]:
    """The steps (state, rule) of a cycle without a split; [] if there is none."""
    done: set[Term] = set()
    for start in space.calls:
        path: list[tuple[Term, TreeRule]] = []
        on_path = {start: 0}
        choices = [iter(space.calls[start])] if start not in done else []
        states = [start]
        while choices:
            step = next(choices[-1], None)
            if step is None:
                choices.pop()
                state = states.pop()
                del on_path[state]
                done.add(state)
                if path:
                    path.pop()
                continue
            child, rule = step
            if child in on_path:
                return [*path[on_path[child] :], (states[-1], rule)]
            if child not in done and child in space.calls:
                path.append((states[-1], rule))
                on_path[child] = len(states)
                states.append(child)
                choices.append(iter(space.calls[child]))
    return []


def _report_cycle(cycle: list[tuple[Term, TreeRule]], findings: Findings) -> None:
    states = [state for state, _ in cycle]
    names = [state_text(s) for s in [*states[:5], *(states[-1:] if len(states) > 5 else ())]]
    rules = list(dict.fromkeys(rule.span.start for _, rule in cycle))
    by_start = {rule.span.start: rule for _, rule in cycle}
    first, *others = (by_start[start] for start in rules)
    related = [Related("and on by this rule", rule.span) for rule in others]
    circle = " -> ".join([*names, names[0]])
    findings.add(words.CIRCLE_OF_RULES(first.span, related=related, states=circle))


# --- rules that never apply --------------------------------------------------------------------


class _Applicable:
    """Whether a rule can apply in some state. Nonterminals that are never reached are skipped."""

    def __init__(
        self, program: CheckedProgram, database: Database, space: StateSpace, findings: Findings
    ) -> None:
        self.database = database
        self.guards = Meter(STATE_LIMITS)  # of all guards together
        self.space = space
        self.findings = findings
        self.reached = reachable_nonterminals(program)
        self.calls: dict[Indicator, ByFirstArgument[Term]] = {}
        for goal in self.all_calls(program):
            key = functor(goal)
            if key is not None:
                self.calls.setdefault(key, ByFirstArgument()).add(first_argument(goal), goal)
        self.used = {id(i.rule) for found in space.instances.values() for i in found or ()}
        self.decided = space.complete and not _depends_on_table(program)

    def all_calls(self, program: CheckedProgram) -> Iterator[Term]:
        """The start and the nonterminals in all bodies, with variables in place of arithmetic."""
        if program.start is not None:
            yield evaluate_arguments(program.start, self.database.parameters)
        for rule in program.rules:
            for written in called_nonterminals(rule):
                goal = evaluate_arguments(written, self.database.parameters)
                if isinstance(goal, Struct):
                    args = (_generalised(a, i) for i, a in enumerate(goal.args))
                    goal = Struct(goal.name, tuple(args))
                yield goal

    def check(self, rule: TreeRule) -> None:
        key = functor(rule.head)
        if key not in self.reached or key is None:
            return
        if any(self.is_false(guard) for guard in rule.before):
            self.findings.add(words.GUARD_NEVER_HOLDS(rule.span))
        elif not self.is_called(rule.head, key):
            self.findings.add(words.HEAD_NEVER_CALLED(rule.span))
        elif self.decided and id(rule) not in self.used:
            self.check_in_states(rule)

    def is_called(self, head: Term, key: Indicator) -> bool:
        """Whether the start or a nonterminal in a body unifies with a head."""
        calls = self.calls.get(key)
        own = () if calls is None else calls.matching(first_argument(head))
        return any(self.unifies(head, goal) for goal in own)

    def is_false(self, guard: Term) -> bool:
        """Whether a guard without variables fails on every table."""
        if next(variables(guard), None) is not None or MOST_LEAVES in names_in(guard):
            return False
        return not self.has_answer(guard, self.guards)

    def unifies(self, head: Term, goal: Term) -> bool:
        apart = {v: Var(f"Head of {v.name}", v.id) for v in variables(head)}
        equal = Struct("=", (substitute(head, apart), goal))
        return self.has_answer(equal, Meter(STATE_LIMITS))

    def has_answer(self, goal: Term, meter: Meter) -> bool:
        """Whether a goal can be proved, or at least not refuted within the limits.

        Faults in a proof are found in the states that need it (`slp.analysis.derivations.states`).
        """
        try:
            return next(solve(goal, self.database, meter), None) is not None
        except SlpError:
            return True

    def check_in_states(self, rule: TreeRule) -> None:
        """Find the reason why no state uses a rule, if all states are known: its head, its guards
        or its label."""
        heads = [s for s in self.space.instances if self.unifies(rule.head, s)]
        if not heads:
            self.findings.add(words.HEAD_MATCHES_NO_STATE(rule.span))
        elif any(
            self.has_answer(conjunction([Struct("=", (rule.head, s)), *rule.before]), self.guards)
            for s in heads
        ):
            if next(variables(rule.label), None) is not None:
                self.findings.add(words.LABEL_0_EVERYWHERE(rule.label.span or rule.span))
        else:
            self.findings.add(words.GUARDS_HOLD_NOWHERE(rule.span))


def _generalised(argument: Term, position: int) -> Term:
    """A variable in place of an argument that is computed when the rule is used."""
    if isinstance(argument, Struct) and is_function(argument.name, len(argument.args)):
        if next(variables(argument), None) is not None:
            return Var(f"Argument {position}")
    return argument


# --- some tree ---------------------------------------------------------------------------------


def _check_some_tree(program: CheckedProgram, applicable: _Applicable, findings: Findings) -> None:
    """Find that no derivation from the start can end. Unexplored states count as ending."""
    database, space = applicable.database, applicable.space
    assert program.start is not None
    start = evaluate_arguments(program.start, database.parameters)
    known = all(found is not None for found in space.instances.values())
    found = [i for instances in space.instances.values() for i in instances or ()]
    deep = len(space.instances) >= MOST_STATES and not any(_has_leaf(i) for i in found)
    if start not in _ending(space, database) or (known and deep):
        never = [
            Related("the guards of this rule hold in no state that is known", rule.span)
            for rule in program.rules
            if isinstance(rule.body, LeafBody) and rule.before and id(rule) not in applicable.used
        ]
        findings.add(words.NO_TREE_AT_ALL(program.spans.get("start"), related=never))


def always_splits(program: CheckedProgram, states: StateRules, space: StateSpace) -> bool:
    """Whether it is known that no tree of the rules is a single leaf, on any table."""
    if program.start is None:
        return False
    waiting, seen = [states.state(program.start)], set[Term]()
    while waiting:
        state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        found = space.instances.get(state)
        if found is None or any(isinstance(i.body, LeafBody) for i in found):
            return False
        waiting += [child for child, _ in space.calls[state]]
    return not _depends_on_table(program)


def _depends_on_table(program: CheckedProgram) -> bool:
    """Whether rules may have other instances on a table, because a clause names `most_leaves`."""
    naming = map(names_most_leaves, program.rules)
    return any(naming) or any(map(names_most_leaves, program.clauses))


def _has_leaf(instance: RuleInstance) -> bool:
    body = instance.body
    if isinstance(body, SplitBody):
        return _LEAF in (body.left, body.right)
    return isinstance(body, LeafBody)


def _ending(space: StateSpace, database: Database) -> set[Term]:
    """States from which a derivation can end in leaves. Those whose proofs failed count as such."""
    failed = [(state, set[Term]()) for state, found in space.instances.items() if found is None]
    return productive(
        [
            *failed,
            *(
                (state, _needed(instance, space, database))
                for state, found in space.instances.items()
                for instance in found or ()
            ),
        ]
    )


def _needed(instance: RuleInstance, space: StateSpace, database: Database) -> set[Term]:
    """The explored states that must end for a derivation by this instance to end."""
    body = instance.body
    if isinstance(body, CallBody):
        goals = [body.goal]
    elif isinstance(body, SplitBody):
        goals = [g for g in (body.left, body.right) if g != _LEAF]
    else:
        goals = []
    states = {evaluate_arguments(g, database.parameters) for g in goals}
    return {s for s in states if s in space.instances}
