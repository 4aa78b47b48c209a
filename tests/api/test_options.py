"""Options from Python: names that do not exist, integers of NumPy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import slp

TABLE = pd.DataFrame({"age": [1, 2, 3, 4], "ill": ["no", "no", "yes", "yes"]})


@pytest.mark.parametrize("ask", ["posterior", "prior"])
def test_an_option_that_does_not_exist_is_told_with_the_nearest_name(ask: str) -> None:
    with pytest.raises(slp.UsageError) as caught:
        getattr(slp.load("growtree"), ask)(TABLE, draw=5)
    (found,) = caught.value.diagnostics
    assert (found.code, found.help) == ("E544", "did you mean `draws`?")


def test_an_option_that_proofs_do_not_have_is_told() -> None:
    with pytest.raises(slp.UsageError) as caught:
        slp.parse("0.5 :: p(a). 0.5 :: p(b).").sample_proofs("p(X)", rungs=3)
    assert caught.value.diagnostics[0].code == "E544"


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_numbers_of_draws_may_be_of_numpy(kind: type[np.integer]) -> None:
    posterior = slp.load("growtree").posterior(TABLE, draws=kind(3), seed=kind(1))
    assert len(posterior.draws) == 3


def test_a_response_of_dates_is_not_to_be_ignored() -> None:
    dates = pd.date_range("2020", periods=4)
    with pytest.raises(slp.DataError) as caught:
        slp.load("growtree").posterior(TABLE[["age"]], dates)
    (found,) = caught.value.diagnostics
    assert found.code == "E411"
    assert "ignore" not in (found.help or "")
