"""What `slp explain` prints: meaning, constraints, whether exact sums are possible, states and
rules.

For a program of clauses without trees: its predicates, and the commands for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from textwrap import wrap

from slp.errors import Diagnostic, ProgramError, UnsupportedError
from slp.ir import program as ir
from slp.ir.grammar_text import grammar_to_text
from slp.ir.schema import ANY_FEATURE, Schema
from slp.ir.tree_grammar import CallRule, OpenStates, TreeGrammar
from slp.ir.words import describe_constraint, describe_preferences, describe_prior
from slp.lower.lowering import find_tests_on_trees, program_to_tree_grammar
from slp.lower.schema_without_table import schema_of_program
from slp.messages.names import joined
from slp.messages.numbers import settings_text
from slp.resolution import StateRules, evaluate
from slp.resolution.machine.faults import NeedsPrologError
from slp.source import visible
from slp.terms import Atom, Number, arguments, functor, subterms

_STATES_SHOWN = 12
_WIDTH = 96
_ONE = "labels sum to 1"
#: How far a sum of labels may be from 1.
_ROUNDING = 1e-9

_SOFT = (
    f"The program declares `{ir.GATE_WIDTH}`, the width of gates: `auto` takes the engine `rjhmc`, "
    "which draws soft trees. All other engines, and `slp map`, read it with hard trees, of which "
    "the rest tells.",
)
_EDITS = (
    "`edittree` gives a tree the probability of all sequences of edits that lead to it, of which "
    "there are infinitely many.",
    "`auto` takes the engine `mh`: Metropolis-Hastings over sequences of edits, of which it keeps "
    "those whose last tree satisfies the constraints.",
)


def explain_program(
    program: ir.CheckedProgram, schema: Schema | None, known: StateRules | None = None
) -> str:
    """An explanation of a program for a person, on a table's features or, without a schema, on its
    own. States that are `known` are not evaluated again.

    Raises
    ------
    ProgramError, DataError
        As `program_to_tree_grammar`. A program that no engine takes is explained and raises no
        error.
    """
    if program.clauses and program.start is None and not program.rules and program.edits is None:
        return _page([("Predicates", _wrapped(_predicates(program))), ("To run", _to_run(program))])
    schema = schema or schema_of_program(program)
    sections = [("Meaning", _wrapped(describe_prior(replace(program, constraints=()))))]
    if program.constraints:
        sections.append(("Constraints", _wrapped(_constraint_lines(program))))
    if program.edits is not None:
        sections.append(("Exact inference is not possible", _wrapped(_EDITS)))
        return _page(sections)
    if program.has_gates:
        sections.append(("Soft trees", _wrapped(_SOFT)))
    tests = find_tests_on_trees(program)
    try:
        states = StateRules(program, schema.most_leaves, known)
        grammar = program_to_tree_grammar(program, schema, tests_on_trees=True, states=states)
    except (UnsupportedError, NeedsPrologError) as e:
        reasons = (*tests, *(d for d in e.diagnostics if d not in tests))
        sections.append(("Exact inference is not possible", _wrapped(_reasons(reasons))))
        return _page(sections)
    components = list(_components(grammar))
    if components:
        sections.insert(1, ("Mixture", _wrapped(components)))
    if tests:
        lines = [*_reasons(tests), *_sampler_lines()]
        sections.append(("Exact inference is not possible", _wrapped(lines)))
    else:
        sections.append(("Exact inference is possible", _wrapped(_exact_lines(grammar))))
    if schema.holes:
        sections.append(("Missing values take a side", _wrapped(_side_lines(schema))))
    means = _wrapped(_mean_lines(program))
    sections.append((_states_title(grammar, schema), [*means, *_state_lines(grammar)]))
    return _page(sections)


# --- programs of clauses -------------------------------------------------------------------------


def _predicates(program: ir.CheckedProgram) -> Iterator[str]:
    for (name, arity), clauses in _defined(program).items():
        labelled = clauses[0].label is not None
        kind = f"stochastic, {_sum_of_labels(program, clauses)}" if labelled else "logical"
        yield f"{name}/{arity}: {_count(len(clauses), 'clause')}, {kind}"


def _defined(program: ir.CheckedProgram) -> dict[tuple[str, int], list[ir.LogicClause]]:
    """Clauses by name and arity, in the program's order."""
    found: dict[tuple[str, int], list[ir.LogicClause]] = {}
    for clause in program.clauses:
        key = functor(clause.head)
        if key is not None:
            found.setdefault(key, []).append(clause)
    return found


def _sum_of_labels(program: ir.CheckedProgram, clauses: Iterable[ir.LogicClause]) -> str:
    if program.weights:
        return "labels are weights"
    try:
        labels = [evaluate(c.label, program.parameters) for c in clauses if c.label is not None]
    except ProgramError:
        return "labels depend on arguments, and a query checks that they sum to 1 at most"
    if abs(math.fsum(labels) - 1) <= _ROUNDING:
        return _ONE
    return "labels sum to 1 over the clauses that a goal can match"


def _to_run(program: ir.CheckedProgram) -> list[str]:
    """Commands, with a goal about the last predicate that no other one calls."""
    defined = _defined(program)
    called = {
        functor(term)
        for own, clauses in defined.items()
        for clause in clauses
        if clause.body is not None
        for term in subterms(clause.body)
        if functor(term) != own
    }
    last = [*defined, *(key for key in defined if key not in called)][-1]
    goal = _goal(program, defined[last])
    lines = [f'slp query FILE "{goal}": answers with their probabilities']
    if any(clauses[0].label is not None for clauses in defined.values()):
        lines.append("slp learn FILE GOALS: labels from observed goals")
    return lines


def _goal(program: ir.CheckedProgram, clauses: list[ir.LogicClause]) -> str:
    """A goal with variables for arguments. Where labels may sum to more than 1 over all clauses,
    the first argument is that of the first clause."""
    head = clauses[0].head
    given = [f"X{i + 1}" for i in range(len(arguments(head)))]
    if given and clauses[0].label is not None and _sum_of_labels(program, clauses) != _ONE:
        first = arguments(head)[0]
        if isinstance(first, Number):
            given[0] = str(first.value)
        elif isinstance(first, Atom) and first.name.isidentifier() and first.name[0].islower():
            given[0] = first.name
    name, arity = functor(head) or ("", 0)
    return visible(f"{name}({', '.join(given)})" if arity else name)


# --- programs of trees ---------------------------------------------------------------------------


def _components(grammar: TreeGrammar) -> Iterator[str]:
    """The states that the start calls, with their weights, which sum to 1 unless labels are
    weights."""
    start = grammar.states[grammar.start].rules
    if len(start) < 2 or not all(isinstance(r, CallRule) and r.rows is None for r in start):
        return
    total = math.fsum(math.exp(r.log_weight) for r in start) if grammar.normalise else 1.0
    for rule in start:
        assert isinstance(rule, CallRule)
        name = grammar.states[rule.state].name
        yield f"{name}: prior weight {math.exp(rule.log_weight) / total:.6g}"


def _page(sections: Iterable[tuple[str, list[str]]]) -> str:
    return "\n\n".join(
        "\n".join([title, *(f"  {line}" for line in lines)]) for title, lines in sections
    )


def _wrapped(sentences: Iterable[str]) -> list[str]:
    """Sentences broken into lines, their further lines indented."""
    lines = []
    for sentence in sentences:
        lines += wrap(visible(sentence), _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return lines


def _constraint_lines(program: ir.CheckedProgram) -> Iterator[str]:
    for constraint in program.constraints:
        yield f"{describe_constraint(constraint)} ({constraint.decided_at})"
    if program.edits is not None:
        yield "All are for the last tree of a sequence; the rest is renormalised as a whole."
    elif all(c.is_preference for c in program.constraints):
        yield describe_preferences()
    elif program.failure == "condition":
        yield (
            "What is forbidden keeps its probability and fails; the rest is renormalised as a "
            "whole."
        )
    else:
        yield "What is forbidden is taken out before anything is drawn."
        if program.failure == "backtrack":
            yield "A derivation that cannot go on goes back to its last choice."


def _reasons(found: Iterable[Diagnostic]) -> Iterator[str]:
    for diagnostic in found:
        place = "" if diagnostic.span is None else f"{diagnostic.span}: "
        yield f"{place}{diagnostic.message}."


def _sampler_lines() -> Iterator[str]:
    yield (
        "`auto` takes the engine `mh`: Metropolis-Hastings over proof trees draws trees from the "
        "states and rules below, and keeps those that hold."
    )
    yield "Without what is named here it would be exact."


def _states_title(grammar: TreeGrammar, schema: Schema) -> str:
    size = f"{_count(len(grammar.first_states()), 'state')}, "
    size += _count(len(list(grammar.rules())), "rule")
    if isinstance(grammar.states, OpenStates):
        size = f"more than {size}"
    where = "on this table" if schema.from_table else "without a table"
    return f"States and rules {where}, for trees of up to {schema.most_leaves:,} leaves: {size}"


def _state_lines(grammar: TreeGrammar) -> Iterator[str]:
    if any(rule.rows is not None for _, rule in grammar.rules()):
        yield "`N` is the number of rows of the box, `N(c)` that of its rows of class `c`."
    if ANY_FEATURE in grammar.features:
        yield f"`{ANY_FEATURE}` stands for every feature that the program does not name."
    yield "After a colon are the states left and right of a split, by feature and threshold."
    yield from grammar_to_text(grammar, _STATES_SHOWN).split("\n")


def _mean_lines(program: ir.CheckedProgram) -> Iterator[str]:
    means = settings_text({name: prior.mean for name, prior in program.unknown.items()})
    if means:
        yield f"Probabilities are those at the means of the priors of parameters: {means}."


def _exact_lines(grammar: TreeGrammar) -> Iterator[str]:
    yield "The states are finite, and everything is decided at a split or a leaf."
    if isinstance(grammar.states, OpenStates):
        yield "They are many: a sampler makes those that it meets, exact inference lists all."
    if any(rule.rows is not None for _, rule in grammar.rules()):
        yield (
            "Labels or guards ask for the rows of the box, so boxes are gone through one by one, "
            "not in blocks."
        )
    if grammar.max_leaves is not None:
        yield f"Leaves are counted in the weights, up to {grammar.max_leaves}."
    if grammar.normalised:
        yield "No derivation can fail: the weights of all trees sum to 1."
    elif grammar.backtracks:
        yield "Derivations may go back: the weights of trees are not known, and they are drawn."
    else:
        yield "Weights of trees need not sum to 1; the prior is normalised over whole trees."
    yield "Whether it fits in memory depends on the number of boxes (sets of rows) of the table."


def _side_lines(schema: Schema) -> Iterator[str]:
    names = joined(f"`{name}`" for name in schema.features if name in schema.holes)
    yield (
        f"Rows miss {names}: a split of such rows comes in two versions, with these on its left or "
        "its right side, and missing against present is one more split."
    )
    yield "The compiled core takes such a table, but exact sums go box by box, not by blocks."


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
