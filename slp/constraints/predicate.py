"""`python("module:function")`, `prolog(Goal)`: code decides, on each node if `local`, else on the
finished tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal

from slp.constraints.form import Arguments, Form
from slp.errors import Diagnostic, UsageError
from slp.ir.constraints import Constraint
from slp.ir.words import term_text
from slp.messages import constraints as words
from slp.messages.lowering import DECIDED_BY_CODE_AT_NODES, DECIDED_BY_CODE_AT_TREE
from slp.messages.trees import NOT_A_FUNCTION
from slp.source import SourceSpan, visible
from slp.terms import Atom, Struct, Term, Text, functor

_PYTHON_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


@dataclass(frozen=True)
class Predicate(Constraint):
    """A predicate in Python (`module:function`) or Prolog (a goal): on each node if `local`, else
    on the tree.

    `function` is the caller's function, or the function that `slp.trees.predicates` made of the
    goal. None if the goal names code that has not been loaded.
    """

    name: ClassVar[str] = "predicate"
    language: Literal["python", "prolog"]
    goal: Term
    local: bool = False
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    function: Callable[[Any], object] | None = field(default=None, repr=False)

    @property
    def decided_at(self) -> str:
        permission = "" if self.function is not None else ", if code is allowed"
        return f"decided by code at {'each node' if self.local else 'the tree'}{permission}"

    @property
    def at_finished_tree(self) -> bool:
        return not self.local

    @property
    def by_code(self) -> bool:
        return True

    @property
    def by_more_than_features(self) -> str:
        return "predicates"

    @property
    def shown(self) -> str:
        """Its name for people: `the Python predicate shape:small`."""
        name = self.goal.value if isinstance(self.goal, Text) else term_text(self.goal)
        return f"the {self.language.capitalize()} predicate {visible(name)}"

    def words(self) -> str:
        where = "every node" if self.local else "the finished tree"
        return f"The {self.shown[4:]} holds of {where}."

    def to_plain(self) -> dict[str, Any]:
        return {"kind": "code", "words": self.words()}

    def beyond_grammar(self) -> Diagnostic:
        by_code = DECIDED_BY_CODE_AT_NODES if self.local else DECIDED_BY_CODE_AT_TREE
        return by_code(self.span, name=self.shown)


def required(function: Callable[[Any], bool], local: bool) -> Predicate:
    """A caller's function as a constraint, with the name of its definition.

    Raises
    ------
    UsageError
        E655: `function` cannot be called.
    """
    if not callable(function):
        raise UsageError(NOT_A_FUNCTION(given=function))
    named: Any = function
    while isinstance(named, partial):
        named = named.func
    name = getattr(named, "__qualname__", type(named).__qualname__)
    return Predicate("python", Text(f"{named.__module__}:{name}"), local, function=function)


def _python(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Predicate | None:
    local = given.local(args[1:])
    term = args[0]
    text = term.value if isinstance(term, Text) else term.name if isinstance(term, Atom) else ""
    if not _PYTHON_NAME.fullmatch(text):
        given.malformed(words.NO_PYTHON_FUNCTION, term)
        return None
    return None if local is None else Predicate("python", Text(text, term.span), local, span)


def _prolog(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Predicate | None:
    local = given.local(args[1:])
    goal = args[0]
    while isinstance(goal, Struct) and goal.name == ":" and len(goal.args) == 2:
        goal = goal.args[1]
    if functor(goal) is None:
        given.malformed(words.NO_PROLOG_GOAL, args[0])
        return None
    return None if local is None else Predicate("prolog", args[0], local, span)


PYTHON = Form(
    "python", '`python("module:function")` or `python("module:function", local)`', (1, 2), _python
)
PROLOG = Form("prolog", "`prolog(Goal)` or `prolog(Goal, local)`", (1, 2), _prolog)
