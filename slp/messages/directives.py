"""E1xx, W1xx: directives, parameters, `use`, and what is declared for nothing."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry
from slp.messages.names import NOT_A_NAME, VARIABLE_FOR_NAME

E101 = Entry(
    "E101: there is no such directive",
    cause="A directive has a name that is none, or no name, or it says two things.",
    remedy="Take the nearest name, or one of those listed. Write one `:-` for each directive.",
    example=":- star(tree(0)).\n1 :: tree(_) --> leaf.",
)
DIRECTIVE_NOT_NAMED = E101.says(
    "a directive is a name with arguments", "write one, such as `:- use(growtree).`"
)
TWO_DIRECTIVES = E101.says("a directive says one thing", "write one `:-` for each")
GOAL_AS_DIRECTIVE = E101.says(
    "a directive runs no goal", "ask by the command: `slp query FILE GOAL`"
)
_NO_DIRECTIVE = "there is no directive `{name}`"
NO_DIRECTIVE = E101.says(_NO_DIRECTIVE, "{help}")
LIMIT_AS_DIRECTIVE = E101.says(_NO_DIRECTIVE, "write `:- support({name}(5)).`")
CONSTRAINT_AS_DIRECTIVE = E101.says(
    _NO_DIRECTIVE, "it is a constraint: write {usage} in `:- constraint(...).`"
)

_FILE = (
    "read a file by `:- use('boxes.slp').`; no library is needed: docs/language.md lists the "
    "predicates that are built in"
)
_LABELS = "the labels of clauses are the probabilities: `0.5 :: coin(heads).`"

#: Help lines for directives of Prolog and PRISM that are not in the language.
FOREIGN_DIRECTIVES = {
    **dict.fromkeys(["consult", "include", "ensure_loaded", "load_files", "[|]", "[]"], _FILE),
    "dynamic": "take it out: clauses do not change while a program runs",
    "discontiguous": "take it out: the clauses of a predicate may stand apart",
    "multifile": "take it out: the clauses of a predicate may stand in several files",
    "table": "there is no tabling: put the recursive goal last, and bound it by a guard",
    "set_prolog_flag": "there are no flags: take it out",
    "style_check": "take it out: `slp check` warns of such things",
    "module": "there are no modules: take it out",
    "initialization": "no goal runs when a file is read: ask by `slp query FILE GOAL`",
    **dict.fromkeys(["set_sw", "values"], _LABELS),
}

E102 = Entry(
    "E102: a directive is malformed",
    cause="A directive has another number or another kind of arguments than it takes.",
    remedy="Write it as the help line shows.",
    example=":- use(growtree).\n:- failure(ignore).",
)
_FEATURE = (
    "write `numeric`, `categorical`, `ordinal([low, high])`, `cuts([18, 40])`, "
    "`bins(quantile, 10)`, `bins(width, 10)`, `unit(mg)`, `range(0, 30)`, `decimal(comma)`, "
    "`subsets`, "
    "`subsets(ordered)`, `missing(level)`, `missing(side)` or `new(average)` in a list"
)
_USE = "write `:- use(growtree).`, `:- use(growtree, [alpha = 0.9]).` or `:- use('boxes.slp').`"
VARIABLE_IN_DIRECTIVE = E102.says(*VARIABLE_FOR_NAME)
NO_NAME_IN_DIRECTIVE = E102.says(*NOT_A_NAME)
DIRECTIVE_ARGUMENTS = E102.says("`{name}` is not written with {arguments}", "write {usage}")
NOT_IN_SUPPORT = E102.says(
    "`support` takes `min_leaf(N)`, `min_weight(W)` and `max_depth(N)`", "write {usage}"
)
TWO_LEAST_LEAVES = E102.says(
    "`min_weight` and `min_leaf` limit the same thing", "declare one of them"
)
WEIGHT_BESIDE_ROWS = E102.says(
    "`min_weight` does not go with guards `rows(...)`", "declare `min_leaf`, which counts rows"
)
NO_SECOND_RESPONSE = E102.says(
    "the second argument of `response` is `event(Column)`, `exposure(Column)` or "
    "`[ordinal(Classes)]`",
    "write {usage}",
)
NO_EVENT_CODES = E102.says(
    "`event` takes the codes of events, and those of durations whose end was not seen, each once",
    "write `event(status, 2)`, `event(status, [2, 3])` or `event(status, 2, [0, 1])`",
)
NO_CLASS_ORDER = E102.says(
    "`ordinal` takes a list of two classes or more, each once", "write {usage}"
)
NO_FAILURE_MODE = E102.says("`failure` is `restrict`, `condition` or `backtrack`", "write {usage}")
BACKTRACKING_OF_WEIGHTS = E102.says(
    "`:- failure(backtrack).` draws at each choice, and `:- weights.` weighs whole trees",
    "declare one of them",
)
LEAF_MODEL_NOT_NAMED = E102.says("`leaf` names a leaf model", "{help}")
NO_LEAF_MODEL = E102.says("there is no leaf model `{name}`", "{help}")
LEAF_MODEL_ARGUMENTS = E102.says("`{model}` does not have {arguments}", "write `:- leaf({form}).`")
NO_COLUMN_LIST = E102.says(
    "`{model}` begins with a list of 1 to {most} columns", "write `:- leaf({model}([x1, x2])).`"
)
COLUMN_TWICE = E102.says("`{model}` has the column `{name}` twice", "name each column once")
ONE_CONCENTRATION = E102.says(
    "a list in `dirichlet` has one number for each class, so at least two",
    "write `dirichlet(1)` for the same number for every class",
)
NO_PIECES = E102.says(
    "`piecewise_exponential` without cuts is `gamma_exponential(a, b)`",
    "give it a list of cuts, `piecewise_exponential(a, b, [c1, c2])`, or declare that",
)
TOO_MANY_PIECES = E102.says(
    "`piecewise_exponential` has {cuts} cuts, and may have {most}", "leave some out"
)
NO_NUMBER_LIST = E102.says(
    "the last argument of `{model}` is a list of numbers", "write `:- leaf({form}).`"
)
NO_FEATURE_LIST = E102.says("the second argument of `feature` is a list", _FEATURE)
TWO_TYPES = E102.says("{feature} has two types", _FEATURE)
CUT_TWICE = E102.says("{feature} is cut in two ways", _FEATURE)
CATEGORICAL_AND_CUT = E102.says("{feature} is categorical and cannot be cut", _FEATURE)
ORDINAL_AND_CUT = E102.says("{feature} is ordinal and cannot be cut", _FEATURE)
LEVELS_WITH_UNIT = E102.says("{feature} has levels, and no unit, range or decimal sign", _FEATURE)
TWO_UNITS = E102.says("{feature} has two units", _FEATURE)
TWO_RANGES = E102.says("{feature} has two ranges", _FEATURE)
TWO_DECIMALS = E102.says("{feature} says twice how its numbers are written", _FEATURE)
NO_DECIMAL_SIGN = E102.says(
    "`decimal` is for text with a decimal comma",
    "write `decimal(comma)`; a decimal point needs no declaration",
)
TWO_MISSING = E102.says("{feature} says twice what a missing value is", _FEATURE)
NO_WAY_OF_MISSING = E102.says(
    "a missing value is an `error`, a `level` or takes a `side`",
    "write `missing(error)`, as without a declaration, `missing(level)`: one more category, or "
    "`missing(side)`: splits say where missing values go",
)
TWO_WAYS_OF_NEW = E102.says("{feature} says twice where new rows go", _FEATURE)
NO_WAY_OF_NEW = E102.says(
    "a new row whose side a split does not say is an `error`, an `average`, or takes the `larger`",
    "write `new(error)`, as without a declaration, `new(average)`: over both sides of the split, "
    "or, beside `subsets` alone, `new(larger)`: the side with more rows",
)
NEW_WITHOUT_SIDE = E102.says(
    "{feature} says where new rows go, and neither that it is categorical nor that missing values "
    "take a side",
    "write `categorical`, `subsets` or `missing(side)` beside `new(...)`",
)
LARGER_WITHOUT_SUBSETS = E102.says(
    "{feature} says `new(larger)`, which goes with `subsets`",
    "write `new(average)` or `new(error)`",
)
SUBSETS_AND_NUMBERS = E102.says(
    "{feature} has `subsets` of levels beside what numbers and orders have",
    "`subsets` goes with `categorical`",
)
SUBSETS_AND_SIDES = E102.says(
    "{feature} has `subsets`, and its missing values take a side",
    "write `missing(level)`, one more level, or `missing(error)` beside `subsets`",
)
TWO_SUBSETS = E102.says("{feature} has `subsets` twice", _FEATURE)
NO_LIMIT_OF_SUBSETS = E102.says(
    "`subsets` takes a number of levels from 2 to 12, or `ordered`",
    "write `subsets`, for at most 8, `subsets(10)`, or `subsets(ordered)`, for any number",
)
NUMBERS_WITH_MISSING_LEVEL = E102.says(
    "{feature} has numbers or an order, and a missing value is neither",
    "`missing(level)` goes with `categorical`",
)
NO_ORDER_OF_LEVELS = E102.says(
    "`ordinal` takes a list of two levels or more, each once, from the lowest to the highest",
    "write `:- feature(stage, [ordinal([i, ii, iii])]).`",
)
LEVELS_DO_NOT_RISE = E102.says(
    "levels that are numbers go from the lowest to the highest",
    "sort them: a tree asks `feature < level`, so the other direction gives the same trees",
)
EMPTY_RANGE = E102.says(
    "a range goes from {low} up to {high}: no number is inside",
    "write the least value first, `range(0, 30)`",
)
TYPE_OF_ALL = E102.says(
    "a type, unit or range is declared for one feature, and `_` stands for all", _FEATURE
)
NO_FEATURE_DECLARATION = E102.says("a feature cannot be declared as `{name}`", _FEATURE)
DECLARATION_NOT_NAMED = E102.says("this declares no feature", _FEATURE)
NO_CUTS = E102.says("`cuts` takes a list of numbers", _FEATURE)
NO_KIND_OF_BINS = E102.says("bins are made by `quantile` or by `width`", _FEATURE)
NO_FILE_OF_TREE = E102.says("the tree of `edittree` is the name of a file", "such as 't0.json'")
USE_NAMES_NOTHING = E102.says("`use` names a library prior or a file", _USE)
USE_OF_STRING = E102.says(
    "`use` takes a name, and text in double quotes is no name",
    "write it in single quotes: `:- use({name}).`",
)
USE_SETS_NOTHING = E102.says("the second argument of `use` is a list of `parameter = value`", _USE)

E103 = Entry(
    "E103: one thing is declared twice",
    cause="Two files at the same distance from the program, or one file, declare the same thing.",
    remedy="Take one of them out.",
    example=":- use(growtree).\n:- failure(condition).\n:- failure(restrict).",
)
DECLARED_TWICE = E103.says("`{what}` is declared twice", AS_REMEDY)
PARAMETER_GIVEN_TWICE = E103.says("parameter `{name}` is given twice", AS_REMEDY)
EDITTREE_TWICE = E103.says("`edittree` is used twice", AS_REMEDY)

E104 = Entry(
    "E104: there is no library prior of this name",
    cause="`use` has a name that is neither a library prior nor a file.",
    remedy="Take the nearest name. Quote the name of a file, as `:- use('boxes.slp').` does.",
    example=":- use(growtre).",
)
UNKNOWN_PRIOR = E104.says(
    "there is no library prior `{name}`",
    "{names} (a file of yours is used as `:- use('{name}.slp').`)",
)

E105 = Entry(
    "E105: files use each other in a circle",
    cause="A file uses itself, directly or through others.",
    remedy="Take out one of the `use` directives.",
    example="slp check a.slp   (`a.slp` is `:- use('a.slp').`)",
)
CIRCLE_OF_FILES = E105.says("`{name}` uses itself: {way}", "take out one of these `use` directives")

E106 = Entry(
    "E106: there is no such parameter",
    cause="A value is given to a parameter that no file of the program declares.",
    remedy="Take the nearest name.",
    example=":- use(growtree, [alfa = 0.9]).",
)
NO_PARAMETER_OF = E106.says("`{program}` has no parameter `{name}`", "{help}")
LEFT_OVER_PARAMETER = E106.says(
    "`{program}` has no parameter `{name}`, which `parameters` of the estimator gives a value",
    "set `parameters` with the program: None, or those that it has",
)
_NO_PARAMETER = "the program has no parameter `{name}`"
NO_PARAMETER = E106.says(_NO_PARAMETER, "{help}", may_follow=True)
MOST_LEAVES_GIVEN = E106.says(
    _NO_PARAMETER, "it is known from the table, and cannot be set", may_follow=True
)
TREE_WITHOUT_EDITS = E106.says(
    "the program has no parameter `tree`",
    "a tree is for programs that use `edittree`",
    may_follow=True,
)

E107 = Entry(
    "E107: `edittree` has no tree to start from",
    cause="`edittree` edits a given tree, and none is given.",
    remedy="Name a file, as in `:- use(edittree, [tree = 'tree.json']).`, or give a tree.",
    example=":- use(edittree).",
)
NO_TREE_TO_EDIT = E107.says(
    "`edittree` needs a tree to start from",
    "write `:- use(edittree, [tree = 'tree.json']).`, or give one from Python: slp.load(file, "
    "tree=tree)",
)

E108 = Entry(
    "E108: a parameter has a name that means something already",
    cause="Arithmetic or every program knows the name: `pi`, `e`, `inf`, `most_leaves` and others.",
    remedy="Choose another name.",
    example=":- use(growtree).\n:- param(pi, 3).",
)
RESERVED_NAME = E108.says("`{name}` has a meaning already and cannot be a parameter", AS_REMEDY)

E109 = Entry(
    "E109: a number is out of range",
    cause="A limit, hyperparameter, weight, cut or parameter has a value that it cannot have.",
    remedy="Give a number in the range that the message names.",
    example=":- use(growtree).\n:- support(min_leaf(0)).",
)
NOT_A_NUMBER = E109.says("{what} is not a number", "write a number, or one that can be computed")
NOT_POSITIVE = E109.says(
    "{what} is {value}, and must be a number above 0", "give one, such as `1` or `0.5`"
)
NOT_AN_AMOUNT = E109.says(
    "{what} is {value}, and must be a finite number of at least 0", "give one, such as `0` or `120`"
)
NOT_WHOLE = E109.says(
    "{what} is {value}, and must be a whole number of at least {least}",
    "give one, such as `{least}`",
)
NOT_FINITE = E109.says("{what} is {value}, and must be finite", "give a finite number")
PARAMETER_NOT_FINITE = E109.says(
    "parameter `{name}` is {value}, and must be a finite number", "give a finite number"
)
CIRCULAR_PARAMETER = E109.says(
    "the value of parameter `{name}` depends on itself", "give it a number"
)
CUTS_DO_NOT_RISE = E109.says(
    "the cuts must be finite and rise from left to right", "write them in order, each once: {cuts}"
)
PIECES_DO_NOT_RISE = E109.says(
    "the cuts of `piecewise_exponential` must rise from left to right",
    "write them in order, each once: {cuts}",
)
NO_PROBABILITY_OF_EDITS = E109.says(
    "the probability of one more edit, `p`, is {value}, and must lie between 0 and 1",
    "0 and 1 themselves are not allowed: at 0 nothing is edited, at 1 edits never end",
)

W102 = Entry(
    "W102: a parameter is never used",
    cause="No label, guard or directive mentions a parameter.",
    remedy="Take it out.",
    example=":- use(growtree).\n:- param(delta, 2).",
)
UNUSED_PARAMETER = W102.says("the parameter `{name}` is never used", AS_REMEDY, may_follow=True)

W103 = Entry(
    "W103: a nonterminal is never reached",
    cause="No rule that the start leads to calls a nonterminal.",
    remedy="Call it in the body of a rule that the start leads to, or take its rules out.",
    example=":- start(t).\n1 :: t --> leaf.\n1 :: s --> leaf.",
)
UNREACHED_NONTERMINAL = W103.says("no tree ever gets to {nonterminal}", AS_REMEDY, may_follow=True)

W104 = Entry(
    "W104: a box is never used",
    cause="No constraint names a box.",
    remedy="Constrain it, or take it out.",
    example=":- use(growtree).\nbox(young, age, 0, 40).",
)
UNUSED_BOX = W104.says(
    "the box `{name}` is never used",
    "constrain it, such as by `:- constraint(constant({name})).`",
    may_follow=True,
)

W110 = Entry(
    "W110: a fact asks a question",
    cause="`query/1` and `evidence/1,2` ask in other languages, and are predicates here.",
    remedy="Ask by `slp query FILE GOAL`, condition by `--given`.",
    example="1 :: p.\nquery(p).",
)
QUERY_AS_FACT = W110.says(
    "`{name}` is a predicate like others here, and this fact asks nothing",
    "ask by the command: `slp query FILE GOAL`",
)
EVIDENCE_AS_FACT = W110.says(
    "`{name}` is a predicate like others here, and this fact asks nothing",
    "condition by the command: `slp query FILE GOAL --given GOAL`",
)

E145 = Entry(
    "E145: a density of thresholds does not go with something",
    cause="`thresholds` gives the cuts of a feature of numbers a density. Its form, the measure of "
    "a split, the column or the prior leaves no such density.",
    remedy="Follow the help line, or take `thresholds` out.",
    example=":- use(growtree_all).\n:- thresholds(age, normal(50, 10)).",
)
NOT_A_DENSITY = E145.says("`thresholds` names a feature and a density of its cuts", "write {usage}")
DENSITY_OF_MEASURE = E145.says(
    "the measure `{measure}` takes no density of thresholds",
    "take `feature_then_cut`, `gap`, `range` or `per_feature`",
)
DENSITY_OF_EDITS = E145.says("`edittree` takes no density of thresholds", "take `thresholds` out")
DENSITY_OF_KIND = E145.says(
    "`thresholds` is of numbers without cuts, bins and missing values, and `{feature}` is not",
    "take `thresholds` out, or what gives `{feature}` cuts, bins, levels or missing values",
)
DENSITY_FAR_AWAY = E145.says(
    "the values of `{feature}` lie further from the mean of its thresholds than doubles can tell",
    "give a larger standard deviation, or a mean near the values",
)
DENSITY_NOT_EXPANDED = E145.says(
    "`thresholds` has no expansion on a table",
    "engines other than `prolog` run the whole program, as `slp-sample` does by itself",
)
DENSITY_OF_SOFT_TREES = E145.says(
    "soft trees take no density of thresholds", "take another engine, or `thresholds` out"
)
DENSITY_IN_CORE = E145.says(
    "the compiled core weighs no cuts by a density of thresholds", "take another engine"
)
