"""Faults of learning whose messages need some computation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Real

from slp.errors import Related, SlpError, UsageError
from slp.learn.label_priors import MOST_CONCENTRATION
from slp.messages import learning as words
from slp.messages.names import nearest
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Term

_Place = tuple[str, SourceSpan | None]


def several_solutions(
    goal: str, reached: Sequence[_Place], behind: _Place | None, clause: SourceSpan | None
) -> SlpError:
    """The diagnostic E284. `reached` has up to two goals that the solutions lead to, and fewer if
    solutions end in proofs. `behind` is the goal after which they stand. Each has its place.
    `clause` is the place of the first clause of `goal`."""
    if not reached:
        if behind is None:
            return SlpError(words.SEVERAL_SOLUTIONS(clause, goal=goal))
        return SlpError(words.SEVERAL_SOLUTIONS_BEHIND(behind[1], goal=goal, behind=behind[0]))
    (first, span), (last, other) = reached[0], reached[-1]
    if len(reached) == 1:
        return SlpError(words.SEVERAL_SOLUTIONS_AND_THE_END(span, goal=goal, first=first))
    wording = words.SEVERAL_SOLUTIONS_OF_ONE if first == last else words.SEVERAL_SOLUTIONS_OF_TWO
    related = [Related("and to this goal", other)] if other is not None and other != span else []
    return SlpError(wording(span, related=related, goal=goal, first=first, last=last))


def other_answers(
    goal: Term, span: SourceSpan | None, seen: SourceSpan | None, error: SlpError | None
) -> SlpError:
    """The diagnostic E289 for a goal at its place, and the observation at `seen`. `error` is what
    the goal with free arguments has in place of answers, None where it has answers."""
    related = [] if seen is None else [Related("bound by this observation", seen)]
    text = term_to_text(goal)
    if error is None:
        return SlpError(words.OTHER_ANSWERS(span, related=related, goal=text))
    reason = error.diagnostics[0].message
    return SlpError(words.ERROR_WHERE_FREE(span, related=related, goal=text, reason=reason))


def check_names(only: Iterable[str], known: Sequence[str]) -> None:
    """Raise E287 for the first name that is not known."""
    for name in only:
        if name not in known:
            raise _unknown_name(name, known)


def _unknown_name(name: str, known: Sequence[str]) -> UsageError:
    if not known:
        return UsageError(words.NOTHING_CAN_BE_LEARNED(name=name))
    near = nearest(name, known)
    return UsageError(words.NOTHING_OF_THAT_NAME(name=name, nearest=near, known=", ".join(known)))


def check_concentrations(concentrations: Mapping[str, float], learned: Collection[str]) -> None:
    """Raise E292 for the first concentration that is none, or is of no predicate that is learned.
    That of all others is under ""."""
    for name, value in concentrations.items():
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not (is_number and 1 <= value <= MOST_CONCENTRATION):
            raise UsageError(words.CONCENTRATION_OUT_OF_RANGE(value=value))
        if name and name not in learned:
            known = ", ".join(sorted(learned)) or "none"
            raise UsageError(words.CONCENTRATION_OF_NOTHING(name=name, known=known))
        if value != 1 and not learned:
            raise UsageError(words.NO_LABELS_WITH_PRIORS())
