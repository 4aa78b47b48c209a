"""Colours of programs in documents and notebooks: a lexer of Pygments, which is optional.

Pygments finds it by its entry point, under the name `slp` and for files `*.slp`. It tells the same
kinds of words apart as `grammars/slp.tmLanguage.json` does for editors.
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, include
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

__all__ = ["SlpLexer"]


class SlpLexer(RegexLexer):  # type: ignore[misc]  # pygments has no types
    """The tokens of a `.slp` file."""

    name = "slp"
    aliases: ClassVar[list[str]] = ["slp"]
    filenames: ClassVar[list[str]] = ["*.slp"]
    mimetypes: ClassVar[list[str]] = ["text/x-slp"]

    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [
            include("blanks"),
            (
                r"(:-)(\s*)(constraint|prefer)(\()(\s*)(\[?)(\s*)([a-z]\w*)",
                bygroups(
                    *(Keyword, Whitespace, Keyword.Declaration, Punctuation),
                    *(Whitespace, Punctuation, Whitespace, Name.Builtin),
                ),
                "clause",
            ),
            (r"(:-)(\s*)([a-z]\w*)", bygroups(Keyword, Whitespace, Keyword.Declaration), "clause"),
            (r"(?=[\s\S])", Whitespace, "clause"),
        ],
        "blanks": [
            (r"\s+", Whitespace),
            (r"%.*", Comment.Single),
            (r"/\*[\s\S]*?(?:\*/|\Z)", Comment.Multiline),
        ],
        "clause": [
            include("blanks"),
            (r"0'(?:\\x[0-9a-fA-F]+\\?|\\.|''|[^\\'])", String.Char),
            (r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+'[0-9a-zA-Z]+", Number.Integer),
            (r"\d[\d_]*(?:\.\d+(?:[eE][-+]?\d+)?|\.\d*[eE][-+]?\d+)", Number.Float),
            (r"\d[\d_]*", Number.Integer),
            (r"'(?:''|\\[\s\S]|[^'\\])*'?", String.Symbol),
            (r'"(?:""|\\[\s\S]|[^"\\])*"?', String.Double),
            (r"::|-->(?=[\s%]|$)|:-(?=[\s%]|$)", Keyword),
            (r"(?:split|leaf)\b", Keyword.Reserved),
            (r"(?:is|mod|rem|div|rdiv|xor)\b(?!\()", Operator.Word),
            (r"(?:inf|infinite|nan|pi|e)\b(?!\()", Name.Builtin.Pseudo),
            (r"\.(?=[\s%]|$)", Punctuation, "#pop"),
            (r"\w+(?=\()", Name.Function),
            (r"[^\W\da-z]\w*|_\w*", Name.Variable),
            (r"\w+", Name),
            (r"[][(){},|]", Punctuation),
            (r"[^\w\s]", Operator),
        ],
    }
