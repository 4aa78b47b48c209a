"""Plain facts, read by one pattern each, without the parser. Most lines of a long program are plain
facts.

A plain fact is a name, and constants in brackets directly after it: names, numbers in digits,
quoted atoms without escapes. A plain fact has one reading under every operator table. The parser
reads all other text. `find_fact` and the parser read plain facts alike (tested).
"""

from __future__ import annotations

import re

from slp.source import SourceFile, SourceSpan
from slp.syntax.ast import Clause
from slp.terms import Atom, Number, Struct, Term

_NAME = r"[a-z][A-Za-z0-9_]*"
_QUOTED = r"'[^'\\\n\[]*'"  # the parser refuses '[]'
_NUMBER = r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?"
_CONSTANT = rf"(?:{_NAME}|{_NUMBER}|{_QUOTED})"
# The number of arguments is bounded, which bounds the memory of the pattern.
_FACT = re.compile(
    rf"\s*({_NAME})\((\s*{_CONSTANT}(?:\s*,\s*{_CONSTANT}){{0,50}}\s*)\)\s*\.(?=[\s%]|\Z)"
)
_ARGUMENT = re.compile(rf"{_QUOTED}|[^\s,]+")
_TOKEN = re.compile(rf"{_QUOTED}|[\w.]+|[^\s\w]")


def find_fact(text: str, start: int) -> re.Match[str] | None:
    """The plain fact at the offset `start`, after optional blanks; None if there is none."""
    return _FACT.match(text, start)


def count_tokens(fact: re.Match[str]) -> int:
    """The number of words and signs of a fact."""
    return len(_TOKEN.findall(fact[0]))


def read_fact(fact: re.Match[str], file: SourceFile) -> Clause:
    """The clause of a fact that was found in the text of `file`."""
    start, (first, last) = fact.start(1), fact.span(2)
    args = tuple(
        _constant(word[0], SourceSpan(file, *word.span()))
        for word in _ARGUMENT.finditer(file.text, first, last)
    )
    head = Struct(fact[1], args, SourceSpan(file, start, last + 1))
    return Clause(None, head, None, None, head, SourceSpan(file, start, fact.end()))


def _constant(word: str, span: SourceSpan) -> Term:
    if word[0].islower():
        return Atom(word, span)
    if word[0] == "'":
        return Atom(word[1:-1], span)
    return Number(float(word) if "." in word else int(word), span)
