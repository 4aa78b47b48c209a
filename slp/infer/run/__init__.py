"""Running engines that go step by step.

Entry points: `Engine` (what an engine offers), `run` (the loop, written once: chains, warm-up,
thinning, progress, interruption), `Checkpoint` (where a run is kept on disk so that it can go on).
"""

from slp.infer.run.checkpoint import Checkpoint
from slp.infer.run.loop import Progress, RunResult, Schedule, acceptance, run
from slp.infer.run.protocol import Engine, Info, Json, Move, Outcome

__all__ = [
    "Checkpoint",
    "Engine",
    "Info",
    "Json",
    "Move",
    "Outcome",
    "Progress",
    "RunResult",
    "Schedule",
    "acceptance",
    "run",
]
