"""Tree rules prepared for use: a head to match, guards to prove, a label and a body to fill in.

A program uses the same few rules at thousands of goals. So a rule's terms become templates once,
and a rule without guards starts no query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.ir.row_function import RowFunction
from slp.resolution.boxes.row_goals import compile_rows, part_guards
from slp.resolution.machine.arithmetic import evaluate
from slp.resolution.machine.loop import Definitions, Machine, Meter
from slp.resolution.machine.store import Store
from slp.resolution.machine.templates import (
    ClauseFrame,
    Slot,
    build,
    instantiate,
    match_all,
    template,
)
from slp.terms import Struct, Term, Var, arguments, functor

#: Inferences that a proof of the guards counts in addition, for making the label and the body.
_INFERENCES_OF_AN_INSTANCE = 10


class PreparedRule:
    """A tree rule as templates over one frame, which has a place for each variable of the rule."""

    def __init__(self, rule: ir.TreeRule) -> None:
        slots: dict[Var, Slot] = {}
        head_args = arguments(rule.head)
        self.rule = rule
        self._functor = functor(rule.head)
        self._head = tuple(template(a, slots) for a in head_args)
        self._bound_by_head = len(slots)
        guards = part_guards(rule.head, rule.before)
        self._guards = tuple(template(g, slots) for g in guards.proved)
        self._bound_by_guards = len(slots)
        self._of_rows = tuple(template(g, slots) for g in guards.of_rows)
        self._label = template(rule.label, slots)
        self._body = tuple(template(t, slots) for t in rule.body.terms)
        self._variables = tuple(slots)
        self._first = 1 + max((v.id for v in slots), default=0)

    def proofs(
        self,
        goal: Term,
        definitions: Definitions,
        parameters: Mapping[str, int | float],
        meter: Meter,
    ) -> Iterator[list[Term]]:
        """The values of the rule's variables for each proof of the guards before the split (row
        goals are not proved, see `label`).

        `goal` is ground. Matching the head counts as one inference, each proof as some more. A
        variable that is left free stands for itself; `slp.resolution.machine.solve.Bindings`
        describes variables that a proof made.

        Raises
        ------
        ProgramError
            As `slp.resolution.machine.solve.solve`.
        """
        meter.inferences += 1
        if functor(goal) != self._functor:
            return
        store = Store(self._first)
        frame: ClauseFrame = [None] * len(self._variables)
        if not match_all(self._head, goal.args if type(goal) is Struct else (), frame, store):
            return
        if not self._guards:
            yield self._completed(frame, store)
            return
        guards = [instantiate(g, frame, store) for g in self._guards]
        machine = Machine(definitions, parameters, meter, store)
        for _ in machine.prove(guards, self.rule.span):
            machine.spend(_INFERENCES_OF_AN_INSTANCE, self.rule.span)
            yield self._completed(frame, store)

    def _completed(self, frame: ClauseFrame, store: Store) -> list[Term]:
        """The values of all variables of the rule, from the frame after a proof."""
        # The head's variables stand for parts of the goal, which is ground. Those of guards may be
        # free, or stand for terms with free variables.
        by_head, by_guards = self._bound_by_head, self._bound_by_guards
        bound = [t for t in frame[:by_guards] if t is not None]
        named = zip(bound, self._variables, strict=False)
        own: dict[Term, Term] = {t: v for t, v in named if isinstance(t, Var)}
        in_guards = [store.resolve(t, own) for t in bound[by_head:]]
        return [*bound[:by_head], *in_guards, *self._variables[by_guards:]]

    def label(
        self, frame: Sequence[Term], parameters: Mapping[str, int | float]
    ) -> tuple[int | float, RowFunction | None]:
        """The label's value after a proof, and the function of the rows of the box: see
        `slp.resolution.boxes.row_goals.compile_rows`, also for errors raised."""
        span = self.rule.label.span or self.rule.span
        if not self._of_rows:
            return evaluate(self._label, parameters, frame=frame, span=span), None
        goals = [build(t, frame) for t in self._of_rows]
        return compile_rows(goals, build(self._label, frame), parameters, span)

    def body(self, frame: Sequence[Term]) -> ir.Body:
        """The body after a proof."""
        body = self.rule.body
        terms = [build(t, frame) for t in self._body]
        if isinstance(body, ir.CallBody):
            return ir.CallBody(*terms)
        if isinstance(body, ir.SplitBody):
            feature, threshold, *after, left, right = terms
            return ir.SplitBody(feature, threshold, body.measure, tuple(after), left, right)
        return body
