"""What the parts of a text mean, each with its place: rules with the sums of their labels,
constraints, boxes, parameters with their values, limits. Editors show it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from slp.analysis.derivations.groups import groups_that_sum_to_one
from slp.analysis.derivations.labels import TOLERANCE
from slp.analysis.derivations.states import StateSpace, explore, state_text
from slp.analysis.findings import Findings
from slp.compile import read_text
from slp.errors import SlpError
from slp.ir.constraints import Support
from slp.ir.program import CheckedProgram, LogicClause, TreeRule
from slp.ir.words import describe_box, describe_constraint, describe_rule, describe_support
from slp.messages.names import joined
from slp.messages.numbers import number_text
from slp.resolution import StateRules, evaluate
from slp.source import SourceFile, SourceSpan, visible
from slp.syntax import term_to_text
from slp.terms import functor

#: Number of states, and of clauses, of which sums are told.
_SHOWN = 3


@dataclass(frozen=True)
class Meaning:
    """A part of a text, and what it means: sentences, one on a line. Of a parameter or a box,
    `name` is what other places call it."""

    span: SourceSpan
    words: str
    name: str | None = None


def find_meanings(source: SourceFile) -> tuple[Meaning, ...]:
    """The meanings of all parts of a program and of the files that it uses, as far as they have no
    mistakes. Nothing of it is run."""
    try:
        program, known, _ = read_text(source)
    except SlpError:  # so many mistakes that nothing could be read
        return ()
    return tuple(_meanings(program, known))


def _meanings(program: CheckedProgram, known: StateRules | None) -> Iterator[Meaning]:
    space = None
    if known is not None and program.start is not None and program.rules:
        space = explore(program, known, Findings())
    for rule in program.rules:
        words = [describe_rule(rule, program.weights), *_sums(rule, space)]
        yield Meaning(rule.span, "\n".join(words))
    for clause in program.clauses:
        if clause.label is not None and clause.span is not None:
            yield Meaning(clause.span, _sum_of_clauses(program, clause))
    for constraint in program.constraints:
        if constraint.span is not None:
            yield Meaning(constraint.span, describe_constraint(constraint))
    for box in program.boxes.values():
        if box.span is not None:
            yield Meaning(box.span, visible(f"The box {describe_box(box)}."), box.name)
    for name, value in program.parameters.items():
        if (span := program.spans.get(f"param:{name}")) is not None:
            yield Meaning(span, visible(f"{name} = {number_text(value)}"), name)
    for limit, value in vars(program.support).items():
        if (span := program.spans.get(f"support:{limit}")) is not None:
            yield Meaning(span, " ".join(describe_support(Support(**{limit: value}))))


def _sums(rule: TreeRule, space: StateSpace | None) -> Iterator[str]:
    """What the labels sum to in the first states where the rule applies."""
    if space is None:
        return
    states = [
        (state, instances)
        for state, instances in space.instances.items()
        if instances and any(instance.rule is rule for instance in instances)
    ]
    for state, instances in states[:_SHOWN]:
        if any(instance.rows is not None for instance in instances):
            yield f"Labels in {state_text(state)} depend on the rows of the box."
        else:
            yield f"Labels in {state_text(state)}: {_added([i.label for i in instances])}."
    if len(states) > _SHOWN:
        yield f"It applies in {len(states)} states{'' if space.complete else ' or more'}."


def _added(labels: Sequence[float]) -> str:
    """`0.95 + 0.05 = 1`."""
    terms = " + ".join(f"{label:.6g}" for label in labels)
    return f"{terms} = {math.fsum(labels):.6g}" if len(labels) > 1 else terms


def _sum_of_clauses(program: CheckedProgram, clause: LogicClause) -> str:
    """The probability of a clause, and the sum over the clauses of its predicate."""
    name, arity = functor(clause.head) or ("", 0)
    own = [c for c in program.clauses if functor(c.head) == (name, arity) and c.label is not None]
    measure = "weight" if program.weights else "probability"
    assert clause.label is not None
    told = f"This clause of {name}/{arity} has {measure} {term_to_text(clause.label)}."
    try:
        labels = [float(evaluate(c.label, program.parameters)) for c in own if c.label is not None]
    except SlpError:
        return visible(f"{told} Labels depend on arguments.")
    summed = abs(math.fsum(labels) - 1) <= TOLERANCE or program.weights
    if not summed and any(groups_that_sum_to_one([c.head for c in own], labels, TOLERANCE)):
        return visible(told) + "\nLabels sum to 1 for each value of some arguments."
    heads = joined([term_to_text(c.head) for c in own[:_SHOWN]])
    more = f" and {len(own) - _SHOWN} more" if len(own) > _SHOWN else ""
    return visible(told) + f"\nLabels of {visible(heads)}{more}: {_added(labels)}."
