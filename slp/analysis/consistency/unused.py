"""Parameters, boxes and nonterminals that a program declares and never uses."""

from __future__ import annotations

from collections.abc import Iterable

from slp.analysis.clauses.predicates import indicator_text
from slp.analysis.clauses.references import reachable_nonterminals
from slp.analysis.declarations.boxes import is_box_clause
from slp.analysis.findings import Findings
from slp.analysis.sources.files import Placed, Use
from slp.analysis.sources.parameters import names_in
from slp.ir.program import GATE_SPREAD, GATE_WIDTH, CheckedProgram
from slp.messages import directives as words
from slp.source import SourceFile, SourceSpan
from slp.syntax.ast import Clause, Directive, Statement
from slp.terms import Struct, functor


def find_unused(
    program: CheckedProgram,
    items: Iterable[Placed],
    uses: Iterable[Use],
    file: SourceFile,
    findings: Findings,
) -> None:
    """Warn of declarations in `file` that nothing uses."""
    used = {GATE_WIDTH, GATE_SPREAD} if program.has_gates else set()
    used |= {name for use in uses for o in use.overrides for name in names_in(o.value)}
    for placed in items:
        used |= _mentioned(placed.item)
    for name in program.parameters:
        span = program.spans.get(f"param:{name}")
        if name not in used and _is_in(file, span):
            findings.add(words.UNUSED_PARAMETER(span, name=name))
    for name, box in program.boxes.items():
        if name not in used and "box" not in used and _is_in(file, box.span):
            findings.add(words.UNUSED_BOX(box.span, name=name))
    _find_unused_nonterminals(program, file, findings)
    _find_questions(program, file, findings)


#: Predicates by which other languages write queries in the program itself.
_QUESTIONS = {
    ("query", 1): words.QUERY_AS_FACT,
    ("evidence", 1): words.EVIDENCE_AS_FACT,
    ("evidence", 2): words.EVIDENCE_AS_FACT,
}


def _find_questions(program: CheckedProgram, file: SourceFile, findings: Findings) -> None:
    """Warn of facts that are queries in other languages."""
    defined = {functor(clause.head) for clause in program.clauses}
    for clause in program.clauses:
        question = _QUESTIONS.get(functor(clause.head) or ("", 0))
        plain = clause.label is None and clause.body is None and isinstance(clause.head, Struct)
        if question is None or not plain or not _is_in(file, clause.span):
            continue
        assert isinstance(clause.head, Struct)
        asked = clause.head.args[0]
        if isinstance(asked, Struct) and functor(asked) == ("\\+", 1):
            asked = asked.args[0]
        if functor(asked) in defined:
            findings.add(question(clause.span, name=clause.head.name))


def _mentioned(item: Statement) -> set[str]:
    """Names that an item contains, in any role, except those that it declares."""
    if isinstance(item, Directive) and functor(item.goal) == ("param", 2):
        assert isinstance(item.goal, Struct)
        return names_in(item.goal.args[1])
    if isinstance(item, Clause) and is_box_clause(item):
        assert isinstance(item.head, Struct)
        return set().union(*(names_in(bound) for bound in item.head.args[2:]))
    return names_in(item.term)


def _is_in(file: SourceFile, span: SourceSpan | None) -> bool:
    return span is not None and span.file.name == file.name


def _find_unused_nonterminals(
    program: CheckedProgram, file: SourceFile, findings: Findings
) -> None:
    reached = reachable_nonterminals(program)
    for rule in program.rules:
        key = functor(rule.head)
        if key is not None and key not in reached and _is_in(file, rule.span):
            reached.add(key)  # reported once
            nonterminal = indicator_text(key, tree=True)
            findings.add(words.UNREACHED_NONTERMINAL(rule.span, nonterminal=nonterminal))
