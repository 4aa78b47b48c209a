"""What may mean something else: facts that look like declarations, predicates in place of built-in
ones, and thresholds that are compared as terms."""

from __future__ import annotations

from itertools import chain

from slp.analysis.clauses.predicates import indicator_text
from slp.analysis.findings import Findings
from slp.analysis.sources.directives import CONSTRAINTS, DIRECTIVES, SUPPORT
from slp.analysis.sources.parameters import names_in
from slp.ir.program import CheckedProgram, LogicClause, SplitBody
from slp.messages import synonyms as words
from slp.resolution.machine.library import library
from slp.resolution.machine.replaceable import REPLACEABLE
from slp.source import SourceFile
from slp.syntax import term_to_text
from slp.terms import Atom, Number, Struct, Term, Var, functor, subterms


def find_misplaced(program: CheckedProgram, file: SourceFile, findings: Findings) -> None:
    """Warn of these in `file` (W113 to W115)."""
    own = [clause for clause in program.clauses if clause.span and clause.span.file == file]
    if program.rules or program.edits:
        _find_declarations(program, own, findings)
    for key in (*library(), *REPLACEABLE):
        clauses = [clause for clause in own if functor(clause.head) == key]
        built_in = library()[key].clauses if key in library() else ()
        if clauses and list(map(_form, clauses)) != [_form(c.source) for c in built_in]:
            text = indicator_text(key)
            findings.add(words.REPLACED_BUILT_IN(clauses[0].span, predicate=text))
    for rule in program.rules:
        if rule.span.file == file and isinstance(rule.body, SplitBody):
            _find_comparisons(program, rule.body, findings)


#: Comparisons of terms: what they say of terms that differ, and the comparison of numbers.
_AS_TERMS = {
    ("=", 2): ("never holds", "=:="),
    ("==", 2): ("never holds", "=:="),
    ("\\=", 2): ("always holds", "=\\="),
    ("\\==", 2): ("always holds", "=\\="),
}


def _find_comparisons(program: CheckedProgram, body: SplitBody, findings: Findings) -> None:
    levels = program.orders.get(body.feature.name, ()) if isinstance(body.feature, Atom) else ()
    for part in chain.from_iterable(map(subterms, body.after)):
        if isinstance(part, Struct) and functor(part) in _AS_TERMS and body.threshold in part.args:
            holds, as_numbers = _AS_TERMS[part.name, 2]
            for value in part.args:
                if (isinstance(value, Number) and isinstance(value.value, int)) or (
                    isinstance(value, Atom) and value.name in levels
                ):
                    found = words.THRESHOLD_AS_TERM(
                        part.span,
                        comparison=term_to_text(part),
                        holds=holds,
                        value=term_to_text(value),
                        mended=term_to_text(Struct(as_numbers, (body.threshold, value))),
                    )
                    findings.add(found)


def _find_declarations(program: CheckedProgram, own: list[LogicClause], findings: Findings) -> None:
    called: set[str] = set()
    for clause in program.clauses:
        called |= names_in(clause.body) if clause.body is not None else set()
    for rule in program.rules:
        called.update(*(names_in(term) for term in rule.terms))
    for clause in own:
        if isinstance(clause.head, Struct) and clause.label is None and clause.body is None:
            name = clause.head.name
            help = _declared(name)
            if help is not None and name not in called:
                findings.add(words.DECLARATION_AS_FACT(clause.span, name=name, help=help))


def _declared(name: str) -> str | None:
    """How the declaration of this name is written."""
    if name in CONSTRAINTS:
        return f"it is a constraint: write {CONSTRAINTS[name]} in `:- constraint(...).`"
    if name in SUPPORT:
        return f"write `:- support({name}(5)).`"
    return f"write {DIRECTIVES[name]}" if name in DIRECTIVES else words.MEANT.get(name)


def _form(clause: LogicClause) -> tuple[object, ...]:
    """A clause, with its variables numbered in their order."""
    numbers: dict[Var, int] = {}

    def form(term: Term | None) -> object:
        if isinstance(term, Var):
            return numbers.setdefault(term, len(numbers))
        if isinstance(term, Struct):
            return (term.name, *map(form, term.args))
        return term

    return form(clause.head), form(clause.body), form(clause.label)
