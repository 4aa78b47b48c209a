"""Programs as text for the tests of proofs: databases, goals, tree rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slp.errors import ProgramError
from slp.ir.program import Body, CallBody, LeafBody, LogicClause, Measure, SplitBody, TreeRule
from slp.resolution import Database, Limits, RuleInstance, solve
from slp.resolution.boxes.instances import rule_instances
from slp.resolution.boxes.rules import PreparedRule
from slp.source import SourceFile
from slp.syntax import parse_program, parse_term, term_to_text
from slp.syntax.ast import Clause
from slp.terms import Atom, Struct, Term

SMALL = Limits(inferences=20_000, depth=2_000)


def clauses_of(text: str) -> list[Clause]:
    """The clauses of a program."""
    items = parse_program(SourceFile("test.slp", text)).items
    return [item for item in items if isinstance(item, Clause)]


def database(text: str = "", **parameters: float) -> Database:
    """The program's clauses that are no tree rules, and parameters."""
    found = [
        LogicClause(c.head, c.body, c.label, c.span) for c in clauses_of(text) if c.arrow != "-->"
    ]
    return Database(found, parameters)


def answers(goal: str, program: Database | None = None, limits: Limits = SMALL) -> list[str]:
    """The goal as text, once for each answer."""
    term = parse_term(goal)
    program = database() if program is None else program
    return [term_to_text(b.resolve(term)) for b in solve(term, program, limits)]


def value(variable: str, goal: str, program: Database | None = None) -> list[str]:
    """What each answer says about one variable."""
    term = parse_term(f"x({variable}, ({goal}))")
    assert isinstance(term, Struct)
    wanted, asked = term.args
    found = solve(asked, database() if program is None else program, SMALL)
    return [term_to_text(b.resolve(wanted)) for b in found]


def tree_rules(text: str) -> list[TreeRule]:
    """The rules `label :: head --> body.` of a program."""
    return [_rule(c) for c in clauses_of(text) if c.arrow == "-->"]


def instances_of(program: Database, rules: Iterable[TreeRule], goal: Term) -> list[RuleInstance]:
    """The instances of `rules` at a ground nonterminal."""
    return rule_instances(program, map(PreparedRule, rules), goal)


def _rule(clause: Clause) -> TreeRule:
    assert clause.label is not None
    assert clause.body is not None
    parts = _conjuncts(clause.body)
    place = next(i for i, p in enumerate(parts) if not _is_guard(p))
    guards = (p.args[0] for p in parts[:place] if isinstance(p, Struct))
    before = tuple(goal for guard in guards for goal in _conjuncts(guard))
    return TreeRule(clause.label, clause.head, before, _body(parts[place:]), clause.span)


def _body(parts: Sequence[Term]) -> Body:
    first = parts[0]
    if first == Atom("leaf"):
        return LeafBody()
    if not (isinstance(first, Struct) and first.name == "split"):
        return CallBody(first)
    after = tuple(p.args[0] for p in parts if isinstance(p, Struct) and _is_guard(p))
    left, right = (p for p in parts[1:] if not _is_guard(p))
    measure: Measure = "feature_then_cut"
    return SplitBody(first.args[0], first.args[1], measure, after, left, right)


def _is_guard(term: Term) -> bool:
    return isinstance(term, Struct) and term.name == "{}"


def _conjuncts(term: Term) -> list[Term]:
    out = []
    while isinstance(term, Struct) and term.name == ",":
        out.append(term.args[0])
        term = term.args[1]
    return [*out, term]


def fault(error: ProgramError) -> tuple[str, str, str | None, str | None]:
    """Code, message, underlined text and help of the one diagnostic of an error."""
    (diagnostic,) = error.diagnostics
    span = diagnostic.span
    return diagnostic.code, diagnostic.message, span and span.text, diagnostic.help
