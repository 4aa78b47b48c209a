"""Proposals by name: `q_uc`, `q_n(20)`, `q_uc:0.8,q_ind:0.2`."""

from __future__ import annotations

import difflib
import math
import re

from slp.errors import Diagnostic, UsageError
from slp.infer.mh.exact_subtrees import ExactSubtree, SubtreeCharts
from slp.infer.mh.local_process import LocalProcess
from slp.infer.mh.proposals import CutAtEach, CutAtRoot, CutUniformly, Mixture, Proposal

__all__ = ["mixture_of"]

_NAMES = ("q_uc", "q_ind", "q_n", "q_exact")
_HELP = "write q_uc, q_ind, q_n(20), q_exact, or several with weights, as in q_uc:0.8,q_ind:0.2"
_ITEM = re.compile(r"\s*(\w+)\s*(?:\(\s*(\d+)\s*\))?\s*(?::\s*([^\s:,]+))?\s*")


def mixture_of(text: str, process: LocalProcess, budget: int) -> Mixture:
    """The mixture that a text names; weights are 1 where none is given.

    `q_exact` stays where no goal on a row's path fits, and never changes what is above those that
    do; so unless the root fits, `q_uc` joins it, with the same weight.

    Raises
    ------
    UsageError
        E516: the text names no proposals.
    """
    weighted: list[tuple[Proposal, float]] = []
    for item in text.split(","):
        proposal, weight = _read(item, process, budget)
        weighted.append((proposal, weight))
        if isinstance(proposal, ExactSubtree) and not proposal.charts.fits(process.root):
            weighted.append((CutUniformly(), weight))
    return Mixture.of(weighted)


def _read(item: str, process: LocalProcess, budget: int) -> tuple[Proposal, float]:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise _no_proposal(f"`{item.strip()}` is not a proposal", _HELP)
    name, count, weight = match.groups()
    return _proposal(name, count, process, budget), _weight(weight)


def _proposal(name: str, count: str | None, process: LocalProcess, budget: int) -> Proposal:
    if name not in _NAMES:
        near = difflib.get_close_matches(name, _NAMES, n=1)
        help = f"did you mean {near[0]}? {_HELP}" if near else _HELP
        raise _no_proposal(f"there is no proposal {name}", help)
    if name == "q_n":
        if count is None or int(count) == 0:
            message = "q_n needs the number of choice points that it goes through"
            raise _no_proposal(message, "write q_n(20) to cut at the first 20 in turn")
        return CutAtEach(int(count))
    if count is not None:
        raise _no_proposal(f"{name} takes no number", f"write {name}")
    if name == "q_exact":
        return ExactSubtree(SubtreeCharts(process, budget))
    return CutUniformly() if name == "q_uc" else CutAtRoot()


def _weight(text: str | None) -> float:
    if text is None:
        return 1.0
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 < weight < math.inf:
        help = "weights are numbers above 0, as in q_uc:0.8,q_ind:0.2"
        raise _no_proposal(f"{text} is not the weight of a proposal", help)
    return weight


def _no_proposal(message: str, help: str) -> UsageError:
    return UsageError(Diagnostic("E516", message, help=help))
