"""What is imported when: the package, an exact run and a check leave slow modules alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "slp"

ALONE = """
import sys
import numpy as np
from slp.results import r_hat
assert r_hat(np.random.default_rng(0).normal(size=(4, 100))) is not None
assert not {"xarray", "pandas", "arviz_stats"} & sys.modules.keys()
import arviz_stats.base.array
assert arviz_stats.base.array.array_stats is not None and "arviz_stats.base" in sys.modules
"""


BESIDE = """
import sys
from slp.results.trust.convergence import imported_meanwhile, r_hat
with imported_meanwhile():
    pass
before = set(sys.modules)
assert "scipy" in before and "arviz_stats" not in before
import numpy as np
assert r_hat(np.random.default_rng(0).normal(size=(4, 100))) is not None
assert not [name for name in set(sys.modules) - before if name.startswith("scipy")]
"""


TIME_LEFT = """
from slp.budgets import Deadline
from slp.results.trust.convergence import array_stats, time_for_statistics
assert not time_for_statistics(Deadline(1)) and time_for_statistics(Deadline(60))
assert time_for_statistics(Deadline())
array_stats()
assert time_for_statistics(Deadline(0))
"""


def test_statistics_of_chains_are_imported_if_there_is_time() -> None:
    subprocess.run([sys.executable, "-P", "-c", TIME_LEFT], check=True)


def test_statistics_of_chains_are_imported_beside_the_draws() -> None:
    subprocess.run([sys.executable, "-P", "-c", BESIDE], check=True)


@pytest.mark.slow
def test_statistics_of_chains_bring_no_xarray() -> None:
    """`arviz_stats` is imported without its packages, and later as always."""
    subprocess.run([sys.executable, "-P", "-c", ALONE], check=True)


# Half of the time of a small run goes into imports: what most runs need none of comes late.
SLOW = (
    ["arviz_stats", "arviz_base", "numpy.random", "pandas", "polars", "pyarrow", "scipy"]
    + ["slp.reference.enumeration.sums", "slp.reference.chart.chart", "slp.trees.check"]
    + [
        "slp.engines.mcmc.sample",
        "slp.engines.shared.compiled_proofs",
        "slp.reference.boxes",
        "slp.reference.mh.chains",
        "slp.runner.loop",
        "slp.reference.mh.edits",
    ]
    + [
        "slp.learn",
        "slp.engines.mcmc.proofs",
        "slp.results.proofs",
        "slp.swipl.prolog",
        "slp.resolution.answers.queries",
        "slp.resolution.answers.goals",
    ]
)


def _imported(program: str, *arguments: object) -> set[str]:
    """What of `SLOW` is imported when a program has run with these arguments."""
    program += f"; print(*{{*{SLOW}}} & {{*sys.modules}})"
    # -P: the slp that is installed, not the one in the folder where the tests are started.
    command = [sys.executable, "-P", "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_slow_modules_are_not_imported_with_the_package() -> None:
    assert _imported("import sys, slp, slp.cli.sample") == set()
    assert _imported("import sys, slp; slp.SampledProofs") >= {"slp.results.proofs"}


@pytest.mark.parametrize("draws", [0, 10])
def test_an_exact_run_on_a_small_table_imports_no_slow_module(draws: int) -> None:
    program = "import sys; from slp.cli import common, sample; common.run(sample.sample_command)"
    example = PACKAGE.parent / "examples" / "haberman"
    arguments = (example / "prior.slp", example / "haberman.csv", "-n", draws)
    # The interval of a leaf takes scipy, which imports numpy.random.
    assert _imported(program, *arguments) == {"numpy.random", "scipy"}


CHECK = """
import sys
import pandas as pd
from slp.program import find_mistakes
assert find_mistakes("growtree", pd.DataFrame({"a": range(9), "y": list("uvuvvuvuv")})) == ()
assert not [name for name in sys.modules if name.startswith(("scipy.signal", "arviz_stats"))]
"""


def test_a_check_brings_no_statistics_of_chains() -> None:
    """It draws one tree. That has no R-hat, for which the import takes a second."""
    subprocess.run([sys.executable, "-P", "-c", CHECK], check=True)
