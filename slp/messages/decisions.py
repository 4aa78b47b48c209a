"""Messages about decisions and what predictions cost."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E564 = Entry(
    "E564: losses do not fit the response",
    cause="A decision was asked of a numeric response, or with losses that are no numbers from 0 "
    "up for pairs of the response's classes.",
    remedy="Give a loss for pairs of classes (truth, said), or a matrix with a row for each true "
    "class and a column for each class that may be said, in the order of `table.leaf.classes`.",
    example="posterior.decide(X, loss={('yes', 'perhaps'): 5})   (the classes are `no` and `yes`)",
)
NO_DECISIONS = E564.says(
    "the response `{response}` is numeric, so there are no classes to decide between",
    "take `predict`",
)
LOSS_OF_NO_CLASS = E564.says("the response `{response}` has no class `{name}`", "{help}")
NOT_A_LOSS = E564.says(
    "to say `{said}` where `{truth}` is true is given the loss {value}",
    "a loss is a finite number of at least 0",
)
NOT_A_LOSS_MATRIX = E564.says(
    "the losses have the shape {shape}, for {n} classes",
    "give a row for each true class and a column for each class that may be said",
)
LOSSES_UNREADABLE = E564.says(
    "the losses are {what}", "give `{{('yes', 'no'): 5}}` or a matrix, classes by classes"
)
LOSS_GIVEN_TWICE = E564.says(
    "the loss of `{said}` where `{truth}` is true is given twice", "take one of them out"
)
LOSS_TEXT = E564.says(
    "`{text}` is no loss", "write truth, class said and loss with commas: --loss yes,no,5"
)

E565 = Entry(
    "E565: no feature has a cost",
    cause="The expected cost of a prediction was asked of a program that declares no costs, or "
    "that of a column that a formula takes. A path pays such a column once for all "
    "features made of it, which averages over trees do not count.",
    remedy="Declare `:- cost(mri, 120).` for each feature that costs.",
    example="slp.parse(':- use(growtree).').posterior(X, y).expected_cost(X)",
)
COST_IN_FORMULA = E565.says(
    "what `{name}` costs is paid once for it and for what is made of it, which averages over trees "
    "do not count",
    "ask it of trees one by one: posterior.cost_of_tree(tree)",
)
NO_COST_DECLARED = E565.says("the program declares no cost of a feature", AS_REMEDY)

E566 = Entry(
    "E566: soft trees have no paths",
    cause="What a row is asked on its path, what that costs, or whether rows share a leaf, was "
    "asked of soft trees. A row goes down every branch of these.",
    remedy="Ask it of a posterior over hard trees.",
    example="slp.parse(':- use(rjhmc).').posterior(rows, [0, 1], engine='rjhmc', "
    "draws=4).proximity(rows)",
)
NO_PATHS_OF_SOFT = E566.says("a soft tree sends every row down all of its branches", AS_REMEDY)

E567 = Entry(
    "E567: a question is about another number of rows",
    cause="`explain` takes one row, and `proximity` from 1 to 50.",
    remedy="Give that many rows.",
    example="posterior.explain(X)   (X has 150 rows)",
)
ONE_ROW = E567.says("`explain` takes one row, not {n}", "take `X[i : i + 1]`, or a loop")
FEWER_ROWS = E567.says("`proximity` takes from 1 to {most} rows, not {n}", AS_REMEDY)

E569 = Entry(
    "E569: no tree stands for the posterior",
    cause="`representative_tree` was asked of a prior, of soft trees, or where the median of a "
    "leaf of durations is beyond the largest number.",
    remedy="Ask it of a posterior over hard trees; take a leaf model whose medians are finite.",
    example="slp.parse(':- use(growtree).').prior(rows, [0, 1]).representative_tree()",
)
NO_REPRESENTATIVE = E569.says("no tree stands for the posterior: {why}", "{instead}")
