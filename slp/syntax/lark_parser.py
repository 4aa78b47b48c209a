"""The parser that Lark makes of `grammars/slp.lark`: from text to tokens, and from tokens to
brackets.

The lexer never fails: text that is no token becomes a token of a kind for the mistake. The parser
calls `slp.syntax.terms.READER` at each token and each closing bracket, and makes no tree of the
text.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from hashlib import sha256

import lark
from lark import Lark, Token
from lark.lark import PostLex

from slp.late import late_import
from slp.resources import grammar_tables, grammar_text
from slp.source import SourceFile
from slp.syntax.terms import READER


class _KeepAllTokens(PostLex):
    """Makes Lark keep the tokens that no rule uses: comments, and mistakes."""

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
    """The parser for tokens and brackets. Reading its tables takes 2 ms, and making it takes 30 ms.
    It is made only if slp was built for another version of Lark, or not built."""
    tables, whose = grammar_tables("slp"), _whose_tables()
    if tables is not None and tables.startswith(whose):
        return Lark.load(io.BytesIO(tables[len(whose) :]))
    return _made_parser()


def write_tables(path: str) -> None:
    """Write the tables that `syntax_parser` reads. Called when slp is built."""
    out = io.BytesIO()
    _made_parser().save(out)
    with late_import("slp.whole_files").whole_file(path) as file:
        file.write(_whose_tables() + out.getvalue())


def _whose_tables() -> bytes:
    """The grammar and version of the tables, with which their file begins."""
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
    """All tokens of a file, one after the other, including comments.

    `place` is the offset at which the next token is searched. A caller that reads text itself moves
    it.
    """

    def __init__(self, file: SourceFile) -> None:
        lexer = syntax_parser().parse_interactive(file.text).lexer_thread
        assert lexer.state is not None  # the lexer has a text
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
