"""Bodies of tree rules: from a term to `LeafBody`, `CallBody` or `SplitBody` and its guards.

A body is a sequence of guards in braces and of parts. The parts are one of: `leaf`; one
nonterminal; `split(F, V)` or `split(F, V, M)` and the two children, each a nonterminal or `leaf`.
Guards in front of the first part are "before", those behind it "after".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias, cast

from slp.analysis.directives import span_of
from slp.analysis.findings import Findings, name_help
from slp.ir.program import MEASURES, Body, CallBody, LeafBody, Measure, SplitBody
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Atom, Number, Struct, Term, Text, Var, functor

__all__ = ["BodyParts", "conjunction", "translate_body"]

_CODE = "E113"
_LEAF = Atom("leaf")

#: Goals that mean something in a grammar over strings, or between goals, and nothing here.
_FOREIGN = {
    ("!", 0): "a tree rule has no cut `!`: its guards say when it may be used",
    (";", 2): "a tree rule has no alternatives `;`: write one rule for each, with its label",
    ("|", 2): "a tree rule has no alternatives `|`: write one rule for each, with its label",
    ("->", 2): "a tree rule has no `->`: write one rule for each case, with a guard in { }",
    ("\\+", 1): "a negation `\\+` is a guard: put it in { }",
    ("[]", 0): "a tree rule cuts a box, it reads no list: end it with `leaf`",
    ("[|]", 2): "a tree rule cuts a box, it reads no list",
    ("::", 2): "a label stands in front of the head: write `Label :: Head --> Body.`",
}

_TEXT_HELP = (
    "`-->` grows trees over a table; a grammar of text is written with difference lists: "
    "`1 :: s(A, C) :- np(A, B), vp(B, C).` and `1 :: np([the, dog|Rest], Rest).`"
)

_SHAPE = "write `leaf`, or one nonterminal, or `split(F, V), Left, Right`"


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


def conjunction(term: Term) -> list[Term]:
    """Goals of `A, B, C`, from left to right."""
    out: list[Term] = []
    stack = [term]
    while stack:
        t = stack.pop()
        if isinstance(t, Struct) and t.name == "," and len(t.args) == 2:
            stack += [t.args[1], t.args[0]]
        else:
            out.append(t)
    return out


def translate_body(
    term: Term, span: SourceSpan, goals: Collection[tuple[str, int]], findings: Findings
) -> BodyParts | None:
    """The body of a tree rule, None (and findings that teach) if it is malformed.

    `goals` are the predicates that can only be called in guards.
    """
    parts = [_part(t, span) for t in conjunction(term)]
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
        return _Guard(tuple(conjunction(term.args[0])), span_of(term, span))
    return _Guard((), span_of(term, span)) if term == Atom("{}") else term


def _goals(parts: list[_Part]) -> tuple[Term, ...]:
    return tuple(g for p in parts if isinstance(p, _Guard) for g in p.goals)


def _is_split(part: _Part) -> bool:
    return isinstance(part, Struct) and part.name == "split" and len(part.args) in (2, 3)


def _is_sound(
    part: _Part, span: SourceSpan, goals: Collection[tuple[str, int]], findings: Findings
) -> bool:
    """Whether a part could stand in some body."""
    if isinstance(part, _Guard):
        return True
    where = span_of(part, span)
    if isinstance(part, Var):
        findings.error(
            _CODE,
            f"the variable `{part.name}` stands where a nonterminal must",
            where,
            help="a name with a small first letter is a nonterminal: tree(D+1)",
        )
        return False
    if isinstance(part, Number | Text):
        findings.error(_CODE, f"{term_to_text(part)} is no nonterminal", where, help=_SHAPE)
        return False
    key = functor(part) or ("", 0)
    if key in _FOREIGN:
        is_list = key in (("[]", 0), ("[|]", 2))
        findings.error(_CODE, _FOREIGN[key], where, help=_TEXT_HELP if is_list else None)
        return False
    if key in goals:
        findings.error(
            "E116",
            f"`{key[0]}/{key[1]}` is a goal, not a nonterminal",
            where,
            help="put goals in braces: { ... }",
        )
        return False
    if key in (("split", 0), ("split", 1)) or (key[0] == "split" and key[1] > 3):
        findings.error(
            _CODE,
            f"`split` does not have {key[1]} argument{'s' * (key[1] != 1)}",
            where,
            help="write `split(F, V)` or `split(F, V, Measure)`: a feature, a threshold, a measure",
        )
        return False
    if key[0] == "leaf" and key[1] > 0:
        findings.error(
            _CODE,
            "`leaf` has no arguments",
            where,
            help="write `leaf`; the model of the leaves is declared by `:- leaf(dirichlet(1)).`",
        )
        return False
    return True


def _shape(
    parts: list[Term], guards: list[_Guard], span: SourceSpan, findings: Findings
) -> Body | None:
    """The body that the parts make together."""
    splits = [p for p in parts if _is_split(p)]
    message, help = None, _SHAPE
    if not parts:
        message = "this rule has guards, but says nothing of its box"
    elif len(splits) > 1:
        message = "a rule splits once; give each child a nonterminal of its own that splits again"
    elif splits and not _is_split(parts[0]):
        message = "`split` comes before the two children"
    elif not splits and len(parts) > 1:
        message = f"{len(parts)} parts share one box: only `split(F, V)` in front makes two of it"
        help = f"{_SHAPE}; {_TEXT_HELP}"
    elif splits and len(parts) != 3:
        n = len(parts) - 1
        children = {0: "no child", 1: "one child"}.get(n, f"{n} children")
        message = f"this split has {children}, and makes two boxes"
    elif not splits and guards:
        what = "`leaf`" if parts[0] == _LEAF else "the nonterminal"
        findings.error(
            _CODE,
            f"a guard behind `{term_to_text(parts[0])}` comes too late",
            guards[0].span,
            help=f"put the guard in front of {what}",
        )
        return None
    if message is not None:
        findings.error(_CODE, message, _cover(parts, span), help=help)
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
        findings.error(
            _CODE,
            f"{term_to_text(feature)} is no feature",
            span_of(feature, span),
            help="write a variable, or the name of a column: split(age, V)",
        )
        return None
    if isinstance(threshold, Struct | Text):
        findings.error(
            _CODE,
            f"{term_to_text(threshold)} is no threshold",
            span_of(threshold, span),
            help="write a variable, a number, or a level of a categorical feature: split(F, V)",
        )
        return None
    measure = _measure(split.args[2], span, findings) if len(split.args) == 3 else MEASURES[0]
    if measure is None:
        return None
    return SplitBody(feature, threshold, measure, _goals(list(guards)), parts[1], parts[2])


def _measure(term: Term, span: SourceSpan, findings: Findings) -> Measure | None:
    for measure in MEASURES:
        if term == Atom(measure):
            return measure
    findings.error(
        "E114",
        f"there is no split measure `{term_to_text(term)}`",
        span_of(term, span),
        help=name_help(getattr(term, "name", ""), MEASURES, "measure"),
    )
    return None
