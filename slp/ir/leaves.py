"""What a program says of leaves: the model of all, and that of the leaves in or around a box, by
`:- leaf(in(Box), Model).` and `constant(Box, [Class = P, ...])`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from slp.errors import Diagnostic
from slp.ir.boxes import Box, BoxEnd
from slp.messages.constraints import PRIOR_MISSES_LEAVES
from slp.source import SourceSpan


@dataclass(frozen=True)
class LeafDeclaration:
    """`:- leaf(model([columns...], args..., [listed...]))`, both lists where the model has them.

    `args` are the numbers given by place, `listed` those of the list. `columns` are the regressors;
    where there are any the numbers may be left out. `names` are those of `args`, of a model whose
    numbers are named; `trees` is how many the program sums up, 1 if it sums up none.
    """

    model: str
    args: tuple[float, ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    columns: tuple[str, ...] = ()
    listed: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    trees: int = 1


@dataclass(frozen=True)
class ClassShares:
    """`[yes = 0.2, no = 0.8]`: the probabilities of the classes, by their texts, which are known
    and not integrated, sorted by class. They are positive and sum to 1."""

    shares: tuple[tuple[str, float], ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


LeafPrior: TypeAlias = LeafDeclaration | ClassShares


@dataclass(frozen=True)
class BoxLeaf:
    """A leaf whose region lies inside `box` has the prior `prior`; with `contains` a leaf whose
    region contains all of it.

    `prior` is None where a saved run tells of it, which keeps the model alone. `name` and
    `fewer_states` are as those of a constraint: the states of a grammar say which leaves
    these are.
    """

    name: ClassVar[str] = "leaf(in(...))"
    fewer_states: ClassVar[str] = "declare `{constraint}` for fewer boxes, or bound them less"
    box: Box
    prior: LeafPrior | None
    contains: bool = False
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    def missed_end(self, end: BoxEnd) -> Diagnostic | None:
        """See `Constraint.missed_end`, of a prior of the leaves inside the box."""
        return PRIOR_MISSES_LEAVES(end.box.span, **end.values) if end.is_missed_inside else None
