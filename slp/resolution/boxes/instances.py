"""Tree rules at a state: their instances and labels.

An *instance* of a rule at a ground nonterminal is one SLD proof of the guards before its split, the
head being unified with the nonterminal. The label is evaluated after the guards, with their
bindings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from slp.errors import ProgramError
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.ir.row_function import RowFunction
from slp.messages.numbers import number_text
from slp.resolution.boxes.row_goals import compile_rows, part_guards
from slp.resolution.boxes.rules import PreparedRule
from slp.resolution.machine import faults
from slp.resolution.machine.arithmetic import label_value
from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import DEFAULT_LIMITS, Limits, Meter
from slp.resolution.machine.solve import solve
from slp.source import SourceSpan
from slp.terms import Atom, Struct, Term, Var, functor, subterms, variables


@dataclass(frozen=True)
class RuleInstance:
    """A rule at a state: its label's value (probability scale, positive), and its body.

    `rows` is the part that depends on the rows of the box: guards and a factor of the label
    (`label` is then 1); None if there is none. The body's terms have the head's and the guards'
    bindings; other variables, such as the split's feature and threshold, stay free.
    """

    rule: ir.TreeRule
    label: float
    body: ir.Body
    rows: RowFunction | None = None

    @property
    def depends_on_split(self) -> bool:
        """Whether feature or threshold matter. If not, all splits have the same children."""
        body = self.body
        if not isinstance(body, ir.SplitBody):
            return False
        if body.after or not isinstance(body.feature, Var) or not isinstance(body.threshold, Var):
            return True
        held = {*variables(body.left), *variables(body.right)}
        return body.feature == body.threshold or bool(held & {body.feature, body.threshold})


def rule_instances(
    database: Database,
    rules: Iterable[PreparedRule],
    goal: Term,
    limits: Limits | Meter = DEFAULT_LIMITS,
) -> list[RuleInstance]:
    """The instances of `rules` at a ground nonterminal, in the program's order.

    The arithmetic in the goal's arguments is already evaluated (`evaluate_arguments`). Each proof
    of the guards before the split gives one instance, even if two proofs have the same bindings.
    Instances with label 0 are left out.

    Raises
    ------
    ProgramError
        E201 to E218 from guards and labels, E220 for a negative or infinite label, E221 if the goal
        is not ground.
    """
    check_ground(goal, goal.span)
    meter = limits if isinstance(limits, Meter) else Meter(limits)
    found = []
    for prepared in rules:
        rule = prepared.rule
        for frame in prepared.proofs(goal, database.definitions, database.parameters, meter):
            value, rows = prepared.label(frame, database.parameters)
            try:
                label = label_value(value, rule.label.span or rule.span)
            except ProgramError as e:
                more = _parameters_to_blame(prepared, frame, rule.label, database.parameters)
                raise ProgramError(replace(d, help=more or d.help) for d in e.diagnostics) from None
            if label > 0:
                found.append(RuleInstance(rule, label, prepared.body(frame), rows))
    return found


def labels_over_heads(
    database: Database, rules: Iterable[ir.TreeRule], goal: Term
) -> list[tuple[float, RowFunction | None]] | None:
    """The labels of the rules whose head unifies with `goal`, without their guards: values, and
    parts that depend on the rows of the box.

    None if a label has no value there, because it needs a guard's bindings or its arithmetic fails.
    """
    found = []
    for rule in rules:
        if functor(rule.head) != functor(goal):
            continue
        of_rows = part_guards(rule.head, rule.before).of_rows
        span = rule.label.span or rule.span
        for answer in solve(Struct("=", (rule.head, goal)), database, span=rule.span):
            goals = [answer.resolve(g) for g in of_rows]
            try:
                label = answer.resolve(rule.label)
                value, rows = compile_rows(goals, label, database.parameters, span)
                found.append((label_value(value, span), rows))
            except ProgramError:
                return None
    return found


def _parameters_to_blame(
    prepared: PreparedRule, frame: list[Term], label: Term, parameters: Mapping[str, int | float]
) -> str:
    """Help for an impossible label: the values of its parameters, and which may be 1 at most."""
    named = []
    for name in dict.fromkeys(t.name for t in subterms(label) if isinstance(t, Atom)):
        if name in parameters:
            text = f"{name} = {number_text(parameters[name])}"
            if parameters[name] > 1:
                value, _ = prepared.label(frame, {**parameters, name: 1})
                text += ", which must be at most 1" if 0 <= value < math.inf else ""
            named.append(text)
    return "; ".join(named)


def check_ground(goal: Term, span: SourceSpan | None) -> None:
    """Raise E221 if a nonterminal holds a variable."""
    for variable in variables(goal):
        raise faults.unbound_state(variable, variable.span or span)
