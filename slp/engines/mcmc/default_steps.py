"""The default number of steps of a run of chains: a function of the program and the table, never of
the clock."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from slp.data.table import Table
from slp.engines.mcmc.mixture import weight_at
from slp.engines.mcmc.tempering.powers import FIRST_RUNGS
from slp.engines.shared.filter_plan import plan_of
from slp.engines.shared.proposal_names import Named, read_names
from slp.ir.tree_grammar import CallRule, SplitRule, TreeGrammar
from slp.results.record.sampler import TreeSampler
from slp.runner import LONGEST_BLOCK
from slp.runner.effort import Level

#: Steps before the first draw and for each. 1000 steps of `q_uc` take some 4 ms on a table of 700
#: rows, and autocorrelation there dies out within 5,000 to 10,000.
_QUICK = (20_000, 1000)
_EDITS = (2000, 100)
_SLOW = (1000, 10)

#: Steps of each rung in a scan; and scans of a ladder before the first draw: rounds of 4, 8, ...,
#: 128.
_SCAN_QUICK, _SCAN_SLOW = 100, 10
WARM_UP_SCANS = 252
#: Seconds of a block of scans, about; bytes that the rungs of all ladders may take, and how many
#: rungs a ladder has at most.
_BLOCK_SECONDS, _BYTES_OF_RUNGS, _MOST_RUNGS = 0.1, 2**26, 64

#: Levels of effort (`slp.runner.effort`) bound the seconds of so many draws of so many chains.
_CHAINS, _DRAWS = 4, 2000

# Approximate nanoseconds of a step, measured on tables of 500 to a million rows: always; for each
# feature; for each row, and more if states call others, because these are all choices at the same
# box; for each row and feature, by the data read there: the cuts of all features, the states of
# each cut, the rows on both sides of each cut, or the rows of the leaves below an edited node.
_STEP, _FEATURE, _ROW, _CALLS = 500.0, 30.0, 2.5, 8.0
_CUTS, _TARGETS, _SIDES, _EDITED = 0.5, 1.5, 20.0, 20.0
# How many times as long as a step of `q_uc` those of tree moves take in a ladder, where `informed`
# and `twig` keep most of what they list (docs/design/tempering.md).
_TIMES = {"cgm": 1.5, "rotate": 3.5, "perturb": 4.5, "informed": 8, "twig": 20, "wu": 40}
# `informed` and `twig` take one unit more for each so many cuts of the table, as they keep fewer
# nodes then.
_CUTS_KEPT = 4000.0
# The same of `q_pg`, for each particle; and where all splits of a box are weighed.
_PARTICLE, _OPTIMAL = 8.0, 200.0
# The same of a step whose tree code is asked about: most answers are remembered.
_ASKED = 20_000.0
# Nanoseconds of a step in Python for each split of the root, and for each 64 rows.
_SPLIT, _SPLIT_WORDS = 2500.0, 50.0
# The power of the likelihood at which a ladder makes its steps, in the mean: cold rungs make more.
_MEAN_POWER = 0.6
# The number of states considered: those nearest to the start have the largest boxes.
_STATES = 100


def default_steps(
    sampler: TreeSampler[Any], grammar: TreeGrammar, proposal: str, level: Level
) -> tuple[int, int]:
    """Steps before the first draw, and for each draw: of each chain.

    There are more where steps are quick: in the core, without `q_exact` and without predicates. If
    2000 draws of four chains would take longer than the level of effort allows, by
    `seconds_of_step` and the times of tree moves, both numbers are reduced by the same factor. They
    do not depend on the numbers of draws and chains, so a run can be resumed for more draws.
    """
    warmup, thin = _SLOW
    if sampler.in_core and sampler.over_edits:
        warmup, thin = _EDITS
    elif _is_quick(sampler, proposal):
        warmup, thin = _QUICK
    seconds = (_CHAINS * warmup + _DRAWS * thin) * seconds_of_step(sampler, grammar)
    seconds *= _times(proposal, sampler.table, 1.0)
    share = min(1.0, level.untempered / seconds)
    return max(1, round(warmup * share)), max(1, round(thin * share))


@dataclass(frozen=True)
class ScanSteps:
    """The sizes of tempered chains.

    Attributes
    ----------
    in_scan : steps of each rung in a scan.
    longest_block : scans of a block.
    most_rungs : of a ladder.
    seconds : approximate, of one core, for a scan of one rung.
    """

    in_scan: int
    longest_block: int
    most_rungs: int
    seconds: float


def scan_steps(
    sampler: TreeSampler[Any],
    grammar: TreeGrammar,
    proposal: str,
    level: Level,
    thin: int | None = None,
) -> ScanSteps:
    """How tempered chains of a sampler are made: by program and table alone. There are fewer steps
    in a scan where the first round would take longer than the level of effort allows, and never
    more than a given `thin`."""
    table = sampler.table
    in_scan = _SCAN_QUICK if _is_quick(sampler, proposal) else _SCAN_SLOW
    if thin is not None:
        in_scan = min(in_scan, thin)
    seconds = seconds_of_step(sampler, grammar) * _times(proposal, table, _MEAN_POWER)
    first_round = _CHAINS * WARM_UP_SCANS + _DRAWS
    whole = first_round * FIRST_RUNGS * in_scan * seconds
    in_scan = max(1, round(in_scan * min(1.0, level.first_round / whole)))
    block = int(_BLOCK_SECONDS / (FIRST_RUNGS * in_scan * seconds))
    if sampler.longest_block == 1:
        block = 1
    most = most_rungs(len(table.counts))
    return ScanSteps(in_scan, max(1, min(block, LONGEST_BLOCK)), most, in_scan * seconds)


def most_rungs(n: int) -> int:
    """The most rungs of a ladder on n distinct rows, where their number follows from the barrier;
    those of four ladders take some 64 MiB, or are 12."""
    return min(max(FIRST_RUNGS, _BYTES_OF_RUNGS // (_CHAINS * 8 * n)), _MOST_RUNGS)


def _is_quick(sampler: TreeSampler[Any], proposal: str) -> bool:
    """Whether a step takes some microseconds."""
    blocks = sampler.longest_block > 1 and "q_exact" not in proposal
    return sampler.in_core and not sampler.over_edits and blocks


def seconds_of_step(sampler: TreeSampler[Any], grammar: TreeGrammar) -> float:
    """Approximate seconds of one core for a step with small trees; several times too high for large
    trees."""
    table = sampler.table
    n, d = len(table.counts), len(table.features)
    in_any_case = _STEP + _FEATURE * d + _ROW * n
    each = _EDITED * d if sampler.over_edits else _read_of_features(grammar)
    nanoseconds = in_any_case + each * n
    if sampler.in_core and sampler.longest_block == 1:
        nanoseconds += _ASKED
    if not sampler.in_core:
        splits = sum(min(int(f.kind.n_codes), n) for f in table.features)
        nanoseconds += splits * (_SPLIT + _SPLIT_WORDS * n / 64)
    return nanoseconds * 1e-9


def _times(proposal: str, table: Table, power: float) -> float:
    """The mean of `_TIMES` over the steps of a mixture at a power of the likelihood."""
    named = read_names(proposal)
    weights = [weight_at(n.name, n.weight, power) for n in named]
    total = math.fsum(weights)
    return math.fsum(w / total * _times_of(n, table) for w, n in zip(weights, named, strict=True))


def _times_of(named: Named, table: Table) -> float:
    """That of one proposal."""
    if named.name != "q_pg":
        more = table.n_cuts / _CUTS_KEPT if named.name in ("informed", "twig") else 0.0
        return _TIMES.get(named.name, 1.0) + more
    plan = plan_of(named.number, named.settings)
    return plan.n * (_OPTIMAL if plan.proposal == "optimal" else _PARTICLE)


def _read_of_features(grammar: TreeGrammar) -> float:
    """Nanoseconds for each row of a box: the largest number of any state's rules."""
    most = 0.0
    for state in islice(grammar.first_states().values(), _STATES):
        own = 0.0
        if any(isinstance(rule, CallRule) for rule in state.rules):
            own += _CALLS
        for rule in state.rules:
            if not isinstance(rule, SplitRule):
                continue
            if rule.measure == "partition":
                own += _SIDES * len(rule.transitions)
            elif rule.measure in ("all", "each"):
                own += _CUTS * len(rule.transitions)
            own += _TARGETS * sum(bool(np.any(to != to[:1])) for to in rule.transitions)
        most = max(most, own)
    return most
