"""Errors of proofs: each function makes the error of one code (E2xx).

The functions return the exception; the place that finds the fault raises it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from slp.errors import Diagnostic, NoGrammarError, ProgramError
from slp.messages import Wording
from slp.messages import proofs as words
from slp.messages.names import joined, nearest, plural
from slp.messages.other_languages import DENSITIES, OTHER_FUNCTIONS
from slp.messages.queries import (
    CROSSING_CUT,
    ENCLOSED_CHOICE,
    LARGE_SUM,
    NOTHING_TO_DRAW,
    REJECTION_OF_WEIGHTS,
    SEVERAL_PROOFS,
    TREE_AS_GOAL,
)
from slp.messages.tree_goals import NO_TREE_TO_ASK
from slp.resolution.machine.left_out import why_left_out
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, Text, Var, list_items

_Span = SourceSpan | None
_LONGEST = 40


class LimitError(ProgramError):
    """A proof reached a limit, so it is not known whether the goal succeeds.

    `ends_search`: whether the limit is that of the whole search, not only of this proof.
    """

    def __init__(
        self, diagnostics: Diagnostic | Iterable[Diagnostic], ends_search: bool = False
    ) -> None:
        super().__init__(diagnostics)
        self.ends_search = ends_search


class UnknownValueError(ProgramError):
    """E202: arithmetic meets an atom, `name`, that has no value."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic], name: str = "") -> None:
        super().__init__(diagnostics)
        self.name = name


class ThresholdError(ProgramError, NoGrammarError):
    """E230, E231: a rule uses the threshold of a split in a form that needs infinitely many
    states."""


class NeedsPrologError(ProgramError, NoGrammarError):
    """E264: Only SWI-Prolog can decide a goal."""


def describe(term: Term) -> str:
    """A term in a few words, for a message."""
    if isinstance(term, Var):
        return "an unbound variable" if term.name.startswith("_") else f"the variable `{term.name}`"
    if isinstance(term, Number):
        return f"the number {_short(repr(term.value))}"
    if isinstance(term, Atom):
        return f"the atom `{_short(term.name)}`"
    if isinstance(term, Text):
        return f'the string "{_short(term.value)}"'
    if term.name == "[|]" and len(term.args) == 2:
        return "a list" if list_items(term) is not None else "a list without an end"
    return f"the term `{_short(term.name)}/{len(term.args)}`"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _indicator(name: str, arity: int) -> str:
    return f"`{_short(name)}/{arity}`"


# --- errors with one wording -------------------------------------------------------------------
# Each helper makes a function: the error of a wording, from what the name says and a place.


def _at(
    wording: Wording, kind: type[ProgramError] = ProgramError
) -> Callable[[_Span], ProgramError]:
    return lambda span: kind(wording(span))


def _of_predicate(wording: Wording) -> Callable[[str, int, _Span], ProgramError]:
    return lambda name, arity, span: ProgramError(wording(span, predicate=_indicator(name, arity)))


def _of_term(wording: Wording) -> Callable[[Term, _Span], ProgramError]:
    return lambda term, span: ProgramError(wording(span, term=describe(term)))


def _of_variable(wording: Wording) -> Callable[[Var, _Span], ProgramError]:
    return lambda variable, span: ProgramError(wording(span, variable=variable.name))


def _of_name(wording: Wording) -> Callable[[str, _Span], ProgramError]:
    return lambda name, span: ProgramError(wording(span, name=name))


unbound_in_arithmetic = _of_variable(words.UNBOUND_IN_ARITHMETIC)
division_by_zero = _at(words.DIVISION_BY_ZERO)
undefined = _of_name(words.UNDEFINED_VALUE)
float_overflow = _at(words.FLOAT_TOO_LARGE)
not_a_number = _of_term(words.NO_NUMBER_IN_ARITHMETIC)
misplaced_rows = _at(words.MISPLACED_ROWS)
rows_in_disjunction = _at(words.ROWS_IN_DISJUNCTION)
no_class_of_rows = _of_term(words.NO_CLASS_OF_ROWS)
no_number_of_rows = _of_term(words.NOT_A_COUNT_OF_ROWS)
needs_integers_of_rows = _of_name(words.INTEGERS_OF_ROWS)
unbound_goal = _of_variable(words.UNBOUND_GOAL)
not_callable = _of_term(words.NOT_A_GOAL)
redefines_builtin = _of_predicate(words.BUILT_IN_PREDICATE)
stochastic_goal = _of_predicate(words.STOCHASTIC_GUARD)
unbound_state = _of_variable(words.UNBOUND_STATE)
feature_not_a_name = _of_term(words.NOT_A_FEATURE_NAME)
not_affine = _at(words.NOT_LINEAR, ThresholdError)
state_holds_threshold = _at(words.STATE_HOLDS_THRESHOLD, ThresholdError)
ambiguous_children = _at(words.AMBIGUOUS_CHILDREN)
enclosed_choice = _of_predicate(ENCLOSED_CHOICE)
no_tree_to_ask = _of_predicate(NO_TREE_TO_ASK)
crossing_cut = _at(CROSSING_CUT)
several_proofs = _at(SEVERAL_PROOFS)
nothing_to_draw = _at(NOTHING_TO_DRAW)
weighted_draws = _at(REJECTION_OF_WEIGHTS)
code_refused = _at(words.PROLOG_REFUSED)
needs_prolog = _at(words.NEEDS_PROLOG, NeedsPrologError)


# --- errors with values of their own -----------------------------------------------------------


def unknown_value(name: str, known: Iterable[str], span: _Span) -> UnknownValueError:
    """E202, for an atom."""
    near = nearest(name, known)
    return UnknownValueError(words.UNKNOWN_VALUE(span, name=_short(name), nearest=near), name)


def level_as_number(level: str, feature: str, span: _Span) -> ProgramError:
    """E202, for the level of a categorical feature."""
    return ProgramError(words.LEVEL_AS_NUMBER(span, name=_short(level), feature=feature))


def unknown_function(name: str, arity: int, known: Iterable[str], span: _Span) -> ProgramError:
    """E202, for a compound term."""
    function = _indicator(name, arity)
    if (meant := OTHER_FUNCTIONS.get((name, arity))) is not None:
        return ProgramError(words.OTHER_FUNCTION(span, function=function, meant=meant))
    if name in DENSITIES:
        return ProgramError(words.NO_DENSITY(span, function=function))
    near = nearest(name, known)
    return ProgramError(words.UNKNOWN_FUNCTION(span, function=function, nearest=near))


def integer_overflow(bits: int, span: _Span) -> ProgramError:
    """E205, for integers."""
    return ProgramError(words.INTEGER_TOO_LARGE(span, bits=bits))


def needs_integers(name: str, value: float, span: _Span) -> ProgramError:
    """E206, for a float where an integer is needed."""
    return ProgramError(words.NOT_AN_INTEGER(span, name=name, value=value))


def no_goal_of_rows(goal: Term, span: _Span) -> ProgramError:
    """E223, for a goal that holds what `rows` bound and is no comparison."""
    if isinstance(goal, Struct) and goal.name == ";":
        return rows_in_disjunction(span)
    return ProgramError(words.NO_GOAL_OF_ROWS(span, goal=describe(goal)))


def no_function_of_rows(name: str, arity: int, known: Iterable[str], span: _Span) -> ProgramError:
    """E223, for a function that does not exist for rows."""
    there = ", ".join(f"`{f}`" for f in dict.fromkeys(known))
    function = _indicator(name, arity)
    return ProgramError(words.NO_FUNCTION_OF_ROWS(span, function=function, known=there))


def unknown_predicate(
    name: str, arity: int, known: Iterable[tuple[str, int]], span: _Span
) -> ProgramError:
    """E210."""
    predicate, indicators = _indicator(name, arity), set(known)
    module = None if span is None else re.match(r"([a-z]\w*)\s*:\s*([a-z][^:]*)", span.text)
    if (name, arity) == (":", 2) and module is not None:
        text = _short(module[2])
        return ProgramError(words.IN_A_MODULE(span, module=module[1], goal=text))
    arities = sorted(n for other, n in indicators if other == name)
    if arities:
        others = joined(_indicator(name, n) for n in arities)
        found = words.UNKNOWN_PREDICATE_ARITY(span, predicate=predicate, others=others)
    elif (why := why_left_out(name)) is not None:
        found = words.LEFT_OUT_OF_THE_LANGUAGE(span, predicate=predicate, reason=why)
    else:
        best = nearest(name, (other for other, _ in indicators))
        arity = min((n for other, n in indicators if other == best), default=0)
        near = None if best is None else f"{best}/{arity}"
        found = words.UNKNOWN_PREDICATE(span, predicate=predicate, nearest=near)
    return ProgramError(found)


def unbound_argument(predicate: str, span: _Span) -> ProgramError:
    """E211, for an argument that a built-in needs bound."""
    return ProgramError(words.UNBOUND_ARGUMENT(span, predicate=predicate))


def wrong_type(predicate: str, needed: str, term: Term, span: _Span) -> ProgramError:
    """E212."""
    term_text = describe(term)
    return ProgramError(words.WRONG_TYPE(span, predicate=predicate, needed=needed, term=term_text))


def too_many_inferences(limit: int, span: _Span) -> LimitError:
    """E214."""
    return LimitError(words.TOO_MANY_INFERENCES(span, limit=limit), ends_search=True)


def all_draws_rejected(limit: int, draws: int, span: _Span) -> LimitError:
    """E214, where draws were made and none was accepted."""
    said = words.ALL_DRAWS_REJECTED(span, limit=limit, draws=plural(draws, "draw"))
    return LimitError(said, ends_search=True)


def too_deep(limit: int, span: _Span) -> LimitError:
    """E215."""
    return LimitError(words.RECURSION_TOO_DEEP(span, limit=limit))


def too_large(limit: int, span: _Span) -> LimitError:
    """E216."""
    return LimitError(words.TERM_TOO_LARGE(span, limit=limit))


def impossible_label(value: float, span: _Span) -> ProgramError:
    """E220."""
    if value == float("inf"):
        return ProgramError(words.INFINITE_LABEL(span))
    return ProgramError(words.LABEL_BELOW_0(span, value=value))


def large_sum(name: str, arity: int, total: float, span: _Span) -> ProgramError:
    """E242."""
    return ProgramError(LARGE_SUM(span, predicate=_indicator(name, arity), total=total))


def tree_goal(name: str, arity: int, span: _Span) -> ProgramError:
    """E243."""
    return ProgramError(TREE_AS_GOAL(span, nonterminal=f"`{_short(name)}//{arity}`"))


def swi_error(text: str, span: _Span) -> ProgramError:
    """E262, with SWI-Prolog's message."""
    return ProgramError(words.SWI_PROLOG_SAYS(span, text=text))


def stacks_full(megabytes: int, span: _Span) -> LimitError:
    """E265."""
    return LimitError(words.STACKS_FULL(span, megabytes=megabytes))
