"""Leaves in boxes with priors of their own, against the enumeration of all derivations.

As a program, `python -m tests.spec.leaf_boxes` compares 2,000 random programs, or as many as
SLP_BOX_CASES says, from the seed SLP_BOX_FIRST on (0).
"""

from __future__ import annotations

import os
import warnings

import pytest

from slp.engines import infer
from slp.errors import SlpError, SlpWarning
from tests.spec import test_against_enumeration as whole
from tests.spec.cases import Case, random_case

N_CASES = 2000
#: Derivations of a case at most: plain engines take a second for some hundred.
LIMIT = 300


def case_of(seed: int) -> Case:
    """The program and table of a seed."""
    return random_case(seed, LIMIT, boxes=True)


def compare(case: Case, engine: str = "exact") -> None:
    """Every exact answer of an engine to a case."""
    if not case.spec.derivations:
        with pytest.raises(SlpError):
            infer(case.model, engine=engine, seed=1, draws=0)
        return
    posterior = infer(case.model, engine=engine, seed=1, draws=0)
    whole.compare_totals(case, posterior)
    whole.compare_trees(case, posterior)
    whole.compare_list(case, posterior)
    whole.compare_best(case, posterior)
    whole.compare_predictions(case, posterior)
    whole.compare_paths(case, posterior)
    whole.compare_features(case, posterior)
    whole.compare_left_out(case, posterior)


def priors_of(case: Case) -> int:
    """How many different priors leaves of the case have."""
    return len({prior for d in case.spec.derivations for prior in d.priors})


def main() -> None:
    """Compare all cases, and print how many had leaves of several priors."""
    warnings.simplefilter("ignore", SlpWarning)
    first = int(os.environ.get("SLP_BOX_FIRST", "0"))
    n = int(os.environ.get("SLP_BOX_CASES", str(N_CASES)))
    several = none = 0
    for seed in range(first, first + n):
        case = case_of(seed)
        try:
            compare(case)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
        random_case.cache_clear()
        several += priors_of(case) > 1
        none += not case.spec.derivations
    print(f"{n} programs agree; {several} have leaves of several priors, {none} have no tree")


if __name__ == "__main__":
    main()
