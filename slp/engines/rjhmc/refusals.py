"""What the engine `rjhmc` does not take, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from slp.engines.rjhmc.options import BIRTHS, INDICES, TUNINGS, SoftTreeOptions
from slp.errors import Diagnostic
from slp.ir.program import GATE_SPREAD, GATE_WIDTH
from slp.ir.tree_grammar import CallRule, LeafRule, SplitRule, TreeGrammar
from slp.kernels.compiled import compiled_core
from slp.messages import soft_trees as words
from slp.messages.directives import DENSITY_OF_SOFT_TREES
from slp.problem.problem import Problem

#: Limits of the width of gates.
_LEAST, _MOST = 1e-6, 1e3
#: The largest standard deviation of its logarithm.
_MOST_SPREAD = 10.0


def find_refusals(problem: Problem, options: SoftTreeOptions) -> Iterator[Diagnostic]:
    """See `Engine.refusal`: E539."""
    program, grammar = problem.program, problem.grammar
    if compiled_core() is None:
        yield words.SOFT_WITHOUT_CORE()
    if program.edits is not None:
        yield words.NOT_FOR_SOFT_TREES(what="edits (`edittree`)")
        return
    others = sorted({r.measure for _, r in grammar.rules() if isinstance(r, SplitRule)} - {"range"})
    if others:
        yield words.OTHER_MEASURE(measure=others[0])
        return
    h = program.parameters.get(GATE_WIDTH)
    if h is None:
        yield words.NO_WIDTH()
    elif not _LEAST <= h <= _MOST:
        yield words.NO_SUCH_WIDTH(h=h)
    yield from _of_spread(program.parameters.get(GATE_SPREAD, 0.0), options)
    yield from _of_program(problem)
    # a constraint about a box, which is refused, makes the grammar compare thresholds too
    guarded = not any(c.about for c in program.constraints) and not program.box_leaves
    yield from _of_grammar(grammar, options, guarded)
    yield from _of_table(problem)
    yield from _of_options(options, h)


def _of_spread(spread: float, options: SoftTreeOptions) -> Iterator[Diagnostic]:
    if not 0 <= spread <= _MOST_SPREAD:
        yield words.NO_SUCH_SPREAD(spread=spread, most=_MOST_SPREAD)
    elif spread > 0 and options.published:
        yield words.FREE_WIDTH(option="tuning=paper")
    elif spread > 0 and options.first_h is not None:
        yield words.FREE_WIDTH(option="first_h")


def _of_program(problem: Problem) -> Iterator[Diagnostic]:
    program = problem.program
    for constraint in program.constraints:
        if (what := constraint.by_more_than_features) is not None:
            yield words.NOT_FOR_SOFT_TREES(constraint.span, what=what)
    for own in program.box_leaves:
        yield words.NOT_FOR_SOFT_TREES(own.span, what="`leaf(in(...))`")
    if program.support.min_leaf > 1:
        yield words.NOT_FOR_SOFT_TREES(what="`min_leaf`")
    if program.support.min_weight is not None:
        yield words.NOT_FOR_SOFT_TREES(what="`min_weight`")


def _of_grammar(
    grammar: TreeGrammar, options: SoftTreeOptions, guarded: bool
) -> Iterator[Diagnostic]:
    """Refusals of a grammar; `guarded` if guards of rules alone can make it compare thresholds."""
    if any(rule.rows is not None for _, rule in grammar.rules()):
        yield words.NOT_FOR_SOFT_TREES(what="`rows`")
    if any(len(own) for own in grammar.breakpoints):
        if guarded:
            yield words.NOT_FOR_SOFT_TREES(what="guards on thresholds")
        return
    for state in grammar.first_states().values():
        kinds = [type(rule) for rule in state.rules]
        if CallRule in kinds or kinds.count(LeafRule) > 1 or kinds.count(SplitRule) > 1:
            yield words.SEVERAL_DERIVATIONS()
            return
    if options.index == "soft" and not all(map(_alike, grammar.rules())):
        yield words.SOFT_INDEX_CONSTRAINED()
    if options.index == "soft" and grammar.groups is not None:
        yield words.SOFT_INDEX_GROUPED()


def _alike(found: tuple[int, object]) -> bool:
    """Whether a split on any feature leads to the same states."""
    rule = found[1]
    if not isinstance(rule, SplitRule):
        return True
    return len({tuple(cells[0].tolist()) for cells in rule.transitions}) < 2


def _of_table(problem: Problem) -> Iterator[Diagnostic]:
    table = problem.table
    if any(feature.density is not None for feature in table.features):
        yield DENSITY_OF_SOFT_TREES()
    for feature in table.features:
        values = feature.kind.values
        if values is None:
            yield words.NOT_A_SOFT_FEATURE(feature=feature.name, kind=feature.kind.word)
        elif math.isinf(float(values[-1]) - float(values[0])):
            yield words.SOFT_RANGE_TOO_LARGE(feature=feature.name)
    if not (table.leaf.classes or table.leaf.soft_trees):
        yield words.NO_SOFT_LEAVES(model=table.leaf.name)


def _of_options(options: SoftTreeOptions, h: float | None) -> Iterator[Diagnostic]:
    for name, known in (("index", INDICES), ("births", BIRTHS), ("tuning", TUNINGS)):
        given = getattr(options, name)
        if given not in known and not (name == "births" and given is None):
            yield words.NO_SOFT_NAME(option=name, name=given, names=", ".join(known))
    for name in ("first_h", "concentration"):
        value = getattr(options, name)
        fits = isinstance(value, int | float) and math.isfinite(value) and value > 0
        if not fits and not (name == "first_h" and value is None):
            yield words.NO_SOFT_NUMBER(option=name, value=value)
        elif name == "first_h" and value is not None and h is not None and value < h:
            yield words.FIRST_BELOW_LAST(first=value, h=h)
