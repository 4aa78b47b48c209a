"""What can go wrong in a proof, in words: each function makes the error of one code (E2xx).

The functions return the exception; the place that finds the fault raises it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from heapq import nsmallest

from slp.errors import Diagnostic, ProgramError
from slp.resolution.left_out import why_left_out
from slp.source import SourceSpan
from slp.terms import Atom, Number, Term, Text, Var, list_items

__all__ = ["LimitError", "describe", "nearest"]

_Span = SourceSpan | None
_LONGEST = 40
_LONGEST_COMPARED = 60  # characters of a name for which a near one is looked for
_MOST_COMPARED = 200


class LimitError(ProgramError):
    """A proof came to a limit: nothing is wrong for certain, but nothing is known either."""


def _error(code: str, message: str, span: _Span, help: str | None = None) -> ProgramError:
    return ProgramError(Diagnostic(code, message, span, help))


def _limit(code: str, message: str, span: _Span, help: str | None = None) -> LimitError:
    return LimitError(Diagnostic(code, message, span, help))


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name most like `name`, None if none is near.

    Comparing takes time quadratic in the length of names, and there may be many: no more than
    `_MOST_COMPARED` of like length are looked at, and no long ones.
    """
    if len(name) > _LONGEST_COMPARED:
        return None
    shortest, longest = len(name) / 3, len(name) * 3  # less alike in length is not alike at all
    alike = {other for other in names if shortest <= len(other) <= longest}
    if len(alike) > _MOST_COMPARED:
        alike = set(nsmallest(_MOST_COMPARED, alike, key=lambda o: (abs(len(o) - len(name)), o)))
    found = get_close_matches(name, sorted(alike), n=1)
    return found[0] if found else None


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


def _meant(name: str | None) -> str | None:
    return None if name is None else f"did you mean `{name}`?"


# --- arithmetic --------------------------------------------------------------------------------


def unbound_in_arithmetic(variable: Var, span: _Span) -> ProgramError:
    """E201."""
    help = "bind it before it is used: in the head, or by a goal to the left"
    message = f"arithmetic needs a number, but `{variable.name}` is not bound"
    return _error("E201", message, span, help)


def unknown_value(name: str, known: Iterable[str], span: _Span) -> ProgramError:
    """E202, for an atom."""
    help = _meant(nearest(name, known)) or f"declare it with `:- param({_short(name)}, VALUE).`"
    return _error("E202", f"`{_short(name)}` is neither a parameter nor a number", span, help)


def unknown_function(name: str, arity: int, known: Iterable[str], span: _Span) -> ProgramError:
    """E202, for a compound term."""
    help = _meant(nearest(name, known))
    return _error("E202", f"{_indicator(name, arity)} is not an arithmetic function", span, help)


def division_by_zero(span: _Span) -> ProgramError:
    """E203."""
    return _error("E203", "division by zero", span)


def undefined(name: str, span: _Span) -> ProgramError:
    """E204."""
    return _error("E204", f"`{name}` has no value here: the result is not a real number", span)


def float_overflow(span: _Span) -> ProgramError:
    """E205, for floats."""
    return _error("E205", "the result is too large for a floating-point number", span)


def integer_overflow(bits: int, span: _Span) -> ProgramError:
    """E205, for integers."""
    help = "write a float, such as 10.0 in place of 10, to compute with floating-point numbers"
    return _error("E205", f"the result has more than {bits} bits", span, help)


def not_a_number(term: Term, span: _Span) -> ProgramError:
    """E206, for a string or a list in arithmetic."""
    return _error("E206", f"arithmetic needs a number, not {describe(term)}", span)


def needs_integers(name: str, value: float, span: _Span) -> ProgramError:
    """E206, for a float where an integer is needed."""
    return _error("E206", f"`{name}` needs integers, not {value!r}", span)


# --- rows of the box ---------------------------------------------------------------------------


def no_goal_of_rows(goal: Term, span: _Span) -> ProgramError:
    """E223, for a goal that holds what `rows` bound and is no comparison."""
    message = f"{describe(goal)} asks about a number of rows, which only the box knows"
    help = "compare the number (`N >= 10`), or compute with it (`M is N // 2`)"
    return _error("E223", message, span, help)


def misplaced_rows(span: _Span) -> ProgramError:
    """E223, for `rows` inside another goal, or behind a split."""
    message = "`rows` is asked before the split, by a guard of its own"
    help = "write `{ rows(N), N >= 10 }` in front, outside of `;`, `\\+`, `findall` and the like"
    return _error("E223", message, span, help)


def no_class_of_rows(term: Term, span: _Span) -> ProgramError:
    """E223, for the class of `rows(Class, N)`."""
    message = f"`rows(Class, N)` needs the name of a class, not {describe(term)}"
    return _error("E223", message, span, "name it, as in `rows(yes, N)`")


def no_number_of_rows(term: Term, span: _Span) -> ProgramError:
    """E223, for what is no number of rows."""
    message = f"{describe(term)} is no number of rows"
    return _error("E223", message, span, "write a variable or a number")


def no_function_of_rows(name: str, arity: int, known: Iterable[str], span: _Span) -> ProgramError:
    """E223, for a function that is not there for rows."""
    message = f"{_indicator(name, arity)} cannot be taken of a number of rows"
    there = ", ".join(f"`{f}`" for f in dict.fromkeys(known))
    return _error("E223", message, span, f"there are {there}")


def needs_integers_of_rows(name: str, span: _Span) -> ProgramError:
    """E223, for an integer function of what need not be an integer."""
    message = f"`{name}` needs integers, and this number of rows need not be one"
    return _error("E223", message, span, "round it first: `floor`, `ceiling`, `round`")


# --- resolution --------------------------------------------------------------------------------


def unknown_predicate(
    name: str, arity: int, known: Iterable[tuple[str, int]], span: _Span
) -> ProgramError:
    """E210."""
    indicators = set(known)
    arities = sorted(n for other, n in indicators if other == name)
    why = why_left_out(name)
    if why is not None and not arities:
        message = f"{_indicator(name, arity)} is left out of the language"
        return _error("E210", message, span, why)
    if arities:
        help = f"there is {' and '.join(_indicator(name, n) for n in arities)}"
    else:
        best = nearest(name, (other for other, _ in indicators))
        near = sorted(i for i in indicators if i[0] == best)
        help = f"did you mean {_indicator(*near[0])}?" if near else "define it by facts or clauses"
    return _error("E210", f"unknown predicate {_indicator(name, arity)}", span, help)


def unbound_argument(predicate: str, span: _Span) -> ProgramError:
    """E211, for an argument that a built-in needs bound."""
    help = "bind it by a goal to the left"
    return _error("E211", f"{predicate} needs an argument that is not bound yet", span, help)


def unbound_goal(variable: Var, span: _Span) -> ProgramError:
    """E211, for a goal."""
    help = "bind it by a goal to the left"
    return _error("E211", f"`{variable.name}` is called as a goal, but is not bound", span, help)


def wrong_type(predicate: str, needs: str, term: Term, span: _Span) -> ProgramError:
    """E212."""
    return _error("E212", f"{predicate} needs {needs}, not {describe(term)}", span)


def not_callable(term: Term, span: _Span) -> ProgramError:
    """E213."""
    return _error("E213", f"{describe(term)} is not a goal", span)


def too_many_inferences(limit: int, span: _Span) -> ProgramError:
    """E214."""
    help = "does a recursive clause lack a guard that ends it?"
    return _limit("E214", f"gave up after {limit} inferences", span, help)


def too_deep(limit: int, span: _Span) -> ProgramError:
    """E215."""
    help = "does a recursive clause lack a guard that ends it?"
    return _limit("E215", f"gave up at a recursion {limit} calls deep", span, help)


def too_large(limit: int, span: _Span) -> ProgramError:
    """E216."""
    return _limit("E216", f"a term has more than {limit} parts", span)


def redefines_builtin(name: str, arity: int, span: _Span) -> ProgramError:
    """E217."""
    help = "give the predicate another name"
    return _error("E217", f"{_indicator(name, arity)} is built in", span, help)


def stochastic_goal(name: str, arity: int, span: _Span) -> ProgramError:
    """E218."""
    help = "a guard tests or computes: call a predicate whose clauses have no labels"
    message = f"{_indicator(name, arity)} has labelled clauses and cannot be called in a guard"
    return _error("E218", message, span, help)


# --- rules, labels, splits ---------------------------------------------------------------------


def impossible_label(value: float, span: _Span) -> ProgramError:
    """E220."""
    why = "infinite" if value == float("inf") else f"negative ({value:g})"
    return _error("E220", f"the label is {why}", span, "a label is a number from 0 up")


def unbound_state(variable: Var, span: _Span) -> ProgramError:
    """E221."""
    help = "bind it in the head or by a guard"
    return _error("E221", f"`{variable.name}` in a nonterminal's argument is not bound", span, help)


def feature_not_a_name(term: Term, span: _Span) -> ProgramError:
    """E222."""
    return _error("E222", f"a split needs a feature's name, not {describe(term)}", span)


def not_affine(span: _Span) -> ProgramError:
    """E230."""
    message = "this guard uses the threshold in a way that cannot be cut into intervals"
    help = "compare sums and multiples of the threshold with numbers"
    return _error("E230", message, span, help)


def state_holds_threshold(span: _Span) -> ProgramError:
    """E231."""
    message = "the threshold is in a nonterminal's argument: there would be endlessly many states"
    help = "pass on what a comparison of the threshold decides, such as `low` or `high`"
    return _error("E231", message, span, help)


def ambiguous_children(span: _Span) -> ProgramError:
    """E232."""
    message = "the guards behind the split have answers that lead to different children"
    return _error("E232", message, span, "choose before the split")


# --- queries -----------------------------------------------------------------------------------


def enclosed_choice(name: str, arity: int, span: _Span) -> ProgramError:
    """E240."""
    message = f"{_indicator(name, arity)} has labelled clauses and is called inside a condition"
    help = (
        "call it before: conditions, `\\+`, `findall` and `forall` test what has been drawn already"
    )
    return _error("E240", message, span, help)


def crossing_cut(span: _Span) -> ProgramError:
    """E241."""
    message = "a cut takes away alternatives that stand before a stochastic goal"
    help = "cut before the stochastic goal is called, or write clauses that exclude each other"
    return _error("E241", message, span, help)


def large_sum(name: str, arity: int, total: float, span: _Span) -> ProgramError:
    """E242."""
    message = f"the labels of {_indicator(name, arity)} that match here sum to {total:.6g}, above 1"
    help = "bind an argument by a goal to the left, or declare `:- weights.`"
    return _error("E242", message, span, help)


def tree_goal(name: str, arity: int, span: _Span) -> ProgramError:
    """E243."""
    nonterminal = f"`{_short(name)}//{arity}`"
    message = f"{nonterminal} is defined by tree rules, which mean nothing without a table"
    help = "query what `slp expand FILE DATA` prints, or see `slp prior FILE DATA`"
    return _error("E243", message, span, help)


def several_proofs(span: _Span) -> ProgramError:
    """E244."""
    message = "logical goals can be proved in several ways, which drawing cannot weigh"
    help = "ask for the answers' probabilities, or draw with failure by backtracking"
    return _error("E244", message, span, help)


def nothing_to_draw(span: _Span) -> ProgramError:
    """E245."""
    message = "the goal has no proof, so there is nothing to draw"
    return _error("E245", message, span, "`slp query` without draws says where it fails")


def mass_overflow(span: _Span) -> ProgramError:
    """E247."""
    message = "the weights of this proof multiply to more than a floating-point number can hold"
    return _error("E247", message, span, "divide the labels of each predicate by a constant")


def weighted_draws(span: _Span) -> ProgramError:
    """E246."""
    message = "labels are weights here, so that rejection cannot tell how often to accept"
    return _error("E246", message, span, "draw with failure by backtracking")


# --- SWI-Prolog --------------------------------------------------------------------------------


def swi_error(text: str, span: _Span) -> ProgramError:
    """E262, in SWI-Prolog's words."""
    return _error("E262", f"SWI-Prolog says: {text}", span)


def code_refused(span: _Span) -> ProgramError:
    """E263."""
    message = "`prolog(...)` can do whatever SWI-Prolog can, and is refused"
    return _error("E263", message, span, "allow it with --allow-code, if you trust this program")


def needs_prolog(span: _Span) -> ProgramError:
    """E264."""
    message = "`prolog(...)` needs SWI-Prolog"
    return _error("E264", message, span, "ask with `--engine prolog --allow-code`")


def stacks_full(megabytes: int, span: _Span) -> ProgramError:
    """E265."""
    help = "does a recursive clause lack a guard that ends it?"
    message = f"gave up when a proof filled {megabytes} MiB of SWI-Prolog's stacks"
    return _limit("E265", message, span, help)
