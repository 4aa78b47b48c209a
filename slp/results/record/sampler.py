"""What a sampler is to a result: the trees of its records, and how they were drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from slp.budgets.seconds import Deadline
from slp.data.table import Table
from slp.ir.tree_grammar import TreeGrammar
from slp.results.averages.over_trees import ScoredTrees
from slp.results.record.choice import EngineChoice
from slp.results.record.result import Result
from slp.results.trust.tempering import Scan, TemperingFigures
from slp.runner import Json, RunResult, Schedule, Stepper, Stop, never
from slp.trees import Tree

S = TypeVar("S")


class TreeSampler(Stepper[S], Protocol[S]):
    """A `Stepper` whose records stand for trees."""

    @property
    def to_result(self) -> ToResult:
        """Makes the result of a run."""
        ...

    @property
    def in_core(self) -> bool:
        """Whether its steps are made in the compiled core."""
        ...

    @property
    def over_edits(self) -> bool:
        """Whether its records are edits of a given tree."""
        ...

    @property
    def table(self) -> Table:
        """The table that it runs on."""
        ...

    @property
    def normalised(self) -> bool:
        """Whether the weights of all trees are known to sum to 1."""
        ...

    @property
    def derivations_are_trees(self) -> bool:
        """Whether it is certain that no tree has two derivations."""
        ...

    @property
    def evidence_note(self) -> str | None:
        """What must be said of the prior's normaliser, if anything."""
        ...

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """The tree of each record, its log weight under the program as written (over all its
        derivations; NaN where that is not known), and its log likelihood; of the first records
        alone where `stop` says so, which is asked between any two."""
        ...

    @property
    def scan(self) -> Scan | None:
        """A step of tempered chains; None where chains are not tempered."""
        ...

    def tempering(self, states: Sequence[Any], share: float) -> TemperingFigures | None:
        """What tempered chains tell by the last states of a run, over the last scans after warm-up,
        a share of them; None where chains are not tempered."""
        ...

    @property
    def rule_grammar(self) -> TreeGrammar | None:
        """The grammar whose rules derivations take; None if the rules are not known."""
        ...

    def n_nodes(self, record: Json) -> int:
        """How many nodes the tree of a record has, at most."""
        ...

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """State and rule, by position, at each goal of a record's derivation, in order."""
        ...

    def log_weight(self, tree: Tree) -> float:
        """Log weight under the program as written of all derivations that part the rows as `tree`
        does; -inf off the support, NaN where it is not known."""
        ...


#: From a sampler, a run of it and how it was made to a result, such as `result_of_draws`.
ToResult: TypeAlias = Callable[[Any, RunResult, "HowDrawn"], Result]


class Again(Protocol):
    """Makes draws with or without likelihood in another run, or the sampler alone; it can be
    pickled."""

    def __call__(self, likelihood: bool) -> Result: ...

    def sampler(self, likelihood: bool) -> TreeSampler[Any]:
        """The sampler."""
        ...


@dataclass(frozen=True)
class HowDrawn:
    """How draws were made.

    Attributes
    ----------
    choice, likelihood, seed : as of `Result`.
    schedule : how long the chains were to run.
    threads : those that the draws are averaged in.
    room : bytes that averages may use; None for no limit.
    again : makes draws with or without likelihood, for `prior`.
    deadline : when to score no more draws, and to begin no statistics of chains.
    """

    choice: EngineChoice
    likelihood: bool
    seed: int
    schedule: Schedule
    threads: int
    room: int | None
    again: Again
    deadline: Deadline


class DrawnRun(NamedTuple):
    """A result, and the run that it is of."""

    result: Result
    run: RunResult

    @property
    def n_draws(self) -> int:
        """How many draws there are: those that were scored before the time was over."""
        averaged = self.result.averaged
        drawn = None if averaged is None else averaged.drawn
        return 0 if drawn is None else sum(map(len, drawn.chains))
