"""Constraints: from the terms in `:- constraint(...)` to the nodes of `slp.ir.constraints`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import CONSTRAINTS, Declared, name_of, span_of
from slp.analysis.sources.parameters import Values
from slp.data.cells import cell_text
from slp.ir.constraints import (
    Before,
    Box,
    Constant,
    Constraint,
    Exclusive,
    First,
    Forbid,
    Interaction,
    Majority,
    MaxFeatures,
    MaxLeaves,
    Monotone,
    Once,
    Predicate,
)
from slp.messages import Wording
from slp.messages import constraints as words
from slp.messages.names import name_help, plural
from slp.messages.synonyms import MEANT
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, Text, functor, list_items

_PYTHON_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def read_constraints(
    declared: list[Declared],
    boxes: Mapping[str, Box],
    malformed_boxes: Collection[str],
    values: Values,
    findings: Findings,
) -> tuple[Constraint, ...]:
    """The constraints, in order. Malformed ones give findings and are left out.

    Constraints on `malformed_boxes` are left out without a finding, because the box has one
    already.
    """
    reader = _ConstraintReader(boxes, malformed_boxes, values, findings)
    found = (reader.constraint(term, d.span) for d in declared for term in _each(d.args[0]))
    return tuple(c for c in found if c is not None)


def _each(term: Term) -> list[Term]:
    """The constraints in a term: `forbid([F, G])` is one for each feature."""
    if isinstance(term, Struct) and term.name == "forbid" and (items := list_items(term.args[0])):
        return [Struct("forbid", (item, *term.args[1:]), term.span) for item in items]
    return [term]


class _ConstraintReader:
    def __init__(
        self,
        boxes: Mapping[str, Box],
        malformed_boxes: Collection[str],
        values: Values,
        findings: Findings,
    ) -> None:
        self.boxes = boxes
        self.malformed_boxes = malformed_boxes
        self.values = values
        self.findings = findings
        self.readers: dict[
            tuple[str, int], Callable[[tuple[Term, ...], SourceSpan], Constraint | None]
        ] = {
            ("constant", 1): self.constant,
            ("forbid", 1): self.forbid,
            ("forbid", 2): self.forbid,
            ("first", 1): self.first,
            ("before", 2): self.before,
            ("once", 1): self.once,
            ("exclusive", 1): self.exclusive,
            ("interaction", 1): self.interaction,
            ("majority", 2): self.majority,
            ("max_leaves", 1): self.max_leaves,
            ("max_features", 1): self.max_features,
            ("monotone", 2): self.monotone,
            ("python", 1): self.python,
            ("python", 2): self.python,
            ("prolog", 1): self.prolog,
            ("prolog", 2): self.prolog,
        }

    def constraint(self, term: Term, span: SourceSpan) -> Constraint | None:
        key = functor(term)
        if key is not None and key in self.readers and isinstance(term, Struct):
            return self.readers[key](term.args, span)
        if key is not None and key[0] in CONSTRAINTS:
            self.malformed(
                words.CONSTRAINT_ARGUMENTS, key[0], span, arguments=plural(key[1], "argument")
            )
        elif key in (("[|]", 2), (",", 2)):
            self.findings.add(words.SEVERAL_CONSTRAINTS(span))
        elif key is not None:
            help = MEANT.get(key[0]) or name_help(key[0], CONSTRAINTS, "constraint")
            self.findings.add(words.NO_CONSTRAINT(span, name=key[0], help=help))
        else:
            self.findings.add(words.CONSTRAINT_NOT_NAMED(span))
        return None

    def malformed(self, wording: Wording, name: str, span: SourceSpan, **values: Any) -> None:
        self.findings.add(wording(span, name=name, usage=CONSTRAINTS[name], **values))

    # --- arguments -----------------------------------------------------------------------------

    def name(self, term: Term, span: SourceSpan, what: str = "a feature") -> str | None:
        wordings = (words.VARIABLE_IN_CONSTRAINT, words.NO_NAME_IN_CONSTRAINT)
        return name_of(term, what, span, self.findings, wordings)

    def names(self, term: Term, owner: str, least: int, span: SourceSpan) -> tuple[str, ...] | None:
        """The features in a list of at least `least` names, without repeats."""
        items = list_items(term)
        where = span_of(term, span)
        if items is None or len(items) < least:
            count = {1: "one feature", 2: "two features"}[least]
            self.malformed(words.TOO_FEW_NAMES, owner, where, count=count)
            return None
        found = [self.name(t, span) for t in items]
        names = tuple(n for n in found if n is not None)
        if len(names) < len(found):
            return None
        twice = next((n for i, n in enumerate(names) if n in names[:i]), None)
        if twice is not None:
            self.malformed(words.NAMED_TWICE, owner, where, feature=twice)
            return None
        return names

    def box(self, term: Term, span: SourceSpan) -> Box | None:
        name = self.name(term, span, "a box")
        if name is not None and name not in self.boxes and name not in self.malformed_boxes:
            help = name_help(name, self.boxes, "box")
            help = help or f"declare it: box({name}, feature, 0, 10)."
            self.findings.add(words.NO_BOX(span_of(term, span), name=name, help=help))
        return self.boxes.get(name) if name is not None else None

    def local(self, owner: str, args: tuple[Term, ...], span: SourceSpan) -> bool | None:
        if len(args) == 2 and args[1] != Atom("local"):
            self.malformed(words.NOT_LOCAL, owner, span)
            return None
        return len(args) == 2

    # --- the constraints -----------------------------------------------------------------------

    def constant(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        box = self.box(args[0], span)
        return Constant(box, span) if box else None

    def forbid(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        feature = self.name(args[0], span)
        below, within = None, None
        if len(args) == 2:
            where = args[1]
            if functor(where) == ("below", 1) and isinstance(where, Struct):
                below = self.values.whole(where.args[0], "the depth in `below`", span, 0)
            elif functor(where) == ("within", 1) and isinstance(where, Struct):
                within = self.box(where.args[0], span)
            else:
                self.malformed(words.NO_PART_TO_FORBID, "forbid", span_of(where, span))
            if below is None and within is None:
                return None
        return Forbid(feature, below, within, span) if feature is not None else None

    def first(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        feature = self.name(args[0], span)
        return First(feature, span) if feature is not None else None

    def before(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        feature, then = self.name(args[0], span), self.name(args[1], span)
        return None if feature is None or then is None else Before(feature, then, span)

    def once(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        feature = self.name(args[0], span)
        return Once(feature, span) if feature is not None else None

    def exclusive(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        names = self.names(args[0], "exclusive", 2, span)
        return Exclusive(names, span) if names else None

    def interaction(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        items = list_items(args[0])
        if not items:
            self.malformed(words.NO_GROUPS, "interaction", span_of(args[0], span))
            return None
        groups = [self.names(t, "interaction", 1, span) for t in items]
        found = tuple(g for g in groups if g is not None)
        return Interaction(found, span) if len(found) == len(groups) else None

    def majority(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        box = self.box(args[0], span)
        if isinstance(args[1], Number):
            outcome: str | None = cell_text(args[1].value)
        else:
            outcome = self.name(args[1], span, "a class")
        return None if box is None or outcome is None else Majority(box, outcome, span)

    def max_leaves(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        count = self.values.whole(args[0], "`max_leaves`", span, 1)
        return None if count is None else MaxLeaves(count, span)

    def max_features(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        count = self.values.whole(args[0], "`max_features`", span, 1)
        return None if count is None else MaxFeatures(count, span)

    def monotone(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        feature = self.name(args[0], span)
        if args[1] not in (Atom("up"), Atom("down")):
            self.malformed(words.NO_DIRECTION, "monotone", span_of(args[1], span))
            return None
        if feature is None:
            return None
        return Monotone(feature, "up" if args[1] == Atom("up") else "down", span)

    def python(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        local = self.local("python", args, span)
        term = args[0]
        text = term.value if isinstance(term, Text) else term.name if isinstance(term, Atom) else ""
        if not _PYTHON_NAME.fullmatch(text):
            self.malformed(words.NO_PYTHON_FUNCTION, "python", span_of(term, span))
            return None
        return None if local is None else Predicate("python", Text(text, term.span), local, span)

    def prolog(self, args: tuple[Term, ...], span: SourceSpan) -> Constraint | None:
        local = self.local("prolog", args, span)
        goal = args[0]
        while isinstance(goal, Struct) and goal.name == ":" and len(goal.args) == 2:
            goal = goal.args[1]
        if functor(goal) is None:
            self.malformed(words.NO_PROLOG_GOAL, "prolog", span_of(args[0], span))
            return None
        return None if local is None else Predicate("prolog", args[0], local, span)
