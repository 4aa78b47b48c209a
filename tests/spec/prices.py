"""What the statements of a random case cost, by the enumeration of all derivations.

As a program, `python -m tests.spec.prices` compares 2,000 cases, or as many as SLP_PRICE_CASES
says, from the seed SLP_PRICE_FIRST on (0).
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import slp
from slp.errors import SlpWarning
from slp.ir.constraints import Support
from slp.ir.program import CheckedProgram
from slp.results.prices import Price, Prices
from slp.trees import check_tree
from tests.spec.brute_force import BruteForce, TooManyDerivationsError, log_sum
from tests.spec.cases import Case, random_case
from tests.spec.pipeline import tree_of

LIMIT = 3000
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Want:
    """What a `Price` has to say; None for a log evidence of no tree."""

    prior: float | None
    posterior: float | None
    added: float | None
    removed: float


def wanted(case: Case) -> list[Want]:
    """Of each statement in the order of `Prices`. Raises TooManyDerivationsError."""
    program = case.model.program
    bare = replace(program, constraints=(), support=Support(), feature_weights={})
    none = _derivations(case, bare)
    return [_want(case, none, *pair) for pair in _pairs(program, bare)]


def _pairs(
    program: CheckedProgram, bare: CheckedProgram
) -> Iterator[tuple[CheckedProgram, CheckedProgram, bool]]:
    """For each statement the program without it, that with it alone, and whether trees satisfy
    it."""
    for i, constraint in enumerate(program.constraints):
        others = program.constraints[:i] + program.constraints[i + 1 :]
        yield replace(program, constraints=others), replace(bare, constraints=(constraint,)), True
    for name in ("min_leaf", "max_depth", "min_weight"):
        limit, free = getattr(program.support, name), getattr(Support(), name)
        if limit != free:
            without = replace(program, support=replace(program.support, **{name: free}))
            yield without, replace(bare, support=Support(**{name: limit})), True
    for name, weight in program.feature_weights.items():
        others = {f: w for f, w in program.feature_weights.items() if f != name}
        alone = replace(bare, feature_weights={name: weight})
        yield replace(program, feature_weights=others), alone, False


def _want(
    case: Case, none: BruteForce, less: CheckedProgram, alone: CheckedProgram, satisfied: bool
) -> Want:
    without, only = _derivations(case, less), _derivations(case, alone)
    added = only.log_evidence() - none.log_evidence() if only.derivations else None
    removed = case.spec.log_evidence() - without.log_evidence()
    if not satisfied:
        return Want(None, None, added, removed)
    keep = [_holds(case, alone, d.tree) for d in without.derivations]
    prior = [d.log_weight for d in without.derivations]
    joint = [log_joint for _, log_joint in without.log_scored()]
    return Want(_share(prior, keep), _share(joint, keep), added, removed)


def _share(logs: list[float], keep: list[bool]) -> float:
    kept = [x for x, own in zip(logs, keep, strict=True) if own]
    return math.exp(log_sum(kept) - log_sum(logs)) if kept else 0.0


def _derivations(case: Case, program: CheckedProgram) -> BruteForce:
    return BruteForce(program, case.spec.example, case.table.leaf, LIMIT)


def _holds(case: Case, alone: CheckedProgram, key: Any) -> bool:
    (found,) = check_tree(tree_of(key), alone, case.table.frame())
    assert found.holds is not None
    return found.holds


def price_of(case: Case) -> Prices:
    """By exact sums."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(case.text).price(case.table.frame(), engine="exact", seed=1)


def compare(case: Case) -> int:
    """Hold the prices of a case to what is wanted; the number of statements, 0 where there are too
    many derivations."""
    if not case.spec.derivations:
        return 0
    try:
        want = wanted(case)
    except TooManyDerivationsError:
        return 0
    have = price_of(case).statements
    assert len(have) == len(want), case
    for one, own in zip(have, want, strict=True):
        _compare(case, one, own)
    return len(have)


def _compare(case: Case, have: Price, want: Want) -> None:
    what = have.statement, have, want, case
    assert have.log_evidence_removed is not None, what
    assert have.log_evidence_removed.kind == "exact", what
    slack = max(TOLERANCE, case.rounding)
    assert abs(have.log_evidence_removed.value - want.removed) < slack, what
    if want.added is None:
        assert have.log_evidence_added is None and have.notes, what
    else:
        assert have.log_evidence_added is not None, what
        assert abs(have.log_evidence_added.value - want.added) < slack, what
    for told, probability in ((have.prior, want.prior), (have.posterior, want.posterior)):
        assert (told is None) == (probability is None), what
        if told is None or probability is None:
            continue
        if told.kind == "exact":
            assert abs(told.value - probability) < slack, what
        else:  # six standard errors of a share of 2,000 draws
            assert told.draws == 2000, what
            error = math.sqrt(probability * (1 - probability) / 2000)
            within = told.value if told.kind == "estimate" else float(told.kind == "above")
            assert abs(within - probability) < 6 * error + 3 / 2000, what
    if have.conditions:
        assert have.prior is not None and have.posterior is not None, what
        if have.prior.kind == have.posterior.kind == "exact":
            told = math.log(have.posterior.value) - math.log(have.prior.value)
            assert abs(told - have.log_evidence_removed.value) < slack, what


def main() -> None:
    """Compare many cases."""
    first = int(os.environ.get("SLP_PRICE_FIRST", "0"))
    n_cases = int(os.environ.get("SLP_PRICE_CASES", "2000"))
    cases = statements = 0
    seed = first
    while cases < n_cases:
        found = compare(random_case(seed, 300))
        random_case.cache_clear()
        seed, cases, statements = seed + 1, cases + (found > 0), statements + found
    print(f"{cases} cases with {statements} statements, seeds {first} to {seed - 1}: all equal")


if __name__ == "__main__":
    main()
