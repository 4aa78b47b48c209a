"""What is said of labels that depend on the rows of a box, where they are no probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from slp.data.table import Table
from slp.errors import ProgramError, Related
from slp.ir.tree_grammar import State, TreeGrammar
from slp.kernels.compiled import compiled_core
from slp.leaves import label_text
from slp.messages.inference import (
    ROW_LABEL_NO_PROBABILITY,
    ROW_LABEL_WITHOUT_VALUE,
    ROW_LABELS_NOT_1,
)


@contextmanager
def telling_label_faults(grammar: TreeGrammar, table: Table) -> Iterator[None]:
    """Turn faults of labels that the core finds into E520."""
    core = compiled_core()
    if core is None:
        yield
        return
    try:
        yield
    except core.LabelError as fault:
        state, rule, value, rows, statistics = fault.args
        classes = list(map(label_text, table.leaf.classes))
        counts = dict(zip(classes, statistics, strict=True)) if classes else {}
        where = None if rule < 0 else rule
        raise label_fault(grammar.states[state], where, value, int(rows), counts) from None


def label_fault(
    state: State, rule: int | None, value: float, rows: int, counts: dict[str, float]
) -> ProgramError:
    """E520: the label of a rule (by position), or the sum of a state's labels (None), is `value` in
    a box of `rows` rows. `counts` are the rows of each class."""
    by_class = ", ".join(f"{name} {count:.10g}" for name, count in counts.items())
    box = f"a box of {rows:,} row{'s' * (rows != 1)}{f' ({by_class})' if by_class else ''}"
    spans = list(dict.fromkeys(r.span for r in state.rules if r.span is not None))
    if rule is None:
        first, related = next(iter(spans), None), [Related("and this rule", s) for s in spans[1:4]]
        return ProgramError(
            ROW_LABELS_NOT_1(first, related=related, state=state.name, value=value, box=box)
        )
    wording = ROW_LABEL_WITHOUT_VALUE if np.isnan(value) else ROW_LABEL_NO_PROBABILITY
    span = state.rules[rule].span
    return ProgramError(wording(span, state=state.name, value=value, box=box))
