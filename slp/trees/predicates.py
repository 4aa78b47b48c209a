"""Predicates on finished trees and on nodes: the constraints that code decides.

A program names them, `python("module:function")`, or a caller gives a function
(`slp.Program.require`). `with_predicates` makes each one an `AskedPredicate`, which engines and
checks can call. This module alone decides which code of predicates runs, and only with permission.
For another language, add an entry to `HOSTS`.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from slp.constraints import Predicate
from slp.constraints.form import of_kind
from slp.constraints.prefer import Prefer
from slp.errors import ProgramError, SlpError
from slp.ir.constraints import Constraint
from slp.ir.program import CheckedProgram
from slp.late import optional_module
from slp.messages import Wording
from slp.messages.trees import (
    CODE_REFUSED,
    PREDICATE_GAVE_NO_ANSWER,
    PREDICATE_IS_NO_FUNCTION,
    PREDICATE_NOT_IMPORTED,
    PREDICATE_RAISED,
)
from slp.source import SourceSpan
from slp.terms import Text
from slp.trees.nodes import TreeNode

#: Makes the function that a predicate of a program names. The function takes a `Tree` (a
#: `TreeNode`, if the predicate is local) and returns True or False. Two threads never call it at
#: once.
Host: TypeAlias = Callable[[Predicate, CheckedProgram], Callable[[Any], object]]


@dataclass(eq=False)
class AskedPredicate:
    """A predicate that can be called, with counts of its results.

    Attributes
    ----------
    words : its name for people, such as `the Python predicate shape:small`.
    asked, refused : number of calls, and of results False.
    last_refused : the last tree or node for which it was False; None if there was none.
    seconds : total wall-clock time of the calls.
    named_by : the predicate and its program, if the program names the function.
    """

    words: str
    function: Callable[[Any], object]
    span: SourceSpan | None = None
    asked: int = 0
    refused: int = 0
    last_refused: Any = field(default=None, repr=False)
    seconds: float = 0.0
    named_by: tuple[Predicate, CheckedProgram] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickles and copies. A function that a program names is looked up again, with the same
        permission. A function of a caller is pickled by its name, as functions are."""
        counts = (self.asked, self.refused, self.last_refused, self.seconds)
        if self.named_by is not None:
            return _asked_again, (self.named_by, counts)
        return AskedPredicate, (self.words, self.function, self.span, *counts)

    def __call__(self, subject: Any) -> bool:
        """Whether the predicate holds for a tree (a node).

        Raises
        ------
        SlpError
            E653: it raised an exception, which is the cause of this one. E654: it returned neither
            True nor False. Both show the tree (the node).
        """
        with self._lock:
            self.asked += 1
            started = time.perf_counter()
            try:
                answer = self.function(subject)
            except (Exception, SystemExit) as error:
                raise self._fault(PREDICATE_RAISED, subject, error=_error_text(error)) from error
            finally:
                self.seconds += time.perf_counter() - started
            if not isinstance(answer, bool | np.bool_):
                raise self._fault(PREDICATE_GAVE_NO_ANSWER, subject, answer=_short(answer))
            if not answer:
                self.refused += 1
                self.last_refused = subject
            return bool(answer)

    @property
    def told(self) -> str:
        """Its counts and its speed, in words."""
        speed = f"; {self.asked / self.seconds:,.0f} calls a second" if self.seconds else ""
        return f"{self.asked:,} calls, {self.refused:,} refused, {self.seconds:.1f} s{speed}"

    @property
    def constraint(self) -> Predicate:
        """A function of a caller as a constraint on finished trees."""
        return Predicate("python", Text(self.words), False, function=self.function)

    def _fault(self, wording: Wording, subject: Any, **values: Any) -> SlpError:
        values |= {"call": self.asked, "kind": _kind(subject), "subject": subject}
        return SlpError(wording(self.span, predicate=self.words, **values))


def names_code(program: CheckedProgram) -> bool:
    """Whether a predicate of the program runs code that it names."""
    return bool(_unread(program))


def with_predicates(program: CheckedProgram, allow_code: bool) -> CheckedProgram:
    """The program with every predicate ready to be called, and counts at 0.

    Functions of the caller need no permission.

    Raises
    ------
    ProgramError
        E650: a predicate that the program names runs code, and `allow_code` is False. E651: there
        is no such module, or no such function in it.
    """
    if not allow_code:
        refused = [CODE_REFUSED(c.span, predicate=c.shown) for c in _unread(program)]
        if refused:
            raise ProgramError(refused)

    def ready(c: Constraint) -> Constraint:
        if isinstance(c, Prefer):
            return replace(c, constraint=ready(c.constraint))
        return replace(c, function=asked_predicate(c, program)) if isinstance(c, Predicate) else c

    return replace(program, constraints=tuple(map(ready, program.constraints)))


def tree_predicates(constraints: Iterable[Constraint]) -> list[AskedPredicate]:
    """The predicates on finished trees among constraints, made ready by `with_predicates`."""
    return _asked(c for c in of_kind(constraints, Predicate) if not c.local)


def asked_predicates(constraints: Iterable[Constraint]) -> list[AskedPredicate]:
    """All predicates among constraints and preferences, made ready by `with_predicates`."""
    return _asked(of_kind(_stated(constraints), Predicate))


def node_predicates(constraints: Iterable[Constraint]) -> list[AskedPredicate]:
    """The predicates on nodes among constraints, made ready by `with_predicates`."""
    return _asked(c for c in of_kind(constraints, Predicate) if c.local)


def refusals_in_words(asked: Iterable[AskedPredicate]) -> str:
    """Numbers of calls and rejections of each predicate, as the end of a sentence."""
    return "".join(
        f"; {p.words} refused {p.refused:,} of {p.asked:,} that it was asked of" for p in asked
    )


def refused_example(asked: Iterable[AskedPredicate]) -> str:
    """For the first predicate that rejected everything: what it rejected last, as lines to add to a
    help; empty if there is none."""
    p = next((p for p in asked if p.refused == p.asked > 0), None)
    if p is None:
        return ""
    return f"\n{p.words} refused this {_kind(p.last_refused)}, among others:\n{p.last_refused}"


def _asked(predicates: Iterable[Predicate]) -> list[AskedPredicate]:
    found = [p.function for p in predicates]
    asked = [f for f in found if isinstance(f, AskedPredicate)]
    assert len(asked) == len(found)
    return asked


def _unread(program: CheckedProgram) -> list[Predicate]:
    """The predicates whose code has not been loaded."""
    return [c for c in of_kind(_stated(program.constraints), Predicate) if is_unread(c)]


def _stated(constraints: Iterable[Constraint]) -> Iterator[Constraint]:
    """The constraints, and those that are preferred."""
    return (c.constraint if isinstance(c, Prefer) else c for c in constraints)


def is_unread(constraint: Constraint) -> bool:
    """Whether it is a predicate whose code has not been loaded."""
    return isinstance(constraint, Predicate) and constraint.function is None


def asked_predicate(predicate: Constraint, program: CheckedProgram) -> AskedPredicate:
    """A predicate of a program, ready to be called. This may run code.

    Raises
    ------
    ProgramError
        E651, as `with_predicates`.
    """
    assert isinstance(predicate, Predicate)
    function: Callable[[Any], object] | None = predicate.function
    named_by = None
    if isinstance(function, AskedPredicate):
        named_by, function = function.named_by, function.function
    if function is None:
        named_by = (predicate, program)
        function = HOSTS[predicate.language](predicate, program)
    words = predicate.shown
    return AskedPredicate(words, function, predicate.span, named_by=named_by)


def _asked_again(
    named_by: tuple[Predicate, CheckedProgram], counts: tuple[int, int, Any, float]
) -> AskedPredicate:
    out = asked_predicate(*named_by)
    out.asked, out.refused, out.last_refused, out.seconds = counts
    return out


# --- languages ---------------------------------------------------------------------------------


def _python_function(predicate: Predicate, program: CheckedProgram) -> Callable[[Any], object]:
    """The function of `python("module:function")`. Modules are searched on Python's path, then in
    the folder of the file that names them."""
    assert isinstance(predicate.goal, Text)
    module_name, _, name = predicate.goal.value.partition(":")
    span, words = predicate.span, predicate.shown
    if span is not None:
        folder = str(Path(span.file.name).resolve().parent)
        if folder not in sys.path:
            sys.path.append(folder)
    try:
        found: Any = getattr(importlib.import_module(module_name), name)
    except (Exception, SystemExit) as error:
        reason = _error_text(error)
        raise ProgramError(PREDICATE_NOT_IMPORTED(span, predicate=words, reason=reason)) from error
    if not callable(found):
        raise ProgramError(PREDICATE_IS_NO_FUNCTION(span, predicate=words, found=_short(found)))
    function: Callable[[Any], object] = found
    return function


def _prolog_function(predicate: Predicate, program: CheckedProgram) -> Callable[[Any], object]:
    """The goal of `prolog(Goal)`, proved by SWI-Prolog."""
    function: Callable[[Any], object]
    function = optional_module("swipl.predicates").prolog_function(
        predicate.goal, program, local=predicate.local, span=predicate.span
    )
    return function


#: Makes the functions of the predicates of each language.
HOSTS: dict[str, Host] = {"python": _python_function, "prolog": _prolog_function}


# --- words -------------------------------------------------------------------------------------


def _kind(subject: object) -> str:
    return "node" if isinstance(subject, TreeNode) else "tree"


def _error_text(error: BaseException) -> str:
    """An exception in one line, with the place in the predicate's own code."""
    if isinstance(error, SlpError):
        return f"an error: {error.diagnostics[0].message}"
    first = next(iter(_told(str, error).splitlines()), "")
    text = f"{type(error).__name__}: {first}" if first else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first is ours
    own = [frame for frame in frames if "importlib" not in frame.filename]
    place = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    return f"{text}{place}"


def _short(value: object, most: int = 60) -> str:
    text = _told(repr, value)
    return text if len(text) <= most else f"{text[:most]}..."


def _told(words: Callable[[object], str], value: object) -> str:
    """The text of a user's object; if that fails, its class."""
    try:
        return words(value)
    except Exception:
        return f"<{type(value).__name__}>"
