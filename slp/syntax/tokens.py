"""The tokens of a program: their places, their values, and their mistakes.

Text that is no token becomes a token of a kind for the mistake. `find_token_fault` has its message.
"""

from __future__ import annotations

import math
import re

from lark import Token

from slp.errors import Diagnostic, ProgramError
from slp.messages import tokens as words
from slp.source import SourceFile, SourceSpan
from slp.syntax.mistakes import excerpt

_NAMES = frozenset({"NAME", "FUNCTOR"})
_MAY_BE_FAULTS = _NAMES | frozenset(
    "COMMENT UNCLOSED_COMMENT UNCLOSED_QUOTE BACKQUOTED BAD_NUMBER ILLEGAL".split()
)
_LARGEST_INTEGER = 1000  # digits; reading and writing take quadratic time


def token_start(token: Token) -> int:
    """Offset of a token's first character."""
    assert token.start_pos is not None  # every token has a text
    return token.start_pos


def token_end(token: Token) -> int:
    """Offset after a token's last character."""
    assert token.end_pos is not None
    return token.end_pos


def token_span(token: Token, file: SourceFile) -> SourceSpan:
    """The place of a token."""
    return SourceSpan(file, token_start(token), token_end(token))


def is_variable_name(name: str) -> bool:
    """Whether an unquoted name is that of a variable."""
    return name[0] == "_" or name[0].isupper()


def find_token_fault(token: Token, file: SourceFile) -> Diagnostic | None:
    """The mistake of a token by itself, without its context."""
    if token.type not in _MAY_BE_FAULTS or (token.type in _NAMES and token.isascii()):
        return None  # fast exit for frequent kinds
    span = token_span(token, file)
    match token.type:
        case "COMMENT" if "/*" in token[2:] and token.startswith("/*"):
            start = span.start + token.index("/*", 2)
            return words.NESTED_COMMENT(SourceSpan(file, start, start + 2))
        case "UNCLOSED_COMMENT":
            return words.UNCLOSED_COMMENT(SourceSpan(file, span.start, span.start + 2))
        case "UNCLOSED_QUOTE":
            return words.UNCLOSED_QUOTE(span, quote=token[0])
        case "BACKQUOTED":
            return words.BACKQUOTED(span)
        case "BAD_NUMBER":
            return words.BAD_NUMBER(span, text=excerpt(token))
        case "ILLEGAL":
            return words.ILLEGAL_CHARACTER(span, character=_character_name(token))
        case "NAME" | "FUNCTOR" if token[0].isalpha() and not token.isidentifier():
            # \w matches more than the identifiers of Unicode, which are Prolog's names.
            bad = next(c for i, c in enumerate(token) if not token[: i + 1].isidentifier())
            return words.ILLEGAL_CHARACTER(span, character=_character_name(bad))
    return None


def _character_name(character: str) -> str:
    code = f"U+{ord(character):04X}"
    return f"{character} ({code})" if character.isprintable() else code


# --- values --------------------------------------------------------------------------------------

_BASES = {"0x": 16, "0o": 8, "0b": 2}
_LETTER_ESCAPES = dict(zip("abefnrstv\\'\"`", "\a\b\x1b\f\n\r \t\v\\'\"`", strict=True))
_ESCAPE = re.compile(
    r"""\\(?: x(?P<hex>[0-9A-Fa-f]+)\\ | (?P<octal>[0-7]+)\\
      | u(?P<u4>[0-9A-Fa-f]{4}) | U(?P<u8>[0-9A-Fa-f]{8})
      | (?P<letter>[abefnrstv\\'"`]) | (?P<skip>\n[ \t]*|c\s*) | (?P<bad>[xuU][0-9A-Fa-f]*|[\s\S])
      ) | (?P<doubled>''|"")""",
    re.VERBOSE,
)


def number_value(token: Token, file: SourceFile) -> int | float:
    """Value of a NUMBER or CHARACTER token.

    Raises
    ------
    ProgramError
        The number is too large for a float, an integer has too many digits, or one that its radix
        does not have.
    """
    if token.type == "CHARACTER":
        body = token[2:]
        return ord("'" if body == "''" else _unescape(body, token_start(token) + 2, file))
    radix, quote, digits = token.partition("'")
    if quote:
        return _in_radix(token, digits, int(radix), file)
    if token[:2] in _BASES or token.replace("_", "").isdigit():
        if len(token) <= _LARGEST_INTEGER:
            return int(token[2:], _BASES[token[:2]]) if token[:2] in _BASES else int(token)
    elif token == "1.0Inf":
        return math.inf
    elif (value := float(token)) < math.inf:
        return value
    span = token_span(token, file)
    raise ProgramError(words.NUMBER_TOO_LARGE(span, digits=_LARGEST_INTEGER))


def _in_radix(token: Token, digits: str, radix: int, file: SourceFile) -> int:
    """The value of `16'FF`."""
    wording = words.NUMBER_TOO_LARGE
    if len(token) <= _LARGEST_INTEGER:
        try:
            return int(digits, radix)
        except ValueError:
            raise ProgramError(
                words.BAD_NUMBER(token_span(token, file), text=excerpt(token))
            ) from None
    raise ProgramError(wording(token_span(token, file), digits=_LARGEST_INTEGER))


def quoted_text(token: Token, file: SourceFile) -> str:
    """The text between the quotes of a QUOTED, STRING or quoted FUNCTOR token, with escapes
    decoded.

    Raises
    ------
    ProgramError
        An escape sequence does not exist.
    """
    return _unescape(token[1:-1], token_start(token) + 1, file, token[0])


def _unescape(body: str, start: int, file: SourceFile, quote: str = "") -> str:
    """`body`, which starts at `start` in the file, with escapes and doubled quotes decoded."""
    if "\\" not in body and quote not in body:
        return body

    def replacement(match: re.Match[str]) -> str:
        if doubled := match["doubled"]:
            return quote if doubled == 2 * quote else doubled
        if letter := match["letter"]:
            return _LETTER_ESCAPES[letter]
        if match["skip"]:
            return ""
        digits, base = next(
            ((match[kind], base) for kind, base in _CODE_BASES if match[kind]), ("", 16)
        )
        if digits and len(digits) <= 8 and _is_character(code := int(digits, base)):
            return chr(code)
        span = SourceSpan(file, start + match.start(), start + match.end())
        raise ProgramError(words.BAD_ESCAPE(span, text=excerpt(match[0])))

    return _ESCAPE.sub(replacement, body)


_CODE_BASES = (("hex", 16), ("octal", 8), ("u4", 16), ("u8", 16))


def _is_character(code: int) -> bool:
    return code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
