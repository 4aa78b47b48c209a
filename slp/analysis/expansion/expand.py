"""`slp expand`: tree rules as ordinary stochastic clauses.

A nonterminal `n(X)` becomes the predicate `n(X, Box, Tree)`: `Tree` is grown in `Box` from `n(X)`.

    l :: n(X) --> { G }, leaf.                     l :: n(X, _Box, leaf) :- G.
    l :: n(X) --> { G }, m(X+1).                   l :: n(X, Box, Tree) :-
                                                       G, State is X+1, m(State, Box, Tree).
    l :: n(X) --> { G }, split(F, V, M), { H },    l :: n(X, Box, split(F, V, Left, leaf)) :-
                  n(X+1), leaf.                        G, split_box(Box, F, V, M, Below, Above),
                                                       once((H)), State is X+1,
                                                       n(State, Below, Left).

`split_box(Box, F, V, M, Below, Above)` draws a split of the box by measure M and cuts the box.
Guards before the split are goals, and each of their answers is one instance. Guards after the split
are wrapped in `once((...))`, because further answers must not count. Arguments of nonterminals that
are arithmetic are evaluated by `is`. `rows(N)` becomes `rows(Box, N)`. `slp` and SWI-Prolog can
read the text.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count

from slp.errors import UnsupportedError
from slp.ir.program import CallBody, CheckedProgram, EditPrior, LogicClause, SplitBody, TreeRule
from slp.ir.schema import MOST_LEAVES
from slp.messages.files import LABEL_NEEDS_ROWS
from slp.resolution.boxes.row_goals import asks_rows, part_guards
from slp.resolution.machine.functions import is_function
from slp.syntax import term_to_text
from slp.terms import (
    Atom,
    Number,
    Struct,
    Term,
    Var,
    arguments,
    conjunction,
    conjuncts,
    is_nameless,
    list_term,
    subterms,
    variables,
)
from slp.trees import TreeText

_LEAF = Atom("leaf")
_INDENT = "    "
_SYMBOLS = "+-*/\\^<>=~:.?@#&$"


#: Clauses in place of the splits of a table, which the text does not contain.
_NO_TABLE = """\
% Without a table no box can be cut: `slp expand FILE DATA` has the splits of a table.
split_box(_Box, _F, _V, _Measure, _Below, _Above) :-
    fail.
"""
_NO_ROWS = """\
% Without a table no box has rows.
rows(_Box, _N) :-
    fail.
rows(_Box, _Class, _N) :-
    fail.
"""


def expand_program(program: CheckedProgram) -> str:
    """The program as text that can be read again: parameters and declarations, clauses, then each
    tree rule as a clause.

    Raises
    ------
    UnsupportedError
        E165: a label depends on the rows of the box.
    """
    for rule in program.rules:
        of_rows = part_guards(rule.head, rule.before).variables
        if any(v in of_rows for v in variables(rule.label)):
            raise UnsupportedError(LABEL_NEEDS_ROWS(rule.label.span or rule.span))
    known = {*program.parameters, MOST_LEAVES}
    directives = [clause_text(Struct(":-", (d,))) for d in _directives(program)]
    clauses = [clause_text(logic_term(c)) for c in program.clauses]
    blocks = [
        "".join(f"{c}\n" for c in group) for group in ([*directives, *_declared(program)], clauses)
    ]
    blocks += [f"{clause_text(expand_rule(rule, known))}\n" for rule in program.rules]
    if program.rules and program.start is not None:
        goal = term_to_text(_with_box(program.start, Var("Box"), Var("Tree")))
        blocks.append(f"% A tree grows by the goal `{goal}`.\n")
    if any(isinstance(rule.body, SplitBody) for rule in program.rules):
        blocks.append(_NO_TABLE)
    if any(asks_rows(goal) for rule in program.rules for goal in rule.before):
        blocks.append(_NO_ROWS)
    return "\n".join(block for block in blocks if block)


def _directives(program: CheckedProgram) -> Iterator[Term]:
    for name, value in program.parameters.items():
        if program.edits is None or name != "p":
            prior = program.unknown.get(name)
            yield Struct("param", (Atom(name), prior.term if prior else Number(value)))
    if program.edits is not None:
        yield _use_of_edittree(program.edits)
    if program.weights:
        yield Atom("weights")


def _declared(program: CheckedProgram) -> list[str]:
    """The other declarations and the constraints, as in the files."""
    places = [(_kind(key), span) for key, span in program.spans.items()]
    places += [("constraint", c.span) for c in program.constraints if c.span is not None]
    places += [("leaf", own.span) for own in program.box_leaves if own.span is not None]
    texts = [
        text if text.startswith(":-") else f":- {kind}({text})."
        for kind, span in places
        if kind not in ("param", "start", "weights") and (text := " ".join(span.text.split()))
    ]
    return list(dict.fromkeys(texts))


def _kind(key: str) -> str:
    """The directive that a key of `CheckedProgram.spans` belongs to."""
    return key.partition(":")[0]


def _use_of_edittree(edits: EditPrior) -> Term:
    """The directive, because this prior has no rules; with the tree, which a file or a caller
    gave."""
    given = edits.tree
    if isinstance(given, TreeText):
        tree = given.source.text.rstrip() + "\n"  # by a line end a text is known
    else:
        tree = json.dumps(given.to_dict(), ensure_ascii=False)
    settings: list[tuple[str, Term]] = [
        ("tree", Atom(tree)),
        ("p", Number(edits.p)),
        ("measure", Atom(edits.measure)),
    ]
    terms = [Struct("=", (Atom(name), value)) for name, value in settings]
    return Struct("use", (Atom("edittree"), list_term(terms)))


def logic_term(clause: LogicClause) -> Term:
    """A clause of the program as one term."""
    return _clause(clause.label, clause.head, [] if clause.body is None else [clause.body])


def _clause(label: Term | None, head: Term, goals: Sequence[Term]) -> Term:
    labelled = head if label is None else Struct("::", (label, head))
    return Struct(":-", (labelled, conjunction(goals))) if goals else labelled


def clause_text(term: Term) -> str:
    """A clause as text with its full stop, with each goal of its body on its own line."""
    if isinstance(term, Struct) and term.name == ":-" and len(term.args) == 2:
        goals = f",\n{_INDENT}".join(_argument_text(g) for g in conjuncts(term.args[1]))
        return _ended(f"{term_to_text(term.args[0])} :-\n{_INDENT}{goals}")
    return _ended(term_to_text(term))


def _ended(text: str) -> str:
    """A clause with its full stop, after a blank if a symbol would absorb the stop (`+ .`)."""
    return f"{text} ." if text[-1] in _SYMBOLS else f"{text}."


def _argument_text(term: Term) -> str:
    """A term as an element of a list: in brackets if its operator binds weaker than a comma."""
    return term_to_text(list_term([term]))[1:-1]


def expand_rule(rule: TreeRule, known: Collection[str]) -> Term:
    """The clause for a tree rule. `known` are the names that arithmetic evaluates."""
    names = Names(rule.terms)
    box = names.new("Box")
    goals = rows_of_box(rule.before, box)
    match rule.body:
        case SplitBody(feature, threshold, measure, after, left, right):
            below = names.new("_Below" if left == _LEAF else "Below")
            above = names.new("_Above" if right == _LEAF else "Above")
            feature, threshold = names.shared(feature, "F"), names.shared(threshold, "V")
            goals.append(
                Struct("split_box", (box, feature, threshold, Atom(measure), below, above))
            )
            if after:
                goals.append(Struct("once", (conjunction(after),)))
            left_tree = _child(left, below, names.new("Left"), names, known, goals)
            right_tree = _child(right, above, names.new("Right"), names, known, goals)
            tree: Term = Struct("split", (feature, threshold, left_tree, right_tree))
        case CallBody(goal):
            tree = _child(goal, box, names.new("Tree"), names, known, goals)
        case _:
            tree = _LEAF
            if not any(asks_rows(g) for g in rule.before):
                box = Names(rule.terms).new("_Box")
    return _clause(rule.label, _with_box(rule.head, box, tree), goals)


def rows_of_box(guards: Iterable[Term], box: Term) -> list[Term]:
    """The guards, with the box as first argument of `rows(N)` and `rows(Class, N)`."""
    return [
        Struct("rows", (box, *g.args)) if isinstance(g, Struct) and asks_rows(g) else g
        for g in guards
    ]


def _with_box(goal: Term, box: Term, tree: Term) -> Term:
    assert isinstance(goal, Struct | Atom)
    args = arguments(goal)
    return Struct(goal.name, (*args, box, tree))


def _child(
    goal: Term, box: Var, tree: Var, names: Names, known: Collection[str], goals: list[Term]
) -> Term:
    """Append the goals that grow `box` by `goal`. Returns the resulting tree."""
    if goal == _LEAF:
        return _LEAF
    goal = state_of(goal, names, known, goals)
    goals.append(_with_box(goal, box, tree))
    return tree


def state_of(goal: Term, names: Names, known: Collection[str], goals: list[Term]) -> Term:
    """The nonterminal with new variables in place of its arithmetic, which is appended as goals
    `is`."""
    if not isinstance(goal, Struct):
        return goal
    args: list[Term] = []
    for arg in goal.args:
        if _is_arithmetic(arg, known):
            value = names.new("State")
            goals.append(Struct("is", (value, arg)))
            args.append(value)
        else:
            args.append(arg)
    return Struct(goal.name, tuple(args))


def _is_arithmetic(term: Term, known: Collection[str]) -> bool:
    """Whether an argument is evaluated: a parameter, or arithmetic over parameters, numbers and
    variables."""
    if isinstance(term, Number | Var):
        return False
    return all(
        isinstance(t, Number | Var)
        or (isinstance(t, Struct) and is_function(t.name, len(t.args)))
        or (isinstance(t, Atom) and t.name in known)
        for t in subterms(term)
    )


class Names:
    """Names of variables that the parts of a rule do not use."""

    def __init__(self, parts: Sequence[Term]) -> None:
        self.taken = {v.name for part in parts for v in variables(part)}

    def new(self, name: str) -> Var:
        """`name`, or `name` with the first free number after it."""
        candidates = (f"{name}{i or ''}" for i in count())
        free = next(c for c in candidates if c not in self.taken)
        self.taken.add(free)
        return Var(free)

    def shared(self, term: Term, name: str) -> Term:
        """`term`; if it is a variable `_`, which cannot stand twice, a new variable."""
        return self.new(name) if isinstance(term, Var) and is_nameless(term) else term
