"""E615 to E619: the text of a tree that is read back, and trees that leave the tool.

No message repeats the text of a tree: it may be a private file that is no tree. The place of a
finding shows it to those who gave it.
"""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

_SHAPE = (
    "a test stands above its two sides, `|- yes: ` and then `\\`- no: ` (or `├─ yes: ` and "
    "`└─ no: `), three characters further in"
)

E615 = Entry(
    "E615: a line of the text of a tree stands in no tree",
    cause="A text is read as a tree, and a line has no branch where one must be, or a test has not "
    "both sides below it.",
    remedy="Write the text as slp prints it: a test, and below it `yes:` and `no:`, each with what "
    "follows there.",
    example="slp-sample prior.slp data.csv --engine mh --start best.tree   (`best.tree` is `age < "
    "30`)",
)
TREE_TEXT_EMPTY = E615.says("the text of a tree has no line", AS_REMEDY)
NEITHER_TEST_NOR_LEAF = E615.says(
    "this is neither a leaf nor a test with its sides below it",
    "a leaf alone is written as slp prints it, such as `45 rows` or `leaf`",
)
NO_BRANCH = E615.says("this line begins with no branch of a tree", _SHAPE)
BRANCH_TOO_DEEP = E615.says("this branch hangs on no test", _SHAPE)
BRANCH_OUT_OF_ORDER = E615.says("`{found}:` stands where `{wanted}:` must be", _SHAPE)
SIDE_MISSING = E615.says("`{side}:` is missing below this test", _SHAPE)
TEST_WITHOUT_SIDES = E615.says("this test has no lines below it", _SHAPE)
NOT_A_TEST = E615.says(
    "lines stand below this one, and it is no test",
    "write a test such as `age < 24`, `age < 24 or missing`, `colour = red`, `sex = f, else m` or "
    "`colour in {{blue, red}}`, with odd names in quotes, as in `'a < b' < 3`",
)

E616 = Entry(
    "E616: a test in the text of a tree does not fit the table",
    cause="The text of a tree names a column that the table does not have, or asks what cannot be "
    "asked of it: a level of numbers, a level that no row has, another unit.",
    remedy="Correct the test by the columns of the table.",
    example="slp-sample prior.slp data.csv --engine mh --start best.tree   (`best.tree` is `aeg < "
    "30\n├─ yes: leaf\n└─ no: leaf`)",
)
NO_FEATURE_OF_TEST = E616.says("the table has no such feature", "its features are {features}")
NO_THRESHOLD_OF_LEVELS = E616.says(
    "this column has levels, which no `<` compares", "write {forms}, with a level of it"
)
NO_LEVEL_OF_NUMBERS = E616.says(
    "this column has an order, of which a test asks `<`", "write a test such as `{form}`"
)
NO_NUMBER_BEHIND = E616.says("this is no number", "write a number such as 24 or 1.5e3")
OTHER_UNIT = E616.says("this is not the unit of the column", "{unit}")
NO_LEVEL_OF_ORDER = E616.says(
    "this is no level above the lowest one", "the levels are {levels}, from the lowest on"
)
NO_LEVEL_OF_COLUMN = E616.says("the column has no such level", "its levels are {levels}")
NO_LEVELS_IN_BRACES = E616.says(
    "this is no list of different levels in braces", "write it as in `colour in {{blue, red}}`"
)
NO_SIDE_OF_COLUMN = E616.says(
    "missing values of this column take no side", "leave out what the test says of missing values"
)
NO_OTHER_LEVELS = E616.says(
    "the rows that come here have no level for the other side", "leave some of their levels out"
)
NO_SECOND_LEVEL = E616.says(
    "behind `else` stands one other level, where the rows that come here have two",
    "write it as in `sex = f, else m`",
)
LEVELS_LEFT_OUT = E616.says(
    "`...` leaves levels out, and {found} of the rows that come here begins so",
    "list all levels of the left side, or give the tree as JSON (tree.to_dict)",
)

E617 = Entry(
    "E617: the text of a tree is read without a table",
    cause="`Tree.from_text` was given something else than a text and a coded table.",
    remedy="Give the table of a posterior or a prior: slp.Tree.from_text(text, posterior.table).",
    example='slp.Tree.from_text("age < 30", None)',
)
NO_TABLE_OF_TEXT = E617.says(
    "a text and a coded table are needed, not {text} and {table}", AS_REMEDY
)

NO_TREE_GIVEN = E617.says("a tree, or the text of one, is needed, not a {given}", AS_REMEDY)

E618 = Entry(
    "E618: trees cannot be written or averaged so",
    cause="An average of trees, or a tree in another language, was asked for what it does not "
    "have: a class that is none, the weights of trees that the run does not know, or a sum where "
    "the prediction of several trees is none (the median of durations).",
    remedy="Take the class as the table has it, draws in place of the best trees, or trees one by "
    "one.",
    example="tree.to_sql(probability='maybe')   (a leaf says yes or no)",
)
NO_CLASS_OF_EXPORT = E618.says("`{given}` is no class", "the classes are {classes}")
NO_CLASSES_OF_EXPORT = E618.says(
    "the response is a number, and has no probability of `{given}`", "leave `probability` out"
)
NO_FORM_OF_RULES = E618.says("rules have no form `{given}`", "the forms are text and markdown")
MEDIANS_OF_AVERAGE = E618.says(
    "the prediction of durations is a median, and that of several trees is no sum of theirs",
    "predict by the average itself, or write its trees one by one: average.trees[0].to_sql()",
)
WEIGHTS_NOT_KNOWN = E618.says(
    "the run does not know how probable its best trees are beside each other",
    "take draws: posterior.average(k)",
)
FORMULA_TOO_LONG = E618.says(
    "the formula {text} is too long in SQL, which repeats its parts",
    "compute the column in the database, by a definition without min, max, roots and powers",
)
NO_SOFT_AVERAGE = E618.says(
    "soft trees make no average that other languages have", "take `index=hard` for hard trees"
)
