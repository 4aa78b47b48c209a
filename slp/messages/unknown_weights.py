"""E149, E309, E310: feature weights that are not known."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E149 = Entry(
    "E149: the prior of feature weights does not go with something",
    cause="`:- feature_weights(dirichlet(1)).` says that the weights of features are not known. "
    "`dirichlet(a)` gives each feature the concentration a, between 0.01 and 1000; in "
    "`dirichlet(a/d)` d is the number of features. Splits must draw the feature by its weight "
    "(`feature_then_cut` or `gap`), in a program of tree rules that has no other weights of "
    "features and no parameter with a prior.",
    remedy="Leave out one of the two, or give features weights, `:- feature_weight(age, 3).`.",
    example=":- use(growtree).\n:- feature_weights(dirichlet(1)).\n:- feature_weight(age, 3).",
)
NO_WEIGHTS_PRIOR = E149.says(
    "the prior of feature weights is `dirichlet(a)`, or `dirichlet(a/d)` of d features",
    "write `:- feature_weights(dirichlet(1)).`",
)
NO_CONCENTRATION_OF_WEIGHTS = E149.says(
    "the concentration of a feature must lie between {least} and {most}",
    "write one of these, such as `dirichlet(1)` or `dirichlet(1/d)`",
)
WEIGHT_BESIDE_PRIOR = E149.says(
    "feature weights have a prior, and `{name}` has a weight here", AS_REMEDY
)
PARAMETER_BESIDE_WEIGHTS = E149.says(
    "feature weights have a prior, and the parameter `{name}` has one too",
    "give `{name}` a value, or features weights",
)
WEIGHTS_PRIOR_OF = E149.says(
    "feature weights have a prior, which {what} does not take",
    "give features weights, `:- feature_weight(age, 3).`, or leave the prior out",
)

E309 = Entry(
    "E309: feature weights without a value are not taken",
    cause="The program has a prior in place of the weights of features. Chains over trees (the "
    "engine `mh`) move them; trees cannot be summed over them, and other engines, and questions "
    "that are about one value, do not take them.",
    remedy="Take the engine `mh`, as `auto` does, or give features weights, "
    "`:- feature_weight(age, 3).`.",
    example="slp-sample prior.slp data.csv --engine exact   (`prior.slp` has `:- "
    "feature_weights(dirichlet(1)).`)",
)
WEIGHTS_NOT_SUMMED = E309.says(
    "feature weights have a prior, and trees cannot be summed exactly under it", AS_REMEDY
)
WEIGHTS_NOT_TAKEN = E309.says(
    "feature weights have a prior, and {what} takes values alone", AS_REMEDY
)

E310 = Entry(
    "E310: chains cannot move feature weights under this prior",
    cause="Chains compare the prior probability of a tree under different weights of features. For "
    "that the probabilities of all trees must sum to 1 under any weights, each tree must have one "
    "derivation, and the compiled core must make the chains. Constraints that let derivations "
    "fail, and constraints on the finished tree, keep them from it, and so do the proposals "
    "`q_exact` and `q_pg`, which keep sums for one value of the weights.",
    remedy="Leave out what the message names, or give features weights, "
    "`:- feature_weight(age, 3).`.",
    example="slp-sample prior.slp data.csv --engine mh   (`prior.slp` has `:- "
    "feature_weights(dirichlet(1)).\n:- constraint(max_leaves(3)).`)",
)
WEIGHTS_NOT_MOVED = E310.says("chains cannot move feature weights: {why}", AS_REMEDY)
