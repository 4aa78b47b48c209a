"""E2xx, W2xx: arithmetic, guards, labels, queries, SWI-Prolog, draws of proofs, learning."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

_MEANT = "did you mean {nearest}?"
_GUARD = "does a recursive clause lack a guard that ends it?"
_TO_THE_LEFT = "bind it by a goal to the left"

# --- arithmetic --------------------------------------------------------------------------------

E201 = Entry(
    "E201: arithmetic meets a variable without a value",
    cause="A label, a guard or an argument computes with a variable that is not bound.",
    remedy="Bind it before it is used: in the head, or by a goal to the left.",
    example=":- start(t). X :: t --> { p(X) }, leaf. p(_).",
)
UNBOUND_IN_ARITHMETIC = E201.says(
    "arithmetic needs a number, but `{variable}` is not bound", AS_REMEDY
)

E202 = Entry(
    "E202: a name has no value in arithmetic",
    cause="A name in arithmetic is neither a parameter nor a function of so many arguments.",
    remedy="Take the nearest name, or declare a parameter: `:- param(alpha, 0.9).` is one.",
    example=":- start(t). alpa :: t --> leaf.",
)
UNKNOWN_VALUE = E202.says(
    "{name} is neither a parameter nor a number",
    "declare it with `:- param({atom}, VALUE).`",
    may_follow=True,
)
UNKNOWN_VALUE_NEAREST = E202.says(
    "{name} is neither a parameter nor a number", _MEANT, may_follow=True
)
LEVEL_AS_NUMBER = E202.says(
    "{name} is neither a parameter nor a number",
    "`{feature}` is categorical, its threshold is a level: test the feature before computing with "
    "the threshold",
    may_follow=True,
)
UNKNOWN_FUNCTION = E202.says("{function} is not an arithmetic function", may_follow=True)
UNKNOWN_FUNCTION_NEAREST = E202.says(
    "{function} is not an arithmetic function", _MEANT, may_follow=True
)

E203 = Entry(
    "E203: division by zero",
    cause="A label, a guard or an argument divides by 0.",
    remedy="Keep 0 away by a guard to the left.",
    example=":- start(t(0)). 1 / D :: t(D) --> leaf.",
)
DIVISION_BY_ZERO = E203.says("division by zero")

E204 = Entry(
    "E204: a function has no real value",
    cause="A function is taken of a number that it has no real value at.",
    remedy="Keep such numbers away by a guard to the left.",
    example=":- start(t). sqrt(-1) :: t --> leaf.",
)
UNDEFINED_VALUE = E204.says("`{name}` has no value here: the result is not a real number")

E205 = Entry(
    "E205: a number is too large",
    cause="A result is beyond the floating-point numbers, or is an integer of too many bits.",
    remedy="Compute with smaller numbers, or with logarithms.",
    example=":- start(t). exp(1000) :: t --> leaf.",
)
FLOAT_TOO_LARGE = E205.says("the result is too large for a floating-point number")
INTEGER_TOO_LARGE = E205.says(
    "the result has more than {bits} bits",
    "write a float, such as 10.0 in place of 10, to compute with floating-point numbers",
)

E206 = Entry(
    "E206: arithmetic meets what is no number",
    cause="A string or a list stands in arithmetic, or a float where an integer is needed.",
    remedy="Write a number. Round a float first: `floor`, `ceiling`, `round`.",
    example=":- start(t). 1.5 mod 2 :: t --> leaf.",
)
NO_NUMBER_IN_ARITHMETIC = E206.says("arithmetic needs a number, not {term}")
NOT_AN_INTEGER = E206.says("`{name}` needs integers, not {value!r}")

# --- resolution --------------------------------------------------------------------------------

E210 = Entry(
    "E210: a predicate is unknown",
    cause="A goal calls a predicate that has no clauses here and is not built in.",
    remedy="Take the nearest name or the right number of arguments, or define it by clauses.",
    example=":- start(t). 1 :: t --> { grater(2, 1) }, leaf.",
)
LEFT_OUT_OF_THE_LANGUAGE = E210.says(
    "{predicate} is left out of the language", "{reason}", may_follow=True
)
UNKNOWN_PREDICATE = E210.says(
    "unknown predicate {predicate}", "define it by facts or clauses", may_follow=True
)
UNKNOWN_PREDICATE_ARITY = E210.says(
    "unknown predicate {predicate}", "there is {others}", may_follow=True
)
UNKNOWN_PREDICATE_NEAREST = E210.says("unknown predicate {predicate}", _MEANT, may_follow=True)

E211 = Entry(
    "E211: a goal needs a value that is not there yet",
    cause="A built-in predicate needs an argument that is not bound, or a goal is a variable.",
    remedy="Bind it by a goal to the left.",
    example=":- start(t). 1 :: t --> { atom_length(X, 3) }, leaf.",
)
UNBOUND_ARGUMENT = E211.says("{predicate} needs an argument that is not bound yet", AS_REMEDY)
UNBOUND_GOAL = E211.says("`{variable}` is called as a goal, but is not bound", AS_REMEDY)

E212 = Entry(
    "E212: an argument of a built-in predicate has the wrong type",
    cause="A built-in predicate is called with a term that it is not for.",
    remedy="Give the kind of term that the message names.",
    example="slp query coin.slp 'length(L, a)'",
)
WRONG_TYPE = E212.says("{predicate} needs {needed}, not {term}")

E213 = Entry(
    "E213: a goal is none",
    cause="A number, a string or a list stands where a goal must.",
    remedy="Write an atom or a compound term.",
    example=":- start(t). 1 :: t --> { call(3) }, leaf.",
)
NOT_A_GOAL = E213.says("{term} is not a goal")

E214 = Entry(
    "E214: the limit of inferences is reached",
    cause="A proof, or a search for proofs, made as many inferences as are allowed.",
    remedy="Bound the recursion by a guard, or allow more inferences.",
    example=":- start(t). 1 :: t --> { length(_, 100000000) }, leaf.",
)
TOO_MANY_INFERENCES = E214.says("gave up after {limit} inferences", _GUARD)

E215 = Entry(
    "E215: the limit of recursion is reached",
    cause="A proof calls predicates one inside another, deeper than is allowed.",
    remedy="Bound the recursion by a guard, or allow more depth.",
    example=":- start(t). 1 :: t --> { p(1) }, leaf. p(X) :- p(X).",
)
RECURSION_TOO_DEEP = E215.says("gave up at a recursion {limit} calls deep", _GUARD)

E216 = Entry(
    "E216: a term is too large",
    cause="A proof makes a term of more parts than are allowed.",
    remedy="Bound the recursion that makes it.",
    example=":- start(t). 1 :: t --> { p(40, a) }, leaf.\n"
    "p(0, X) :- copy_term(X, _). p(N, X) :- N > 0, M is N - 1, p(M, f(X, X)).",
)
TERM_TOO_LARGE = E216.says("a term has more than {limit} parts")

E217 = Entry(
    "E217: a predicate is built in",
    cause="A program has clauses of a predicate that is built in.",
    remedy="Give the predicate another name.",
    example="is(X, X).",
)
BUILT_IN_PREDICATE = E217.says("{predicate} is built in", AS_REMEDY)

E218 = Entry(
    "E218: a guard calls a predicate with labels",
    cause="A guard tests or computes. A predicate with labelled clauses makes a stochastic choice.",
    remedy="A guard tests or computes: call a predicate whose clauses have no labels.",
    example="0.5 :: coin(heads). 0.5 :: coin(tails). :- start(t). 1 :: t --> { coin(X) }, leaf.",
)
STOCHASTIC_GUARD = E218.says(
    "{predicate} has labelled clauses and cannot be called in a guard", AS_REMEDY
)

# --- rules, labels, splits ---------------------------------------------------------------------

E220 = Entry(
    "E220: a label is negative or infinite",
    cause="The arithmetic of a label gives a number below 0, or infinity, in some state.",
    remedy="Change the label or its parameters: a label is a number from 0 up.",
    example=":- start(t(2)). 1 - D :: t(D) --> leaf.",
)
_A_LABEL = "a label is a number from 0 up"
INFINITE_LABEL = E220.says("the label is infinite", _A_LABEL)
LABEL_BELOW_0 = E220.says("the label is negative ({value:g})", _A_LABEL)

E221 = Entry(
    "E221: a state holds a variable",
    cause="An argument of a nonterminal in the body of a rule is not bound.",
    remedy="Bind it in the head or by a guard.",
    example=":- start(t(0)). 1 :: t(_) --> { p(X) }, t(X). p(_).",
)
UNBOUND_STATE = E221.says("`{variable}` in a nonterminal's argument is not bound", AS_REMEDY)

E222 = Entry(
    "E222: a split is on no feature",
    cause="The first argument of `split` is bound to something that is no name.",
    remedy="Give the name of a feature, or a variable.",
    example=":- start(t). 1 :: t --> { F = 3 }, split(F, V), u, u. 1 :: u --> leaf.",
)
NOT_A_FEATURE_NAME = E222.says("a split needs a feature's name, not {term}")

E223 = Entry(
    "E223: a number of rows is used where it cannot be",
    cause="`rows(N)` stands where it cannot, or N in a goal or function that takes no such number.",
    remedy="Write `{ rows(N), ... }` in front of the split. Compare N, or compute with it.",
    example=":- start(t). 1 :: t --> { rows(N), member(N, [1, 2]) }, leaf.",
)
NO_GOAL_OF_ROWS = E223.says(
    "{goal} asks about a number of rows, which differs from box to box",
    "compare the number (`N >= 10`), or compute with it (`M is N // 2`)",
)
MISPLACED_ROWS = E223.says(
    "`rows` stands inside another goal, or behind the split",
    "write `{{ rows(N), N >= 10 }}` in front of the split, outside of `;`, `\\+`, `findall` and "
    "the like",
)
NO_CLASS_OF_ROWS = E223.says(
    "`rows(Class, N)` needs the name of a class, not {term}", "name it, as in `rows(yes, N)`"
)
NOT_A_COUNT_OF_ROWS = E223.says("{term} is no number of rows", "write a variable or a number")
NO_FUNCTION_OF_ROWS = E223.says(
    "{function} cannot be taken of a number of rows", "there are {known}"
)
INTEGERS_OF_ROWS = E223.says(
    "`{name}` needs integers, and this number of rows need not be one",
    "round it first: `floor`, `ceiling`, `round`",
)

E230 = Entry(
    "E230: a guard uses the threshold in a way that is not linear",
    cause="A guard behind a split multiplies the threshold with itself, or takes a function of it. "
    "No intervals can be told in which it holds.",
    remedy="Compare sums and multiples of the threshold with numbers, or take the engine `prolog`.",
    example=":- start(t). 1 :: t --> split(F, V), { V * V < 9 }, u, u. 1 :: u --> leaf.",
)
NOT_LINEAR = E230.says(
    "this guard uses the threshold in a way that cannot be cut into intervals",
    "compare sums and multiples of the threshold with numbers",
)

E231 = Entry(
    "E231: a state holds the threshold",
    cause="The threshold of a split is an argument of a child. Each threshold would be a state.",
    remedy="Pass on what a comparison of it decides, or take the engine `prolog`.",
    example=":- start(t(0)). 1 :: t(X) --> split(F, V), t(V), t(V).",
)
STATE_HOLDS_THRESHOLD = E231.says(
    "the threshold is in a nonterminal's argument: there would be endlessly many states",
    "pass on what a comparison of the threshold decides, such as `low` or `high`",
)

E232 = Entry(
    "E232: guards behind a split lead to different children",
    cause="The guards behind a split have several answers, and the children differ between them.",
    remedy="Choose before the split, by rules.",
    example=":- start(t). 1 :: t --> split(F, V), { member(K, [1, 2]) }, u(K), leaf. "
    "1 :: u(_) --> leaf.",
)
AMBIGUOUS_CHILDREN = E232.says(
    "the guards behind the split have answers that lead to different children",
    "choose before the split",
)

# --- queries -----------------------------------------------------------------------------------

E240 = Entry(
    "E240: a stochastic goal stands inside a condition",
    cause="A predicate with labelled clauses is called inside `->`, `\\+`, `findall` or `forall`.",
    remedy="Call it before, and test what was drawn.",
    example="slp query lost.slp lost\n"
    "(`lost.slp` is `0.5 :: coin(heads). 0.5 :: coin(tails). lost :- \\+ coin(heads).`)",
)
ENCLOSED_CHOICE = E240.says(
    "{predicate} has labelled clauses and is called inside a condition",
    "call it before: conditions, `\\+`, `findall` and `forall` test what has been drawn already",
)

E241 = Entry(
    "E241: a cut crosses a stochastic goal",
    cause="A cut behind a stochastic goal takes away alternatives that stand before it.",
    remedy="Cut before the stochastic goal is called, or write clauses that exclude each other.",
    example="slp query cut.slp 'p(X)'\n"
    "(`cut.slp` is `0.5 :: coin(heads). 0.5 :: coin(tails). p(X) :- coin(X), !. p(none).`)",
)
CROSSING_CUT = E241.says(
    "a cut takes away alternatives that stand before a stochastic goal", AS_REMEDY
)

E242 = Entry(
    "E242: labels that match sum to more than 1",
    cause="The labels of the clauses whose heads match a goal sum to more than 1.",
    remedy="Bind an argument by a goal to the left, or declare that labels are weights.",
    example="slp query sum.slp 'p(X, Y)'\n"
    "(`sum.slp` is `0.7 :: p(1, a). 0.3 :: p(1, b). 0.7 :: p(2, a). 0.3 :: p(2, b).`)",
)
LARGE_SUM = E242.says(
    "the labels of {predicate} that match here sum to {total:.6g}, above 1",
    "bind an argument by a goal to the left, or declare `:- weights.`",
)

E243 = Entry(
    "E243: a nonterminal is asked as a goal",
    cause="A query asks for a nonterminal of tree rules. Without a table there are no splits.",
    remedy="Query what `slp expand FILE DATA` prints, or see `slp prior FILE DATA`.",
    example="slp query growtree 'tree(0)'",
)
TREE_AS_GOAL = E243.says(
    "{nonterminal} is defined by tree rules, which mean nothing without a table", AS_REMEDY
)

E244 = Entry(
    "E244: a draw holds several proofs",
    cause="Goals without labels have several proofs, so it is not known how much one draw counts.",
    remedy="Ask for the answers' probabilities, or draw with failure by backtracking.",
    example="slp query coin.slp 'coin(X), member(_, [1, 2])' -n 10",
)
SEVERAL_PROOFS = E244.says(
    "goals without labels have several proofs here, so it is not known how much a draw counts",
    AS_REMEDY,
)

E245 = Entry(
    "E245: there is nothing to draw",
    cause="The goal has no proof.",
    remedy="`slp query` without draws says where it fails.",
    example="slp query coin.slp 'coin(edge)' -n 10 --failure backtracking",
)
NOTHING_TO_DRAW = E245.says("the goal has no proof, so there is nothing to draw", AS_REMEDY)

E246 = Entry(
    "E246: rejection where labels are weights",
    cause="A program declares `:- weights.`, so rejection has no probability to accept by.",
    remedy="Draw with failure by backtracking.",
    example="slp query weights.slp 'p(X)' -n 10 --failure rejection   (`weights.slp` is `:- "
    "weights. 2 :: p(1).`)",
)
REJECTION_OF_WEIGHTS = E246.says(
    "labels are weights here, so rejection cannot tell how often to accept a draw", AS_REMEDY
)

E247 = Entry(
    "E247: weights of a proof multiply to too large a number",
    cause="The labels of a proof are weights, and their product is too large for a float.",
    remedy="Divide the labels of each predicate by a constant.",
    example="slp query large.slp p   (`large.slp` is `:- weights. 1.0e200 :: p :- q. 1.0e200 :: "
    "q.`)",
)
WEIGHTS_TOO_LARGE = E247.says(
    "the weights of this proof multiply to more than a floating-point number can hold", AS_REMEDY
)

W240 = Entry(
    "W240: a goal failed",
    cause="A query has no proof. This is the goal that its derivations came to and that failed.",
    remedy="Change the clauses of the goal, or the query, if that is not meant.",
    example="slp query coin.slp 'coin(edge)'",
)
GOAL_FAILED = W240.says("`{goal}` failed")

W241 = Entry(
    "W241: a search gave up before it found a proof",
    cause="A limit was reached, and nothing was proved until then.",
    remedy="Bound the recursion by a guard, or allow more inferences.",
    example="slp query coin.slp 'length(L, 100000000)'",
)
NOTHING_PROVED = W241.says("{reason}", _GUARD)

# --- proofs that chains draw -------------------------------------------------------------------

E250 = Entry(
    "E250: no proof to start from was found",
    cause="A chain over proofs needs one to start from. The goal has none, a limit was reached, or "
    "the log-likelihood of every proof that was tried is -inf.",
    remedy="See by `slp query` where the goal fails, or loosen the log-likelihood.",
    example="coin.sample_proofs('coin(edge)')",
)
NO_PROOF_TO_START = E250.says(
    "no proof to start from was found", "`slp query` without draws says where the goal fails"
)
NO_PROOF_WITHIN_LIMITS = E250.says(
    "no proof to start from was found: {reason}",
    "`slp query` shows what is proved within the limits",
)
ALL_PROOFS_IMPOSSIBLE = E250.says(
    "the log-likelihood of all {found} proofs that were tried is -inf",
    "loosen it, or write into the goal what it demands",
)

E251 = Entry(
    "E251: a log-likelihood is no number",
    cause="The log-likelihood of an answer is NaN, infinity or no number at all.",
    remedy="Give a number. -inf says that an answer is impossible.",
    example="coin.sample_proofs('coin(X)', log_likelihood=lambda answer: None)",
)
NO_LOG_LIKELIHOOD = E251.says(
    "the log-likelihood is {value} of {answer}",
    "it must be a number; -inf says that an answer is impossible",
)

E252 = Entry(
    "E252: a log-likelihood function failed",
    cause="The function raised an exception. The exception is the error's cause.",
    remedy="Mend the function: the message shows the answer that it was asked of.",
    example="coin.sample_proofs('coin(X)', log_likelihood=lambda answer: 1 / 0)",
)
LOG_LIKELIHOOD_FAILED = E252.says("the log-likelihood function failed on {answer}: {error}")

E253 = Entry(
    "E253: the goal of a log-likelihood gives no value",
    cause="The goal does not hold the variable `LogLikelihood`, which it must bind.",
    remedy="Write it as in `score(X, LogLikelihood)`.",
    example="coin.sample_proofs('coin(X)', log_likelihood='score(X, S)')",
)
NO_RESULT_VARIABLE = E253.says(
    "the goal of the log-likelihood does not hold the variable {variable}",
    "write it as in `score(X, {variable})`",
)

E254 = Entry(
    "E254: there is no such log-likelihood",
    cause="It is no function and no goal, or `module:function` cannot be imported.",
    remedy="See that Python finds the module, or give a function or a goal.",
    example="coin.sample_proofs('coin(X)', log_likelihood=3)",
)
NOT_A_LOG_LIKELIHOOD = E254.says(
    "the log-likelihood is {given!r}, no function and no text of a goal",
    "give a function of an answer, or a goal that binds LogLikelihood",
)
LOG_LIKELIHOOD_NOT_IMPORTED = E254.says(
    "{name} cannot be imported: {error}",
    "its module must be installed, on the PYTHONPATH, here, or beside the program's file",
)
LOG_LIKELIHOOD_IS_NO_FUNCTION = E254.says("{name} is no function", "name a function of an answer")

W250 = Entry(
    "W250: proofs are left out",
    cause="Derivations reached a limit, and the draws are from the proofs within it.",
    remedy="Bound the recursion by a guard, or allow more inferences.",
    example="numbers.sample_proofs('n(X)', limits=slp.resolution.Limits(inferences=30))\n"
    "(of `0.5 :: n(X) :- n(Y), X is Y + 1. 0.5 :: n(0).`)",
)
PROOFS_LEFT_OUT = W250.says("proofs beyond the limits are left out: {reason}")

# --- SWI-Prolog --------------------------------------------------------------------------------

E260 = Entry(
    "E260: there is no SWI-Prolog to run the program",
    cause="The engine `prolog` needs the package janus-swi, which is not installed.",
    remedy="Install SWI-Prolog and janus-swi: docs/installing.md says how.",
    example="slp query coin.slp 'coin(X)' --engine prolog   (without janus-swi)",
)
NO_JANUS = E260.says(
    "SWI-Prolog cannot be reached, as janus-swi is not installed",
    "install SWI-Prolog 9.1.12 or newer, put its `swipl` first on the PATH, then "
    "`pip install janus-swi`; docs/installing.md says how on Debian 12",
)

E261 = Entry(
    "E261: the SWI-Prolog that is found does not start",
    cause="The `swipl` that is first on the PATH is too old, or janus-swi was built with another.",
    remedy="Put the right `swipl` first on the PATH: docs/installing.md says how.",
    example="slp query coin.slp 'coin(X)' --engine prolog   (with SWI-Prolog 9.0)",
)
JANUS_DOES_NOT_START = E261.says(
    "janus cannot start {system}",
    "the `swipl` first on the PATH must be 9.1.12 or newer and the one that janus-swi was built "
    "with; docs/installing.md says how to install one on Debian 12",
)

E262 = Entry(
    "E262: a goal raises an error in SWI-Prolog",
    cause="A goal raised an error under the engine `prolog`, told in SWI-Prolog's words.",
    remedy="See the clause that the message shows.",
    example="slp query coin.slp 'atom_length(X, Y)' --engine prolog",
)
SWI_PROLOG_SAYS = E262.says("SWI-Prolog says: {text}")

E263 = Entry(
    "E263: a program may not call SWI-Prolog",
    cause="A program has a goal `prolog(...)`, which can run any code, and it was not allowed.",
    remedy="If you trust the program, allow it: `--allow-code`.",
    example="slp query code.slp 'p(X)' --engine prolog   (`code.slp` is `p(X) :- "
    "prolog(working_directory(X, X)).`)",
)
PROLOG_REFUSED = E263.says(
    "`prolog(...)` can do whatever SWI-Prolog can, and is refused",
    "allow it with --allow-code, if you trust this program",
)

E264 = Entry(
    "E264: a goal needs SWI-Prolog",
    cause="A program has a goal `prolog(...)`, and another engine than `prolog` runs it.",
    remedy="Ask with `--engine prolog --allow-code`.",
    example="slp query code.slp 'p(1)'   (`code.slp` is `p(X) :- prolog(atom_length(X, _)).`)",
)
NEEDS_PROLOG = E264.says("`prolog(...)` needs SWI-Prolog", AS_REMEDY)

E265 = Entry(
    "E265: the stacks of SWI-Prolog are full",
    cause="A proof filled the memory that SWI-Prolog's stacks may take.",
    remedy="Bound the recursion by a guard.",
    example="slp query endless.slp p --engine prolog -n 1 --failure backtracking\n"
    "(`endless.slp` is `p :- p, q. q.`)",
)
STACKS_FULL = E265.says(
    "gave up when a proof filled {megabytes} MiB of SWI-Prolog's stacks", _GUARD
)

E266 = Entry(
    "E266: a file of Prolog cannot be loaded",
    cause='A constraint `prolog("file.pl":goal)` names a file that SWI-Prolog cannot load.',
    remedy="Put the file into the folder of the program, and mend what SWI-Prolog says of it.",
    example="slp-sample prior.slp data.csv --allow-code   (`prior.slp` has `:- "
    'constraint(prolog("missing.pl":small)).`)',
)
PROLOG_FILE_NOT_LOADED = E266.says(
    '"{name}" cannot be loaded: {text}', "it is looked for in the folder of the file that names it"
)

# --- learning ----------------------------------------------------------------------------------

E280 = Entry(
    "E280: an observation is no goal of the program",
    cause="A file of observations has a directive, a clause with a body, a count that is no number "
    "above 0, or a goal whose predicate has no clauses in the program.",
    remedy="Write one goal a clause, such as `same(heads).` or `12 :: same(heads).`.",
    example="slp learn coin.slp goals.pl   (`goals.pl` is `same(X) :- coin(X).`)",
)
_ONE_GOAL = "an observation is one goal of a labelled or logical predicate, such as `same(heads).`"
OBSERVATION_WITH_BODY = E280.says(
    "a directive or a clause with a body is no goal to learn from", _ONE_GOAL
)
OBSERVATION_WITHOUT_COUNT = E280.says(
    "the count of an observation must be a number above 0",
    "write how often the goal was seen, such as `12 :: same(heads).`",
)
OBSERVATION_UNKNOWN = E280.says("`{goal}` is no goal to learn from", _ONE_GOAL)

E281 = Entry(
    "E281: an observation is no instance of the goal",
    cause="A goal was given by `--goal`, and an observation is no answer to it.",
    remedy="Leave out the goal, or write one that all observations are answers to.",
    example="slp learn coin.slp goals.pl --goal 'coin(heads)'   (`goals.pl` is `coin(tails).`)",
)
NOT_AN_INSTANCE = E281.says("this observation is no instance of the goal `{goal}`", AS_REMEDY)

E282 = Entry(
    "E282: an observation has no proof",
    cause="No labels above 0 can make the observation likely: the program has no proof of it.",
    remedy="See by `slp query` where it fails.",
    example="slp learn coin.slp goals.pl   (`goals.pl` is `coin(edge).`)",
)
NO_PROOF = E282.says(
    "this observation has no proof under the program",
    "`slp query` says where it fails; no labels above 0 can make it likely",
)
NO_PROOFS = E282.says(
    "this observation has no proof under the program, nor have {others} others",
    "`slp query` says where it fails; no labels above 0 can make it likely",
)

E283 = Entry(
    "E283: proofs cannot be summed",
    cause="A limit was reached, or some derivations never end, so part of the mass is open.",
    remedy="Bound the recursion, begin with other labels, or learn without failures.",
    example="slp learn walk.slp goals.pl   (`goals.pl` is `p(b).`,\n"
    "`walk.slp` is `1.0 :: l :- l. 0.5 :: p(a) :- l. 0.5 :: p(b).`)",
)
_BOUND = (
    "bound the recursion by an argument, begin with labels that end derivations sooner, or, if no "
    "derivation fails, learn without failures (`--plain`)"
)
OPEN_MASS = E283.says(
    "the proofs of `{goal}` cannot be summed: {mass:.3g} of the mass is open: {reason}", _BOUND
)
ENDLESS_MASS = E283.says(
    "the proofs of `{goal}` cannot be summed: {mass:.3g} of the mass is open: some derivations "
    "never end",
    _BOUND,
)

E284 = Entry(
    "E284: goals without labels have several solutions",
    cause="A goal without labels has several solutions, so failure has no probability.",
    remedy="Choose between the solutions by a labelled predicate, or cut with `once`.",
    example="slp learn several.slp goals.pl   (`goals.pl` is `p.`,\n"
    "`several.slp` is `p :- member(X, [1, 2]), q(X). 0.5 :: q(1). 0.5 :: q(2).`)",
)
_SEVERAL = "logical goals below `{goal}` have several solutions, so failure has no probability"
_CHOOSE = (
    "choose between them by a labelled predicate, cut with `once`, or give a goal that has one "
    "solution by --goal (`goal` in Python)"
)
SEVERAL_SOLUTIONS = E284.says(_SEVERAL, _CHOOSE)
SEVERAL_SOLUTIONS_BEHIND = E284.says(
    f"{_SEVERAL}: behind `{{behind}}` more than one way leads to the end of a proof", _CHOOSE
)
SEVERAL_SOLUTIONS_AND_THE_END = E284.says(
    f"{_SEVERAL}: one way to prove it leads to `{{first}}`, another to its end", _CHOOSE
)
SEVERAL_SOLUTIONS_OF_ONE = E284.says(
    f"{_SEVERAL}: one way to prove it leads to `{{first}}`, and so does another", _CHOOSE
)
SEVERAL_SOLUTIONS_OF_TWO = E284.says(
    f"{_SEVERAL}: one way to prove it leads to `{{first}}`, another to `{{last}}`", _CHOOSE
)

E285 = Entry(
    "E285: weights are not learned from goals",
    cause="A program declares `:- weights.`, and labels are learned from goals as probabilities.",
    remedy="Take out `:- weights.`.",
    example="slp learn weights.slp goals.pl   (`goals.pl` is `p(1).`,\n"
    "`weights.slp` is `:- weights. 2 :: p(1). 3 :: p(2).`)",
)
WEIGHTS_NOT_LEARNED = E285.says(
    "labels are weights here, and labels are learned from goals as probabilities", AS_REMEDY
)

E286 = Entry(
    "E286: there is nothing to learn",
    cause="No label, parameter or feature weight of the program can change by itself.",
    remedy="Write numbers as labels, or parameters in labels that can move.",
    example="slp learn fixed.slp data.csv   (`fixed.slp` is `:- start(t). 1 :: t --> leaf.`)",
)
_LEARNED = "numbers as labels, parameters in labels and feature weights are learned"
NO_PARAMETER_TO_LEARN = E286.says(
    "there is nothing to learn: no parameter of the labels can change by itself", _LEARNED
)
NO_LABEL_TO_LEARN = E286.says(
    "there is nothing to learn: no label of the file can change by itself", _LEARNED
)

E287 = Entry(
    "E287: there is no such thing to learn",
    cause="`--only` names nothing that can be learned.",
    remedy="Take a name that the help line lists.",
    example="slp learn growtree data.csv --only alpa",
)
_NOT_LEARNED = "`{name}` is nothing that can be learned"
NOTHING_OF_THAT_NAME = E287.says(_NOT_LEARNED, "what can be learned: {known}")
NOTHING_OF_THAT_NAME_NEAREST = E287.says(_NOT_LEARNED, f"{_MEANT} what can be learned: {{known}}")
NOTHING_CAN_BE_LEARNED = E287.says(_NOT_LEARNED, "nothing can be learned here")

E288 = Entry(
    "E288: there is nothing to learn from",
    cause="No goals and no table were given, or both kinds.",
    remedy="Give goals for a program of clauses, tables for a program of tree rules.",
    example="slp learn coin.slp goals.pl   (`goals.pl` is `% nothing was seen`)",
)
_GOALS_OR_TABLES = "give goals for a program of clauses, tables for a program of tree rules"
NO_TABLE = E288.says("there is nothing to learn from: there is no table", AS_REMEDY)
NO_GOAL = E288.says("there is nothing to learn from: no goal was observed", AS_REMEDY)
GOALS_AND_TABLES = E288.says(
    "goals and tables cannot be learned from together", "learn from one kind, then from the other"
)
