"""The parser that Lark makes of `grammars/slp.lark`: text cut into tokens, tokens into brackets.

The lexer never fails: text that is no token becomes a token of a kind that stands for the mistake.
The parser calls `slp.syntax.terms.READER` at each token and each closing bracket, so that no tree
of the text is made.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import lark
from lark import Lark, Token
from lark.lark import PostLex

from slp.resources import grammar_tables, grammar_text
from slp.source import SourceFile
from slp.syntax.terms import READER

__all__ = ["Tokens", "syntax_parser", "write_tables"]


class _KeepAllTokens(PostLex):
    """Makes Lark keep the tokens that no rule takes: comments, and what stands for mistakes."""

    always_accept = (
        "COMMENT",
        "UNCLOSED_COMMENT",
        "UNCLOSED_QUOTE",
        "BACKQUOTED",
        "BAD_NUMBER",
        "ILLEGAL",
    )

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@cache
def syntax_parser() -> Lark:
    """The parser for tokens and brackets. To read it takes 2 ms, to make it 30: it is made only
    where slp was built for another version of Lark, or not built."""
    tables, whose = grammar_tables("slp"), _whose_tables()
    if tables is not None and tables.startswith(whose):
        return Lark.load(io.BytesIO(tables[len(whose) :]))
    return _made_parser()


def write_tables(path: str) -> None:
    """Write what `syntax_parser` reads: part of building slp."""
    out = io.BytesIO()
    _made_parser().save(out)
    Path(path).write_bytes(_whose_tables() + out.getvalue())


def _whose_tables() -> bytes:
    """What the parser's tables belong to: they begin with it."""
    return f"{lark.__version__} {sha256(grammar_text('slp').encode()).hexdigest()}\n".encode()


def _made_parser() -> Lark:
    return Lark(
        grammar_text("slp"),
        parser="lalr",
        lexer="basic",
        start="clause",
        keep_all_tokens=True,
        maybe_placeholders=False,
        postlex=_KeepAllTokens(),
        transformer=READER,
    )


class Tokens:
    """All tokens of a file, one after the other, comments included.

    `place` is the offset where the next is looked for; who has read further without them moves it.
    """

    def __init__(self, file: SourceFile) -> None:
        lexer = syntax_parser().parse_interactive(file.text).lexer_thread
        assert lexer.state is not None  # it has a text
        self._counter = lexer.state.line_ctr
        self._stream: Iterator[Token] = lexer.lex(None)  # type: ignore[no-untyped-call]

    @property
    def place(self) -> int:
        return self._counter.char_pos

    @place.setter
    def place(self, offset: int) -> None:
        self._counter.char_pos = offset

    def __iter__(self) -> Iterator[Token]:
        return self

    def __next__(self) -> Token:
        return next(self._stream)
