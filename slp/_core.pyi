"""The compiled kernels (native/bindings/module.cpp). Call them through `slp.kernels`."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

def code_values(
    column: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def code_by_cuts(column: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int32]: ...
def merge_rows(
    rows: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...

#: Constants of the core that Python repeats (tests/kernels/test_constants.py).
CONSTANTS: dict[str, float]

class Ensemble:
    """Finished trees, to send rows down: see `slp.kernels.lay_out_ensemble`."""

    def __init__(
        self,
        features: NDArray[np.int32],
        operands: NDArray[np.float64],
        others: NDArray[np.float64],
        starts: NDArray[np.int64],
        levels: NDArray[np.bool_],
    ) -> None: ...
    def shapes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
    def leaves(self, rows: NDArray[np.float64], threads: int) -> NDArray[np.int64]: ...
    def sums(
        self, statistics: NDArray[np.float64], rows: NDArray[np.float64], threads: int
    ) -> NDArray[np.float64]: ...
    def average(
        self,
        values: NDArray[np.float64],
        weights: NDArray[np.float64],
        rows: NDArray[np.float64],
        threads: int,
    ) -> NDArray[np.float64]: ...

class LabelError(Exception):
    """`args`: state, rule (-1: sum of the labels), value, rows, statistics of the box."""

class UntoldError(Exception):
    """`args`: the feature that says no side of a new row, and whether that misses the value."""

class ExactProblem:
    """Grammar and table, filled in once; `slp.problem.core` does it."""

    def __init__(self) -> None: ...
    def set_rows(self, counts: NDArray[np.uint32]) -> None: ...
    def set_row_weights(self, weights: NDArray[np.float64]) -> None: ...
    def add_feature(
        self,
        kind: int,
        n_codes: int,
        numbers: NDArray[np.float64],
        breakpoints: NDArray[np.float64],
        codes: NDArray[np.uint32],
        holes: bool = False,
        untold: int = 0,
        absent: int = 2,
    ) -> None: ...
    def set_leaf(
        self,
        kind: int,
        hyperparameters: NDArray[np.float64],
        statistics: NDArray[np.float64],
        n_statistics: int,
    ) -> None: ...
    def log_marginal(self, rows: NDArray[np.uint32]) -> float: ...
    def set_grammar(
        self,
        start: int,
        normalise: bool,
        condition: bool,
        min_leaf: int,
        max_leaves: int,
        feature_weights: NDArray[np.float64],
    ) -> None: ...
    def add_state(self, state: ExactRules) -> None: ...
    def set_open_states(self, make: Callable[[int], ExactRules], most_cuts: int) -> None: ...

class ExactRules:
    """The rules of one state, filled in once; no tree that it derives has fewer leaves."""

    def __init__(self, least_leaves: int) -> None: ...
    def add_leaf_rule(self, log_weight: float, majority: list[int]) -> None: ...
    def add_call_rule(self, log_weight: float, state: int) -> None: ...
    def add_split_rule(
        self,
        log_weight: float,
        measure: int,
        transitions: NDArray[np.int32],
        range_total: float = 0.0,
    ) -> None: ...
    def set_row_function(
        self, ops: NDArray[np.uint8], operands: NDArray[np.float64], labelled: bool
    ) -> None:
        """Sets the function of the rule added last; see `slp.ir.row_function`."""

class ExactPass:
    """One quantity of every item."""

    def run(self, progress: Callable[[int, int, int], bool] | None) -> int: ...
    def likelihood(self) -> bool: ...
    def statistics(self) -> dict[str, int]: ...
    def by_interval_blocks(self) -> bool: ...
    def depth_cut(self) -> tuple[int, float] | None: ...

class ExactEngine:
    """A problem ready for passes."""

    def __init__(self, problem: ExactProblem) -> None: ...
    def make_pass(
        self,
        quantity: int,
        likelihood: bool,
        scaled: bool,
        length: int,
        keep: int,
        memory: int,
        threads: int,
        excluded: int = -1,
    ) -> ExactPass: ...
    def root_vector(self, run: ExactPass) -> NDArray[np.float64]: ...
    def estimate_boxes(
        self, work: float, seed: int
    ) -> tuple[float, float, float, float, float, bool]: ...
    def most_boxes(self) -> float: ...
    def values_per_box(self) -> int: ...
    def uses_interval_blocks(self) -> bool: ...
    def obstacle(self) -> int: ...
    def bounds(self, run: ExactPass, work: float) -> tuple[float, float]: ...
    def seconds_of_new_rows(self, run: ExactPass, rows: NDArray[np.float64]) -> float: ...
    def predict_rows(
        self,
        run: ExactPass,
        rows: NDArray[np.float64],
        memory: int,
        threads: int,
        progress: Callable[[int, int, int], bool] | None,
    ) -> tuple[int, NDArray[np.float64]]: ...
    def leaves_reached(
        self,
        run: ExactPass,
        rows: NDArray[np.float64],
        memory: int,
        threads: int,
        progress: Callable[[int, int, int], bool] | None,
    ) -> tuple[int, list[tuple[NDArray[np.float64], NDArray[np.float64]]]]: ...
    def expected_uses(
        self,
        run: ExactPass,
        memory: int,
        progress: Callable[[int, int, int], bool] | None,
    ) -> tuple[
        int,
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
    ]: ...
    def root_values(self, run: ExactPass) -> NDArray[np.float64]: ...
    def root_counts(self, run: ExactPass) -> NDArray[np.float64]: ...
    def scored_edges(
        self, run: ExactPass, rows: NDArray[np.uint32], product: int
    ) -> tuple[
        float,
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
    ]: ...

class MHState:
    """A proof and the turns of the proposals; never changed."""

    @property
    def turns(self) -> list[int]: ...
    @property
    def n_points(self) -> int: ...
    @property
    def n_leaves(self) -> int: ...
    @property
    def log_draw(self) -> float: ...
    @property
    def log_excess(self) -> float: ...
    @property
    def log_likelihood(self) -> float: ...
    def choices(self) -> NDArray[np.int32]: ...
    def leaf_statistics(self, sampler: MHSampler) -> NDArray[np.float64]: ...

class SMCIsland:
    """Particles; never changed."""

    @property
    def done(self) -> bool: ...
    def choices(self, particle: int) -> NDArray[np.int32]: ...
    def log_weights(self) -> NDArray[np.float64]: ...
    def dump(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...

class SMCSampler:
    """Particle filters over the trees of a problem whose leaves are not counted.

    `how`: proposal, order and scheme, by their places in `slp.engines.smc`. `ess`: share of the n
    particles below which they are drawn anew. `room`: bytes of all islands together.
    """

    def __init__(
        self,
        engine: ExactEngine,
        n: int,
        kept: int,
        how: Sequence[int],
        ess: float,
        power: float,
        max_leaves: int,
        max_features: int,
        room: int,
    ) -> None: ...
    def start(self) -> SMCIsland: ...
    def advance(
        self, island: SMCIsland, seeds: NDArray[np.uint64], n: int
    ) -> tuple[SMCIsland | None, list[int]]: ...
    def scripted(
        self, island: SMCIsland, script: list[int]
    ) -> tuple[SMCIsland, list[int], list[list[float]]]: ...
    def restore(
        self,
        events: NDArray[np.int64],
        last: NDArray[np.int64],
        log_weights: NDArray[np.float64],
    ) -> SMCIsland | None: ...

class BestFirstSearch:
    """A search for the best derivation; see `slp.engines.search.compiled`."""

    def __init__(
        self, engine: ExactEngine, likelihood: bool, room: int, most_steps: int
    ) -> None: ...
    def seed(
        self,
        feature: NDArray[np.int32],
        low: NDArray[np.uint32],
        high: NDArray[np.uint32],
        progress: Callable[[int, int, int], bool] | None,
    ) -> bool: ...
    def run(self, progress: Callable[[int, int, int], bool] | None) -> int: ...
    def found(
        self,
    ) -> tuple[
        NDArray[np.int32],
        NDArray[np.uint32],
        NDArray[np.uint32],
        float,
        float,
        int,
        int,
        int,
        int,
    ]: ...

class Ranking:
    """The derivations from the best on; see `slp.engines.search.compiled`."""

    def __init__(self, search: BestFirstSearch, known: bool, most_steps: int) -> None: ...
    def next(
        self, progress: Callable[[int, int, int], bool] | None
    ) -> tuple[
        int, NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint32], float, float, int
    ]: ...

def grow_modal_tree(
    engine: ExactEngine,
    likelihood: bool,
    stop_labels: bool,
    smoothing: float,
    look_ahead: int,
    further: int,
    drawn_levels: int,
    temperature: float,
    seed: int,
    root_feature: int,
    room: int,
    threads: int,
    progress: Callable[[int, int, int], bool] | None,
) -> tuple[
    int,
    NDArray[np.int32],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
]:
    """A modal tree (`native/bindings/modal.cpp`), of a problem whose leaves are not counted."""

class MHSampler:
    """Metropolis-Hastings over the proof trees of a problem whose leaves are not counted.

    `mixture`: kind of the proposal (0 q_ind, 1 q_uc, 2 q_n, 3 q_exact), its weight and its period.
    `most_boxes`: what fits under q_exact.
    `predicate` is asked of each tree that would be gone to; states that it refuses are not.
    """

    def __init__(
        self,
        engine: ExactEngine,
        max_leaves: int,
        max_features: int,
        monotone: list[tuple[int, bool]],
        mixture: list[tuple[int, tuple[float, int]]],
        most_boxes: float,
    ) -> None: ...
    def root_fits(self) -> bool: ...
    def tree(self, nodes: NDArray[np.int32]) -> MHState | None:
        """A tree as a state, whatever rules derive it; its nodes: feature (-1: a leaf), codes."""

    def start(
        self,
        seeds: NDArray[np.uint64],
        tries: int,
        predicate: Callable[[MHState], bool] | None = None,
    ) -> tuple[MHState | None, int]: ...
    def advance(
        self,
        state: MHState,
        seeds: NDArray[np.uint64],
        power: float,
        n: int,
        predicate: Callable[[MHState], bool] | None = None,
    ) -> tuple[MHState, NDArray[np.uint64]]: ...
    def scripted(
        self,
        state: MHState,
        script: list[int],
        power: float,
        predicate: Callable[[MHState], bool] | None = None,
    ) -> tuple[MHState, list[int], list[list[float]]]: ...
    def scan(
        self,
        ladder: MHLadder,
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
        seeds: NDArray[np.uint64],
        n_scans: int,
        n_steps: int,
        tries: int,
        threads: int,
        predicate: Callable[[MHState], bool] | None = None,
    ) -> tuple[MHLadder, NDArray[np.float64], int, int, NDArray[np.uint64]]:
        """The ladder after scans; numbers of its pairs (`native/core/mcmc/ladder.hpp`), round
        trips, independent draws; outcomes of the moves at power 1."""

    def scripted_scan(
        self,
        ladder: MHLadder,
        powers: NDArray[np.float64],
        script: list[int],
        n_steps: int,
        tries: int,
        predicate: Callable[[MHState], bool] | None = None,
    ) -> tuple[MHLadder, list[int], list[list[float]]]: ...
    def restore(self, choices: NDArray[np.int32], turns: list[int]) -> MHState | None: ...
    def free_buffers(self) -> None: ...
    def holds(self, state: MHState) -> bool: ...

class MHLadder:
    """States from power 0 to 1, for each the end that its proof was at last (0 neither, 1 the
    prior, 2 the posterior), and the number of scans made; never changed."""

    def __init__(self, rungs: list[MHState], ends: list[int], scans: int) -> None: ...
    @property
    def n(self) -> int: ...
    def state(self, j: int) -> MHState: ...
    @property
    def ends(self) -> list[int]: ...
    @property
    def scans(self) -> int: ...

class TreeScorer:
    """Weighs finished trees: nodes (feature, low, high) of all trees, tree t from starts[t] on."""

    def __init__(self, engine: ExactEngine, by_partition: bool) -> None: ...
    def log_weights(
        self,
        nodes: NDArray[np.int32],
        starts: NDArray[np.int64],
        threads: int,
        go_on: Callable[[], bool],
    ) -> NDArray[np.float64]: ...

class EditState:
    """A sequence of edits and the turns of the proposals; never changed."""

    @property
    def turns(self) -> list[int]: ...
    @property
    def n_points(self) -> int: ...
    @property
    def log_draw(self) -> float: ...
    @property
    def log_likelihood(self) -> float: ...
    def edits(self, sampler: EditSampler) -> NDArray[np.int32]: ...
    def preorder(self) -> NDArray[np.int32]: ...
    def leaf_statistics(self, sampler: EditSampler) -> NDArray[np.float64]: ...

class EditLadder:
    """As `MHLadder`."""

    def __init__(self, rungs: list[EditState], ends: list[int], scans: int) -> None: ...
    @property
    def n(self) -> int: ...
    def state(self, j: int) -> EditState: ...
    @property
    def ends(self) -> list[int]: ...
    @property
    def scans(self) -> int: ...

class EditSampler:
    """Metropolis-Hastings over sequences of edits of a given tree: its nodes in preorder, each a
    feature (-1: a leaf) and a threshold or the code of a level.

    `constrained`: whether the last tree must have a derivation in the problem's grammar.
    """

    def __init__(
        self,
        engine: ExactEngine,
        given: list[tuple[int, float]],
        p: float,
        measure: int,
        max_depth: int,
        most_edits: int,
        constrained: bool,
        max_leaves: int,
        max_features: int,
        monotone: list[tuple[int, bool]],
        mixture: list[tuple[int, tuple[float, int]]],
    ) -> None: ...
    def advance(
        self, state: EditState, seeds: NDArray[np.uint64], power: float, n: int
    ) -> tuple[EditState, NDArray[np.uint64]]: ...
    def scripted(
        self, state: EditState, script: list[int], power: float
    ) -> tuple[EditState, list[int], list[list[float]]]: ...
    def scan(
        self,
        ladder: EditLadder,
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
        seeds: NDArray[np.uint64],
        n_scans: int,
        n_steps: int,
        tries: int,
        threads: int,
    ) -> tuple[EditLadder, NDArray[np.float64], int, int, NDArray[np.uint64]]: ...
    @property
    def tries(self) -> int: ...
    def start(self, seeds: NDArray[np.uint64], number: int) -> EditState | None:
        """A state in the support, from one of `tries` tries; None if it finds none."""

    def holds(self, state: EditState) -> bool: ...
    def restore(self, edits: NDArray[np.int32], turns: list[int]) -> EditState | None: ...
    def free_buffers(self) -> None: ...

class SoftChain:
    """A chain over soft trees."""

    def features(self, sampler: SoftSampler) -> NDArray[np.int32]:
        """The features of the nodes in preorder: -1 for a leaf, d in HMC-DFI."""
    def parameters(self) -> NDArray[np.float64]:
        """The unconstrained parameters (`native/core/rjhmc/model.hpp`)."""
    def tuning(self) -> NDArray[np.float64]: ...

class SoftSampler:
    """What chains over soft trees share; `slp.engines.rjhmc.core_sampler` makes it."""

    def __init__(
        self,
        problem: ExactProblem,
        values: NDArray[np.float64],
        responses: NDArray[np.float64],
        concentration: NDArray[np.float64],
        numbers: NDArray[np.float64],
        delta: NDArray[np.float64],
        likelihood: bool,
        widths: list[float],
        lengths: list[int],
        informed: bool,
        published: bool,
    ) -> None: ...
    def start(self, seeds: NDArray[np.uint64]) -> SoftChain: ...
    def advance(
        self, chain: SoftChain, seeds: NDArray[np.uint64], n: int, warm_up: bool, jumps: bool
    ) -> tuple[SoftChain, list[int]]: ...
    def restore(
        self,
        features: NDArray[np.int32],
        q: NDArray[np.float64],
        tuning: NDArray[np.float64],
    ) -> SoftChain: ...
    def score(self, features: NDArray[np.int32], q: NDArray[np.float64]) -> list[float]: ...
    def density(
        self, features: NDArray[np.int32], q: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]: ...

def trajectories(
    target: Callable[[NDArray[np.float64]], tuple[float, Sequence[float]]],
    q: NDArray[np.float64],
    step: float,
    variance: NDArray[np.float64],
    leapfrogs: int,
    n: int,
    seeds: NDArray[np.uint64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """HMC of soft trees on any log density with its gradient: draws, shape (n, dim), and of each
    transition its acceptance and its leapfrog steps, shape (n,). For tests."""
