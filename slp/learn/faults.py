"""What can go wrong in learning and takes some words to tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from slp.errors import Related, SlpError, UsageError
from slp.messages.proofs import (
    NOTHING_OF_THAT_NAME,
    SEVERAL_SOLUTIONS,
    SEVERAL_SOLUTIONS_OF_ONE,
    SEVERAL_SOLUTIONS_OF_TWO,
)
from slp.source import SourceSpan

__all__: list[str] = []


def several_solutions(goal: str, reached: Sequence[tuple[str, SourceSpan | None]] = ()) -> SlpError:
    """E284. `reached` are goals that the solutions lead to, with their places."""
    if not reached:
        return SlpError(SEVERAL_SOLUTIONS(goal=goal))
    (first, span), (last, other) = reached[0], reached[-1]
    wording = SEVERAL_SOLUTIONS_OF_ONE if first == last else SEVERAL_SOLUTIONS_OF_TWO
    related = [Related("and to this goal", other)] if other is not None and other != span else []
    return SlpError(wording(span, related=related, goal=goal, first=first, last=last))


def check_names(only: Iterable[str], known: Sequence[str]) -> None:
    """Raise E287 for the first name that is not among those known."""
    for name in only:
        if name not in known:
            raise _unknown_name(name, known)


def _unknown_name(name: str, known: Sequence[str]) -> UsageError:
    near = get_close_matches(name, known, n=1)
    help = f"what can be learned: {', '.join(known)}" if known else "nothing can be learned here"
    if near:
        help = f"did you mean {near[0]}? {help}"
    return UsageError(NOTHING_OF_THAT_NAME(name=name, help=help))
