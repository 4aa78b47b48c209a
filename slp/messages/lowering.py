"""E3xx: lowering to a tree grammar."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E301 = Entry(
    "E301: trees cannot be summed exactly under this prior",
    cause="The engine sums over all trees of a tree grammar. A constraint that is decided at the "
    "finished tree (`max_features`, `monotone`, a predicate) or the prior `edittree` has no such "
    "grammar.",
    remedy="Take the engine `mh`, as `auto` does, or leave the constraint out.",
    example="slp-sample prior.slp data.csv --engine exact   (`prior.slp` has `:- "
    "constraint(max_features(3)).`)",
)
EDITS_NOT_SUMMED = E301.says(
    "`edittree` sums over all sequences of edits, of which there are infinitely many",
    "take the engine `mh`, as `auto` does, or a prior of tree rules",
)
_NO_SUM = ", and trees cannot be summed exactly under it"
DECIDED_AT_TREE = E301.says("{name} is decided at the finished tree" + _NO_SUM, AS_REMEDY)
PREFERENCE_AT_TREE = E301.says(
    "`prefer` of `{name}` is decided at the finished tree" + _NO_SUM, AS_REMEDY
)
DECIDED_BY_CODE_AT_TREE = E301.says(
    "{name} is decided by code at the finished tree" + _NO_SUM, AS_REMEDY
)
DECIDED_BY_CODE_AT_NODES = E301.says("{name} is decided by code at each node" + _NO_SUM, AS_REMEDY)

E302 = Entry(
    "E302: a program defines no trees",
    cause="A tree is asked for, and the program has no `:- start(...)`.",
    remedy="Declare one, as in `:- start(tree(0)).`.",
    example="slp-sample coin.slp data.csv",
)
NO_START = E302.says("{program} has no start, so it defines no trees", AS_REMEDY)

E303 = Entry(
    "E303: calls of tree rules never end",
    cause="A rule calls a state that leads back to it without a split.",
    remedy="Split before the state repeats, or change an argument on the way.",
    example=":- start(t).\n"
    "1/2 :: t --> split(F, _), u(F), u(F).\n"
    "1/2 :: t --> leaf.\n"
    "1 :: u(F) --> { F = age }, u(F).\n"
    "1 :: u(F) --> { F \\= age }, leaf.",
)
CALLS_NEVER_END = E303.says(
    "the calls {names} never end: they come back to the same state without a split", AS_REMEDY
)

E304 = Entry(
    "E304: a tree grammar has too many states",
    cause="More than 100,000 states, or 200,000 rules of states, are reached on this table, or one "
    "state is unlike those listed first. A state is a goal and what the constraints remember of "
    "the path, such as the features that `max_cost` counts.",
    remedy="Let a guard bound the arguments, such as `{ K < most_leaves }`. Where a constraint "
    "remembers too much, take the engine `mh`, or constrain fewer features.",
    example="a rule `1/2 :: t(K) --> split(_, _), t(2*K), t(2*K+1).` on a table of 20,000 rows",
)
#: Help lines of what grows.
BOUND_ARGUMENTS = "let a guard bound the arguments, such as `{ K < most_leaves }`"
FEWER_STATES = "take the engine `mh`, or {how}"
LIMIT_DEPTH = "limit the depth of trees, as `:- support(max_depth(10)).` does"
_NOT_FINITE = "the program has no finite tree grammar that fits here: "
TOO_MANY_STATES = E304.says(_NOT_FINITE + "more than {most:,} states are reached; {what}", "{help}")
TOO_MANY_STATES_MADE = E304.says(
    _NOT_FINITE + "more than {most:,} states were reached in the run; {what}", "{help}"
)
TOO_MANY_STEPS = E304.says(
    _NOT_FINITE + "without a table its states are not all listed: {states:,} are reached after "
    "{most:,} steps of constraints",
    "{help}",
)
TOO_MANY_RULES = E304.says(
    _NOT_FINITE + "more than {most:,} rules are reached, as guards have many answers; {what}",
    "{help}",
)
UNLIKE_FIRST_STATES = E304.says(
    "the state `{state}` may fail, and none of the {listed:,} states nearest to the start may: "
    "so many states cannot be listed, and what holds of these must hold of all",
    "give it a leaf, as the others have, or bound the arguments by guards",
)

W304 = Entry(
    "W304: states differ in the order of a list alone",
    cause="The states of a tree grammar remember the path in a list. They are listed for each "
    "order of its members, though at least half of them have the members of another one.",
    remedy="Keep the list sorted, such as `sort([F|U], V)` in place of `V = [F|U]`; or, where it "
    "is there to split on each feature once, declare the constraint `once(F)` for each.",
    example="slp check list.slp data.csv   (`list.slp` is\n"
    "`:- start(t([])).\n"
    "1/2 :: t(U) --> split(F, _), t([F|U]), t([F|U]). 1/2 :: t(_) --> leaf.`)",
)
LISTS_IN_EACH_ORDER = W304.says(
    "at least half of the {listed:,} states listed differ from others in the order of a list alone",
    "keep the list sorted, such as sort([F|U], V) in place of V = [F|U]; or declare the constraint "
    "once(F) in its place",
)

E305 = Entry(
    "E305: too many calls follow each other",
    cause="More than 10,000 rules call each other without a split, and may never end.",
    remedy="Let a guard bound the arguments, such as `{ K < most_leaves }`.",
    example=":- start(t).\n"
    "1/2 :: t --> split(F, _), u(F, 0), u(F, 0).\n"
    "1/2 :: t --> leaf.\n"
    "1 :: u(F, N) --> { F = age }, u(F, N+1).\n"
    "1 :: u(F, _) --> { F \\= age }, leaf.",
)
TOO_MANY_CALLS = E305.says(
    _NOT_FINITE + "more than {most:,} calls follow each other without a split; {what}", "{help}"
)

E306 = Entry(
    "E306: a rule splits on a feature that the table does not have",
    cause="The feature of `split(F, V)` is bound to a name that is no column of the table.",
    remedy="Take the nearest name, leave the rule out, or add the column.",
    example=":- start(t(agee)).\n1/2 :: t(F) --> split(F, _), leaf, leaf.\n1/2 :: t(_) --> leaf.",
)
RULE_ON_UNKNOWN_FEATURE = E306.says(
    "a rule splits on `{feature}`, which is no feature of the table",
    "leave the rule out, or add the column",
)
