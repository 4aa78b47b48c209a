"""A checked program as frozen data: the result of analysis for a file and all files that it uses.

Parameters have their values, library priors are included, and constraints are typed. What depends
on a table (features, classes, the default leaf model) stays symbolic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast, get_args

from slp.errors import Diagnostic
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint, Support
from slp.ir.decisions import ClassLoss, FeatureCost
from slp.ir.groups import Group
from slp.ir.hierarchies import IsA
from slp.ir.leaves import BoxLeaf, LeafDeclaration, LeafPrior
from slp.ir.parameter_priors import ParameterPrior
from slp.ir.thresholds import NormalThresholds
from slp.ir.weights_prior import WeightsPrior
from slp.source import SourceFile, SourceSpan
from slp.terms import Term

if TYPE_CHECKING:
    from slp.columns.formula import DefinedFeature
    from slp.trees.reading import TreeText
    from slp.trees.tree import Tree

Measure = Literal["feature_then_cut", "all", "gap", "each", "partition", "per_feature", "range"]
#: All measures, in the order of the core's enumeration.
MEASURES: tuple[Measure, ...] = get_args(Measure)
#: Measures whose weights sum to 1 over the remaining splits.
PROPER_MEASURES: tuple[Measure, ...] = ("feature_then_cut", "all", "gap")
#: Measures that give each split the weight 1, so that sums may exceed 1.
COUNTING_MEASURES: tuple[Measure, ...] = ("each", "partition")
#: Measures that draw the feature first, by its weight.
FEATURE_MEASURES: tuple[Measure, ...] = ("feature_then_cut", "gap", "range")
#: The parameter that says how wide the gates of soft trees are.
GATE_WIDTH = "h"
#: The parameter that gives it a prior: the standard deviation of log h, with the mean log of `h`.
GATE_SPREAD = "h_spread"
Failure = Literal["restrict", "condition", "backtrack"]


# --- rules and clauses -------------------------------------------------------------------------


@dataclass(frozen=True)
class LeafBody:
    """`leaf`: the derivation of this box ends."""

    terms: ClassVar[tuple[Term, ...]] = ()


@dataclass(frozen=True)
class CallBody:
    """A body that is one nonterminal: the same box continues in another state."""

    goal: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms of the body."""
        return (self.goal,)


@dataclass(frozen=True)
class SplitBody:
    """`split(feature, threshold, measure), {after}, left, right`.

    `left` takes the rows with feature < threshold (or feature = level), `right` the rest. Each is a
    nonterminal or the atom `leaf`. `after` are the guards behind the split, in order.
    """

    feature: Term
    threshold: Term
    measure: Measure
    after: tuple[Term, ...]
    left: Term
    right: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms of the body."""
        return (self.feature, self.threshold, *self.after, self.left, self.right)


Body: TypeAlias = LeafBody | CallBody | SplitBody


@dataclass(frozen=True)
class TreeRule:
    """`label :: head --> {before}, body.` All parts share variables."""

    label: Term
    head: Term
    before: tuple[Term, ...]
    body: Body
    span: SourceSpan = field(compare=False, repr=False)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms of the rule."""
        return (self.label, self.head, *self.before, *self.body.terms)


@dataclass(frozen=True)
class LogicClause:
    """`head :- body.`, with `label` None in a logical predicate, a term in a stochastic one."""

    head: Term
    body: Term | None
    label: Term | None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms of the clause."""
        return tuple(t for t in (self.label, self.head, self.body) if t is not None)


# --- declarations ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cuts:
    """Declared cuts of a numeric feature, strictly increasing."""

    cuts: tuple[float, ...]


@dataclass(frozen=True)
class Bins:
    """Cuts made from the table: `quantile` or `width`, `count` bins."""

    kind: Literal["quantile", "width"]
    count: int


class LevelSplits(ABC):
    """How splits part the levels of a feature, where it is not one from the rest: a kind of column
    (`slp.columns.declared`).

    Attributes
    ----------
    most : the most levels that it takes, None for any number.
    """

    most: int | None

    @abstractmethod
    def words(self) -> str:
        """What is said of the feature: `is split by subsets of its levels, 8 at most`."""

    @abstractmethod
    def kind(
        self,
        levels: tuple[str, ...],
        new: Literal["error", "larger", "average"] | None,
        missing: Literal["level"] | None,
    ) -> Any:
        """The `slp.columns.ColumnKind` of a column of such levels, whose missing values are an
        error or a level; see `slp.columns.levels.Nominal`."""


@dataclass(frozen=True)
class FeatureDeclaration:
    """`:- feature(name, [...])`. With `name` None it applies to all numeric features that are not
    named elsewhere; `missing` then to all features. `levels` are those of an ordinal feature, in
    order; `range` are the least and the largest value that is allowed; `missing` tells what a
    missing value is: an error, one more level, or one that takes a side; `new` what becomes of a
    new row that misses the value at a split where no row of the table did, or whose level no row
    there had. `decimal`: text has its numbers with a decimal
    comma. `density` is that of its thresholds (`thresholds(name, ...)`). `splits` is None where a
    split is on one level. What goes together, and which kind of
    column it makes: `slp.columns.declared`."""

    name: str | None
    kind: Literal["numeric", "categorical", "ordinal"] | None = None
    coding: Cuts | Bins | None = None
    levels: tuple[str, ...] | None = None
    unit: str | None = None
    range: tuple[float, float] | None = None
    missing: Literal["error", "level", "side"] | None = None
    new: Literal["error", "larger", "average"] | None = None
    decimal: Literal["comma"] | None = None
    splits: LevelSplits | None = None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    density: NormalThresholds | None = None

    @property
    def said(self) -> Mapping[str, Any]:
        """What it says, by field, without the name."""
        parts = ["kind", "coding", "levels", "unit", "range", "missing", "new", "decimal"]
        parts += ["splits", "density"]
        return {p: getattr(self, p) for p in parts if getattr(self, p) is not None}

    @property
    def of_kind(self) -> Mapping[str, Any]:
        """What it says of the kind of its column: all but the density of thresholds."""
        return {part: value for part, value in self.said.items() if part != "density"}

    @property
    def of_numbers(self) -> bool:
        """Whether it says that the column has numbers."""
        said = self.coding, self.unit, self.range, self.decimal
        return self.kind == "numeric" or any(part is not None for part in said)


@dataclass(frozen=True)
class EventCodes:
    """`event(Column, Seen, Censored)`: the cells that say that the end of a duration was seen, and
    those that say that it was not; of these none are named (()) where one other value may occur."""

    seen: tuple[str, ...]
    censored: tuple[str, ...] = ()


@dataclass(frozen=True)
class SumOfTrees:
    """`:- trees(count).`: the response is a sum of so many trees. `assumed`: the program says
    nothing of a tree, so each has the prior growtree."""

    count: int
    assumed: bool = False
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class EditPrior:
    """`:- use(edittree, [tree = File, p = P, measure = M]).`: trees are edits of a given one.

    `p` is the probability of one more edit, strictly between 0 and 1. `measure` sums to 1 over any
    splits. `file` is the file of the tree, None if the caller gave the tree. A tree that is given
    as text becomes a tree when a table is there (`slp.analysis.sources.edits.with_tree_on`).
    """

    tree: Tree | TreeText
    p: float = 0.8
    measure: Measure = "feature_then_cut"
    file: str | None = None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def given(self) -> Tree:
        """The tree, of a program that has met its table."""
        return cast("Tree", self.tree)


# --- the program -------------------------------------------------------------------------------


@dataclass(frozen=True)
class UsedFile:
    """A file that a program uses: the name of the file that uses it, what its `use` says, and the
    file itself. The program's own file is used by nothing: both texts are empty."""

    user: str
    target: str
    file: SourceFile


@dataclass(frozen=True)
class CheckedProgram:
    """A checked program. `slp.Program` is the class for users.

    `weights`: labels are weights over whole trees, and nothing is renormalised at a choice.
    `failure`: the effect of a local constraint, see docs/language.md. `edits`: the prior of edits
    of a given tree; the program then has no rules and no start. `event`, `exposure`: the columns
    that say which durations ended, or the exposure of counts. `event_codes`: what the cells of
    `event` mean, None for 1 and 0, true and false. `row_weight`: the column of weights
    of rows. `definitions`: features that formulas make of columns, behind all others.
    `box_leaves`: what `leaf(in(...))` says, in order. `costs`, `losses`: what it costs to ask a
    feature, and to say a class where another one is true. `parameters`: values in force, after
    defaults, `use(...)` and overrides. `unknown`: the priors of those that have no value; their
    means stand in `parameters`. `weights_prior`: that of feature weights that are not known; those
    that are known are in `feature_weights`. `spans`: places of declarations, by `start`,
    `response`, `leaf`, `failure`, `weights`, `row_weight`, `feature_weights`,
    `support:min_leaf`, `param:NAME`, `feature:NAME`, `feature_weight:NAME`, `ignore:COLUMN`.
    `files`: all texts that it was read from, its own first.
    `soft`: an engine reads it as a prior over soft trees. `sum_of`: the response is a sum of trees,
    each of which has this prior; None of one tree.
    """

    name: str
    start: Term | None
    rules: tuple[TreeRule, ...]
    clauses: tuple[LogicClause, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    unknown: Mapping[str, ParameterPrior] = field(default_factory=dict)
    boxes: Mapping[str, Box] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    is_a: tuple[IsA, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    support: Support = Support()
    failure: Failure = "restrict"
    weights: bool = False
    edits: EditPrior | None = None
    response: str | None = None
    event: str | None = None
    event_codes: EventCodes | None = None
    exposure: str | None = None
    class_order: tuple[str, ...] | None = None
    leaf: LeafDeclaration | None = None
    box_leaves: tuple[BoxLeaf, ...] = ()
    features: tuple[FeatureDeclaration, ...] = ()
    definitions: tuple[DefinedFeature, ...] = ()
    ignored: tuple[str, ...] = ()
    feature_weights: Mapping[str, float] = field(default_factory=dict)
    weights_prior: WeightsPrior | None = None
    row_weight: str | None = None
    costs: tuple[FeatureCost, ...] = ()
    losses: tuple[ClassLoss, ...] = ()
    spans: Mapping[str, SourceSpan] = field(default_factory=dict, compare=False, repr=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    files: tuple[UsedFile, ...] = field(default=(), compare=False, repr=False)
    soft: bool = False
    sum_of: SumOfTrees | None = None

    @property
    def known_parameters(self) -> dict[str, float]:
        """The parameters that have values."""
        return {name: x for name, x in self.parameters.items() if name not in self.unknown}

    @property
    def uncertain(self) -> bool:
        """Whether parameters or feature weights have a prior in place of a value."""
        return bool(self.unknown) or self.weights_prior is not None

    def at(self, values: Mapping[str, float]) -> CheckedProgram:
        """The program at these values of the parameters that have a prior, the others at their
        means, and features of equal weight where weights have one; itself where nothing has a
        prior."""
        if not self.uncertain:
            return self
        parameters = {**self.parameters, **values}
        return replace(self, parameters=parameters, unknown={}, weights_prior=None)

    @property
    def measures(self) -> frozenset[Measure]:
        """The measures of all rules that split."""
        bodies = (rule.body for rule in self.rules)
        return frozenset(body.measure for body in bodies if isinstance(body, SplitBody))

    @property
    def has_ranges(self) -> bool:
        """Whether a split has the measure `range`."""
        return "range" in self.measures

    @property
    def by_partition(self) -> bool:
        """Whether every rule that splits has the measure `partition`, so that a tree stands for all
        trees that part the rows alike, whichever features they split on."""
        return self.measures == {"partition"}

    @property
    def leaves_of_boxes(self) -> tuple[BoxLeaf, ...]:
        """All that is said of the leaves of boxes, what constraints say first: of a leaf to which
        several apply the first counts."""
        said = (c.leaf_in_box for c in self.constraints)
        return (*(own for own in said if own is not None), *self.box_leaves)

    @property
    def leaf_priors(self) -> tuple[LeafPrior, ...]:
        """The different priors of `leaves_of_boxes`, in the order of their first mention. Tree
        grammars number them from 1; 0 is the prior of all other leaves."""
        said = (own.prior for own in self.leaves_of_boxes)
        return tuple(dict.fromkeys(prior for prior in said if prior is not None))

    @property
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        """The levels of each ordinal feature, in order."""
        return {f.name: f.levels for f in self.features if f.name and f.levels}

    @property
    def has_gates(self) -> bool:
        """Whether it may be read as a prior over soft trees: a split has the measure `range`, and
        the width of gates is declared."""
        return self.has_ranges and GATE_WIDTH in self.parameters

    @property
    def max_leaves(self) -> int | None:
        """The smallest `max_leaves`, None if there is none."""
        limits = [c.most_leaves for c in self.constraints if c.most_leaves is not None]
        return min(limits, default=None)
