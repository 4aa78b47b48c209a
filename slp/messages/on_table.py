"""E1xx, W1xx: a program on a table."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E150 = Entry(
    "E150: the table has no such feature",
    cause="The program names a feature, and the table has no such column, or it is the response.",
    remedy="Take the nearest name, or one of those listed.",
    example="slp check prior.slp data.csv   (`prior.slp` has `:- constraint(first(agee)).`)",
)
RESPONSE_AS_FEATURE = E150.says(
    "`{name}` is the response of this table, not a feature",
    "name a feature, or another response by `:- response(Column).`",
)
IGNORED_AS_FEATURE = E150.says(
    "`{name}` is ignored, and no feature of this table", "take one of the two out"
)
NO_SUCH_FEATURE = E150.says("the table has no feature `{name}`", "{help}")

E151 = Entry(
    "E151: the response has no such class",
    cause="`majority`, `rows(Class, N)` or `loss` names a class that the response does not have.",
    remedy="Take the nearest name, or declare a leaf model for classes.",
    example="slp check prior.slp data.csv   (`prior.slp` has `box(old, age, 40, inf). :- "
    "constraint(majority(old, ja)).`)",
)
NO_CLASSES = E151.says(
    "`{goal}` needs classes, and `{response}` is numeric",
    "take it out, or declare `:- leaf(dirichlet(1)).`",
)
NO_CLASS = E151.says("the response `{response}` has no class `{name}`", "{help}")

E152 = Entry(
    "E152: a categorical column is used as numbers",
    cause="A categorical column is bounded by a box, or `monotone` names it.",
    remedy="Declare `:- feature(Name, [numeric]).` if it holds numbers.",
    example="slp check prior.slp data.csv   (`prior.slp` has `:- constraint(monotone(colour, "
    "up)).`)",
)
_IF_NUMBERS = "if it holds numbers, declare `:- feature({name}, [numeric]).`"
BOX_OVER_LEVELS = E152.says(
    "`{name}` is categorical, and box `{box}` bounds it by numbers", _IF_NUMBERS
)
MONOTONE_OVER_LEVELS = E152.says("`{name}` is categorical, so nothing grows with it", _IF_NUMBERS)

E155 = Entry(
    "E155: something does not go with missing values that take a side, or with subsets of levels",
    cause="Under `missing(side)` rows that miss a value go where each split says, under `subsets` "
    "levels that a box does not have go as declared. `monotone`, `edittree` and soft trees are not "
    "defined for such rows.",
    remedy="Fill the values in, leave those rows out, leave `subsets` out, or take the other part "
    "out of the program.",
    example="slp check prior.slp holes.csv   (`prior.slp` has `:- feature(_, [missing(side)]). "
    ":- constraint(monotone(age, up)).`, `holes.csv` is `age,sex,y\n1,f,0\n,m,1`)",
)
NOT_WITH_SIDES = E155.says(
    "{what} cannot go with missing values that take a side, which `{name}` has",
    "fill the values in, leave those rows out, or {instead}",
)

NOT_WITH_SUBSETS = E155.says(
    "{what} cannot go with splits by subsets of levels, which `{name}` has",
    "leave `subsets` out, or {instead}",
)

NOT_WITH_ORDER = E155.says(
    "{what} cannot go with `subsets(ordered)`, which `{name}` has",
    "declare `subsets` or `categorical`, or {instead}",
)

E157 = Entry(
    "E157: a rule names a level of a column whose order is not declared",
    cause="An ordered categorical column of pandas is ordinal, and programs name levels of orders "
    "that they declare.",
    remedy="Declare the order or, for tests on one level, the column categorical.",
    example="program.posterior(frame)   (`frame.stage` is an ordered categorical, and a rule has "
    "`split(stage, iii)`)",
)
ORDER_NOT_DECLARED = E157.says(
    "the level `{level}` of `{name}` is named, and the order of its levels is not declared",
    "declare `:- feature({atom}, [ordinal([{order}])]).` or `:- feature({atom}, [categorical]).`",
)

E153 = Entry(
    "E153: classes have no order",
    cause="`monotone` is declared, and the classes of the response are names, which have no order.",
    remedy="Declare the order, as `:- response(stage, [ordinal([low, mid, high])]).` does.",
    example="slp check prior.slp three_classes.csv   (`prior.slp` has `:- constraint(monotone(age, "
    "up)).`)",
)
CLASSES_WITHOUT_ORDER = E153.says(
    "`monotone` needs ordered classes, and those of `{response}` are names",
    "declare them from the lowest to the highest: `:- {declaration}.`",
)

E156 = Entry(
    "E156: `monotone` and lines in the leaves",
    cause="`monotone` compares one number for each leaf, and the leaves of `normal_linear` are "
    "lines.",
    remedy="Take the constraint out, or another leaf model.",
    example="slp check prior.slp data.csv -y dose   (`prior.slp` has "
    "`:- leaf(normal_linear([age])). :- constraint(monotone(age, up)).`)",
)
MONOTONE_LINES = E156.says(
    "`monotone` compares one number for each leaf, and leaves under `normal_linear` are lines",
    "take the constraint out, or another leaf model",
)

E154 = Entry(
    "E154: the measure range takes numbers without cuts",
    cause="A split with the measure `range` may be on a feature that is categorical, or has cuts "
    "or bins. Thresholds are uniform on the range of a feature, which these do not have.",
    remedy="Leave the column out, forbid it, or take another measure.",
    example="slp-sample rjhmc data.csv   (a column of `data.csv` has names)",
)
NO_RANGE = E154.says(
    "the measure `range` is of numbers, and `{feature}` is {kind}",
    "leave the column out (`:- ignore({atom}).`), forbid it (`:- constraint(forbid({atom})).`), or "
    "take another measure",
)
NO_SOFT_RANGE = E154.says(
    "soft trees split on numbers by the measure `range`, and `{feature}` is {kind}",
    "leave the column out (`:- ignore({atom}).`), or code it as numbers",
)

W150 = Entry(
    "W150: no row of the table lies in a box",
    cause="The values of a column all lie outside the bounds of a box.",
    remedy="Check the bounds and their unit.",
    example="slp check prior.slp three_classes.csv   (`prior.slp` has\n"
    "`box(old, age, 900, 1000). :- constraint(forbid(age, within(old))).`)",
)
BOX_WITHOUT_ROWS = W150.says(
    "no row lies in box `{box}`: `{feature}` runs from {least} to {most}", AS_REMEDY
)

W151 = Entry(
    "W151: a limit has no effect on this table, or leaves one tree",
    cause="On this table a limit or a constraint takes no tree away, or leaves a single leaf.",
    remedy="Take it out, if that is not meant.",
    example="slp check prior.slp data.csv   (`prior.slp` has `:- support(min_leaf(100000)).`)",
)
MIN_LEAF_LEAVES_ONE = W151.says(
    "`min_leaf({count})` leaves one tree, a single leaf: the table has {rows} rows", AS_REMEDY
)
MIN_WEIGHT_LEAVES_ONE = W151.says(
    "`min_weight({weight})` leaves one tree, a single leaf: all rows together weigh less than "
    "twice that",
    AS_REMEDY,
)
MAX_LEAVES_LIMITS_NOTHING = W151.says(
    "`max_leaves({count})` limits nothing: no tree on this table has more than {most}", AS_REMEDY
)
FIRST_LEAVES_ONE = W151.says(
    "`first({feature})` leaves one tree, a single leaf: every row has the same `{feature}`",
    AS_REMEDY,
)
NO_SPLIT_AT_ALL = W151.says(
    "the constraints leave one tree on this table, a single leaf", AS_REMEDY
)
CONSTANT_FORBIDS_NOTHING = W151.says(
    "`constant({box})` forbids nothing: no split here can cut the box", AS_REMEDY
)

IDLE = W151.says("this takes no tree away: no tree of the rules breaks it on this table", AS_REMEDY)

W155 = Entry(
    "W155: a statement follows from others",
    cause="No tree on this table that other constraints and limits allow breaks the constraint or "
    "limit.",
    remedy="If that is not meant, take it out, or one of the others.",
    example="slp check prior.slp data.csv   (`prior.slp` has `:- constraint(forbid(age)). "
    ":- constraint(before(colour, age)).`)",
)
FOLLOWS = W155.says(
    "this follows from {others}: no tree that satisfies {it} breaks this", AS_REMEDY
)
FOLLOWS_PERHAPS_FROM_FEWER = W155.says(
    "this follows from {others}, perhaps from fewer: no tree that satisfies {it} breaks this",
    AS_REMEDY,
)

W152 = Entry(
    "W152: a guard names a feature that the table does not have",
    cause="A guard compares the feature of a split with a name that no feature of the table has.",
    remedy="Take the nearest name, or take the fact out.",
    example="slp check guard.slp data.csv   (`guard.slp` is\n"
    "`:- start(t). 0.5 :: t --> split(F, _), { F = agee }, t, t. 0.5 :: t --> leaf.`)",
)
GUARD_ON_UNKNOWN_FEATURE = W152.says(
    "a guard compares the feature of a split with `{name}`, which is no feature of the table",
    "{help}",
)

W154 = Entry(
    "W154: an ignored column is not in the table",
    cause="`ignore(...)` names a column that the table does not have.",
    remedy="Take the nearest name, or take it out.",
    example="slp check prior.slp data.csv   (`prior.slp` has `:- ignore(agee).`)",
)
NOTHING_TO_IGNORE = W154.says("the table has no column `{name}` to ignore", "{help}")
