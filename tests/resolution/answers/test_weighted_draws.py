"""Weighted draws against the exact masses and probabilities of queries.

With fixed seeds. Of programs that are right, a test within 4.5 standard errors fails once in
100,000, but for what is said.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import slp
from slp.errors import SlpError, SlpWarning
from slp.resolution import Limits
from slp.resolution.proofs import weighted
from tests.resolution.answers.test_drawing import CASES, MARKOV, WORDS, assert_paths, key

METHODS = ("weighting", "filter")
SYMBOLS = "wet, dry, dry, wet, dry, wet"


@pytest.mark.parametrize(
    ("case", "method"),
    # A try that cannot fail loops at the end of the string until it is at its limit.
    [(c, m) for c in CASES for m in METHODS if (c, m) != ("left recursion", "weighting")],
)
def test_estimates_are_near_the_exact_values(case: str, method: str) -> None:
    text, goal = CASES[case]
    program = slp.parse(text)
    found = program.query(goal)
    draws = program.draw(goal, 1000, failure=method, seed=2)
    assert draws.method == draws.failure == method and draws.tries == 1000
    assert draws.log_success is not None
    error = draws.log_success_error or 0.0  # programs that cannot fail tell none
    assert abs(draws.log_success - found.log_success) <= 4.5 * error + 1e-12
    want = {key(a): a.probability for a in found.answers}
    for share in draws.shares():
        error = max(share.error, 0.005)  # of rare answers the errors are rough
        assert abs(share.probability - want[key(share.bindings)]) <= 4.5 * error
    assert math.fsum(draw.weight for draw in draws) == pytest.approx(1, abs=1e-12)
    assert_paths(program, draws, goal)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_the_mean_weight_is_unbiased_and_errors_cover(method: str) -> None:
    """150 runs of 64 draws: the mean of the success within 4.5 of its standard errors. The stated
    errors are what the runs vary by: the ratio of variances is within 0.5 and 2."""
    program = slp.parse(MARKOV)
    goal = f"seen([{SYMBOLS}], [rain | S])"
    want = program.query(goal).success
    runs = [program.draw(goal, 64, failure=method, seed=seed) for seed in range(150)]
    ratios = np.array([run.success / want for run in runs])  # type: ignore[operator]
    assert abs(ratios.mean() - 1) < 4.5 * ratios.std() / math.sqrt(len(runs))
    stated = np.array([run.log_success_error for run in runs], float)
    assert 0.5 < (stated**2).mean() / np.log(ratios).var() < 2


def test_a_filter_is_better_where_symbols_are_many() -> None:
    program = slp.parse(
        MARKOV.replace(", States)", ")")
        .replace(", [State])", ")")
        .replace(", [State | States])", ")")
    )
    goal = f"seen([{', '.join([SYMBOLS] * 5)}])"
    want = program.query(goal).log_success
    by = {m: program.draw(goal, 300, failure=m, seed=1) for m in METHODS}
    assert by["filter"].effective > 2 * by["weighting"].effective
    assert by["filter"].log_success == pytest.approx(want, abs=1)


@pytest.mark.parametrize("method", METHODS)
def test_what_tables_cannot_tell(method: str) -> None:
    """Words have no end of answers. A third letter that is a has mass 1/8 0.3."""
    program = slp.parse(WORDS)
    goal, given = "word(L)", "L = [_, _, a | _]"
    draws = program.draw(goal, 800, given=given, failure=method, seed=1)
    assert draws.log_success is not None and draws.log_success_error is not None
    assert abs(draws.log_success - math.log(0.3 / 4)) < 4.5 * draws.log_success_error
    assert all(draw["L"].split(", ")[2].startswith("a") for draw in draws)


def test_draws_of_a_filter_say_that_they_share_beginnings() -> None:
    program = slp.parse(MARKOV)
    draws = program.draw(f"seen([{SYMBOLS}], States)", 400, failure="filter", seed=1)
    assert len(set(draws.origins)) < len(draws) == 400
    weights = np.array([draw.weight for draw in draws])
    assert draws.effective < weighted.effective_size(weights)


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_alone_decides(method: str) -> None:
    program = slp.parse(MARKOV)
    goal = f"seen([{SYMBOLS}], States)"
    first, again, other = (program.draw(goal, 50, failure=method, seed=s) for s in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("method", METHODS)
def test_no_proof(method: str) -> None:
    program = slp.parse("0.6 :: coin(h).\n0.4 :: coin(t).\n")
    with pytest.raises(SlpError) as caught:
        program.draw("coin(X), X = edge", 20, failure=method, seed=1)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("E247", "none of 20 draws has a proof")
    assert len(program.draw("coin(X)", 0, failure=method, seed=1)) == 0


@pytest.mark.parametrize("method", METHODS)
def test_proofs_beyond_the_limits_are_left_out_and_told(method: str) -> None:
    with pytest.warns(SlpWarning, match="W250"):
        draws = slp.parse(WORDS).draw(
            "word(L)", 300, failure=method, seed=1, limits=Limits(inferences=60)
        )
    assert 0 < len(draws) < 300


#: Programs of which all draws may agree, and how these are made.
AGREE = "0.999999 :: coin(h). 0.000001 :: coin(t)."


@pytest.mark.parametrize("options", [{"engine": "python"}, *({"failure": m} for m in METHODS)])
def test_draws_that_agree_tell_no_error(options: dict[str, str]) -> None:
    draws = slp.parse(AGREE).draw("coin(X)", 20, seed=1, **options)
    (share,) = draws.shares()
    assert share.probability == pytest.approx(1) and math.isnan(share.error)
    (answer,) = draws.to_dict()["answers"]  # type: ignore[misc]
    assert answer["error"] is None
    (sure,) = slp.parse(AGREE).draw("coin(_)", 20, seed=1, **options).shares()
    assert sure.error == 0.0


@pytest.mark.parametrize("failure", ["rejection", "backtracking", *METHODS])
def test_a_single_draw_tells_no_error(failure: str) -> None:
    (share,) = slp.parse(WORDS).draw("word(L)", 1, failure=failure, seed=1).shares()
    assert math.isnan(share.error)


@pytest.mark.parametrize("n", [1, 7, 100, 333])
@pytest.mark.parametrize("failure", ["rejection", *METHODS])
def test_without_failure_draws_tell_no_error_of_success(failure: str, n: int) -> None:
    """Also where rounding makes the weights differ."""
    draws = slp.parse(WORDS).draw("word(L)", n, failure=failure, seed=1)
    assert draws.success == pytest.approx(1) and draws.log_success_error is None
