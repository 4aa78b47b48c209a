"""E1xx, W1xx: the start, labels, and whether derivations end."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E124 = Entry(
    "E124: feature weights have no meaning",
    cause="Features have weights, and the measure of a split draws no feature.",
    remedy="Use `feature_then_cut`, `gap` or `range`, which draw the feature first.",
    example=":- feature_weight(age, 3).\n:- start(t).\n1/2 :: t --> split(_, _, all), t, t.\n1/2 "
    ":: t --> leaf.",
)
WEIGHTS_WITHOUT_MEANING = E124.says(
    "feature weights have no meaning under the measure `{measure}`", AS_REMEDY
)
WEIGHTS_OF_EDITS = E124.says(
    "feature weights have no meaning under the measure `all`",
    "use `feature_then_cut` or `gap`, which draw the feature first",
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
LABEL_WITHOUT_VALUE = E127.says("the label has no value {at}", AS_REMEDY)
NEGATIVE_LABEL = E127.says("the label is negative ({value}) {at}", AS_REMEDY)

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
LABEL_ABOVE_1 = E131.says("the label is {value}{at}, and a probability is at most 1", AS_REMEDY)

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
    remedy="Bound the calls by a guard, such as `{ I < most_leaves }`.",
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
    remedy="Let some rule end in `leaf`, with a label above 0 and guards that hold.",
    example=":- start(t).\n1 :: t --> split(_, _), t, t.",
)
NO_TREE_AT_ALL = E135.says(
    "there is no tree: no derivation from the start ends in leaves",
    "some rule that the start leads to must end in `leaf`, with a label above 0 and guards "
    "that hold",
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

W111 = Entry(
    "W111: a condition leads to labelled clauses",
    cause="A goal inside `->`, `\\+`, `findall` or `forall` leads to clauses with labels. A query "
    "that comes to it is refused (E240).",
    remedy="Call the goal before the condition, and test what was drawn.",
    example="0.5 :: coin(h).\n0.5 :: coin(t).\nlost :- \\+ coin(h).",
)
CHOICE_IN_CONDITION = W111.says(
    "{predicate} leads to labelled clauses and is called inside a condition: a query that comes "
    "here is refused (E240)",
    AS_REMEDY,
)

W112 = Entry(
    "W112: a clause is left-recursive",
    cause="The first goal of a clause calls its own predicate, with no smaller argument. The "
    "search for proofs goes down this clause for ever.",
    remedy="Put the recursive goal last.",
    example="path(X, Z) :- path(X, Y), edge(Y, Z).\npath(X, Y) :- edge(X, Y).\nedge(a, b).",
)
LEFT_RECURSION = W112.says(
    "left recursion: the first goal of this clause calls {predicate} again, and never ends",
    AS_REMEDY,
)
