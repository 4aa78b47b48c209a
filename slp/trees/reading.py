"""The text of a tree, read back: the shape of the tree first, its tests when a table is there.

A test needs the table: which levels stand for what, of a test by subsets the levels that go right,
what becomes of levels that a test does not name. Lines of leaves are not read: what follows on a
leaf are the rows of the table in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from slp.columns.words import BoxRows, UnreadWords, words_of_test
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.errors import DataError, UsageError
from slp.messages import Wording
from slp.messages.tree_texts import (
    BRANCH_OUT_OF_ORDER,
    BRANCH_TOO_DEEP,
    NEITHER_TEST_NOR_LEAF,
    NO_BRANCH,
    NO_FEATURE_OF_TEST,
    NO_TABLE_OF_TEXT,
    NOT_A_TEST,
    SIDE_MISSING,
    TEST_WITHOUT_SIDES,
    TREE_TEXT_EMPTY,
)
from slp.source import SourceFile, SourceSpan
from slp.trees.parts import Asked, Leaf
from slp.trees.tree import Tree, tree_of_preorder

#: What messages call a text without a file.
TEXT = "the tree"

_BRANCH = re.compile(r"(?P<lead>(?:[│| ]  )*+)(?:├─|└─|\|-|`-) (?P<side>yes|no): *")
#: A leaf as slp writes it (`slp.trees.drawing.leaf_text`), which alone may be a whole text.
_LEAF = re.compile(
    r"leaf|mean .*|.*(?:no rows|[\d.e+-]+ rows?\)?|[\d.e+-]+ of [\d.e+-]+)", re.DOTALL
)
_SIDES = ("yes", "no")
#: Characters of a branch for each level of depth.
_CELL = 3
_MOST_NAMES = 8


def tree_from_text(text: str, table: Table) -> Tree:
    """A tree from its text, with the table's rows in its leaves: see `slp.Tree.from_text`."""
    if not isinstance(text, str) or not isinstance(table, Table):
        given = {"text": type(text).__name__, "table": type(table).__name__}
        raise UsageError(NO_TABLE_OF_TEXT(**given))
    return TreeText.read(SourceFile(TEXT, text)).on(table).with_summaries(table)


@dataclass(frozen=True)
class _Line:
    """What a line of the text says behind its branch, where that begins, and whether it is a leaf:
    no lines hang on it."""

    text: str
    start: int
    is_leaf: bool


@dataclass(frozen=True)
class TreeText:
    """The text of a tree, as `slp.Tree.to_text` writes it.

    Attributes
    ----------
    source : the text, with the name that messages call it by.
    lines : its nodes in preorder.
    """

    source: SourceFile
    lines: tuple[_Line, ...] = field(repr=False)

    @classmethod
    def read(cls, source: SourceFile) -> TreeText:
        """Read the shape of the tree. Blank lines mean nothing.

        Raises
        ------
        DataError
            E615: the lines make no tree.
        """
        return cls(source, _Shape(source).lines())

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return sum(line.is_leaf for line in self.lines)

    def on(self, table: Table) -> Tree:
        """The tree on a table, with leaves without summaries.

        Raises
        ------
        DataError
            E615: a line above others is no test. E616: a test does not fit the table.
        """
        features = {f.name: (j, f) for j, f in enumerate(table.features)}
        boxes = [np.arange(len(table.counts))]
        flat: list[Leaf | Asked] = []
        for line in self.lines:
            rows = boxes.pop()
            if line.is_leaf:
                self._check_leaf(line, features, table, rows)
                flat.append(Leaf())
                continue
            feature, test = asked = self._asked(line, features, table, rows)
            column, own = features[feature]
            left = own.kind.sides(test)[0][table.codes[rows, column]]
            boxes += (rows[~left], rows[left])
            flat.append(asked)
        return tree_of_preorder(flat)

    def _asked(
        self,
        line: _Line,
        features: dict[str, tuple[int, Feature]],
        table: Table,
        rows: NDArray[np.int64],
    ) -> Asked:
        words = words_of_test(line.text, line.start)
        if words is None:
            _fail(self.source, line.start, line.start + len(line.text), NOT_A_TEST)
        if words.feature not in features:
            names = _few(list(features))
            _fail(self.source, *words.places["feature"], NO_FEATURE_OF_TEST, features=names)
        column, feature = features[words.feature]
        try:
            box = _box(table, table.codes[rows, column], rows)
            return feature.name, feature.kind.test_of_words(words, box)
        except UnreadWords as found:
            a, b = words.places.get(found.part, words.places["operand"])
            _fail(self.source, a, b, found.wording, **found.values)

    def _check_leaf(
        self,
        line: _Line,
        features: dict[str, tuple[int, Feature]],
        table: Table,
        rows: NDArray[np.int64],
    ) -> None:
        """Raise E615 if the line of a leaf is a test of the table."""
        try:
            self._asked(line, features, table, rows)
        except DataError:
            return
        _fail(self.source, line.start, line.start + len(line.text), TEST_WITHOUT_SIDES)


def _box(table: Table, codes: NDArray[np.int32], rows: NDArray[np.int64]) -> BoxRows:
    statistics = table.statistics[rows]

    def scores(sets: Sequence[int]) -> NDArray[np.float64]:
        sums = [statistics[[s >> code & 1 == 1 for code in codes.tolist()]].sum(0) for s in sets]
        return table.leaf.scores(np.array(sums))

    return BoxRows(codes.astype(np.int64), scores)


def _few(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _fail(source: SourceFile, start: int, end: int, wording: Wording, **values: Any) -> NoReturn:
    raise DataError(wording(SourceSpan(source, start, end), **values))


class _Shape:
    """Reads which lines hang on which."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._found: list[tuple[str, int]] = []  # what each line says, and where that begins
        self._sides: list[int] = []  # how many sides of each line have been seen
        self._path: list[int] = []  # the last line, and those that it hangs on, from the root

    def lines(self) -> tuple[_Line, ...]:
        indent = None
        for start, text in _text_lines(self._source.text):
            if indent is None:
                indent = len(text) - len(text.lstrip())
                self._add(text.strip(), start + indent)
                continue
            lead = min(indent, len(text) - len(text.lstrip(" ")))
            self._hang(text[lead:], start + lead)
        if indent is None:
            raise DataError(TREE_TEXT_EMPTY())
        self._close(0)
        if len(self._found) == 1 and not _LEAF.fullmatch(self._found[0][0]):
            text, start = self._found[0]
            if words_of_test(text) is None:
                _fail(self._source, start, start + len(text), NEITHER_TEST_NOR_LEAF)
        each = zip(self._found, self._sides, strict=True)
        return tuple(_Line(text, start, not sides) for (text, start), sides in each)

    def _add(self, text: str, start: int) -> None:
        self._path.append(len(self._found))
        self._found.append((text, start))
        self._sides.append(0)

    def _hang(self, text: str, start: int) -> None:
        """Take a line behind the first."""
        match = _BRANCH.match(text)
        if match is None:
            _fail(self._source, start, start + len(text), NO_BRANCH)
        place = start, start + match.end()
        depth = len(match["lead"]) // _CELL + 1
        if depth > len(self._path):
            _fail(self._source, *place, BRANCH_TOO_DEEP)
        self._close(depth)
        above = self._path[-1]
        if self._sides[above] == len(_SIDES):
            _fail(self._source, *place, BRANCH_TOO_DEEP)
        wanted = _SIDES[self._sides[above]]
        if match["side"] != wanted:
            _fail(self._source, *place, BRANCH_OUT_OF_ORDER, found=match["side"], wanted=wanted)
        self._sides[above] += 1
        self._add(text[match.end() :].strip(), start + match.end())

    def _close(self, depth: int) -> None:
        """End the lines of this depth and deeper ones."""
        for line in self._path[depth:]:
            if self._sides[line] == 1:
                text, start = self._found[line]
                _fail(self._source, start, start + len(text), SIDE_MISSING, side=_SIDES[1])
        del self._path[depth:]


def _text_lines(text: str) -> list[tuple[int, str]]:
    """Lines that are not blank, without blanks at their end, and where they begin."""
    out, start = [], len(text) - len(text.removeprefix("\ufeff"))
    for line in text.removeprefix("\ufeff").split("\n"):
        if line.strip():
            out.append((start, line.rstrip()))
        start += len(line) + 1
    return out
