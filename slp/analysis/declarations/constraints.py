"""Constraints: from the terms in `:- constraint(...)` to the constraints of `slp.constraints`."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from slp.analysis.declarations.box_leaves import read_shares
from slp.analysis.findings import Findings
from slp.analysis.sources.directives import CONSTRAINTS, Directives, name_of, span_of
from slp.analysis.sources.parameters import Values
from slp.constraints import FORMS, Form
from slp.constraints.prefer import Prefer
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint
from slp.ir.decisions import FeatureCost
from slp.ir.groups import Group, Named
from slp.ir.leaves import ClassShares
from slp.ir.made import Made
from slp.messages import Wording
from slp.messages import constraints as words
from slp.messages.names import name_help, plural
from slp.messages.synonyms import MEANT
from slp.source import SourceSpan
from slp.terms import Atom, Struct, Term, functor, list_items


def read_constraints(
    directives: Directives,
    boxes: Mapping[str, Box],
    malformed_boxes: Collection[str],
    groups: Mapping[str, Group],
    costs: tuple[FeatureCost, ...],
    made: Made,
    values: Values,
    findings: Findings,
) -> tuple[Constraint, ...]:
    """The constraints, in order. Malformed ones give findings and are left out.

    Constraints on `malformed_boxes` are left out without a finding, because the box has one
    already. `costs` are those of features that could be read, `made` the defined features.
    """
    all_read = "cost" not in directives.malformed and len(costs) == len(directives.of("cost"))
    reader = _ConstraintReader(
        boxes, malformed_boxes, groups, costs if all_read else None, made, values, findings
    )
    found = []
    for declared in directives.constraints:
        written, *cost = declared.args
        terms = [t for one in each_constraint(written) for t in _of_each_feature(one, groups)]
        for term in terms:
            constraint = reader.constraint(term, declared.span)
            if constraint is not None and cost:
                constraint = reader.preference(constraint, cost[0], declared.span)
            found.append(constraint)
    return tuple(c for c in found if c is not None)


def each_constraint(term: Term) -> list[Term]:
    """The constraints in a term, which may be one for each item of a list."""
    listed = {form.name for form in FORMS if form.listed}
    if isinstance(term, Struct) and term.name in listed and (items := list_items(term.args[0])):
        return [Struct(term.name, (item, *term.args[1:]), term.span) for item in items]
    return [term]


def _of_each_feature(term: Term, groups: Mapping[str, Group]) -> list[Term]:
    """The constraints in a term that names a group and stands for one on each of its features."""
    each = {form.name for form in FORMS if form.of_each_feature}
    if isinstance(term, Struct) and term.name in each and isinstance(term.args[0], Atom):
        group = groups.get(term.args[0].name)
        if group is not None:
            place = term.args[0].span
            atoms = [Atom(feature, place) for feature in group.features]
            return [Struct(term.name, (atom, *term.args[1:]), term.span) for atom in atoms]
    return [term]


class _ConstraintReader:
    def __init__(
        self,
        boxes: Mapping[str, Box],
        malformed_boxes: Collection[str],
        groups: Mapping[str, Group],
        costs: tuple[FeatureCost, ...] | None,
        made: Made,
        values: Values,
        findings: Findings,
    ) -> None:
        self.costs = costs
        self.made = made
        self.boxes = boxes
        self.malformed_boxes = malformed_boxes
        self.groups = groups
        self.values = values
        self.findings = findings
        self.forms = {(form.name, arity): form for form in FORMS for arity in form.arities}

    def constraint(self, term: Term, span: SourceSpan) -> Constraint | None:
        key = functor(term)
        if key is not None and key in self.forms and isinstance(term, Struct):
            form = self.forms[key]
            return form.read(term.args, _Arguments(self, form, span), span)
        if key is not None and key[0] in CONSTRAINTS:
            arguments, usage = plural(key[1], "argument"), CONSTRAINTS[key[0]]
            self.findings.add(
                words.CONSTRAINT_ARGUMENTS(span, name=key[0], arguments=arguments, usage=usage)
            )
        elif key in (("[|]", 2), (",", 2)):
            self.findings.add(words.SEVERAL_CONSTRAINTS(span))
        elif key is not None:
            help = MEANT.get(key[0]) or name_help(key[0], CONSTRAINTS, "constraint")
            self.findings.add(words.NO_CONSTRAINT(span, name=key[0], help=help))
        else:
            self.findings.add(words.CONSTRAINT_NOT_NAMED(span))
        return None

    def preference(self, constraint: Constraint, cost: Term, span: SourceSpan) -> Constraint | None:
        """`constraint` under `prefer`. Those of finished trees condition, as an infinite cost
        does."""
        value = self.values.number(cost, "the weight of `prefer`", span)
        if value is None:
            return None
        if value < 0:
            self.findings.add(words.NEGATIVE_PREFERENCE(span_of(cost, span), value=value))
            return None
        if constraint.by_code and not constraint.at_finished_tree:
            self.findings.add(words.PREFERS_CODE_AT_NODES(span))
            return None
        if constraint.leaf_in_box is not None:
            self.findings.add(words.SHARES_PREFERRED(span, box=constraint.leaf_in_box.box.name))
            return None
        if constraint.at_finished_tree and math.isinf(value):
            return constraint
        return Prefer(constraint, value, span)


class _Arguments:
    """See `slp.constraints.form.Arguments`."""

    def __init__(self, reader: _ConstraintReader, form: Form, span: SourceSpan) -> None:
        self.reader = reader
        self.findings = reader.findings
        self.form = form
        self.span = span

    def malformed(self, wording: Wording, term: Term | None = None, **values: Any) -> None:
        where = self.span if term is None else span_of(term, self.span)
        self.findings.add(wording(where, name=self.form.name, usage=self.form.usage, **values))

    def name(self, term: Term, what: str = "a feature") -> str | None:
        wordings = (words.VARIABLE_IN_CONSTRAINT, words.NO_NAME_IN_CONSTRAINT)
        return name_of(term, what, self.span, self.findings, wordings)

    def named(self, term: Term) -> Named | None:
        name = self.name(term)
        return None if name is None else self.reader.groups.get(name, name)

    def names(self, term: Term, least: int) -> tuple[Named, ...] | None:
        items = list_items(term)
        if items is None or len(items) < least:
            count = {1: "one feature", 2: "two features"}[least]
            self.malformed(words.TOO_FEW_NAMES, term, count=count)
            return None
        found = [self.named(t) for t in items]
        names = tuple(n for n in found if n is not None)
        if len(names) < len(found):
            return None
        features = [f for n in names for f in (n.features if isinstance(n, Group) else (n,))]
        twice = next((f for i, f in enumerate(features) if f in features[:i]), None)
        if twice is not None:
            self.malformed(words.NAMED_TWICE, term, feature=twice)
            return None
        return names

    def box(self, term: Term) -> Box | None:
        name, boxes = self.name(term, "a box"), self.reader.boxes
        if name is not None and name not in boxes and name not in self.reader.malformed_boxes:
            help = name_help(name, boxes, "box")
            help = help or f"declare it: box({name}, feature, 0, 10)."
            self.findings.add(words.NO_BOX(span_of(term, self.span), name=name, help=help))
        return boxes.get(name) if name is not None else None

    def shares(self, term: Term) -> ClassShares | None:
        return read_shares(term, self.span, self.reader.values, self.findings)

    def amount(self, term: Term, what: str) -> float | None:
        return self.reader.values.amount(term, what, self.span)

    @property
    def costs(self) -> tuple[FeatureCost, ...] | None:
        return self.reader.costs

    @property
    def every_made(self) -> Made:
        return self.reader.made

    def made(self, *names: Named) -> Made:
        return self.reader.made.about(names)

    def whole(self, term: Term, what: str, least: int) -> int | None:
        return self.reader.values.whole(term, what, self.span, least)

    def local(self, more: Sequence[Term]) -> bool | None:
        if more and more[0] != Atom("local"):
            self.malformed(words.NOT_LOCAL)
            return None
        return bool(more)
