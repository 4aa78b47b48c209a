"""The options of stacking, by name: flags of commands and keywords in Python come from here."""

from __future__ import annotations

from dataclasses import dataclass

from slp.engines.contract import effort_option, option


@dataclass(frozen=True, kw_only=True)
class StackedOptions:
    """Options of stacking."""

    effort: str = effort_option()
    members: int = option(32, "chains that are stacked by prediction, each a member", least=8)
