"""Trees as an expression of SQL: `CASE`, over the columns of a table.

The expression is standard SQL, which PostgreSQL and SQLite take alike. A row that a tree refuses
gives NULL. Where a row may go both ways, its branch has a sum over the leaves that it can reach:
three-valued logic makes the sum NULL if a refusal is among them, and only then.

A database may read a decimal one digit off (SQLite does, of some 17 digits, and of one short one in
twenty thousand). Thresholds that it might misread are written as whole numbers divided by powers of
two, which are exact everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from slp.leaves import Label, most_tied
from slp.trees.exports.formulas_in_sql import formula_to_sql
from slp.trees.exports.parts import Ask, End, Parts, outcome_of, parts_of_tree, subtree_end
from slp.trees.tree import Tree

#: What is said of a leaf; and of rows that go both ways at the node of a place, with a share.
_Told: TypeAlias = Callable[[End], str]
_Mixture: TypeAlias = Callable[[int, float], str]

_STEP = "  "
#: How deep `CASE` is nested: parsers of SQLite take some 18 levels. What is deeper is written leaf
#: by leaf.
_DEEPEST = 8
#: A power of two that is a whole number of SQL.
_POWER = 62
#: A decimal with no more digits behind the point, and in all, is read exactly: as a whole number
#: below 2^53 divided by a power of ten so small that rounding twice does no harm.
_MOST_DECIMALS, _MOST_DIGITS = 3, 15


def tree_to_sql(tree: Tree, probability: Label | None = None) -> str:
    """A tree as an expression: see `slp.Tree.to_sql`."""
    if probability is None:
        return parts_to_sql(parts_of_tree(tree))
    parts = parts_of_tree(tree, probabilities=True)
    return parts_to_sql(parts, outcome_of(probability, parts.classes))


def parts_to_sql(parts: Parts, outcome: int | None = None) -> str:
    """The expression: of what trees predict, or of the value of the class with index `outcome`."""
    if outcome is not None or not parts.classes:
        return _sum_of_trees(parts, outcome or 0)
    (_, nodes), *others = parts.trees
    if others or any(isinstance(node, End) and node.answer is None for node in nodes):
        return _said(parts, [_sum_of_trees(parts, c) for c in range(len(parts.classes))])

    def mixture(start: int, share: float) -> str:
        each = range(len(parts.classes))
        return _said(parts, [_mixture(nodes, start, share, c, 1.0) for c in each])

    return _case(nodes, lambda end: _label(end.answer), mixture)


def _sum_of_trees(parts: Parts, outcome: int) -> str:
    """What all trees together say of a class, or of the number."""
    each = []
    for weight, nodes in parts.trees:

        def mixture(
            start: int, share: float, nodes: Sequence[Ask | End] = nodes, weight: float = weight
        ) -> str:
            if parts.medians:
                return "NULL"  # the median of a mixture is no sum
            return _mixture(nodes, start, share, outcome, weight)

        def value(end: End, weight: float = weight) -> str:
            return _value(end, outcome, weight)

        each.append(_case(nodes, value, mixture))
    return "\n+ ".join(each)


# --- one tree ------------------------------------------------------------------------------------


def _case(nodes: Sequence[Ask | End], told: _Told, mixture: _Mixture) -> str:
    """A tree as nested `CASE`; `told` is of a leaf, and `mixture` of rows that go both ways at the
    node of this place, with this share to the left."""
    out: list[str] = []
    waiting: list[tuple[int, int] | str] = [(0, 0)]  # the place and the depth of a node, or text
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        place, depth = item
        node = nodes[place]
        if isinstance(node, End):
            out.append(told(node))
            continue
        pad = "\n" + _STEP * (depth + 1)
        end = pad[: -len(_STEP)] + "END"
        if depth >= _DEEPEST:
            rules = _rules(nodes, place, told, mixture)
            out.append(f"CASE{''.join(pad + rule for rule in rules)}{end}")
            continue
        right = subtree_end(nodes, place + 1)
        parts: list[tuple[int, int] | str] = [
            f"CASE{pad}WHEN {_goes_left(node)} THEN ",
            (place + 1, depth + 1),
            f"{pad}ELSE " if _else_right(node) else f"{pad}WHEN {_goes_right(node)} THEN ",
            (right, depth + 1),
        ]
        both = _both_ways(node)
        parts += [f"{pad}WHEN {rows} THEN {mixture(place, share)}" for rows, share in both]
        waiting += [end, *reversed(parts)]
    return "".join(out)


def _rules(nodes: Sequence[Ask | End], start: int, told: _Told, mixture: _Mixture) -> Iterator[str]:
    """The branches of one `CASE` for a subtree: of each leaf, with all that holds on the way."""
    waiting: list[tuple[int, tuple[str, ...]]] = [(start, ())]
    while waiting:
        place, way = waiting.pop()
        node = nodes[place]
        if isinstance(node, End):
            yield f"WHEN {' AND '.join(way)} THEN {told(node)}"
            continue
        for rows, share in _both_ways(node):
            yield f"WHEN {' AND '.join((*way, rows))} THEN {mixture(place, share)}"
        waiting.append((subtree_end(nodes, place + 1), (*way, _goes_right(node))))
        waiting.append((place + 1, (*way, _goes_left(node))))


def _else_right(ask: Ask) -> bool:
    """Whether all rows that do not go left go right."""
    if ask.formula is not None and ask.formula.undefined == "error":
        return False
    return ask.missing in (0.0, 1.0) and (ask.number is not None or None in (ask.left, ask.right))


def _value_of(ask: Ask) -> str:
    """What is asked: a column, or the formula of a defined feature."""
    return _name(ask.feature) if ask.formula is None else formula_to_sql(ask.formula, _name, _exact)


def _is_missing(ask: Ask) -> str:
    """The condition of rows that miss the value. Of a formula that must have one, these are rows
    that miss a column of it."""
    if ask.formula is None or ask.formula.undefined == "missing":
        return f"{_value_of(ask)} IS NULL"
    each = [f"{_name(column)} IS NULL" for column in ask.formula.columns]
    return each[0] if len(each) == 1 else f"({' OR '.join(each)})"


def _both_ways(ask: Ask) -> list[tuple[str, float]]:
    """The conditions of rows that go both ways, each with the share that goes left."""
    out = []
    if ask.missing not in (None, 0.0, 1.0):
        out.append((_is_missing(ask), ask.missing))
    if ask.other is not None:
        out.append((f"{_name(ask.feature)} {_among(_levels(ask), 'NOT ')}", ask.other))
    return out


def _levels(ask: Ask) -> tuple[str, ...]:
    return (*(ask.left or ()), *(ask.right or ()))


def _mixture(
    nodes: Sequence[Ask | End], start: int, share: float, outcome: int, weight: float
) -> str:
    """The sum over the leaves below a node, of which a row goes left with this share."""
    right, end = subtree_end(nodes, start + 1), subtree_end(nodes, start)
    left_terms = _terms(nodes, start + 1, right, repr(share), outcome, weight)
    right_terms = _terms(nodes, right, end, repr(1 - share), outcome, weight)
    return f"({' + '.join([*left_terms, *right_terms])})"


def _terms(
    nodes: Sequence[Ask | End], start: int, end: int, share: str, outcome: int, weight: float
) -> list[str]:
    """One term for each leaf of a subtree: its value by the share of a row that reaches it."""
    out = []
    waiting: list[tuple[int, tuple[str, ...], str]] = [(start, (), share)]
    while waiting:
        place, conditions, factor = waiting.pop()
        node = nodes[place]
        if isinstance(node, End):
            term = f"{factor} * {_value(node, outcome, weight)}"
            if conditions:
                reached = " AND ".join(conditions)
                term = f"CASE ({reached}) WHEN TRUE THEN {term} WHEN FALSE THEN 0.0 END"
            out.append(term)
            continue
        for side, child in (("right", subtree_end(nodes, place + 1)), ("left", place + 1)):
            more = f" * {_factor(node, side)}" if node.both else ""
            waiting.append((child, (*conditions, _may_go(node, side)), factor + more))
    assert end == subtree_end(nodes, start)
    return out


def _may_go(ask: Ask, side: str) -> str:
    """Whether some of a row goes to a side; NULL where the row is refused."""
    left, right = ("TRUE", "FALSE") if side == "left" else ("FALSE", "TRUE")
    both = "".join(f" WHEN {rows} THEN TRUE" for rows, _ in _both_ways(ask))
    rest = f" ELSE {right}" if _else_right(ask) else f" WHEN {_goes_right(ask)} THEN {right}"
    return f"CASE WHEN {_goes_left(ask)} THEN {left}{rest}{both} END"


def _factor(ask: Ask, side: str) -> str:
    """The share of a row that goes to a side, of a row some of which does."""
    certain = _goes_left(ask) if side == "left" else _goes_right(ask)
    shares = ""
    for rows, share in _both_ways(ask):
        shares += f" WHEN {rows} THEN {share if side == 'left' else 1 - share!r}"
    return f"CASE WHEN {certain} THEN 1.0{shares} END"


# --- conditions and literals ---------------------------------------------------------------------


def _goes_left(ask: Ask) -> str:
    return _side(ask, "<", ask.left, ask.right, of_missing=ask.missing == 1.0)


def _goes_right(ask: Ask) -> str:
    return _side(ask, ">=", ask.right, ask.left, of_missing=ask.missing == 0.0)


def _side(
    ask: Ask,
    sign: str,
    levels: tuple[str, ...] | None,
    others: tuple[str, ...] | None,
    *,
    of_missing: bool,
) -> str:
    column = _value_of(ask)
    if ask.number is not None:
        condition = f"CAST({column} AS DOUBLE PRECISION) {sign} {_exact(ask.number)}"
    elif levels == ():
        return _is_missing(ask)
    elif others == ():
        return f"{column} IS NOT NULL"
    elif levels is not None:
        condition = f"{column} {_among(levels)}"
    else:
        assert others is not None
        condition = f"{column} {_among(others, 'NOT ')}"
    if ask.concept is not None:
        condition += f" /* {_in_comment(ask.concept)} */"
    return f"({condition} OR {_is_missing(ask)})" if of_missing else condition


def _in_comment(name: str) -> str:
    """A name that cannot end a comment, nor begin one."""
    return " ".join(name.replace("*", " ").replace("/", " ").split())


def _among(levels: tuple[str, ...], no: str = "") -> str:
    if len(levels) == 1:
        return f"{'<>' if no else '='} {_text(levels[0])}"
    return f"{no}IN ({', '.join(map(_text, levels))})"


def _said(parts: Parts, values: Sequence[str]) -> str:
    """The class with the largest value, or of least expected loss by the values, the first one on a
    tie; NULL where there are no values."""
    each = range(len(parts.classes))
    inner = ",\n".join(f"{value} AS p{c + 1}" for c, value in enumerate(values))
    table = f"(SELECT\n{inner}\n) AS p"
    if parts.loss is None:
        near = [[f"p{c + 1} >= p{other + 1}" for other in each if other > c] for c in each]
        return _first(parts.classes, "p1", near, table)
    expected = ", ".join(
        f"{' + '.join(f'p{t + 1} * {_number(x)}' for t, x in enumerate(own))} AS e{c + 1}"
        for c, own in enumerate(parts.loss.T.tolist())
    )
    tied = _number(most_tied(parts.loss))
    near = [[f"e{c + 1} <= e{other + 1} + {tied}" for other in each if other != c] for c in each]
    return _first(parts.classes, "e1", near, f"(SELECT {expected} FROM {table}) AS e")


def _first(classes: Sequence[Label], known: str, holds: Sequence[Sequence[str]], table: str) -> str:
    """The first class of which all conditions hold, else the last one; NULL where `known` is."""
    whens = [f"WHEN {known} IS NULL THEN NULL"]
    for label, own in zip(classes[:-1], holds, strict=False):
        whens.append(f"WHEN {' AND '.join(own)} THEN {_label(label)}")
    return f"(SELECT CASE {' '.join(whens)} ELSE {_label(classes[-1])} END FROM {table})"


def _value(end: End, outcome: int, weight: float) -> str:
    """What a leaf says, by the weight of its tree."""
    number = end.values[outcome] * weight
    if not end.slopes:
        return _number(number)
    terms = [
        f"{_number(slope * weight)} * CAST({_name(name)} AS DOUBLE PRECISION)"
        for name, slope in end.slopes
    ]
    return f"({' + '.join([_number(number), *terms])})"


def _label(label: Label | None) -> str:
    if isinstance(label, str):
        return _text(label)
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    return str(label) if isinstance(label, int) else _number(float(label or 0.0))


def _number(x: float) -> str:
    """A number of a leaf; one that is not finite, such as a median that is never reached, is no
    number of SQL."""
    if not math.isfinite(x):
        return "NULL"
    return f"({x!r})" if math.copysign(1.0, x) < 0 else repr(x)


def _exact(x: float) -> str:
    """A threshold, which each database reads as the same double."""
    text = repr(x)
    if math.isinf(x):
        return f"{'-' if x < 0 else ''}9e999"
    mantissa, _, exponent = text.partition("e")
    decimals = mantissa.partition(".")[2]
    digits = mantissa.lstrip("-").replace(".", "")
    if not exponent and len(digits) <= _MOST_DIGITS and len(decimals) <= _MOST_DECIMALS:
        return text
    whole, divisor = x.as_integer_ratio()
    power = 1 - divisor.bit_length()
    while whole and not whole % 2:
        whole, power = whole // 2, power + 1
    sign, steps = ("*", power) if power > 0 else ("/", -power)
    factors = [2**_POWER] * (steps // _POWER) + ([2 ** (steps % _POWER)] if steps % _POWER else [])
    exact = "".join(f" {sign} {factor}" for factor in factors)
    return f"CAST({whole} AS DOUBLE PRECISION){exact} /* {text} */"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
