"""E44x: rows to predict."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E447 = Entry(
    "E447: a column has cells of another type than at fit",
    cause="The table that a posterior was made of had truth values, numbers or text in a column. "
    "The rows to predict have another type there, and the cells of the two types do not match one "
    "to one, as 0 and 1 match truth values.",
    remedy="Give the column the type that it had: read and convert both tables alike.",
    example="slp predict growtree table.csv new.csv   (`table.csv` is `smoker,y\ntrue,a\nfalse,b`, "
    "`new.csv` is `smoker\nyes\nno`)",
)
OTHER_TYPE = E447.says(
    "column `{name}` holds {now}, such as `{cell}` in row {row}, and held {then} at fit", AS_REMEDY
)
OTHER_TYPE_THAN_TESTS = E447.says(
    "column `{name}` holds {now}, such as `{cell}` in row {row}, and the tests of the tree are for "
    "{then}",
    AS_REMEDY,
)

E442 = Entry(
    "E442: a row to predict misses a value where no row at that split did",
    cause="Under `missing(side)` a split says where missing values go, unless no row of the table "
    "that came to it missed the value. A row to predict misses it there. Or it misses the value of "
    "a column of `normal_linear`, or any value where the trees are soft.",
    remedy="Fill the value in, leave the row out, or declare `new(average)`: both sides predict "
    "the row, in proportion to their rows.",
    example="slp predict prior.slp table.csv new.csv   (`prior.slp` has "
    "`:- feature(age, [missing(side)]).`, `table.csv` is `age,sex,y\n1,f,a\n2,m,b\n3,f,a`, "
    "`new.csv` is `age,sex\n,f`)",
)
NEW_VALUE_MISSING = E442.says(
    "a row to predict misses `{name}`, and no row of the table that came to the split did",
    "fill it in, leave the row out, or write :- feature({atom}, [missing(side), new(average)]). "
    "for the average over both sides",
)
NEW_VALUE_MISSING_OF_SOFT = E442.says(
    "a row to predict misses `{name}`, and soft trees weigh each value",
    "fill it in, leave the row out, or let another engine draw trees",
)
NEW_REGRESSOR_MISSING = E442.says(
    "a row to predict (row {row}) misses `{name}`, and `normal_linear` needs its value",
    "fill it in, or leave the row out",
)

E445 = Entry(
    "E445: a row to predict has a level that a split does not know",
    cause="A split by subsets, or by two levels that are left, parts the levels that its box of "
    "the table has. A row to predict came to it with another level, and `new(error)` is declared.",
    remedy="Leave the row out, or declare `new(average)`, both sides in proportion to their rows; "
    "with `subsets` also `new(larger)`, the side with more rows.",
    example="slp predict prior.slp table.csv new.csv   (`prior.slp` has "
    "`:- feature(colour, [subsets, new(error)]).`, `table.csv` is `colour,y\nred,a\nblue,b\nred,a\n"
    "blue,b`, `new.csv` is `colour\ngreen`)",
)
NEW_LEVEL_ABSENT = E445.says(
    "a row to predict has a level of `{name}` that no row of the table at a split has",
    "leave the row out, or write `new(average)` in place of `new(error)`, which is declared of "
    "{atom} or of `_`, for the average over both sides",
)

E446 = Entry(
    "E446: a feature has too many levels for splits by subsets",
    cause="A box with k levels has 2^(k-1) - 1 splits by subsets, so their number is limited.",
    remedy="Put levels together, declare a larger limit, at most 12, or leave `subsets` out.",
    example="slp check prior.slp people.csv   (`prior.slp` has `:- feature(name, [subsets(2)]).`, "
    "`people.csv` is `name,y\nann,a\nbob,b\ncy,a`)",
)
TOO_MANY_LEVELS = E446.says(
    "`{name}` has {levels} levels, and splits by subsets are declared for at most {most}",
    "put levels together, declare up to 12 by :- feature({atom}, [subsets({levels})])., or leave "
    "`subsets` out: one level against the rest",
)

E440 = Entry(
    "E440: rows to predict lack a column",
    cause="The table that a posterior was made of has a feature that the rows to predict lack.",
    remedy="Add the column. Columns are found by their names.",
    example="slp predict growtree data.csv new.csv   (`new.csv` lacks a column of `data.csv`)",
)
NO_COLUMN_TO_PREDICT = E440.says(
    "the rows to predict have no column `{name}`", "its columns are {columns}"
)

E441 = Entry(
    "E441: an array of rows to predict has another number of columns",
    cause="Columns of an array have no names, so there must be one for each feature.",
    remedy="Give the features in the order that the help line lists.",
    example="posterior.predict([[1]])   (the table had two features)",
)
WRONG_NUMBER_OF_COLUMNS = E441.says(
    "the array has {columns}, the table {features}", "in this order: {names}"
)
ARRAY_WITHOUT_SOURCE = E441.says(
    "an array of the features alone has no column `{name}`, of which `{feature}` is made",
    "give all columns of the table, or a frame with their names",
)
