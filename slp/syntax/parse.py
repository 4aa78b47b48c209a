"""Parsing: `parse_program` for a file, `parse_recovering` to get what there is, `parse_term`.

A text is cut into tokens, the tokens into clauses at the full stops, and each clause is parsed by
itself (Lark for its brackets, `slp.syntax.sequences` for its operators). So a mistake costs one
clause, and one run reports the mistakes of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lark import Token, Tree
from lark.exceptions import UnexpectedToken

from slp.errors import Diagnostic, ProgramError, Related
from slp.proofs.terms import Term
from slp.source import SourceFile, SourceSpan
from slp.syntax import messages
from slp.syntax.ast import Comment, Directive, Item, SourceProgram
from slp.syntax.clauses import declare_operators, item_of_term
from slp.syntax.messages import excerpt
from slp.syntax.operators import DEFAULT_OPERATORS, OperatorTable
from slp.syntax.terms import build_clause
from slp.syntax.tokens import (
    find_token_fault,
    syntax_parser,
    token_end,
    token_span,
    token_start,
    tokenize,
)

__all__ = ["parse_program", "parse_recovering", "parse_term"]

_DEEPEST_BRACKETS = 500
_CLOSING = {"(": ")", "[": "]", "{": "}"}
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


def parse_recovering(file: SourceFile) -> tuple[SourceProgram, tuple[Diagnostic, ...]]:
    """The clauses of a file that can be read, and what is wrong with the others, in order."""
    code, comments = _code_and_comments(file)
    items: list[Item] = []
    diagnostics = _token_faults(comments, file)
    table = DEFAULT_OPERATORS
    for tokens in _clauses(code):
        try:
            term = _read_clause(tokens, table, file)
            item = item_of_term(term, _span(tokens, file))
            if isinstance(item, Directive):
                table = declare_operators(item, table)
            items.append(item)
        except ProgramError as error:
            diagnostics += error.diagnostics
    diagnostics.sort(key=lambda diagnostic: diagnostic.span.start if diagnostic.span else 0)
    kept = tuple(Comment(str(token), token_span(token, file)) for token in comments)
    return SourceProgram(file, tuple(items), kept), tuple(diagnostics)


def parse_term(text: str, name: str = "<goal>") -> Term:
    """The one term that `text` holds; a full stop at its end may be missing.

    Raises
    ------
    ProgramError
        With a diagnostic for each mistake; `name` is what they call the text.
    """
    file = SourceFile(name, text)
    tokens, comments = _code_and_comments(file)
    if faults := _token_faults(comments, file):
        raise ProgramError(faults)
    clauses = list(_clauses(tokens))
    if len(clauses) != 1:
        count = "none" if not clauses else str(len(clauses))
        raise ProgramError(messages.ONE_TERM.at(SourceSpan(file, 0, len(text)), count=count))
    if tokens[-1].type != "END":
        tokens.append(Token("END", ".", start_pos=len(text), end_pos=len(text)))
    return _read_clause(tokens, DEFAULT_OPERATORS, file)


def _code_and_comments(file: SourceFile) -> tuple[list[Token], list[Token]]:
    code: list[Token] = []
    comments: list[Token] = []
    for token in tokenize(file):
        (comments if token.type == "COMMENT" else code).append(token)
    return code, comments


def _clauses(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of one clause after the other, up to its full stop, or to the end of the file.

    A quote that is never closed swallows the full stop of its line: there the clause ends too.
    """
    clause: list[Token] = []
    for token in tokens:
        clause.append(token)
        if token.type == "END" or (token.type == "UNCLOSED_QUOTE" and token.endswith(".")):
            yield clause
            clause = []
    if clause:
        yield clause


def _span(tokens: Sequence[Token], file: SourceFile) -> SourceSpan:
    return SourceSpan(file, token_start(tokens[0]), token_end(tokens[-1]))


def _read_clause(tokens: Sequence[Token], table: OperatorTable, file: SourceFile) -> Term:
    """The term of one clause; raises ProgramError with every mistake in it."""
    faults = _token_faults(tokens, file)
    if faults:
        raise ProgramError(faults)
    tree = _bracket_tree(tokens, file)
    term, faults = build_clause(tree, table, file)
    if term is None:
        raise ProgramError(faults)
    return term


def _token_faults(tokens: Sequence[Token], file: SourceFile) -> list[Diagnostic]:
    faults: list[Diagnostic] = []
    for token in tokens:
        fault = find_token_fault(token, file)
        if fault is not None:
            faults.append(fault)
            if token.type == "UNCLOSED_QUOTE":
                break  # what follows may be meant to stand inside the quotes
    return faults


def _bracket_tree(tokens: Sequence[Token], file: SourceFile) -> Tree[Token]:
    """What Lark makes of the tokens; raises ProgramError where brackets do not fit."""
    parser = syntax_parser().parse_interactive()
    depth = 0
    for token in tokens:
        depth += (token in _CLOSING) - (token in _OPENING)
        if depth > _DEEPEST_BRACKETS:
            span = token_span(token, file)
            raise ProgramError(messages.TOO_DEEP.at(span, limit=_DEEPEST_BRACKETS))
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
        raise ProgramError(messages.UNFINISHED_CLAUSE.at(span, last=excerpt(tokens[-1])))
    tree: Tree[Token] = parser.feed_eof()  # type: ignore[no-untyped-call]
    return tree


def _bracket_fault(token: Token, open_tokens: Sequence[Token], file: SourceFile) -> Diagnostic:
    """What is wrong with a closing bracket or a full stop, given the brackets open there."""
    span = token_span(token, file)
    if not open_tokens:
        return messages.UNOPENED_BRACKET.at(span, bracket=token, opening=_OPENING[token])
    opening = open_tokens[-1]
    closing = _CLOSING[opening]
    opened = token_span(opening, file)
    if token.type == "END":
        return messages.UNCLOSED_BRACKET.at(opened, bracket=opening, closing=closing)
    return messages.MISMATCHED_BRACKETS.at(
        span,
        Related("opened here", opened),
        bracket=token,
        opening=opening,
        closing=closing,
    )
