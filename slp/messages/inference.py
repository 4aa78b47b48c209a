"""E5xx, W5xx: engines and their options, budgets, kernels."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E501 = Entry(
    "E501: the memory does not suffice",
    cause="The table, or what an engine computes on it, takes more memory than the budget has. The "
    "budget is half of the memory that is free, unless you give one.",
    remedy="Give more memory (`--memory 8GiB`), or change the program as the help line says: fewer "
    "cuts, less depth, larger leaves.",
    example="slp-sample growtree data.csv --engine exact --memory 10KiB",
)
TABLE_TOO_LARGE = E501.says(
    "the table alone is too large for the memory of {memory}: {what} {need}, before any engine "
    "begins",
    "give it more by --memory (`memory` in Python), fewer rows, or fewer columns",
)
EXACT_OUT_OF_MEMORY = E501.says("the exact engine used up its memory of {memory} {doing}", "{help}")
NODES_OUT_OF_MEMORY = E501.says(
    "the memory does not suffice for the sums over all trees at {nodes}, which share it",
    "give more by --memory (`memory` in Python), take the engine mh, or give a parameter a value "
    "by --param NAME=VALUE",
)
COUNTS_TOO_LARGE = E501.says(
    "the memory of {memory} is too small for {doing} under max_leaves({most}): each state counts "
    "its leaves up to this limit",
    "lower max_leaves, give more memory by --memory (`memory` in Python), or take the engine mh",
)
CHART_OUT_OF_MEMORY = E501.says(
    "the exact engine used up its memory of {memory}: {done:,} boxes are done (down to those of "
    "{size} of the {rows} distinct rows), at least {waiting:,} are still to do",
    "{help}",
)
CHAINS_TOO_LARGE = E501.says(
    "the memory of {memory} is too small to draw: {chains} on {rows:,} distinct rows take {need} "
    "beside the table, which leaves {room}",
    "give it more by --memory (`memory` in Python), or run fewer chains, rungs or threads",
)
ORDERS_TOO_LARGE = E501.says(
    "the orders of levels by their responses, one for each box that the chains met, take more than "
    "the memory that is left for them",
    "give it more by --memory (`memory` in Python), or make fewer steps (draws, chains)",
)
FILTER_TOO_LARGE = E501.says(
    "the memory of {memory} is too small: the threads of the particle filter work with {need} "
    "beside the table, which leaves {room}",
    "give it more by --memory (`memory` in Python), or run fewer threads (`--jobs`)",
)
PARTICLES_DO_NOT_FIT = E501.says(
    "{islands} of {particles:,} particles take at least {need}, more than the memory that is left "
    "for them, {room}; {fit:,} particles of each fit",
    "run fewer `particles` or threads (`--jobs`), or give it more by --memory (`memory` in Python)",
)
PARTICLES_TOO_LARGE = E501.says(
    "islands of {particles:,} particles take more than the memory that is left for them, {room}",
    "give it more by --memory (`memory` in Python), or run fewer `particles` or `islands`",
)
SUMS_TOO_LARGE = E501.says(
    "{doing} takes sums over all trees: {size}, by an estimate, against the memory of {memory}",
    "limit the trees, as by `:- support(max_depth(2)).` or `:- support(min_leaf(20)).`, give "
    "features fewer values by `cuts` or `bins`, or take a part of the rows",
)
DRAWS_OF_ROWS_TOO_LARGE = E501.says(
    "{n:,} draws of {rows:,} rows take {need}, with what is made of them, and {room} are left",
    "ask for fewer rows at a time, or for fewer draws (`n`)",
)
MODAL_OUT_OF_MEMORY = E501.says(
    "the memory of {memory} is too small to grow a tree: the table leaves {room}",
    "give it more by --memory (`memory` in Python), or run fewer threads (`--jobs`)",
)
SEARCH_OUT_OF_MEMORY = E501.says(
    "the memory of {memory} is too small to find a tree: the table leaves {room}",
    "give it more by --memory (`memory` in Python)",
)
SAVED_RUN_TOO_LARGE = E501.says(
    "the memory of {memory} is too small to read {path}, which takes {need}",
    "give it more by --memory (`memory` in Python)",
)
NO_MEMORY_LEFT = E501.says(
    "there is no memory left on this machine, or the process may take no more",
    "give a --memory (`memory` in Python) that it has, close other programs, or take fewer rows",
)
MEMORY_USED_UP = E501.says(
    "the memory of {memory} is used up {doing}",
    "give it more by --memory (`memory` in Python)",
)
NO_ROOM_FOR_SETS_OF_ROWS = E501.says(
    "the memory of {memory} is too small: this engine keeps sets of rows, here of {rows:,} "
    "distinct rows and {values:,} values, which take {need} beside the table",
    "fewer cuts (`:- feature(_, [bins(quantile, 20)]).`), fewer rows, or more memory",
)

E502 = Entry(
    "E502: an amount of memory cannot be read",
    cause="The option for the memory is neither a number of bytes nor a size with a unit.",
    remedy="Write a number of bytes, or a size such as 500MiB or 4GiB.",
    example="slp-sample growtree data.csv --memory much",
)
NO_SIZE = E502.says("{memory!r} is not an amount of memory", AS_REMEDY)

E503 = Entry(
    "E503: there are too many derivations to list",
    cause="The engine `enumerate` lists all derivations: there are too many, or one is too deep.",
    remedy="Take the engine exact.",
    example="slp-sample deep.slp data.csv --engine enumerate\n"
    "(`deep.slp` is\n"
    "`:- start(t(0)). 1 :: t(N) --> { N < 600 }, t(N+1). 1 :: t(600) --> leaf.`)",
)
TOO_MANY_DERIVATIONS = E503.says(
    "the engine enumerate gave up after {most:,} derivations", AS_REMEDY
)
DERIVATION_TOO_DEEP = E503.says(
    "the engine enumerate gave up at a derivation with over {most} states on a path", AS_REMEDY
)

E504 = Entry(
    "E504: no tree satisfies the program on this table",
    cause="Constraints, guards and the support leave no tree on these rows.",
    remedy="Loosen the constraints or the support; `slp explain` shows what each state allows.",
    example=":- use(growtree). box(all, age, 0, 100). :- constraint(majority(all, yes)). :- "
    "constraint(max_leaves(1)).",
)
NO_TREE = E504.says(
    "no tree satisfies the program on this table: nothing is left of the prior", AS_REMEDY
)
MODAL_TOO_MANY_DEAD_ENDS = E504.says(
    "the engine modal found no tree that satisfies the program: {most:,} choices led to dead ends",
    "take the engine exact, search or mh, or loosen the constraints",
)


#: What E504 and E517 say where a search or a sum finds a tree that the engine did not.
MISSED = "yet there are trees, which another search finds: try the engine exact or search"


def blame_in_words(count: int, proven: bool, certain: bool, others: bool) -> str:
    """What E504 and E517 say of the statements that leave no tree.

    Parameters
    ----------
    count : their number; 0 if the rules alone leave none.
    proven : whether a sum proves it; else a search found no tree, and there may be one.
    certain : whether it is known that any fewer of them leave some.
    others : whether the program has more statements.
    """
    who = ("the rules alone", "this statement alone", f"these {count} together")[min(count, 2)]
    if proven:
        leave = "leaves" if count == 1 else "leave"
        told = f"{who} {leave} no tree (a sum over all trees proves it)"
    else:
        told = f"a search found none for {who} either"
    if count == 0:
        return told
    if not certain:
        told += ", and fewer may do so: the time was over"
    elif count > 1:
        told += ", any fewer of them leave some"
    return told + "; there may be more contradictions" * (proven and others)


E505 = Entry(
    "E505: a number is not one that the option takes",
    cause="An option takes a number or a truth value of a kind, and was given something else.",
    remedy="Take a number or a truth value of the kind that the help line names.",
    example="program.posterior(X, y, draws=-1)",
)
NOT_A_COUNT = E505.says("{name} is {value}", "take a whole number from {least} {most}")
NOT_A_SHARE = E505.says("{name} is {value}", "take a number from 0 to 1")
NOT_A_TRUTH_VALUE = E505.says("{name} is {value!r}", "take True or False")

E509 = Entry(
    "E509: there is no such engine",
    cause="`--engine` names no engine.",
    remedy="Take one of the engines that `slp engines` lists, or `auto`.",
    example="slp-sample growtree data.csv --engine mcmc",
)
NO_ENGINE = E509.says("there is no engine {name}", "engines are {names}")

E554 = Entry(
    "E554: there is no such level of effort",
    cause="`--effort` (`effort` in Python) names no level.",
    remedy="Take quick, default or thorough.",
    example="slp-sample growtree data.csv --effort fast",
)
NO_EFFORT = E554.says("there is no effort {name!r}", "levels are {names}")

E520 = Entry(
    "E520: labels by rows are no probabilities in some box",
    cause="Labels depend on the number of rows. For the counts of a box that is reached, one is no "
    "number from 0 to 1, or they do not sum to 1.",
    remedy="Correct the labels, keep such boxes away by a guard, or declare labels as weights.",
    example=":- start(t).\n"
    "1 / A :: t --> { rows(yes, A) }, leaf.\n"
    "1 - 1 / A :: t --> { rows(yes, A) }, split(_, _), t, t.",
)
_ROW_LABEL = (
    "a probability is a number from 0 to 1; a guard keeps boxes away: `{{ rows(N), N > 1 }}`"
)
ROW_LABELS_NOT_1 = E520.says(
    "the labels of `{state}` sum to {value:.10g}, not to 1, in {box}",
    "make them sum to 1 for all counts, or declare `:- weights.`",
)
ROW_LABEL_WITHOUT_VALUE = E520.says("the label of `{state}` has no value in {box}", _ROW_LABEL)
ROW_LABEL_NO_PROBABILITY = E520.says("the label of `{state}` is {value} in {box}", _ROW_LABEL)

E526 = Entry(
    "E526: every particle failed",
    cause="Each particle came to a box where no rule applies, or broke a constraint.",
    remedy="Loosen what the message names, take more particles, or take the engine mh.",
    example="slp-sample large.slp data.csv --engine smc   (`large.slp` is `:- start(t). "
    "0.5 :: t --> { rows(N), N >= 100 }, leaf. 0.5 :: t --> split(F, V), t, t.`)",
)
PARTICLES_FAILED = E526.says(
    "all {islands} failed: {causes}",
    "loosen what they failed by, take more `particles`, or the engine mh",
)

E533 = Entry(
    "E533: the engine forward does not take this",
    cause="`forward` draws from a prior whose weights at each choice sum to at most 1. It runs in "
    "the compiled core alone, which does not take everything that the plain engines take.",
    remedy="Take `auto`, or `mh`.",
    example="slp-sample growtree data.csv --engine forward",
)
PRIOR_ALONE = E533.says("the engine forward draws from the prior alone", AS_REMEDY)
FORWARD_IN_CORE = E533.says("the engine forward runs in the compiled core, which {why}", AS_REMEDY)
NOT_FORWARD = E533.says(
    "the program cannot be run forward: weights at a choice may sum to more than 1, or too many "
    "draws fail",
    AS_REMEDY,
)

E536 = Entry(
    "E536: the engine smc does not take this",
    cause="The particle filter grows trees rule by rule from the root. A program with `edittree` "
    "has no such rules, and predicates are asked of chains alone.",
    remedy="Take the engine mh.",
    example="slp-sample edited.slp data.csv --engine smc   (`edited.slp` is "
    "`:- use(edittree, [tree = 'tree.json']).`)",
)
FILTER_OF_EDITS = E536.says(
    "the engine smc grows trees from the root, and does not edit a given tree", AS_REMEDY
)
FILTER_OF_PREDICATES = E536.says(
    "the engine smc does not ask predicates (`python`, `prolog`)", AS_REMEDY
)

E537 = Entry(
    "E537: the particle filter has no such proposal, order or resampling",
    cause="A name given for the engine smc is not one of those that it has.",
    remedy="Take one of the names that the help line lists.",
    example="slp-sample growtree data.csv --engine smc --resampling none",
)
NO_FILTER_NAME = E537.says("{option} is {name!r}", "take one of {names}")

E538 = Entry(
    "E538: the engine modal does not take this",
    cause="Modal trees are grown from the root. `smoothing` is of classes, and goes with neither "
    "`look_ahead` nor `further`. A tree that breaks what is decided at the finished tree is pruned "
    "until it does not; a tree that no pruning makes valid is left out, and nothing may be left.",
    remedy="Leave the option out, or take the engine mh.",
    example="slp-sample growtree data.csv --engine modal --smoothing 0.1 --look-ahead 1",
)
MODAL_OF_EDITS = E538.says(
    "the engine modal grows trees from the root, and does not edit a given tree",
    "take the engine mh",
)
MODAL_SMOOTHING_ALONE = E538.says(
    "`smoothing` changes the prior from node to node, so there is no declared posterior that "
    "`look_ahead` and `further` could go by",
    "leave out `smoothing`, or the others",
)
MODAL_SMOOTHING_OF_NUMBERS = E538.says(
    "`smoothing` is of class counts, and the response is no class",
    "leave out `smoothing`",
)
MODAL_SMOOTHING_OF_BOXES = E538.says(
    "`smoothing` adds to one prior of leaves, and leaves in boxes have priors of their own",
    "leave out `smoothing`, or what is said of the leaves of boxes",
)
MODAL_TESTS_FAIL = E538.says(
    "no pruning of a tree that was grown satisfies what the program decides at the finished tree",
    "take the engine mh, grow more trees (`restarts`, `roots`), or loosen these constraints",
)

E540 = Entry(
    "E540: the time is over",
    cause="The time that `--time` gives ended before there was an answer.",
    remedy="Give more time, or change the program as the help line says.",
    example="slp-sample growtree data.csv --engine exact --time 0.01s",
)
EXACT_OUT_OF_TIME = E540.says("the exact engine used up its time of {time} {doing}", "{help}")
NODES_OUT_OF_TIME = E540.says(
    "the time was over before all trees were summed over at {nodes}",
    "give it more time, take the engine mh, or give a parameter a value by --param NAME=VALUE",
)
CHART_OUT_OF_TIME = E540.says(
    "the engine chart used up its time of {time} {phase}: {done:,} boxes are done",
    "give it more time, or take the compiled kernels",
)
TIME_OVER = E540.says("the time of {time} is over {doing}", "give it more time")
NOTHING_BEGUN = E540.says(
    "the time of {time} was over before the first draw could begin", "give it more time"
)
NOTHING_DRAWN = E540.says(
    "the time of {time} is over, and nothing was drawn: {how_far}", "give it more time, or {remedy}"
)
#: What is added to the help line of these where particles were to be grown.
OR_MODAL = ', or take --engine modal (in Python: engine="modal"), which grows one tree'


E542 = Entry(
    "E542: a length of time cannot be read",
    cause="The option for the time is neither a number of seconds nor a time with a unit.",
    remedy="Write a number of seconds, or a time such as 90s, 5m or 2h.",
    example="slp-sample growtree data.csv --time soon",
)
NO_LENGTH_OF_TIME = E542.says("{time!r} is not a length of time", AS_REMEDY)

E543 = Entry(
    "E543: `progress` is neither a truth value nor a function",
    cause="The option `progress` in Python was given something else.",
    remedy="Take True for a line on standard error, or a function of a number and a word.",
    example="program.posterior(X, y, progress='yes')",
)
NO_PROGRESS = E543.says("progress is {progress!r}", AS_REMEDY)

E544 = Entry(
    "E544: there is no such option",
    cause="A keyword names no option of the engine.",
    remedy="Take the nearest name, or one of those that the help line lists.",
    example="program.posterior(X, y, chain=4)",
)
NO_OPTION = E544.says("there is no option `{name}`", "there are {names}")

E548 = Entry(
    "E548: backtracking is not for this engine",
    cause="Under `failure(backtrack)` no weight is known of a tree, so trees can be drawn and not "
    "summed, searched or moved between.",
    remedy="Take the engine forward (or `auto`), or mh with the proposals q_ind, q_seq, q_n and "
    "q_uc.",
    example="slp-sample prior.slp data.csv --engine exact   (`prior.slp` has `:- "
    "constraint(max_leaves(2)). :- failure(backtrack).`)",
)
BACKTRACKING_DRAWS_ALONE = E548.says(
    "under `failure(backtrack)` the weights of trees are not known, and {what} needs them",
    "take the engine forward (or `auto`), or mh; or `failure(restrict)`",
)
CUTS_OF_BACKTRACKING = E548.says(
    "under `failure(backtrack)` proposals that cut are there alone, and {name} is none",
    "take q_ind, q_seq, q_n(20) or q_uc",
)
NO_LADDERS_OF_BACKTRACKING = E548.says(
    "under `failure(backtrack)` chains are not tempered", "leave `rungs` out"
)

W540 = Entry(
    "W540: `auto` draws where exact sums are possible",
    cause="Exact sums would need more memory or time than there is: numbers are estimates.",
    remedy="Give more memory or time, or change the program as the message says.",
    example="slp-sample growtree data.csv -n 10 --memory 400KiB",
    of_time="shortened",
)
DRAWS_INSTEAD = W540.says(
    "`auto` draws with {engine}: {reason}",
    "for exact sums {remedy}",
)
SUMMARIES_BY_DRAWS = W540.says(
    "leaves and features are averages over {n:,} independent draws of trees: {limit}",
    "for exact ones give it more {more}; each number has its Monte Carlo error",
)
NEW_ROWS_BY_DRAWS = W540.says(
    "new rows are predicted by {n:,} independent draws of trees: {limit}",
    "for exact predictions give it more {more}; `predict_error` has the Monte Carlo error",
)
PATHS_BY_DRAWS = W540.says(
    "what rows are asked is averaged over {n:,} independent draws of trees: {limit}",
    "for exact numbers give it more {more}; each has its Monte Carlo error",
)

W550 = Entry(
    "W550: new rows are predicted by draws, as exact sums take long",
    cause="Exact sums for the new rows, or for what rows are asked on their way, take more than "
    "ten seconds of one core, by an estimate from the number of boxes: independent draws from the "
    "exact posterior answer, with their errors.",
    remedy="Ask for the engine `exact` by its name to wait for the sums, or predict fewer rows.",
    example="slp predict growtree data.csv new.csv   (thousands of new rows)",
)
NEW_ROWS_TAKE_LONG = W550.says(
    "{rows} predicted by {n:,} independent draws of trees, as exact sums take about {time} "
    "(estimate): the largest Monte Carlo standard error of a prediction is {error}",
    "for exact predictions ask for the engine `exact`; `predict_error` has each number's error",
)
PATHS_TAKE_LONG = W550.says(
    "what rows are asked is averaged over {n:,} independent draws of trees, as exact sums take "
    "about {time} (estimate)",
    "for exact numbers ask for the engine `exact`; each has its Monte Carlo error",
)

W542 = Entry(
    "W542: an option has no effect",
    cause="An option was given that the engine which runs does not take.",
    remedy="Leave it out, or take the engine that it belongs to: see `slp engines`.",
    example="slp-sample growtree data.csv --engine exact --chains 8",
)
NOT_USED = W542.says("the engine {engine} does not use {names}", "leave {them} out{or_take}")

E590 = Entry(
    "E590: the choice of kernels is unknown",
    cause="The environment variable SLP_KERNELS is neither empty nor `reference`.",
    remedy="Set SLP_KERNELS=reference for the kernels in NumPy, or leave it unset.",
    example="SLP_KERNELS=fast slp-sample growtree data.csv",
)
UNKNOWN_KERNELS = E590.says(
    "the environment variable {variable} is '{value}', which is not known",
    "set {variable}=reference for the NumPy kernels, or leave it unset",
)

W590 = Entry(
    "W590: the compiled kernels are missing",
    cause="The toolkit was installed without a C++20 compiler, so slower kernels in NumPy run.",
    remedy="Install a C++20 compiler, then the toolkit again.",
    example="slp-sample growtree data.csv   (installed without a compiler)",
)
NO_COMPILED_KERNELS = W590.says(
    "the compiled kernels are missing, so slower ones in NumPy run ({reason})",
    "install a C++20 compiler, then slp again: pip install --force-reinstall --no-cache-dir .",
)
