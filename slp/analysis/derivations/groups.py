"""Groups of clauses whose labels are the probabilities of some arguments given the others.

The clauses of a group have the same terms at the arguments that are given, or the same functors as
`[]` and `[X|Xs]` have, and their labels sum to 1. Groups are told apart by the values of some
arguments, and a term that is a variable tells nothing apart. Each argument that is left out merges
groups. So if labels sum to n, only choices of arguments with n groups or more are looked at: with
one free argument there are about as many as arguments, however many are given.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence

from slp.terms import Term, Var, arguments, functor, variables

#: Most choices of arguments that are looked at. Only predicates of many arguments and few clauses
#: have more.
_MOST_CHOICES = 10_000


def groups_that_sum_to_one(
    heads: Sequence[Term], labels: Sequence[float], tolerance: float
) -> Iterator[list[list[int]]]:
    """The ways to group clauses, by their numbers, into groups whose labels sum to 1. Those with
    few arguments free come first, the last arguments before others."""
    total = math.fsum(labels)
    n = round(total)
    if not heads or abs(total - n) > tolerance * max(n, 1):
        return
    columns = _columns(heads)
    found: set[tuple[int, ...]] = set()
    chosen = deque([(tuple(range(len(columns))), len(columns))])
    for _ in range(_MOST_CHOICES):
        if not chosen:
            return
        places, end = chosen.popleft()
        numbers = _numbered(tuple(columns[i][k] for i in places) for k in range(len(heads)))
        groups: list[list[int]] = [[] for _ in range(max(numbers) + 1)]
        for clause, number in enumerate(numbers):
            groups[number].append(clause)
        if len(groups) > n:
            chosen += [((*places[:i], *places[i + 1 :]), i) for i in reversed(range(end))]
        elif len(groups) == n and numbers not in found:
            found.add(numbers)
            sums = (math.fsum(labels[k] for k in group) for group in groups)
            if all(abs(x - 1) <= tolerance for x in sums):
                yield groups


def _columns(heads: Sequence[Term]) -> list[tuple[int, ...]]:
    """The ways in which one argument tells clauses apart: by its terms, and by its functors."""
    found: dict[tuple[int, ...], None] = {}
    for terms in zip(*map(arguments, heads), strict=True):
        if any(isinstance(term, Var) for term in terms):
            continue
        if all(next(variables(term), None) is None for term in terms):
            found[_numbered(terms)] = None
        found[_numbered(functor(term) or term for term in terms)] = None
    return list(found)


def _numbered(keys: Iterable[Hashable]) -> tuple[int, ...]:
    """The keys as numbers 0, 1, ... in the order in which they come."""
    known: dict[Hashable, int] = {}
    return tuple([known.setdefault(key, len(known)) for key in keys])
