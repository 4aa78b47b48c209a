"""The predicates about trees: their definition (docs/tree-goals.md), and the checks of what they
are given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from slp.data.table import Table
from slp.errors import ProgramError
from slp.leaves import label_text
from slp.messages.names import joined, nearest
from slp.messages.tree_goals import (
    ASKED_FOR_NO_CLASSES,
    COLUMN_TWICE_IN_ROW,
    NO_CLASS_TO_ASK,
    NO_FEATURE_TO_ASK,
    NO_PART_OF_TREE,
    NO_ROW_TO_ASK,
    NO_THRESHOLDS_TO_ASK,
    NOT_A_CELL,
    NOT_A_ROW_TO_ASK,
    ROW_OF_NO_WEIGHT,
)
from slp.resolution.machine import faults
from slp.resolution.machine.arithmetic import evaluate
from slp.resolution.machine.definitions import Choose, Pair, Test, integer
from slp.resolution.machine.loop import Definition, Machine
from slp.results.tree_goals.facts import TreeFacts
from slp.results.tree_goals.rows import AskedRow, TableRows
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, Var, list_items
from slp.trees import Leaf, Split, Tree
from slp.trees.terms import label_term, node_terms

#: By predicate what its arguments behind the tree are, as far as that can be checked beforehand.
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "uses": ("feature",),
    "root": ("feature",),
    "above": ("feature", "feature"),
    "threshold_between": ("thresholds", "any", "any"),
    "same_leaf": ("row", "row"),
    "class_at": ("cells", "class", "any"),
}

#: The most features or classes that a message lists.
_MOST_LISTED = 8


class TreeLibrary:
    """The predicates about one tree at a time, which `show` sets."""

    def __init__(self, table: Table, likelihood: bool) -> None:
        self._table, self._likelihood = table, likelihood
        self._features = {f.name: f for f in table.features}
        self._classes: dict[Term, int] = {
            label_term(c): i for i, c in enumerate(table.leaf.classes)
        }
        self._rows = TableRows(table)
        self._asked: dict[Term, AskedRow] = {}
        # What a leaf says before any response is known.
        self._unseen = self._values_unseen()

    def _values_unseen(self) -> Any:
        leaf = self._table.leaf
        return leaf.values(np.zeros(leaf.n_statistics)) if leaf.classes else None

    def show(self, tree: Tree) -> None:
        """Ask this tree from now on."""
        self._term, self._nodes = node_terms(tree)
        self._facts: dict[Term, TreeFacts] = {}

    @property
    def definitions(self) -> dict[tuple[str, int], Definition]:
        """What a machine calls, by name and number of arguments."""
        return {
            ("tree", 1): Test(lambda machine, tree: machine.store.unify(tree, self._term)),
            ("uses", 2): Choose(self._uses),
            ("root", 2): Choose(self._root),
            ("above", 3): Choose(self._above),
            ("leaves", 2): Test(self._leaves),
            ("depth", 2): Test(self._depth),
            ("threshold_between", 4): Choose(self._threshold_between),
            ("same_leaf", 3): Test(self._same_leaf),
            ("class_at", 4): Choose(self._class_at),
        }

    # --- the predicates ------------------------------------------------------------------------

    def _uses(self, machine: Machine, tree: Term, feature: Term) -> Iterator[Pair]:
        self.check("uses", (feature,))
        return _same(feature, map(Atom, self._of("uses/2", machine, tree).features))

    def _root(self, machine: Machine, tree: Term, feature: Term) -> Iterator[Pair]:
        self.check("root", (feature,))
        root = self._of("root/2", machine, tree).root
        return _same(feature, [Atom(root.feature)] if isinstance(root, Split) else [])

    def _above(self, machine: Machine, tree: Term, feature: Term, below: Term) -> Iterator[Pair]:
        self.check("above", (feature, below))
        pairs = self._of("above/3", machine, tree).above
        found = (Struct("-", (Atom(f), Atom(g))) for f, g in pairs)
        return _same(Struct("-", (feature, below)), found)

    def _leaves(self, machine: Machine, tree: Term, number: Term) -> bool:
        return machine.store.unify(number, Number(self._of("leaves/2", machine, tree).n_leaves))

    def _depth(self, machine: Machine, tree: Term, number: Term) -> bool:
        return machine.store.unify(number, Number(self._of("depth/2", machine, tree).depth))

    def _threshold_between(
        self, machine: Machine, tree: Term, feature: Term, low: Term, high: Term
    ) -> Iterator[Pair]:
        self.check("threshold_between", (feature, low, high))
        facts = self._of("threshold_between/4", machine, tree)
        least, most = (_value("threshold_between/4", machine, x) for x in (low, high))
        found = dict.fromkeys(
            f
            for f, test in facts.splits
            if self._has_thresholds(f) and test.number is not None and least <= test.number <= most
        )
        return _same(feature, map(Atom, found))

    def _same_leaf(self, machine: Machine, tree: Term, one: Term, other: Term) -> bool:
        rows = [integer("same_leaf/3", x) for x in (one, other)]
        self.check("same_leaf", (one, other))
        facts = self._of("same_leaf/3", machine, tree)
        return self._rows.together(facts, rows[0] - 1, rows[1] - 1)

    def _class_at(
        self, machine: Machine, tree: Term, row: Term, label: Term, probability: Term
    ) -> Iterator[Pair]:
        row = machine.store.resolve(row)
        if not machine.store.is_ground(row):
            raise faults.unbound_argument("class_at/4", None)
        self.check("class_at", (row, label, probability))
        facts = self._of("class_at/4", machine, tree)
        if row not in self._asked:
            cells, place = self._cells(row, None), row.span or machine.span
            self._asked[row] = AskedRow(self._table, cells, place)
        asked, found = self._asked[row], 0.0
        for leaf, share in facts.shares(lambda split: asked.share_left(facts, split)):
            found = found + share * self._predicted(leaf)
        told = [float(f"{p:.12g}") for p in np.asarray(found).tolist()]  # equal but for rounding
        if not isinstance(label, Var):
            return _same(probability, [Number(told[self._class_number(label) or 0])])
        pairs = (Struct("-", (c, Number(p))) for c, p in zip(self._classes, told, strict=True))
        return _same(Struct("-", (label, probability)), pairs)

    # --- the tree ------------------------------------------------------------------------------

    def _of(self, predicate: str, machine: Machine, tree: Term) -> TreeFacts:
        """The facts of the tree, or of a part of it."""
        if isinstance(tree, Var):
            raise faults.unbound_argument(predicate, None)
        if tree is not self._term and tree not in self._nodes:
            tree = machine.store.resolve(tree)
        node = self._nodes.get(tree)
        if node is None:
            shown = faults.describe(tree)
            raise ProgramError(NO_PART_OF_TREE(predicate=f"`{predicate}`", term=shown))
        if tree not in self._facts:
            self._facts[tree] = TreeFacts(node)
        return self._facts[tree]

    def _predicted(self, leaf: Leaf) -> Any:
        """The class probabilities of a leaf, shape (C,): given the table in a posterior."""
        if not self._likelihood or leaf.predictive is None:
            return self._unseen
        return leaf.predictive.values()

    # --- what predicates are given -------------------------------------------------------------

    def check(self, name: str, args: Sequence[Term], span: SourceSpan | None = None) -> None:
        """Raise ProgramError (E272 to E275) where arguments behind the tree, as far as they are
        bound, are not of the table."""
        kinds = _ARGUMENTS.get(name, ("any",) * len(args))
        predicate = f"`{name}/{len(args) + 1}`"
        if name == "class_at" and not self._classes:
            of: dict[str, Any] = {"predicate": predicate, "response": self._table.response}
            raise ProgramError(ASKED_FOR_NO_CLASSES(span, **of))
        for kind, term in zip(kinds, args, strict=True):
            if isinstance(term, Var):
                continue
            place = term.span or span
            if kind in ("feature", "thresholds"):
                self._check_feature(predicate, term, kind == "thresholds", place)
            elif kind == "class" and self._class_number(term) is None:
                self._no_such_class(predicate, term, place)
            elif kind == "row":
                self._check_row(predicate, term, place)
            elif kind == "cells":
                self._cells(term, place)

    def _check_feature(
        self, predicate: str, term: Term, thresholds: bool, span: SourceSpan | None
    ) -> None:
        if not isinstance(term, Atom):
            raise faults.wrong_type(predicate.strip("`"), "a name of a column", term, span)
        of: dict[str, Any] = {"predicate": predicate, "name": term.name}
        if term.name not in self._features:
            known = _listed(self._features)
            near = nearest(term.name, self._features)
            raise ProgramError(NO_FEATURE_TO_ASK(span, **of, known=known, nearest=near))
        if thresholds and not self._has_thresholds(term.name):
            raise ProgramError(NO_THRESHOLDS_TO_ASK(span, **of))

    def _has_thresholds(self, feature: str) -> bool:
        return self._features[feature].kind.numbers_by_name is None

    def _class_number(self, term: Term) -> int | None:
        if term in self._classes:
            return self._classes[term]
        text = term.name if isinstance(term, Atom) else getattr(term, "value", None)
        texts = {label_text(c): i for i, c in enumerate(self._table.leaf.classes)}
        return texts.get(text if isinstance(text, str) else _number_text(text))

    def _no_such_class(self, predicate: str, term: Term, span: SourceSpan | None) -> None:
        texts = [label_text(c) for c in self._table.leaf.classes]
        name = f"`{term.name}`" if isinstance(term, Atom) else faults.describe(term)
        near = nearest(term.name, texts) if isinstance(term, Atom) else None
        of: dict[str, Any] = {
            "predicate": predicate,
            "response": self._table.response,
            "name": name,
        }
        raise ProgramError(NO_CLASS_TO_ASK(span, **of, known=_listed(texts), nearest=near))

    def _check_row(self, predicate: str, term: Term, span: SourceSpan | None) -> None:
        if not isinstance(term, Number) or not isinstance(term.value, int):
            raise faults.wrong_type(predicate.strip("`"), "a number of a row", term, span)
        of: dict[str, Any] = {"predicate": predicate, "row": term.value}
        n = self._table.n_given
        if not 1 <= term.value <= n:
            raise ProgramError(NO_ROW_TO_ASK(span, **of, n=n))
        if self._table.distinct_of_given(term.value - 1) is None:
            raise ProgramError(ROW_OF_NO_WEIGHT(span, **of))

    def _cells(self, row: Term, span: SourceSpan | None) -> dict[str, Any]:
        """The cells of a row `[age = 20, ...]`; what is not bound is left out."""
        items = list_items(row)
        if items is None:
            raise ProgramError(_no_row(row, span))
        cells: dict[str, Any] = {}
        for item in items:
            if isinstance(item, Var):
                continue
            if not (isinstance(item, Struct) and item.name == "=" and len(item.args) == 2):
                raise ProgramError(_no_row(item, span))
            column, value = item.args
            if isinstance(column, Var) or isinstance(value, Var):
                continue
            self._check_feature("`class_at/4`", column, False, column.span or span)
            assert isinstance(column, Atom)
            of: dict[str, Any] = {"predicate": "`class_at/4`", "name": column.name}
            if isinstance(value, Struct):
                shown = faults.describe(value)
                raise ProgramError(NOT_A_CELL(value.span or span, **of, value=shown))
            if column.name in cells:
                raise ProgramError(COLUMN_TWICE_IN_ROW(column.span or span, **of))
            cells[column.name] = value.name if isinstance(value, Atom) else value.value
        return cells


def _no_row(term: Term, span: SourceSpan | None) -> Any:
    return NOT_A_ROW_TO_ASK(span, predicate="`class_at/4`", term=faults.describe(term))


def _same(term: Term, values: Any) -> Iterator[Pair]:
    """A term that is one of some values."""
    return ((term, value) for value in values)


def _value(predicate: str, machine: Machine, term: Term) -> float:
    if isinstance(term, Var):
        raise faults.unbound_argument(predicate, None)
    value = evaluate(term, machine.parameters, deref=machine.store.deref, span=machine.span)
    try:
        return float(value)
    except OverflowError:
        raise faults.float_overflow(machine.span) from None


def _number_text(value: Any) -> str:
    return label_text(value) if isinstance(value, int | float) else ""


def _listed(names: Any) -> str:
    own = [f"`{name}`" for name in names]
    more = len(own) - _MOST_LISTED
    return joined([*own[:_MOST_LISTED], f"{more} more"] if more > 0 else own)
