"""What a record of sums of trees does not tell, of runs and of saved ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NoReturn

from slp.errors import UsageError
from slp.messages.sums import NOT_OF_SUMS
from slp.results.record.result import Result

#: Why there is no evidence.
NO_EVIDENCE = "chains over sums of trees do not estimate it"


@dataclass(frozen=True)
class _Refused:
    """A question about one tree, in words; to ask it is E578."""

    what: str

    def __call__(self, *of: Any) -> NoReturn:
        raise UsageError(NOT_OF_SUMS(what=self.what))


def only_sums(result: Result, trees: int) -> Result:
    """The record of sums of so many trees, which refuses what is asked of one tree."""
    return replace(
        result,
        trees_summed=trees,
        best=_Refused("the best tree"),
        near_best=_Refused("the trees near the best one"),
        log_weight=_Refused("the prior of one tree"),
        log_likelihood=_Refused("the likelihood of one tree"),
        rules=_Refused("how much rules are used"),
        mixture=_no_rules,
    )


def _no_rules() -> list[Any]:
    """A sum begins with no rule."""
    return []
