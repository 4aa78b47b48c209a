"""Results of chains over soft trees."""

from __future__ import annotations

from typing import Any

from slp.results.averages.soft import SoftTrees
from slp.results.record.drawn import Drawn
from slp.results.record.result import Result
from slp.results.record.sampler import HowDrawn, TreeSampler
from slp.results.record.soft import LikelihoodOfSoftTrees, no_weight
from slp.runner import RunResult


def result_of_soft_trees(sampler: TreeSampler[Any], run: RunResult, how: HowDrawn) -> Result:
    """The distribution over soft trees as draws show it."""
    drawn = Drawn(sampler, run, how, SoftTrees)
    why = "the likelihood of soft counts does not sum to 1 over the classes"
    of_classes = bool(drawn.table.leaf.classes)
    return drawn.result(
        kind="soft",
        evidence=drawn.evidence(drawn.log_evidence(), why if of_classes else None),
        log_weight=no_weight,
        log_likelihood=LikelihoodOfSoftTrees(drawn.table, drawn.averaged),
    )
