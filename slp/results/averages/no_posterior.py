"""What is refused of members that are stacked by prediction (E559)."""

from __future__ import annotations

from slp.errors import UsageError
from slp.messages.stacked import NOT_A_POSTERIOR


def no_posterior(what: str) -> UsageError:
    """E559: what a posterior tells, and this does not."""
    return UsageError(NOT_A_POSTERIOR(what=what))


def refuse_stacking(engine: object, what: str) -> None:
    """Refuse before members run what their average does not tell.

    Raises
    ------
    UsageError
        E559: the engine that was asked for is `stacked`.
    """
    if engine == "stacked":
        raise no_posterior(what)
