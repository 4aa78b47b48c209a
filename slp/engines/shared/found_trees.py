"""`result_of_found_trees`: the result of an engine that finds some good trees, and neither sums
over all of them nor draws from them. Averages are over the trees found alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol

from slp.engines.contract import Request
from slp.engines.shared.weights import WeightsOfTrees
from slp.problem.problem import Problem
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.record.evidence import evidence_note
from slp.results.record.later import Later
from slp.results.record.parts import Candidate, Draw, Ended, Evidence
from slp.results.record.result import Result
from slp.results.record.rule_use import RuleUse


class Finds(Protocol):
    """What such a record is filled with; see `Result`. `single`: whether derivations are trees."""

    log_weight: WeightsOfTrees
    single: Later[bool]

    def best(self) -> Iterator[Candidate]: ...
    def draws(self) -> Sequence[Draw]: ...
    def rules(self) -> list[RuleUse]: ...
    def prior(self) -> Result: ...


def result_of_found_trees(
    problem: Problem,
    request: Request,
    found: Finds,
    averaged: DrawnTrees,
    *,
    normalised: bool,
    work: str,
    ended: Callable[[], Ended],
) -> Result:
    """The best trees that were found. It knows no totals: neither the evidence nor the posterior
    probability of a tree. `work` is what the engine does: `grows trees`."""
    return Result(
        chosen=request.choice,
        table=problem.table,
        likelihood=request.likelihood,
        normalised=normalised,
        seed=request.seed or 0,
        kind="trees",
        evidence=Evidence.of_trees(
            None,
            f"the engine {request.choice.engine} {work}, and does not sum over all of them",
            evidence_note(problem.grammar, problem.table, problem.program.constraints),
            likelihood=request.likelihood,
            normalised=normalised,
        ),
        averaged=averaged,
        trees_found=len(averaged.trees),
        derivations_are_trees=found.single,
        best=found.best,
        draws=Later(found.draws),
        log_weight=found.log_weight,
        log_likelihood=partial(log_likelihood_of_tree, problem.table),
        rules=found.rules,
        mixture=list,
        prior=found.prior,
        diagnostics=Later.known(None),
        schedule=None,
        edits=Later.known(None),
        ended=ended,
    )
