"""The options of modal trees, by name: flags of commands and keywords in Python come from here."""

from __future__ import annotations

from dataclasses import dataclass

from slp.engines.contract import option


@dataclass(frozen=True, kw_only=True)
class ModalOptions:
    """Options of modal trees."""

    without_stop_labels: bool = option(
        False, "value the sides of a split by likelihood alone, without their labels of stopping"
    )
    smoothing: float = option(
        0.0,
        "share of a node's class counts that its prior gets (0: the declared prior)",
        least=0.0,
        metavar="SHARE",
    )
    look_ahead: int = option(0, "levels of splits below a split's sides that are summed", least=0)
    further: int = option(
        0, "levels grown where stopping is best, before the tree is pruned exactly", least=0
    )
    restarts: int = option(0, "more trees, whose first splits are drawn", least=0)
    roots: int = option(1, "trees: the first, and those of other features at the root", least=1)
