"""The summary of an exact engine that has no room left for everything."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import slp
from slp.budgets import Deadline
from slp.cli.as_json import posterior_to_json
from slp.cli.page import Page
from slp.cli.summary import feature_uses, gap_in_words
from slp.errors import BudgetError
from tests.clock import Clock

pytestmark = pytest.mark.usefixtures("compiled_kernels")

# Its measure keeps passes from going by blocks.
PROGRAM = ":- use(bcart_pcfg).\n:- constraint(once(x1))."
BEST, ITEMS = 1, 2  # in the core's enumerations of quantities and of what a pass keeps


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    return rng.integers(0, 12, (40, 4)).astype(float), rng.integers(0, 2, 40)


def peak_of_best() -> int:
    """Bytes that the search for the best tree takes."""
    posterior = slp.parse(PROGRAM).posterior(*data(), engine="exact", draws=0)
    engine = posterior._result.averages.distribution.passes.engine  # type: ignore[attr-defined]
    run = engine.make_pass(BEST, True, False, 0, ITEMS, 2**30, 1)
    run.run(None)
    return int(run.statistics()["peak_bytes"])


def test_features_that_take_too_long_are_left_out_and_the_rest_is_told() -> None:
    clock = Clock()

    def progress(boxes: int, phase: str) -> None:
        if phase.startswith("following the trees down"):
            clock.seconds = 800.0

    program = slp.parse(PROGRAM)
    late = Deadline(900, clock)
    tight = program.posterior(*data(), engine="exact", time=late, progress=progress, draws=0)
    roomy = program.posterior(*data(), engine="exact", draws=0)
    assert tight.log_evidence == roomy.log_evidence
    found = feature_uses(tight)
    assert isinstance(found, BudgetError)
    assert found.diagnostics[0].code == "E540"
    told = posterior_to_json(tight, found, draws=0)
    assert told["features"] is None and told["mean_leaves"] is None
    _, note, count = told["notes"]  # the first is about `partition`
    assert told["tree_count"] is None and count.startswith("numbers of trees are left out: ")
    assert note.startswith(
        "leaves and features are left out: the exact engine used up its time of 15 min "
        "following the trees down; "
    )
    assert told["map"]["tree"] == roomy.map_tree().to_dict(predictive=True)
    lines = list(Page(tight, found, "words", "data", []).lines())
    (line,) = (line for line in lines if line.startswith("features  "))
    assert line.startswith("features  leaves and features are left out: ")


@pytest.mark.slow
def test_passes_give_way_to_each_other() -> None:
    """Room for one pass at a time is enough, with a twentieth for drawing trees."""
    best = peak_of_best()
    program = slp.parse(PROGRAM)
    options = {"engine": "exact", "draws": 20, "seed": 1, "threads": 1}
    tight = program.posterior(*data(), memory=best + 300_000, **options)  # type: ignore[arg-type]
    roomy = program.posterior(*data(), **options)  # type: ignore[arg-type]
    assert tight.map().log_posterior == roomy.map().log_posterior
    assert tight.tree_count() == roomy.tree_count()
    assert [d.tree for d in tight.draws] == [d.tree for d in roomy.draws]


def test_draws_keep_the_budget() -> None:
    posterior = slp.parse(PROGRAM).posterior(*data(), engine="exact", draws=2000, threads=1)
    passes = posterior._result.averages.distribution.passes  # type: ignore[attr-defined]
    passes._memory = passes._room = passes._kept_bytes() + 200_000
    with pytest.raises(BudgetError) as error:
        posterior.draws  # noqa: B018
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E501"
    assert re.fullmatch(
        "the exact engine used up its memory of [0-9.]+ [KM]iB drawing and scoring trees; "
        "[0-9.]+ [KM]iB hold what was computed before",
        diagnostic.message,
    )


@pytest.mark.parametrize(
    ("gap", "want"),
    [
        (1e-12, "none is more than 1.00 times as probable"),
        (0.5, "none is more than 1.65 times as probable"),
        (math.log(12.5), "none is more than 12.50 times as probable"),
        (math.log(230.2), "none is more than 231 times as probable"),
    ],
)
def test_a_gap_is_a_factor_rounded_up(gap: float, want: str) -> None:
    assert gap_in_words(gap, "none") == want


def test_a_large_gap_is_said_to_tell_nothing() -> None:
    told = gap_in_words(125.5, "none")
    assert "the bound on these is loose" in told and "125.5 above in log probability" in told


def test_a_prior_that_is_not_known_says_why() -> None:
    """In JSON the probabilities are null, and a note has the reason."""
    X, y = data()
    posterior = slp.load("pinball").posterior(X, y, engine="modal")
    uses = feature_uses(posterior)
    told = "\n".join(Page(posterior, uses, "", "", [""]).lines())
    assert "(prior" not in told and "the prior's probabilities are not known: " in told
    found = posterior_to_json(posterior, uses, draws=0)
    assert [found[k] for k in ("features_prior", "features_prior_kind")] == [None, None]
    assert any(
        note.startswith("the prior's probabilities are not known") for note in found["notes"]
    )
