"""`max_features(K)`: the tree splits on at most K distinct features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from slp.constraints.form import Arguments, Form, beside_lower, of_kind
from slp.errors import Diagnostic
from slp.ir.constraints import Constraint, Support
from slp.messages.lowering import DECIDED_AT_TREE
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class MaxFeatures(Constraint):
    """At most `count` distinct features. Global."""

    name: ClassVar[str] = "max_features"
    count: int
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def decided_at(self) -> str:
        return "decided at the tree"

    @property
    def at_finished_tree(self) -> bool:
        return True

    @property
    def by_more_than_features(self) -> str:
        return f"`{self.name}`"

    @property
    def most_features(self) -> int:
        return self.count

    def words(self) -> str:
        noun = "feature" if self.count == 1 else "features"
        return f"The tree splits on at most {self.count} {noun}."

    def beyond_grammar(self) -> Diagnostic:
        return DECIDED_AT_TREE(self.span, name=f"`{self.name}({self.count})`")


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> MaxFeatures | None:
    count = given.whole(args[0], "`max_features`", 1)
    return None if count is None else MaxFeatures(count, span)


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    limits = of_kind(constraints, MaxFeatures)
    return beside_lower(limits, lambda limit: limit.count)


FORM = Form(MaxFeatures.name, "`max_features(K)`", (1,), _read, _find)
