"""Groups of clauses that sum to 1, against all choices of arguments."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from random import Random

import pytest

from slp.analysis.derivations.groups import groups_that_sum_to_one
from slp.terms import Atom, Number, Struct, Term, Var


def partition(groups: Iterable[Iterable[int]]) -> frozenset[frozenset[int]]:
    return frozenset(map(frozenset, groups))


@pytest.mark.parametrize("seed", range(60))
def test_against_all_choices(seed: int) -> None:
    """Labels are halves and quarters, so that many choices have as many groups as they must, of
    which some sum to 1."""
    random = Random(seed)
    rows = sorted({tuple(random.choices("ab", k=4)) for _ in range(random.randint(2, 12))})
    labels = [random.choice([0.25, 0.5, 0.5, 0.75]) for _ in rows]
    want = set()
    for size in range(1, 5):
        for places in combinations(range(4), size):
            groups: dict[tuple[str, ...], list[int]] = {}
            for k, row in enumerate(rows):
                groups.setdefault(tuple(row[i] for i in places), []).append(k)
            if all(sum(labels[k] for k in group) == 1 for group in groups.values()):
                want.add(partition(groups.values()))
    if sum(labels) == 1:
        want.add(partition([range(len(rows))]))
    heads = [Struct("t", tuple(map(Atom, row))) for row in rows]
    found = list(groups_that_sum_to_one(heads, labels, 1e-9))
    assert {partition(groups) for groups in found} == want
    assert len(found) == len(want)


def test_the_last_argument_is_free_first() -> None:
    heads = [Struct("t", (Number(x), Number(y))) for x in (1, 2) for y in (1, 2)]
    found = list(groups_that_sum_to_one(heads, [0.5] * 4, 1e-9))
    assert found == [[[0, 1], [2, 3]], [[0, 2], [1, 3]]]


def test_functors_and_variables() -> None:
    """Lists differ by their functors, and a variable tells nothing apart."""

    def head(first: Term, second: Term) -> Term:
        return Struct("t", (first, second))

    some = [Struct(".", (Var("X", i), Var("Y", i))) for i in (1, 2)]
    heads = [head(Atom("[]"), Var("Z")), *(head(term, Atom("a")) for term in some)]
    assert list(groups_that_sum_to_one(heads, [1.0, 0.5, 0.5], 1e-9)) == [[[0], [1, 2]]]
