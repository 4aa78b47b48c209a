"""E20x to E23x, E26x: arithmetic, resolution, rules and labels, SWI-Prolog."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry
from slp.messages.other_languages import INSTEAD_OF_DENSITIES

NEEDS_GUARD = "does a clause call itself first (put that goal last), or lack a guard that ends it?"

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
UNNAMED_IN_ARITHMETIC = E201.says(
    "arithmetic needs a number, but a variable is not bound", AS_REMEDY
)

E202 = Entry(
    "E202: a name has no value in arithmetic",
    cause="A name in arithmetic is neither a parameter nor a function of so many arguments.",
    remedy="Take the nearest name, or declare a parameter: `:- param(alpha, 0.9).` is one.",
    example=":- start(t). alpa :: t --> leaf.",
)
UNKNOWN_VALUE = E202.says(
    "`{name}` is neither a parameter nor a number",
    "declare it with `:- param({name}, VALUE).`",
    may_follow=True,
)
LEVEL_AS_NUMBER = E202.says(
    "`{name}` is neither a parameter nor a number",
    "`{feature}` is categorical, its threshold is a level: test the feature before computing with "
    "the threshold",
    may_follow=True,
)
UNKNOWN_FUNCTION = E202.says(
    "{function} is not an arithmetic function",
    "docs/language.md lists the functions",
    may_follow=True,
)

NO_DENSITY = E202.says("{function} names a distribution of numbers", INSTEAD_OF_DENSITIES)
OTHER_FUNCTION = E202.says("{function} is not an arithmetic function", "write {meant}")

E203 = Entry(
    "E203: division by zero",
    cause="A label, a guard or an argument divides by 0.",
    remedy="Keep 0 away by a guard to the left.",
    example=":- start(t(0)). 1 / D :: t(D) --> leaf.",
)
DIVISION_BY_ZERO = E203.says(
    "division by zero", "divide by another number, or keep 0 away by a guard to the left"
)

E204 = Entry(
    "E204: a function has no real value",
    cause="A function is taken of a number that it has no real value at.",
    remedy="Keep such numbers away by a guard to the left.",
    example=":- start(t). sqrt(-1) :: t --> leaf.",
)
UNDEFINED_VALUE = E204.says(
    "`{name}` has no value here: the result is not a real number",
    "take another number, or keep such numbers away by a guard to the left",
)

E205 = Entry(
    "E205: a number is too large",
    cause="A result is beyond the floating-point numbers, or is an integer of too many bits.",
    remedy="Compute with smaller numbers, or with logarithms.",
    example=":- start(t). exp(1000) :: t --> leaf.",
)
FLOAT_TOO_LARGE = E205.says("the result is too large for a floating-point number", AS_REMEDY)
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
NO_NUMBER_IN_ARITHMETIC = E206.says(
    "arithmetic needs a number, not {term}", "write a number, or arithmetic of numbers"
)
NOT_AN_INTEGER = E206.says(
    "`{name}` needs integers, not {value!r}", "round it first: `floor`, `ceiling`, `round`"
)

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
IN_A_MODULE = E210.says("there are no modules", "write `{goal}` without `{module}:`")
UNKNOWN_PREDICATE = E210.says(
    "unknown predicate {predicate}", "define it by facts or clauses", may_follow=True
)
UNKNOWN_PREDICATE_ARITY = E210.says(
    "unknown predicate {predicate}", "there is {others}", may_follow=True
)

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
WRONG_TYPE = E212.says("{predicate} needs {needed}, not {term}", AS_REMEDY)

E213 = Entry(
    "E213: a goal is none",
    cause="A number, a string or a list stands where a goal must.",
    remedy="Write an atom or a compound term.",
    example=":- start(t). 1 :: t --> { call(3) }, leaf.",
)
NOT_A_GOAL = E213.says("{term} is not a goal", AS_REMEDY)

E214 = Entry(
    "E214: the limit of inferences is reached",
    cause="A proof, or a search for proofs, made as many inferences as are allowed.",
    remedy="Bound the recursion by a guard, or allow more inferences.",
    example=":- start(t). 1 :: t --> { length(_, 100000000) }, leaf.",
)
TOO_MANY_INFERENCES = E214.says("gave up after {limit} inferences", NEEDS_GUARD)
ALL_DRAWS_REJECTED = E214.says(
    "gave up after {limit} inferences, in which {draws} had no proof",
    "`slp query` without draws says whether the goal has a proof; with --failure filter or "
    "backtracking fewer draws are lost",
)

E215 = Entry(
    "E215: the limit of recursion is reached",
    cause="A proof calls predicates one inside another, deeper than is allowed.",
    remedy="Bound the recursion by a guard, or allow more depth.",
    example=":- start(t). 1 :: t --> { p(1) }, leaf. p(X) :- p(X).",
)
RECURSION_TOO_DEEP = E215.says("gave up at a recursion {limit} calls deep", NEEDS_GUARD)

E216 = Entry(
    "E216: a term is too large",
    cause="A proof makes a term of more parts than are allowed.",
    remedy="Bound the recursion that makes it.",
    example=":- start(t). 1 :: t --> { p(40, a) }, leaf.\n"
    "p(0, X) :- copy_term(X, _). p(N, X) :- N > 0, M is N - 1, p(M, f(X, X)).",
)
TERM_TOO_LARGE = E216.says("a term has more than {limit} parts", AS_REMEDY)

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
LABEL_BELOW_0 = E220.says("the label is negative ({value})", _A_LABEL)

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
NOT_A_FEATURE_NAME = E222.says("a split needs a feature's name, not {term}", AS_REMEDY)

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
ROWS_IN_DISJUNCTION = E223.says(
    "numbers of rows cannot be compared inside `;`", "write two rules, one for each side of `;`"
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
SWI_PROLOG_SAYS = E262.says("SWI-Prolog says: {text}", AS_REMEDY)

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
    remedy="If you trust the program, run it with `--engine prolog --allow-code`.",
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
    "gave up when a proof filled {megabytes} MiB of SWI-Prolog's stacks", NEEDS_GUARD
)

E266 = Entry(
    "E266: a file of Prolog cannot be loaded",
    cause='A constraint `prolog("file.pl":goal)` names a file that SWI-Prolog cannot load.',
    remedy="Put the file into the folder of the program, and correct what SWI-Prolog says of it.",
    example="slp-sample prior.slp data.csv --allow-code   (`prior.slp` has `:- "
    'constraint(prolog("missing.pl":small)).`)',
)
PROLOG_FILE_NOT_LOADED = E266.says(
    '"{name}" cannot be loaded: {text}', "it is looked for in the folder of the file that names it"
)
