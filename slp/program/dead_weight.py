"""Finds statements that no tree breaks which the others allow: they follow from others, or the
table makes them idle."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from slp.budgets.seconds import Deadline, held
from slp.engines import infer, read_for
from slp.engines.shared.drawing import trees_of_rules
from slp.engines.shared.size import size_for
from slp.errors import Diagnostic, Related, SlpError, TimeOverError
from slp.ir.program import CheckedProgram, SplitBody
from slp.lower import follows
from slp.messages.names import plural
from slp.messages.on_table import FOLLOWS, FOLLOWS_PERHAPS_FROM_FEWER, IDLE
from slp.problem.core import counts_fit
from slp.problem.problem import Problem
from slp.program.statements import Statement, places_of, smallest_part, with_only
from slp.results.record.choice import SUMS
from slp.trees import check_tree

#: Largest time of the whole search in seconds, of what is decided by definitions, and of one count
#: of trees.
_SECONDS, _SECONDS_OF_DEFINITIONS, _SECONDS_OF_COUNT = 5.0, 5.0, 1.0
#: Memory of a count in bytes, and most splits of a pass that is tried.
_MEMORY, _SPLITS = 64 << 20, 3e7
#: Trees drawn to find one that breaks a statement.
_DRAWS = 60


def find_dead_weight(problem: Problem) -> tuple[Diagnostic, ...]:
    """W155 for each statement that follows from others, with a smallest set of these, and W151 for
    each that no tree of the rules and the table breaks.

    All statements that are found can be left out together, and the same trees remain. Under
    `restrict` their weights may differ, as a statement may steer derivations away from dead ends.
    What is not decided within the limits of time and memory is not told. Predicates, what a
    tree grammar does not decide, and preferences are neither judged nor reasons.
    """
    # The trees are the same at all values of parameters.
    problem = replace(problem, program=problem.program.at({}))
    program = read_for(problem.program, SUMS)
    if program.edits is not None or program.has_gates:
        return ()
    search = _Search(problem, program)
    left = [s for s in search.statements if s.span is not None and _is_decided(s)]
    found: list[Diagnostic] = []
    for statement in reversed(left):
        others = [other for other in left if other is not statement]
        is_idle = partial(search.is_idle, statement)
        if not is_idle(others):
            continue
        left = others
        part, certain = smallest_part(others, is_idle)
        found.append(_told(statement, part, certain))
    return tuple(reversed(found))


def _told(statement: Statement, part: Sequence[Statement], certain: bool) -> Diagnostic:
    if not part:
        return IDLE(statement.span)
    related = [Related("because of this", o.span) for o in part if o.span is not None]
    words = FOLLOWS if certain else FOLLOWS_PERHAPS_FROM_FEWER
    others = plural(len(part), "other statement")
    it = "it" if len(part) == 1 else "them"
    return words(statement.span, related=related, others=others, it=it)


def _is_decided(statement: Statement) -> bool:
    """Whether a tree grammar decides it, and it does nothing but rule trees out."""
    own = statement.constraints
    more = any(c.is_preference or c.leaf_in_box is not None for c in own)
    return not more and not any(c.by_code or c.beyond_grammar() for c in own)


class _Search:
    """Asks whether trees of a program on the table of a problem break its statements."""

    def __init__(self, problem: Problem, program: CheckedProgram) -> None:
        self.problem, self.program, self.statements = problem, program, places_of(program)
        self.until, self.definitions = Deadline(_SECONDS), Deadline(_SECONDS_OF_DEFINITIONS)
        self.definitions.pause()
        self.schema = problem.table.schema(program.support.min_leaf)
        bodies = [rule.body for rule in program.rules]
        # There one tree stands for others, and which of them it is depends on the constraints.
        self.by_partition = any(
            isinstance(body, SplitBody) and body.measure == "partition" for body in bodies
        )

    def is_idle(self, statement: Statement, others: Sequence[Statement]) -> bool | None:
        """Whether no tree that the rules, the table and `others` allow breaks a statement; None if
        that is not known."""
        alone, rest = self.with_only([statement]), self.with_only(others)
        if self.follows(alone, rest):
            return True
        if self.until.over():
            return None
        try:
            with warnings.catch_warnings(), held(self.until):
                warnings.simplefilter("ignore")
                without = self.problem.varied(rest)
                if self.is_broken(alone, without):
                    return False
                both = self.with_only([statement, *others])
                more = self.n_trees(without)
                fewer = None if more is None else self.n_trees(self.problem.varied(both))
                return None if fewer is None else fewer == more
        except SlpError:
            return None

    def with_only(self, part: Sequence[Statement]) -> CheckedProgram:
        """The program with some of its statements alone."""
        return with_only(self.program, self.statements, part)

    def follows(self, alone: CheckedProgram, rest: CheckedProgram) -> bool:
        """Whether a statement follows from others by their definitions. Draws and counts take
        nothing from the time of this."""
        with self.definitions.working(), held(self.definitions), suppress(TimeOverError):
            return follows(alone, rest, self.schema)
        return False

    def is_broken(self, alone: CheckedProgram, without: Problem) -> bool:
        """Whether one of some trees of a program without a statement breaks it."""
        trees = trees_of_rules(without, _DRAWS, self.until.over)
        return any(r.holds is False for tree in trees for r in check_tree(tree, alone))

    def n_trees(self, problem: Problem) -> int | None:
        """The number of trees; None if a sum does not count them exactly within the limits."""
        if self.by_partition or not counts_fit(problem.grammar, problem.table, _MEMORY):
            return None
        size = size_for(problem, _MEMORY, _SPLITS)
        if size is None or not size.fits(_MEMORY, _SPLITS):
            return None
        until = Deadline(min(_SECONDS_OF_COUNT, self.until.left()))
        posterior = infer(
            problem,
            engine=SUMS,
            draws=0,
            seed=0,
            memory=_MEMORY,
            time=until,
            likelihood=False,
            advise=False,
        )
        count = posterior.tree_count()
        return count if isinstance(count, int) else None
