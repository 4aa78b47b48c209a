"""Tree rules prepared for use: the head matched against a goal, then the guards proved.

A program asks the same few rules at thousands of goals. So head and guards become templates once,
and where a rule has no guards no query is started at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slp.ir import program as ir  # its names are used late: it imports slp.proofs.terms
from slp.proofs.machine import Definitions, Machine, Meter
from slp.proofs.store import Store
from slp.proofs.templates import Frame, Slot, instantiate, match_all, template
from slp.proofs.terms import Struct, Term, Var, functor, substitute

__all__ = ["PreparedRule"]


class PreparedRule:
    """A tree rule's head and guards before the split; `rule` is what was written."""

    def __init__(self, rule: ir.TreeRule) -> None:
        slots: dict[Var, Slot] = {}
        head_args = rule.head.args if isinstance(rule.head, Struct) else ()
        self.rule = rule
        self.functor = functor(rule.head)
        self._head = tuple(template(a, slots) for a in head_args)
        self._in_head = len(slots)  # the places before this one are the head's variables
        self._guards = tuple(template(g, slots) for g in rule.before)
        self._variables = tuple(slots)
        self._first = 1 + max((v.id for v in slots), default=0)

    def proofs(
        self,
        goal: Term,
        definitions: Definitions,
        parameters: Mapping[str, int | float],
        meter: Meter,
    ) -> Iterator[dict[Var, Term]]:
        """What the variables of head and guards stand for, once for each proof of the guards.

        `goal` is ground. To match the head counts as one inference. A variable that is left free
        stands for itself; see `slp.proofs.solve.Bindings` for those that a proof made.

        Raises
        ------
        ProgramError
            As `slp.proofs.solve.solve` does.
        """
        meter.inferences += 1
        if functor(goal) != self.functor:
            return
        store = Store(self._first)
        frame: Frame = [None] * len(self._variables)
        if not match_all(self._head, goal.args if isinstance(goal, Struct) else (), frame, store):
            return
        if not self._guards:
            yield self._bindings(frame, store)
            return
        guards = [instantiate(g, frame, store) for g in self._guards]
        machine = Machine(definitions, parameters, meter, store)
        for _ in machine.prove(guards, self.rule.span):
            yield self._bindings(frame, store)

    def _bindings(self, frame: Frame, store: Store) -> dict[Var, Term]:
        # The head's variables stand for parts of the goal, which is ground; those of guards may
        # still be free, or stand for terms with free variables.
        out: dict[Var, Term] = dict(zip(self._variables, frame, strict=True))  # type: ignore[arg-type]  # all were met
        own = range(self._in_head, len(frame))
        if own:
            made = {frame[i]: self._variables[i] for i in own}
            for i in own:
                out[self._variables[i]] = substitute(store.resolve(frame[i]), made)  # type: ignore[arg-type]
        return out
