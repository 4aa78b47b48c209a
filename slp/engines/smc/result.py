"""`result_of_islands`: what islands of particles show, the evidence too."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeAlias

from slp.results.averages.weighted_draws import evidence_of_islands
from slp.results.estimate import Estimate
from slp.results.record.drawn import Drawn
from slp.results.record.later import Later
from slp.results.record.parts import Ended
from slp.results.record.result import Result
from slp.results.record.sampler import DrawnRun, HowDrawn, TreeSampler
from slp.results.trust.diagnostics import Diagnostics
from slp.runner import RunResult

#: Fewer islands do not tell the error of the evidence.
_FEWEST_ISLANDS = 4

_UNBIASED = "an estimate without bias on the scale of the evidence itself"
_RATIO = (
    "the ratio of two estimates, with and without the likelihood, as the weights of the program "
    "need not sum to 1: consistent, but not without bias"
)
_EARLY = "an island that takes long is less likely to be one of them"

#: What ended a run early; None if nothing did.
EndedBy: TypeAlias = Literal["time", "user"] | None


def result_of_islands(sampler: TreeSampler[Any], run: RunResult, how: HowDrawn) -> Result:
    """The distribution over trees as islands of particles show it. If the run ended early, it is of
    the islands that were done by then. The evidence is known where the weights of the program sum
    to 1; else see `with_sum_of_weights`."""
    done = [i for i, over in enumerate(run.over) if over]
    records, log_weights = [run.records[i] for i in done], [run.log_weights[i] for i in done]
    drawn = Drawn(sampler, replace(run, records=records, log_weights=log_weights), how)
    known = how.likelihood and drawn.normalised
    note = _note(drawn.normalised, [_done(run, how.schedule.chains, "")])
    return drawn.result(
        evidence=drawn.evidence(
            _log_sum_of_weights(run) if known else None, _why_none(drawn.normalised), note
        ),
        diagnostics=partial(_diagnosed, drawn),
    )


def with_sum_of_weights(found: DrawnRun, below: DrawnRun | None, ended_by: EndedBy) -> Result:
    """The result with its evidence, where the weights of the program need not sum to 1.

    Parameters
    ----------
    below : the islands that estimate the sum of the weights of all trees; None if none was done.
    ended_by : what ended their run early.
    """
    result, n = found.result, _chains(found)
    estimate, done = None, [_done(found.run, n, "")]
    if below is not None:
        done.append(_done(below.run, _chains(below), " without likelihood"))
        above, under = _log_sum_of_weights(found.run), _log_sum_of_weights(below.run)
        if above is not None and under is not None:
            error = math.hypot(above.error, under.error)
            estimate = Estimate.drawn(above.value - under.value, error)
    evidence = replace(
        result.evidence,
        estimate=Later[Estimate | None].known(estimate),
        note="; ".join(filter(None, (_note(False, done), result.evidence.no_bayes_factor))),
    )
    own = result.ended()
    ended = Ended(
        own.interrupted or ended_by is not None,
        own.out_of_time or ended_by == "time",
    )
    prior = result.prior if below is None else Later.known(below.result)
    return replace(result, evidence=evidence, ended=Later.known(ended), prior=prior)


def _chains(found: DrawnRun) -> int:
    assert found.result.schedule is not None
    return found.result.schedule.chains


def _log_sum_of_weights(run: RunResult) -> Estimate | None:
    """Log of the sum over all trees of weight, times likelihood in a posterior: the log of the mean
    of the islands' estimates, which have no bias, with its error by the delta method. An island
    without draws counts 0. None below four islands that are done, as they do not tell the error."""
    done = [own for own, over in zip(run.log_weights, run.over, strict=True) if over]
    if len(done) < _FEWEST_ISLANDS or not any(map(len, done)):
        return None
    return Estimate.drawn(*evidence_of_islands(done))


def _why_none(normalised: bool) -> str:
    it_takes = f"it takes {_FEWEST_ISLANDS} islands or more that are done"
    return it_takes if normalised else f"{it_takes}, and as many without likelihood"


def _note(normalised: bool, done: list[str | None]) -> str:
    """What kind of estimate it is, and which islands it is from, if not from all."""
    early = [f"the run ended early, when {told} were done: {_EARLY}" for told in done if told]
    return "; ".join([_UNBIASED if normalised else _RATIO, *early])


def _done(run: RunResult, n: int, of: str) -> str | None:
    """How many of the islands were done, if not all."""
    done = sum(map(bool, run.over))
    return None if done == n else f"{done} of {n} islands{of}"


def _diagnosed(drawn: Drawn) -> Diagnostics:
    """Decisions count as moves, whatever they failed by."""
    found = drawn.diagnosed()
    failed = failures(drawn.run).total()
    grew = sum(counts["accepted"] for counts in found.moves.values())
    moves = {"grow": {"accepted": grew, "rejected": 0, "failed": failed, "stayed": 0}}
    return replace(found, moves=moves, acceptance={"grow": grew / (grew + failed)})


def failures(run: RunResult) -> Counter[str]:
    """How many particles failed, by the cause."""
    tally = sum(run.tallies, Counter())
    return Counter({move.name: n for move, n in tally.items() if move.outcome == "failed"})
