"""E1xx, W4xx: hierarchies of levels."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry
from slp.messages.files import E163
from slp.messages.names import NOT_A_NAME, VARIABLE_FOR_NAME
from slp.messages.on_table import E155

E173 = Entry(
    "E173: a fact of a hierarchy is malformed",
    cause="A fact `is_a(...)` takes a level or a concept and its concept, perhaps the column "
    "before them, and has no label and no body.",
    remedy="Write it as `is_a(granny, apple).` or `is_a(kind, granny, apple).` is written.",
    example=":- use(growtree).\nis_a([granny, fuji], apple).",
)
IS_A_IS_NO_FACT = E173.says("a hierarchy is said by facts with a name and its concept", AS_REMEDY)
VARIABLE_IN_HIERARCHY = E173.says(*VARIABLE_FOR_NAME)
NO_NAME_IN_HIERARCHY = E173.says(*NOT_A_NAME)

E174 = Entry(
    "E174: a hierarchy of levels contradicts itself",
    cause="A level or a concept has two concepts, or is above itself.",
    remedy="Leave one of the facts out.",
    example=":- use(growtree).\nis_a(granny, apple).\nis_a(granny, pear).",
)
TWO_CONCEPTS = E174.says("`{name}` is `{concept}` already", AS_REMEDY)
CIRCLE_OF_CONCEPTS = E174.says("`{name}` is above itself", AS_REMEDY)

E175 = Entry(
    "E175: a hierarchy of levels does not fit the table",
    cause="More than one column may be meant, or the column named is not of levels, or splits of "
    "its levels are declared otherwise, or a concept has the name of a level.",
    remedy="Name the column, `is_a(kind, granny, apple).`, correct names, or leave facts out.",
    example="slp check prior.slp data.csv   (`prior.slp` has `is_a(age, red, warm).`)",
)
TWO_COLUMNS_OF_LEVEL = E175.says(
    "`{name}` may be of the columns {columns}", "name the column: is_a({atom}, {fact})."
)
CONCEPT_IS_A_LEVEL = E175.says(
    "`{name}` is a concept, and a level of `{column}` too", "give the concept a name of its own"
)
NO_COLUMN_NAMED = E175.says("the table has no feature `{column}`", "{help}")
NOT_OF_LEVELS = E175.says(
    "`{column}` has no levels without an order, so these have no concepts",
    "declare `:- feature({atom}, [categorical]).`, or leave the facts out",
)
SPLIT_OTHERWISE = E175.says(
    "the levels of `{column}` have concepts, and {said} is declared too", "leave one of the two out"
)

NOT_WITH_CONCEPTS = E155.says(
    "{what} cannot go with splits by concepts of levels, which `{name}` has",
    "leave the facts `is_a` out, or {instead}",
)
CONCEPTS_NOT_EXPANDED = E163.says(
    "a program has no expansion where splits are by concepts of levels, as those of `{name}`",
    "leave the facts `is_a` out",
)

W411 = Entry(
    "W411: no level of the table is under a concept",
    cause="Facts `is_a` name a concept, and the table has no level under it, so no split asks for "
    "it.",
    remedy="Correct the names, or leave the facts out.",
    example="slp check prior.slp data.csv   (`prior.slp` has `is_a(granny, apple).`, and no column "
    "of `data.csv` has this level)",
)
CONCEPT_WITHOUT_LEVEL = W411.says("no level of the table is under `{concept}`", "{help}")
