"""Trees as the source text of a Python module that imports nothing but the standard library."""

from __future__ import annotations

from collections.abc import Mapping

from slp.columns.formula import Formula
from slp.leaves import most_tied
from slp.terms import Atom, Number, Struct, Term
from slp.trees.exports.parts import Ask, End, Parts, parts_of_tree, subtree_end
from slp.trees.tree import Tree

_HEAD = '''"""{what}, as slp wrote it.

`predict(row)` takes a mapping from the names of columns to values. A missing value is None, NaN, or
blank text, or has no key. Numbers may be text. A row that the {trees} refuse{s} raises ValueError.
"""

from numbers import Integral

# Each tree is its weight and its nodes in preorder. A split: the column; the number below which
# values go left, None where levels are asked for; the levels that go left, and right (None: all
# others); the share of rows without a value that goes left, and that of rows with a level on
# neither side (None: the row is refused); the place of the right side. A leaf: its values, the
# slopes by columns, and what it says of a row that is whole in it (None: its values say it).
TREES = [
{nodes}]
CLASSES = {classes}
'''

_TAIL = '''

def leaves(nodes, row):
    """The leaves that a row ends in, from left to right, each with the share of the row."""
    waiting = [(0, 1.0)]
    while waiting:
        place, share = waiting.pop()
        node = nodes[place]
        if len(node) == 3:
            yield node, share
            continue
        left = share_left(node, row)
        if left < 1:
            waiting.append((node[-1], share * (1 - left)))
        if left > 0:
            waiting.append((place + 1, share * left))


def share_left(split, row):
    """The share of a row that goes left at a split."""
    column, number, left, right, missing, other, _ = split
    value = {value}
    if is_missing(value):
        share = missing
    elif number is not None:
        share = float(as_number(value) < number)
    else:
        level = as_level(value)
        if left is None or right is None:
            share = float(level in left if right is None else level not in right)
        else:
            share = 1.0 if level in left else 0.0 if level in right else other
    if share is None:
        raise ValueError(f"the value {value!r} of {column!r} has no side")
    return share


def is_missing(value):
    """Whether a cell has no value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return not value.strip() if isinstance(value, str) else value != value


def as_number(value):
    """A cell as a double."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else -float("inf")


def as_level(value):
    """A cell as the text of a level: 3 and 3.0 are "3", True is "true"."""
    if isinstance(value, str):
        return value
    if type(value).__name__ in ("bool", "bool_"):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def total(row, index):
    """The sum over all trees and leaves of the values of this index."""
    found = 0.0
    for weight, nodes in TREES:
        own = 0.0
        for (values, slopes, _), share in leaves(nodes, row):
            value = values[index]
            for column, slope in slopes:
                if is_missing(row.get(column)):
                    raise ValueError(f"{column!r} has no value")
                value += slope * as_number(row[column])
            own += share * value
        found += weight * own
    return found

'''

_CLASSES = '''
def {name}(row):
    """{doc}"""
    return {{label: total(row, c) for c, label in enumerate(CLASSES)}}

'''

_OF_AVERAGE = '''
def predict(row):
    """The most probable class, the first one on a tie."""
    found = probabilities(row)
    return max(found, key=found.get)
'''

_LOSSES = '''
# What it costs to say a class (column) where another (row) is true.
LOSSES = {losses}


def decision(found):
    """The class of least expected loss by the probability of each, the first one on a tie."""
    shares = list(found.values())
    expected = [sum(p * own[said] for p, own in zip(shares, LOSSES)) for said in range(len(shares))]
    most = min(expected) + {tied!r}
    return next(label for label, loss in zip(CLASSES, expected) if loss <= most)

'''

_OF_AVERAGE_BY_LOSS = '''
def predict(row):
    """The class of least expected loss, the first one on a tie."""
    return decision(probabilities(row))
'''

_OF_NUMBERS = '''
def predict(row):
    """The predicted number."""
    return total(row, 0)
'''

_OF_MEDIANS = '''
def predict(row):
    """The predicted median."""
    ends = list(leaves(TREES[0][1], row))
    if len(ends) > 1:
        raise ValueError("the row goes both ways: the median of a mixture is in no leaf")
    return ends[0][0][0][0]
'''

_OF_TREE = '''
def predict(row):
    """The class of most rows in the leaf; of a row in several leaves, by its shares in them."""
    ends = list(leaves(TREES[0][1], row))
    if len(ends) == 1:
        return ends[0][0][2]
    found = shares(row)
    return max(found, key=found.get)
'''

_OF_TREE_BY_LOSS = '''
def predict(row):
    """The class of least expected loss in the leaf; of a row in several leaves, by its shares."""
    ends = list(leaves(TREES[0][1], row))
    return ends[0][0][2] if len(ends) == 1 else decision(probabilities(row))
'''


def tree_to_python(tree: Tree) -> str:
    """A tree as a module: see `slp.Tree.to_python`."""
    return parts_to_python(parts_of_tree(tree))


def parts_to_python(parts: Parts) -> str:
    """The source text of a module with `predict`, and for classes `probabilities`, or of a tree by
    its rows `shares`. Each takes a mapping from the names of columns to values."""
    of_tree = any(isinstance(n, End) and n.answer is not None for n in parts.trees[0][1])
    alone = len(parts.trees) == 1
    what = "A decision tree" if alone else f"An average of {len(parts.trees)} decision trees"
    trees = "".join(f"    ({w!r}, [\n{_nodes(nodes)}    ]),\n" for w, nodes in parts.trees)
    asked = [n for _, nodes in parts.trees for n in nodes if isinstance(n, Ask)]
    formulas = {n.feature: n.formula for n in asked if n.formula is not None}
    tail = _tail(formulas)
    head = _HEAD.format(
        what=what,
        trees="tree" if alone else "trees",
        s="s" if alone else "",
        nodes=trees,
        classes=repr(list(parts.classes)),
    )
    if parts.medians:
        return head + tail + _OF_MEDIANS
    if not parts.classes:
        return head + tail + _OF_NUMBERS
    if of_tree and parts.loss is None:
        doc = "The share of each class among the rows of the leaf, or leaves."
        return head + tail + _CLASSES.format(name="shares", doc=doc) + _OF_TREE
    body = tail + _CLASSES.format(name="probabilities", doc="The probability of each class.")
    if parts.loss is None:
        return head + body + _OF_AVERAGE
    losses = _LOSSES.format(losses=parts.loss.tolist(), tied=most_tied(parts.loss))
    return head + body + losses + (_OF_TREE_BY_LOSS if of_tree else _OF_AVERAGE_BY_LOSS)


_DEFINED = '''
import math

# Features that formulas make of columns: the formula, as nested calls over columns and numbers, its
# columns, and whether the value is missing where the formula has none (else the row is refused).
DEFINED = {defined}

FUNCTIONS = {{
    "+": lambda a, b=None: a if b is None else a + b,
    "-": lambda a, b=None: -a if b is None else a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": math.pow,
    "**": math.pow,
    "abs": abs,
    "min": min,
    "max": max,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "log10": math.log10,
}}


def value_of(row, name):
    """The cell of a column, or the value of a defined feature."""
    if name not in DEFINED:
        return row.get(name)
    formula, columns, missing = DEFINED[name]
    if any(is_missing(row.get(column)) for column in columns):
        return None
    try:
        return computed(formula, row)
    except (ArithmeticError, ValueError):
        if missing:
            return None
        raise ValueError(f"{{name!r}} has no value") from None


def computed(formula, row):
    """The value of a formula, or ArithmeticError or ValueError where it has none."""
    if isinstance(formula, tuple):
        found = FUNCTIONS[formula[0]](*(computed(part, row) for part in formula[1:]))
    else:
        found = as_number(row[formula]) if isinstance(formula, str) else formula
    if not math.isfinite(found):
        raise ArithmeticError
    return found

'''


def _tail(formulas: Mapping[str, Formula]) -> str:
    """The functions of a module; with those of formulas, if there are any."""
    asked = "value_of(row, column)" if formulas else "row.get(column)"
    tail = _TAIL.replace("{value}", asked)
    if not formulas:
        return tail
    each = {
        name: (_plain(f.term), f.columns, f.undefined == "missing") for name, f in formulas.items()
    }
    return _DEFINED.format(defined=repr(each)) + tail


def _plain(term: Term) -> object:
    """A formula as nested tuples of names and floats."""
    match term:
        case Number(value):
            return float(value)
        case Struct(name, args):
            return (name, *map(_plain, args))
        case Atom(name):
            return name
    raise AssertionError(term)


def _nodes(nodes: tuple[Ask | End, ...]) -> str:
    lines = []
    for place, node in enumerate(nodes):
        if isinstance(node, End):
            row: tuple[object, ...] = (node.values, node.slopes, node.answer)
        else:
            sides = (node.left, node.right) if node.number is None else (None, None)
            row = (node.feature, node.number, *sides, node.missing, node.other)
            row = (*row, subtree_end(nodes, place + 1))
        concept = node.concept if isinstance(node, Ask) else None
        comment = "" if concept is None else f"  # {concept!r}"
        lines.append(f"        {_source(row)},{comment}\n")
    return "".join(lines)


def _source(value: object) -> str:
    """A value as Python reads it."""
    if isinstance(value, tuple):
        inner = ", ".join(map(_source, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    text = repr(value)
    return f'float("{text}")' if text in ("inf", "-inf", "nan") else text
