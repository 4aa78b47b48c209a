"""Running engines that go step by step.

Entry points: `Engine` (what an engine offers), `BlockEngine` (one that makes many steps at once),
`run` (the loop, written once: chains, warm-up, thinning, progress, interruption), `Checkpoint`
(where a run is kept on disk so that it can go on).
"""

from slp.runner.checkpoint import Checkpoint, checkpoint_and_seed
from slp.runner.loop import (
    Progress,
    RunResult,
    Schedule,
    acceptance,
    out_of_time_in_words,
    run,
)
from slp.runner.stepper import (
    LONGEST_BLOCK,
    BlockEngine,
    Engine,
    Info,
    Json,
    Move,
    NothingDrawnError,
    Outcome,
    SearchStoppedError,
    Stop,
    never,
    until,
)

__all__ = [
    "LONGEST_BLOCK",
    "BlockEngine",
    "Checkpoint",
    "Engine",
    "Info",
    "Json",
    "Move",
    "NothingDrawnError",
    "Outcome",
    "Progress",
    "RunResult",
    "Schedule",
    "SearchStoppedError",
    "Stop",
    "acceptance",
    "checkpoint_and_seed",
    "never",
    "out_of_time_in_words",
    "run",
    "until",
]
