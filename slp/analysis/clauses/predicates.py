"""Sorts clauses by what they define: tree rules, stochastic clauses, logical clauses, boxes.

A predicate is *stochastic* if all its clauses are labelled, and *logical* if none is. A nonterminal
(`tree --> ...`) and a predicate (`tree :- ...`) with the same name are different.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from slp.analysis.clauses.bodies import translate_body
from slp.analysis.clauses.scope import (
    check_clause_scope,
    check_label_guards,
    check_rule_scope,
    find_singletons,
)
from slp.analysis.declarations.boxes import is_box_clause
from slp.analysis.declarations.groups import is_group_clause
from slp.analysis.declarations.hierarchies import is_hierarchy_clause
from slp.analysis.findings import Findings
from slp.analysis.sources.directives import span_of
from slp.analysis.sources.files import Placed
from slp.errors import Related
from slp.ir.program import LogicClause, TreeRule
from slp.messages import clauses as words
from slp.resolution import is_builtin
from slp.resolution.machine.builtins import BUILTINS
from slp.resolution.machine.control import CONTROL
from slp.resolution.machine.faults import redefines_builtin
from slp.resolution.machine.library import library
from slp.resolution.machine.of_trees import ASKING_TREES
from slp.resolution.machine.replaceable import REPLACEABLE
from slp.syntax.ast import Clause
from slp.terms import Atom, Struct, Term, functor

#: Name and number of arguments.
Indicator: TypeAlias = tuple[str, int]

#: The predicates that every program can call.
BUILT_IN: frozenset[Indicator] = frozenset(
    {*CONTROL, *BUILTINS, *REPLACEABLE, *ASKING_TREES, *library()}
)

_KEPT = {"leaf", "split", "{}", "[]", "[|]", ",", ";", "|", "->", "::", "!", "\\+"}

#: Control constructs in which a cut belongs to the surrounding clause.
_TRANSPARENT = {(",", 2), (";", 2), ("->", 2), ("*->", 2)}


@dataclass
class Clauses:
    """The clauses of a program and of all files that it uses, in order.

    `boxes` are the box facts, `groups` and `hierarchies` those of groups and of concepts. All are
    in `logic` too, so that guards can call them.
    """

    rules: list[TreeRule] = field(default_factory=list)
    nonterminals: set[Indicator] = field(default_factory=set)
    logic: list[LogicClause] = field(default_factory=list)
    stochastic: set[Indicator] = field(default_factory=set)
    logical: set[Indicator] = field(default_factory=set)
    boxes: list[Clause] = field(default_factory=list)
    groups: list[Clause] = field(default_factory=list)
    hierarchies: list[Clause] = field(default_factory=list)


def indicator_text(indicator: Indicator, tree: bool = False) -> str:
    """`tree//1` for a nonterminal, `level/2` for a predicate."""
    return f"`{indicator[0]}{'//' if tree else '/'}{indicator[1]}`"


def sort_clauses(items: Iterable[Placed], findings: Findings) -> Clauses:
    """The clauses among `items`. Malformed ones give findings and are left out."""
    out = Clauses()
    first: dict[Indicator, Clause] = {}
    rules: list[Clause] = []
    for placed in items:
        clause = placed.item
        if not isinstance(clause, Clause) or not _has_sound_head(clause, findings):
            continue
        declared = _declared_by(clause, out)
        if declared is not None:
            declared.append(clause)
            if clause.body is None and clause.label is None:
                out.logical.add(_indicator(clause.head))
                out.logic.append(LogicClause(clause.head, None, None, clause.span))
        elif clause.arrow == "-->":
            out.nonterminals.add(_indicator(clause.head))
            rules.append(clause)
        else:
            _add_clause(clause, out, first, findings)
    for logic in out.logic:
        check_label_guards(logic, out.stochastic, findings)
    goals = (out.logical | BUILT_IN) - out.nonterminals
    for clause in rules:
        _add_rule(clause, goals, out, findings)
    return out


def _declared_by(clause: Clause, out: Clauses) -> list[Clause] | None:
    """The facts that a clause is one of, which declare something; None if it is none."""
    if is_box_clause(clause):
        return out.boxes
    if is_group_clause(clause):
        return out.groups
    return out.hierarchies if is_hierarchy_clause(clause) else None


def _indicator(head: Term) -> Indicator:
    key = functor(head)
    assert key is not None
    return key


def _has_sound_head(clause: Clause, findings: Findings) -> bool:
    key = functor(clause.head)
    where = span_of(clause.head, clause.span)
    if key is None:
        findings.add(words.HEAD_NOT_NAMED(where))
        return False
    if key == (",", 2) and clause.arrow == "-->":
        findings.add(words.TWO_NONTERMINALS(where))
        return False
    if key[0] in _KEPT:
        findings.add(words.NAME_KEPT(where, name=key[0]))
        return False
    if is_builtin(*key) and clause.arrow != "-->":
        findings.take(redefines_builtin(*key, where))
        return False
    return True


def _add_rule(
    clause: Clause, goals: Collection[Indicator], out: Clauses, findings: Findings
) -> None:
    if clause.label is None:
        findings.add(words.NO_LABEL(clause.span))
    assert clause.body is not None
    parts = translate_body(clause.body, clause.span, goals, findings)
    if parts is None or clause.label is None:
        return
    rule = TreeRule(clause.label, clause.head, parts.before, parts.body, clause.span)
    check_rule_scope(rule, findings)
    find_singletons(clause, rule, findings)
    out.rules.append(rule)


def _check_cut(clause: Clause, findings: Findings) -> None:
    """Find cuts in a labelled clause. They would remove choices of its label."""
    todo = [] if clause.label is None or clause.body is None else [clause.body]
    while todo:
        goal = todo.pop()
        if isinstance(goal, Struct) and functor(goal) in _TRANSPARENT:
            todo.extend(reversed(goal.args))
        elif goal == Atom("!"):
            findings.add(words.LABELLED_CUT(span_of(goal, clause.span)))


def _add_clause(
    clause: Clause, out: Clauses, first: dict[Indicator, Clause], findings: Findings
) -> None:
    key = _indicator(clause.head)
    earlier = first.setdefault(key, clause)
    if (earlier.label is None) != (clause.label is None):
        has, had = ("no label", "has one") if clause.label is None else ("a label", "has none")
        place, name = Related(f"the first clause {had}", earlier.span), indicator_text(key)
        findings.add(
            words.MIXED_PREDICATE(clause.span, related=[place], predicate=name, has=has, had=had)
        )
    (out.logical if earlier.label is None else out.stochastic).add(key)
    _check_cut(clause, findings)
    found = LogicClause(clause.head, clause.body, clause.label, clause.span)
    check_clause_scope(found, clause.span, findings)
    find_singletons(clause, None, findings)
    out.logic.append(found)
