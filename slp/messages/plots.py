"""E57x: pictures: what they need, and what cannot be drawn."""

from __future__ import annotations

from slp.messages.entry import Entry

E570 = Entry(
    "E570: pictures need matplotlib",
    cause="`slp plot` and `slp.plot` draw with matplotlib, which is not installed with the "
    "toolkit.",
    remedy="Install it: `pip install matplotlib`, or the toolkit with its extra `plot`.",
    example="slp plot tree growtree data.csv -o tree.svg   (without matplotlib)",
)
NO_MATPLOTLIB = E570.says(
    "pictures need matplotlib, which is not installed", "install it: `pip install matplotlib`"
)

E571 = Entry(
    "E571: a picture has nothing to show",
    cause="The picture is of something that this posterior or table does not have, such as the "
    "rungs of a ladder where the engine is exact.",
    remedy="Take another picture, or an engine that has what this one shows.",
    example="slp plot swaps growtree data.csv -o swaps.svg",
)
NO_SUCH_PICTURE = E571.says("there is nothing to draw: {reason}", "{instead}")

FORMULA_NOT_FOLLOWED = E571.says(
    "there is nothing to draw: `{made}` is made of `{drawn}` and of `{ignored}`, which is ignored, "
    "so its value for another `{drawn}` is not known",
    "draw another feature, or take the column in, with :- constraint(forbid({ignored})).",
)

E572 = Entry(
    "E572: a picture is of a feature, class or quantity that is not there",
    cause="A picture was asked for with a name that the table or the run does not have.",
    remedy="Take one of the names that the message lists.",
    example="slp plot dependence growtree data.csv --feature aeg -o age.svg",
)
UNKNOWN_NAME = E572.says("there is no {kind} `{name}`", "there are {names}")
