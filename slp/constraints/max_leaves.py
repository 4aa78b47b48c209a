"""`max_leaves(K)`: at most K leaves. It is exact, by counting leaves in the weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from slp.constraints.form import Arguments, Form, beside_lower, of_kind
from slp.errors import Diagnostic
from slp.ir.constraints import Constraint, Support, TableFacts
from slp.messages import constraints as words
from slp.messages.on_table import MAX_LEAVES_LIMITS_NOTHING
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class MaxLeaves(Constraint):
    """At most `count` leaves. Global; exact by counting leaves in the weights."""

    name: ClassVar[str] = "max_leaves"
    count: int
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def decided_at(self) -> str:
        return "decided at the tree, exact by counting leaves in the weights"

    @property
    def at_finished_tree(self) -> bool:
        return True

    @property
    def most_leaves(self) -> int:
        return self.count

    def words(self) -> str:
        return f"The tree has at most {self.count} {_leaves(self.count)}."

    def check_on_table(self, table: TableFacts) -> Iterator[Diagnostic]:
        most = table.most_leaves
        if self.count >= most:
            leaves = f"{most} {_leaves(most)}"
            yield MAX_LEAVES_LIMITS_NOTHING(self.span, count=self.count, most=leaves)


def _leaves(count: int) -> str:
    return "leaf" if count == 1 else "leaves"


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> MaxLeaves | None:
    count = given.whole(args[0], "`max_leaves`", 1)
    return None if count is None else MaxLeaves(count, span)


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    most = support.max_depth
    limits = of_kind(constraints, MaxLeaves)
    yield from beside_lower(limits, lambda limit: limit.count)
    for limit in limits:
        if limit.count == 1:
            yield words.ONE_LEAF(limit.span)
        # count >= 2**most, without a power that the count does not bound
        if most is not None and limit.count.bit_length() > most:
            yield words.LIMITS_NOTHING(limit.span, depth=most, most=2**most)


FORM = Form(MaxLeaves.name, "`max_leaves(K)`", (1,), _read, _find)
