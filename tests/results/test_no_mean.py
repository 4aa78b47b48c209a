"""Numbers whose predictive mean does not exist: an error in place of a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import SlpError

FRAME = pl.DataFrame(
    {"x": [0, 1, 1], "z": [0.0, 1.0, 2.0], "y": [1.0, 3.0, 2.0], "w": [0.25, 2.0, 1.5]}
)
TREES = """:- start(tree). :- response(y). :- ignore(z).
0.5 :: tree --> split(x, V), leaf, leaf.
0.5 :: tree --> leaf.
"""
NORMAL = "normal_inverse_gamma(0, 1, {}, 1)"
LINE = "normal_linear([z], 0, 1, 1, {}, 1)"
ENGINES = ["exact", "enumerate", "smc"]


class Heavy:
    """Normal responses with a mean that is infinite in leaves of one row."""

    def statistics(self, y: Any) -> Any:
        return np.column_stack([np.ones(len(y)), y])

    def log_marginal(self, S: Any) -> Any:
        return -S[:, 0]

    def mean(self, S: Any) -> Any:
        return np.where(S[:, 0] > 1, S[:, 1] / np.maximum(S[:, 0], 1), np.inf)


@pytest.fixture(autouse=True)
def registered() -> None:
    slp.register_leaf_model("heavy", Heavy)


def predicted(model: str, engine: str, x: int, weighted: bool = True) -> Any:
    more = ":- row_weight(w)." if weighted else ":- ignore(w)."
    text = TREES if "[z]" not in model else TREES.replace(":- ignore(z).", "")
    more_options = {"draws": 100, "seed": 1} if engine == "smc" else {}
    program = slp.parse(f"{text}{more} :- leaf({model}).")
    posterior = program.posterior(FRAME, engine=engine, **more_options)
    return posterior.predict(pl.DataFrame({"x": [1, x], "z": [1.0, 1.0]}))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", [NORMAL, LINE])
@pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")
def test_few_degrees_of_freedom(engine: str, model: str) -> None:
    """The leaf of x = 0 has 2 alpha + 0.25 degrees of freedom."""
    with pytest.raises(SlpError, match="E527.*row 2"):
        predicted(model.format(0.375), engine, 0)
    assert np.isfinite(predicted(model.format(0.375), engine, 1)).all()
    assert np.isfinite(predicted(model.format(0.376), engine, 0)).all()
    assert np.isfinite(predicted(model.format(0.1), engine, 0, weighted=False)).all()


@pytest.mark.parametrize("engine", ["enumerate", "smc"])
@pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")
def test_infinite_mean_of_a_model_of_ones_own(engine: str) -> None:
    with pytest.raises(SlpError, match="E527.*row 2"):
        predicted("heavy", engine, 0, weighted=False)
    assert np.isfinite(predicted("heavy", engine, 1, weighted=False)).all()
