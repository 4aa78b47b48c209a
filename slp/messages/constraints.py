"""E1xx, W1xx: boxes and constraints."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry
from slp.messages.names import NOT_A_NAME, VARIABLE_FOR_NAME

E120 = Entry(
    "E120: a box fact is malformed",
    cause="A fact `box(...)` takes two names and two bounds, and has no label and no body.",
    remedy="Write it as `box(name, feature, 0, 10).` is written.",
    example=":- use(growtree).\nbox(young, age, 40).",
)
_BOX = "write box(name, feature, 0, 10). for 0 <= feature < 10; a bound may be -inf or inf"
BOUND_IS_NO_LEVEL = E120.says(
    "{what} is no level of this ordinal feature", "its levels are {levels}; or -inf, inf"
)
BOX_IS_NO_FACT = E120.says("a box is a fact with a name, a feature and two bounds", _BOX)
VARIABLE_IN_BOX = E120.says(*VARIABLE_FOR_NAME)
NO_NAME_IN_BOX = E120.says(*NOT_A_NAME)

E121 = Entry(
    "E121: a box is empty",
    cause="The lower bound of a box is not below its upper bound.",
    remedy="Swap or correct the bounds.",
    example=":- use(growtree).\nbox(young, age, 40, 0).",
)
_EMPTY = "box `{name}` is empty: no number is at least {low} and below {high}"
EMPTY_BOX = E121.says(_EMPTY, _BOX)
SWAPPED_BOUNDS = E121.says(_EMPTY, "are the bounds swapped? " + _BOX)

E122 = Entry(
    "E122: a box is bounded twice in one feature",
    cause="Two facts bound the same box in the same feature.",
    remedy="A box has one interval for each feature; give another box another name.",
    example=":- use(growtree).\nbox(young, age, 0, 40).\nbox(young, age, 10, 30).",
)
BOX_BOUNDED_TWICE = E122.says("box `{name}` is bounded twice in `{feature}`", AS_REMEDY)

E123 = Entry(
    "E123: there is no such box",
    cause="A constraint names a box that no fact declares.",
    remedy="Take the nearest name, or declare the box.",
    example=":- use(growtree).\n:- constraint(constant(young)).",
)
NO_BOX = E123.says("there is no box `{name}`", "{help}", may_follow=True)

E140 = Entry(
    "E140: there is no such constraint",
    cause="`constraint(...)` has a name that is none, or no name.",
    remedy="Take the nearest name, or one of those listed.",
    example=":- use(growtree).\n:- constraint(firs(age)).",
)
CONSTRAINT_NOT_NAMED = E140.says(
    "a constraint is a name with arguments", "write one, such as `:- constraint(first(age)).`"
)
SEVERAL_CONSTRAINTS = E140.says(
    "one constraint belongs here, and this is several", "write `:- constraint(...).` for each"
)
NO_CONSTRAINT = E140.says("there is no constraint `{name}`", "{help}")

E141 = Entry(
    "E141: a constraint is malformed",
    cause="A constraint has another number or another kind of arguments than it takes.",
    remedy="Write it as the help line shows.",
    example=":- use(growtree).\n:- constraint(monotone(age, rising)).",
)
VARIABLE_IN_CONSTRAINT = E141.says(*VARIABLE_FOR_NAME)
NO_NAME_IN_CONSTRAINT = E141.says(*NOT_A_NAME)
CONSTRAINT_ARGUMENTS = E141.says("`{name}` does not have {arguments}", "write {usage}")
TOO_FEW_NAMES = E141.says("`{name}` takes a list of at least {count}", "write {usage}")
NAMED_TWICE = E141.says("`{feature}` stands twice in this list", "write {usage}")
NOT_LOCAL = E141.says("the second argument of `{name}` can only be `local`", "write {usage}")
NO_PART_TO_FORBID = E141.says(
    "the second argument of `forbid` is `below(K)` or `within(Box)`",
    "write {usage}; `:- feature(age, [cuts([24, 40])]).` lists the thresholds that there may be",
)
NO_GROUPS = E141.says("`interaction` takes a list of groups", "write {usage}")
NO_DIRECTION = E141.says("the second argument of `monotone` is `up` or `down`", "write {usage}")
NO_OTHERS_FIXED = E141.says(
    "the third argument of `monotone` is `others_fixed`, if there is one", "write {usage}"
)
NO_PYTHON_FUNCTION = E141.says('`python` names a function as "module:function"', "write {usage}")
NO_PROLOG_GOAL = E141.says("`prolog` takes a goal", "write {usage}")

E142 = Entry(
    "E142: no tree satisfies the program, whatever the table",
    cause="Constraints leave a single leaf alone, and the rules leave no tree without a split.",
    remedy="Take one of the constraints out, or let a rule of the start be a leaf.",
    example=":- use(growtree, [alpha = 1]).\n:- constraint(first(age)).\n"
    ":- constraint(first(sex)).",
)
NO_TREE_ON_ANY_TABLE = E142.says("{what}; and no rule lets a tree be a single leaf", AS_REMEDY)

E143 = Entry(
    "E143: a column is a feature, and something else too",
    cause="A column is used as a feature, and is ignored, or belongs to the response.",
    remedy="Take one of the two out.",
    example=":- use(growtree).\n:- ignore(age).\n:- constraint(first(age)).",
)
FEATURE_WITH_ROLE = E143.says("`{name}` is {role}, so no tree can split on it", AS_REMEDY)

E144 = Entry(
    "E144: `prefer` does not go with something",
    cause="A preference multiplies the weights of whole trees. Its constraint, its weight or the "
    "prior leaves no such weight.",
    remedy="Follow the help line; `constraint` takes what `prefer` does not.",
    example=":- use(growtree).\n:- prefer(first(age), -1).",
)
NEGATIVE_PREFERENCE = E144.says(
    "the weight of `prefer` is {value}, and must be at least 0",
    "give one, such as `2`: each split or leaf against the constraint costs a factor exp(-2)",
)
PREFERS_CODE_AT_NODES = E144.says(
    "`prefer` takes no constraint that code decides at each node",
    "let the code decide it at the finished tree: leave `local` out",
)
PREFERENCE_OF_EDITS = E144.says(
    "`prefer` does not go with `edittree`, whose trees have no weights that are known",
    "take it out, or write `:- constraint(...).`",
)
PREFERENCE_THAT_BACKTRACKS = E144.says(
    "`prefer` does not go with `failure(backtrack)`, under which trees have no weights that are "
    "known",
    "take one of the two out",
)
PREFERS_CLASS_BESIDE_CONSTRAINT = E144.says(
    "a preference for a class in leaves does not go with a constraint on classes in leaves under "
    "`failure(restrict)`",
    "declare `:- failure(condition).`, or take one of the two out",
)

E147 = Entry(
    "E147: what is said of the leaves of a box does not go with something",
    cause="`leaf(in(Box), Model)` gives a prior to the leaves inside a box, and `constant(Box, "
    "[Class = P, ...])` class probabilities to the leaf that contains it. The model must be of the "
    "same kind as that of the other leaves, the probabilities must sum to 1, and of two statements "
    "about one leaf it must be clear which counts.",
    remedy="Follow the help line.",
    example=":- use(growtree).\nbox(infant, age, 0, 24).\n"
    ":- constraint(constant(infant, [yes = 0.2, no = 0.7])).",
)
_SHARES = "write the probability of each class, such as `constant(Box, [yes = 0.2, no = 0.8])`"
NO_SHARES = E147.says(
    "the second argument of `constant` is a list of `Class = Probability`", _SHARES
)
SHARE_NOT_BETWEEN = E147.says(
    "the probability of `{outcome}` is {value}, and must be above 0 and at most 1",
    "a class that never occurs there has a small probability; `majority` asks for less",
)
SHARE_TWICE = E147.says("the class `{outcome}` stands twice in this list", _SHARES)
SHARES_DO_NOT_SUM = E147.says("these class probabilities sum to {total:.9g}, not to 1", _SHARES)
SHARES_MEET = E147.says(
    "the boxes `{one}` and `{other}` meet, and have different class probabilities: no tree keeps "
    "both",
    "give both the same probabilities, or bound one so that they do not meet",
)
SHARES_PREFERRED = E147.says(
    "`prefer` takes `constant({box})` without class probabilities",
    "take them out, or write `:- constraint(...).`; `:- leaf(in({box}), dirichlet([2, 8])).` gives "
    "leaves inside the box a prior that data can change",
)
SHARES_WITHOUT_CLASS = E147.says(
    "`constant({box}, [...])` lacks the class `{outcome}` of the response",
    "write the probability of each class: {classes}",
)
SHARES_BESIDE_CLASS_LABELS = E147.says(
    "class probabilities of several boxes do not go with labels that count the rows of a class, as "
    "a leaf that contains two of these boxes is forbidden",
    "declare `:- failure(condition).`, or count rows alone",
)
NO_BOX_OF_LEAVES = E147.says(
    "the first of two arguments of `leaf` is `in(Box)`",
    "write `:- leaf(in(infant), dirichlet([8, 2])).`",
)
OTHER_LEAF_MODEL = E147.says(
    "leaves inside `{box}` have the model `{model}`, and other leaves `{other}`",
    "take the same model with other numbers: `:- leaf(in({box}), {usage}).`",
)
NO_MODEL_OF_BOXES = E147.says(
    "`{model}` cannot have other numbers in a box",
    "declare dirichlet, normal_inverse_gamma, gamma_poisson or gamma_exponential for all leaves",
)
NUMBERS_OF_OTHERS_MISSING = E147.says(
    "leaves inside `{box}` have the model `{model}`, and the numbers of other leaves would be "
    "taken from the response",
    "declare those too: `:- leaf({usage}).`",
)
NEVER_APPLIES = E147.says(
    "this never applies: the box `{box}` lies inside `{other}`, which is declared before, and of "
    "two declarations for one leaf the first counts",
    "declare the smaller box first",
)
LEAVES_OF_EDITS = E147.says(
    "`edittree` knows one prior of leaves, and this gives the leaves of a box another",
    "take it out, or a prior with rules",
)

W106 = Entry(
    "W106: a constraint has no effect",
    cause="A constraint says what is said already, or makes another one's feature unusable.",
    remedy="Take it out, if that is not meant.",
    example=":- use(growtree).\n:- constraint(once(age)).\n:- constraint(once(age)).",
)
_PLAINLY = "if that is meant, `forbid({feature})` says it plainly"
BEFORE_NEEDS_FORBIDDEN = W106.says(
    "`{feature}` is never split on: it needs `{other}` above it, which is forbidden", _PLAINLY
)
MAJORITIES_MEET = W106.says(
    "boxes `{one}` and `{other}` meet: leaves there need as many rows of `{this}` as of `{that}`",
    AS_REMEDY,
)
BOTH_WAYS = W106.says(
    "predictions may neither rise nor fall with `{feature}`, so it changes nothing",
    _PLAINLY + "; else take one out",
)
_NEITHER = "if that is meant, `forbid` says it plainly; else take one of these constraints out"
BEFORE_ITSELF = W106.says(
    "`{feature}` is never split on: it needs a split on itself above it", _PLAINLY
)
CIRCLE_OF_BEFORES = W106.says(
    "none of these is ever split on, as they form a circle: {features}", _NEITHER
)
NEVER_TOGETHER = W106.says(
    "`{then}` is never split on: it needs `{feature}` above it, and no path may have both", _NEITHER
)
NO_COSTS = W106.says(
    "this limits nothing: no feature has a cost", "write `:- cost(mri, 120).` for each that has one"
)
COSTS_FIT = W106.says(
    "this limits nothing: all costs together are {total}",
    "take it out, or write a lower limit",
)
ALL_TOO_DEAR = W106.says(
    "no feature that has a cost is ever split on: each costs more than {most}",
    "if that is meant, `forbid` says it plainly",
)
LOWER_LIMIT = W106.says("this limits nothing beside `{name}({most})`", "take one of the two out")
SAID_ALREADY = W106.says("this constraint repeats another", AS_REMEDY)
FORBIDS_NOTHING = W106.says(
    "this forbids nothing: no node is split at depth {depth} under `max_depth({most})`", AS_REMEDY
)
LIMITS_NOTHING = W106.says(
    "this limits nothing: a tree of depth {depth} has at most {most} leaves", AS_REMEDY
)

W107 = Entry(
    "W107: no split is possible at all",
    cause="Constraints leave one tree, a single leaf.",
    remedy="Take one of the constraints out, bound the boxes, or raise the limit.",
    example=":- use(growtree).\n:- constraint(max_leaves(1)).",
)
FREE_BOX = W107.says(
    "no split is possible at all: box `{box}` is free in every feature",
    "a split on a feature that a constant box leaves free cuts it; bound the box",
)
NO_COMMON_FEATURE = W107.says(
    "no split is possible at all: the constant boxes have no bounded feature in common",
    "a split on a feature that a constant box leaves free cuts it, so a first split must be on a "
    "feature that all of them bound",
)
ONE_LEAF = W107.says("`max_leaves(1)` leaves one tree, a single leaf", "allow two leaves or more")

_ONE_OUT = "if a single leaf is not meant, take one of the two out"
TWO_FIRSTS = W107.says(
    "no split is possible at all: the first cannot be on `{one}` and on `{other}`", _ONE_OUT
)
FIRST_FORBIDDEN = W107.says(
    "no split is possible at all: the first must be on `{feature}`, which is forbidden", _ONE_OUT
)
FIRST_TOO_DEAR = W107.says(
    "no split is possible at all: the first must be on `{feature}`, which costs {cost}, more than "
    "{most}",
    _ONE_OUT,
)
FIRST_NEEDS_ANOTHER = W107.says(
    "no split is possible at all: the first must be on `{feature}`, which needs `{other}` above it",
    _ONE_OUT,
)
FIRST_IN_NO_GROUP = W107.says(
    "no split is possible at all: the first must be on `{feature}`, which is in no group of "
    "`interaction`",
    _ONE_OUT,
)
FIRST_CUTS_BOX = W107.says(
    "no split is possible at all: the first must be on `{feature}`, which box `{box}` leaves free: "
    "any split on it cuts the box",
    _ONE_OUT + "; where no threshold of a feature may lie within a range, list those that may, as "
    "in :- feature(age, [numeric, cuts([24, 40])])",
)

W153 = Entry(
    "W153: an end of a box is not where the table has its split",
    cause="A threshold lies halfway between two values of the table. The split that parts the "
    "rows as an end of the box does lies a little inside or outside the box.",
    remedy="Move the end as the help line says.",
    example="slp check prior.slp data.csv   (`prior.slp` has `box(young, age, 0, 24). :- "
    "constraint(constant(young)).`)",
)
_SPLIT = "between {between} the split is `{feature} < {threshold}`"
_AT = "its end `{feature}` = {end}"
_MOVE = "write {threshold} in place of {end}: it parts the rows of this table alike"
CONSTANT_CUT_AT_END = W153.says(
    "`constant({box})` forbids the split at " + _AT + ": " + _SPLIT + ", so it cuts the box", _MOVE
)
PRIOR_MISSES_LEAVES = W153.says(
    "`leaf(in({box}), ...)` misses leaves up to "
    + _AT
    + ": "
    + _SPLIT
    + ", so they reach beyond the box",
    _MOVE,
)
MAJORITY_BEYOND_END = W153.says(
    "`majority({box}, {outcome})` tests rows beyond "
    + _AT
    + ": "
    + _SPLIT
    + ", so both its sides meet the box",
    _MOVE,
)
FORBID_MISSES_NODES = W153.says(
    "`forbid({forbidden}, within({box}))` misses nodes up to "
    + _AT
    + ": "
    + _SPLIT
    + ", so they reach beyond the box",
    _MOVE,
)
