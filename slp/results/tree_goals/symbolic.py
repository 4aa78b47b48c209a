"""A goal proved for all trees at once: each proof holds of the trees for which a formula does.

The tree is an atom. Goals about it give formulas, for each value that a free argument can take.
Other goals are proved as they stand, and clauses of the program over trees are unfolded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from slp.budgets import check_time
from slp.constraints.avoids import (
    DeeperThan,
    RootOn,
    SplitAbove,
    ThresholdIn,
    UsesFeature,
)
from slp.ir.program import LogicClause
from slp.resolution import DEFAULT_LIMITS, Database, Meter, evaluate, solve
from slp.resolution.machine.control import GOALS_IN
from slp.resolution.machine.of_trees import ABOUT_TREES, TREE
from slp.resolution.machine.store import Store
from slp.resolution.proofs.query import canonical
from slp.results.tree_goals.formulas import Formula, LeafCount, joined, negated
from slp.terms import (
    Atom,
    Number,
    Struct,
    Term,
    Var,
    arguments,
    functor,
    list_term,
    substitute,
    subterms,
    variables,
)

#: The tree, which no text of a program can name.
_TREE = Atom("\0tree")
#: Clauses inside each other up to which goals are unfolded.
_MOST_NESTED = 100
#: Goals up to which all trees are asked at once.
_MOST_GOALS = 20_000
#: Goals inside goals that are proved for all trees at once.
_JUNCTIONS = {(",", 2), (";", 2), ("\\+", 1), ("forall", 2)}

_Key = tuple[str, int]


class NotForAllTreesError(Exception):
    """A goal asks a tree for more than formulas tell, so that only single trees decide it."""


@dataclass(frozen=True)
class TreeSpace:
    """What there is to ask of trees.

    Attributes
    ----------
    features : all features; `numeric` are those whose thresholds are numbers.
    leaves, depth : numbers of leaves and depths that have a probability.
    rows : the numbers of the rows of the table.
    together : that two of them end in one leaf; it raises NotForAllTreesError of a row in no leaf.
    """

    features: tuple[str, ...]
    numeric: frozenset[str]
    leaves: Callable[[], range]
    depth: Callable[[], range]
    rows: Callable[[], range]
    together: Callable[[int, int], Formula]


class Symbolic:
    """Proofs of goals about all trees of a space."""

    def __init__(
        self, clauses: Sequence[LogicClause], database: Database, space: TreeSpace
    ) -> None:
        self._database, self._space = database, space
        self._clauses: dict[_Key | None, list[LogicClause]] = {}
        for clause in clauses:
            self._clauses.setdefault(functor(clause.head), []).append(clause)
        self._goals, self._meter = 0, Meter(DEFAULT_LIMITS)

    def formulas(self, goal: Term, values: Sequence[Term]) -> dict[tuple[Term, ...], Formula]:
        """For each answer, the values of these variables, the formula of the trees that give it.

        Raises
        ------
        NotForAllTreesError
            Only single trees decide the goal.
        ProgramError
            As a proof does.
        """
        asked = dict.fromkeys(variables(goal))
        self.store = Store(1 + max((v.id for v in asked), default=0))
        fresh: dict[Var, Term] = {v: self.store.fresh(v) for v in asked}
        found: dict[tuple[Term, ...], list[Formula]] = {}
        for formula in self._prove(substitute(goal, fresh), 0):
            own = list_term(self.store.resolve(substitute(v, fresh)) for v in values)
            if _TREE in subterms(own):
                raise NotForAllTreesError
            found.setdefault(canonical(own), []).append(formula)
        return {own: joined(False, tuple(parts)) for own, parts in found.items()}

    def _prove(self, goal: Term, nested: int) -> Iterator[Formula]:
        """The formula of each proof, while the store has its bindings."""
        goal = self.store.deref(goal)
        self._goals += 1
        if self._goals > _MOST_GOALS or nested > _MOST_NESTED:
            raise NotForAllTreesError
        key = functor(goal)
        if key is None:
            raise NotForAllTreesError
        if not self._is_about_tree(goal, key):
            yield from self._logical(goal)
        elif key in _JUNCTIONS:
            yield from self._junction(key, arguments(goal), nested)
        elif key in self._clauses:
            yield from self._unfolded(goal, key, nested)
        elif key == TREE or key in ABOUT_TREES:
            yield from self._about_tree(key, arguments(goal))
        else:
            raise NotForAllTreesError

    def _junction(self, key: _Key, args: Sequence[Term], nested: int) -> Iterator[Formula]:
        if key == (",", 2):
            for one in self._prove(args[0], nested):
                for other in self._prove(args[1], nested):
                    yield joined(True, (one, other))
        elif key == (";", 2):
            if functor(self.store.deref(args[0])) in (("->", 2), ("*->", 2)):
                raise NotForAllTreesError
            for part in args:
                yield from self._prove(part, nested)
        elif key == ("forall", 2):
            without = Struct(",", (args[0], Struct("\\+", (args[1],))))
            yield self._never(without, nested)
        else:
            yield self._never(args[0], nested)

    def _never(self, goal: Term, nested: int) -> Formula:
        """The formula of the trees for which a goal has no proof."""
        mark = self.store.mark()
        found = tuple(self._prove(goal, nested))
        self.store.undo(mark)
        return negated(joined(False, found))

    def _is_about_tree(self, goal: Term, key: _Key) -> bool:
        """Whether a goal has the tree in it, or calls what may ask for it."""
        if _TREE in subterms(self.store.resolve(goal)):
            return True
        inside = (functor(self.store.deref(arguments(goal)[i])) for i in GOALS_IN.get(key, ()))
        called = inside if key in GOALS_IN else [key]
        return any(self._calls_tree(other, set()) for other in called)

    def _calls_tree(self, key: _Key | None, seen: set[_Key | None]) -> bool:
        """Whether a predicate is one about trees, its clauses call one, or it has goals inside."""
        if key in GOALS_IN or self._asks_tree(key):
            return True
        seen.add(key)
        bodies = (clause.body for clause in self._clauses.get(key, ()) if clause.body is not None)
        called = {functor(part) for body in bodies for part in subterms(body)}
        return any(map(self._asks_tree, called)) or any(
            self._calls_tree(other, seen)
            for other in called & self._clauses.keys()
            if other not in seen
        )

    def _asks_tree(self, key: _Key | None) -> bool:
        """Whether this is a predicate about trees, and not one of the program."""
        return key == TREE or (key in ABOUT_TREES and key not in self._clauses)

    def _logical(self, goal: Term) -> Iterator[Formula]:
        """A goal without the tree, as the machine proves it."""
        asked = self.store.resolve(goal)
        own = list(dict.fromkeys(variables(asked)))
        for found in solve(asked, self._database, self._meter):
            check_time("proving goals about trees")
            values = [found.resolve(v) for v in own]
            pairs = zip(own, values, strict=True)
            if any(v != t and any(True for _ in variables(t)) for v, t in pairs):
                raise NotForAllTreesError
            yield from self._if_equal(own, values, True)

    def _unfolded(self, goal: Term, key: _Key, nested: int) -> Iterator[Formula]:
        for clause in self._clauses[key]:
            body = Atom("true") if clause.body is None else clause.body
            self._check_head(goal, clause.head)
            if any(functor(t) == ("!", 0) for t in subterms(body)):
                raise NotForAllTreesError
            mark = self.store.mark()
            fresh: dict[Var, Term] = {
                v: self.store.fresh(v) for part in (clause.head, body) for v in variables(part)
            }
            if self.store.unify(goal, substitute(clause.head, fresh)):
                yield from self._prove(substitute(body, fresh), nested + 1)
            self.store.undo(mark)

    def _check_head(self, goal: Term, head: Term) -> None:
        """Raise NotForAllTreesError unless the head takes the tree whole, whatever it is: by a
        variable that is nowhere else in the head."""
        counts = Counter(variables(head))
        for given, taken in zip(arguments(goal), arguments(head), strict=True):
            given = self.store.resolve(given)
            whole = given == _TREE and isinstance(taken, Var) and counts[taken] == 1
            if _TREE in subterms(given) and not whole:
                raise NotForAllTreesError

    def _if_equal(
        self, terms: Sequence[Term], values: Sequence[Term], formula: Formula
    ) -> Iterator[Formula]:
        mark = self.store.mark()
        if all(self.store.unify(t, v) for t, v in zip(terms, values, strict=True)):
            yield formula
        self.store.undo(mark)

    # --- the library ---------------------------------------------------------------------------

    def _about_tree(self, key: _Key, args: Sequence[Term]) -> Iterator[Formula]:
        own = [self.store.resolve(a) for a in args]
        if key == TREE:
            if not isinstance(own[0], Var) and own[0] != _TREE:
                raise NotForAllTreesError
            yield from self._if_equal(own, [_TREE], True)
            return
        if own[0] != _TREE:
            raise NotForAllTreesError
        for values, formula in self._instances(key[0], own[1:]):
            yield from self._if_equal(own[1:], values, formula)

    def _instances(self, name: str, args: Sequence[Term]) -> Iterator[tuple[list[Term], Formula]]:
        """The arguments that a goal may have, each with its formula."""
        space = self._space
        match name:
            case "uses":
                for (f,) in self._named(args):
                    yield [Atom(f)], UsesFeature(f)
            case "root":
                for (f,) in self._named(args):
                    yield [Atom(f)], RootOn(f)
            case "above":
                for f, g in self._named(args):
                    yield [Atom(f), Atom(g)], SplitAbove(f, g)
            case "leaves":
                for n in _numbers(args[0], space.leaves()):
                    yield [Number(n)], LeafCount(n)
            case "depth":
                for d in _numbers(args[0], space.depth()):
                    above = () if d == 0 else (DeeperThan(d - 1),)
                    yield [Number(d)], joined(True, (negated(DeeperThan(d)), *above))
            case "threshold_between":
                low, high = (self._value(term) for term in args[1:])
                for (f,) in self._named(args[:1], space.numeric):
                    holds = low <= high and ThresholdIn(f, low, high)
                    yield [Atom(f), *args[1:]], holds
            case "same_leaf":
                yield [*args], self._together(args)
            case _:
                raise NotForAllTreesError

    def _together(self, args: Sequence[Term]) -> Formula:
        rows = [t.value for t in args if isinstance(t, Number) and isinstance(t.value, int)]
        if len(rows) < 2 or not all(row in self._space.rows() for row in rows):
            raise NotForAllTreesError
        return self._space.together(*rows)

    def _value(self, term: Term) -> float:
        if any(True for _ in variables(term)):
            raise NotForAllTreesError
        try:
            return float(evaluate(term, self._database.parameters))
        except OverflowError:
            raise NotForAllTreesError from None

    def _named(
        self, args: Sequence[Term], known: Collection[str] | None = None
    ) -> Iterator[tuple[str, ...]]:
        """The features that arguments may be, of all or of those that are `known`."""
        known = self._space.features if known is None else known
        if not all(isinstance(t, Var) or (isinstance(t, Atom) and t.name in known) for t in args):
            raise NotForAllTreesError
        every = [f for f in self._space.features if f in known]
        return product(*((t.name,) if isinstance(t, Atom) else every for t in args))


def _numbers(term: Term, known: range) -> Sequence[int]:
    if isinstance(term, Number):
        return [term.value] if isinstance(term.value, int) and term.value in known else []
    return known
