"""E18x: features that formulas make of columns."""

from __future__ import annotations

from slp.messages.entry import Entry

E180 = Entry(
    "E180: a definition of a feature is malformed",
    cause="A formula has something other than numbers, columns, definitions and arithmetic, or its "
    "feature is declared with levels.",
    remedy="Write arithmetic over columns, as `:- define(bmi, weight / (height/100)^2).` does.",
    example=":- use(growtree).\n:- define(bmi, weight // height).",
)
_COLUMNS = "write the name of a column, in quotes if it begins with a capital letter: 'Weight'"
VARIABLE_IN_FORMULA = E180.says("`{part}` is a variable, and no column", _COLUMNS)
NO_NUMBER = E180.says("`{part}` is no floating point number", "write a smaller number")
NO_ARITHMETIC = E180.says("`{part}` is no arithmetic of formulas", "there are {known}")
FORMULA_WITHOUT_COLUMN = E180.says(
    "the definition of `{name}` names no column", "write arithmetic over columns of the table"
)
NO_WAY_OF_UNDEFINED = E180.says(
    "this says nothing of where a formula has no value",
    "write `{usage}`, or [undefined(error)], the default",
)
ERROR_OF_MISSING = E180.says(
    "`{name}` cannot be an error where a feature that it names is missing",
    "leave `undefined(error)` out: it has a missing value there too",
)
DEFINED_WITH_LEVELS = E180.says(
    "`{name}` is made by a formula, so it has numbers, and no levels",
    "leave its levels out, or compute the column beforehand",
)
TOO_MANY_PARTS = E180.says(
    "the formula of `{name}`, with those that it names written out, has more than {most} parts",
    "make a shorter one, or compute the column beforehand",
)

E181 = Entry(
    "E181: a definition is made of itself",
    cause="The formula of a feature names the feature, or one that is made of it.",
    remedy="Take one of the names out.",
    example=":- use(growtree).\n:- define(a, b + 1). :- define(b, a - 1).",
)
CIRCLE = E181.says(
    "these features are made of each other: {names}", "take one of the names out of its formula"
)
OF_ITSELF = E181.says("a feature is made of itself: {names}", "take the name out of its formula")

E182 = Entry(
    "E182: `monotone` beside a feature that shares a column with it",
    cause="`monotone(F, up)` lets F alone grow, and another feature of the trees is made of the "
    "same column, or one of the other. No row moves like that.",
    remedy="Take one of the two features out by `ignore` or `forbid`, or declare that the other "
    "one stays as it is, by `monotone(F, up, others_fixed)`.",
    example=":- use(growtree). :- define(bmi, weight / height^2).\n"
    ":- constraint(monotone(weight, up)).",
)
MONOTONE_SHARES = E182.says(
    "`{feature}` cannot grow alone: `{other}` shares `{shared}` with it",
    "ignore or forbid one of them, or write `monotone({atom}, {direction}, others_fixed)`, which "
    "says that the other one stays as it is",
)

E183 = Entry(
    "E183: a cost of a definition that another one names",
    cause="A feature that formulas make costs what its columns cost, each once on a path. One that "
    "another definition names has no cost of its own.",
    remedy="Declare the costs of the columns.",
    example=":- use(growtree). :- define(bmi, weight / height^2). :- define(excess, bmi - 25).\n"
    ":- cost(bmi, 3).",
)
COST_OF_PART = E183.says(
    "`{name}`, of which `{other}` is made, has no cost of its own",
    "declare the costs of the columns that it is made of",
)
