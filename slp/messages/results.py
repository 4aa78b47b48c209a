"""E5xx, W5xx: posteriors: what they do not tell, and runs that are not to be trusted."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E506 = Entry(
    "E506: a numeric response has no class probabilities",
    cause="`predict_proba` was asked where the leaf model is one of numbers.",
    remedy="Use predict or predict_interval.",
    example="of_numbers.predict_proba(X)   (a posterior of a response such as 1.5)",
)
NO_CLASS_PROBABILITIES = E506.says(
    "the response is numeric, it has no class probabilities", AS_REMEDY
)

E508 = Entry(
    "E508: the level of an interval is not between 0 and 1",
    cause="`predict_interval`, or the `interval` of a contrast, was given a level that is no "
    "probability between 0 and 1, or `quantile` such a q.",
    remedy="Take a level between 0 and 1, such as 0.9.",
    example="posterior.predict_interval(X, level=90)",
)
NOT_A_LEVEL = E508.says("level is {level}", AS_REMEDY)
NOT_A_DELTA = E508.says("delta is {delta}", "take a number, such as 0.1")
NOT_A_QUANTILE = E508.says("q is {level}", "take a q between 0 and 1, such as 0.5")

E527 = Entry(
    "E527: the prediction has no mean",
    cause="`predict` was asked for a mean, and the row can reach a leaf that has none: its model "
    "is `normal_inverse_gamma` or `normal_linear` with 2 alpha plus the weight of the leaf's rows "
    "at most 1, or one of your own whose `mean` is infinite.",
    remedy="Take an alpha above 1/2, or predict_interval, or keep such leaves out with "
    "support(min_weight(W)).",
    example="slp.parse(':- use(growtree). :- row_weight(w). "
    ":- leaf(normal_inverse_gamma(0, 1, 0.1, 1)).').posterior(polars.DataFrame("
    "{'x': [1, 2], 'w': [0.5, 1], 'y': [1.5, 2.5]})).predict([[1], [2]])",
)
NO_MEAN = E527.says("row {row} to predict can reach a leaf that has no predictive mean", AS_REMEDY)

E528 = Entry(
    "E528: the table has no such row",
    cause="A row of the table was named by a number that none has. Rows are counted from 0, and "
    "rows of weight 0 are absent.",
    remedy="Take a number that the message allows.",
    example="slp sensitivity growtree data.csv --row 1000",
)
NO_SUCH_ROW = E528.says("the table has no row {row}", "take a row from 0 to {last}")
ABSENT_ROW = E528.says("row {row} of the table has the weight 0, so it is absent", AS_REMEDY)

E529 = Entry(
    "E529: what rows are told has no derivatives",
    cause="Rows are told a median of durations. It is no sum over trees, so no sum gives its "
    "derivatives.",
    remedy="Leave the rows out: the evidence and the features used have derivatives.",
    example="slp sensitivity durations.slp data.csv --row 0   (`durations.slp` is "
    "`:- use(growtree). :- response(age). :- leaf(gamma_exponential(1, 1)).`)",
)
MEDIANS_HAVE_NO_SLOPE = E529.says(
    "rows are told a median of durations, whose derivatives no sum gives", AS_REMEDY
)

E530 = Entry(
    "E530: nothing was drawn",
    cause="A run made no draws, and was asked something that its draws tell.",
    remedy="Ask for draws, as with draws=1000.",
    example="program.posterior(X, y, engine='mh', draws=0).predict(X)",
)
NO_DRAWS_OF_TREES = E530.says(
    "nothing was drawn, so there is nothing to say of the trees", AS_REMEDY
)
NO_DRAWS_OF_PROOFS = E530.says(
    "nothing was drawn, so there is nothing to say of the proofs", AS_REMEDY
)
NO_DRAWS_FOR_ARVIZ = E530.says("nothing was drawn to hand to ArviZ", AS_REMEDY)

E531 = Entry(
    "E531: an engine does not tell which rules trees take",
    cause="Under `edittree` and in the engine `prolog` trees take no rules that are known. The "
    "engine `modal` tells them where one rule makes all splits and another all leaves.",
    remedy="Take `exact` or `mh`, with a program of tree rules.",
    example="program.posterior(X, y, engine='prolog', draws=10).rule_probabilities()",
)
NO_RULES_KNOWN = E531.says(
    "the engine {engine} does not tell which rules its trees take", AS_REMEDY
)

E532 = Entry(
    "E532: an extra package is needed for the data of ArviZ",
    cause="`to_arviz` needs arviz-base, which is not installed with the toolkit.",
    remedy="Install it: `pip install arviz-base`, or the toolkit with its extra `arviz`, which has "
    "ArviZ's statistics and plots too.",
    example="posterior.to_arviz()   (without arviz-base)",
)
NO_ARVIZ = E532.says(
    "`to_arviz` needs arviz-base, which is not installed", "install it: `pip install arviz-base`"
)

E558 = Entry(
    "E558: there is no such group of draws for ArviZ",
    cause="`to_arviz` was given a group that it does not make, or one of rows or of the response "
    "for a prior.",
    remedy="Name some of `posterior`, `sample_stats`, `log_likelihood`, `posterior_predictive`, "
    "`prior`, `prior_predictive` and `observed_data`, or none.",
    example="posterior.to_arviz(['likelihood'])",
)
NO_SUCH_GROUP = E558.says("there is no group `{group}`", "take some of: {known}")

NO_PREDICTIVE_OF_EXPOSURES = E558.says(
    "counts have exposures, and outcomes are drawn for one unit", AS_REMEDY
)
TOO_MANY_FOR_ARVIZ = E558.says(
    "{draws:,} draws of {rows:,} rows are made where it is named alone",
    "name the groups that you need, as in to_arviz(['log_likelihood'])",
)

W554 = Entry(
    "W554: groups are left out of the draws for ArviZ",
    cause="`to_arviz` without the names of groups makes all that it can. Some need what is not "
    "there: a prior that does not look at the response, the rows of a saved run, time, or memory.",
    remedy="Name the groups that you need: `to_arviz(['posterior', 'sample_stats'])`. What is too "
    "large is made where it is named.",
    example="slp.parse(':- use(growtree). box(b, x0, 0, inf). :- constraint(majority(b, 1)).')"
    ".posterior(rows, [0, 1], engine='mh', draws=8).to_arviz()",
)
GROUPS_LEFT_OUT = W554.says(
    "left out: {groups}", "name the groups that you need, as in to_arviz(['posterior'])"
)

E534 = Entry(
    "E534: the set of trees near the best is not told",
    cause="`rashomon_set`, or `slp map --within`, was given a factor that is not above 0 and at "
    "most 1, or an engine that neither sums over all trees nor lists the best ones.",
    remedy="Take a factor such as 0.1, and the engine `exact` or `search`.",
    example="posterior.rashomon_set(factor=10)",
)
NOT_A_FACTOR = E534.says("factor is {factor}", "take one above 0 and at most 1, such as 0.1")
NO_RASHOMON_SET = E534.says(
    "the engine {engine} does not tell all trees near the best", "take the engine exact or search"
)

E535 = Entry(
    "E535: the engine has no paths apart from whole trees",
    cause="`sample_paths` was asked of an engine that has whole trees alone. A path is drawn from "
    "sums over all trees.",
    remedy="Take the engine `exact`, or draw trees with `sample`, and use `Tree.apply`.",
    example="program.posterior(X, y, engine='mh', draws=10).sample_paths(X)",
)
NO_PATHS = E535.says(
    "the engine {engine} has whole trees alone, and draws no paths",
    "take the engine exact, or `sample` and `Tree.apply`",
)

E556 = Entry(
    "E556: a response has no such quantity",
    cause="Classes have no order, so they have no quantiles, and no probability up to one. A "
    "quantity was asked for that the leaf model has not, or without the times or the horizon that "
    "it needs, a contrast of two tables that differ in their rows, or a density of an outcome that "
    "is none.",
    remedy="Of classes ask for the density; a quantity is the mean, of classes the probability, of "
    "durations also median, survival, cumulative_hazard and restricted_mean.",
    example="posterior.quantile(X, 0.5)   (of classes)",
)
NO_ORDER = E556.says(
    "the response `{response}` is classes, which have no order: there is no {what}",
    "ask for `density`, the probability of a class",
)
NO_SUCH_QUANTITY = E556.says(
    "`{of}` is no quantity of the response `{response}`", "take one of: {known}"
)
NEEDS_TIMES = E556.says(
    "survival and the cumulative hazard need `times`: numbers from 0 up", "give times=[365]"
)
NEEDS_HORIZON = E556.says("the restricted mean needs a `horizon` above 0", "give horizon=365")
ROWS_DIFFER = E556.says(
    "X1 has {ones:,} rows and X0 has {zeros:,}", "give as many rows, or one for all in X0"
)
UNKNOWN_KIND_OF_DRAW = E556.says("there are no draws of `{kind}`", "take mean or outcome")
NOT_AN_OUTCOME = E556.says(
    "`{value}` is no outcome of the response `{response}`", "take one of: {known}"
)
OUTCOMES_DIFFER = E556.says(
    "y has {outcomes:,} outcomes and X has {rows:,} rows", "give one outcome, or one for each row"
)

E557 = Entry(
    "E557: a quantity has no mean",
    cause="The mean or the variance of medians or of cumulative hazards was asked for, or of their "
    "differences. The median of a drawn distribution may have no mean, and a cumulative hazard is "
    "the logarithm of a mean over leaves.",
    remedy="Take the median, the interval or the probability.",
    example="slp.parse(':- use(growtree). :- leaf(gamma_exponential(1, 1)).').posterior("
    "[[1], [2]], [0.5, 1.5]).contrast([[1]], [[2]]).mean",
)
NO_MEAN_OF_QUANTITY = E557.says(
    "medians, cumulative hazards and their differences have neither mean nor variance", AS_REMEDY
)

W552 = Entry(
    "W552: what a prior predicts has seen the response",
    cause="The numbers of the leaf model are not declared, so they were taken from the response. "
    "What a prior says of outcomes then depends on the outcomes.",
    remedy="Declare the numbers of the leaf model, as `slp new` writes them.",
    example="slp.parse(':- use(growtree).').prior([[1], [2]], [0.5, 1.5]).predict_draws([[1]])",
)
PRIOR_HAS_SEEN = W552.says(
    "the prior of the leaves was taken from the response, so what this prior predicts has seen it",
    AS_REMEDY,
)

W553 = Entry(
    "W553: draws are of the trees found alone",
    cause="Draws were asked of an engine that grows or searches trees. It has neither sums over "
    "all trees nor draws of them, so the draws say nothing of other trees.",
    remedy="Take an engine that sums or samples: `engine='auto'`.",
    example="slp.parse(':- use(growtree). :- leaf(dirichlet(1)).').posterior([[1], [2]], [0, 1], "
    "engine='modal').predict_draws([[1]])",
)
DRAWN_OF_FOUND = W553.says(
    "the engine {engine} found {trees}, and the draws are of what it found alone",
    "take an engine that sums or samples: engine='auto'",
)

W510 = Entry(
    "W510: a run was interrupted",
    cause="Ctrl-C ended a run before all draws were made. What was drawn is kept.",
    remedy="Run with `--checkpoint FILE`, and go on by `--resume`.",
    example="slp-sample growtree data.csv --engine mh   (and Ctrl-C)",
)
INTERRUPTED = W510.says(
    "interrupted: {kept} of {wanted} draws are there and kept",
    "a run with --checkpoint FILE goes on with --resume",
)

W541 = Entry(
    "W541: the time ended a run",
    cause="The time that `--time` gives ended before all draws were made. What was drawn is kept.",
    remedy="Give more time, or run with `--checkpoint FILE` and go on by `--resume`.",
    example="slp-sample growtree data.csv --engine mh -n 1000000 --time 3s",
    of_time="ended",
)
OUT_OF_TIME = W541.says(
    "the time of {time} is over: {kept} of {wanted} draws are there",
    "run again with --time {more}s (in Python: time={more}), or go on from a checkpoint",
)

FEWER_INDEPENDENT_DRAWS = W541.says(
    "the time is over: {kept} of {wanted} independent draws are there", "give it more time"
)

OUT_OF_TIME_IN_FURTHER_ROUND = W541.says(
    "the time of {time} is over in a further round: its {kept} draws are there",
    "run again with --time {more}s (in Python: time={more}), or go on from a checkpoint",
)

W530 = Entry(
    "W530: a run has not converged",
    cause="The chains disagree (R-hat above 1.01), there are too few effective draws, or more than "
    "1 % of the trajectories of soft trees diverge.",
    remedy="Do not use the numbers. Run longer, or change the proposal.",
    example="slp-sample growtree data.csv --engine mh -n 20 --warmup 10 --thin 1",
    of_time="perhaps",
)
NOT_CONVERGED = W530.says(
    "not converged, do not use the numbers: {faults}",
    "run again with {flags} (in Python: {keywords}), or with another proposal{instead}",
)

W547 = Entry(
    "W547: too little is there to tell whether a run has converged",
    cause="The tests of convergence cannot be made: a chain kept fewer than four draws, the time "
    "was over, one chain has no other to agree with, or there are fewer than four islands.",
    remedy="Do not use the numbers. Ask for more draws, for more time, or for four chains.",
    example="slp-sample growtree data.csv --engine mh -n 8 --warmup 0 --thin 1",
    of_time="perhaps",
)
TOO_LITTLE_TO_TELL = W547.says(
    "not known whether it has converged, do not use the numbers: {faults}",
    "run again with {flags} (in Python: {keywords})",
)

W543 = Entry(
    "W543: warm-up was cut short",
    cause="Half of the time that `--time` gives was over before warm-up was done.",
    remedy="Give it more time, or a smaller `warmup`.",
    example="slp-sample growtree data.csv --engine mh -n 8 --warmup 100000000 --thin 1 --time 2s",
    of_time="shortened",
)
WARM_UP_CUT = W543.says(
    "half of the time was over in warm-up, which ended after {made:,} steps in place of "
    "{planned:,}: the draws depend on the clock",
    "run again with --warmup {made} (in Python: warmup={made}), or with more time",
)

W544 = Entry(
    "W544: not all draws are kept",
    cause="The draws take more memory than the budget leaves, so one in 2, 4, ... was kept.",
    remedy="Give more memory (`--memory`), or ask for fewer draws and a larger `--thin`.",
    example="slp-sample growtree data.csv --engine mh --memory 400KiB",
)
KEPT_EVERY = W544.says(
    "the draws did not fit in the memory, so one in {every} is kept: {kept:,} of {wanted:,}",
    "run again with --draws {kept} --thin {thin} (in Python: draws={kept}, thin={thin}), or with "
    "more memory",
)
