"""States of a grammar that are made when an engine reaches them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from slp.errors import Diagnostic
from slp.ir.program import Measure
from slp.ir.tree_grammar import OpenStates, State, TreeGrammar
from slp.lower.expansion import TooManyStatesError
from slp.lower.states import StateMaker
from slp.messages.lowering import UNLIKE_FIRST_STATES


class MadeStates(OpenStates):
    """Open states that a `StateMaker` makes. `sound` checks what each state must satisfy, if
    anything. `findings` tell what the states that were listed have in common. `list_all` gives all
    states in the order of a listing; it is never called while a state is made. `again` makes the
    grammar once more, for a copy by pickling."""

    def __init__(
        self,
        maker: StateMaker,
        *,
        single_derivation: bool,
        measures: frozenset[Measure],
        identity: str,
        sound: Callable[[State], bool] | None,
        findings: Sequence[Diagnostic],
        list_all: Callable[[], tuple[State, ...]],
        again: Callable[[], TreeGrammar],
    ) -> None:
        self.first, self.findings = maker.listed(), findings
        self.single_derivation, self.measures, self.identity = single_derivation, measures, identity
        self._maker, self._sound, self._list_all, self._again = maker, sound, list_all, again
        self._made = dict(self.first)
        self._all: tuple[State, ...] | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return _states_of, (self._again,)

    def __getitem__(self, state: int) -> State:
        found = self._made.get(state)
        if found is None:
            with self._lock:
                found = self._made.get(state) or self._make(state)
        return found

    def listed(self) -> tuple[State, ...]:
        with self._lock:
            if self._all is None:
                self._all = self._list_all()
            return self._all

    def _make(self, state: int) -> State:
        made = self._maker.state(state)
        if self._sound is not None and not self._sound(made):
            found = UNLIKE_FIRST_STATES(state=made.name, listed=len(self.first))
            raise TooManyStatesError(found)
        self._made[state] = made
        return made


def _states_of(again: Callable[[], TreeGrammar]) -> Any:
    return again().states
