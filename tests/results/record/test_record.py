"""The record: one frozen class, of which there is no other kind."""

from __future__ import annotations

import dataclasses
import importlib
import pickle
import pkgutil

import pytest

import slp
import slp.engines
import slp.results
from slp.results.record.later import Later
from slp.results.record.result import Result


def test_a_result_is_a_frozen_record_without_subclasses() -> None:
    for room in (slp.engines, slp.results):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
    assert Result.__subclasses__() == []
    assert dataclasses.is_dataclass(Result)
    posterior = slp.parse(":- use(growtree).").posterior([[1.0], [2.0]], ["a", "b"], draws=0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        posterior._result.seed = 2  # type: ignore[misc]


def test_a_later_value_is_computed_once_and_only_when_asked_for() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return 7

    value = Later(make)
    assert not value.is_known and made == []
    assert value() == value() == 7
    assert value.is_known and made == [1]
    assert pickle.loads(pickle.dumps(Later.known([1, 2])))() == [1, 2]


def test_a_later_value_that_cannot_be_computed_is_tried_again() -> None:
    tries = iter([ValueError("not yet"), None])

    def make() -> int:
        if (error := next(tries)) is not None:
            raise error
        return 1

    value = Later(make)
    with pytest.raises(ValueError, match="not yet"):
        value()
    assert not value.is_known and value() == 1
