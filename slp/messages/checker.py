"""E1xx, W1xx: the checker, of a program alone and on a table."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

# --- directives ----------------------------------------------------------------------------------

E101 = Entry(
    "E101: there is no such directive",
    cause="A directive has a name that is none, or no name, or it says two things.",
    remedy="Take the nearest name, or one of those listed. Write one `:-` for each directive.",
    example=":- star(tree(0)).\n1 :: tree(_) --> leaf.",
)
DIRECTIVE_NOT_NAMED = E101.says("a directive is a name with arguments")
TWO_DIRECTIVES = E101.says("a directive says one thing", "write one `:-` for each")
_NO_DIRECTIVE = "there is no directive `{name}`"
NO_DIRECTIVE = E101.says(_NO_DIRECTIVE, "{help}")
LIMIT_AS_DIRECTIVE = E101.says(_NO_DIRECTIVE, "write `:- support({name}(5)).`")
CONSTRAINT_AS_DIRECTIVE = E101.says(
    _NO_DIRECTIVE, "it is a constraint: write {usage} in `:- constraint(...).`"
)

E102 = Entry(
    "E102: a directive is malformed",
    cause="A directive has another number or another kind of arguments than it takes.",
    remedy="Write it as the help line shows.",
    example=":- use(growtree).\n:- failure(ignore).",
)
_VARIABLE = (
    "{what} is a name, and `{name}` is a variable",
    "a name that begins with a capital letter or `_` is quoted: '{name}'",
)
_NO_NAME = ("{what} is a name", "such as age or 'blood pressure'")
_FEATURE = (
    "write `numeric`, `categorical`, `cuts([18, 40])`, `bins(quantile, 10)` or `bins(width, 10)` "
    "in a list"
)
_USE = "write `:- use(growtree).`, `:- use(growtree, [alpha = 0.9]).` or `:- use('boxes.slp').`"
VARIABLE_IN_DIRECTIVE = E102.says(*_VARIABLE)
NO_NAME_IN_DIRECTIVE = E102.says(*_NO_NAME)
DIRECTIVE_ARGUMENTS = E102.says("`{name}` is not written with {arguments}", "write {usage}")
NOT_IN_SUPPORT = E102.says("`support` takes `min_leaf(N)` and `max_depth(N)`", "write {usage}")
NO_SECOND_RESPONSE = E102.says(
    "the second argument of `response` is `event(Column)` or `[ordinal(Classes)]`", "write {usage}"
)
NO_CLASS_ORDER = E102.says(
    "`ordinal` takes a list of two classes or more, each once", "write {usage}"
)
NO_FAILURE_MODE = E102.says("`failure` is `condition` or `restrict`", "write {usage}")
LEAF_MODEL_NOT_NAMED = E102.says("`leaf` names a leaf model", "{help}")
NO_LEAF_MODEL = E102.says("there is no leaf model `{name}`", "{help}")
LEAF_MODEL_ARGUMENTS = E102.says(
    "`{model}` does not have {arguments}", "write `:- leaf({model}({names})).`"
)
ONE_CONCENTRATION = E102.says(
    "a list in `dirichlet` has one number for each class, so at least two",
    "write `dirichlet(1)` for the same number for every class",
)
NO_FEATURE_LIST = E102.says("the second argument of `feature` is a list", _FEATURE)
TWO_TYPES = E102.says("{feature} has two types", _FEATURE)
CUT_TWICE = E102.says("{feature} is cut in two ways", _FEATURE)
CATEGORICAL_AND_CUT = E102.says("{feature} is categorical and cannot be cut", _FEATURE)
TYPE_OF_ALL = E102.says("a type is declared for one feature, and `_` stands for all", _FEATURE)
NO_FEATURE_DECLARATION = E102.says("a feature cannot be declared as `{name}`", _FEATURE)
DECLARATION_NOT_NAMED = E102.says("this declares no feature", _FEATURE)
NO_CUTS = E102.says("`cuts` takes a list of numbers", _FEATURE)
NO_KIND_OF_BINS = E102.says("bins are made by `quantile` or by `width`", _FEATURE)
NO_FILE_OF_TREE = E102.says("the tree of `edittree` is the name of a file", "such as 't0.json'")
USE_NAMES_NOTHING = E102.says("`use` names a library prior or a file", _USE)
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
    "{nearest} (a file of yours is used as `:- use('{name}.slp').`)",
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
NOT_A_NUMBER = E109.says("{what} is not a number")
NOT_POSITIVE = E109.says("{what} is {value:g}, and must be a number above 0")
NOT_WHOLE = E109.says("{what} is {value:g}, and must be a whole number of at least {least}")
NOT_FINITE = E109.says("{what} is {value}, and must be finite")
PARAMETER_NOT_FINITE = E109.says("parameter `{name}` is {value}, and must be a finite number")
CIRCULAR_PARAMETER = E109.says(
    "the value of parameter `{name}` depends on itself", "give it a number"
)
CUTS_DO_NOT_RISE = E109.says(
    "the cuts must be finite and rise from left to right", "write them in order, each once: {cuts}"
)
NO_PROBABILITY_OF_EDITS = E109.says(
    "the probability of one more edit, `p`, is {value:g}, and must lie between 0 and 1",
    "0 and 1 themselves are not allowed: at 0 nothing is edited, at 1 edits never end",
)

# --- clauses -------------------------------------------------------------------------------------

E110 = Entry(
    "E110: a predicate has labelled and unlabelled clauses",
    cause="A predicate is stochastic, and all its clauses have labels, or logical, and none has.",
    remedy="Label all of its clauses, or none.",
    example="0.5 :: p(a).\np(b).",
)
MIXED_PREDICATE = E110.says(
    "this clause of {predicate} has {has}, and its first clause {had}",
    "label all clauses of a predicate (a stochastic one) or none (a logical one)",
)

E111 = Entry(
    "E111: a tree rule has no label",
    cause="Each tree rule has a label in front, its probability or weight.",
    remedy="Write its probability in front, such as `0.5 :: tree --> leaf.`.",
    example=":- start(tree).\ntree --> leaf.",
)
NO_LABEL = E111.says("this tree rule has no label", AS_REMEDY)

E112 = Entry(
    "E112: a name cannot be defined",
    cause="The head of a clause is no name with arguments, or a name that means something already.",
    remedy="Choose another name.",
    example=":- start(leaf).\n1 :: leaf --> leaf.",
)
HEAD_NOT_NAMED = E112.says(
    "the head of a clause is a name with arguments", "names begin with a small letter"
)
TWO_NONTERMINALS = E112.says("the head of a tree rule is one nonterminal")
NAME_KEPT = E112.says("`{name}` has a meaning of its own and cannot be defined")
ROWS_DEFINED = E112.says(
    "`rows` asks for the rows of the box in a tree rule, and cannot be defined"
)

E113 = Entry(
    "E113: the body of a tree rule is malformed",
    cause="A body is `leaf`, one nonterminal, or a split and two children, with guards in braces.",
    remedy="Write `leaf`, or one nonterminal, or `split(F, V), Left, Right`. Put guards in braces.",
    example=":- start(tree).\n1 :: tree --> split(_, _), leaf.",
)
_SHAPE = "write `leaf`, or one nonterminal, or `split(F, V), Left, Right`"
_TEXT = (
    "`-->` grows trees over a table; a grammar of text is written with difference lists: "
    "`1 :: s(A, C) :- np(A, B), vp(B, C).` and `1 :: np([the, dog|Rest], Rest).`"
)
CUT_IN_RULE = E113.says("a tree rule has no cut `!`: its guards say when it may be used")
ALTERNATIVES_IN_RULE = E113.says(
    "a tree rule has no alternatives `{name}`: write one rule for each, with its label"
)
CONDITION_IN_RULE = E113.says(
    "a tree rule has no `->`: write one rule for each case, with a guard in {{ }}"
)
NEGATION_IN_RULE = E113.says("a negation `\\+` is a guard: put it in {{ }}")
EMPTY_LIST_IN_RULE = E113.says(
    "a tree rule divides a box and reads no list: end it with `leaf`", _TEXT
)
LIST_IN_RULE = E113.says("a tree rule divides a box and reads no list", _TEXT)
LABEL_IN_RULE = E113.says("a label stands in front of the head: write `Label :: Head --> Body.`")
VARIABLE_IN_RULE = E113.says(
    "the variable `{name}` stands where a nonterminal must",
    "a name with a small first letter is a nonterminal: tree(D+1)",
)
NO_NONTERMINAL_IN_RULE = E113.says("{text} is no nonterminal", _SHAPE)
SPLIT_ARGUMENTS = E113.says(
    "`split` does not have {arguments}",
    "write `split(F, V)` or `split(F, V, Measure)`: a feature, a threshold, a measure",
)
LEAF_ARGUMENTS = E113.says(
    "`leaf` has no arguments",
    "write `leaf`; the model of the leaves is declared by `:- leaf(dirichlet(1)).`",
)
ONLY_GUARDS = E113.says("this rule has guards, and no leaf, nonterminal or split", _SHAPE)
TWO_SPLITS = E113.says(
    "a rule splits once; give each child a nonterminal of its own that splits again", _SHAPE
)
SPLIT_COMES_LATE = E113.says("`split` comes before the two children", _SHAPE)
PARTS_WITHOUT_SPLIT = E113.says(
    "this rule has {count} parts, and no `split(F, V)` in front that makes a box for each",
    _SHAPE + "; " + _TEXT,
)
NOT_TWO_CHILDREN = E113.says("this split has {children}, and makes two boxes", _SHAPE)
GUARD_COMES_LATE = E113.says(
    "a guard behind `{goal}` comes too late", "put the guard in front of {part}"
)
NO_FEATURE_IN_SPLIT = E113.says(
    "{text} is no feature", "write a variable, or the name of a column: split(age, V)"
)
NO_THRESHOLD_IN_SPLIT = E113.says(
    "{text} is no threshold",
    "write a variable, a number, or a level of a categorical feature: split(F, V)",
)

E114 = Entry(
    "E114: there is no such split measure",
    cause="The third argument of `split`, or `measure` of `edittree`, names no measure.",
    remedy="Take the nearest name, or one of those listed.",
    example=":- start(t).\n1/2 :: t --> split(_, _, gaps), t, t.\n1/2 :: t --> leaf.",
)
NO_MEASURE = E114.says("there is no split measure `{name}`", "{help}")
MEASURE_NOT_NAMED = E114.says("`measure` is a name", "{help}")

E115 = Entry(
    "E115: no tree rule defines a nonterminal",
    cause="The start or the body of a rule names a nonterminal that no rule defines.",
    remedy="Take the nearest name, or the right number of arguments.",
    example=":- start(tre).\n1 :: tree --> leaf.",
)
START_NO_NONTERMINAL = E115.says("this is no nonterminal", may_follow=True)
_NO_NONTERMINAL = "no tree rule defines the nonterminal {nonterminal}"
NO_NONTERMINAL = E115.says(_NO_NONTERMINAL, "{help}", may_follow=True)
NONTERMINAL_OF_OTHER_ARITY = E115.says(_NO_NONTERMINAL, "there is {others}", may_follow=True)
NONTERMINAL_IS_PREDICATE = E115.says(
    _NO_NONTERMINAL, "it is defined by `:-`; tree rules are written with `-->`", may_follow=True
)

E116 = Entry(
    "E116: a goal stands where a nonterminal must",
    cause="A predicate is called in the body of a tree rule, outside braces.",
    remedy="Put goals in braces: { ... }.",
    example=":- start(t).\n1 :: t --> ok, leaf.\nok.",
)
GOAL_IN_RULE = E116.says(
    "`{name}/{arity}` is a goal, not a nonterminal", AS_REMEDY, may_follow=True
)

E117 = Entry(
    "E117: a nonterminal is called as a goal",
    cause="A nonterminal stands in braces, or in the body of a clause `:-`.",
    remedy="Take it out of the braces.",
    example=":- start(t).\n1 :: t --> { s }, leaf.\n1 :: s --> leaf.",
)
NONTERMINAL_AS_GOAL = E117.says(
    "{nonterminal} is a nonterminal and cannot be called as a goal", AS_REMEDY, may_follow=True
)

E118 = Entry(
    "E118: a variable has no value where it is needed",
    cause="Neither the head nor a goal to the left binds a variable that is needed.",
    remedy="Bind it in the head or by a goal to the left; the split binds behind it alone.",
    example=":- start(t(0)).\n1 :: t(_) --> { N > 0 }, leaf.",
)
NOT_BOUND_BY_HEAD = E118.says(
    "the label needs a value for `{name}`, and the head does not give it",
    "a label is arithmetic over the head's variables and parameters",
)
_LABEL = "the label needs a value for `{name}`, and nothing gives it one"
_GUARD = "this guard needs a value for `{name}`, and nothing gives it one"
NOT_BOUND_IN_LABEL = E118.says(_LABEL, "bind it in the head or by a guard")
OF_SPLIT_IN_LABEL = E118.says(_LABEL, "it is known only behind the split")
NOT_BOUND_IN_GUARD = E118.says(_GUARD, "bind it in the head, or by a goal to the left")
OF_SPLIT_IN_GUARD = E118.says(_GUARD, "it is known only behind the split; put the guard there")
NOT_BOUND_IN_NONTERMINAL = E118.says(
    "this nonterminal needs a value for `{name}`, and nothing gives it one",
    "bind it in the head or by a guard",
)

E119 = Entry(
    "E119: a clause with a label has a cut",
    cause="A cut would take away alternatives that labels choose between.",
    remedy="Write it in a clause without a label, and call that.",
    example="1 :: p :- q, !.\nq.",
)
LABELLED_CUT = E119.says("a clause with a label cannot have a cut", AS_REMEDY)

# --- boxes ---------------------------------------------------------------------------------------

E120 = Entry(
    "E120: a box fact is malformed",
    cause="A fact `box(...)` takes two names and two bounds, and has no label and no body.",
    remedy="Write it as `box(name, feature, 0, 10).` is written.",
    example=":- use(growtree).\nbox(young, age, 40).",
)
_BOX = "write box(name, feature, 0, 10). for 0 <= feature < 10; a bound may be -inf or inf"
BOX_IS_NO_FACT = E120.says("a box is a fact with a name, a feature and two bounds", _BOX)
VARIABLE_IN_BOX = E120.says(*_VARIABLE)
NO_NAME_IN_BOX = E120.says(*_NO_NAME)

E121 = Entry(
    "E121: a box is empty",
    cause="The lower bound of a box is not below its upper bound.",
    remedy="Swap or mend the bounds.",
    example=":- use(growtree).\nbox(young, age, 40, 0).",
)
_EMPTY = "box `{name}` is empty: no number is at least {low:g} and below {high:g}"
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

# --- the start, labels, derivations --------------------------------------------------------------

E124 = Entry(
    "E124: feature weights have no meaning",
    cause="Features have weights, and the measure of a split draws no feature.",
    remedy="Use `feature_then_cut` or `gap`, which draw the feature first.",
    example=":- feature_weight(age, 3).\n:- start(t).\n1/2 :: t --> split(_, _, all), t, t.\n1/2 "
    ":: t --> leaf.",
)
WEIGHTS_WITHOUT_MEANING = E124.says(
    "feature weights have no meaning under the measure `{measure}`", AS_REMEDY
)

E125 = Entry(
    "E125: the start is missing, or has variables",
    cause="A program of tree rules says where trees start, by a nonterminal without variables.",
    remedy="Add `:- start(Nonterminal).`, such as `:- start(tree(0)).`.",
    example="1 :: tree --> leaf.",
)
NO_START_DECLARED = E125.says(
    "the program does not say where trees start", AS_REMEDY, may_follow=True
)
START_NOT_GROUND = E125.says(
    "the start has the variable `{name}`",
    "a tree starts from a nonterminal without variables: tree(0)",
    may_follow=True,
)

E126 = Entry(
    "E126: the number of rows of a box is handed on",
    cause="A number that `rows` gives stands in a nonterminal's argument or behind the split.",
    remedy="Ask for `rows(N)` again where it is needed: each rule asks its own box.",
    example=":- start(t(0)).\n1/2 :: t(_) --> { rows(N) }, split(_, _), t(N), t(N).\n1/2 :: t(_) "
    "--> leaf.",
)
ROWS_HANDED_ON = E126.says(
    "{what} depends on `{name}`, the number of rows of the box, which no other box knows", AS_REMEDY
)

E127 = Entry(
    "E127: a label has no value for some number of rows",
    cause="A label by the number of rows has no value, or a negative one, for some number.",
    remedy="Keep such boxes away by a guard: `{ rows(N), N > 1 }`.",
    example=":- start(t).\n1/(N-1) :: t --> { rows(N) }, leaf.",
)
_KEEP_AWAY = "keep such boxes away by a guard: `{{ rows(N), N > 1 }}`"
LABEL_WITHOUT_VALUE = E127.says("the label has no value {at}", AS_REMEDY)
NEGATIVE_LABEL = E127.says("the label is negative ({value:g}) {at}", AS_REMEDY)

E130 = Entry(
    "E130: labels do not sum to 1",
    cause="Labels of a nonterminal or predicate do not sum to 1, or no rule is for a state.",
    remedy="Make them sum to 1, add a rule, or declare `:- weights.` if they are weights.",
    example=":- start(t).\n0.5 :: t --> split(_, _), t, t.\n0.4 :: t --> leaf.",
)
NO_RULE_FOR_STATE = E130.says(
    "no rule applies to {states}",
    "add a rule for it, or a guard to this rule that keeps it away",
    may_follow=True,
)
RULES_DO_NOT_SUM = E130.says(
    "the labels of {nonterminal} sum to {total:.10g}, not to 1, for {states}",
    "make them sum to 1, or declare `:- weights.` if they are weights over whole trees",
    may_follow=True,
)
RULES_DO_NOT_SUM_BY_ROWS = E130.says(
    "the labels of {nonterminal} sum to {total:.10g}, not to 1, for {state} in a box of {rows}",
    "make them sum to 1 for every number of rows, or declare `:- weights.`",
    may_follow=True,
)
_CLAUSES = "the labels of {predicate} sum to {total:.10g}, not to 1"
CLAUSES_DO_NOT_SUM = E130.says(
    _CLAUSES, "make them sum to 1 over the clauses that one goal can match", may_follow=True
)
ONE_EVENT = E130.says(
    _CLAUSES,
    "labels choose between the clauses of a predicate; an event of its own is a choice of two: "
    "`{program}`",
    may_follow=True,
)

E131 = Entry(
    "E131: a label is above 1",
    cause="A label is a probability, unless the program declares that labels are weights.",
    remedy="Declare `:- weights.` if labels are weights over whole trees.",
    example=":- start(t).\n2 :: t --> leaf.",
)
LABEL_ABOVE_1 = E131.says("the label is {value:g}{at}, and a probability is at most 1", AS_REMEDY)

E132 = Entry(
    "E132: a rule can never apply",
    cause="No state matches the head of a rule, or its guards hold in none.",
    remedy="Change the head or the guard, or take the rule out.",
    example=":- start(t(0)).\n1 :: t(0) --> leaf.\n1 :: t(1) --> leaf.",
)
GUARD_NEVER_HOLDS = E132.says(
    "this rule can never apply: a guard of it is always false",
    "change the guard, or take the rule out",
    may_follow=True,
)
HEAD_NEVER_CALLED = E132.says(
    "this rule can never apply: no nonterminal in the body of a rule is like its head, nor is the "
    "start",
    "change the head's arguments, or take the rule out",
    may_follow=True,
)
HEAD_MATCHES_NO_STATE = E132.says(
    "this rule can never apply: the start leads to no state that its head matches",
    "change the head's arguments, or take the rule out",
    may_follow=True,
)
GUARDS_HOLD_NOWHERE = E132.says(
    "this rule can never apply: its guards hold in no state that the start leads to",
    "change the guards, or take the rule out",
    may_follow=True,
)

E133 = Entry(
    "E133: rules call each other in a circle",
    cause="A circle of rules comes back to the same state without a split.",
    remedy="Change an argument on the way, or split the box.",
    example=":- start(a).\n1 :: a --> b.\n1 :: b --> a.",
)
CIRCLE_OF_RULES = E133.says("these calls never end: {states}, without a split", AS_REMEDY)

E134 = Entry(
    "E134: rules go on and on in the same box",
    cause="More than 1,000 states follow each other without a split, or their arguments grow.",
    remedy="Bound the chain by a guard, such as `{ I < most_leaves }`.",
    example=":- start(t(0)).\n1 :: t(N) --> t(N+1).",
)
ENDLESS_STATES = E134.says(
    "these calls lead to more than 1,000 states, or to ever larger ones, without a split: "
    "{state} is still about the same box",
    "bound them by a guard, such as {{ I < {most_leaves} }}",
)

E135 = Entry(
    "E135: there is no tree",
    cause="No derivation from the start ends in leaves.",
    remedy="Let some rule end in `leaf`, with a label above 0.",
    example=":- start(t).\n1 :: t --> split(_, _), t, t.",
)
NO_TREE_AT_ALL = E135.says(
    "there is no tree: no derivation from the start ends in leaves",
    "some rule that the start leads to must end in `leaf`, with a label above 0",
    may_follow=True,
)

# --- constraints ---------------------------------------------------------------------------------

E140 = Entry(
    "E140: there is no such constraint",
    cause="`constraint(...)` has a name that is none, or no name.",
    remedy="Take the nearest name, or one of those listed.",
    example=":- use(growtree).\n:- constraint(firs(age)).",
)
CONSTRAINT_NOT_NAMED = E140.says("a constraint is a name with arguments")
NO_CONSTRAINT = E140.says("there is no constraint `{name}`", "{help}")

E141 = Entry(
    "E141: a constraint is malformed",
    cause="A constraint has another number or another kind of arguments than it takes.",
    remedy="Write it as the help line shows.",
    example=":- use(growtree).\n:- constraint(monotone(age, rising)).",
)
VARIABLE_IN_CONSTRAINT = E141.says(*_VARIABLE)
NO_NAME_IN_CONSTRAINT = E141.says(*_NO_NAME)
CONSTRAINT_ARGUMENTS = E141.says("`{name}` does not have {arguments}", "write {usage}")
TOO_FEW_NAMES = E141.says("`{name}` takes a list of at least {count}", "write {usage}")
NAMED_TWICE = E141.says("`{feature}` stands twice in this list", "write {usage}")
NOT_LOCAL = E141.says("the second argument of `{name}` can only be `local`", "write {usage}")
NO_PART_TO_FORBID = E141.says(
    "the second argument of `forbid` is `below(K)` or `within(Box)`", "write {usage}"
)
NO_GROUPS = E141.says("`interaction` takes a list of groups", "write {usage}")
NO_DIRECTION = E141.says("the second argument of `monotone` is `up` or `down`", "write {usage}")
NO_PYTHON_FUNCTION = E141.says('`python` names a function as "module:function"', "write {usage}")
NO_PROLOG_GOAL = E141.says("`prolog` takes a goal", "write {usage}")

E142 = Entry(
    "E142: two constraints contradict each other",
    cause="No tree satisfies both, or a feature could never be used.",
    remedy="Take one of the two out.",
    example=":- use(growtree).\n:- constraint(first(age)).\n:- constraint(first(sex)).",
)
_ONE_OUT = "take one of the two out"
TWO_FIRSTS = E142.says("the first split cannot be on `{one}` and on `{other}`", AS_REMEDY)
FIRST_FORBIDDEN = E142.says(
    "the first split cannot be on `{feature}`, which is forbidden", AS_REMEDY
)
FIRST_NEEDS_ANOTHER = E142.says(
    "the first split cannot be on `{feature}`, which needs `{other}` above it", AS_REMEDY
)
FIRST_IN_NO_GROUP = E142.says(
    "the first split cannot be on `{feature}`, which is in no group of `interaction`", AS_REMEDY
)
FIRST_CUTS_BOX = E142.says(
    "the first split cannot be on `{feature}`, which box `{box}` leaves free: any split on it "
    "cuts the box",
    AS_REMEDY,
)
BEFORE_ITSELF = E142.says("`{feature}` cannot come before itself", "no tree could ever split on it")
CIRCLE_OF_BEFORES = E142.says(
    "these constraints form a circle: {features}",
    "none of them can ever be split on; take one of these constraints out",
)
NEVER_TOGETHER = E142.says(
    "`{then}` can never be split on: it needs `{feature}` above it, and no path may have both",
    AS_REMEDY,
)

E143 = Entry(
    "E143: a column is a feature, and something else too",
    cause="A column is used as a feature, and is ignored, or belongs to the response.",
    remedy="Take one of the two out.",
    example=":- use(growtree).\n:- ignore(age).\n:- constraint(first(age)).",
)
FEATURE_WITH_ROLE = E143.says("`{name}` is {role}, so no tree can split on it", AS_REMEDY)

# --- a program on a table ------------------------------------------------------------------------

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
NO_SUCH_FEATURE = E150.says("the table has no feature `{name}`", "{help}")

E151 = Entry(
    "E151: the response has no such class",
    cause="`majority` or `rows(Class, N)` names a class that the response does not have.",
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

# --- edits, expansion, files ---------------------------------------------------------------------

E160 = Entry(
    "E160: the file of a tree cannot be read",
    cause="The file that `edittree` names is not there, or is no JSON.",
    remedy="Mend its name or its text.",
    example=":- use(edittree, [tree = 'no_such_file.json']).",
)
_FOLDER = "the name is taken from the folder of {program}"
TREE_NOT_READ = E160.says("{file} cannot be read: {reason}", _FOLDER)
TREE_NO_JSON = E160.says("{file} is no JSON: {reason} in line {line}, column {column}", _FOLDER)
TREE_NOT_UTF_8 = E160.says("{file} is no text in UTF-8", _FOLDER)
TREE_TOO_NESTED = E160.says("{file} is too deeply nested", _FOLDER)

E161 = Entry(
    "E161: edits take no such measure",
    cause="Edits are drawn one by one, and the split probabilities of the measure do not sum to 1.",
    remedy="Use `feature_then_cut`, `all` or `gap`.",
    example=":- use(edittree, [tree = 'tree.json', measure = each]).",
)
MEASURE_NOT_FOR_EDITS = E161.says(
    "edits are drawn one by one, and the split probabilities of `{measure}` do not sum to 1",
    AS_REMEDY,
)

E162 = Entry(
    "E162: a rule or directive has no meaning beside `edittree`",
    cause="A prior is of edits of a tree or of tree rules, not of both.",
    remedy="A prior is one or the other: take the rules or `edittree` out.",
    example=":- use(edittree, [tree = 'tree.json']).\n:- start(tree(0)).",
)
RULE_BESIDE_EDITS = E162.says("a tree rule has no meaning beside `edittree`", AS_REMEDY)
DIRECTIVE_BESIDE_EDITS = E162.says(
    "`{name}` has no meaning beside `edittree`",
    "take it out: edits begin with the given tree, and constraints hold for the last tree",
)

E163 = Entry(
    "E163: a program has no expansion on a table",
    cause="Constraints and `edittree` have no expansion, and the engine `prolog` needs one.",
    remedy="Take another engine: all others run the whole program.",
    example="slp expand prior.slp data.csv   (`prior.slp` has `:- constraint(first(age)).`)",
)
NO_EXPANSION_ON_TABLE = E163.says(
    "constraints and `edittree` have no expansion on a table",
    "engines other than `prolog` run the whole program, as `slp-sample` does by itself",
)

E164 = Entry(
    "E164: a predicate has a name that the expansion takes",
    cause="The program defines a predicate that its expansion on a table defines too.",
    remedy="Give the program's predicate another name.",
    example="slp expand prior.slp data.csv   (`prior.slp` has `item(_, _).`)",
)
NAME_OF_EXPANSION = E164.says(
    "the expansion on a table has a predicate `{name}/{arity}` of its own", AS_REMEDY
)

E165 = Entry(
    "E165: a label depends on the rows of the box",
    cause="A program is expanded without a table, and a label depends on the rows of the box.",
    remedy="Expand it on a table: `slp expand FILE DATA`.",
    example="slp expand rows.slp   (`rows.slp` is `:- start(t). 1/N :: t --> { rows(N) }, leaf.\n"
    "1 - 1/N :: t --> { rows(N) }, split(_, _), t, t.`)",
)
LABEL_NEEDS_ROWS = E165.says(
    "this label depends on the rows of the box, and the label of a clause can depend on its head "
    "alone",
    AS_REMEDY,
)

E166 = Entry(
    "E166: a file may not be read",
    cause="`use` or `edittree` names a file that is not in the folder of the program.",
    remedy="Move the file, or name its folder by `--include` (`include=` in Python).",
    example=":- use('../elsewhere/boxes.slp').",
)
NULL_IN_NAME = E166.says(
    "`{name}` is not read: no file has a null character in its name", "take it out"
)
WRONG_ENDING = E166.says(
    "`{name}` is not read: its name does not end in `{ending}`",
    "programs are used from files `.slp`, trees from files `.json`",
)
NO_FOLDER_OF_TEXT = E166.says(
    "`{name}` is not read: a program that is no file has no folder",
    "load the program from a file, or give folders by `include`",
)
OUTSIDE_FOLDER = E166.says(
    "`{name}` is not read: it lies outside the folder of the program",
    "move it there, or name its folder by --include (`include` in Python)",
)

# --- warnings ------------------------------------------------------------------------------------

W101 = Entry(
    "W101: a variable stands in a clause only once",
    cause="Often that is a slip of the pen.",
    remedy="Mend the name, or write `_Name` if that is meant.",
    example="p(X) :- q.\nq.",
)
SINGLETON = W101.says(
    "the variable `{name}` stands here only once", "write `_{name}` if that is meant"
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

W105 = Entry(
    "W105: split probabilities do not sum to 1",
    cause="Under the measures `each` and `partition` every split counts 1.",
    remedy="The prior is normalised over whole trees; say so with `:- weights.`.",
    example=":- start(t).\n1/2 :: t --> split(_, _, each), t, t.\n1/2 :: t --> leaf.",
)
EVERY_SPLIT_COUNTS_1 = W105.says(
    "under `{measure}` every split counts 1, so the probabilities of a choice do not sum to 1",
    AS_REMEDY,
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
    "boxes `{one}` and `{other}` meet: leaves there need as many rows of `{this}` as of `{that}`"
)
BOTH_WAYS = W106.says(
    "predictions may neither rise nor fall with `{feature}`, so it changes nothing",
    _PLAINLY + "; else take one out",
)
SAID_ALREADY = W106.says("this constraint repeats another")
FORBIDS_NOTHING = W106.says(
    "this forbids nothing: no node is split at depth {depth} under `max_depth({most})`"
)
LIMITS_NOTHING = W106.says("this limits nothing: a tree of depth {depth} has at most {most} leaves")

W107 = Entry(
    "W107: no split is possible at all",
    cause="Constraints leave one tree, a single leaf.",
    remedy="Bound the boxes, or raise the limit.",
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

W108 = Entry(
    "W108: a label is 0",
    cause="A rule or a clause has the label 0, so it never applies.",
    remedy="Give it a label above 0, or take it out.",
    example=":- start(t).\n1 :: t --> leaf.\n0 :: t --> split(_, _), t, t.",
)
LABEL_0 = W108.says("the label is 0, so this never applies", AS_REMEDY)
LABEL_0_EVERYWHERE = W108.says("the label is 0 in every state, so this never applies", AS_REMEDY)

W109 = Entry(
    "W109: no proof of a predicate ends",
    cause="Every clause of the predicate leads back to it.",
    remedy="Add a clause that does not, such as a fact where the recursion stops.",
    example="p(X) :- p(X).",
)
NO_PROOF_ENDS = W109.says(
    "no proof of {predicate} ends: every clause of it leads back to itself", AS_REMEDY
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

W150 = Entry(
    "W150: no row of the table lies in a box",
    cause="The values of a column all lie outside the bounds of a box.",
    remedy="Check the bounds and their unit.",
    example="slp check prior.slp three_classes.csv   (`prior.slp` has\n"
    "`box(old, age, 900, 1000). :- constraint(forbid(age, within(old))).`)",
)
BOX_WITHOUT_ROWS = W150.says(
    "no row lies in box `{box}`: `{feature}` runs from {least:g} to {most:g}", AS_REMEDY
)

W151 = Entry(
    "W151: a limit has no effect on this table, or leaves one tree",
    cause="On this table a limit or a constraint takes no tree away, or leaves a single leaf.",
    remedy="Take it out, if that is not meant.",
    example="slp check prior.slp data.csv   (`prior.slp` has `:- support(min_leaf(100000)).`)",
)
MIN_LEAF_LEAVES_ONE = W151.says(
    "`min_leaf({count})` leaves one tree, a single leaf: the table has {rows} rows"
)
MAX_LEAVES_LIMITS_NOTHING = W151.says(
    "`max_leaves({count})` limits nothing: no tree on this table has more than {most}"
)
FIRST_LEAVES_ONE = W151.says(
    "`first({feature})` leaves one tree, a single leaf: every row has the same `{feature}`"
)
CONSTANT_FORBIDS_NOTHING = W151.says(
    "`constant({box})` forbids nothing: no split here can cut the box"
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

W154 = Entry(
    "W154: an ignored column is not in the table",
    cause="`ignore(...)` names a column that the table does not have.",
    remedy="Take the nearest name, or take it out.",
    example="slp check prior.slp data.csv   (`prior.slp` has `:- ignore(agee).`)",
)
NOTHING_TO_IGNORE = W154.says("the table has no column `{name}` to ignore", "{help}")
