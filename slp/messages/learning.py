"""E28x: learning of labels."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

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
    cause="No labels above 0 can make the observation likely: the program has no proof of it, or "
    "none that satisfies the condition.",
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
NO_PROOF_UNDER_CONDITION = E282.says(
    "no proof of this observation satisfies the condition `{given}`",
    "leave out what the condition excludes, or take a wider condition",
)
NO_ANSWER = E282.says(
    "this observation is no answer to `{goal}`",
    "some goal answers otherwise where an argument is bound: `slp query` with free arguments shows "
    "the answers",
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
    "the proofs of `{goal}` cannot be summed: {mass} of the mass is open: {reason}", _BOUND
)
ENDLESS_MASS = E283.says(
    "the proofs of `{goal}` cannot be summed: {mass} of the mass is open: some derivations "
    "never end",
    _BOUND,
)
ENDLESS_USES = E283.says(
    "the proofs of {goals} cannot be summed: they use clauses without end, in expectation", _BOUND
)

E257 = Entry(
    "E257: a mass is too small to learn from",
    cause="Success is so rare that the expected number of failures is too large for a float.",
    remedy="Begin with larger labels, or, if no derivation fails, learn without failures.",
    example="slp learn rare.slp goals.pl   (`goals.pl` is `p(a).`,\n"
    "`rare.slp` is `p(X) :- r(y), r(y), q(X). 1e-200 :: r(y). 1 :: r(n). "
    "0.5 :: q(a). 0.5 :: q(b).`)",
)
TOO_SMALL = E257.says(
    "the proofs of `{goal}` have too small a mass to learn from",
    "begin with larger labels, or, if no derivation fails, learn without failures (`--plain`)",
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

SEVERAL_SOLUTIONS_IN_A_LOOP = E284.says(
    "logical goals below `{goal}` have several solutions in a loop, so the mass of its proofs is "
    "not finite",
    "choose between them by a labelled predicate, or cut with `once`",
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
    remedy="Write numbers as labels of clauses, or parameters in labels that can move.",
    example="slp learn fixed.slp data.csv   (`fixed.slp` is `:- start(t). 1 :: t --> leaf.`)",
)
_LEARNED = (
    "numbers as labels of clauses (0.333, not 1/3), parameters in labels and feature weights are "
    "learned; in tree rules parameters and feature weights alone"
)
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
NOTHING_CAN_BE_LEARNED = E287.says(_NOT_LEARNED, "nothing can be learned here")

E288 = Entry(
    "E288: there is nothing to learn from",
    cause="No goals and no table were given, or both kinds.",
    remedy="Give goals for a program of clauses, tables for a program of tree rules.",
    example="slp learn coin.slp goals.pl   (`goals.pl` is `% nothing was seen`)",
)
NO_TABLE = E288.says("there is nothing to learn from: there is no table", AS_REMEDY)
NO_GOAL = E288.says("there is nothing to learn from: no goal was observed", AS_REMEDY)
GOALS_AND_TABLES = E288.says(
    "goals and tables cannot be learned from together", "learn from one kind, then from the other"
)

E289 = Entry(
    "E289: a goal answers differently with bound and free arguments",
    cause="A goal without labels in the proof of an observation has other solutions, or is an "
    "error, if the arguments that the observation binds are free. A cut, a negation, a comparison "
    "of terms or a condition tells bound from free arguments. So the masses of the observations "
    "are not those of the goal's answers, and these cannot be tabled: they have no end, say.",
    remedy="Write the predicate so that bound and free arguments give the same solutions.",
    example="slp learn steady.slp goals.pl   (`goals.pl` is `t([], some).`,\n"
    "`steady.slp` is `t(W, X) :- w(W), k(W, X). k([], none) :- !. k(_, some).\n"
    "0.5 :: w([]). 0.5 :: w([a|W]) :- w(W).`)",
)
_ALIKE = (
    "write it so that bound and free arguments give the same solutions: state when each clause "
    "holds in place of a cut, a condition or a negation, or compare what a choice has bound"
)
OTHER_ANSWERS = E289.says(
    "labels cannot be learned: `{goal}` has other solutions where the arguments that an "
    "observation binds are free",
    _ALIKE,
)
ERROR_WHERE_FREE = E289.says(
    "labels cannot be learned: `{goal}` cannot be proved where the arguments that an observation "
    "binds are free: {reason}",
    _ALIKE,
)

E290 = Entry(
    "E290: the labels of a predicate cannot be learned",
    cause="The labels of a predicate below the observed goals are numbers that sum to 1 neither "
    "over all clauses nor for each value of some arguments, or a goal leaves these arguments "
    "free. Its labels would stay as they are and distort the others.",
    remedy="Make the labels sum to 1, bind the arguments before the goal, name by `--only` what is "
    "to be learned, or write the labels as expressions of parameters.",
    example="slp learn any.slp goals.pl   (`goals.pl` is `t(1).`, `any.slp` is\n"
    "`0.4 :: e(1, x). 0.6 :: e(1, y). 0.4 :: e(2, x). 0.6 :: e(2, y). t(S) :- e(S, x).`)",
)
NO_GROUPING = E290.says(
    "the labels of `{predicate}` cannot be learned: they sum to 1 neither over all clauses nor for "
    "each value of some arguments",
    "make them sum to 1, or name by --only (`only` in Python) what is to be learned while these "
    "labels stay",
)
GOALS_ACROSS_SETS = E290.says(
    "the labels of `{predicate}` cannot be learned: a goal chooses among clauses for different "
    "values of the arguments for which the labels sum to 1",
    "bind these arguments before the goal, or name by --only (`only` in Python) what is to be "
    "learned while these labels stay",
)

E291 = Entry(
    "E291: a condition cannot be used here",
    cause="A condition of learning shares no variable with the goal, so it changes nothing. Or "
    "failed derivations are ignored, and a condition is there to make some fail.",
    remedy="Name the variables of the goal by `--goal`, and constrain them in the condition.",
    example="slp learn dice.slp goals.pl --given 'X > 1'   (`goals.pl` is `die(2).`,\n"
    "`dice.slp` is `0.5 :: die(1). 0.5 :: die(2).`)",
)
CONDITION_APART = E291.says(
    "the condition shares no variable with the goal, so it changes nothing",
    "name the variables of the goal by --goal, such as --goal 'die(X)' --given 'X > 1' (`goal` and "
    "`given` in Python)",
)
CONDITION_WITHOUT_FAILURES = E291.says(
    "derivations that break the condition fail, and failed derivations are not accounted for",
    "leave out --plain (`failures=False` in Python)",
)

E292 = Entry(
    "E292: an option of learning from goals cannot be used",
    cause="A concentration is below 1, so the labels of largest density may be 0, or above 1e6, "
    "where rounding hides the likelihood, or it is of a predicate whose labels are not learned, "
    "or is given twice. "
    "Or the data are tables.",
    remedy="Give a number from 1 to 1e6, and names of predicates whose labels are learned.",
    example="slp learn coin.slp goals.pl --concentration 0.5   (`goals.pl` is `coin(heads).`)",
)
CONCENTRATION_OUT_OF_RANGE = E292.says(
    "a concentration cannot be {value}", "give a number from 1 to 1e6; 1 is the uniform prior"
)
CONCENTRATION_OF_NOTHING = E292.says(
    "the labels of `{name}` are not learned, so they have no prior",
    "predicates whose labels are learned: {known}",
)
CONCENTRATION_TWICE = E292.says(
    "two concentrations are given for {what}", "give one for each predicate, and one for all others"
)
NO_LABELS_WITH_PRIORS = E292.says(
    "no labels are learned that sum to 1, so none have a prior",
    "parameters in labels have no prior; leave out the concentration",
)
OPTION_OF_GOALS = E292.says(
    "`{option}` is for observed goals, and the data are tables", "leave it out"
)
