"""`monotone(F, up)`: predictions never fall as F grows; `down`: they never rise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, Literal

from slp.constraints.form import Arguments, Form, and_this, of_kind
from slp.errors import Diagnostic
from slp.ir.constraints import Constraint, Support, TableFacts
from slp.messages import constraints as words
from slp.messages import on_table
from slp.messages.lowering import DECIDED_AT_TREE
from slp.source import SourceSpan
from slp.terms import Atom, Term


@dataclass(frozen=True)
class Monotone(Constraint):
    """Predictions never decrease (`up`) or never increase (`down`) as `feature` grows. Global."""

    name: ClassVar[str] = "monotone"
    feature: str
    direction: Literal["up", "down"]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    others_fixed: bool = field(default=False, compare=False, repr=False)

    @property
    def decided_at(self) -> str:
        return "decided at the tree"

    @property
    def at_finished_tree(self) -> bool:
        return True

    @property
    def by_predictions(self) -> bool:
        return True

    @property
    def by_more_than_features(self) -> str:
        return "`monotone`"

    @property
    def rising(self) -> tuple[str, bool]:
        return self.feature, self.direction == "up"

    def words(self) -> str:
        verb = "fall" if self.direction == "up" else "rise"
        return (
            f"Predictions never {verb} as {self.feature} grows (of ordered classes: the "
            "probability of being above any one of them)" + (_FIXED if self.others_fixed else ".")
        )

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        yield self.feature, self.span

    def beyond_grammar(self) -> Diagnostic:
        return DECIDED_AT_TREE(self.span, name=self._shown)

    def check_on_table(self, table: TableFacts) -> Iterator[Diagnostic]:
        if table.unordered_classes is not None:
            response, declaration = table.unordered_classes
            yield on_table.CLASSES_WITHOUT_ORDER(
                self.span, response=response, declaration=declaration
            )
        if table.is_categorical(self.feature):
            yield on_table.MONOTONE_OVER_LEVELS(self.span, name=self.feature)
        if table.means_on_lines:
            yield on_table.MONOTONE_LINES(self.span)
        yield from table.untold(self._shown, self.span)

    @property
    def _shown(self) -> str:
        return f"`monotone({self.feature}, {self.direction})`"


_FIXED = ", while all other features stay as they are, those that share a column with it too."


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Monotone | None:
    feature = given.name(args[0])
    if args[1] not in (Atom("up"), Atom("down")):
        given.malformed(words.NO_DIRECTION, args[1])
        return None
    if args[2:] not in ((), (Atom("others_fixed"),)):
        given.malformed(words.NO_OTHERS_FIXED, args[2])
        return None
    if feature is None:
        return None
    return Monotone(feature, "up" if args[1] == Atom("up") else "down", span, len(args) == 3)


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    for a, b in combinations(of_kind(constraints, Monotone), 2):
        if a.feature == b.feature and a.direction != b.direction:
            yield words.BOTH_WAYS(b.span, related=and_this(a), feature=a.feature)


FORM = Form(
    Monotone.name,
    "`monotone(F, up)`, `monotone(F, down)` or `monotone(F, up, others_fixed)`",
    (2, 3),
    _read,
    _find,
    of_each_feature=True,
)
