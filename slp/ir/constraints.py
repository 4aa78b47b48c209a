"""What a program asks of its trees: constraints (docs/language.md) and support.

`Constraint` is the protocol: what passes and engines ask of a constraint, each question with the
answer of one that has nothing to say. `slp.constraints` has one file for each constraint.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, cast

from slp.errors import Diagnostic
from slp.ir.automaton import Automaton
from slp.ir.boxes import Box, BoxEnd
from slp.ir.groups import Group, Named, features_of
from slp.ir.leaves import BoxLeaf
from slp.ir.made import Made
from slp.source import SourceSpan


@dataclass(frozen=True)
class Support:
    """Structural limits: the least number of rows (with repeats) on each side of a split or, in its
    place, the least sum of their weights; and the greatest depth of a leaf."""

    min_leaf: int = 1
    max_depth: int | None = None
    min_weight: float | None = None

    def to_plain(self) -> dict[str, Any]:
        """A single limit as plain data: its name in the language as `kind`, and its `limit`."""
        limits = {"max_depth": self.max_depth, "min_weight": self.min_weight}
        found = {kind: limit for kind, limit in limits.items() if limit is not None}
        kind, limit = next(iter({**found, "min_leaf": self.min_leaf}.items()))
        return {"kind": kind, "limit": limit}


class Constraint(ABC):
    """What is asked of a constraint of any kind.

    Each is a frozen dataclass. `name` is that of the language, `span` its place in the program,
    which is not compared.
    """

    name: ClassVar[str]
    #: What a user can do where its automaton has too many states, as the end of "take the engine
    #: `mh`, or ..."; `{constraint}` stands for its name.
    fewer_states: ClassVar[str] = "write `{constraint}` for fewer features"
    span: SourceSpan | None

    @abstractmethod
    def words(self) -> str:
        """What a tree must satisfy, as one sentence."""

    def to_plain(self) -> dict[str, Any]:
        """The constraint as plain data, as certificates state it (docs/certificates.md): its name
        as `kind`, and its fields."""
        told = ((f.name, getattr(self, f.name)) for f in fields(cast(Any, self)) if f.compare)
        plain = {n: _plain(value) for n, value in told if n != "made" or value}
        return {"kind": self.name, **plain}

    # --- the columns that it names -------------------------------------------------------------

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        """The features that it names itself, without those of its box, each with its place."""
        return iter(())

    def each_named(self, named: Named) -> Iterator[tuple[str, SourceSpan | None]]:
        """The feature of a name, or those of a group, with the place of this constraint."""
        for feature in sorted(features_of(named)):
            yield feature, self.span

    def named_classes(self) -> Iterator[tuple[str, str, SourceSpan | None]]:
        """The classes that it names: for each its own name for messages, the class, the place."""
        return iter(())

    @property
    def about(self) -> Box | None:
        """The box that it is about."""
        return None

    # --- where it is decided -------------------------------------------------------------------

    @property
    def decided_at(self) -> str:
        """Where it is decided, as the end of a sentence."""
        return "decided at the split"

    @property
    def at_finished_tree(self) -> bool:
        """Whether it is decided at the finished tree, not at a split or a leaf."""
        return False

    @property
    def by_code(self) -> bool:
        """Whether code decides it, in Python or Prolog."""
        return False

    @property
    def by_predictions(self) -> bool:
        """Whether the predictions of all leaves together decide it."""
        return False

    @property
    def by_more_than_features(self) -> str | None:
        """Its name for people if thresholds, rows or the finished tree decide it; None if the
        features above a split do, or the number of leaves."""
        return None

    @property
    def counts_classes(self) -> bool:
        """Whether it counts the classes in a leaf, which says nothing of a sum of trees."""
        return False

    @property
    def is_preference(self) -> bool:
        """Whether trees may break it, at a cost (`prefer`)."""
        return False

    # --- what decides it -----------------------------------------------------------------------

    def automaton(self) -> Automaton[Any] | None:
        """The automaton that decides it at splits and leaves, None if none does."""
        return None

    def can_be_broken(self, features: Collection[str]) -> bool:
        """False only if no tree that splits on `features` alone can break it."""
        return True

    def beyond_grammar(self) -> Diagnostic | None:
        """Why no tree grammar decides it (E301), None if one does."""
        return None

    @property
    def most_leaves(self) -> int | None:
        """The limit of a tree's leaves that it is."""
        return None

    @property
    def most_features(self) -> int | None:
        """The limit of the distinct features of a whole tree that it is."""
        return None

    @property
    def rising(self) -> tuple[str, bool] | None:
        """The feature with which predictions must not fall (True) or must not rise (False)."""
        return None

    @property
    def leaf_in_box(self) -> BoxLeaf | None:
        """What it says of the leaf that contains its box."""
        return None

    def without_leaf_prior(self) -> Constraint:
        """The constraint that a tree satisfies, without what is said of its leaves."""
        return self

    @property
    def others_fixed(self) -> bool:
        """Whether it says that features that share a column with this one stay as they are."""
        return False

    # --- what goes with it ---------------------------------------------------------------------

    def never_splits_on(self, feature: str) -> bool:
        """Whether no tree that satisfies it splits on a feature."""
        return False

    def keeps_apart(self, a: str, b: str) -> bool:
        """Whether it rules out that one path splits on both features, each of which it allows."""
        return False

    def against_first(self, feature: Named, span: SourceSpan | None) -> Diagnostic | None:
        """Why the root cannot split on a feature, or on any of a group, as something at `span`
        demands; None if it can."""
        return None

    def check_on_table(self, table: TableFacts) -> Iterator[Diagnostic]:
        """What of it does not go with a table, or leaves no room or no effect there."""
        return iter(())

    def missed_end(self, end: BoxEnd) -> Diagnostic | None:
        """The warning for an end of its box where the split of the table lies on the wrong side
        (W153), None where it does not."""
        return None


def _plain(value: Any) -> Any:
    """A field of a constraint as plain data."""
    if isinstance(value, tuple):
        return list(map(_plain, value))
    if isinstance(value, Group):
        return list(value.features)
    return value.to_plain() if isinstance(value, Box | Made) else value


class TableFacts(Protocol):
    """What a constraint asks of a table."""

    @property
    def most_leaves(self) -> int:
        """The most leaves of a tree on it."""
        ...

    @property
    def means_on_lines(self) -> bool:
        """Whether the prediction of a leaf changes with a column."""
        ...

    @property
    def unordered_classes(self) -> tuple[str, str] | None:
        """The response and how an order of its classes is declared, where they have none."""
        ...

    def is_stuck(self, feature: str) -> bool:
        """Whether the table has the feature, with the same value in all rows."""
        ...

    def is_categorical(self, feature: str) -> bool:
        """Whether the table has the feature, and its values have no order."""
        ...

    def is_uncut(self, box: Box) -> bool:
        """Whether no threshold of the table lies inside the box."""
        ...

    def untold(self, what: str, span: SourceSpan | None) -> Iterator[Diagnostic]:
        """Errors for `what`, which must know the side of every point, where splits of the table
        leave points without a side."""
        ...
