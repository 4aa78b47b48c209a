"""The cases of `iso_cases.pl`, and how an engine's answers are compared with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import slp
from slp.errors import SlpError
from slp.resolution import Limits, Query, answers_of_query, named_variables
from slp.resolution.answers.queries import Searcher
from slp.resolution.proofs.query import canonical
from slp.source import SourceFile
from slp.syntax import parse_program, term_to_text
from slp.syntax.ast import Clause
from slp.terms import Atom, Struct, Term, Var, list_items, list_term

__all__ = ["CASES", "Case", "Outcome", "agrees", "outcome"]

#: Instances of the template, and how often each comes; or the kinds that an error may be of.
Outcome = Counter[str] | frozenset[str]

#: Kinds of errors by our codes.
_KINDS = {
    "E201": "instantiation_error",
    "E202": "type_error",
    "E203": "evaluation_error",
    "E204": "evaluation_error",
    "E205": "evaluation_error",
    "E206": "type_error",
    "E210": "existence_error",
    "E211": "instantiation_error",
    "E213": "type_error",
}

#: Kinds by the words of E212 and of SWI-Prolog.
_WORDS = {
    "not sufficiently instantiated": "instantiation_error",
    "Type error": "type_error",
    "Domain error": "domain_error",
    "Arithmetic: evaluable": "type_error",
    "Arithmetic: evaluation": "evaluation_error",
    "Unknown procedure": "existence_error",
}


@dataclass(frozen=True)
class Case:
    """A goal, the template of its answers, what the standard says, what holds in Python, and in
    SWI-Prolog."""

    section: str
    goal: Term
    template: Term
    standard: Term
    python: Term
    prolog: Term

    def __str__(self) -> str:
        return f"{self.section}: {term_to_text(self.goal)}"


def _read() -> list[Case]:
    file = Path(__file__).with_name("iso_cases.pl")
    items = parse_program(SourceFile(file.name, file.read_text("utf-8"))).items
    cases = []
    for item in items:
        assert isinstance(item, Clause) and isinstance(item.head, Struct)
        section, goal, template, standard, *rest = item.head.args
        assert isinstance(section, Atom)
        python, prolog = (*rest, *rest)[:2] if rest else (standard, standard)
        cases.append(Case(section.name, goal, template, standard, python, prolog))
    return cases


CASES = _read()


def outcome(case: Case, searcher: Searcher | None = None) -> Outcome:
    """What an engine says; None for the Python engine."""
    shown = Struct("=", (Var("Shown"), case.template))
    query = Query(slp.parse("p.").ir, Struct(",", (case.goal, shown)))
    place = [v.name for v in named_variables(query.goal)].index("Shown")
    try:
        found = answers_of_query(query, searcher=searcher, limits=Limits(inferences=10_000))
    except SlpError as error:
        return _kinds(error)
    counts: Counter[str] = Counter()
    for answer in found.answers:
        counts[_text(answer.terms[place])] += round(float(answer.mass))
    return counts


def agrees(have: Outcome, want: Term) -> bool:
    """Whether an outcome is what is expected."""
    items = list_items(want)
    if items is not None:
        return have == Counter(_text(item) for item in items)
    return isinstance(want, Atom) and isinstance(have, frozenset) and want.name in have


def _kinds(error: SlpError) -> frozenset[str]:
    said = error.diagnostics[0]
    if said.code in _KINDS:
        return frozenset([_KINDS[said.code]])
    found = frozenset(kind for words, kind in _WORDS.items() if words in said.message)
    return found or frozenset(["type_error", "domain_error"])


def _text(term: Term) -> str:
    return " ".join(map(term_to_text, canonical(list_term([term]))))
