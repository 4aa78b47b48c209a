"""E27x: goals about trees."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E270 = Entry(
    "E270: a tree is asked where there is none",
    cause="A goal calls a predicate about trees, such as `uses/2`, and no table is given: without "
    "a table there are no trees.",
    remedy="Give the table: `slp query FILE GOAL --data DATA`, or ask `posterior.query(GOAL)` in "
    "Python.",
    example="slp query coin.slp 'uses(T, age)'",
)
NO_TREE_TO_ASK = E270.says("{predicate} asks a tree, and there is no table", AS_REMEDY)

E271 = Entry(
    "E271: a goal names no tree",
    cause="A goal about trees does not call `tree(T)`, so it does not depend on the tree; or the "
    "program defines `tree/1` itself.",
    remedy="Begin the goal with `tree(T)`.",
    example="slp query prior.slp 'uses(T, age)' --data data.csv",
)
NO_TREE_NAMED = E271.says("the goal does not call `tree(T)`", AS_REMEDY)
OWN_TREE = E271.says(
    "the program defines `tree/1`, which is the tree in a goal about trees",
    "give the predicate of the program another name",
)

E272 = Entry(
    "E272: a goal about trees names what the table does not have",
    cause="A predicate about trees is given a column that is no feature of the table, a class that "
    "the response does not have, or a column without thresholds where thresholds are asked for.",
    remedy="Take the names of the table.",
    example="slp query prior.slp 'tree(T), uses(T, agee)' --data data.csv",
)
NO_FEATURE_TO_ASK = E272.says(
    "{predicate}: the table has no feature `{name}`: it has {known}", AS_REMEDY
)
NO_CLASS_TO_ASK = E272.says(
    "{predicate}: the response `{response}` has no class {name}: it has {known}", AS_REMEDY
)
ASKED_FOR_NO_CLASSES = E272.says(
    "{predicate}: the response `{response}` is numeric, it has no classes",
    "ask it of a posterior over classes",
)
NO_THRESHOLDS_TO_ASK = E272.says(
    "{predicate}: splits on `{name}` are by levels, and have no thresholds that are numbers",
    "ask `uses(T, {name})`, or look at the term of the tree",
)

E273 = Entry(
    "E273: a goal about trees names a row that is not in the table",
    cause="`same_leaf(T, I, J)` counts the rows of the table from 1, as they were given. A row of "
    "weight 0 is one of them, and no tree is asked where it goes: it says nothing.",
    remedy="Give numbers of rows from 1 to the number of rows, of rows with a weight above 0.",
    example="slp query prior.slp 'tree(T), same_leaf(T, 0, 7)' --data data.csv",
)
NO_ROW_TO_ASK = E273.says("{predicate}: there is no row {row}: the table has {n} rows", AS_REMEDY)
ROW_OF_NO_WEIGHT = E273.says(
    "{predicate}: row {row} has weight 0, so it is in no leaf", "ask about rows that have a weight"
)

E274 = Entry(
    "E274: a goal about trees calls a stochastic predicate",
    cause="A goal that is asked of trees leads to a predicate with labelled clauses. Of each tree "
    "a goal holds or not, so its other goals must be logical.",
    remedy="Call logical predicates, or query the stochastic goal without `--data`.",
    example="slp query coin.slp 'tree(T), coin(X)' --data data.csv\n"
    "(`coin.slp` has `:- use(growtree).`)",
)
STOCHASTIC_OF_TREES = E274.says(
    "{predicate} has labelled clauses, and the goal is asked of trees", AS_REMEDY
)

E275 = Entry(
    "E275: a predicate about trees gets an argument of another form",
    cause="The first argument is neither the tree nor a part of it, or the row of `class_at` is no "
    "list such as `[age = 20]`: a list of a number or a name for each of some columns, each once.",
    remedy="Take the T of `tree(T)`, or a branch of its term; write rows as `[Column = Value]`.",
    example="slp query prior.slp 'tree(T), uses(leaf, age)' --data data.csv",
)
NO_PART_OF_TREE = E275.says("{predicate}: {term} is no part of the tree", AS_REMEDY)
COLUMN_TWICE_IN_ROW = E275.says(
    "{predicate}: the row gives the column `{name}` twice", "give it one value"
)
NOT_A_CELL = E275.says(
    "{predicate}: the value of the column `{name}` is {value}, no number or name",
    "compute it before, as in `X is 1 + 1`, and give X",
)
NOT_A_ROW_TO_ASK = E275.says("{predicate}: {term} is no row, such as `[age = 20]`", AS_REMEDY)
