"""Parsing: `parse_program` for a file, `parse_recovering` for its readable part, `parse_term`.

A text is divided into plain facts and tokens, and tokens into clauses at the full stops. Each
clause is parsed separately (Lark for its brackets, `slp.syntax.sequences` for its operators). So a
mistake affects one clause, and one run reports the mistakes of all clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from lark import Token
from lark.exceptions import UnexpectedToken

from slp.errors import Diagnostic, ProgramError, Related
from slp.messages import syntax as words
from slp.messages.sources import TOO_LARGE
from slp.source import MOST_CHARACTERS, SourceFile, SourceSpan
from slp.syntax.ast import Comment, Directive, SourceProgram, Statement
from slp.syntax.clauses import declare_operators, item_of_term
from slp.syntax.facts import count_tokens, find_fact, read_fact
from slp.syntax.lark_parser import Tokens, syntax_parser
from slp.syntax.mistakes import MOST_MISTAKES, excerpt, too_many
from slp.syntax.operands import Operand
from slp.syntax.operators import DEFAULT_OPERATORS, OperatorTable
from slp.syntax.terms import READER
from slp.syntax.tokens import find_token_fault, token_end, token_span, token_start
from slp.terms import Term

#: Largest number of tokens of a program.
MOST_TOKENS = 1_000_000

_DEEPEST_BRACKETS = 500
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BRACKETS = {"OPEN": 1, "OPEN_LIST": 1, "OPEN_CURLY": 1} | {
    "CLOSE": -1,
    "CLOSE_LIST": -1,
    "CLOSE_CURLY": -1,
}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}


def parse_program(file: SourceFile) -> SourceProgram:
    """The syntax tree of a file.

    Raises
    ------
    ProgramError
        With a diagnostic for each mistake in the file.
    """
    program, diagnostics = parse_recovering(file)
    if diagnostics:
        raise ProgramError(diagnostics)
    return program


def parse_recovering(
    file: SourceFile, table: OperatorTable = DEFAULT_OPERATORS
) -> tuple[SourceProgram, tuple[Diagnostic, ...]]:
    """The readable clauses of a file, and the mistakes in the others, in order. `table` has the
    operators in force at the start."""
    items: list[Statement] = []
    comments: list[Comment] = []
    diagnostics: list[Diagnostic] = []
    try:
        for clause in _clauses(file, comments, diagnostics):
            if isinstance(clause, re.Match):
                items.append(read_fact(clause, file))
                continue
            try:
                item = item_of_term(_read_clause(clause, table, file), _span(clause, file))
                if isinstance(item, Directive):
                    table = declare_operators(item, table)
                items.append(item)
            except ProgramError as error:
                diagnostics += error.diagnostics
            if len(diagnostics) > MOST_MISTAKES:
                break
    except ProgramError as error:  # the program is too large
        diagnostics += error.diagnostics
    diagnostics.sort(key=lambda diagnostic: diagnostic.span.start if diagnostic.span else 0)
    if len(diagnostics) > MOST_MISTAKES:
        last = too_many(diagnostics[MOST_MISTAKES])
        diagnostics = [*diagnostics[:MOST_MISTAKES], last]
    return SourceProgram(file, tuple(items), tuple(comments)), tuple(diagnostics)


def parse_term(text: str, name: str = "<goal>") -> Term:
    """The one term in `text`. The full stop at its end is optional.

    Raises
    ------
    ProgramError
        With a diagnostic for each mistake, in which the text is called `name`.
    """
    file = SourceFile(name, text)
    faults: list[Diagnostic] = []
    clauses = list(islice(_clauses(file, [], faults), MOST_MISTAKES))
    if faults:
        raise ProgramError(faults)
    if len(clauses) != 1:
        count = "none" if not clauses else str(len(clauses))
        raise ProgramError(words.ONE_TERM(SourceSpan(file, 0, len(text)), count=count))
    (tokens,) = clauses
    if isinstance(tokens, re.Match):
        return read_fact(tokens, file).term
    if tokens[-1].type != "END":
        tokens.append(Token("END", ".", start_pos=len(text), end_pos=len(text)))
    return _read_clause(tokens, DEFAULT_OPERATORS, file)


def _clauses(
    file: SourceFile, comments: list[Comment], faults: list[Diagnostic]
) -> Iterator[re.Match[str] | list[Token]]:
    """The clauses, one after the other: a plain fact, or the tokens up to a full stop or the end of
    the file.

    A quote that is never closed includes the full stop of its line, so the clause ends there too.
    Comments, and the mistakes in them, are recorded.

    Raises
    ------
    ProgramError
        The program is too large.
    """
    _check_size(file)
    clause: list[Token] = []
    for piece in _pieces(file):
        if isinstance(piece, re.Match):
            yield piece
        elif piece.type == "COMMENT":
            comments.append(Comment(str(piece), token_span(piece, file)))
            faults += _token_faults([piece], file)
        else:
            clause.append(piece)
            if _ends_clause(piece):
                yield clause
                clause = []
    if clause:
        yield clause


def _pieces(file: SourceFile) -> Iterator[re.Match[str] | Token]:
    """Tokens, including comments, and plain facts where a clause may begin."""
    tokens = Tokens(file)
    may_begin = True
    while True:
        while may_begin and (fact := find_fact(file.text, tokens.place)) is not None:
            yield fact
            tokens.place = fact.end()
        token = next(tokens, None)
        if token is None:
            return
        yield token
        may_begin = _ends_clause(token) or (may_begin and token.type == "COMMENT")


def _ends_clause(token: Token) -> bool:
    return token.type == "END" or (token.type == "UNCLOSED_QUOTE" and token.endswith("."))


def _check_size(file: SourceFile) -> None:
    if len(file.text) > MOST_CHARACTERS:
        raise _too_large(file, f"{MOST_CHARACTERS:,} characters")
    # A token has at least one character, so the tokens of a short program need not be counted.
    if len(file.text) > MOST_TOKENS:
        count = 0
        for piece in _pieces(file):
            count += count_tokens(piece) if isinstance(piece, re.Match) else 1
            if count > MOST_TOKENS:
                raise _too_large(file, f"{MOST_TOKENS:,} words and signs")


def _too_large(file: SourceFile, limit: str) -> ProgramError:
    span = SourceSpan(file, 0, 1)
    return ProgramError(TOO_LARGE(span, what="this program", limit=limit))


def _span(tokens: Sequence[Token], file: SourceFile) -> SourceSpan:
    return SourceSpan(file, token_start(tokens[0]), token_end(tokens[-1]))


def _read_clause(tokens: Sequence[Token], table: OperatorTable, file: SourceFile) -> Term:
    """The term of one clause. Raises ProgramError with every mistake in it."""
    faults = _token_faults(tokens, file)
    if faults:
        raise ProgramError(faults)
    term = _read_brackets(tokens, table, file)
    if READER.diagnostics or term is None:
        raise ProgramError(READER.diagnostics)
    return term


def _token_faults(tokens: Iterable[Token], file: SourceFile) -> list[Diagnostic]:
    faults: list[Diagnostic] = []
    for token in tokens:
        fault = find_token_fault(token, file)
        if fault is not None:
            faults.append(fault)
            # Text after an open quote may be meant to be inside it.
            if token.type == "UNCLOSED_QUOTE" or len(faults) > MOST_MISTAKES:
                break
    return faults


def _read_brackets(tokens: Sequence[Token], table: OperatorTable, file: SourceFile) -> Term | None:
    """The result of Lark and `READER` for the tokens; None if they are no term, which `READER` has
    recorded. Raises ProgramError if brackets do not match."""
    READER.begin(table, file)
    parser = syntax_parser().parse_interactive()
    depth = 0
    for token in tokens:
        if token.type in _BRACKETS:
            depth += _BRACKETS[token.type]
            if depth > _DEEPEST_BRACKETS:
                span = token_span(token, file)
                raise ProgramError(words.TOO_DEEP(span, limit=_DEEPEST_BRACKETS))
        try:
            parser.feed_token(token)
        except UnexpectedToken:
            open_tokens = [
                value
                for value in parser.parser_state.value_stack
                if isinstance(value, Token) and value in _CLOSING
            ]
            raise ProgramError(_bracket_fault(token, open_tokens, file)) from None
    if tokens[-1].type != "END":
        span = token_span(tokens[-1], file)
        raise ProgramError(words.UNFINISHED_CLAUSE(span, last=excerpt(tokens[-1])))
    operand: Operand | None = parser.feed_eof()  # type: ignore[no-untyped-call]
    return None if operand is None else operand.term


def _bracket_fault(token: Token, open_tokens: Sequence[Token], file: SourceFile) -> Diagnostic:
    """The mistake of a closing bracket or a full stop, given the open brackets."""
    span = token_span(token, file)
    if not open_tokens:
        return words.UNOPENED_BRACKET(span, bracket=token, opening=_OPENING[token])
    opening = open_tokens[-1]
    closing = _CLOSING[opening]
    opened = token_span(opening, file)
    if token.type == "END":
        return words.UNCLOSED_BRACKET(opened, bracket=opening, closing=closing)
    return words.MISMATCHED_BRACKETS(
        span,
        related=[Related("opened here", opened)],
        bracket=token,
        opening=opening,
        closing=closing,
    )
