"""`first_program`: the text of a first program for a table.

Names reach the text in two ways only: in terms that the printer writes, which quotes them, and in
comments through `visible`, which leaves no line ends. So no name can add a clause.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any

import numpy as np

from slp.data import frame_of, table_of
from slp.data.columns import Column, labels_of, numbers_of
from slp.errors import DataError
from slp.leaves import label_text, three_digits, whole_or_float
from slp.messages.columns import NO_FEATURES
from slp.messages.names import plural
from slp.program.column_questions import column_questions
from slp.program.directive_lines import atom_of, directive, leaf_lines
from slp.program.event_question import event_question
from slp.program.level_orders import order_of
from slp.program.new_table import MOST_SHOWN, ColumnRole, TablePlan, is_classes, plan_of, range_text
from slp.program.program import Program
from slp.source import SourceFile, visible
from slp.syntax import format_program, parse_program, term_to_text
from slp.terms import Atom, Number, Struct, Term, list_term

_WIDE = 90  # a longer line is left out


def first_program(
    X: Any, response: str | None = None, *, name: str = "prior.slp", data: str = "data.csv"
) -> str:
    """The text of a program for a table: its columns, a prior, its response, places for
    constraints. It runs on the table as it stands.

    Parameters
    ----------
    X : a table as for `Program.posterior`, with the response.
    response : name of its column; None takes the likely one: a column with a usual name such as
        `class`, else the last column that can be one.
    name, data : the files of program and table, for the commands in its comments.

    Raises
    ------
    DataError
        E404, E407, E408, E410, E414: faults of the table. E424, E425: no feature is left, no such
        column. E411, E412, E420, E432, E433, E435: the response cannot be used.
    """
    frame = frame_of(X)
    plan = plan_of(frame, response)
    if not plan.features:
        raise DataError(NO_FEATURES(response=plan.outcome.name))
    lines = "\n".join(_lines(plan, name, data))
    text = format_program(parse_program(SourceFile(name, lines)))
    # The faults of the response are told here.
    table_of(Program(SourceFile(name, text)).ir, frame)
    return text


def _lines(plan: TablePlan, name: str, data: str) -> Iterator[str]:
    rows, columns = plan.frame.shape
    files = f"{shlex.quote(name)} {shlex.quote(data)}"
    yield f"% A first program for {visible(data)}: {plural(rows, 'row')}, {columns} columns."
    yield "%"
    for command in (f"slp check {files}", f"slp prior {files}", f"slp-sample {files} --seed 1"):
        yield f"%     {visible(command)}"
    yield "%"
    table = os.path.relpath(data, os.path.dirname(name) or ".")
    if table.isprintable() and not table.startswith(os.pardir):  # else no editor may read it
        yield "% Editors check it on this table (slp lsp):"
        yield f"% data: {table}"
        yield "%"
    yield "% What follows % is a comment. To use a line that begins with %:- or %box, take the %"
    yield "% away, and put your own names and numbers in it."
    yield ""
    yield from _prior_lines(plan)
    yield from _response_lines(plan)
    yield from _column_lines(plan)
    yield from _constraint_lines(plan)


def _prior_lines(plan: TablePlan) -> Iterator[str]:
    yield "% The prior. A node at depth D splits with probability alpha * (1+D)^(-beta). With these"
    yield "% values that is 0.95 at the root (depth 0), 0.565 at depth 1, 0.417 at depth 2. A"
    yield "% larger beta makes smaller trees. `slp prior` shows how large they are on this table."
    yield ""
    yield ":- use(growtree, [alpha = 0.95, beta = 0.75])."
    least = max(2, min(5, plan.frame.n_rows // 10))
    yield f":- support(min_leaf({least})).  % each side of a split keeps {plural(least, 'row')}"
    yield "% In place of this line, to limit the depth of leaves too:"
    yield f"%:- support([min_leaf({least}), max_depth(5)])."
    yield ""


def _response_lines(plan: TablePlan) -> Iterator[str]:
    for pair in plan.timed:
        yield from event_question(pair, plan.outcome)
        yield ""
    yield f"% The response, {plan.why}."
    yield ""
    yield directive("response", atom_of(plan.outcome))
    yield from _of_outcome(plan.outcome)
    yield ""


def _of_outcome(outcome: Column) -> Iterator[str]:
    usable = outcome.kind != "unusable" and not outcome.missing.any()
    if not usable or is_classes(outcome):
        if usable:
            yield f"% {_shares(outcome)}."
        yield from leaf_lines("classes", np.empty(0))
        if usable and len(labels := labels_of(outcome)[0]) > 2:
            texts = list(map(label_text, labels))
            order = list_term(map(Atom, order_of(texts) or texts))
            ordered = list_term([Struct("ordinal", (order,))])
            if len(line := directive("response", atom_of(outcome), ordered)) < _WIDE:
                yield "% Have the classes an order? Then this line replaces the one above:"
                yield f"%{line}"
        return
    values = numbers_of(outcome)[0]
    yield from leaf_lines("numbers", values, f"Numbers, {range_text(outcome)}. ")
    for line in leaf_lines("counts", values):
        yield "% Are they counts of events? Then this line replaces the one above:"
        yield f"%{line}"


def _shares(outcome: Column) -> str:
    labels, codes = labels_of(outcome)
    counts = np.bincount(codes)
    told = [f"{visible(label_text(labels[i]))} ({counts[i]} rows)" for i in range(len(labels))]
    more = f" and {len(told) - MOST_SHOWN} more" if len(told) > MOST_SHOWN else ""
    return f"{len(labels)} classes: {', '.join(told[:MOST_SHOWN])}{more}"


def _column_lines(plan: TablePlan) -> Iterator[str]:
    yield "% The columns. A number can be cut where you say, [numeric, cuts([18, 40])], or at"
    yield "% quantiles, [numeric, bins(quantile, 10)]: fewer cuts make exact sums fit. Numbers that"
    yield "% are names become [categorical]."
    yield ""
    for d in plan.features:
        yield f"{_feature_line(d)}  % {d.values}"
    left_out = [d for d in plan.others if d.left_out is not None]
    if left_out:
        yield ""
        yield "% Left out:"
    for d in left_out:
        yield f"{directive('ignore', atom_of(d.column))}  % {visible(str(d.left_out))}"
        if d.wants_side:
            yield f"%{_feature_line(d)}  % each split says where missing values go"
    yield ""
    used = [d.column for d in plan.features]
    questions = list(column_questions(used, [d.column for d in left_out], plan.outcome))
    if questions:
        yield "% Questions about the columns."
        yield "%"
        yield from questions
        yield ""


def _feature_line(role: ColumnRole) -> str:
    """The declaration of a feature: its kind, and what its missing values are, if it has any."""
    kind: Term = Atom(role.kind)
    if role.kind == "ordinal":
        kind = Struct("ordinal", (list_term(map(Atom, role.column.categories)),))
    place = Atom("level" if role.kind == "categorical" else "side")
    missing = [Struct("missing", (place,))] * bool(role.column.missing.any())
    return directive("feature", atom_of(role.column), list_term([kind, *missing]))


def _constraint_lines(plan: TablePlan) -> Iterator[str]:
    """Each line is a sentence of the language on columns of this table, behind a %."""
    yield "% What you know. Each line is an example."
    yield ""
    names = [atom_of(d.column) for d in plan.features]
    a, b = names[0], names[-1]
    numeric = next((d for d in plan.features if d.kind == "numeric"), None)
    examples = [
        (directive("feature_weight", a, Number(3)), "it is drawn three times as often"),
        (_constraint("first", a), "the first split is on it"),
        (_constraint("forbid", b), "no split is on it"),
        (_constraint("once", a), "no path splits on it twice"),
        (_constraint("max_leaves", Number(8)), "at most 8 leaves"),
    ]
    if a != b:
        words = "above a split on the second stands one on the first"
        examples.append((_constraint("before", a, b), words))
    for line, words in examples:
        yield f"%{line}  % {words}"
    if numeric is not None:
        yield from _box_lines(numeric.column)


def _box_lines(column: Column) -> Iterator[str]:
    values = numbers_of(column)[0]
    low, high = (three_digits(float(q)) for q in np.quantile(values, [0.25, 0.75]))
    if not low < high:
        low, high = (whole_or_float(float(x)) for x in (values.min(), values.max()))
    box = Struct("box", (Atom("middle"), atom_of(column), Number(low), Number(high)))
    yield "%"
    yield "% A box is a region with a name. In this one the outcome is the same everywhere:"
    yield f"%{term_to_text(box)}."
    yield f"%{_constraint('constant', Atom('middle'))}"


def _constraint(name: str, *arguments: Term) -> str:
    return directive("constraint", Struct(name, arguments))
