"""The outline of a program: its declarations, and each nonterminal and predicate with its
clauses."""

from __future__ import annotations

from dataclasses import dataclass

from slp.lsp.names import kind_of, name_span
from slp.source import SourceFile, SourceSpan
from slp.syntax import Directive, parse_recovering, term_to_text
from slp.terms import functor

#: Characters of an entry.
_LONGEST = 60


@dataclass
class OutlinePart:
    """An entry: a directive, a nonterminal, a predicate, or a clause of these two.

    Attributes
    ----------
    kind : `directive`, `nonterminal`, `predicate` or `clause`.
    span : its text; of several clauses that of the first one to the last one that follows it
        directly.
    name_at : what is marked where it is chosen.
    """

    name: str
    kind: str
    span: SourceSpan
    name_at: SourceSpan
    inside: list[OutlinePart]


def outline(source: SourceFile) -> list[OutlinePart]:
    """The entries of a text, in its order. Clauses of one name that stand together are one."""
    out: list[OutlinePart] = []
    for item in parse_recovering(source)[0].items:
        if isinstance(item, Directive):
            out.append(_entry(term_to_text(item.goal), "directive", item.span, item.span))
            continue
        name, arity = functor(item.head) or ("", 0)
        kind = kind_of(item)
        title = f"{name}{'//' if kind == 'nonterminal' else '/'}{arity}"
        clause = _entry(" ".join(item.span.text.split()), "clause", item.span, item.span)
        if out and (out[-1].name, out[-1].kind) == (title, kind):
            out[-1].span = out[-1].span.cover(item.span)
            out[-1].inside.append(clause)
        else:
            at = name_span(item.head) or item.span
            out.append(OutlinePart(title, kind, item.span, at, [clause]))
    return out


def _entry(text: str, kind: str, span: SourceSpan, name_at: SourceSpan) -> OutlinePart:
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    return OutlinePart(shown, kind, span, name_at, [])
