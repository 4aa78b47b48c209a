"""Bodies of tree rules: from a term to `LeafBody`, `CallBody` or `SplitBody` and its guards.

A body is a sequence of parts, with guards in braces. The parts are one of: `leaf`; one nonterminal;
`split(F, V)` or `split(F, V, M)` and the two children, each a nonterminal or `leaf`. Guards before
the first part are "before", those behind it "after".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias, cast

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import span_of
from slp.ir.program import MEASURES, Body, CallBody, LeafBody, Measure, SplitBody
from slp.messages import clauses as words
from slp.messages.names import name_help, plural
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Atom, Number, Struct, Term, Text, Var, conjuncts, functor

_LEAF = Atom("leaf")

#: Goals with a meaning in grammars over strings, or between goals, but not here.
_FOREIGN = {
    ("!", 0): words.CUT_IN_RULE,
    (";", 2): words.ALTERNATIVES_IN_RULE,
    ("|", 2): words.ALTERNATIVES_IN_RULE,
    ("->", 2): words.CONDITION_IN_RULE,
    ("\\+", 1): words.NEGATION_IN_RULE,
    ("[]", 0): words.EMPTY_LIST_IN_RULE,
    ("[|]", 2): words.LIST_IN_RULE,
    ("::", 2): words.LABEL_IN_RULE,
}


@dataclass(frozen=True)
class BodyParts:
    """A translated body and its guards before the split, in order."""

    before: tuple[Term, ...]
    body: Body


@dataclass(frozen=True)
class _Guard:
    goals: tuple[Term, ...]
    span: SourceSpan


_Part: TypeAlias = Term | _Guard


def translate_body(
    term: Term, span: SourceSpan, goals: Collection[tuple[str, int]], findings: Findings
) -> BodyParts | None:
    """The body of a tree rule. None, and findings that explain the fault, if it is malformed.

    `goals` are the predicates that can only be called in guards.
    """
    parts = [_part(t, span) for t in conjuncts(term)]
    if not all([_is_sound(p, span, goals, findings) for p in parts]):
        return None
    first = next((i for i, p in enumerate(parts) if not isinstance(p, _Guard)), len(parts))
    before = _goals(parts[:first])
    rest = [p for p in parts[first:] if not isinstance(p, _Guard)]
    guards = [p for p in parts[first:] if isinstance(p, _Guard)]
    body = _shape(rest, guards, span, findings)
    return None if body is None else BodyParts(before, body)


def _part(term: Term, span: SourceSpan) -> _Part:
    if isinstance(term, Struct) and functor(term) == ("{}", 1):
        return _Guard(tuple(conjuncts(term.args[0])), span_of(term, span))
    return _Guard((), span_of(term, span)) if term == Atom("{}") else term


def _goals(parts: list[_Part]) -> tuple[Term, ...]:
    return tuple(g for p in parts if isinstance(p, _Guard) for g in p.goals)


def _is_split(part: _Part) -> bool:
    return isinstance(part, Struct) and part.name == "split" and len(part.args) in (2, 3)


def _is_sound(
    part: _Part, span: SourceSpan, goals: Collection[tuple[str, int]], findings: Findings
) -> bool:
    """Whether a part can occur in some body."""
    if isinstance(part, _Guard):
        return True
    where = span_of(part, span)
    if isinstance(part, Var):
        findings.add(words.VARIABLE_IN_RULE(where, name=part.name))
        return False
    if isinstance(part, Text):
        findings.add(words.TEXT_IN_RULE(where))
        return False
    if isinstance(part, Number):
        findings.add(words.NO_NONTERMINAL_IN_RULE(where, text=term_to_text(part)))
        return False
    key = functor(part) or ("", 0)
    if key in _FOREIGN:
        findings.add(_FOREIGN[key](where, name=key[0]))
        return False
    if key in goals:
        findings.add(words.GOAL_IN_RULE(where, name=key[0], arity=key[1]))
        return False
    if key in (("split", 0), ("split", 1)) or (key[0] == "split" and key[1] > 3):
        findings.add(words.SPLIT_ARGUMENTS(where, arguments=plural(key[1], "argument")))
        return False
    if key[0] == "leaf" and key[1] > 0:
        findings.add(words.LEAF_ARGUMENTS(where))
        return False
    return True


def _shape(
    parts: list[Term], guards: list[_Guard], span: SourceSpan, findings: Findings
) -> Body | None:
    """The body that the parts form together."""
    splits = [p for p in parts if _is_split(p)]
    where = _cover(parts, span)
    found = None
    if not parts:
        found = words.ONLY_GUARDS(where)
    elif len(splits) > 1:
        found = words.TWO_SPLITS(where)
    elif splits and not _is_split(parts[0]):
        found = words.SPLIT_COMES_LATE(where)
    elif not splits and len(parts) > 1:
        found = words.PARTS_WITHOUT_SPLIT(where, count=len(parts))
    elif splits and len(parts) != 3:
        n = len(parts) - 1
        children = {0: "no child", 1: "one child"}.get(n, f"{n} children")
        found = words.NOT_TWO_CHILDREN(where, children=children)
    elif not splits and guards:
        what = "`leaf`" if parts[0] == _LEAF else "the nonterminal"
        found = words.GUARD_COMES_LATE(guards[0].span, goal=term_to_text(parts[0]), part=what)
    if found is not None:
        findings.add(found)
        return None
    if splits:
        return _split_body(parts, guards, span, findings)
    return LeafBody() if parts[0] == _LEAF else CallBody(parts[0])


def _cover(parts: list[Term], span: SourceSpan) -> SourceSpan:
    spans = [p.span for p in parts if p.span is not None]
    return spans[0].cover(spans[-1]) if spans else span


def _split_body(
    parts: list[Term], guards: list[_Guard], span: SourceSpan, findings: Findings
) -> SplitBody | None:
    split = cast(Struct, parts[0])
    feature, threshold = split.args[:2]
    if not isinstance(feature, Var | Atom):
        findings.add(words.NO_FEATURE_IN_SPLIT(span_of(feature, span), text=term_to_text(feature)))
        return None
    if isinstance(threshold, Struct | Text):
        text = term_to_text(threshold)
        findings.add(words.NO_THRESHOLD_IN_SPLIT(span_of(threshold, span), text=text))
        return None
    measure = _measure(split.args[2], span, findings) if len(split.args) == 3 else MEASURES[0]
    if measure is None:
        return None
    return SplitBody(feature, threshold, measure, _goals(list(guards)), parts[1], parts[2])


def _measure(term: Term, span: SourceSpan, findings: Findings) -> Measure | None:
    for measure in MEASURES:
        if term == Atom(measure):
            return measure
    help = name_help(getattr(term, "name", ""), MEASURES, "measure")
    findings.add(words.NO_MEASURE(span_of(term, span), name=term_to_text(term), help=help))
    return None
