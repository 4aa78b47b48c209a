"""The names in a program and in the files that it uses: where each is declared, and where it is
used.

Names are told apart by what they stand for: a nonterminal or a predicate by its number of
arguments, a parameter, a box, a group, a file, a variable of one clause. All other atoms are
columns or levels of the table. A name that is a parameter and a column, say, is taken for the
former wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from slp.analysis import used_files
from slp.source import SourceFile, SourceSpan
from slp.syntax import Clause, Directive, parse_recovering
from slp.terms import NIL, Atom, Struct, Term, Var, arguments, functor, list_items, subterms

#: What a name stands for: `("nonterminal", "tree", 1)`, `("parameter", "alpha")`.
Meant: TypeAlias = tuple[str | int, ...]

_QUOTED = re.compile(r"'(?:[^'\\\n]|''|\\.)*'")


@dataclass(frozen=True)
class Occurrence:
    """A place where a name stands, and whether it is declared there."""

    meant: Meant
    span: SourceSpan
    declares: bool = False


class NameIndex:
    """The names of a program and of the files that it uses.

    Attributes
    ----------
    occurrences : all places, file by file in the order of each.
    files : the files, by what their users call them; the program's own is "".
    """

    def __init__(self, source: SourceFile) -> None:
        used = used_files(source)
        self.files = {(u.user, u.target): u.file for u in used}
        self._items = [
            (file, parse_recovering(file)[0].items)
            for file in {u.file.name: u.file for u in used}.values()
        ]
        self._declared: set[Meant] = set()
        for _, items in self._items:
            for item in items:
                self._declared.update(_declared_by(item))
        self.occurrences = tuple(
            occurrence
            for file, items in self._items
            for number, item in enumerate(items)
            for occurrence in self._in_item(item, (file.name, number))
        )

    def at(self, file: SourceFile, offset: int) -> Occurrence | None:
        """The name at a place, or directly before it."""
        for occurrence in self.occurrences:
            span = occurrence.span
            if span.file.name == file.name and span.start <= offset <= span.end:
                return occurrence
        return None

    def places(self, meant: Meant, *, declared: bool = False) -> list[SourceSpan]:
        """Where something is named, or only where it is declared."""
        return [
            occurrence.span
            for occurrence in self.occurrences
            if occurrence.meant == meant and (occurrence.declares or not declared)
        ]

    def declarations(self, meant: Meant) -> list[SourceSpan]:
        """Where something is declared: of a file its beginning, of a variable its first place, of a
        group the facts that make it."""
        if meant[0] == "file":
            file = self.files.get((str(meant[1]), str(meant[2])))
            return [] if file is None else [SourceSpan(file, 0, 0)]
        if meant[0] == "variable":
            return self.places(meant)[:1]
        return self.places(meant, declared=True)

    def declared(self, kind: str) -> list[str]:
        """The names of a kind, sorted."""
        return sorted({str(meant[1]) for meant in self._declared if meant[0] == kind})

    # --- the names of one item -------------------------------------------------------------------

    def _in_item(self, item: Clause | Directive, clause: tuple[str, int]) -> Iterator[Occurrence]:
        own = set(_declared_by(item))
        if isinstance(item, Directive):
            yield from self._in_directive(item.goal, own, clause)
            return
        if item.label is not None:
            yield from self._in_term(item.label, clause)
        kind = kind_of(item)
        yield from self._of_goal(item.head, kind, clause, own)
        if item.body is not None:
            yield from self._in_body(item.body, kind, clause)

    def _in_directive(
        self, goal: Term, own: set[Meant], clause: tuple[str, int]
    ) -> Iterator[Occurrence]:
        name, args = (functor(goal) or ("", 0))[0], arguments(goal)
        span = name_span(goal)
        if span is not None:
            yield Occurrence(("directive", name), span)
        if name == "use" and args and isinstance(args[0], Atom) and args[0].span is not None:
            yield Occurrence(("file", clause[0], args[0].name), args[0].span)
            for item in list_items(args[-1]) or ():
                if functor(item) == ("=", 2):
                    parameter, value = arguments(item)
                    if isinstance(parameter, Atom) and parameter.span is not None:
                        yield Occurrence(("parameter", parameter.name), parameter.span)
                    yield from self._in_term(value, clause)
        elif name == "start" and args:
            yield from self._of_goal(args[0], "nonterminal", clause, own)
        elif name in ("constraint", "prefer") and args:
            for constraint in list_items(args[0]) or [args[0]]:
                key, span = functor(constraint), name_span(constraint)
                if key is not None and span is not None:
                    yield Occurrence(("constraint", key[0]), span)
                for term in arguments(constraint):
                    yield from self._in_term(term, clause)
        else:
            for term in args:
                yield from self._in_term(term, clause, own)

    def _in_body(self, body: Term, kind: str, clause: tuple[str, int]) -> Iterator[Occurrence]:
        """The goals of a body; those in braces are predicates."""
        todo = [(body, kind)]
        while todo:
            term, kind = todo.pop()
            if functor(term) == ("{}", 1):
                todo.append((arguments(term)[0], "predicate"))
            elif functor(term) in _CONTROL:
                todo.extend((t, kind) for t in reversed(arguments(term)))
            else:
                yield from self._of_goal(term, kind, clause, set())

    def _of_goal(
        self, goal: Term, kind: str, clause: tuple[str, int], own: set[Meant]
    ) -> Iterator[Occurrence]:
        """A head or a goal, and the names in its arguments."""
        meant = (kind, *(functor(goal) or ()))
        span = name_span(goal)
        if span is not None and meant in self._declared:
            yield Occurrence(meant, span, meant in own)
        terms: Iterable[Term] = arguments(goal)
        if isinstance(goal, Var):
            terms = [goal]
        for term in terms:
            yield from self._in_term(term, clause, own)

    def _in_term(
        self, term: Term, clause: tuple[str, int], own: Iterable[Meant] = ()
    ) -> Iterator[Occurrence]:
        """The names in an argument or a label: variables, and atoms by what is declared."""
        for part in subterms(term):
            if part.span is None or part == NIL:
                continue
            if isinstance(part, Var):
                if not part.name.startswith("_"):
                    yield Occurrence(("variable", part.name, *clause), part.span)
            elif isinstance(part, Atom):
                meant = self._stands_for(part.name)
                yield Occurrence(meant, part.span, meant in own)
            elif isinstance(part, Struct):
                for kind in ("nonterminal", "predicate"):
                    called = (kind, part.name, len(part.args))
                    span = name_span(part)
                    if called in self._declared and span is not None:
                        yield Occurrence(called, span)
                        break

    def _stands_for(self, name: str) -> Meant:
        for kind in ("parameter", "box", "group"):
            if (kind, name) in self._declared:
                return kind, name
        return "column", name


_CONTROL = {(",", 2), (";", 2), ("->", 2), ("*->", 2), ("\\+", 1)}

#: Directives whose first argument declares a name, and what it is.
_DECLARES = {"param": "parameter", "feature": "column", "define": "column"}


def kind_of(clause: Clause) -> str:
    """Whether a clause is a rule of a nonterminal, or a clause of a predicate."""
    return "nonterminal" if clause.arrow == "-->" else "predicate"


def _declared_by(item: Clause | Directive) -> Iterator[Meant]:
    """What a clause or a directive declares."""
    if isinstance(item, Directive):
        kind = _DECLARES.get((functor(item.goal) or ("",))[0])
        args = arguments(item.goal)
        if kind is not None and args and isinstance(args[0], Atom):
            yield kind, args[0].name
        return
    head, args = item.head, arguments(item.head)
    if functor(head) == ("box", 4) and isinstance(args[0], Atom):
        yield "box", args[0].name
    if functor(head) == ("of_group", 2) and isinstance(args[1], Atom):
        yield "group", args[1].name
    if (key := functor(head)) is not None:
        yield (kind_of(item), *key)


def name_span(term: Term) -> SourceSpan | None:
    """The place of the name of a term; None of an operator or a list."""
    if isinstance(term, Atom):
        return term.span
    if not isinstance(term, Struct) or term.span is None:
        return None
    text, start = term.span.file.text, term.span.start
    quoted = _QUOTED.match(text, start)
    length = len(quoted[0]) if quoted else len(term.name)
    if not (quoted or text.startswith(term.name, start)) or text[start + length] != "(":
        return None
    return SourceSpan(term.span.file, start, start + length)
