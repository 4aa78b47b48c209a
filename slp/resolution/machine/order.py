"""Standard order and equality of terms that are not both compound."""

from __future__ import annotations

from slp.terms import Atom, Number, Struct, Term, Text, Var, same_number


def same_constant(x: Term, y: Term) -> bool:
    """Whether two terms that are not both compound are equal, neither being a variable."""
    if type(x) is Atom:
        return type(y) is Atom and x.name == y.name
    if type(x) is Number:
        return type(y) is Number and same_number(x.value, y.value)
    return type(x) is Text and type(y) is Text and x.value == y.value


def compare_roots(x: Term, y: Term) -> int:
    """Standard order of two terms by their kinds and roots alone."""
    ranks = _RANK[type(x)] - _RANK[type(y)]
    if ranks != 0:
        return ranks
    if isinstance(x, Number) and isinstance(y, Number):
        return _compare_numbers(x.value, y.value)
    if isinstance(x, Struct) and isinstance(y, Struct):
        by_arity = len(x.args) - len(y.args)
        return by_arity if by_arity != 0 else (x.name > y.name) - (x.name < y.name)
    a, b = _constant_key(x), _constant_key(y)
    return (a > b) - (a < b)


def _constant_key(x: Term) -> tuple[int, str]:
    if isinstance(x, Var):
        return x.id, x.name
    assert isinstance(x, Atom | Text)
    return 0, x.name if isinstance(x, Atom) else x.value


def _compare_numbers(x: int | float, y: int | float) -> int:
    if x != y:
        return 1 if x > y else -1
    return isinstance(y, float) - isinstance(x, float)


_RANK: dict[type, int] = {Var: 0, Number: 1, Text: 2, Atom: 3, Struct: 4}
