"""E57x: pictures: what they need."""

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
