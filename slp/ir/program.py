"""A checked program: what analysis makes of a file and everything it uses, as frozen data.

Parameters have their values here, library priors are included, constraints are typed. What still
depends on a table (features, classes, the leaf model when none is declared) stays symbolic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from slp.errors import Diagnostic
from slp.source import SourceSpan
from slp.terms import Term

if TYPE_CHECKING:
    from slp.trees.tree import Tree

__all__ = [
    "COUNTING_MEASURES",
    "FEATURE_MEASURES",
    "MEASURES",
    "PROPER_MEASURES",
    "Before",
    "Bins",
    "Box",
    "CallBody",
    "Constant",
    "Constraint",
    "Cuts",
    "EditPrior",
    "Exclusive",
    "FeatureDeclaration",
    "First",
    "Forbid",
    "Interaction",
    "LeafBody",
    "LeafDeclaration",
    "LogicClause",
    "Majority",
    "MaxFeatures",
    "MaxLeaves",
    "Monotone",
    "Once",
    "Predicate",
    "Program",
    "SplitBody",
    "Support",
    "TreeRule",
]

Measure = Literal["feature_then_cut", "all", "gap", "each", "partition", "per_feature"]
#: All measures, in the order of the core's enumeration.
MEASURES: tuple[Measure, ...] = get_args(Measure)
#: Measures whose weights sum to 1 over the splits that are left, whatever these are.
PROPER_MEASURES: tuple[Measure, ...] = ("feature_then_cut", "all", "gap")
#: Measures that weigh each split 1, so that sums may exceed 1.
COUNTING_MEASURES: tuple[Measure, ...] = ("each", "partition")
#: Measures that draw the feature first by its weight.
FEATURE_MEASURES: tuple[Measure, ...] = ("feature_then_cut", "gap")
Failure = Literal["restrict", "condition"]


# --- rules and clauses -------------------------------------------------------------------------


@dataclass(frozen=True)
class LeafBody:
    """`leaf`: the derivation of this box ends."""


@dataclass(frozen=True)
class CallBody:
    """A body that is one nonterminal: the same box goes on in another state."""

    goal: Term


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


Body: TypeAlias = LeafBody | CallBody | SplitBody


@dataclass(frozen=True)
class TreeRule:
    """`label :: head --> {before}, body.` Variables are shared between all parts."""

    label: Term
    head: Term
    before: tuple[Term, ...]
    body: Body
    span: SourceSpan = field(compare=False, repr=False)


@dataclass(frozen=True)
class LogicClause:
    """`head :- body.`, with `label` None in a logical predicate, a term in a stochastic one."""

    head: Term
    body: Term | None
    label: Term | None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


# --- declarations ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Box:
    """A named box: `bounds[feature] = (min, max)` means min <= feature < max."""

    name: str
    bounds: Mapping[str, tuple[float, float]]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Cuts:
    """Declared cuts of a numeric feature, strictly increasing."""

    cuts: tuple[float, ...]


@dataclass(frozen=True)
class Bins:
    """Cuts made from the table: `quantile` or `width`, `count` bins."""

    kind: Literal["quantile", "width"]
    count: int


@dataclass(frozen=True)
class FeatureDeclaration:
    """`:- feature(name, [...])`; `name` None declares for all numeric features not named
    elsewhere."""

    name: str | None
    kind: Literal["numeric", "categorical"] | None
    coding: Cuts | Bins | None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class LeafDeclaration:
    """`:- leaf(model(args...))`: `dirichlet`, `normal_inverse_gamma`, `gamma_poisson`,
    `gamma_exponential`.

    `args` are the numbers given; `dirichlet([a1, ...])` gives one for each class in sorted order.
    """

    model: str
    args: tuple[float, ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Support:
    """Structural limits: rows (repeats counted) that each side of a split keeps, greatest depth
    of a leaf."""

    min_leaf: int = 1
    max_depth: int | None = None


@dataclass(frozen=True)
class EditPrior:
    """`:- use(edittree, [tree = File, p = P, measure = M]).`: trees are edits of a given one.

    `p` is the probability of one more edit, strictly between 0 and 1; `measure` one that sums to 1
    over any splits; `file` is where the tree was read, None if the caller gave it.
    """

    tree: Tree
    p: float = 0.8
    measure: Measure = "feature_then_cut"
    file: str | None = None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


# --- constraints (DESIGN 3) --------------------------------------------------------------------


@dataclass(frozen=True)
class Constant:
    """No split cuts the box at a node that contains all of it."""

    box: Box
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Forbid:
    """No split on `feature`: anywhere, or at depth >= `below`, or at nodes inside the box
    `within`."""

    feature: str
    below: int | None = None
    within: Box | None = None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class First:
    """If the tree splits at all, the root splits on `feature`."""

    feature: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Before:
    """Every split on `then` has a split on `feature` above it."""

    feature: str
    then: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Once:
    """No path splits on `feature` twice."""

    feature: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Exclusive:
    """No path splits on two of `features`."""

    features: tuple[str, ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Interaction:
    """The features of each path lie together in one of `groups`."""

    groups: tuple[tuple[str, ...], ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Majority:
    """In every leaf whose region meets the box, no class has more rows than `outcome`."""

    box: Box
    outcome: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class MaxLeaves:
    """At most `count` leaves. Global; exact by counting leaves in the weights."""

    count: int
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class MaxFeatures:
    """At most `count` distinct features. Global."""

    count: int
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Monotone:
    """Predictions never fall (`up`) or never rise (`down`) as `feature` grows. Global."""

    feature: str
    direction: Literal["up", "down"]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Predicate:
    """A check in Python (`module:function`) or Prolog (a goal): on each node if `local`, else on
    the tree.

    `function` is what a caller brought, or what `slp.trees.predicates` made of the goal; None
    where the goal only names code, which nobody has run.
    """

    language: Literal["python", "prolog"]
    goal: Term
    local: bool = False
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    function: Callable[[Any], object] | None = field(default=None, repr=False)


Constraint: TypeAlias = (
    Constant
    | Forbid
    | First
    | Before
    | Once
    | Exclusive
    | Interaction
    | Majority
    | MaxLeaves
    | MaxFeatures
    | Monotone
    | Predicate
)


# --- the program -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """Everything a `.slp` file says, checked. Data only; `slp.Program` is the class users hold.

    `weights`: labels are weights over whole trees, nothing is renormalised at a choice.
    `failure`: what a local constraint does, see DESIGN 3.
    `edits`: the prior of edits of a given tree; then there are no rules and there is no start.
    `parameters`: values in force, after defaults, `use(...)` and overrides.
    `spans`: where declarations stand, by `start`, `response`, `leaf`, `failure`, `weights`,
    `support:min_leaf`, `param:NAME`, `feature:NAME`, `feature_weight:NAME`, `ignore:COLUMN`.
    """

    name: str
    start: Term | None
    rules: tuple[TreeRule, ...]
    clauses: tuple[LogicClause, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    boxes: Mapping[str, Box] = field(default_factory=dict)
    constraints: tuple[Constraint, ...] = ()
    support: Support = Support()
    failure: Failure = "restrict"
    weights: bool = False
    edits: EditPrior | None = None
    response: str | None = None
    event: str | None = None
    class_order: tuple[str, ...] | None = None
    leaf: LeafDeclaration | None = None
    features: tuple[FeatureDeclaration, ...] = ()
    ignored: tuple[str, ...] = ()
    feature_weights: Mapping[str, float] = field(default_factory=dict)
    spans: Mapping[str, SourceSpan] = field(default_factory=dict, compare=False, repr=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    @property
    def max_leaves(self) -> int | None:
        """The tightest `max_leaves`, None where there is none."""
        return min((c.count for c in self.constraints if isinstance(c, MaxLeaves)), default=None)
