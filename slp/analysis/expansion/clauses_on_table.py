"""`slp expand FILE DATA`: a program of tree rules and a table as one program of ordinary clauses.

Each tree rule becomes two clauses. `rule/4` gives the instances of the rule in a box, each with the
value of its label and the splits that can be drawn. `grow/3` draws a split and makes the tree.
`slp/analysis/expansion/table.slp`, which is added to them, has the rest: the splits of a box, their
probabilities, the two ways to draw a rule.

    l :: n(X) --> { G },               rule(n(X), Box, Label, rule(1, [X], Splits)) :-
                  split(F, V, M),          G,
                  { H },                   findall(S, (S = split(F, V, ...), H), Found),
                  n(X+1), leaf.            splits(M, Found, Splits),
                                           Label is l.
                                       grow(rule(1, [X], Splits), _, split(F, V, Left, leaf)) :-
                                           pick(Splits, split(F, V, _, Below, _)),
                                           once(H),
                                           State is X+1,
                                           grown(n(State), Below, Left).

The proofs of `prior(Tree)` are the derivations of the tree grammar on the table, and their masses
are its weights. Before a rule is drawn, labels are renormalised over the rules that apply, and
splits that guards forbid are removed from the split measure. Under `failure(condition)` forbidden
splits are drawn and fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.analysis.expansion.expand import Names, clause_text, logic_term, rows_of_box, state_of
from slp.data import Feature, Table
from slp.data.cells import cell_text
from slp.errors import UnsupportedError
from slp.ir.groups import group_numbers
from slp.ir.program import COUNTING_MEASURES, CallBody, CheckedProgram, SplitBody, TreeRule
from slp.ir.schema import MOST_LEAVES
from slp.ir.whole import is_whole
from slp.messages.directives import DENSITY_NOT_EXPANDED
from slp.messages.files import (
    LEVELS_NOT_EXPANDED,
    NAME_OF_EXPANSION,
    NO_EXPANSION_OF_BACKTRACKING,
    NO_EXPANSION_ON_TABLE,
    NO_GUARD_IN_RANGE,
)
from slp.resolution.boxes.row_goals import class_name
from slp.resources import table_clauses
from slp.source import SourceFile
from slp.syntax import parse_program
from slp.syntax.ast import Clause
from slp.terms import (
    Atom,
    Number,
    Struct,
    Term,
    Var,
    conjunction,
    functor,
    list_term,
    substitute,
    subterms,
    variables,
)

_LEAF = Atom("leaf")
_NONE = Atom("none")

#: Predicates that are made for each program.
_GENERATED = {
    ("drawn", 2),
    ("equal", 2),
    ("feature", 4),
    ("grow", 3),
    ("kin", 2),
    ("least", 1),
    ("may_split", 1),
    ("prior", 1),
    ("rows", 3),
    ("rule", 4),
    ("share", 3),
    ("times", 2),
    ("times", 1),
    ("values", 2),
    ("weigh", 2),
}


#: For guards that count the rows of a class; `times/2` gives the number of repeats of each row.
_BY_CLASS = """\
% The number of rows of a class in a box, with repeats.
rows(box(_, Rows), Class, N) :-
    times(Class, Times),
    added(Rows, Times, N).
"""

#: What a feature weighs among those of some splits, and under `per_feature`: without groups of
#: features, and with them, where a group weighs 1.
_SHARES = {
    False: """\
share(F, _, W) :- feature(F, _, _, W).
equal(F, 1) :- feature(F, _, _, _).
""",
    True: """\
% What a feature weighs among those of its group that have splits.
share(F, Splits, Share) :-
    feature(F, _, _, W),
    kin(F, Kin),
    findall(G, item(Splits, split(G, _, _, _, _)), Gs),
    sort(Gs, Features),
    findall(V, (item(Features, G), item(Kin, G), feature(G, _, _, V)), Vs),
    sum_list(Vs, Sum),
    Share is W / Sum.
equal(F, Share) :-
    kin(F, Kin),
    length(Kin, N),
    Share is 1 / N.
""",
}

#: How a rule is drawn if labels are weights, and if they are renormalised.
_WEIGHED = """\
% weigh chooses X from a list of W-X, with weight W.
W :: weigh([W-X | _], X).
1 :: weigh([_ | More], X) :- weigh(More, X).
"""
_DRAWN = {
    True: "drawn(Rules, Rule) :- weigh(Rules, Rule).\n",
    False: "drawn(Rules, Rule) :- probabilities(Rules, Ps), pick(Ps, Rule).\n",
}


def expand_on_table(program: CheckedProgram, table: Table) -> str:
    """Clauses of the program and of the table as text. The goal to query is `prior(Tree)`.

    Raises
    ------
    UnsupportedError
        E163 for constraints, `edittree`, names of ordered levels, and guards on thresholds that
        `range` draws. E164 if the program defines a predicate with the name of one of the
        expansion.
    """
    _check_rules_only(program)
    for feature in table.features:
        if feature.density is not None:
            raise UnsupportedError(DENSITY_NOT_EXPANDED())
        if feature.kind.not_expanded is not None:
            raise UnsupportedError(feature.kind.not_expanded(name=feature.name))
    _check_names(program)
    expansions = [_Expansion(program, rule, i) for i, rule in enumerate(program.rules, 1)]
    bodies = [rule.body for rule in program.rules]
    weighs = program.weights or any(
        isinstance(body, SplitBody) and body.measure in COUNTING_MEASURES for body in bodies
    )
    blocks = [
        [*_parameters(program), *[_directive(Atom("weights"))] * weighs],
        [logic_term(c) for c in program.clauses],
        [_start(program, table)],
        *([e.applies(), e.grows()] for e in expansions),
        list(_facts(program, table)),
    ]
    most = Number(table.schema(program.support.min_leaf).most_leaves)
    texts = ["".join(f"{clause_text(_with_most_leaves(t, most))}\n" for t in b) for b in blocks]
    counts = _BY_CLASS * _counts_classes(program)
    shares = _SHARES[bool(program.groups)]
    drawn = [shares, _DRAWN[program.weights], _WEIGHED * weighs]
    text = "\n".join(filter(None, [*texts, counts, *drawn]))
    return f"{text}\n{table_clauses()}"


def _check_rules_only(program: CheckedProgram) -> None:
    refused = [c.span for c in program.constraints]
    refused += [own.span for own in program.box_leaves]
    refused += [] if program.edits is None else [program.edits.span]
    if refused:
        raise UnsupportedError(NO_EXPANSION_ON_TABLE(refused[0]))
    if program.failure == "backtrack":
        raise UnsupportedError(NO_EXPANSION_OF_BACKTRACKING(program.spans.get("failure")))
    levels = {level for order in program.orders.values() for level in order}
    written = [term for rule in program.rules for term in rule.terms]
    written += [term for clause in program.clauses for term in clause.terms]
    for part in chain.from_iterable(map(subterms, written)):
        if isinstance(part, Atom) and part.name in levels:
            raise UnsupportedError(LEVELS_NOT_EXPANDED(part.span, level=part.name))


def _check_names(program: CheckedProgram) -> None:
    shared = parse_program(SourceFile("table.slp", table_clauses()))
    taken = {functor(item.head) for item in shared.items if isinstance(item, Clause)} | _GENERATED
    for clause in program.clauses:
        if (own := functor(clause.head)) in taken:
            assert own is not None
            raise UnsupportedError(NAME_OF_EXPANSION(clause.span, name=own[0], arity=own[1]))


def _parameters(program: CheckedProgram) -> Iterator[Term]:
    for name, value in program.parameters.items():
        yield _directive(Struct("param", (Atom(name), Number(value))))


def _start(program: CheckedProgram, table: Table) -> Term:
    """`prior(Tree)`: a tree grown from the box of all rows."""
    assert program.start is not None, "a checked program of tree rules has a start"
    goals: list[Term] = []
    goal = state_of(program.start, Names([]), _names(program), goals)
    rows = list_term([Number(i + 1) for i in range(len(table.counts))])
    goals.append(_goal("grown", goal, _goal("box", Number(0), rows), Var("Tree")))
    return _clause(_goal("prior", Var("Tree")), goals)


class _Expansion:
    """The two clauses of a tree rule, which is identified by its number."""

    def __init__(self, program: CheckedProgram, rule: TreeRule, number: int) -> None:
        self._rule = rule
        self._known = _names(program)
        self._conditions = program.failure == "condition"
        self._unused = Names(rule.terms)
        self._box = self._unused.new("Box")
        self._splits = self._unused.new("Splits")
        bound = list(dict.fromkeys(v for t in (rule.head, *rule.before) for v in variables(t)))
        drawn = self._splits if isinstance(rule.body, SplitBody) else _NONE
        self._way = _goal("rule", Number(number), list_term(bound), drawn)
        if isinstance(rule.body, SplitBody):
            self._set_split(rule.body, bound)

    def _set_split(self, body: SplitBody, bound: Sequence[Var]) -> None:
        names, self._tests = self._unused, list[Term]()
        feature = names.new("F") if _is_anonymous(body.feature) else body.feature
        threshold = names.new("V") if _is_anonymous(body.threshold) else body.threshold
        plain = isinstance(threshold, Var) and threshold not in bound
        after = {v for goal in body.after for v in variables(goal)}
        if body.measure == "range" and not (plain and threshold not in after):
            raise UnsupportedError(NO_GUARD_IN_RANGE(self._rule.span))
        if not isinstance(threshold, Var) or threshold in bound:
            threshold = names.new("Threshold")
            self._tests.append(_goal("meets", body.threshold, threshold))
        if body.after:
            self._tests.append(_goal("once", conjunction(body.after)))
        self._below, self._above = names.new("Below"), names.new("Above")
        gap = names.new("Gap")
        self._split = _goal("split", feature, threshold, gap, self._below, self._above)
        self._node = feature, threshold

    def applies(self) -> Term:
        """The clause `rule(Goal, Box, Label, Way)`, with an answer for each instance of the
        rule."""
        rule, label = self._rule, self._unused.new("Label")
        goals = rows_of_box(rule.before, self._box)
        if isinstance(rule.body, SplitBody):
            found = self._unused.new("Found")
            tests = [] if self._conditions else self._tests
            possible = conjunction([_goal("split_of", self._box, self._split), *tests])
            goals.append(_goal("findall", self._split, possible, found))
            goals.append(_goal("splits", self._measure(goals), found, self._splits))
        goals.append(_goal("is", label, rule.label))
        return _clause(_goal("rule", rule.head, self._box, label, self._way), goals)

    def _measure(self, goals: list[Term]) -> Term:
        """The measure. With `range` goes the list of the features that may be drawn in the state,
        for which a goal is appended."""
        assert isinstance(self._rule.body, SplitBody)
        if self._rule.body.measure != "range":
            return Atom(self._rule.body.measure)
        feature, drawn = self._node[0], self._unused.new("Drawn")
        tests = [] if self._conditions else self._tests
        extent = _goal("extent", feature, self._unused.new("Extent"))
        goals.append(_goal("findall", feature, conjunction([extent, *tests]), drawn))
        return _goal("range", drawn)

    def grows(self) -> Term:
        """The clause `grow(Way, Box, Tree)`, which draws a split if the rule has one."""
        goals: list[Term] = []
        match self._rule.body:
            case SplitBody(left=left, right=right, measure=measure):
                draw = "weigh" if measure in COUNTING_MEASURES else "pick"
                goals = [_goal(draw, self._splits, self._split), *self._tests]
                lower = self._child(left, self._below, "Left", goals)
                upper = self._child(right, self._above, "Right", goals)
                tree: Term = _goal("split", *self._node, lower, upper)
            case CallBody(goal):
                tree = self._child(goal, self._box, "Tree", goals)
            case _:
                tree = _LEAF
        return _clause(_goal("grow", self._way, self._box, tree), goals)

    def _child(self, goal: Term, box: Term, name: str, goals: list[Term]) -> Term:
        """Append the goals that grow a box. Returns the resulting tree."""
        if goal == _LEAF:
            return _LEAF
        tree = self._unused.new(name)
        state = state_of(goal, self._unused, self._known, goals)
        goals.append(_goal("grown", state, box, tree))
        return tree


def _facts(program: CheckedProgram, table: Table) -> Iterator[Term]:
    """Facts for the table: limits of depth and leaf size, features, rows, values."""
    depth, deepest = Var("Depth"), program.support.max_depth
    bound = [] if deepest is None else [Struct("<", (depth, Number(deepest)))]
    yield _clause(_goal("may_split", depth), bound)
    support = program.support
    sizes, least = table.sizes(support.min_leaf, support.min_weight)
    yield _goal("least", Number(least))
    for feature in table.features:
        kind, known = _kind(feature)
        weight = Number(program.feature_weights.get(feature.name, 1))
        yield _goal("feature", Atom(feature.name), Atom(kind), list_term(known), weight)
    numbers = group_numbers(table.feature_names, program.groups) if program.groups else []
    for name, own in zip(table.feature_names, numbers, strict=False):
        kin = [Atom(f) for f, n in zip(table.feature_names, numbers, strict=True) if n == own]
        yield _goal("kin", Atom(name), list_term(kin))
    yield _goal("times", _by_row(sizes))  # no guard asks for rows where these are weights
    if _counts_classes(program):
        classes = map(cell_text, table.leaf.classes)
        for name, counts in zip(classes, table.statistics.T, strict=True):
            numbers = counts.astype(np.int64) if is_whole(counts).all() else counts
            for term in _terms_of_class(name, program):
                yield _goal("times", term, _by_row(numbers))
    for feature, codes in zip(table.features, table.codes.T, strict=True):
        column = codes if feature.kind.values is None else feature.kind.values[codes]
        yield _goal("values", Atom(feature.name), _by_row(column))


def _kind(feature: Feature) -> tuple[str, list[Term]]:
    """The meaning of a feature's codes (see `slp.columns`)."""
    kind = feature.kind
    if kind.categorical:
        return "levels", [Atom(level) for level in kind.names]
    if kind.values is None and kind.numbers is not None:
        return "bins", list(map(Number, kind.numbers.tolist()))
    return "values", []


def _counts_classes(program: CheckedProgram) -> bool:
    return any(functor(g) == ("rows", 2) for rule in program.rules for g in rule.before)


def _terms_of_class(name: str, program: CheckedProgram) -> list[Term]:
    """A class as an atom, and as the number that guards use for it."""
    goals = (g for rule in program.rules for g in rule.before if isinstance(g, Struct))
    named = {g.args[0] for g in goals if functor(g) == ("rows", 2)}
    return [Atom(name), *(t for t in named if isinstance(t, Number) and class_name(t) == name)]


def _is_anonymous(term: Term) -> bool:
    return isinstance(term, Var) and term.name.startswith("_")


def _by_row(values: NDArray[Any]) -> Term:
    """A term with a number for each row, so that `arg` finds the number of a row."""
    return Struct("rows", tuple(map(Number, values.tolist())))


def _names(program: CheckedProgram) -> Collection[str]:
    """The names that arithmetic evaluates."""
    return {*program.parameters, MOST_LEAVES}


def _with_most_leaves(term: Term, most: Number) -> Term:
    """The term with the table's value in place of `most_leaves`."""
    if term == Atom(MOST_LEAVES):
        return most
    if not isinstance(term, Struct):
        return term
    return Struct(term.name, tuple(_with_most_leaves(a, most) for a in term.args))


def _goal(name: str, *args: Term) -> Struct:
    return Struct(name, args)


def _directive(term: Term) -> Term:
    return Struct(":-", (term,))


def _clause(head: Term, goals: Sequence[Term]) -> Term:
    """A clause, in which the names of variables that occur once begin with `_`."""
    clause = Struct(":-", (head, conjunction(goals))) if goals else head
    times = Counter(variables(clause))
    return substitute(clause, {v: Var(f"_{v.name}", v.id) for v, n in times.items() if n == 1})
