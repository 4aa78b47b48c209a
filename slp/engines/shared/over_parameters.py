"""Sums over all trees where parameters have a prior in place of a value: at each node of a rule of
quadrature, and averaged over these (`slp.results.averages.over_parameters`).

Rules with more and more nodes are taken until two of them agree; the last one gives the numbers,
and what it differs by from the one before is their error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.data.memory import room_beside
from slp.errors import BudgetError, TimeOverError
from slp.ir.parameter_priors import MOST_NODES
from slp.messages.inference import NODES_OUT_OF_MEMORY, NODES_OUT_OF_TIME
from slp.problem.parameter_nodes import ParameterNodes
from slp.problem.problem import Problem
from slp.results.averages.over_parameters import OverParameters
from slp.results.averages.over_trees import TreeDistribution
from slp.results.estimate import Estimate
from slp.results.record.later import Later
from slp.results.record.parameters import ParameterBeliefs, beliefs_of, in_words, means_of
from slp.results.record.result import Result
from slp.results.record.rule_use import RuleUse
from slp.trees import Leaf, Tree

if TYPE_CHECKING:
    from slp.results.record.size import Size

#: Nodes of the rules for each of one, or of two parameters, one after another.
_RULES = {1: (6, 9, 15, MOST_NODES), 2: (5, 8, 12)}
#: Two rules agree if they differ by less about each of these: see `_agree`.
_AGREE = 1e-4

#: The sums at the values of a node, within so many bytes.
SumsAt: TypeAlias = Callable[[Problem, int], TreeDistribution]
#: The result of the sums at a node.
ResultAt: TypeAlias = Callable[[Problem, TreeDistribution], Result]


@dataclass(frozen=True, eq=False)
class AtNodes:
    """The sums over all trees at the nodes of a rule. `log_evidence` is that at each node, (J,)."""

    nodes: ParameterNodes
    problems: tuple[Problem, ...]
    sums: OverParameters

    @property
    def log_evidence(self) -> NDArray[np.float64]:
        """See `AtNodes`."""
        return self.sums.log_joint - self.nodes.log_weights


def at_nodes_of_rules(problem: Problem, memory: int, sums_at: SumsAt) -> tuple[AtNodes, AtNodes]:
    """The sums by the last rule, and by the one before it.

    Raises
    ------
    BudgetError
        E501, E540: the sums at all nodes do not fit.
    """
    sizes = _RULES[len(problem.program.unknown)]
    before = _at_nodes(problem, sizes[0], memory, sums_at)
    for n in sizes[1:]:
        last = _at_nodes(problem, n, memory, sums_at)
        if last.sums.log_total == -math.inf or n == sizes[-1] or _agree(last, before):
            break
        before = last
    return last, before


def _agree(one: AtNodes, other: AtNodes) -> bool:
    """Whether two rules agree about the log evidence, the posterior means of the parameters, and
    the prior probability of the tree that is a leaf, which stands for all that the evidence does
    not tell, as where every tree has the same likelihood."""
    leaf = Tree(Leaf())
    told = [
        np.array(
            [
                own.sums.log_total,
                own.sums.log_weight(leaf),
                *means_of(own.nodes, own.log_evidence)
                / [p.mean for p in own.nodes.priors.values()],
            ]
        )
        for own in (one, other)
    ]
    same = told[0] == told[1]  # two infinite ones too
    with np.errstate(invalid="ignore"):
        return bool(np.all(same | (np.abs(told[0] - told[1]) <= _AGREE)))


def _at_nodes(problem: Problem, n: int, memory: int, sums_at: SumsAt) -> AtNodes:
    nodes = ParameterNodes.of(problem.program, n)
    room = room_beside(problem.table, memory)
    each = memory - room + room // len(nodes.values)
    problems, parts, log_scales = [], [], nodes.log_weights.copy()
    for j, own in enumerate(nodes.problems(problem)):
        own = own.on(own.grammar.listed())
        try:
            part = sums_at(own, each)
            assert part.log_total < math.inf
            if not (own.grammar.normalised and own.grammar.max_leaves is None):
                log_scales[j] -= part.other(likelihood=False).log_total
        except BudgetError as error:
            raise _at_all_nodes(error, nodes) from None
        problems.append(own)
        parts.append(part)
    if np.isinf(log_scales).any():  # no tree, at any value
        log_scales = np.zeros(len(parts))
    return AtNodes(nodes, tuple(problems), OverParameters(problem.table, parts, log_scales))


def _at_all_nodes(error: BudgetError, nodes: ParameterNodes) -> BudgetError:
    """The error of the sums at one node, said of those at all."""
    if isinstance(error, TimeOverError):
        return TimeOverError(NODES_OUT_OF_TIME(nodes=in_words(nodes)))
    return BudgetError(NODES_OUT_OF_MEMORY(nodes=in_words(nodes)))


def size_at_all_nodes(problem: Problem, size: Size) -> Size:
    """The size of the sums at all nodes, from that at one: of the second rule, and the first."""
    first, second, *_ = _RULES[len(problem.program.unknown)]
    k = len(problem.program.unknown)
    return replace(
        size,
        splits=size.splits * second**k,
        memory=size.memory * second**k,
        seconds=size.seconds * (first**k + second**k),
        summary_memory=size.summary_memory * second**k,
    )


def over_parameters(result: Result, last: AtNodes, before: AtNodes, result_at: ResultAt) -> Result:
    """The result of the sums by the last rule, with what parameters add to it: their beliefs, the
    error of the evidence, and averages of what each node tells of rules. `result_at` is the result
    at one node."""
    told = _SummedParameters(result, last, before, result_at)
    return replace(
        result,
        evidence=replace(result.evidence, estimate=Later(told.evidence)),
        parameters=Later(told.beliefs),
        rules=told.rules,
        mixture=told.mixture,
        avoiding=None,
        fewer_values=before.sums,
        prior=told.prior,
    )


@dataclass(frozen=True, eq=False)
class _SummedParameters:
    """What a result over nodes tells in another way than one of sums; `result` is made as if the
    sums of the last rule were exact."""

    result: Result
    last: AtNodes
    before: AtNodes
    result_at: ResultAt

    def prior(self) -> Result:
        """See `Result`."""
        last, before = (replace(x, sums=x.sums.other(False)) for x in (self.last, self.before))
        return over_parameters(self.result.prior(), last, before, self.result_at)

    def evidence(self) -> Estimate | None:
        """The log evidence, with what the rule before differs by."""
        found = self.result.evidence.estimate()
        if found is None:
            return None
        low, high = found.value - self._differs, found.value + self._differs
        return Estimate(found.value, self._differs, low, high, "estimate")

    @property
    def _differs(self) -> float:
        return abs(self.last.sums.log_total - self.before.sums.log_total)

    def beliefs(self) -> ParameterBeliefs:
        """See `Result`."""
        own, before = self.last, self.before
        how = f"sums over all trees at {in_words(own.nodes)}"
        if not self.result.likelihood:
            none = np.zeros(len(own.nodes.values))
            return ParameterBeliefs(tuple(beliefs_of(own.nodes, none, None)), how)
        found = beliefs_of(own.nodes, own.log_evidence, (before.nodes, before.log_evidence))
        fewer = " x ".join(map(str, before.nodes.shape))
        how = f"{how}; with {fewer} values the log evidence differs by {self._differs:.1g}"
        return ParameterBeliefs(tuple(found), how)

    def rules(self) -> list[RuleUse]:
        """See `Result`: averages over nodes, as each number is a probability or an expectation."""
        return self._averaged(lambda result: result.rules())

    def mixture(self) -> list[RuleUse]:
        """See `Result`."""
        return self._averaged(lambda result: result.mixture())

    def _averaged(self, ask: Callable[[Result], list[RuleUse]]) -> list[RuleUse]:
        own = self.last
        of = zip(own.problems, own.sums.parts, strict=True)
        told = [ask(self.result_at(problem, part)) for problem, part in of]
        return [_mean_use(own.sums.shares.tolist(), uses) for uses in zip(*told, strict=True)]


def _mean_use(shares: list[float], uses: tuple[RuleUse, ...]) -> RuleUse:
    def mean(values: list[float | None]) -> float | None:
        known = [x for x in values if x is not None]
        return float(np.dot(shares, known)) if len(known) == len(values) else None

    return replace(
        uses[0],
        at_start=float(np.dot(shares, [use.at_start for use in uses])),
        probability=mean([use.probability for use in uses]),
        expected_uses=float(np.dot(shares, [use.expected_uses for use in uses])),
    )
