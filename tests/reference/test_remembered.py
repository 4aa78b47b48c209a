"""Answers that are kept, up to a number of them."""

from __future__ import annotations

from slp.problem.remembered import Remembered


def test_all_is_forgotten_where_it_is_full() -> None:
    kept: Remembered[int, str] = Remembered(2)
    for number in range(2):
        kept[number] = str(number)
    assert kept == {0: "0", 1: "1"}
    kept[2] = "2"
    assert kept == {2: "2"}
