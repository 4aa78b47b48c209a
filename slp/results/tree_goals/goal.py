"""A goal about trees: what is checked before it is asked, and which answers single trees give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from slp.budgets import check_time
from slp.data.table import Table
from slp.errors import ProgramError
from slp.ir.program import LogicClause
from slp.messages.tree_goals import NO_TREE_NAMED, OWN_TREE, STOCHASTIC_OF_TREES
from slp.resolution import Database, named_variables, read_goal, solve
from slp.resolution.machine import faults
from slp.resolution.machine.control import GOALS_IN
from slp.resolution.machine.of_trees import TREE
from slp.resolution.proofs.query import canonical
from slp.results.record.run import Logic
from slp.results.tree_goals.formulas import Formula
from slp.results.tree_goals.library import TreeLibrary
from slp.results.tree_goals.symbolic import Symbolic, TreeSpace
from slp.source import SourceSpan
from slp.terms import Term, Var, arguments, functor, list_term, subterms
from slp.trees import Tree

_Key = tuple[str, int]

#: The values that a goal's variables have in an answer.
Values = tuple[Term, ...]


class GoalAboutTrees:
    """A goal about trees of a table, read and checked.

    Attributes
    ----------
    term : the goal.
    names : the variables of an answer: those that have a name and are not the tree.
    """

    def __init__(self, text: str, program: Logic, table: Table, likelihood: bool) -> None:
        """Raises ProgramError: the text has a fault, E210, or one of E271 to E275."""
        self.term: Term = read_goal(text)
        self._program = program
        library = TreeLibrary(table, likelihood)
        self._library = library
        self._database = Database(program.clauses, program.parameters).about(library.definitions)
        self._check()
        trees = {arguments(t)[0] for t in subterms(self.term) if functor(t) == TREE}
        self._values = [v for v in named_variables(self.term) if v not in trees]
        self.names = [v.name for v in self._values]

    def answers(self, tree: Tree) -> dict[Values, None]:
        """The values of each answer that the tree gives, each once."""
        self._library.show(tree)
        found: dict[Values, None] = {}
        for bindings in solve(self.term, self._database, span=self.term.span):
            found[canonical(list_term(map(bindings.resolve, self._values)))] = None
            if not self._values:
                break
            check_time("proving goals about trees")
        return found

    def by_answer(self, trees: Sequence[Tree]) -> dict[Values, list[int]]:
        """For each answer the numbers of the trees that give it. Raises ProgramError as the proofs
        do, and BudgetError (E540)."""
        found: dict[Values, list[int]] = {}
        for u, tree in enumerate(trees):
            for values in self.answers(tree):
                found.setdefault(values, []).append(u)
            check_time("proving goals about trees")
        return found

    def for_all_trees(self, space: TreeSpace) -> dict[Values, Formula]:
        """For each answer the formula of the trees that give it.

        Raises
        ------
        NotForAllTreesError
            Only single trees decide the goal.
        """
        proofs = Symbolic(self._program.clauses, self._database, space)
        return proofs.formulas(self.term, self._values)

    # --- what is known beforehand --------------------------------------------------------------

    def _check(self) -> None:
        clauses: dict[_Key, list[LogicClause]] = {}
        for clause in self._program.clauses:
            if (key := functor(clause.head)) is not None:
                clauses.setdefault(key, []).append(clause)
        if TREE in clauses:
            raise ProgramError(OWN_TREE(clauses[TREE][0].span))
        reached: set[_Key] = set()
        for called, span in self._called(clauses):
            key = functor(called)
            assert key is not None
            reached.add(key)
            if any(clause.label is not None for clause in clauses.get(key, ())):
                predicate = f"`{key[0]}/{key[1]}`"
                raise ProgramError(STOCHASTIC_OF_TREES(span, predicate=predicate))
            if key not in self._database.definitions:
                raise faults.unknown_predicate(*key, self._database.definitions, span)
            if key in self._library.definitions and key not in clauses:
                self._library.check(key[0], arguments(called)[1:], span)
        if TREE not in reached:
            raise ProgramError(NO_TREE_NAMED(self.term.span))

    def _called(
        self, clauses: Mapping[_Key, Sequence[LogicClause]]
    ) -> Iterator[tuple[Term, SourceSpan | None]]:
        """The goals that this one may call, as they are written, with their places."""
        waiting: list[tuple[Term, SourceSpan | None]] = [(self.term, self.term.span)]
        entered: set[_Key] = set()
        while waiting:
            goal, around = waiting.pop()
            key, span = functor(goal), goal.span or around
            if key is None:
                if not isinstance(goal, Var):
                    raise faults.not_callable(goal, span)
                continue
            if key in GOALS_IN:
                waiting += [(arguments(goal)[i], span) for i in GOALS_IN[key]]
                continue
            yield goal, span
            if key not in entered:
                entered.add(key)
                bodies = (clause.body for clause in clauses.get(key, ()))
                waiting += [(body, body.span) for body in bodies if body is not None]
