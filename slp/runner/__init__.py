"""Running engines that go step by step.

Entry points: `Stepper` (what the loop drives: a chain, or an island of particles; `stepper`), `run`
(the loop, written once: warm-up, thinning, progress, interruption; `loop`), `Checkpoint` (the file
in which a run is kept, so that it can be resumed; `checkpoint`).

Inside: `effort` is the table of levels that say how long runs are. `chain` is one chain with its
schedule, `watch` reports progress, `cluster_tasks` runs chains as tasks of a cluster. `randomness`
has the random choices of a transition, and `options` checks counts and seeds.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.runner.chain import Schedule
    from slp.runner.checkpoint import Checkpoint, checkpoint_and_seed
    from slp.runner.loop import RunResult, run
    from slp.runner.options import check_count, fresh_seed, options_of
    from slp.runner.stepper import (
        LONGEST_BLOCK,
        BlockStoppedError,
        ChainStepper,
        Info,
        IslandStepper,
        Json,
        Move,
        MoveOutcome,
        NothingDrawnError,
        Phase,
        SearchStoppedError,
        StepByStep,
        Stepper,
        Stop,
        Tally,
        Weighted,
        never,
        until,
    )
    from slp.runner.watch import RunProgress, acceptance, out_of_time_in_words

__all__ = [
    "ChainStepper",
    "Checkpoint",
    "Info",
    "IslandStepper",
    "Json",
    "LONGEST_BLOCK",
    "Move",
    "NothingDrawnError",
    "MoveOutcome",
    "Phase",
    "RunProgress",
    "RunResult",
    "Schedule",
    "BlockStoppedError",
    "SearchStoppedError",
    "StepByStep",
    "Stepper",
    "Stop",
    "Tally",
    "Weighted",
    "acceptance",
    "check_count",
    "checkpoint_and_seed",
    "fresh_seed",
    "never",
    "options_of",
    "out_of_time_in_words",
    "run",
    "until",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.runner.stepper": (
            "ChainStepper Info IslandStepper Json LONGEST_BLOCK Move MoveOutcome NothingDrawnError "
            "BlockStoppedError Phase SearchStoppedError StepByStep Stepper Stop Tally Weighted "
            "never until"
        ),
        "slp.runner.checkpoint": "Checkpoint checkpoint_and_seed",
        "slp.runner.loop": "RunResult run",
        "slp.runner.watch": "RunProgress acceptance out_of_time_in_words",
        "slp.runner.chain": "Schedule",
        "slp.runner.options": "check_count fresh_seed options_of",
    },
)
