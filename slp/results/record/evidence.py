"""What is said of an evidence: notes, and bounds in words."""

from __future__ import annotations

import math
from collections.abc import Iterable

from slp.data.table import Table
from slp.ir.constraints import Constraint
from slp.ir.row_function import MOST_ROWS
from slp.ir.tree_grammar import LeafRule, TreeGrammar
from slp.messages.names import joined


def weighted_note(table: Table, note: str | None) -> str | None:
    """A note on an evidence, with what must be said if rows have real weights."""
    if table.weighted != "real":
        return note
    own = (
        "rows have real weights, so this is the evidence of a weighted likelihood (of each row, to "
        "the power of its weight) and no probability of the response"
    )
    return own if note is None else f"{own}; {note}"


_SO = ", so the prior is normalised with it in view; "


def what_looks(no_bayes_factor: str) -> str:
    """What looks at the response, as a clause, of a note that `evidence_note` gives."""
    return no_bayes_factor.partition(_SO)[0]


def evidence_note(
    grammar: TreeGrammar, table: Table, constraints: Iterable[Constraint] = ()
) -> str | None:
    """A note if the prior depends on the response: by constraints on classes or
    predictions, by labels and guards that count the rows of a class, or by splits in the order of
    responses."""
    looking = []
    if any(isinstance(rule, LeafRule) and rule.majority for _, rule in grammar.rules()):
        looking.append("majority")
    looking += dict.fromkeys(c.name for c in constraints if c.by_predictions)
    counted = {rule.rows.classes for _, rule in grammar.rules() if rule.rows is not None} - {()}
    if any(MOST_ROWS in classes for classes in counted) and "majority" not in looking:
        looking.append("majority")
    if any(MOST_ROWS not in classes for classes in counted):
        looking.append("rows(Class, N)")
    looking += dict.fromkeys(filter(None, (f.kind.looks_at_response for f in table.features)))
    if not looking:
        return None
    verb = "looks" if len(looking) == 1 else "look"
    return (
        f"{joined(looking)} {verb} at the response{_SO}do not compare this evidence with that of "
        "another program"
    )


def bounds_in_words(bounds: tuple[float, float]) -> str:
    """The bounds on the log evidence as text, rounded outwards."""
    low, high = bounds
    if low == high:
        return f"the log evidence is {low:.6f}"
    at_most = f"at most {math.ceil(high * 1e4) / 1e4:.4f}"
    if low == -math.inf:
        return f"the log evidence is certainly {at_most}"
    return f"the log evidence is certainly at least {math.floor(low * 1e4) / 1e4:.4f} and {at_most}"
