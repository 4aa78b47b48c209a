"""The alternatives at a box in a state, proved by SWI-Prolog.

The program expanded on the table (`slp.analysis.expansion.clauses_on_table`) grows a box from a
nonterminal:

    grown(Goal, Box, Tree) :- way(Goal, Box, Rule), grow(Rule, Box, Tree).

`way` draws one of the rules that apply, `grow` one of its splits, and then the parts are grown. To
redraw a subtree, this goal is proved again by stochastic resolution, from its box down. Here
`grown` is replaced by

    grown(Goal, _, part(Goal)).

so that a proof stops at the parts of the box. The proofs of the two goals, each with the product of
its labels, are the alternatives of the local process (`slp.reference.local_process`) at a box. So
SWI-Prolog decides guards, labels, split measures and guards behind a split. Results for a box in a
state are cached.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slp.analysis import check_program, expand_on_table
from slp.ir import program as ir
from slp.ir.tree_grammar import CallRule, LeafRule, SplitRule, TreeGrammar
from slp.late import optional_module
from slp.problem.core import core_for, leaf_problem
from slp.reference.boxes import BoxSplit, Geometry
from slp.reference.cut_trees import rows_left
from slp.reference.local_process import (
    BoxGoal,
    LocalProcess,
    RuleAlternative,
    SplitAlternative,
    cumulated,
)
from slp.resolution import DEFAULT_LIMITS, Limits, Query
from slp.source import SourceFile, SourceSpan
from slp.syntax import parse_program
from slp.terms import Atom, Number, Struct, Term, Var, functor, list_term

if TYPE_CHECKING:
    from slp.swipl.prolog import PrologProgram

_LEAF = Atom("leaf")
_AT_ONCE = (1.0,)


class _State(NamedTuple):
    """A nonterminal, or `leaf`, and the number of splits above it if depth is limited (else 0)."""

    nonterminal: Term
    depth: int


class PrologProcess(LocalProcess):
    """The local process of a program of tree rules on a table, without constraints.

    `grammar` need not be that of the program; nothing is drawn from it. `source` is the program
    expanded on the table of `geometry`. SWI-Prolog keeps it until this object is garbage-collected.

    Raises
    ------
    UnsupportedError
        E260, E261: SWI-Prolog is missing, or does not start.
    ProgramError
        E263: the program runs code without permission. Goals raise the errors of their proofs.
    """

    def __init__(
        self,
        program: ir.CheckedProgram,
        source: SourceFile,
        grammar: TreeGrammar,
        geometry: Geometry,
        *,
        allow_code: bool,
    ) -> None:
        super().__init__(grammar, geometry)
        self._rules = program.rules
        self._depth_matters = program.support.max_depth is not None
        self._limits = _limits(geometry)
        self._loaded: PrologProgram = optional_module("swipl.prolog").PrologProgram(
            _cut_short(program, source), allow_code=allow_code
        )
        self._loaded.close_with(self)
        self._states: list[_State] = []
        self._numbers: dict[_State, int] = {}
        self._start = self._number(self._first_part(), 0)
        core = core_for(geometry.table)
        self._leaves: Any = None if core is None else leaf_problem(core, geometry.table)

    @property
    def root(self) -> BoxGoal:
        """All rows in the start state."""
        return self.goal(self.geometry.root, self._start)

    def _first_part(self) -> Term:
        tree = Var("Tree", 1)
        prior = Query(self._loaded.program, Struct("prior", (tree,)))
        found = self._loaded.first_answer(prior, tree, self._limits)
        assert found is not None, "prior(Tree) is a rule whose goals all have answers"
        return found

    def _number(self, part: Term, depth: int) -> int:
        """The number of the state of a part, at a depth below the root."""
        nonterminal = part.args[0] if isinstance(part, Struct) else _LEAF
        state = _State(nonterminal, depth if self._depth_matters else 0)
        number = self._numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number

    def leaf_prior(self, state: int) -> int:
        """0: SWI-Prolog proves programs without boxes."""
        return 0

    def _new_log_marginal(self, box: int, prior: int) -> float:
        if self._leaves is None:
            return super()._new_log_marginal(box, prior)
        rows = np.flatnonzero(self.geometry.members([box])[0]).astype(np.uint32)
        return float(self._leaves.log_marginal(rows))

    def _new_goal(self, box: int, state: int) -> BoxGoal:
        nonterminal, depth = self._states[state]
        if nonterminal == _LEAF:
            return BoxGoal(box, state, (RuleAlternative(LeafRule(0.0, ()), 0, 0.0),), _AT_ONCE, 0.0)
        found = self._loaded.ways(nonterminal, self._box(box, depth), self._limits)
        # A rule with forbidden splits only has no alternatives and is left out.
        rules = [self._rule(i, *one, box, depth) for i, one in enumerate(found) if one[2]]
        cumulative, log_total = cumulated([rule.log_weight for rule in rules])
        return BoxGoal(box, state, tuple(rules), cumulative, log_total)

    def _box(self, box: int, depth: int) -> Term:
        rows = np.flatnonzero(self.geometry.members([box])[0]) + 1
        return Struct("box", (Number(depth), list_term(map(Number, rows.tolist()))))

    def _rule(
        self,
        position: int,
        rule: int,
        mass: float,
        trees: Sequence[tuple[float, Term]],
        box: int,
        depth: int,
    ) -> RuleAlternative:
        """A rule as an alternative, with all trees that it can begin."""
        body, weight = self._rules[rule - 1].body, math.log(mass)
        if isinstance(body, ir.LeafBody):
            return RuleAlternative(LeafRule(weight, ()), position, weight)
        if isinstance(body, ir.CallBody):
            state = self._number(trees[0][1], depth)
            return RuleAlternative(CallRule(weight, state), position, weight)
        by_rows = {
            (self.geometry.cuts[s.cut].feature, s.left): s for s in self.geometry.splits(box)
        }
        alternatives = tuple(self._split(tree, by_rows, box, depth) for _, tree in trees)
        logs = tuple(math.log(p) for p, _ in trees)
        cumulative, log_total = cumulated(logs)
        made = SplitRule(weight, body.measure, ())
        return RuleAlternative(made, position, weight, alternatives, logs, cumulative, log_total)

    def _split(
        self, tree: Term, by_rows: dict[tuple[int, int], BoxSplit], box: int, depth: int
    ) -> SplitAlternative:
        """A split that SWI-Prolog has found. Its threshold determines the rows on each side."""
        assert isinstance(tree, Struct)
        feature, test, left, right = tree.args
        assert isinstance(feature, Atom) and isinstance(test, Atom | Number)
        f = self.geometry.table.feature_names.index(feature.name)
        kind = self.geometry.table.features[f].kind
        number = kind.code_of(test.name) if isinstance(test, Atom) else float(test.value)
        asked = kind.test_of_number(number, None)
        split = by_rows[f, rows_left(self.geometry, box, f, asked)]
        below = depth + 1
        return SplitAlternative(split, self._number(left, below), self._number(right, below))


def expanded(program: ir.CheckedProgram, geometry: Geometry) -> SourceFile:
    """The text that `slp expand FILE DATA` prints.

    Raises
    ------
    UnsupportedError
        E163, E164: the program cannot be expanded.
    """
    text = expand_on_table(program, geometry.table)
    return SourceFile(f"{program.name}, expanded on the table", text)


def _cut_short(program: ir.CheckedProgram, source: SourceFile) -> ir.CheckedProgram:
    """The expanded program, checked, with `grown` as a fact. Its clauses have the places of the
    clauses that they come from, so that errors are reported there."""
    made = check_program(parse_program(source))
    goal = Var("BoxGoal", 1)
    head = Struct("grown", (goal, Var("_Box", 2), Struct("part", (goal,))))
    rest = [c for c in made.clauses if functor(c.head) != ("grown", 3)]
    own = {
        i: clause.span for i, clause in enumerate(program.clauses)
    }  # the program's own clauses come first
    clauses = [replace(c, span=own.get(i) or _origin(c, program)) for i, c in enumerate(rest)]
    return replace(made, clauses=(*clauses, ir.LogicClause(head, None, None)))


def _origin(clause: ir.LogicClause, program: ir.CheckedProgram) -> SourceSpan | None:
    """The place of the rule from which a clause `rule(..., rule(I, ...))` or `grow(rule(I, ...),
    ...)` was made; of other clauses their own place."""
    head = clause.head
    if isinstance(head, Struct) and head.name in ("rule", "grow"):
        way = head.args[-1 if head.name == "rule" else 0]
        if isinstance(way, Struct) and isinstance(way.args[0], Number):
            return program.rules[int(way.args[0].value) - 1].span
    return clause.span


def _limits(geometry: Geometry) -> Limits:
    """Limits for the proofs of one box: enough to test every row for every split."""
    n, d = geometry.table.codes.shape
    return Limits(DEFAULT_LIMITS.inferences + n * n * d, DEFAULT_LIMITS.depth)
