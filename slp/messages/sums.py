"""E148, E577, E578: sums of trees."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E148 = Entry(
    "E148: `trees` and the rest of the program do not go together",
    cause="`:- trees(M).` makes the response a sum of M trees. Values of leaves add up, so leaves "
    "have the model `sum_normal` or `sum_probit`, which no single tree has.",
    remedy="Follow the help line, or take `trees` out.",
    example=":- use(growtree).\n:- trees(50).\n:- leaf(dirichlet(1)).",
)
LEAF_NOT_OF_SUMS = E148.says(
    "the leaf model `{model}` is for one tree, and the program declares a sum of trees",
    "write `:- leaf(sum_normal).` for numbers or `:- leaf(sum_probit).` for two classes, or leave "
    "the leaf model out",
)
SUM_OF_NO_TREES = E148.says(
    "the leaf model `{model}` is for sums of trees, and the program declares none",
    "declare how many trees: `:- trees(50).`",
)
TOO_MANY_IN_SUM = E148.says(
    "a sum has at most {most} trees, and `trees` is given {count}", "write a smaller number"
)
SUM_OF_EDITS = E148.says(
    "`edittree` gives one tree to edit, and sums of trees have none",
    "take a prior with rules, such as `:- use(growtree).`",
)
SUM_UNDER_MAJORITY = E148.says(
    "`majority` counts the classes in a leaf, and no leaf of a sum predicts alone",
    "take the constraint out, or `trees`",
)
SUM_OF_LEAVES_IN_BOXES = E148.says(
    "the leaves of a box have a prior of their own, and in a sum no leaf predicts alone",
    "take the prior of these leaves out, or `trees`",
)
SUM_OF_UNKNOWN = E148.says(
    "the parameter `{name}` has a prior in place of a value, which sums of trees do not take",
    "give it a value: `:- param({name}, {mean}).`",
)
SUM_BACKTRACKS = E148.says(
    "under failure(backtrack) the weights of trees are not known, and sums of trees need them",
    "take `failure(restrict)`",
)
NAMED_NUMBERS = E148.says(
    "the numbers of `{model}` are named, and those given are none of its", "write {form}"
)
NO_SHARE = E148.says(
    "`q` is the probability of a smaller variance, and {q} is none", "write a number below 1"
)

E577 = Entry(
    "E577: sums of trees do not go with this",
    cause="The program declares a sum of trees, which the engine additive alone draws from, by "
    "Markov chains; or the engine additive is asked for what it does not take.",
    remedy="Follow the help line, or take `:- trees(...).` out of the program.",
    example="slp.parse(':- trees(20).').posterior(frame, engine='exact')",
)
SUMS_ALONE = E577.says(
    "the program declares a sum of {count} trees, and {what} takes one tree alone",
    "take the engine additive, which `auto` chooses, or take `trees` out",
)
NO_SUM_DECLARED = E577.says(
    "the engine additive draws sums of trees, and the program declares none",
    "declare how many trees: `:- trees(50).`",
)
NOT_IN_SUMS = E577.says("sums of trees take no {what}", "take it out, or take `trees` out")
SUM_OF_CLASSES = E577.says(
    "sums of trees are of two classes, and the response has {classes}",
    "take `trees` out, or code the response as numbers or two classes",
)
PARTS_OF_ROWS = E577.says(
    "`sum_probit` takes whole weights of rows, as each row has latent responses of its own",
    "give whole weights, or take `trees` out",
)
SUM_TOO_LARGE = E577.says(
    "{chains} of {count} trees on {rows} rows need {need} beside the table, and {room} are left of "
    "the memory of {memory}",
    "give more memory, or fewer chains or threads",
)

E578 = Entry(
    "E578: sums of trees do not tell this",
    cause="What is asked is about one tree, and a draw is a sum of many. It has predictions, "
    "intervals, contrasts, draws of outcomes and the features in use.",
    remedy="Take `:- trees(...).` out of the program, and ask the posterior over one tree.",
    example="slp.parse(':- trees(20).').posterior(frame).map_tree()",
)
NOT_OF_SUMS = E578.says("sums of trees do not tell {what}", AS_REMEDY)
