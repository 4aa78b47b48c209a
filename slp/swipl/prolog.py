"""Stochastic logic programs under SWI-Prolog, through `slp.swipl.bridge`.

`slp/swipl/engine.pl` loads a program into a Prolog module of its own, resolves from one stochastic
choice to the next, and draws proofs. The search over choices, with its masses, is that of
`slp.resolution.proofs.best_first`, so both engines give the same answers.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, TypeAlias

from slp.budgets import memory_left
from slp.errors import ProgramError
from slp.ir import program as ir  # used late: it imports slp.terms
from slp.messages.proofs import UNNAMED_IN_ARITHMETIC
from slp.resolution.answers.batches import cut_short
from slp.resolution.answers.found import DrawnProofs
from slp.resolution.machine import faults
from slp.resolution.machine.arithmetic import names_of_functions, names_of_values
from slp.resolution.machine.functions import MAX_BITS
from slp.resolution.machine.loop import Limits
from slp.resolution.machine.store import LARGEST
from slp.resolution.proofs.best_first import BestFirst, FoundProof, SearchNode
from slp.resolution.proofs.draws import Failure
from slp.resolution.proofs.masses import Mass
from slp.resolution.proofs.query import Query, canonical, database_of, prepared, tree_goals
from slp.source import SourceSpan
from slp.swipl.bridge import Data, call
from slp.swipl.flat_terms import decode, encode
from slp.swipl.stopping import stoppable, stopped
from slp.terms import NIL, Atom, Struct, Term, Var

#: SWI-Prolog also counts the interpreter's inferences: its limit for each inference of ours.
INFERENCES = 20

#: Limit of SWI-Prolog's stacks, in bytes, where the memory that is held leaves so much.
_STACKS = 512 << 20

#: Memory for each part of a term that both languages copy, in bytes.
_BYTES_PER_PART = 400

#: SWI-Prolog does nothing with less.
_LEAST_STACKS = 16 << 20

#: Inferences after which a run is interrupted for the first time.
_FIRST_BUDGET = 100_000


# --- programs ----------------------------------------------------------------------------------


class PrologProgram:
    """A program loaded into SWI-Prolog. `close` it, or use it in a `with` statement.

    Raises
    ------
    UnsupportedError
        E260, E261: SWI-Prolog is missing, or does not start.
    ProgramError
        E263: a goal `prolog(...)` needs `allow_code`.
    """

    def __init__(self, program: ir.CheckedProgram, *, allow_code: bool = False) -> None:
        self.program = program
        room = memory_left()
        self.stacks = int(min(_STACKS, max(_LEAST_STACKS, room / 2)))
        self.largest = int(min(LARGEST, room / _BYTES_PER_PART))
        options = ["allow_code"] * allow_code + ["weights"] * program.weights
        parameters = [[name, value] for name, value in database_of(program).parameters.items()]
        trees = [[n, a, goal.arity] for (n, a), goal in tree_goals(program.rules).items()]
        clauses = [[i, *encode(_clause(c))] for i, c in enumerate(program.clauses)]
        outcome = call("slp_load", clauses, trees, parameters, options)
        if isinstance(outcome, list):
            raise self.fault(outcome, None)
        self.module: str = outcome

    def close(self) -> None:
        """Remove the program from SWI-Prolog."""
        call("slp_unload", self.module)

    def close_with(self, owner: object) -> None:
        """Remove the program when `owner` is garbage-collected."""
        # At the end of the process SWI-Prolog may have ended already.
        weakref.finalize(owner, self.close).atexit = False

    def __enter__(self) -> PrologProgram:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def search(self, query: Query, tolerance: float, limits: Limits, merges: bool) -> PrologSearch:
        """A search for the proofs of a goal; see `slp.resolution.answers.queries.Searcher`."""
        return PrologSearch(self, query, tolerance, limits, merges=merges)

    def draw_answers(
        self, query: Query, count: int, *, failure: Failure, seed: int, limits: Limits
    ) -> DrawnProofs:
        """As `slp.resolution.answers.drawing.draw_answers`, without tables and paths."""
        if failure == "rejection" and self.program.weights:
            raise faults.weighted_draws(query.goal.span)
        with stoppable() as stop:
            outcome, tries, *found = call(
                "slp_draws",
                self.module,
                _goals(query),
                failure,
                [count, seed],
                self.limits(limits.inferences * INFERENCES, stop.watch),
            )
            answers = [canonical(decode(tokens)) for _, tokens in found]
        if outcome not in ("done", "time", "interrupt"):
            raise self.fault(outcome, query, limits)
        if stop.pressed:  # after the last draw
            outcome = "interrupt"
        interrupted = outcome != "done" and cut_short(stopped(outcome), len(answers), count)
        every = range(len(answers))
        return DrawnProofs(failure, answers, every, None, (), None, tries, interrupted)

    def limits(self, inferences: int, watch: str = "none") -> list[Data]:
        """The limits of a guarded call, with inferences of SWI-Prolog."""
        return [inferences, self.stacks, self.largest, watch]

    def _limits(self, limits: Limits) -> list[Data]:
        return self.limits(limits.inferences * INFERENCES)

    def first_answer(self, query: Query, answer: Term, limits: Limits) -> Term | None:
        """The instance of `answer` by the first proof of a goal, None without a proof. The goal
        must contain no stochastic predicates.

        Raises
        ------
        ProgramError
            As `slp.resolution.answers_of_query`, and E262; E214 to E216, E265 at a limit.
        """
        goals = encode(Struct("goals", (query.goal, answer)))
        outcome, *found = call("slp_first", self.module, goals, self._limits(limits))
        if outcome != "done":
            raise self.fault(outcome, query, limits)
        return decode(found[1]) if found else None

    def ways(
        self, nonterminal: Term, box: Term, limits: Limits
    ) -> list[tuple[int, float, list[tuple[float, Term]]]]:
        """The rules of an expanded program that apply to a box with a nonterminal: for each its
        number, its probability, and its trees with their probabilities
        (`slp.reference.prolog.process`).

        Raises
        ------
        ProgramError
            As `first_answer`.
        """
        goal = Struct("-", (nonterminal, box))
        outcome, *found = call("slp_ways", self.module, encode(goal), self._limits(limits))
        if outcome != "done":
            raise self.fault(outcome, Query(self.program, nonterminal), limits)
        return [
            (number, mass, [(p, decode(tokens)) for p, _, tokens in trees])
            for number, mass, *trees in found
        ]

    def holds(self, goal: Struct, span: SourceSpan | None, limits: Limits) -> bool:
        """Whether a goal has a proof. Raises as `first_answer`."""
        query = Query(self.program, replace(goal, span=span))
        return self.first_answer(query, NIL, limits) is not None

    def fault(
        self, outcome: Data, query: Query | None, limits: Limits | None = None
    ) -> ProgramError:
        """The exception for a fault that the engine reports."""
        goal_span = None if query is None else query.goal.span
        if outcome == "inferences":
            assert limits is not None
            return faults.too_many_inferences(limits.inferences, goal_span)
        if outcome == "memory":
            return faults.stacks_full(self.stacks >> 20, goal_span)
        number, formal, *args = outcome
        span = goal_span if number < 0 else self.program.clauses[number].span
        return self._fault(formal, args, span)

    def _fault(self, formal: str, args: Sequence[Data], span: SourceSpan | None) -> ProgramError:
        match formal, args:
            case "unknown", [name, arity]:
                known = database_of(self.program).definitions
                return faults.unknown_predicate(name, arity, known, span)
            case "unbound_value", []:
                return ProgramError(UNNAMED_IN_ARITHMETIC(span))
            case "unknown_value", [name]:
                parameters = database_of(self.program).parameters
                return faults.unknown_value(name, names_of_values(parameters), span)
            case "unknown_function", [name, arity]:
                return faults.unknown_function(name, arity, names_of_functions(arity), span)
            case "unbound_goal", []:
                return faults.unbound_goal(Var("_"), span)
            case "swi", [text]:
                return faults.swi_error(" ".join(str(text).split()), span)
            case _:
                error: ProgramError = _FAULTS[formal](*args, span)
                return error


_FAULTS: Mapping[str, Any] = {
    "not_callable": lambda _, tokens, span: faults.not_callable(decode(tokens), span),
    "not_a_number": lambda _, tokens, span: faults.not_a_number(decode(tokens), span),
    "needs_integers": faults.needs_integers,
    "undefined": faults.undefined,
    "float_overflow": faults.float_overflow,
    "integer_overflow": lambda span: faults.integer_overflow(MAX_BITS, span),
    "enclosed": faults.enclosed_choice,
    "crossing_cut": faults.crossing_cut,
    "large_sum": faults.large_sum,
    "tree": faults.tree_goal,
    "label": faults.impossible_label,
    "several_proofs": faults.several_proofs,
    "nothing_to_draw": faults.nothing_to_draw,
    "zero_divisor": faults.division_by_zero,
    "code": faults.code_refused,
    "too_large": faults.too_large,
}


def _clause(clause: ir.LogicClause) -> Term:
    label = Atom("none") if clause.label is None else Struct("label", (clause.label,))
    return Struct("clause", (label, clause.head, clause.body or Atom("true")))


def _goals(query: Query) -> list[Data]:
    goals, answer, _ = prepared(query)
    conjunction = goals[-1]
    for goal in reversed(goals[:-1]):
        conjunction = Struct(",", (goal, conjunction))
    return encode(Struct("goals", (conjunction, answer)))


# --- searches ----------------------------------------------------------------------------------


def forget_search(search: int) -> None:
    """Remove all stored goals of a search."""
    call("slp_close", search)


#: The bits of an option's number that are its clause's; those above tell its instances apart.
_CLAUSE = (1 << 32) - 1

#: The start of a run: a stored goal, and the number of the option to continue with.
Start: TypeAlias = tuple[int, int]


class PrologSearch(BestFirst[Start, int]):
    """The search for all proofs of a query. A node's `run` is the budget of its next turn.

    An interrupted run starts again with four times the inferences, and skips the results of its
    earlier turns.
    """

    def __init__(
        self, loaded: PrologProgram, query: Query, tolerance: float, limits: Limits, *, merges: bool
    ) -> None:
        super().__init__(tolerance, weights=loaded.program.weights, merges=merges)
        self._loaded = loaded
        self._query = query
        self._limits = limits
        self._left = limits.inferences * INFERENCES
        self._watch = "none"
        way = "merges" if merges else "separate"
        self._search, root = call("slp_open", loaded.module, _goals(query), way)
        if isinstance(root, list):
            raise loaded.fault(root, query)
        self._root: int = root

    def run(self) -> Iterator[FoundProof]:
        """See `BestFirst`."""
        try:
            with stoppable() as stop:
                self._watch = stop.watch
                yield from super().run()
            if stop.pressed:
                raise KeyboardInterrupt
        finally:
            forget_search(self._search)

    def key(self, start: Start) -> Hashable:
        """Equal stored goals have one key."""
        return start

    def advance(self, node: SearchNode[Start, int], priority: Mass) -> Iterator[FoundProof]:
        """Continue until the run ends or has used its budget."""
        if self._left <= 0:
            raise self._loaded.fault("inferences", self._query, self._limits)
        budget = min(node.run or _FIRST_BUDGET, self._left)
        place = node.start or (self._root, -1)
        limits = self._loaded.limits(budget, self._watch)
        used, outcome, *found = call("slp_expand", self._search, list(place), node.exits, limits)
        self._left -= used
        yield from self._ended(node, found)
        if outcome == "done":
            self.done(node)
        elif outcome == "inferences":
            node.run = budget * 4
            self.lay_aside(node, priority)
        elif outcome in ("time", "interrupt"):
            raise stopped(outcome)
        else:
            raise self._loaded.fault(outcome, self._query, self._limits)

    def _ended(self, node: SearchNode[Start, int], found: Iterable[Data]) -> Iterator[FoundProof]:
        clauses = self._loaded.program.clauses
        for kind, first, second in found:
            if kind == "proof":
                yield self.proof(node, decode(second))
            else:
                options = ((clauses[n & _CLAUSE], label, (first, n)) for n, label in second)
                self.branch(node, options)
