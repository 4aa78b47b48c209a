"""Results of chains over soft trees."""

from __future__ import annotations

from slp.results.averages.soft import SoftTrees
from slp.results.record.drawn import DrawnResult
from slp.results.record.soft import ResultOfSoftTrees


class SoftResult(ResultOfSoftTrees, DrawnResult):
    """The distribution over soft trees as draws show it."""

    averages_type = SoftTrees

    @property
    def no_evidence(self) -> str:
        """See `Result`."""
        if self.table.leaf.classes:
            return "the likelihood of soft counts does not sum to 1 over the classes"
        return super().no_evidence
