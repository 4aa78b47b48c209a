"""Places of a tree's nodes in a picture: the root at the left, leaves in rows from the top."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from slp.leaves import label_text
from slp.plot.canvas import plain
from slp.source import visible
from slp.trees import Leaf, Place, Split, Tree, condition_text, leaf_text

#: Width of a character of the font, and of what is around a test, in inches.
CHARACTER, _ROOM, _LEAST = 0.067, 0.3, 0.55
#: Width of the bars of leaves, and the gap behind them, in inches.
BAR, GAP = 1.0, 0.08
#: The most characters of a name, of the level or threshold behind it, and of anything else.
_LONGEST_NAME, _LONGEST_LEVEL, _LONGEST_REST = 24, 24, 76


@dataclass(frozen=True)
class Spot:
    """A node's place.

    Attributes
    ----------
    place : the node in its tree.
    parent : the number of its parent in preorder, -1 for the root.
    x : where the line to it ends, in inches from the left.
    y : its row, 0 at the top; of a split the middle of its children's.
    rows : the table's rows in it; 0 if they are not known.
    text : what is written: the test of a split; prediction and rows of a leaf.
    """

    place: Place
    parent: int
    x: float
    y: float
    rows: int
    text: str

    @property
    def is_leaf(self) -> bool:
        """Whether its node is a leaf."""
        return isinstance(self.place.node, Leaf)


@dataclass(frozen=True)
class Layout:
    """The spots of a tree in preorder, the number of its leaves, where the leaves' bars begin, and
    the whole width, both in inches from the left."""

    spots: tuple[Spot, ...]
    n_leaves: int
    leaves_at: float
    width: float

    def leaves(self) -> Iterator[Spot]:
        """The leaves from the top."""
        return (spot for spot in self.spots if spot.is_leaf)


def layout_of(tree: Tree, behind: int = 0) -> Layout:
    """Where the nodes of a tree are drawn; `behind` characters follow the text of a leaf."""
    places = list(tree.places())
    texts = [_text_of(place) for place in places]
    ends = _ends_of_columns(places, texts)
    parents, rows, y = _parents(places), [0] * len(places), [0.0] * len(places)
    children: list[list[int]] = [[] for _ in places]
    for i, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(i)
    n_leaves = sum(isinstance(place.node, Leaf) for place in places)
    row = n_leaves
    for i in reversed(range(len(places))):
        node = places[i].node
        if isinstance(node, Leaf):
            row -= 1
            y[i], rows[i] = float(row), node.rows
        else:
            y[i] = sum(y[c] for c in children[i]) / 2
            rows[i] = sum(rows[c] for c in children[i])
    spots = tuple(
        Spot(place, parents[i], _x(place, ends), y[i], rows[i], texts[i])
        for i, place in enumerate(places)
    )
    longest = max(len(spot.text) for spot in spots if spot.is_leaf) + behind
    return Layout(spots, n_leaves, ends[-1], ends[-1] + BAR + GAP + longest * CHARACTER + 0.1)


def _text_of(place: Place) -> str:
    """The test or the leaf as in the tree's text; long names are cut, numbers are not."""
    node = place.node
    if isinstance(node, Split):
        return _cut(condition_text(node), [node.feature], _LONGEST_LEVEL)
    return _cut(leaf_text(node), map(label_text, node.summary.get("counts", ())), _LONGEST_REST)


def _cut(text: str, names: Iterable[str], rest: int) -> str:
    """The text with the name that it begins with cut, and what comes behind it."""
    for name in map(visible, names):
        if text.startswith(f"{name} "):
            return plain(name, _LONGEST_NAME) + plain(text[len(name) :], rest)
    return plain(text, _LONGEST_REST)


def _ends_of_columns(places: list[Place], texts: list[str]) -> list[float]:
    """Where the column of each depth ends: tests of that depth fit before it. The last one is that
    of the deepest leaves."""
    widths = [_LEAST] * (1 + max(place.depth for place in places))
    for place, text in zip(places, texts, strict=True):
        if isinstance(place.node, Split):
            wide = len(text) * CHARACTER + _ROOM
            widths[place.depth] = max(widths[place.depth], wide)
    ends, at = [], 0.0
    for width in widths:
        at += width
        ends.append(at)
    return ends


def _x(place: Place, ends: list[float]) -> float:
    return ends[-1] if isinstance(place.node, Leaf) else ends[place.depth]


def _parents(places: list[Place]) -> list[int]:
    """The number of each node's parent in preorder, -1 for the root."""
    number = {id(place): i for i, place in enumerate(places)}
    return [-1 if p.parent is None else number[id(p.parent)] for p in places]
