"""What the prior of a parameter does not go with, and the values at which labels are none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from slp.analysis.derivations.labels import check_constant_labels, check_label_sums
from slp.analysis.derivations.row_labels import SOME_ROWS, check_sums_by_rows
from slp.analysis.derivations.states import explore
from slp.analysis.findings import Findings
from slp.analysis.sources.files import Placed
from slp.analysis.sources.parameters import names_in
from slp.ir.parameter_priors import MOST_NODES
from slp.ir.program import CheckedProgram
from slp.messages import unknown_parameters as words
from slp.messages.numbers import settings_text
from slp.resolution import StateRules
from slp.source import SourceSpan
from slp.syntax.ast import Directive
from slp.terms import Term, functor

#: The most parameters that may have a prior: a rule of quadrature for more has too many nodes.
_MOST_UNKNOWN = 2


def check_unknown(program: CheckedProgram, items: Iterable[Placed], findings: Findings) -> None:
    """Find parameters with a prior that are not in labels alone, or are too many, and kinds of
    programs that take none (E146)."""
    if not program.unknown:
        return
    first = min(program.unknown)
    span = program.unknown[first].span
    if len(program.unknown) > _MOST_UNKNOWN:
        findings.add(words.TOO_MANY_UNKNOWN(span, count=len(program.unknown)))
    for term, place in _terms_beside_labels(program, items):
        for name in sorted(names_in(term) & program.unknown.keys()):
            findings.add(words.UNKNOWN_OUTSIDE_LABELS(term.span or place, name=name))
    for what, there in (
        ("`edittree`", program.edits is not None),
        ("`failure(backtrack)`", program.failure == "backtrack"),
        ("a program without tree rules", not program.rules and program.edits is None),
    ):
        if there:
            findings.add(words.UNKNOWN_OF(span, name=first, what=what))


def _terms_beside_labels(
    program: CheckedProgram, items: Iterable[Placed]
) -> Iterator[tuple[Term, SourceSpan | None]]:
    for placed in items:
        item = placed.item
        if isinstance(item, Directive) and (functor(item.goal) or ("",))[0] not in ("param", "use"):
            yield item.goal, item.span
    for rule in program.rules:
        yield from ((term, rule.span) for term in (rule.head, *rule.before, *rule.body.terms))
    for clause in program.clauses:
        yield from ((term, clause.span) for term in clause.terms)


def check_at_values(program: CheckedProgram, findings: Findings) -> None:
    """Find labels that are none at the outermost values at which trees will be summed (E146)."""
    if findings.has_errors or not program.unknown:
        return
    ends = {name: prior.nodes(MOST_NODES)[0][[0, -1]] for name, prior in program.unknown.items()}
    for values in product(*(own.tolist() for own in ends.values())):
        at = dict(zip(ends, values, strict=True))
        message = _fault_at(program.at(at))
        if message is not None:
            _say(program, at, message, findings)
            return


def _fault_at(program: CheckedProgram) -> str | None:
    """What is wrong with the labels of a program whose parameters have values; None if nothing."""
    found = Findings()
    check_constant_labels(program, found)
    states = StateRules(program)
    space = explore(program, states, found)
    check_label_sums(program, states.database, space, found)
    check_sums_by_rows(program, states.database, space, SOME_ROWS, found)
    return next((d.message for d in found.in_order() if d.severity == "error"), None)


def _say(
    program: CheckedProgram, at: Mapping[str, float], message: str, findings: Findings
) -> None:
    name = _blamed(program, at)
    prior = program.unknown[name]
    values = settings_text({own: float(f"{x:.4g}") for own, x in at.items()})
    findings.add(
        words.NO_LABEL_AT(prior.span, name=name, prior=prior, values=values, message=message)
    )


def _blamed(program: CheckedProgram, at: Mapping[str, float]) -> str:
    """A parameter whose value alone makes labels none, the others at their means; else the first
    one."""
    alone = (name for name, x in at.items() if _fault_at(program.at({name: x})) is not None)
    return next(alone, next(iter(at)))
