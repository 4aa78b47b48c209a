"""E49x: columns that formulas make of others."""

from __future__ import annotations

from slp.messages.entry import Entry

E490 = Entry(
    "E490: a defined feature has the name of a column",
    cause="A program defines a feature, or a tree asks for one that is defined, and the table has "
    "a column of the same name.",
    remedy="Give the feature another name, or take the column out of the table.",
    example=":- use(growtree). :- define(age, weight / 2).",
)
NAME_IS_COLUMN = E490.says(
    "the defined feature `{name}` has the name of a column of the table",
    "give the feature another name, or take the column out of the table",
)

E491 = Entry(
    "E491: a formula takes a column that it cannot",
    cause="A column that a definition names is not in the table, holds text or levels, or is part "
    "of the response or the weight of rows.",
    remedy="Correct the name, or declare the column numeric if it holds numbers.",
    example=":- use(growtree). :- define(bmi, wieght / height^2).",
)
NO_SOURCE = E491.says(
    "there is no column `{name}`, of which `{feature}` is made",
    "the columns are {columns}; a name in a formula is a column or a definition, and no parameter",
)
SOURCE_IS_LEVELS = E491.says(
    "`{feature}` is made of the column `{name}`, which does not hold numbers",
    "declare it, `:- feature({atom}, [numeric]).`, if they are numbers",
)
TEXT_IN_FORMULA = E491.says(
    "a formula takes the column `{name}`, which holds `{cell}` in row {row}",
    "correct the cell: a formula takes numbers",
)
SOURCE_IS_ROLE = E491.says(
    "`{feature}` is made of `{name}`, which rows to predict do not have",
    "the response, its event or exposure, and the weight of rows make no feature",
)

E492 = Entry(
    "E492: a formula has no value in a row",
    cause="A division by 0, a root or a logarithm of a number that has none, or a number beyond "
    "the largest one.",
    remedy="Correct the row or the formula, or declare `[undefined(missing)]`: then the value is "
    "missing there.",
    example=":- use(growtree). :- define(rate, dose / (age - 20)).",
)
NO_VALUE = E492.says(
    "`{name}` = {text} has no value in row {row}, where {values}{rows}",
    "correct the row, or write `:- define({atom}, {text}, [undefined(missing)]).`",
)
