"""What can go wrong in learning, in words: each function makes the error of one code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from slp.errors import Diagnostic, ProgramError, Related, SlpError, UsageError
from slp.source import SourceSpan

__all__: list[str] = []


def not_an_observation(text: str, span: SourceSpan | None) -> ProgramError:
    """E280."""
    message = f"{text} is no goal to learn from"
    help = "an observation is one goal of a labelled or logical predicate, such as `same(heads).`"
    return ProgramError(Diagnostic("E280", message, span, help))


def not_an_answer(goal: str, span: SourceSpan | None) -> ProgramError:
    """E281."""
    message = f"this observation is no instance of the goal `{goal}`"
    help = "leave out the goal, or write one that all observations are answers to"
    return ProgramError(Diagnostic("E281", message, span, help))


def impossible(span: SourceSpan | None, count: int) -> ProgramError:
    """E282."""
    more = f", nor have {count - 1} others" if count > 1 else ""
    message = f"this observation has no proof under the program{more}"
    help = "`slp query` says where it fails; no labels above 0 can make it likely"
    return ProgramError(Diagnostic("E282", message, span, help))


def open_mass(what: str, mass: float, why: str) -> SlpError:
    """E283."""
    message = f"the proofs of `{what}` cannot be summed: {mass:.3g} of the mass is open: {why}"
    help = (
        "bound the recursion by an argument, begin with labels that end derivations sooner, or, if "
        "no derivation fails, learn without failures (`--plain`)"
    )
    return SlpError(Diagnostic("E283", message, help=help))


def several_solutions(what: str, reached: Sequence[tuple[str, SourceSpan | None]] = ()) -> SlpError:
    """E284. `reached` are goals that the solutions lead to, with their places."""
    message = f"logical goals below `{what}` have several solutions, so failure has no probability"
    help = (
        "choose between them by a labelled predicate, cut with `once`, or give a goal that has one "
        "solution by --goal (`goal` in Python)"
    )
    if not reached:
        return SlpError(Diagnostic("E284", message, help=help))
    (first, span), (last, other) = reached[0], reached[-1]
    if first == last:
        message += f": one way to prove it leads to `{first}`, and so does another"
    else:
        message += f": one way to prove it leads to `{first}`, another to `{last}`"
    related = [Related("and to this goal", other)] if other is not None and other != span else []
    return SlpError(Diagnostic("E284", message, span, help, tuple(related)))


def weights() -> SlpError:
    """E285."""
    message = "labels are weights here, and labels are learned from goals as probabilities"
    return SlpError(Diagnostic("E285", message, help="take out `:- weights.`"))


def nothing_to_learn(why: str) -> SlpError:
    """E286."""
    message = f"there is nothing to learn: {why}"
    help = "numbers as labels, parameters in labels and feature weights are learned"
    return SlpError(Diagnostic("E286", message, help=help))


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
    return UsageError(Diagnostic("E287", f"`{name}` is nothing that can be learned", help=help))


def no_data(what: str) -> UsageError:
    """E288."""
    message = f"there is nothing to learn from: {what}"
    help = "give goals for a program of clauses, tables for a program of tree rules"
    return UsageError(Diagnostic("E288", message, help=help))
