"""Lines of a new program: directives, which the printer writes and quotes, and comments."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import islice
from typing import Any

from numpy.typing import NDArray

from slp.data.columns import Column
from slp.leaves import MODELS, Responses
from slp.syntax import term_to_text
from slp.terms import Atom, Number, Struct, Term

_LINE = 88  # characters of a line of comment


def comment(text: str) -> Iterator[str]:
    """A paragraph as comments."""
    lines = textwrap.wrap(text, _LINE, break_long_words=False, break_on_hyphens=False)
    yield from (f"% {line}" for line in lines)


def offered(line: str) -> str:
    """A directive that a person may put in force by taking the sign of a comment away."""
    return f"%{line}"


def directive(name: str, *arguments: Term, end: str = "") -> str:
    """A directive as a line, with `end` behind it."""
    return f":- {term_to_text(Struct(name, arguments))}.{end}"


def atom_of(column: Column) -> Atom:
    """The name of a column as a term."""
    return Atom(column.name)


def leaf_lines(responses: Responses, y: NDArray[Any], before: str = "") -> Iterator[str]:
    """The declaration of the first model that offers one for such responses, with its comments."""
    of_kind = (model for model in MODELS.values() if model.responses == responses)
    offers = ((model.name, found) for model in of_kind if (found := model.first_declaration(y)))
    for name, offer in islice(offers, 1):
        lines = list(offer.above)
        if lines:
            lines[0] = before + lines[0]
        yield from (f"% {line}" for line in lines)
        model = Struct(name, tuple(map(Number, offer.numbers)))
        yield directive("leaf", model, end=f"  % {offer.behind}" if offer.behind else "")
