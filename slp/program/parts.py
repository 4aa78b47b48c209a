"""The statements of a program that have a price, and the program without some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from slp.analysis.declarations.constraints import each_constraint
from slp.errors import ProgramError
from slp.ir.constraints import Constraint, Support
from slp.ir.program import CheckedProgram
from slp.ir.words import describe_constraint, describe_support, describe_weight
from slp.messages.numbers import number_text
from slp.results.prices import StatementKind
from slp.source import SourceSpan
from slp.syntax import parse_term, term_to_text
from slp.terms import Atom, Struct


@dataclass(frozen=True)
class ProgramPart:
    """A constraint, a limit of `support` or the weight of a feature.

    Attributes
    ----------
    text, words : as a program says it, without the directive around it; and as a sentence.
    kind : what it is.
    place : the number of the constraint, the name of the limit, or the feature.
    """

    text: str
    words: str
    kind: StatementKind
    place: int | str


def statements_of(program: CheckedProgram) -> tuple[ProgramPart, ...]:
    """All of them: the constraints in their order, the limits, the weights."""
    return (*_constraints(program), *_limits(program), *_weights(program))


def keeping(program: CheckedProgram, kept: Collection[ProgramPart]) -> CheckedProgram:
    """The program with these of its statements, and no others."""
    places = {(s.kind, s.place) for s in kept}
    constraints = (c for i, c in enumerate(program.constraints) if ("constraint", i) in places)
    limits = {
        name: limit for name, limit in vars(program.support).items() if ("support", name) in places
    }
    weights = {
        name: weight
        for name, weight in program.feature_weights.items()
        if ("feature_weight", name) in places
    }
    return replace(
        program,
        constraints=tuple(constraints),
        support=Support(**limits),
        feature_weights=weights,
    )


def _constraints(program: CheckedProgram) -> Iterator[ProgramPart]:
    numbered = enumerate(program.constraints)
    for span, group in groupby(numbered, key=lambda of: of[1].span):
        own = list(group)
        texts = _texts([c for _, c in own], span)
        for (place, constraint), text in zip(own, texts, strict=True):
            yield ProgramPart(text, describe_constraint(constraint), "constraint", place)


def _texts(constraints: list[Constraint], span: SourceSpan | None) -> list[str]:
    """Constraints of one directive as the program says them. Words stand for a function of the
    caller, and for a text with operators of its own."""
    in_words = [describe_constraint(c) for c in constraints]
    if span is None:
        return in_words
    try:
        directive = parse_term(span.text)
    except ProgramError:
        return in_words
    assert isinstance(directive, Struct) and isinstance(directive.args[0], Struct)
    found = [term_to_text(term) for term in each_constraint(directive.args[0].args[0])]
    return found if len(found) == len(constraints) else in_words


def _limits(program: CheckedProgram) -> Iterator[ProgramPart]:
    for name, limit in vars(program.support).items():
        if limit != getattr(Support(), name):
            (words,) = describe_support(Support(**{name: limit}))
            yield ProgramPart(f"{name}({number_text(limit)})", words, "support", name)


def _weights(program: CheckedProgram) -> Iterator[ProgramPart]:
    for name, weight in program.feature_weights.items():
        text = f"feature_weight({term_to_text(Atom(name))}, {number_text(weight)})"
        yield ProgramPart(text, describe_weight(name, weight), "feature_weight", name)
