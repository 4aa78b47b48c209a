"""Partial evaluation: a state's rules are worked out once, for the checker and the lowering."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import slp
from slp.resolution import StateRules, states
from slp.resolution.machine import Limits, Meter
from slp.syntax import parse_term
from slp.terms import Term

ROWS = """
:- start(t(0)).
0.9 * (1 - 1/N)     :: t(D) --> { D < 5, rows(N) }, split(_, _), t(D+1), t(D+1).
1 - 0.9 * (1 - 1/N) :: t(D) --> { D < 5, rows(N) }, leaf.
1 :: t(5) --> leaf.
"""


def test_each_state_of_a_table_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[Term] = Counter()
    plain = states.rule_instances

    def counted(database: Any, rules: Any, goal: Term, meter: Any) -> Any:
        asked[goal] += 1
        return plain(database, rules, goal, meter)

    program = slp.parse(ROWS)
    monkeypatch.setattr(states, "rule_instances", counted)
    X = np.arange(20.0).reshape(-1, 1)
    program.compile(X, np.where(X[:, 0] > 9, "b", "a"))
    assert len(asked) == 6 and set(asked.values()) == {1}


def test_states_know_the_most_leaves() -> None:
    program = slp.parse(":- start(t(1)). 1 :: t(K) --> { K < most_leaves }, leaf.")
    rules = StateRules(program.ir, 7)
    assert rules.state(parse_term("t(3+4)")) == parse_term("t(7)")
    found = [len(rules.instances(parse_term(f"t({k})"), Meter(Limits()))) for k in (6, 7)]
    assert found == [1, 0]
