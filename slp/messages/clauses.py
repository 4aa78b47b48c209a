"""E1xx, W1xx: clauses: heads, bodies, variables, names."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

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
TWO_NONTERMINALS = E112.says(
    "the head of a tree rule is one nonterminal", "write one nonterminal to the left of `-->`"
)
NAME_KEPT = E112.says("`{name}` has a meaning of its own and cannot be defined", AS_REMEDY)
ROWS_DEFINED = E112.says(
    "`rows` asks for the rows of the box in a tree rule, and cannot be defined", AS_REMEDY
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
CUT_IN_RULE = E113.says(
    "a tree rule has no cut `!`: its guards say when it may be used", "take it out"
)
ALTERNATIVES_IN_RULE = E113.says(
    "a tree rule has no alternatives `{name}`: write one rule for each, with its label",
    "write `0.5 :: t --> leaf.` and `0.5 :: t --> split(_, _), t, t.`",
)
CONDITION_IN_RULE = E113.says(
    "a tree rule has no `->`: write one rule for each case, with a guard in {{ }}",
    "write `1 :: t(N) --> {{ N < 3 }}, leaf.`, and one for the other case",
)
NEGATION_IN_RULE = E113.says(
    "a negation `\\+` is a guard: put it in {{ }}", "write `{{ \\+ goal }}`"
)
EMPTY_LIST_IN_RULE = E113.says(
    "a tree rule divides a box and reads no list: end it with `leaf`", _TEXT
)
LIST_IN_RULE = E113.says("a tree rule divides a box and reads no list", _TEXT)
TEXT_IN_RULE = E113.says("a tree rule divides a box and reads no text", _TEXT)
LABEL_IN_RULE = E113.says(
    "a label stands in front of the head: write `Label :: Head --> Body.`",
    "write `0.5 :: t --> leaf.`",
)
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
START_NO_NONTERMINAL = E115.says(
    "this is no nonterminal", "write one, such as `:- start(tree(0)).`", may_follow=True
)
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
    "the label needs a value for `{name}`, and neither head nor body gives it",
    "bind it in the head, or by a goal of the body",
)
CHOICE_BEFORE_LABEL = E118.says(
    "the label needs a value for `{name}`, and {predicate}, which has labels, is called before it "
    "has one",
    "a label is known before choices: put goals without labels that bind it first",
)
_LABEL = "the label needs a value for `{name}`, and nothing gives it one"
_GUARD = "this guard needs a value for `{name}`, and nothing gives it one"
NOT_BOUND_IN_LABEL = E118.says(_LABEL, "bind it in the head, or by a guard before the split")
OF_GUARD_IN_LABEL = E118.says(
    "the label needs a value for `{name}`, and a guard behind the split gives it",
    "put that guard before the split: the label is known before it",
)
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

W101 = Entry(
    "W101: a variable stands in a clause only once",
    cause="Often that is a slip of the pen.",
    remedy="Correct the name, or write `_Name` if that is meant.",
    example="p(X) :- q.\nq.",
)
SINGLETON = W101.says(
    "the variable `{name}` stands here only once", "write `_{name}` if that is meant"
)
