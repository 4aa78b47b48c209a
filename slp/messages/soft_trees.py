"""E539, E545, E546: soft trees."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E539 = Entry(
    "E539: the engine rjhmc does not take this",
    cause="Soft trees send each row both ways at every split, so nothing may depend on the rows of "
    "a box or on a threshold. All splits have the measure `range`, features are numbers without "
    "cuts or bins, and the program has a parameter `h`, the width of gates.",
    remedy="Take what is named out of the program, or take a prior and an engine of hard trees.",
    example="slp-sample growtree data.csv --engine rjhmc",
)
OTHER_MEASURE = E539.says(
    "the engine rjhmc takes splits with the measure `range`, and this program has `{measure}`",
    "write `split(F, V, range)`, begin with `:- use(rjhmc).`, or take another engine",
)
NO_WIDTH = E539.says(
    "the program does not say how wide gates are",
    "declare it, as a share of the range of a feature: `:- param(h, 0.05).`",
)
NO_SUCH_WIDTH = E539.says("the width of gates `h` is {h}", "give it a number from 1e-6 to 1000")
NO_SUCH_SPREAD = E539.says(
    "`h_spread`, the standard deviation of the logarithm of `h`, is {spread}",
    "give it a number from 0 (then `h` is fixed) to {most}",
)
FIRST_BELOW_LAST = E539.says(
    "first_h is {first}, and h falls from it to {h}, the program's",
    "give it a number from {h} up, or leave it out",
)
FREE_WIDTH = E539.says(
    "`h` has a prior in this program (`h_spread`), and {option} lowers `h` in warm-up",
    "leave {option} out, or let `h_spread` be 0",
)
NOT_FOR_SOFT_TREES = E539.says("soft trees have no {what}", AS_REMEDY)
NOT_A_SOFT_FEATURE = E539.says(
    "soft trees split on numbers, and `{feature}` is {kind}",
    "leave the column out (`:- ignore({feature}).`), or code it as numbers",
)
SOFT_RANGE_TOO_LARGE = E539.says(
    "soft trees scale columns by their range, and that of `{feature}` is beyond the largest number",
    "divide the column by 10, or take another engine",
)
NO_SOFT_LEAVES = E539.says(
    "the leaf model {model} is not for soft trees",
    "declare `normal_shared(mean, sd, shape, scale)` for numbers, or `dirichlet(a)` for classes",
)
SEVERAL_DERIVATIONS = E539.says(
    "a soft tree must have one derivation: a state may have one rule for `leaf`, one for `split`, "
    "and none that goes on with the same box",
    AS_REMEDY,
)
SOFT_INDEX_CONSTRAINED = E539.says(
    "with `index=soft` every split is on all features, and the program constrains features",
    "take `index=hard`, or take the constraint out",
)
SOFT_INDEX_GROUPED = E539.says(
    "under `index=soft` gates weigh all features at once, and groups of features are not defined",
    "take `index=hard`, or leave the groups out",
)
SOFT_WITHOUT_CORE = E539.says(
    "the engine rjhmc runs in the compiled kernels, which are missing", "install a C++ compiler"
)
NO_SOFT_NAME = E539.says("{option} is {name!r}", "take one of {names}")
NO_SOFT_NUMBER = E539.says("{option} is {value!r}", "give it a finite number above 0")

E545 = Entry(
    "E545: this is for soft trees alone",
    cause="The leaf model `normal_shared` is that of soft trees. Other engines and learning do not "
    "read it.",
    remedy="Take the engine rjhmc, or the leaf model `normal_inverse_gamma`.",
    example="slp-sample prior.slp data.csv --engine exact   (`prior.slp` is `:- use(rjhmc). :- "
    "response(age). :- ignore([colour, outcome]). :- leaf(normal_shared(0, 1, 2, 1)).`)",
)
SOFT_TREES_ALONE = E545.says(
    "{what} is for soft trees, which the engine rjhmc alone draws", AS_REMEDY
)

E546 = Entry(
    "E546: soft trees do not have this",
    cause="With `index=soft` splits are on all features, so there is no hard tree beside a soft "
    "one, and no picture of thresholds. Trees of classes predict no means, those of numbers no "
    "classes, those of a prior nothing. A tree of numbers without means and a variance has no "
    "likelihood.",
    remedy="Take `index=hard` for hard trees and thresholds. Call `predict_proba` of classes, "
    "`predict` of numbers. Take trees of a posterior.",
    example="slp.load('rjhmc', alpha=1).posterior([[1, 0, 0], [2, 1, 1]] * 4, draws=8, "
    "index='soft').map_tree().hardened()",
)
PREDICTS_NUMBERS = E546.says(
    "this soft tree predicts numbers, and has no class probabilities", "call `predict`"
)
PREDICTS_CLASSES = E546.says(
    "this soft tree predicts classes, and has no means", "call `predict_proba`"
)
PREDICTS_NOTHING = E546.says(
    "this soft tree is of a prior, and its leaves predict nothing", "take a tree of a posterior"
)
NOTHING_IN_LEAVES = E546.says(
    "under `normal_shared` a tree has a likelihood given the means of its leaves and its variance, "
    "and this tree does not have them",
    "take a soft tree of a posterior over numbers, or its `hardened()`, which keeps both",
)
SPLIT_ON_ALL = E546.says(
    "with `index=soft` splits are on all features, and have no hard ones beside them",
    "take `index=hard`",
)

W545 = Entry(
    "W545: draws are not from the posterior",
    cause="With `tuning=paper` step size and metric are learned anew within each proposal, as "
    "published. Then a step is not reversible, and does not leave the posterior invariant.",
    remedy="Take `tuning=frozen`, the default, except to compare with what was published.",
    example="slp.load('rjhmc').posterior([[1, 0], [2, 1]] * 4, tuning='paper', draws=2, warmup=1)",
)
TUNED_IN_PROPOSALS = W545.says(
    "with tuning=paper draws are not from the posterior, as HMC is tuned within each proposal",
    "take tuning=frozen, except to compare with what was published",
)
