"""What is told of the choice of an engine after a run."""

from __future__ import annotations

from dataclasses import replace

from slp.errors import Diagnostic
from slp.messages.inference import DRAWS_INSTEAD
from slp.results.record.choice import EngineChoice


def ends_warm_up_early(choice: EngineChoice, steps: int) -> EngineChoice:
    """The choice after warm-up ended early because half of the time was over."""
    reason = (
        f"{choice.reason}; warm-up ended after {steps:,} steps, as half of the time was over: the "
        "answer depends on the clock"
    )
    return replace(choice, reason=reason, by_clock=True)


def draws_instead(choice: EngineChoice) -> Diagnostic:
    """W540: `auto` draws where exact sums are possible; with how to have these."""
    remedy = "give more by --memory (`memory` in Python), or change the program"
    if choice.by_clock or choice.too_long:
        remedy = "leave --time out (`time` in Python), or change the program"
    elif choice.beyond_effort:
        remedy = "ask for the engine exact (--engine exact, in Python: engine='exact')"
    elif choice.would_fit:
        fit = choice.would_fit[0]
        instead = "" if fit.instead is None else f", in place of {fit.instead}"
        remedy = f"add this line to the program{instead}: {fit.directive}"
    return DRAWS_INSTEAD(engine=choice.engine, reason=choice.reason, remedy=remedy)
