"""Common parts of engines whose chains run in the C++ core: proposals and tests on finished trees
for the core, its counts, and its trees, and what records of them stand for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.engines.shared.filter_plan import FilterPlan, numbers_of, plan_of
from slp.engines.shared.proposal_names import Named
from slp.errors import BudgetError
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.compiled import compiled_core
from slp.messages.inference import ORDERS_TOO_LARGE
from slp.problem.core import core_problem
from slp.problem.numbered_cuts import Cuts
from slp.problem.tree_arrays import arrays_of_cuts
from slp.problem.tree_on_table import tree_of_nodes
from slp.results.averages.over_trees import ScoredTrees
from slp.results.record.drawn import result_of_draws
from slp.results.record.evidence import evidence_note
from slp.results.record.sampler import ToResult
from slp.runner import ChainStepper, Json, Move, MoveOutcome, Stop, Tally
from slp.trees import Leaf, Tree

if TYPE_CHECKING:
    from slp._core import EditLadder, EditSampler, ExactEngine, MHLadder, MHSampler

#: Values in place of a feature for nodes that do not split: a leaf, a call.
LEAF, CALL = -1, -2

#: Kind, weight and period of a proposal; and of `q_pg` the filter: particles; proposal, order and
#: scheme by number; the share of effective particles below which they are resampled.
CoreProposal: TypeAlias = tuple[int, float, int, tuple[int, list[int], float]]
NO_FILTER = (1, [0, 0, 0], 0.0)
#: The most leaves and the most features (0: no limit); monotone features, each with whether
#: predictions rise with it.
CoreTests: TypeAlias = tuple[int, int, list[tuple[int, bool]]]

# The core's enumerations; `q_seq(K)` is the kind behind `q_seq`.
_KINDS = {"q_ind": 0, "q_uc": 1, "q_n": 2, "q_seq": 3, "q_exact": 5, "q_pg": 6}
_KINDS |= {"cgm": 7, "wu": 8, "rotate": 9, "perturb": 10, "informed": 11, "twig": 12}
_OUTCOMES: tuple[MoveOutcome, ...] = ("accepted", "rejected", "failed", "stayed")
assert set(_OUTCOMES) == set(get_args(MoveOutcome))


class CoreChains(ChainStepper[Any], ABC):
    """Chains that run in the core. The core's states are never changed.

    Attributes
    ----------
    grammar, table, constraints : of the program, as `slp.engines.shared.core_chains.core_tests`
        takes them.
    power : of the likelihood, 0 or 1.
    engine : the core's problem.
    sampler : the core's.
    ladder_type : the core's class of tempered states.
    draws_prior : whether the prior can be drawn from independently.
    """

    in_core, over_edits, scan = True, False, None
    engine: ExactEngine
    sampler: MHSampler | EditSampler
    ladder_type: type[MHLadder | EditLadder]
    _identity: Mapping[str, str]

    def __init__(
        self,
        grammar: TreeGrammar,
        table: Table,
        constraints: tuple[Constraint, ...],
        named: Sequence[Named],
        likelihood: bool,
    ) -> None:
        self.grammar, self.table, self.constraints = grammar, table, constraints
        self.power = 1.0 if likelihood else 0.0
        self.evidence_note = evidence_note(grammar, table, constraints)
        self._names = [n.full_name for n in named]

    def predicate(self, stop: Stop) -> Callable[[Any], bool] | None:
        """What the core calls last on a state, which raises BlockStoppedError where `stop` says so;
        None if there are no predicates."""
        return None

    def check_room(self) -> None:
        """Raise BudgetError E501 if the orders of levels, which grow as the chains run, take more
        memory than their limit in `engine`."""
        if self.engine.orders_are_full():
            raise BudgetError(ORDERS_TOO_LARGE())

    @property
    def to_result(self) -> ToResult:
        """See `slp.results.record.sampler.TreeSampler`."""
        return result_of_draws

    @property
    @abstractmethod
    def draws_prior(self) -> bool:
        """See the class."""

    def tempering(self, states: Sequence[object], share: float) -> None:
        """See `slp.results.record.drawn.TreeSampler`: nothing is tempered."""

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return self._identity

    def dump(self, state: Any) -> Json:
        """See `Stepper`."""
        return {"choices": self.record(state), "turns": list(state.turns)}

    def load(self, data: Json) -> Any:
        """See `Stepper`."""
        return self.restored(np.array(data["choices"], np.int32), data["turns"])

    def restored(self, choices: NDArray[np.int32], turns: Sequence[int]) -> Any:
        """The state of these choices of the core."""
        state = self.sampler.restore(choices.ravel(), turns)
        assert state is not None
        return state

    def derivation_from_data(self, data: Json) -> Any:
        """The derivation of a record, as a state."""
        return self.load({"choices": data, "turns": [0] * len(self._names)})

    def tally_of(self, counts: NDArray[np.uint64]) -> Tally:
        """The core's counts, shape (proposals x outcomes,), by proposal and outcome."""
        out: Tally = Counter()
        for i, count in enumerate(counts.tolist()):
            if count:
                out[Move(self._names[i // len(_OUTCOMES)], _OUTCOMES[i % len(_OUTCOMES)])] += count
        return out

    def trees_of(
        self,
        nodes: Sequence[Cuts],
        states: Sequence[tuple[NDArray[np.float64], float, float]],
    ) -> ScoredTrees:
        """Finished trees by their nodes, as `tree_of` has them, and by what their states tell: the
        statistics of the leaves, log weight and log likelihood."""
        cuts = [own[own[:, 0] != CALL] for own in nodes]
        trees = arrays_of_cuts(self.table, cuts, [statistics for statistics, _, _ in states])
        weights, fits = ([state[i] for state in states] for i in (1, 2))
        return ScoredTrees(trees, np.array(weights, np.float64), np.array(fits, np.float64))

    def tree_of(self, nodes: Cuts, statistics: NDArray[np.float64]) -> Tree:
        """A tree with canonical thresholds: its nodes in preorder, each a feature (`LEAF`, `CALL`)
        and the two codes that are neighbours, shape (N, 3); statistics of its leaves, (K * k,)."""
        table = self.table
        leaves = [
            Leaf.of(table.leaf, of_leaf)
            for of_leaf in statistics.reshape(-1, table.leaf.n_statistics)
        ]
        return tree_of_nodes(table, nodes[nodes[:, 0] != CALL].tolist(), leaves)


def core_engine(grammar: TreeGrammar, table: Table, engine: ExactEngine | None) -> ExactEngine:
    """The core's engine for chains: the one given (`Problem.sampling_core`), else one made here. It
    does not count leaves in its states, because tests count them here."""
    if engine is not None:
        return engine
    core = compiled_core()
    assert core is not None
    made: ExactEngine = core.ExactEngine(core_problem(core, grammar, table, count_leaves=False))
    return made


def core_proposal(named: Named) -> CoreProposal:
    """A proposal in the core's form."""
    if named.name == "q_pg":
        return of_filter(plan_of(named.number, named.settings), named.weight)
    kind = _KINDS[named.name] + (named.name == "q_seq" and named.number is not None)
    return kind, named.weight, named.number or 1, NO_FILTER


def of_filter(plan: FilterPlan, weight: float) -> CoreProposal:
    """`q_pg` with a filter, in the core's form."""
    return _KINDS["q_pg"], weight, 1, (plan.n, numbers_of(plan), plan.ess)


def core_tests(grammar: TreeGrammar, constraints: Iterable[Constraint], table: Table) -> CoreTests:
    """`max_leaves` of a grammar, and the global constraints without predicates. Limits are cut at
    what trees on the table can reach, because the core's integers are small."""
    names = table.feature_names
    constraints = tuple(constraints)
    limits = [c.most_features for c in constraints if c.most_features is not None]
    rising = [c.rising for c in constraints if c.rising is not None]
    most_leaves = min(grammar.max_leaves or 0, len(table.counts))
    most_features = min([*limits, len(names)]) if limits else 0
    return most_leaves, most_features, [(names.index(f), up) for f, up in rising]


def seeds(rng: np.random.Generator) -> NDArray[np.uint64]:
    """256 random bits for the core's generator."""
    return cast("NDArray[np.uint64]", rng.integers(0, 2**64, 4, dtype=np.uint64))
