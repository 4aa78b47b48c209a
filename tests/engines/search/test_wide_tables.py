"""Items with hundreds of thousands of edges: the search ends in the middle of one, and charges the
memory that it takes for each edge."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slp
from slp.engines.search.compiled import CompiledSearch
from slp.problem.problem import Problem

pytestmark = pytest.mark.usefixtures("compiled_kernels")

N_ROWS, N_FEATURES = 250, 1600  # 400,000 edges of the root, whose work takes several polls


@pytest.fixture(scope="module")
def problem() -> Problem:
    X = np.random.default_rng(0).random((N_ROWS, N_FEATURES))
    found: Problem = slp.parse(":- use(growtree).").compile(X, X[:, 0] + X[:, 1] > 1)
    return found


def searching(problem: Problem, room: int = 2**30) -> CompiledSearch:
    return CompiledSearch(problem.core, problem.table, likelihood=True, room=room)


def test_it_stops_in_the_middle_of_the_first_item(problem: Problem) -> None:
    search, polls = searching(problem), [True, False]
    certain, out_of_memory = search.run(lambda *_: polls.pop(0))
    found = search.found()
    assert polls == [] and not certain and not out_of_memory
    assert found.steps == 1  # the work on it was not over
    assert [row[0] for row in found.cuts.tolist()] == [-1]  # one leaf, and a bound that holds
    assert -math.inf < found.low < found.high < math.inf


def test_it_goes_on_after_that(problem: Problem) -> None:
    search, polls = searching(problem), [True, False]
    search.run(lambda *_: polls.pop(0))
    first, steps = search.found(), [0]

    def until_some(n: int, *_: int) -> bool:
        steps[0] = n
        return n < 12

    search.run(until_some)
    found = search.found()
    assert found.low >= first.low and found.high <= first.high and found.low <= found.high
    assert len(found.cuts) > 1


def test_a_tree_to_begin_with_and_a_list_can_be_stopped(problem: Problem) -> None:
    search = searching(problem)
    stump = np.array([[0, 100, 101], [-1, 0, 0], [-1, 0, 0]], np.int32)
    assert not search.seed(stump, lambda *_: False)
    assert search.seed(stump)
    polls = [True, True, False]
    search.run(lambda *_: polls.pop(0))
    known = search.ranking(known=True)
    _, first = known.next()  # which the search has, so no item is opened
    assert known.next(lambda *_: False) == (False, None)
    ended, second = known.next()  # with all options of the item that was left in the middle
    assert ended and first is not None and second is not None


def test_each_edge_is_charged(problem: Problem) -> None:
    """The splits, edges and branches of the root alone take more than 200 bytes for each edge."""
    search = searching(problem, room=40_000_000)
    certain, out_of_memory = search.run()
    assert out_of_memory and not certain
    assert 40_000_000 / 4 < search.found().peak_bytes <= 40_000_000
