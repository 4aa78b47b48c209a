"""Chains over sums of trees, for the shared loop. A step is a sweep over all trees.

A record is what `SumParts` says, the choices and values as text of base 64, as lists of numbers
take ten times the room.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.engines.additive.core_sums import CoreSums, SumParts
from slp.engines.additive.numbers import numbers_of
from slp.engines.additive.options import SumOptions
from slp.engines.additive.result import result_of_sums
from slp.engines.registry import plain_engine
from slp.engines.shared.core_chains import CALL
from slp.engines.shared.digests import digest_of_grammar, digest_of_table
from slp.engines.shared.starts import no_start
from slp.problem.core import core_for
from slp.problem.problem import Problem
from slp.problem.sum_arrays import sums_of_cuts
from slp.results.averages.over_trees import ScoredTrees
from slp.runner import ChainStepper, Info, Json, Move, MoveOutcome, Phase, Stop, Tally, never, until
from slp.trees import Tree

_OUTCOMES: tuple[MoveOutcome, ...] = ("accepted", "rejected", "failed", "stayed")

#: About so many rows of trees are gone through in a block of sweeps, which bounds the delay of
#: Ctrl-C.
_ROWS_OF_BLOCK = 2e7
_MOST_SWEEPS = 500

#: Characters of a record for each node that the loop counts.
_CHARACTERS_OF_NODE = 1200


class SumChains(ChainStepper[Any]):
    """See the module; a `slp.results.record.sampler.TreeSampler`."""

    over_edits, derivations_are_trees, scan = False, True, None
    to_result = staticmethod(result_of_sums)

    def __init__(self, problem: Problem, options: SumOptions, likelihood: bool) -> None:
        self.problem, self.likelihood = problem, likelihood
        self.numbers = numbers_of(problem)
        self.in_core = core_for(problem.table) is not None
        make = CoreSums if self.in_core else plain_engine("additive").PlainSums
        self.steps = make(problem, self.numbers, likelihood)
        rows = len(problem.table.counts) * self.numbers.trees
        longest = min(_MOST_SWEEPS, max(1, _ROWS_OF_BLOCK // rows)) if self.in_core else 1
        self.longest_block = int(longest)

    # --- the chain -----------------------------------------------------------------------------

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        problem, own = self.problem, self.numbers
        return {
            "engine": "additive",
            "program": digest_of_grammar(problem.grammar, problem.program.constraints),
            "table": digest_of_table(problem.table),
            "options": f"{own.trees} trees, {', '.join(self.steps.names)}",
            "kernel": "compiled" if self.in_core else "plain",
            "likelihood": str(self.likelihood),
        }

    def init(self, rng: np.random.Generator, stop: Stop = never) -> Any:
        """Trees drawn from the program, with values 0.

        Raises
        ------
        NoTreeError
            E517: the program draws no such trees.
        """
        state = self.steps.start(rng)
        if state is None:
            raise no_start(0, self.problem.program.constraints)
        return state

    def advance(
        self, rng: np.random.Generator, state: Any, n: int, phase: Phase
    ) -> tuple[Any, Info]:
        """See `Stepper`: `n` sweeps."""
        after, counts = self.steps.advance(rng, state, n)
        tally: Tally = Counter()
        for i, count in enumerate(counts.tolist()):
            if count:
                name = self.steps.names[i // len(_OUTCOMES)]
                tally[Move(name, _OUTCOMES[i % len(_OUTCOMES)])] += count
        return after, Info(tally)

    def record(self, state: Any) -> Json:
        """See `ChainStepper`."""
        return record_of(self.steps.parts(state))

    def dump(self, state: Any) -> Json:
        """See `Stepper`."""
        return self.record(state)

    def load(self, data: Json) -> Any:
        """See `Stepper`."""
        return self.steps.restored(parts_of(data))

    # --- trees (`TreeSampler`) -----------------------------------------------------------------

    @property
    def table(self) -> Table:
        """See `TreeSampler`."""
        return self.problem.table

    @property
    def n_summed(self) -> int:
        """How many trees a draw sums up."""
        return self.numbers.trees

    @property
    def normalised(self) -> bool:
        """See `TreeSampler`: a sum has a density."""
        return False

    @property
    def evidence_note(self) -> str | None:
        """See `TreeSampler`."""
        return None

    def tempering(self, states: Sequence[Any], share: float) -> None:
        """See `TreeSampler`: chains are not tempered."""

    @property
    def rule_grammar(self) -> None:
        """See `TreeSampler`: the rules that all trees of a sum take are not told."""

    def n_nodes(self, record: Json) -> int:
        """See `TreeSampler`: by the room that a record takes."""
        return 1 + sum(len(text) for text in record if isinstance(text, str)) // _CHARACTERS_OF_NODE

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """See `TreeSampler`: not told."""
        return []

    def log_weight(self, tree: Tree) -> float:
        """See `TreeSampler`: NaN, as sums have densities."""
        return float("nan")

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """See `TreeSampler`: sums, with the log likelihood given trees, values and variance."""
        found = [parts_of(record) for record in until(stop, records)]
        trees = [own for parts in found for own in _cuts_of_trees(parts)]
        leaves = [np.stack([parts.values, parts.rows], axis=1) for parts in found]
        variance = np.array([parts.variance for parts in found])
        offset = self.numbers.offset + self.table.leaf.ref
        sums = sums_of_cuts(
            self.table, trees, np.concatenate([np.empty((0, 2)), *leaves]), variance, offset
        )
        fits = np.array([parts.log_likelihood for parts in found])
        return ScoredTrees(sums, np.full(len(found), np.nan), fits)


def _cuts_of_trees(parts: SumParts) -> Iterable[NDArray[Any]]:
    """The nodes of each tree: feature and the two codes that are neighbours, shape (N, 3)."""
    for own in np.split(parts.choices[:, 1:], np.cumsum(parts.sizes)[:-1]):
        yield own[own[:, 0] != CALL]


def record_of(parts: SumParts) -> Json:
    """A sum as plain data."""
    choices, kind = parts.choices, "i4"
    if choices.dtype == object:  # some cuts are sets of levels
        text = json.dumps(choices.ravel().tolist(), separators=(",", ":"))
        kind = "numbers"
    else:
        text = _packed(choices.astype("<i4"))
    sizes, values = _packed(parts.sizes.astype("<i4")), _packed(parts.values.astype("<f8"))
    rows = _packed(parts.rows.astype("<f8"))
    return [kind, text, sizes, values, rows, parts.variance, parts.log_likelihood]


def parts_of(record: Json) -> SumParts:
    """The sum of plain data."""
    kind, text, sizes, values, rows, variance, log_likelihood = record
    if kind == "numbers":
        choices: NDArray[Any] = np.array(json.loads(text), object)
    else:
        choices = _unpacked(text, "<i4").astype(np.int32)
    return SumParts(
        choices.reshape(-1, 4),
        _unpacked(sizes, "<i4").astype(np.int32),
        _unpacked(values, "<f8").astype(np.float64),
        _unpacked(rows, "<f8").astype(np.float64),
        float(variance),
        float(log_likelihood),
    )


def _packed(numbers: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode("ascii")


def _unpacked(text: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text), kind)
